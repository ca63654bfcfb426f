//! Codecs: one description of a value that publishes its JSON Schema, reads it and writes it.
//!
//! What is published is what is enforced: a constraint written here stands in the schema that a
//! model reads, and a value that breaks it never reaches the handler.
//!
//! ```
//! use relay_core::codec::{self, IntoCodec};
//! use serde_json::json;
//!
//! let codec = codec::object((
//!     codec::field("text", codec::string().max_length(200).describe("What to say")),
//!     codec::defaulted("times", codec::integer::<i64>().range(1..=9), 1),
//! ))
//! .into_codec();
//!
//! assert_eq!(codec.decode(json!({"text": "hello"})).unwrap(), ("hello".to_owned(), 1));
//!
//! let faults = codec.decode(json!({"times": 3.5, "volume": 11})).unwrap_err();
//! assert_eq!(
//!     faults.to_string(),
//!     "/text: missing, expected a string of at most 200 characters\n\
//!      /times: expected an integer from 1 to 9, got 3.5\n\
//!      /volume: expected only the fields `text` and `times`, got an unknown field",
//! );
//! ```
//!
//! | to describe | write |
//! |---|---|
//! | a scalar | [`string`], [`integer`], [`number`], [`boolean`], [`bytes`] |
//! | a structure | [`object`] of [`field`], [`optional`] and [`defaulted`]; [`list`], [`dictionary`] |
//! | a choice | [`nullable`], [`tagged`] of [`variant`] |
//! | nothing, or anything | [`unit`](unit()), [`any`] |
//! | a Rust type with serde and schemars | [`derived`], or one half: [`input`], [`output`] |
//! | a schema as it is written, with the feature `validate` | `schema` |
//!
//! The repository's `docs/codecs.md` shows each beside its schema and its faults.
//!
//! A builder becomes a [`Codec`] where one is needed, or by [`IntoCodec::into_codec`].

mod about;
mod annotation;
mod any;
mod boolean;
mod bytes;
mod check;
mod combine;
mod convert;
mod decoder;
mod definition;
mod derived;
mod dictionary;
mod encoder;
mod fault;
mod field;
mod fields;
mod format;
#[cfg(feature = "validate")]
mod handwritten;
mod integer;
mod list;
mod multiple;
mod nullable;
mod number;
mod object;
mod output;
pub(crate) mod pattern;
mod string;
mod tagged;
pub(crate) mod wording;
mod writer;

pub use any::{AnyCodec, UnitCodec, any, unit};
pub use boolean::{BooleanCodec, boolean};
pub use bytes::{BytesCodec, bytes};
pub use convert::{IntoCodec, IntoDecoder, IntoValue};
pub use decoder::Decoder;
pub use definition::{DefinitionFault, DefinitionFaults};
pub use derived::{DerivedInput, DerivedOutput, derived, input, output};
pub use dictionary::{DictionaryCodec, dictionary};
pub use encoder::Encoder;
pub(crate) use fault::escaped;
#[cfg(feature = "validate")]
pub(crate) use fault::shortened;
pub use fault::{Fault, Faults};
pub(crate) use fault::{Location, Report};
pub use field::{Field, defaulted, field, optional};
pub use fields::{Assembly, Fields};
pub use format::Format;
#[cfg(feature = "validate")]
pub use handwritten::schema;
pub(crate) use integer::integral;
pub use integer::{Integer, IntegerCodec, integer};
pub use list::{ListCodec, list};
pub use nullable::{NullableCodec, nullable};
pub use number::{NumberCodec, number};
pub use object::{ObjectCodec, object};
pub use output::{Output, OutputCodec};
pub use string::{StringCodec, string};
pub use tagged::{TaggedCodec, Variant, tagged, variant};

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::schema::{MIRROR, Node};
use about::About;
use check::Check;
use decoder::Decode;
use encoder::Encode;

/// Reads and writes values of one schema as `T`: a [`Decoder`] and an [`Encoder`] that agree.
///
/// It is cheap to clone and carries the mistakes of its definition until a tool is defined with
/// it.
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
/// use serde_json::json;
///
/// let weeks = codec::integer::<u8>().range(1..=52).into_codec();
/// assert_eq!(weeks.decode(json!(12)).unwrap(), 12);
/// assert_eq!(weeks.encode(12).unwrap(), json!(12));
/// assert!(weeks.encode(53).is_err());
/// ```
pub struct Codec<T> {
    decoder: Decoder<T>,
    encoder: Encoder<T>,
}

impl<T> Codec<T> {
    pub(crate) fn new(decoder: Decoder<T>, encoder: Encoder<T>) -> Self {
        Self { decoder, encoder }
    }

    /// Both halves of one schema.
    fn of<H>(about: About, halves: H) -> Self
    where
        H: Decode<T> + Encode<T> + 'static,
    {
        let halves = Arc::new(halves);
        let encoder = Encoder::new(about.clone(), Arc::<H>::clone(&halves));
        Self::new(Decoder::new(about, halves), encoder)
    }

    /// The half that reads.
    #[must_use]
    pub fn decoder(&self) -> &Decoder<T> {
        &self.decoder
    }

    /// The half that writes.
    #[must_use]
    pub fn encoder(&self) -> &Encoder<T> {
        &self.encoder
    }

    /// Reads a value.
    ///
    /// # Errors
    ///
    /// As for [`Decoder::decode`].
    pub fn decode(&self, value: Value) -> Result<T, Faults> {
        self.decoder.decode(value)
    }

    /// Writes a value.
    ///
    /// # Errors
    ///
    /// As for [`Encoder::encode`].
    pub fn encode(&self, value: T) -> Result<Value, Faults> {
        self.encoder.encode(value)
    }

    /// Describes the value, for the model.
    #[must_use]
    pub fn describe(self, description: impl Into<String>) -> Self {
        let description = description.into();
        Self {
            decoder: self.decoder.describe(description.as_str()),
            encoder: self.encoder.describe(description),
        }
    }

    /// Names the value, for people.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        let title = title.into();
        Self {
            decoder: self.decoder.title(title.as_str()),
            encoder: self.encoder.title(title),
        }
    }
}

impl<T: 'static> Codec<T> {
    /// A rule of your own that both halves keep, where `rule` completes "a value that ..".
    ///
    /// JSON Schema cannot say it, so the description does.
    ///
    /// ```
    /// use relay_core::codec;
    /// use serde_json::json;
    ///
    /// let codec = codec::integer::<u8>().describe("How many").check("is odd", |n| n % 2 == 1);
    /// assert_eq!(
    ///     codec.decoder().schema().to_value()["description"],
    ///     json!("How many. Must be a value that is odd."),
    /// );
    /// assert_eq!(
    ///     codec.decode(json!(4)).unwrap_err().to_string(),
    ///     "(root): expected a value that is odd, got 4",
    /// );
    /// ```
    #[must_use]
    pub fn check(
        self,
        rule: impl Into<String>,
        holds: impl Fn(&T) -> bool + Send + Sync + 'static,
    ) -> Self {
        let rule: Arc<str> = rule.into().into();
        let holds = Arc::new(holds);
        let check = || Check {
            rule: Arc::clone(&rule),
            holds: Arc::clone(&holds),
        };
        Self {
            decoder: self.decoder.checked(check()),
            encoder: self.encoder.checked(check()),
        }
    }

    /// Values that show a model what is meant. Each has to fit.
    ///
    /// ```
    /// use relay_core::codec;
    /// use serde_json::json;
    ///
    /// let codec = codec::string().max_length(10).examples(["oslo", "quito"]);
    /// assert_eq!(
    ///     codec.decoder().schema().to_value()["examples"],
    ///     json!(["oslo", "quito"]),
    /// );
    /// ```
    #[must_use]
    pub fn examples<E: IntoValue<T>>(self, examples: impl IntoIterator<Item = E>) -> Self {
        let mut written = Vec::new();
        let mut faults = Vec::new();
        if self.decoder.about().faults.is_empty() {
            for example in examples {
                match self.sample(example.into_value()) {
                    Ok(example) => written.push(Node::from(example)),
                    Err(misfit) => faults.push(DefinitionFault::new(format!(
                        "an example does not fit: {misfit}"
                    ))),
                }
            }
        }
        let add = |about: &mut About| {
            about.faults.extend_from_slice(&faults);
            about.schema = about.schema.edited(|members| {
                members.insert("examples".to_owned(), Node::Array(written.clone()));
            });
        };
        Self {
            decoder: self.decoder.edited(add),
            encoder: self.encoder.edited(add),
        }
    }

    /// Asks clients to repeat the argument in the header `Mcp-Param-{header}`, for proxies to route
    /// by; the server refuses a call whose header differs.
    ///
    /// It is for a string, an integer or a boolean that is a member of the input or of an object
    /// in it, under a name that no other member has, whatever its case (XMH-01 to XMH-05): anything
    /// else is a mistake of the definition. Never mirror a secret: proxies log headers (XMH-06).
    ///
    /// ```
    /// use relay_core::codec;
    ///
    /// let region = codec::string().choices(["eu", "us"]).mirror_header("Region");
    /// assert_eq!(region.decoder().schema().to_value()["x-mcp-header"], "Region");
    /// ```
    #[must_use]
    pub fn mirror_header(self, header: impl Into<String>) -> Self {
        let header = header.into();
        let decoder = self.decoder.edited(|about| {
            about.schema = about.schema.edited(|members| {
                members.insert(MIRROR.to_owned(), Node::from(header));
            });
        });
        Self { decoder, ..self }
    }

    /// A value that the author wrote into a definition, as JSON. It has to pass both halves.
    fn sample(&self, value: T) -> Result<Value, Faults> {
        let value = self.encode(value)?;
        self.decode(value.clone())?;
        Ok(value)
    }

    /// A codec of `U`, given the way there and back.
    ///
    /// ```
    /// use std::time::Duration;
    /// use relay_core::codec;
    /// use serde_json::json;
    ///
    /// let pause = codec::integer::<u64>().map(Duration::from_secs, |pause| pause.as_secs());
    /// assert_eq!(pause.decode(json!(3)).unwrap(), Duration::from_secs(3));
    /// ```
    #[must_use]
    pub fn map<U: 'static>(
        self,
        into: impl Fn(T) -> U + Send + Sync + 'static,
        from: impl Fn(U) -> T + Send + Sync + 'static,
    ) -> Codec<U> {
        Codec::new(self.decoder.map(into), self.encoder.contramap(from))
    }

    /// A codec of `U`, where the way there can refuse: with a sentence for the model, which becomes
    /// a fault.
    ///
    /// The schema cannot say what is refused, so say it with `describe`.
    ///
    /// ```
    /// use std::net::IpAddr;
    /// use relay_core::codec;
    /// use serde_json::json;
    ///
    /// let address = codec::string()
    ///     .describe("An IP address")
    ///     .try_map(|text| text.parse::<IpAddr>(), |address| address.to_string());
    /// assert_eq!(address.decode(json!("::1")).unwrap(), IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]));
    /// assert_eq!(
    ///     address.decode(json!("home")).unwrap_err().to_string(),
    ///     "(root): invalid IP address syntax, got the string \"home\"",
    /// );
    /// ```
    #[must_use]
    pub fn try_map<U: 'static, E: fmt::Display>(
        self,
        into: impl Fn(T) -> Result<U, E> + Send + Sync + 'static,
        from: impl Fn(U) -> T + Send + Sync + 'static,
    ) -> Codec<U> {
        Codec::new(self.decoder.try_map(into), self.encoder.contramap(from))
    }
}

impl<T> Clone for Codec<T> {
    fn clone(&self) -> Self {
        Self {
            decoder: self.decoder.clone(),
            encoder: self.encoder.clone(),
        }
    }
}

impl<T> fmt::Debug for Codec<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Codec")
            .field("decoder", &self.decoder)
            .field("encoder", &self.encoder)
            .finish()
    }
}

/// The page of examples, so that it stays true.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/codecs.md")]
struct Page;

#[cfg(test)]
mod tests;
