//! The folders and files that the client's user lets servers work on.
//!
//! The protocol has deprecated them; prefer an argument that names what to work on (SAMP-06).

use serde_json::{Map, Value};

use super::{Ask, Desk, desk::Misfit, response};
use crate::{
    ClientCapabilities,
    signing::state::{Fingerprint, Kind},
    uri,
};

/// One of the client's roots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    uri: String,
    name: Option<String>,
}

/// Asks for the client's roots; for [`Call::ask`](crate::Call::ask), beside other questions.
#[derive(Clone, Debug)]
#[must_use = "a question is put with `call.ask`"]
pub struct Request {
    key: String,
}

/// The client's roots, under this key.
///
/// ```
/// # use relay_core::{Call, Error, elicit, roots};
/// # async fn example(call: Call<()>) -> Result<(), Error> {
/// let consent = elicit::url("consent", "Connect your account", "https://notes.example/connect");
/// let (roots, consent) = call.ask((roots::request("roots"), consent)).await?;
/// # Ok(())
/// # }
/// ```
pub fn request(key: impl Into<String>) -> Request {
    Request { key: key.into() }
}

impl Root {
    /// Its URI, which begins with `file://`. It is the client's word: see for yourself that it is
    /// what may be worked on, before it is used.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Its name, for people.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

/// Roots that are no files are left out (ROOT-01).
impl Ask for Request {
    type Answer = Vec<Root>;

    fn put(self, desk: &mut Desk<'_>) -> Option<Vec<Root>> {
        let needs = ClientCapabilities::new().with_roots();
        let read = |given: Value| {
            let roots = response::roots(&given).ok_or_else(Misfit::default)?;
            Ok(roots.iter().filter_map(root).collect())
        };
        let question = Fingerprint::new(Kind::Roots, "");
        desk.settle(&self.key, question, needs, read, |_misfit| {
            super::request("roots/list", &Map::new())
        })
    }
}

fn root(given: &Value) -> Option<Root> {
    let uri = given.get("uri")?.as_str()?;
    let is_file = uri.get(..7)?.eq_ignore_ascii_case("file://") && uri::is_valid(uri);
    is_file.then(|| Root {
        uri: uri.to_owned(),
        name: given.get("name").and_then(Value::as_str).map(str::to_owned),
    })
}
