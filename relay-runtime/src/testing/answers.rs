use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use relay_core::ClientCapabilities;
use serde_json::{Map, Value, json};

use super::{RpcError, outcome::Asked};

/// What a [`Client`](super::Client) answers when the server asks: a script, by the keys of the
/// questions.
///
/// A client that [has one](super::Client::with_answers) declares that it can be asked anything, and
/// sends a request again with the answers until there is a result. One key may have several
/// answers, for a handler that asks again: they are given one after the other.
///
/// ```
/// use std::sync::LazyLock;
/// use relay_core::{Call, Server, codec, elicit, input::Form, tool};
/// use relay_runtime::testing::{Answers, Client};
/// use serde_json::json;
///
/// static SEAT: LazyLock<Form<u8>> = LazyLock::new(|| {
///     elicit::form(codec::object(codec::field("row", codec::integer::<u8>().range(1..=30))))
/// });
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), relay_runtime::testing::RpcError> {
/// let book = tool::define("book", codec::object(()), codec::string())
///     .with_forms(&SEAT)
///     .handle_call(|call: Call<()>, ()| async move {
///         let row = call.elicit(SEAT.question("seat", "Which row?")).await?.accepted()?;
///         Ok(format!("Row {row} is yours."))
///     });
/// let server = Server::new([book]);
///
/// let answers = Answers::new().accept("seat", json!({ "row": 99 })).accept("seat", json!({ "row": 7 }));
/// let booked = Client::new(server.clone()).with_answers(answers).call("book", json!({})).await?;
/// assert_eq!(booked.text(), "Row 7 is yours.");
/// // A row that is not there was asked for again.
/// assert_eq!(booked.asked().len(), 2);
///
/// let declined = Client::new(server).with_answers(Answers::new().decline("seat"));
/// assert!(declined.call("book", json!({})).await?.is_error());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Answers(Mutex<HashMap<String, VecDeque<Value>>>);

impl Answers {
    /// No answers yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The user fills in a form like this.
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "what a script says is written where it is given"
    )]
    pub fn accept(self, key: &str, content: Value) -> Self {
        self.give(key, json!({ "action": "accept", "content": content }))
    }

    /// The user agrees to open a URL.
    #[must_use]
    pub fn accept_url(self, key: &str) -> Self {
        self.give(key, json!({ "action": "accept" }))
    }

    /// The user says no.
    #[must_use]
    pub fn decline(self, key: &str) -> Self {
        self.give(key, json!({ "action": "decline" }))
    }

    /// The user closes the question.
    #[must_use]
    pub fn cancel(self, key: &str) -> Self {
        self.give(key, json!({ "action": "cancel" }))
    }

    /// The model says this.
    #[must_use]
    pub fn say(self, key: &str, text: &str) -> Self {
        let content = json!({ "type": "text", "text": text });
        let said = json!({
            "role": "assistant",
            "content": content,
            "model": "relay-testing",
            "stopReason": "endTurn",
        });
        self.give(key, said)
    }

    /// The client has roots at these URIs.
    #[must_use]
    pub fn roots<U: Into<String>>(self, key: &str, uris: impl IntoIterator<Item = U>) -> Self {
        let root = |uri: U| json!({ "uri": uri.into() });
        let roots: Vec<_> = uris.into_iter().map(root).collect();
        self.give(key, json!({ "roots": roots }))
    }

    /// Any answer, as JSON.
    #[must_use]
    pub fn give(mut self, key: &str, answer: Value) -> Self {
        let answers = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        answers.entry(key.to_owned()).or_default().push_back(answer);
        self
    }

    /// All that a client with a script says it can do.
    pub(super) fn capabilities() -> ClientCapabilities {
        ClientCapabilities::new()
            .with_elicitation()
            .with_elicitation_url()
            .with_sampling_tools()
            .with_roots()
    }

    /// The answers to these questions.
    pub(super) fn to(&self, asked: &[Asked]) -> Result<Map<String, Value>, RpcError> {
        let mut script = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = |asked: &Asked| {
            let given = script.get_mut(asked.key()).and_then(VecDeque::pop_front);
            let key = asked.key();
            let given = given.ok_or_else(|| {
                let params = asked.params();
                RpcError::own(&format!("the script has no answer for {key:?}: {params}"))
            });
            Ok((key.to_owned(), given?))
        };
        asked.iter().map(answer).collect()
    }
}
