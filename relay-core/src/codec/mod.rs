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
//! | a scalar | [`string`], [`integer`], [`number`], [`boolean`] |
//! | a structure | [`object`] of [`field`], [`optional`] and [`defaulted`]; [`list`] |
//! | a Rust type with serde and schemars | [`derived`], or one half: [`input`], [`output`] |
//!
//! A builder becomes a [`Codec`] where one is needed, or by [`IntoCodec::into_codec`].

mod annotation;
mod boolean;
mod combine;
mod convert;
mod decoder;
mod definition;
mod derived;
mod encoder;
mod fault;
mod field;
mod fields;
mod integer;
mod list;
mod number;
mod object;
mod output;
mod string;
mod wording;

pub use boolean::{BooleanCodec, boolean};
pub use convert::{IntoCodec, IntoDecoder, IntoValue};
pub use decoder::Decoder;
pub use definition::{DefinitionFault, DefinitionFaults};
pub use derived::{DerivedInput, DerivedOutput, derived, input, output};
pub use encoder::Encoder;
pub use fault::{Fault, Faults};
pub use field::{Field, defaulted, field, optional};
pub use fields::{Assembly, Fields};
pub(crate) use integer::integral;
pub use integer::{Integer, IntegerCodec, integer};
pub use list::{ListCodec, list};
pub use number::{NumberCodec, number};
pub use object::{ObjectCodec, object};
pub use output::{Output, OutputCodec};
pub use string::{StringCodec, string};

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::schema::Schema;
use decoder::{About, Decode};
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
    fn of<H>(sheet: Sheet, halves: H) -> Self
    where
        H: Decode<T> + Encode<T> + 'static,
    {
        let halves = Arc::new(halves);
        let encoder = Encoder::new(
            sheet.schema.clone(),
            sheet.faults.clone(),
            Arc::<H>::clone(&halves),
        );
        let about = About {
            schema: sheet.schema,
            expectation: sheet.expectation,
            admits_null: false,
            faults: sheet.faults,
        };
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

/// What a builder says of the codec it makes.
struct Sheet {
    schema: Schema,
    expectation: Cow<'static, str>,
    faults: Vec<DefinitionFault>,
}

#[cfg(test)]
mod tests;
