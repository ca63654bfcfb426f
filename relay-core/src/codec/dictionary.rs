//! Objects whose keys are data.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::about::About;
use super::annotation::Annotation;
use super::combine::combinators;
use super::decoder::Decode;
use super::definition::DefinitionFault;
use super::encoder::Encode;
use super::fault::{Location, Report};
use super::{Codec, Decoder, Encoder, IntoCodec, wording};
use crate::schema::{Definitions, Node, Schema};

/// A builder of dictionary codecs: see [`dictionary`].
#[derive(Clone, Debug)]
#[must_use]
pub struct DictionaryCodec<T> {
    annotation: Annotation,
    value: Codec<T>,
    minimum: usize,
    maximum: Option<usize>,
}

/// An object of any keys, each of whose values is judged.
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
/// use serde_json::json;
///
/// let codec = codec::dictionary(codec::integer::<u8>()).max_entries(2).into_codec();
/// let ages = codec.decode(json!({"Ada": 36, "Alan": 41})).unwrap();
/// assert_eq!(ages["Ada"], 36);
/// assert_eq!(
///     codec.decode(json!({"Ada": "36"})).unwrap_err().to_string(),
///     "/Ada: expected an integer from 0 to 255, got the string \"36\"",
/// );
/// ```
pub fn dictionary<C: IntoCodec>(value: C) -> DictionaryCodec<C::Value> {
    DictionaryCodec {
        annotation: Annotation::default(),
        value: value.into_codec(),
        minimum: 0,
        maximum: None,
    }
}

impl<T> DictionaryCodec<T> {
    /// The fewest entries that the dictionary may have.
    pub fn min_entries(mut self, entries: usize) -> Self {
        self.minimum = entries;
        self
    }

    /// The most entries that the dictionary may have.
    pub fn max_entries(mut self, entries: usize) -> Self {
        self.maximum = Some(entries);
        self
    }

    fn about(&self, value: &About) -> About {
        let mut faults = Vec::new();
        if let Some(maximum) = self.maximum.filter(|maximum| *maximum < self.minimum) {
            faults.push(DefinitionFault::new(format!(
                "no dictionary has at least {} and at most {maximum} entries",
                self.minimum
            )));
        }
        faults.extend(value.faults.iter().map(|fault| fault.under("*")));
        About::new(self.schema(&value.schema), self.expectation(), faults)
    }

    fn schema(&self, value: &Schema) -> Schema {
        let mut definitions = Definitions::default();
        let mut members = self.annotation.members("object");
        members.insert("additionalProperties".to_owned(), definitions.adopt(value));
        if self.minimum > 0 {
            members.insert("minProperties".to_owned(), Node::from(self.minimum));
        }
        if let Some(maximum) = self.maximum {
            members.insert("maxProperties".to_owned(), Node::from(maximum));
        }
        definitions.finish(members)
    }

    fn expectation(&self) -> Cow<'static, str> {
        match wording::length(self.minimum, self.maximum, "field") {
            None => Cow::Borrowed("an object"),
            Some(length) => Cow::Owned(format!("an object {length}")),
        }
    }
}

combinators!([T: 'static] DictionaryCodec<T>);

impl<T: 'static> IntoCodec for DictionaryCodec<T> {
    type Value = BTreeMap<String, T>;

    fn into_codec(self) -> Codec<BTreeMap<String, T>> {
        let size = Size {
            expectation: self.expectation(),
            minimum: self.minimum,
            maximum: self.maximum,
        };
        let reads = self.about(self.value.decoder().about());
        let writes = self.about(self.value.encoder().about());
        let read = ReadDictionary {
            size: size.clone(),
            value: self.value.decoder,
        };
        let write = WriteDictionary {
            size,
            value: self.value.encoder,
        };
        Codec::new(
            Decoder::new(reads, Arc::new(read)),
            Encoder::new(writes, Arc::new(write)),
        )
    }
}

/// How many entries a dictionary may have.
#[derive(Clone)]
struct Size {
    expectation: Cow<'static, str>,
    minimum: usize,
    maximum: Option<usize>,
}

impl Size {
    fn judge(&self, entries: usize, at: &Location<'_>, report: &mut Report) -> Option<()> {
        if entries >= self.minimum && self.maximum.is_none_or(|maximum| entries <= maximum) {
            return Some(());
        }
        let found = wording::counted(entries, "field");
        report.expected_but(at, self.expectation.clone(), found);
        None
    }
}

struct ReadDictionary<T> {
    size: Size,
    value: Decoder<T>,
}

impl<T> Decode<BTreeMap<String, T>> for ReadDictionary<T> {
    fn decode(
        &self,
        value: Value,
        at: &Location<'_>,
        report: &mut Report,
    ) -> Option<BTreeMap<String, T>> {
        let Value::Object(members) = value else {
            report.expected(at, self.size.expectation.clone(), &value);
            return None;
        };
        let mut fits = self.size.judge(members.len(), at, report);
        let mut read = BTreeMap::new();
        for (name, value) in members {
            match self.value.decode_at(value, &at.key(&name), report) {
                Some(value) => {
                    read.insert(name, value);
                }
                None => fits = None,
            }
        }
        fits.map(|()| read)
    }
}

struct WriteDictionary<T> {
    size: Size,
    value: Encoder<T>,
}

impl<T> Encode<BTreeMap<String, T>> for WriteDictionary<T> {
    fn encode(
        &self,
        value: BTreeMap<String, T>,
        at: &Location<'_>,
        report: &mut Report,
    ) -> Option<Value> {
        let mut fits = self.size.judge(value.len(), at, report);
        let mut written = Map::new();
        for (name, value) in value {
            match self.value.encode_at(value, &at.key(&name), report) {
                Some(value) => {
                    written.insert(name, value);
                }
                None => fits = None,
            }
        }
        fits.map(|()| Value::Object(written))
    }
}
