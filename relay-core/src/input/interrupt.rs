use std::fmt;

use serde_json::value::RawValue;

use crate::{ClientCapabilities, Error, error::Kind, signing::state};

/// The end of a run whose question has no answer yet: pass it on with `?`.
///
/// The client puts the question to its user and sends the request again with the answer, and the
/// handler runs again from the top.
#[must_use = "the question is asked only where this is passed on with `?`"]
pub struct Interrupt(Error);

/// Why a run ended before its handler had a result.
#[derive(Debug)]
pub(crate) enum Pause {
    /// Questions have to be answered first.
    Asks(Vec<Pending>),
    /// The client is to come back later, with this state of the handler's.
    Later(Box<RawValue>),
    /// The client did not declare that it can do this (MRTR-05).
    Unable(ClientCapabilities),
}

/// A question that awaits its answer.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) key: String,
    pub(crate) question: state::Fingerprint,
    /// The request to the client, as JSON.
    pub(crate) request: String,
}

impl Interrupt {
    pub(crate) fn new(error: Error) -> Self {
        Self(error)
    }
}

impl From<Pause> for Interrupt {
    fn from(pause: Pause) -> Self {
        Self(Error::from_kind(Kind::Pause(pause)))
    }
}

impl From<Interrupt> for Error {
    fn from(interrupt: Interrupt) -> Self {
        interrupt.0
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Interrupt")
    }
}
