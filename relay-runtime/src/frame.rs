//! What is sent to a peer.

use bytes::Bytes;
use relay_core::protocol::{
    answer::{Answer, RefusalClass},
    jsonrpc::ErrorCode,
};

/// One message to the peer: a notification, or the answer to a request.
#[derive(Clone, Debug)]
pub struct Frame(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Notification(Bytes),
    Answer(Answer),
}

impl Frame {
    /// The message's JSON, on one line and without a line end (STDIO-01).
    #[must_use]
    pub fn bytes(&self) -> &Bytes {
        match &self.0 {
            Kind::Notification(bytes) => bytes,
            Kind::Answer(answer) => answer.bytes(),
        }
    }

    /// Whether this is the answer, after which nothing more comes for its request.
    #[must_use]
    pub fn is_answer(&self) -> bool {
        matches!(self.0, Kind::Answer(_))
    }

    /// The JSON-RPC error code, where this is an answer that is an error.
    #[must_use]
    pub fn error(&self) -> Option<ErrorCode> {
        match &self.0 {
            Kind::Notification(_) => None,
            Kind::Answer(answer) => answer.error(),
        }
    }

    /// The class of the refusal, where this is an answer that is one: what a transport with
    /// statuses takes its own from.
    #[must_use]
    pub fn refusal(&self) -> Option<RefusalClass> {
        match &self.0 {
            Kind::Notification(_) => None,
            Kind::Answer(answer) => answer.refusal(),
        }
    }
}

impl From<Frame> for Bytes {
    fn from(frame: Frame) -> Self {
        match frame.0 {
            Kind::Notification(bytes) => bytes,
            Kind::Answer(answer) => answer.into(),
        }
    }
}

impl Frame {
    pub(crate) fn notification(bytes: Bytes) -> Self {
        Self(Kind::Notification(bytes))
    }

    pub(crate) fn answer(answer: Answer) -> Self {
        Self(Kind::Answer(answer))
    }
}
