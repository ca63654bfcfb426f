use relay_core::protocol::jsonrpc::ErrorCode;
use serde_json::Value;

/// A request was answered with an error.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message} ({code})")]
#[non_exhaustive]
pub struct RpcError {
    /// The code, such as [`ErrorCode::INVALID_PARAMS`].
    pub code: ErrorCode,
    /// What went wrong, in one sentence.
    pub message: String,
    /// More about it, where the server sent something.
    pub data: Option<Box<Value>>,
}

impl RpcError {
    /// Reads the `error` member of an answer.
    pub(super) fn read(error: &Value) -> Self {
        let code = error.get("code").and_then(Value::as_i64);
        let message = error.get("message").and_then(Value::as_str);
        Self {
            code: code.map_or(ErrorCode::INTERNAL_ERROR, ErrorCode::new),
            message: message.unwrap_or_default().to_owned(),
            data: error.get("data").cloned().map(Box::new),
        }
    }

    /// What the client itself has to complain about.
    pub(super) fn own(message: &str) -> Self {
        Self {
            code: ErrorCode::INTERNAL_ERROR,
            message: message.to_owned(),
            data: None,
        }
    }
}
