//! What a client can do, and what either side is called.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::content::Icon;

/// Capabilities of a client: those it declared, as it sent them, or those that something needs.
///
/// ```
/// use relay_core::ClientCapabilities;
/// use serde_json::{Map, json};
///
/// let declared = json!({"elicitation": {}, "sampling": {"tools": {}}});
/// let client = ClientCapabilities::from(declared.as_object().cloned().unwrap_or_default());
/// assert!(client.can_elicit());
/// assert!(!client.can_elicit_url());
/// assert!(client.declares(&ClientCapabilities::new().with_sampling_tools()));
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
#[serde(transparent)]
pub struct ClientCapabilities(Map<String, Value>);

impl ClientCapabilities {
    /// No optional capability (META-12).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The client can put a form to its user.
    #[must_use]
    pub fn with_elicitation(self) -> Self {
        self.with(&["elicitation", "form"])
    }

    /// The client can send its user to a URL.
    #[must_use]
    pub fn with_elicitation_url(self) -> Self {
        self.with(&["elicitation", "url"])
    }

    /// The client knows an extension, by its prefixed identifier.
    #[must_use]
    pub fn with_extension(self, identifier: &str) -> Self {
        self.with(&["extensions", identifier])
    }

    /// The client can list its roots.
    #[must_use]
    pub fn with_roots(self) -> Self {
        self.with(&["roots"])
    }

    /// The client can ask its model.
    #[must_use]
    pub fn with_sampling(self) -> Self {
        self.with(&["sampling"])
    }

    /// The client can ask its model and offer it tools.
    #[must_use]
    pub fn with_sampling_tools(self) -> Self {
        self.with(&["sampling", "tools"])
    }

    fn with(mut self, path: &[&str]) -> Self {
        let mut members = &mut self.0;
        for &name in path {
            let inner = members
                .entry(name)
                .or_insert_with(|| Value::Object(Map::new()));
            match inner {
                Value::Object(inner) => members = inner,
                _ => break,
            }
        }
        self
    }

    /// Whether every member of `required` was declared, at every depth: an object is declared by an
    /// object that has its members, anything else by an equal value. `"elicitation": {}` counts as
    /// `{"form": {}}` on either side (MRTR-06).
    #[must_use]
    pub fn declares(&self, required: &Self) -> bool {
        required
            .0
            .iter()
            .all(|(name, required)| match (name.as_str(), required) {
                ("elicitation", Value::Object(modes)) if modes.is_empty() => self.can_elicit(),
                ("elicitation", Value::Object(modes)) if self.elicits_by_default() => {
                    modes.iter().all(|(mode, settings)| {
                        mode == "form" && settings.as_object().is_some_and(Map::is_empty)
                    })
                }
                _ => self
                    .0
                    .get(name)
                    .is_some_and(|declared| covers(declared, required)),
            })
    }

    /// Adds what others have.
    pub(crate) fn add(&mut self, others: Self) {
        merge(&mut self.0, others.0);
    }

    /// The members, as the client sent them.
    #[must_use]
    pub const fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Whether the client can put a form to its user: it declared the mode, or `elicitation`
    /// without any (MRTR-06, MRTR-07).
    #[must_use]
    pub fn can_elicit(&self) -> bool {
        self.elicits_by_default() || self.has_object(&["elicitation", "form"])
    }

    /// Whether the client can send its user to a URL (MRTR-07).
    #[must_use]
    pub fn can_elicit_url(&self) -> bool {
        self.has_object(&["elicitation", "url"])
    }

    /// Whether the client can ask its model.
    #[must_use]
    pub fn can_sample(&self) -> bool {
        self.has_object(&["sampling"])
    }

    /// Whether the client can list its roots.
    #[must_use]
    pub fn can_list_roots(&self) -> bool {
        self.has_object(&["roots"])
    }

    /// Whether the client supports the extension of this identifier, such as `com.example/charts`.
    #[must_use]
    pub fn has_extension(&self, id: &str) -> bool {
        self.has_object(&["extensions", id])
    }

    fn elicits_by_default(&self) -> bool {
        self.0
            .get("elicitation")
            .and_then(Value::as_object)
            .is_some_and(Map::is_empty)
    }

    fn has_object(&self, path: &[&str]) -> bool {
        let Some((first, rest)) = path.split_first() else {
            return false;
        };
        rest.iter()
            .try_fold(self.0.get(*first), |value, name| {
                Some(value?.as_object()?.get(*name))
            })
            .flatten()
            .is_some_and(Value::is_object)
    }
}

impl From<Map<String, Value>> for ClientCapabilities {
    fn from(members: Map<String, Value>) -> Self {
        Self(members)
    }
}

fn merge(into: &mut Map<String, Value>, from: Map<String, Value>) {
    for (name, value) in from {
        match (into.get_mut(&name), value) {
            (Some(Value::Object(into)), Value::Object(from)) => merge(into, from),
            (_, value) => {
                into.insert(name, value);
            }
        }
    }
}

fn covers(declared: &Value, required: &Value) -> bool {
    match (declared, required) {
        (Value::Object(declared), Value::Object(required)) => {
            required.iter().all(|(name, required)| {
                declared
                    .get(name)
                    .is_some_and(|declared| covers(declared, required))
            })
        }
        _ => declared == required,
    }
}

/// What a client or a server is called.
///
/// ```
/// use relay_core::protocol::capability::Implementation;
///
/// let info = Implementation::new("notes", "1.0.0").with_title("Notes");
/// assert_eq!(
///     serde_json::to_string(&info)?,
///     r#"{"name":"notes","version":"1.0.0","title":"Notes"}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Implementation {
    /// The name, for programs.
    pub name: String,
    /// The version of the implementation, in whatever scheme it uses.
    pub version: String,
    /// The name, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it does, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its web site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub website_url: Option<String>,
    /// Its icons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
}

impl Implementation {
    /// An implementation of this name and version.
    #[must_use]
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            title: None,
            description: None,
            website_url: None,
            icons: Vec::new(),
        }
    }

    /// Gives it a name for people.
    #[must_use]
    pub fn with_title(self, title: impl Into<String>) -> Self {
        Self {
            title: Some(title.into()),
            ..self
        }
    }

    /// Says what it does.
    #[must_use]
    pub fn with_description(self, description: impl Into<String>) -> Self {
        Self {
            description: Some(description.into()),
            ..self
        }
    }

    /// Names its web site.
    #[must_use]
    pub fn with_website_url(self, url: impl Into<String>) -> Self {
        Self {
            website_url: Some(url.into()),
            ..self
        }
    }

    /// Gives it icons.
    #[must_use]
    pub fn with_icons(self, icons: impl IntoIterator<Item = Icon>) -> Self {
        Self {
            icons: icons.into_iter().collect(),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn client(declared: &Value) -> ClientCapabilities {
        ClientCapabilities::from(declared.as_object().cloned().unwrap())
    }

    fn declares(declared: &Value, required: &Value) -> bool {
        client(declared).declares(&client(required))
    }

    // MRTR-06
    #[test]
    fn elicitation_without_modes_is_form() {
        let declared = json!({"elicitation": {}});
        assert!(client(&declared).can_elicit());
        assert!(!client(&declared).can_elicit_url());
        assert!(declares(&declared, &json!({"elicitation": {}})));
        assert!(declares(&declared, &json!({"elicitation": {"form": {}}})));
        assert!(!declares(&declared, &json!({"elicitation": {"url": {}}})));
        assert!(!declares(
            &declared,
            &json!({"elicitation": {"form": {}, "url": {}}})
        ));
    }

    // MRTR-07
    #[test]
    fn elicitation_by_url_only_is_not_form() {
        let declared = json!({"elicitation": {"url": {}}});
        assert!(!client(&declared).can_elicit());
        assert!(client(&declared).can_elicit_url());
        assert!(!declares(&declared, &json!({"elicitation": {}})));
        assert!(!declares(&declared, &json!({"elicitation": {"form": {}}})));
        assert!(declares(&declared, &json!({"elicitation": {"url": {}}})));
    }

    // META-12
    #[test]
    fn an_empty_declaration_has_nothing_and_satisfies_nothing_asked() {
        let none = ClientCapabilities::default();
        assert!(!none.can_elicit() && !none.can_elicit_url());
        assert!(!none.can_sample() && !none.can_list_roots());
        assert!(!none.has_extension("com.acme/x"));
        assert!(none.declares(&ClientCapabilities::new()));
        assert!(!declares(&json!({}), &json!({"sampling": {}})));
    }

    #[test]
    fn members_are_compared_at_every_depth() {
        let declared = json!({
            "sampling": {"tools": {}, "context": null},
            "roots": {"listChanged": true},
            "extensions": {"com.acme/x": {"level": 2}},
            "tasks": true,
        });
        assert!(declares(&declared, &json!({"sampling": {"tools": {}}})));
        assert!(!declares(&declared, &json!({"sampling": {"context": {}}})));
        assert!(!declares(&declared, &json!({"tasks": {}})));
        assert!(declares(
            &declared,
            &json!({"extensions": {"com.acme/x": {"level": 2}}})
        ));
        assert!(!declares(
            &declared,
            &json!({"extensions": {"com.acme/x": {"level": 3}}})
        ));
        assert!(client(&declared).has_extension("com.acme/x"));
        assert!(!client(&declared).has_extension("com.acme/y"));
        assert!(client(&declared).can_sample() && client(&declared).can_list_roots());
    }
}
