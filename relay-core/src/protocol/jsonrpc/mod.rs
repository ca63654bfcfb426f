//! JSON-RPC messages as they arrive: one pass over the bytes, borrowing what it can.
//!
//! [`parse`] turns a frame into a [`Message`], or says why it cannot. It decides nothing about a
//! method's meaning: members of `params` that have the wrong JSON type are reported as
//! [`Slot::Wrong`] and judged later, in the order the protocol asks for.
//!
//! Three things hold for every frame, whatever the order of its members. Nesting deeper than 127
//! levels, counted from the root of the frame, is unreadable. A key given twice in the envelope, in
//! `params` or in `_meta` makes the frame invalid, so that no two layers read different values;
//! inside `arguments` it is recorded for the tool's own answer. Ids and progress tokens are kept
//! as the peer wrote them.

mod envelope;
mod id;
mod params;
pub(in crate::protocol) mod read;
mod slot;
pub(in crate::protocol) mod value;

use std::fmt;

use serde::{Serialize, Serializer};

pub use self::{
    envelope::{MAX_BATCH, Malformed, Message, Notification, Request, Response, parse},
    id::Id,
    params::{Arguments, CompletionArgument, Params, Reference, Shape},
    slot::Slot,
};

/// The deepest nesting of a frame, counted from its root.
///
/// ```
/// use relay_core::protocol::jsonrpc::MAX_DEPTH;
///
/// assert_eq!(MAX_DEPTH, 127);
/// ```
pub const MAX_DEPTH: usize = 127;

/// The code of a JSON-RPC error.
///
/// ```
/// use relay_core::protocol::jsonrpc::ErrorCode;
///
/// assert_eq!(ErrorCode::INVALID_PARAMS.as_i64(), -32602);
/// assert_eq!(ErrorCode::new(7).to_string(), "7");
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ErrorCode(i64);

impl ErrorCode {
    /// The frame is not JSON, or not UTF-8.
    pub const PARSE_ERROR: Self = Self(-32700);
    /// The frame is JSON, but not a message.
    pub const INVALID_REQUEST: Self = Self(-32600);
    /// The method does not exist, or is not offered.
    pub const METHOD_NOT_FOUND: Self = Self(-32601);
    /// The parameters do not fit the method, or name something that is not there.
    pub const INVALID_PARAMS: Self = Self(-32602);
    /// The server failed.
    pub const INTERNAL_ERROR: Self = Self(-32603);
    /// A mirrored header is missing, malformed, or differs from the body.
    pub const HEADER_MISMATCH: Self = Self(-32020);
    /// The request needs a client capability that was not declared.
    pub const MISSING_REQUIRED_CLIENT_CAPABILITY: Self = Self(-32021);
    /// The request names a revision that the server does not speak.
    pub const UNSUPPORTED_PROTOCOL_VERSION: Self = Self(-32022);
    /// The resource is not there, to a client of an earlier revision.
    pub const RESOURCE_NOT_FOUND: Self = Self(-32002);

    /// A code of this number.
    #[must_use]
    pub const fn new(code: i64) -> Self {
        Self(code)
    }

    /// The number on the wire.
    #[must_use]
    pub const fn as_i64(self) -> i64 {
        self.0
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.0)
    }
}
