//! A rule of the author's own, which no schema can say.

use std::sync::Arc;

use serde_json::Value;

use super::decoder::Decode;
use super::encoder::Encode;
use super::fault::{Location, Report, show};

/// What a value has to fulfil besides its schema.
pub(crate) struct Check<F> {
    /// Completes "a value that ..".
    pub(crate) rule: Arc<str>,
    pub(crate) holds: Arc<F>,
}

impl<F> Check<F> {
    fn expectation(&self) -> String {
        expectation(&self.rule)
    }
}

/// How a rule reads in a fault and, as a sentence, in a description.
pub(crate) fn expectation(rule: &str) -> String {
    format!("a value that {rule}")
}

pub(crate) struct CheckedDecode<T, F> {
    pub(crate) inner: Arc<dyn Decode<T>>,
    pub(crate) check: Check<F>,
}

impl<T, F: Fn(&T) -> bool + Send + Sync> Decode<T> for CheckedDecode<T, F> {
    fn decode(&self, value: Value, at: &Location<'_>, report: &mut Report) -> Option<T> {
        // The value is gone by the time it is refused; what is kept of it is short.
        let shown = show(&value);
        let decoded = self.inner.decode(value, at, report)?;
        if (self.check.holds)(&decoded) {
            return Some(decoded);
        }
        report.expected_but(at, self.check.expectation(), shown);
        None
    }
}

pub(crate) struct CheckedEncode<T, F> {
    pub(crate) inner: Arc<dyn Encode<T>>,
    pub(crate) check: Check<F>,
}

impl<T, F: Fn(&T) -> bool + Send + Sync> Encode<T> for CheckedEncode<T, F> {
    fn encode(&self, value: T, at: &Location<'_>, report: &mut Report) -> Option<Value> {
        let holds = (self.check.holds)(&value);
        let encoded = self.inner.encode(value, at, report)?;
        if holds {
            return Some(encoded);
        }
        report.expected(at, self.check.expectation(), &encoded);
        None
    }
}
