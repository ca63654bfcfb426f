use serde_json::{Map, Value, json};

/// What [`Client::complete`](super::Client::complete) asks for: an argument of a prompt or a
/// variable of a resource template, and what a person has typed of it.
///
/// ```
/// use relay_runtime::testing::Completing;
///
/// let language = Completing::prompt("code_review", "language", "ru").with_argument("code", "fn main()");
/// let id = Completing::template("note://{id}", "id", "4");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Completing {
    reference: Value,
    argument: Value,
    context: Map<String, Value>,
}

impl Completing {
    /// An argument of the prompt of that name.
    #[must_use]
    pub fn prompt(name: &str, argument: &str, typed: &str) -> Self {
        Self::new(
            json!({ "type": "ref/prompt", "name": name }),
            argument,
            typed,
        )
    }

    /// A variable of that URI template.
    #[must_use]
    pub fn template(uri: &str, variable: &str, typed: &str) -> Self {
        Self::new(
            json!({ "type": "ref/resource", "uri": uri }),
            variable,
            typed,
        )
    }

    fn new(reference: Value, argument: &str, typed: &str) -> Self {
        Self {
            reference,
            argument: json!({ "name": argument, "value": typed }),
            context: Map::new(),
        }
    }

    /// Another argument, which the person has filled in already.
    #[must_use]
    pub fn with_argument(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.context
            .insert(name.into(), Value::String(value.into()));
        self
    }

    pub(super) fn into_params(self) -> Value {
        let mut params = json!({ "ref": self.reference, "argument": self.argument });
        if let Some(params) = params.as_object_mut().filter(|_| !self.context.is_empty()) {
            params.insert("context".to_owned(), json!({ "arguments": self.context }));
        }
        params
    }
}
