//! Every kind of request, for rows that hold whatever is asked.

use relay_core::Revision;
pub(crate) use relay_tests::requests::{refused, served};
use relay_tests::{
    fixture::{self, Guest},
    wire::Wire,
};
use serde_json::Value;

/// A connection to the server that shows what a handler sees.
pub(crate) fn wire() -> Wire<Guest> {
    Wire::new(fixture::inspecting(), Guest::default())
}

/// The same after the handshake of a legacy revision.
pub(crate) async fn legacy(revision: Revision) -> Wire<Guest> {
    wire().initialized(revision).await
}

/// The code of an error, 0 where there is none.
pub(crate) fn code(answer: &Value) -> i64 {
    answer
        .pointer("/error/code")
        .and_then(Value::as_i64)
        .unwrap_or_default()
}
