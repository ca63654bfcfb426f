//! What happens to a value before a derived type's own code sees it.
//!
//! A schema and serde disagree in two places, and in both the schema is right: a `null` in an
//! optional place counts as absent, and `3.0` is an integer.

use std::collections::HashMap;

use regex::Regex;
use serde_json::{Map, Number, Value};

use super::Schema;
use super::keyword::{Holds, holds};
use super::node::{Members, Node};
use super::profile::admits_null;
use crate::codec::pattern;

/// How deep a value is prepared: deeper than anything that can be parsed.
const DEPTH: usize = 256;

/// How many places are visited at most, counting a place again for each branch of a union that may
/// be about it. What is left then is judged as it came.
const STEPS: usize = 4_000_000;

/// The changes that values of one schema need.
#[derive(Debug, Default)]
pub(crate) struct Preparation {
    root: Plan,
    /// By reference.
    definitions: HashMap<String, Plan>,
}

/// The changes at one place of the schema.
#[derive(Debug, Default, PartialEq)]
struct Plan {
    /// A float without a fraction becomes an integer.
    integer: bool,
    members: Vec<(String, Member)>,
    by_pattern: Vec<(Pattern, Self)>,
    others: Option<Box<Self>>,
    leading: Vec<Self>,
    items: Option<Box<Self>>,
    branches: Vec<Branch>,
    reference: Option<String>,
}

/// Of names.
#[derive(Debug)]
struct Pattern(Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

#[derive(Debug, PartialEq)]
struct Member {
    drop_null: bool,
    plan: Plan,
}

/// One branch of a union, for the values that it may be about.
#[derive(Debug, PartialEq)]
struct Branch {
    kinds: Vec<String>,
    tags: Vec<(String, Value)>,
    required: Vec<String>,
    plan: Plan,
}

impl Preparation {
    pub(crate) fn new(schema: &Schema) -> Self {
        let definitions = schema.definitions();
        Self {
            root: Plan::of(&schema.0.root, &definitions),
            definitions: definitions
                .iter()
                .filter_map(|(reference, node)| {
                    Some((reference.clone(), Plan::of(node.as_object()?, &definitions)))
                })
                .collect(),
        }
    }

    pub(crate) fn apply(&self, value: &mut Value) {
        let mut walk = Walk {
            definitions: &self.definitions,
            steps: STEPS,
        };
        walk.value(&self.root, value, DEPTH);
    }
}

/// One value being prepared.
struct Walk<'a> {
    definitions: &'a HashMap<String, Plan>,
    /// How many places may still be visited.
    steps: usize,
}

impl Walk<'_> {
    fn value(&mut self, plan: &Plan, value: &mut Value, depth: usize) {
        let (Some(depth), Some(steps)) = (depth.checked_sub(1), self.steps.checked_sub(1)) else {
            return;
        };
        self.steps = steps;
        for branch in &plan.branches {
            if branch.may_be_about(value) {
                self.value(&branch.plan, value, depth);
            }
        }
        let reference = plan.reference.as_ref();
        if let Some(definition) = reference.and_then(|target| self.definitions.get(target)) {
            self.value(definition, value, depth);
        }
        match value {
            Value::Number(number) if plan.integer => {
                if let Some(integer) = as_integer(number) {
                    *number = integer;
                }
            }
            Value::Array(items) => self.items(plan, items, depth),
            Value::Object(members) => self.members(plan, members, depth),
            _ => {}
        }
    }

    fn items(&mut self, plan: &Plan, items: &mut [Value], depth: usize) {
        if plan.leading.is_empty() && plan.items.is_none() {
            return;
        }
        for (index, item) in items.iter_mut().enumerate() {
            if let Some(plan) = plan.leading.get(index).or(plan.items.as_deref()) {
                self.value(plan, item, depth);
            }
        }
    }

    fn members(&mut self, plan: &Plan, members: &mut Map<String, Value>, depth: usize) {
        for (name, member) in &plan.members {
            match members.get_mut(name) {
                Some(Value::Null) if member.drop_null => {
                    members.remove(name);
                }
                Some(value) => self.value(&member.plan, value, depth),
                None => {}
            }
        }
        if plan.by_pattern.is_empty() && plan.others.is_none() {
            return;
        }
        for (name, value) in members.iter_mut() {
            let mut declared = plan.members.iter().any(|(known, _)| known == name);
            for (_, plan) in plan
                .by_pattern
                .iter()
                .filter(|(pattern, _)| pattern.0.is_match(name))
            {
                declared = true;
                self.value(plan, value, depth);
            }
            if let (false, Some(others)) = (declared, plan.others.as_deref()) {
                self.value(others, value, depth);
            }
        }
    }
}

impl Plan {
    fn of(members: &Members, definitions: &Members) -> Self {
        let mut plan = Self {
            integer: members.get("type").is_some_and(names_integer),
            ..Self::default()
        };
        for (keyword, held) in members {
            plan.add(keyword, held, members, definitions);
        }
        plan
    }

    fn add(&mut self, keyword: &str, held: &Node, members: &Members, definitions: &Members) {
        let inner = |node: &Node| {
            let plan = node.as_object().map(|inner| Self::of(inner, definitions));
            plan.unwrap_or_default()
        };
        match (keyword, holds(keyword, held), held) {
            ("$ref", _, Node::String(target)) => {
                self.reference = Some(target.clone());
            }
            ("properties", _, Node::Object(properties)) => {
                let required = members
                    .get("required")
                    .and_then(Node::as_array)
                    .unwrap_or_default();
                for (name, property) in properties {
                    let optional = !required.iter().any(|known| known.as_str() == Some(name));
                    let member = Member {
                        drop_null: optional && !admits_null(property, definitions),
                        plan: inner(property),
                    };
                    let others = members.get("additionalProperties").is_some_and(is_object);
                    if others || member.drop_null || member.plan != Self::default() {
                        self.members.push((name.clone(), member));
                    }
                }
            }
            ("patternProperties", _, Node::Object(schemas)) => {
                for (pattern, schema) in schemas {
                    // What is not a pattern is refused where the schema is compiled.
                    if let Ok(pattern) = pattern::compile(pattern) {
                        self.by_pattern.push((Pattern(pattern), inner(schema)));
                    }
                }
            }
            ("additionalProperties", _, Node::Object(_)) => self.others = some(inner(held)),
            ("items", Holds::Schema, _) => self.items = some(inner(held)),
            ("prefixItems", _, Node::Array(schemas)) => {
                self.leading = schemas.iter().map(inner).collect();
            }
            ("anyOf" | "oneOf" | "allOf", _, Node::Array(schemas)) => {
                for branch in schemas.iter().filter_map(Node::as_object) {
                    let plan = Self::of(branch, definitions);
                    if plan != Self::default() {
                        self.branches.push(Branch::new(branch, plan));
                    }
                }
            }
            _ => {}
        }
    }
}

fn is_object(node: &Node) -> bool {
    node.as_object().is_some()
}

fn some(plan: Plan) -> Option<Box<Plan>> {
    (plan != Plan::default()).then(|| Box::new(plan))
}

impl Branch {
    fn new(members: &Members, plan: Plan) -> Self {
        let kinds = match members.get("type") {
            Some(Node::String(kind)) => vec![kind.clone()],
            Some(Node::Array(kinds)) => kinds
                .iter()
                .filter_map(Node::as_str)
                .map(str::to_owned)
                .collect(),
            _ => Vec::new(),
        };
        let required = members
            .get("required")
            .and_then(Node::as_array)
            .into_iter()
            .flatten()
            .filter_map(Node::as_str)
            .map(str::to_owned)
            .collect();
        let tags = members
            .get("properties")
            .and_then(Node::as_object)
            .into_iter()
            .flatten()
            .filter_map(|(name, property)| {
                let tag = property.as_object()?.get("const")?;
                Some((name.clone(), tag.to_value()))
            })
            .collect();
        Self {
            kinds,
            tags,
            required,
            plan,
        }
    }

    fn may_be_about(&self, value: &Value) -> bool {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let named = self
            .kinds
            .iter()
            .any(|known| known == kind || (kind == "number" && known == "integer"));
        (self.kinds.is_empty() || named)
            && self.required.iter().all(|name| {
                value
                    .as_object()
                    .is_none_or(|members| members.contains_key(name))
            })
            && self
                .tags
                .iter()
                .all(|(name, tag)| value.get(name) == Some(tag))
    }
}

fn names_integer(kinds: &Node) -> bool {
    match kinds {
        Node::String(kind) => kind == "integer",
        Node::Array(kinds) => {
            let names = |name| kinds.iter().any(|kind| kind.as_str() == Some(name));
            names("integer") && !names("number")
        }
        _ => false,
    }
}

/// The integer that a float is, where it is one of up to 64 bits.
fn as_integer(number: &Number) -> Option<Number> {
    if !number.is_f64() {
        return None;
    }
    let integer = crate::codec::integral(number)?;
    let signed = i64::try_from(integer).ok().map(Number::from);
    signed.or_else(|| u64::try_from(integer).ok().map(Number::from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn prepared(schema: Value, mut value: Value) -> Value {
        let Node::Object(mut root) = Node::from(schema) else {
            panic!("not an object");
        };
        let definitions = match root.shift_remove("$defs") {
            Some(Node::Object(definitions)) => definitions,
            _ => Members::new(),
        };
        Preparation::new(&Schema::with_definitions(root, definitions)).apply(&mut value);
        value
    }

    #[test]
    fn nulls_go_from_optional_places_that_do_not_admit_them() {
        let schema = json!({
            "type": "object",
            "properties": {
                "needed": {"type": "string"},
                "free": {"type": "string"},
                "nullable": {"type": ["string", "null"]},
                "any": {},
                "inner": {"type": "object", "properties": {"free": {"type": "integer"}}},
            },
            "required": ["needed"],
        });
        assert_eq!(
            prepared(
                schema,
                json!({"needed": null, "free": null, "nullable": null, "any": null, "zz": null,
                       "inner": {"free": null}}),
            ),
            json!({"needed": null, "nullable": null, "any": null, "zz": null, "inner": {}})
        );
    }

    // T07
    #[test]
    fn integers_lose_a_fraction_of_zero_wherever_they_stand() {
        let schema = json!({
            "type": "object",
            "properties": {
                "list": {"type": "array", "items": {"type": "integer"}},
                "pair": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "integer"}]},
                "tree": {"$ref": "#/$defs/Tree"},
            },
            "additionalProperties": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "$defs": {
                "Tree": {
                    "type": "object",
                    "properties": {"n": {"type": "integer"}, "next": {"$ref": "#/$defs/Tree"}},
                },
            },
        });
        assert_eq!(
            prepared(
                schema,
                json!({"list": [1.0, 1e2, 1.5], "pair": [1.0, 2.0], "zz": 3.0,
                       "tree": {"n": 4.0, "next": {"n": 5.0, "next": null}}}),
            ),
            json!({"list": [1, 100, 1.5], "pair": [1.0, 2], "zz": 3,
                   "tree": {"n": 4, "next": {"n": 5}}})
        );
    }

    #[test]
    fn a_branch_is_chosen_by_its_tag() {
        let branch = |tag: &str, kind: &str| {
            json!({"type": "object", "properties": {"kind": {"const": tag}, "v": {"type": kind}},
                   "required": ["kind"]})
        };
        let schema = json!({"oneOf": [branch("whole", "integer"), branch("real", "number")]});
        let value = |kind: &str| json!({"kind": kind, "v": 1.0});
        assert_eq!(
            prepared(schema.clone(), value("whole")),
            json!({"kind": "whole", "v": 1})
        );
        assert_eq!(prepared(schema, value("real")), value("real"));
    }

    #[test]
    fn what_is_declared_is_not_prepared_as_something_else() {
        let schema = json!({
            "properties": {"any": {}},
            "additionalProperties": {"properties": {"a": {"type": "string"}}},
        });
        assert_eq!(
            prepared(schema, json!({"any": {"a": null}, "other": {"a": null}})),
            json!({"any": {"a": null}, "other": {}})
        );
    }

    #[test]
    fn names_that_match_a_pattern_are_prepared_by_it() {
        let schema = json!({
            "properties": {"1": {"type": "integer"}, "a": {"type": "integer"}},
            "patternProperties": {
                "^\\d$": {"properties": {"n": {"type": "integer"}}},
                "^x": {},
            },
            "additionalProperties": {"type": "integer"},
        });
        assert_eq!(
            prepared(
                schema,
                json!({"1": 1.0, "2": {"n": 2.0}, "3": {"n": null}, "a": 3.0, "x": 4.0, "z": 5.0}),
            ),
            json!({"1": 1, "2": {"n": 2}, "3": {}, "a": 3, "x": 4.0, "z": 5})
        );
    }

    // SCH-07
    #[test]
    fn branches_that_recurse_twice_end() {
        let branch =
            json!({"properties": {"next": {"$ref": "#/$defs/A"}, "n": {"type": "integer"}}});
        let schema = json!({"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [branch, branch]}}});
        let mut value = json!({});
        for _ in 0..100 {
            value = Value::Object(Map::from_iter([("next".to_owned(), value)]));
        }
        assert_eq!(prepared(schema, value.clone()), value);
    }

    #[test]
    fn a_reference_to_itself_ends() {
        let schema = json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}});
        assert_eq!(prepared(schema, json!(1.0)), json!(1.0));
    }
}
