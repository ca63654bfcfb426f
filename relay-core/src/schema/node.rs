//! JSON that keeps its members in the order written.

use indexmap::IndexMap;
use serde::{Serialize, Serializer};
use serde_json::{Number, Value};

/// The members of an object, in the order they are published.
pub(crate) type Members = IndexMap<String, Node>;

/// A JSON value whose objects keep their order, whatever `serde_json`'s map does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<Self>),
    Object(Members),
}

impl Node {
    /// An object of these members.
    pub(crate) fn object<const N: usize>(members: [(&str, Self); N]) -> Self {
        Self::Object(
            members
                .into_iter()
                .map(|(name, node)| (name.to_owned(), node))
                .collect(),
        )
    }

    /// The node of a value that nests no deeper than `depth`; `None` if it does.
    #[cfg(feature = "validate")]
    pub(crate) fn bounded(value: &Value, depth: usize) -> Option<Self> {
        nests_within(value, depth).then(|| Self::from(value.clone()))
    }

    pub(crate) fn as_object(&self) -> Option<&Members> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    pub(crate) fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The same JSON as `serde_json` holds it; the order of members is then that crate's.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(flag) => Value::Bool(*flag),
            Self::Number(number) => Value::Number(number.clone()),
            Self::String(text) => Value::String(text.clone()),
            Self::Array(items) => items.iter().map(Self::to_value).collect(),
            Self::Object(members) => members
                .iter()
                .map(|(name, node)| (name.clone(), node.to_value()))
                .collect(),
        }
    }
}

#[cfg(feature = "validate")]
fn nests_within(value: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    match value {
        Value::Array(items) => items.iter().all(|item| nests_within(item, depth)),
        Value::Object(members) => members.values().all(|value| nests_within(value, depth)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

impl From<Value> for Node {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(flag),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::String(text),
            Value::Array(items) => Self::Array(items.into_iter().map(Self::from).collect()),
            Value::Object(members) => Self::Object(
                members
                    .into_iter()
                    .map(|(name, value)| (name, Self::from(value)))
                    .collect(),
            ),
        }
    }
}

impl From<&str> for Node {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Node {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<bool> for Node {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

impl From<usize> for Node {
    fn from(count: usize) -> Self {
        Self::Number(count.into())
    }
}

impl From<Number> for Node {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}

impl From<Vec<Self>> for Node {
    fn from(items: Vec<Self>) -> Self {
        Self::Array(items)
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(flag) => serializer.serialize_bool(*flag),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Object(members) => serializer.collect_map(members),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // T09
    #[test]
    fn members_are_serialised_in_the_order_written() {
        let node = Node::object([("zebra", Node::from(1_usize)), ("ant", Node::from(true))]);
        assert_eq!(
            serde_json::to_string(&node).unwrap(),
            r#"{"zebra":1,"ant":true}"#
        );
    }

    #[test]
    fn a_value_survives_the_way_there_and_back() {
        let value = json!({"a": [null, true, 1, 1.5, "x"], "b": {"c": {}}});
        assert_eq!(Node::from(value.clone()).to_value(), value);
    }
}
