//! The half of a codec that reads.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::about::About;
use super::check::{Check, CheckedDecode};
use super::fault::{Faults, Location, Report, show};
use crate::schema::{MirroredHeader, Node, Schema};

/// Reads values of one schema into `T`: the half of a [`Codec`](super::Codec) that a tool's input
/// needs. It is cheap to clone.
///
/// ```
/// use relay_core::codec;
/// use serde_json::json;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Booking {
///     flight: String,
/// }
///
/// let decoder = codec::input::<Booking>();
/// let booking = decoder.decode(json!({"flight": "LH 400"})).unwrap();
/// assert_eq!(booking.flight, "LH 400");
/// ```
pub struct Decoder<T> {
    about: Arc<About>,
    decode: Arc<dyn Decode<T>>,
}

/// Reads one value. `None` means that the reason was noted in the report.
pub(crate) trait Decode<T>: Send + Sync {
    fn decode(&self, value: Value, at: &Location<'_>, report: &mut Report) -> Option<T>;
}

impl<T> Decoder<T> {
    pub(crate) fn new(about: About, decode: Arc<dyn Decode<T>>) -> Self {
        Self {
            about: Arc::new(about),
            decode,
        }
    }

    /// The schema of what this decoder accepts.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.about.schema
    }

    /// Reads a value.
    ///
    /// # Errors
    ///
    /// Every way in which the value does not fit the schema, in the order of the schema. A decoder
    /// whose own definition is faulty accepts nothing and says so.
    pub fn decode(&self, value: Value) -> Result<T, Faults> {
        let mut report = Report::default();
        let decoded = if let Some(fault) = self.about.faults.first() {
            report.refused(
                &Location::ROOT,
                format!("the codec is faulty: {fault}"),
                None,
            );
            None
        } else {
            self.decode.decode(value, &Location::ROOT, &mut report)
        };
        report.settle(decoded)
    }

    /// Describes the value, for the model.
    #[must_use]
    pub fn describe(self, description: impl Into<String>) -> Self {
        self.edited(|about| about.describe(&description.into()))
    }

    /// Names the value, for people.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        self.edited(|about| about.annotate("title", &title.into()))
    }

    /// The arguments that clients repeat in headers, where this is the input of a tool.
    #[must_use]
    pub fn mirrored(&self) -> &[MirroredHeader] {
        &self.about.mirrored
    }

    /// What the author should know about the definition, where this is the input of a tool: a union
    /// published as one object, a secret mirrored into a header.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.about.warnings
    }

    pub(crate) fn about(&self) -> &About {
        &self.about
    }

    /// Whether a value is of another type than any that this decoder reads, as far as its schema
    /// says in one word.
    pub(crate) fn is_of_another_type(&self, value: &Value) -> bool {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        match self.schema().root().get("type").and_then(Node::as_str) {
            Some("integer") => kind != "number",
            Some(known) => known != kind,
            None => false,
        }
    }

    pub(crate) fn decode_at(
        &self,
        value: Value,
        at: &Location<'_>,
        report: &mut Report,
    ) -> Option<T> {
        self.decode.decode(value, at, report)
    }

    /// The same decoder, described differently.
    pub(crate) fn edited(self, change: impl FnOnce(&mut About)) -> Self {
        let mut about = (*self.about).clone();
        change(&mut about);
        Self::new(about, self.decode)
    }
}

impl<T: 'static> Decoder<T> {
    pub(crate) fn checked<F>(self, check: Check<F>) -> Self
    where
        F: Fn(&T) -> bool + Send + Sync + 'static,
    {
        let mut about = (*self.about).clone();
        about.rule(&check.rule);
        let inner = self.decode;
        Self::new(about, Arc::new(CheckedDecode { inner, check }))
    }

    /// Makes something else of what was read.
    ///
    /// ```
    /// use relay_core::codec::{self, IntoCodec};
    /// use serde_json::json;
    ///
    /// let upper = codec::string().into_codec().decoder().clone().map(|text| text.to_uppercase());
    /// assert_eq!(upper.decode(json!("a")).unwrap(), "A");
    /// ```
    #[must_use]
    pub fn map<U: 'static>(self, into: impl Fn(T) -> U + Send + Sync + 'static) -> Decoder<U> {
        Decoder {
            about: Arc::clone(&self.about),
            decode: Arc::new(Mapped {
                inner: self.decode,
                into,
            }),
        }
    }

    /// Makes something else of what was read, or refuses it with a sentence for the model.
    ///
    /// ```
    /// use relay_core::codec::{self, IntoCodec};
    /// use serde_json::json;
    ///
    /// let address = codec::string()
    ///     .into_codec()
    ///     .decoder()
    ///     .clone()
    ///     .try_map(|text| text.parse::<std::net::IpAddr>());
    /// let faults = address.decode(json!("home")).unwrap_err();
    /// assert_eq!(faults.to_string(), "(root): invalid IP address syntax, got the string \"home\"");
    /// ```
    #[must_use]
    pub fn try_map<U: 'static, E: fmt::Display>(
        self,
        into: impl Fn(T) -> Result<U, E> + Send + Sync + 'static,
    ) -> Decoder<U> {
        Decoder {
            about: Arc::clone(&self.about),
            decode: Arc::new(TryMapped {
                inner: self.decode,
                into,
            }),
        }
    }
}

impl<T> Clone for Decoder<T> {
    fn clone(&self) -> Self {
        Self {
            about: Arc::clone(&self.about),
            decode: Arc::clone(&self.decode),
        }
    }
}

impl<T> fmt::Debug for Decoder<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Decoder")
            .field("schema", &self.about.schema)
            .field("faults", &self.about.faults)
            .finish_non_exhaustive()
    }
}

struct Mapped<T, F> {
    inner: Arc<dyn Decode<T>>,
    into: F,
}

impl<T, U, F> Decode<U> for Mapped<T, F>
where
    F: Fn(T) -> U + Send + Sync,
{
    fn decode(&self, value: Value, at: &Location<'_>, report: &mut Report) -> Option<U> {
        self.inner.decode(value, at, report).map(&self.into)
    }
}

struct TryMapped<T, F> {
    inner: Arc<dyn Decode<T>>,
    into: F,
}

impl<T, U, E, F> Decode<U> for TryMapped<T, F>
where
    F: Fn(T) -> Result<U, E> + Send + Sync,
    E: fmt::Display,
{
    fn decode(&self, value: Value, at: &Location<'_>, report: &mut Report) -> Option<U> {
        // The value is gone by the time it is refused; what is kept of it is short.
        let shown = show(&value);
        match (self.into)(self.inner.decode(value, at, report)?) {
            Ok(mapped) => Some(mapped),
            Err(refusal) => {
                report.refused(at, refusal.to_string(), Some(shown));
                None
            }
        }
    }
}
