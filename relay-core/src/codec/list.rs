//! Lists of one kind of item.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::about::About;
use super::annotation::Annotation;
use super::combine::combinators;
use super::decoder::Decode;
use super::encoder::Encode;
use super::fault::{Location, Report, show};
use super::{Codec, Decoder, DefinitionFault, Encoder, IntoCodec, wording};
use crate::schema::{Definitions, Node, Schema, repeated};

/// A builder of list codecs: see [`list`].
#[derive(Clone, Debug)]
#[must_use]
pub struct ListCodec<T> {
    annotation: Annotation,
    item: Codec<T>,
    size: Size,
    unique: bool,
}

/// A list of items, each of which is judged.
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
/// use serde_json::json;
///
/// let tags = codec::list(codec::string().max_length(50)).max_items(20).into_codec();
/// assert_eq!(tags.decode(json!(["a", "b"])).unwrap(), ["a", "b"]);
/// assert_eq!(
///     tags.decode(json!("[\"a\"]")).unwrap_err().to_string(),
///     "(root): expected a list of at most 20 items, got the string \"[\\\"a\\\"]\"",
/// );
/// ```
pub fn list<C: IntoCodec>(item: C) -> ListCodec<C::Value> {
    ListCodec {
        annotation: Annotation::default(),
        item: item.into_codec(),
        size: Size::default(),
        unique: false,
    }
}

impl<T> ListCodec<T> {
    /// The fewest items that the list may have.
    pub fn min_items(mut self, items: usize) -> Self {
        self.size.minimum = items;
        self
    }

    /// The most items that the list may have.
    pub fn max_items(mut self, items: usize) -> Self {
        self.size.maximum = Some(items);
        self
    }

    /// No two items may be equal, where `1` and `1.0` are.
    ///
    /// ```
    /// use relay_core::codec::{self, IntoCodec};
    /// use serde_json::json;
    ///
    /// let tags = codec::list(codec::string()).unique().into_codec();
    /// assert_eq!(
    ///     tags.decode(json!(["a", "b", "a"])).unwrap_err().to_string(),
    ///     "/2: expected an item that is not there yet, got the string \"a\" again, as in place 0",
    /// );
    /// ```
    pub fn unique(mut self) -> Self {
        self.unique = true;
        self
    }

    fn faults(&self, item: &[DefinitionFault]) -> Vec<DefinitionFault> {
        let Size { minimum, maximum } = self.size;
        let mut faults = Vec::new();
        if let Some(maximum) = maximum.filter(|maximum| *maximum < minimum) {
            faults.push(DefinitionFault::new(format!(
                "no list has at least {minimum} and at most {maximum} items"
            )));
        }
        faults.extend(item.iter().map(|fault| fault.under("*")));
        faults
    }

    fn schema(&self, item: &Schema) -> Schema {
        let mut definitions = Definitions::default();
        let mut members = self.annotation.members("array");
        members.insert("items".to_owned(), definitions.adopt(item));
        if self.size.minimum > 0 {
            members.insert("minItems".to_owned(), Node::from(self.size.minimum));
        }
        if let Some(maximum) = self.size.maximum {
            members.insert("maxItems".to_owned(), Node::from(maximum));
        }
        if self.unique {
            members.insert("uniqueItems".to_owned(), Node::Bool(true));
        }
        definitions.finish(members)
    }
}

combinators!([T: 'static] ListCodec<T>);

impl<T: 'static> IntoCodec for ListCodec<T> {
    type Value = Vec<T>;

    fn into_codec(self) -> Codec<Vec<T>> {
        let expectation = self.size.expectation();
        let about = |item: &About| {
            About::new(
                self.schema(&item.schema),
                expectation.clone(),
                self.faults(&item.faults),
            )
        };
        let decoder = Decoder::new(
            about(self.item.decoder().about()),
            Arc::new(ReadList {
                expectation: expectation.clone(),
                size: self.size,
                unique: self.unique,
                item: self.item.decoder().clone(),
            }),
        );
        let encoder = Encoder::new(
            about(self.item.encoder().about()),
            Arc::new(WriteList {
                expectation: expectation.clone(),
                size: self.size,
                unique: self.unique,
                item: self.item.encoder().clone(),
            }),
        );
        Codec::new(decoder, encoder)
    }
}

/// How many items a list may have.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    minimum: usize,
    maximum: Option<usize>,
}

impl Size {
    fn expectation(self) -> Cow<'static, str> {
        match wording::length(self.minimum, self.maximum, "item") {
            None => Cow::Borrowed("a list"),
            Some(length) => Cow::Owned(format!("a list {length}")),
        }
    }

    fn judge(
        self,
        items: usize,
        expectation: &str,
        at: &Location<'_>,
        report: &mut Report,
    ) -> Option<()> {
        if items >= self.minimum && self.maximum.is_none_or(|maximum| items <= maximum) {
            return Some(());
        }
        report.expected_but(at, expectation.to_owned(), wording::counted(items, "item"));
        None
    }
}

/// Notes the first item that is there already.
fn judge_unique(items: &[Value], at: &Location<'_>, report: &mut Report) -> Option<()> {
    let Some((earlier, index)) = repeated(items) else {
        return Some(());
    };
    let shown = items.get(index).map(show).unwrap_or_default();
    report.expected_but(
        &at.index(index),
        "an item that is not there yet",
        format!("{shown} again, as in place {earlier}"),
    );
    None
}

struct ReadList<T> {
    expectation: Cow<'static, str>,
    size: Size,
    unique: bool,
    item: Decoder<T>,
}

impl<T> Decode<Vec<T>> for ReadList<T> {
    fn decode(&self, value: Value, at: &Location<'_>, report: &mut Report) -> Option<Vec<T>> {
        let Value::Array(items) = value else {
            report.expected(at, self.expectation.clone(), &value);
            return None;
        };
        let mut fits = self.size.judge(items.len(), &self.expectation, at, report);
        if self.unique {
            let unique = judge_unique(&items, at, report);
            fits = fits.and(unique);
        }
        let mut read = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            match self.item.decode_at(item, &at.index(index), report) {
                Some(item) => read.push(item),
                None => fits = None,
            }
        }
        fits.map(|()| read)
    }
}

struct WriteList<T> {
    expectation: Cow<'static, str>,
    size: Size,
    unique: bool,
    item: Encoder<T>,
}

impl<T> Encode<Vec<T>> for WriteList<T> {
    fn encode(&self, value: Vec<T>, at: &Location<'_>, report: &mut Report) -> Option<Value> {
        let mut fits = self.size.judge(value.len(), &self.expectation, at, report);
        let mut written = Vec::with_capacity(value.len());
        for (index, item) in value.into_iter().enumerate() {
            match self.item.encode_at(item, &at.index(index), report) {
                Some(item) => written.push(item),
                None => fits = None,
            }
        }
        if self.unique && fits.is_some() {
            fits = judge_unique(&written, at, report);
        }
        fits.map(|()| Value::Array(written))
    }
}
