//! What a client answers, by the shape that the protocol gives it (MRTR-11).

use serde_json::{Map, Value};

use super::Answer;
use crate::signing::state::Kind;

/// Whether an answer has the shape of one to a question of this kind.
pub(crate) fn fits(given: &Value, kind: Kind) -> bool {
    match kind {
        Kind::Form => form_parts(given).is_some(),
        Kind::Url => agreement(given).is_some(),
        Kind::Roots => roots(given).is_some(),
        Kind::Sample => sample(given).is_some(),
    }
}

/// The user's choice, with what was filled in; nothing filled in is an empty form.
pub(super) fn form(mut given: Value) -> Option<Answer<Map<String, Value>>> {
    form_parts(&given)?;
    let answer = agreement(&given)?;
    let content = given.get_mut("content").map(Value::take);
    Some(answer.map(|()| match content {
        Some(Value::Object(content)) => content,
        _ => Map::new(),
    }))
}

fn form_parts(given: &Value) -> Option<()> {
    let Answer::Accepted(()) = agreement(given)? else {
        return Some(());
    };
    match given.get("content") {
        None => Some(()),
        Some(Value::Object(content)) => content.values().all(is_field).then_some(()),
        Some(_) => None,
    }
}

/// What a field of a form may hold; `null` counts as left out.
fn is_field(value: &Value) -> bool {
    match value {
        Value::Object(_) => false,
        Value::Array(items) => items.iter().all(Value::is_string),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

/// The user's choice alone.
pub(super) fn agreement(given: &Value) -> Option<Answer<()>> {
    match given.as_object()?.get("action")?.as_str()? {
        "accept" => Some(Answer::Accepted(())),
        "decline" => Some(Answer::Declined),
        "cancel" => Some(Answer::Cancelled),
        _ => None,
    }
}

/// The roots, each an object with a URI.
pub(super) fn roots(given: &Value) -> Option<&[Value]> {
    let roots = given.as_object()?.get("roots")?.as_array()?;
    let is_root = |root: &Value| root.get("uri").is_some_and(Value::is_string);
    roots.iter().all(is_root).then_some(roots)
}

/// A message of the model's: its content, and the model.
pub(super) fn sample(given: &Value) -> Option<(&[Value], &str)> {
    let given = given.as_object()?;
    let model = given.get("model")?.as_str()?;
    matches!(given.get("role")?.as_str()?, "assistant" | "user").then_some(())?;
    let content = match given.get("content")? {
        Value::Array(blocks) => blocks.as_slice(),
        block => std::slice::from_ref(block),
    };
    let is_block = |block: &Value| block.get("type").is_some_and(Value::is_string);
    content.iter().all(is_block).then_some((content, model))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // MRTR-11, ELIC-10
    #[test]
    fn answers_have_the_shape_of_their_question() {
        let text = json!({ "type": "text", "text": "Paris" });
        let sampled = json!({ "role": "assistant", "content": text, "model": "m" });
        let several = json!({ "role": "assistant", "content": [text, text], "model": "m" });
        let roots = json!({ "roots": [{ "uri": "file:///a", "name": "a" }] });
        let filled = json!({ "action": "accept", "content": { "row": 3, "meals": ["veg"] } });
        for (kind, good) in [
            (Kind::Form, filled.clone()),
            (Kind::Form, json!({ "action": "accept" })),
            (Kind::Form, json!({ "action": "decline" })),
            (Kind::Form, json!({ "action": "cancel", "content": null })),
            (Kind::Url, json!({ "action": "accept" })),
            (Kind::Sample, sampled.clone()),
            (Kind::Sample, several),
            (Kind::Roots, json!({ "roots": [] })),
            (Kind::Roots, roots.clone()),
        ] {
            assert!(fits(&good, kind), "{kind:?} {good}");
        }
        for (kind, bad) in [
            (Kind::Form, json!(12345)),
            (Kind::Form, json!(null)),
            (Kind::Form, json!([filled])),
            (Kind::Form, json!({ "action": "agree" })),
            (Kind::Form, json!({ "content": {} })),
            (Kind::Form, json!({ "action": "accept", "content": 1 })),
            (
                Kind::Form,
                json!({ "action": "accept", "content": { "a": {} } }),
            ),
            (
                Kind::Form,
                json!({ "action": "accept", "content": { "a": [1] } }),
            ),
            (Kind::Url, roots.clone()),
            (Kind::Url, json!("accept")),
            (Kind::Sample, roots),
            (
                Kind::Sample,
                json!({ "role": "assistant", "content": "Paris", "model": "m" }),
            ),
            (
                Kind::Sample,
                json!({ "role": "system", "content": text, "model": "m" }),
            ),
            (
                Kind::Sample,
                json!({ "role": "assistant", "content": text }),
            ),
            (Kind::Roots, sampled),
            (Kind::Roots, json!({ "roots": {} })),
            (Kind::Roots, json!({ "roots": [{ "name": "a" }] })),
        ] {
            assert!(!fits(&bad, kind), "{kind:?} {bad}");
        }
    }
}
