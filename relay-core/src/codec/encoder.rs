//! The half of a codec that writes.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::about::About;
use super::check::{Check, CheckedEncode};
use super::fault::{Faults, Location, Report};
use crate::schema::Schema;

/// Writes `T` as a value of one schema: the half of a [`Codec`](super::Codec) that a tool's output
/// needs. It is cheap to clone.
///
/// ```
/// use relay_core::codec;
///
/// #[derive(serde::Serialize, schemars::JsonSchema)]
/// struct Ticket {
///     id: u32,
/// }
///
/// let encoder = codec::output::<Ticket>();
/// assert_eq!(encoder.encode(Ticket { id: 7 }).unwrap(), serde_json::json!({"id": 7}));
/// ```
pub struct Encoder<T> {
    about: Arc<About>,
    encode: Arc<dyn Encode<T>>,
}

/// Writes one value. `None` means that the reason was noted in the report.
pub(crate) trait Encode<T>: Send + Sync {
    fn encode(&self, value: T, at: &Location<'_>, report: &mut Report) -> Option<Value>;
}

impl<T> Encoder<T> {
    pub(crate) fn new(about: About, encode: Arc<dyn Encode<T>>) -> Self {
        Self {
            about: Arc::new(about),
            encode,
        }
    }

    /// The schema of what this encoder produces.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.about.schema
    }

    /// Writes a value.
    ///
    /// # Errors
    ///
    /// Every way in which the value does not fit the schema: a number that JSON does not have, a
    /// text too long. An encoder whose own definition is faulty writes nothing and says so.
    ///
    /// ```
    /// use relay_core::codec::{self, IntoCodec};
    ///
    /// let codec = codec::number().into_codec();
    /// let faults = codec.encode(f64::NAN).unwrap_err();
    /// assert_eq!(faults.to_string(), "(root): expected a number, got NaN");
    /// ```
    pub fn encode(&self, value: T) -> Result<Value, Faults> {
        let mut report = Report::default();
        let encoded = if let Some(fault) = self.about.faults.first() {
            report.refused(
                &Location::ROOT,
                format!("the codec is faulty: {fault}"),
                None,
            );
            None
        } else {
            self.encode.encode(value, &Location::ROOT, &mut report)
        };
        report.settle(encoded)
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

    pub(crate) fn about(&self) -> &About {
        &self.about
    }

    pub(crate) fn encode_at(
        &self,
        value: T,
        at: &Location<'_>,
        report: &mut Report,
    ) -> Option<Value> {
        self.encode.encode(value, at, report)
    }

    /// The same encoder, described differently.
    pub(crate) fn edited(self, change: impl FnOnce(&mut About)) -> Self {
        let mut about = (*self.about).clone();
        change(&mut about);
        Self::new(about, self.encode)
    }
}

impl<T: 'static> Encoder<T> {
    pub(crate) fn checked<F>(self, check: Check<F>) -> Self
    where
        F: Fn(&T) -> bool + Send + Sync + 'static,
    {
        let mut about = (*self.about).clone();
        about.rule(&check.rule);
        let inner = self.encode;
        Self::new(about, Arc::new(CheckedEncode { inner, check }))
    }

    /// Writes what `from` makes of a value.
    ///
    /// ```
    /// use relay_core::codec::{self, IntoCodec};
    ///
    /// let length = codec::integer::<u64>()
    ///     .into_codec()
    ///     .encoder()
    ///     .clone()
    ///     .contramap(|text: String| u64::try_from(text.len()).unwrap_or(u64::MAX));
    /// assert_eq!(length.encode("four".to_owned()).unwrap(), serde_json::json!(4));
    /// ```
    #[must_use]
    pub fn contramap<U: 'static>(
        self,
        from: impl Fn(U) -> T + Send + Sync + 'static,
    ) -> Encoder<U> {
        Encoder {
            about: self.about,
            encode: Arc::new(Contramapped {
                inner: self.encode,
                from,
            }),
        }
    }
}

impl<T> Clone for Encoder<T> {
    fn clone(&self) -> Self {
        Self {
            about: Arc::clone(&self.about),
            encode: Arc::clone(&self.encode),
        }
    }
}

impl<T> fmt::Debug for Encoder<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Encoder")
            .field("schema", &self.about.schema)
            .field("faults", &self.about.faults)
            .finish_non_exhaustive()
    }
}

struct Contramapped<T, F> {
    inner: Arc<dyn Encode<T>>,
    from: F,
}

impl<T, U, F> Encode<U> for Contramapped<T, F>
where
    F: Fn(U) -> T + Send + Sync,
{
    fn encode(&self, value: U, at: &Location<'_>, report: &mut Report) -> Option<Value> {
        self.inner.encode((self.from)(value), at, report)
    }
}
