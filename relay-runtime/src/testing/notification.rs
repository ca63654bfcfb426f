use serde_json::Value;

/// Something the server told the client: progress, a log message.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    method: String,
    params: Value,
}

impl Notification {
    pub(super) fn read(mut message: Value) -> Self {
        let method = message.get("method").and_then(Value::as_str);
        Self {
            method: method.unwrap_or_default().to_owned(),
            params: message
                .get_mut("params")
                .map(Value::take)
                .unwrap_or_default(),
        }
    }

    /// What happened, such as `notifications/progress`.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The details, as JSON.
    #[must_use]
    pub fn params(&self) -> &Value {
        &self.params
    }
}
