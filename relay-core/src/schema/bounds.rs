//! How much work a schema may ask for.
//!
//! A validator has no budget of its own: a few lines of doubling references ask for billions of
//! judgements. So what a schema expands to is counted when it is defined, once.

use std::collections::{HashMap, HashSet};

use super::keyword::{Holds, holds, resolve, subschemas};
use super::node::Node;
use crate::codec::pattern;

/// How deep a schema may nest, references not followed.
pub(crate) const DEPTH: usize = 128;

/// How many schemas it may expand to, references followed.
pub(crate) const EXPANDED: usize = 20_000;

/// Counts what `root` expands to. The errors are sentences for the author.
pub(crate) fn check(root: &Node) -> Result<Cost, String> {
    if depth(root) > DEPTH {
        return Err(format!("the schema nests deeper than {DEPTH} levels"));
    }
    let mut patterns = Vec::new();
    collect_patterns(root, &mut patterns);
    if patterns
        .iter()
        .any(|pattern| pattern.len() > pattern::LONGEST)
    {
        return Err(format!(
            "a pattern is longer than {} bytes",
            pattern::LONGEST
        ));
    }
    let mut count = Count {
        root,
        known: HashMap::new(),
        open: Vec::new(),
        cost: Cost::default(),
    };
    if count.expanded(root) > EXPANDED {
        return Err(format!(
            "the schema expands to more than {EXPANDED} subschemas"
        ));
    }
    Ok(count.cost)
}

/// What makes it dear to say what is wrong with a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// One value can be judged by a recursive schema more than once at each level, so that listing
    /// what each branch has against it would take time exponential in its depth.
    pub(crate) branching: bool,
    /// How many schemas the branches of one union expand to, of the one with the most: so often can
    /// one part of a value be judged and copied to say what each branch has against it.
    pub(crate) width: usize,
}

/// How deep arrays and objects nest. Stops counting beyond [`DEPTH`], so that it cannot overflow.
fn depth(node: &Node) -> usize {
    fn within(node: &Node, left: usize) -> usize {
        let Some(left) = left.checked_sub(1) else {
            return 1;
        };
        match node {
            Node::Array(items) => {
                1 + items
                    .iter()
                    .map(|item| within(item, left))
                    .max()
                    .unwrap_or_default()
            }
            Node::Object(members) => {
                1 + members
                    .values()
                    .map(|member| within(member, left))
                    .max()
                    .unwrap_or_default()
            }
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::String(_) => 0,
        }
    }
    within(node, DEPTH + 1)
}

fn collect_patterns<'a>(schema: &'a Node, patterns: &mut Vec<&'a str>) {
    let Node::Object(members) = schema else {
        return;
    };
    patterns.extend(members.get("pattern").and_then(Node::as_str));
    if let Some(Node::Object(by_pattern)) = members.get("patternProperties") {
        patterns.extend(by_pattern.keys().map(String::as_str));
    }
    for (_, schema) in subschemas(members) {
        collect_patterns(schema, patterns);
    }
}

struct Count<'a> {
    root: &'a Node,
    known: HashMap<*const Node, usize>,
    /// The references being followed.
    open: Vec<*const Node>,
    cost: Cost,
}

impl<'a> Count<'a> {
    fn expanded(&mut self, schema: &'a Node) -> usize {
        let Node::Object(members) = schema else {
            return 1;
        };
        let mut total: usize = 1;
        let mut unions = (0_usize, 0_usize);
        for (keyword, inside) in subschemas(members) {
            // Definitions cost where they are referred to.
            if !matches!(keyword, "$defs" | "definitions") {
                let inside = self.expanded(inside);
                total = total.saturating_add(inside);
                match keyword {
                    "anyOf" => unions.0 = unions.0.saturating_add(inside),
                    "oneOf" => unions.1 = unions.1.saturating_add(inside),
                    _ => {}
                }
            }
        }
        let width = &mut self.cost.width;
        *width = (*width).max(unions.0).max(unions.1);
        for keyword in ["$ref", "$dynamicRef"] {
            if let Some(target) = members.get(keyword).and_then(Node::as_str) {
                total = total.saturating_add(self.followed(target));
            }
        }
        total
    }

    fn followed(&mut self, target: &str) -> usize {
        let Some(definition) = self.anchored(target) else {
            return 1;
        };
        let place = std::ptr::from_ref(definition);
        if let Some(known) = self.known.get(&place) {
            return *known;
        }
        if self.open.contains(&place) {
            self.cost.branching |= branches_into(self.root, definition);
            return 1;
        }
        self.open.push(place);
        let expanded = self.expanded(definition);
        self.open.pop();
        self.known.insert(place, expanded);
        expanded
    }

    fn anchored(&self, target: &str) -> Option<&'a Node> {
        resolve(self.root, target).or_else(|| anchor(self.root, target.strip_prefix('#')?))
    }
}

/// The schema that calls itself `name`.
fn anchor<'a>(schema: &'a Node, name: &str) -> Option<&'a Node> {
    let members = schema.as_object()?;
    let named = |keyword| members.get(keyword).and_then(Node::as_str) == Some(name);
    if named("$anchor") || named("$dynamicAnchor") {
        return Some(schema);
    }
    subschemas(members).find_map(|(_, inside)| anchor(inside, name))
}

/// Whether judging one value by the recursive `definition` judges one part of that value by it more
/// than once.
fn branches_into(root: &Node, definition: &Node) -> bool {
    let mut steps = Vec::new();
    let mut seen = HashSet::new();
    recursive_steps(root, definition, "", &mut seen, &mut steps);
    let mut once = HashSet::new();
    steps.iter().any(|step| !once.insert(step.clone()))
}

/// The parts of a value, as steps from it, that `schema` hands to a reference.
fn recursive_steps(
    root: &Node,
    schema: &Node,
    step: &str,
    seen: &mut HashSet<*const Node>,
    steps: &mut Vec<String>,
) {
    let Node::Object(members) = schema else {
        return;
    };
    if members.contains_key("$ref") || members.contains_key("$dynamicRef") {
        if step.is_empty() {
            let target = members
                .get("$ref")
                .and_then(Node::as_str)
                .unwrap_or_default();
            if let Some(target) = resolve(root, target)
                && seen.insert(std::ptr::from_ref(target))
            {
                recursive_steps(root, target, step, seen, steps);
            }
        } else {
            steps.push(step.to_owned());
        }
    }
    for (keyword, held) in members {
        match (keyword.as_str(), held) {
            ("$defs" | "definitions", _) => {}
            ("properties" | "patternProperties", Node::Object(properties)) => {
                for (name, property) in properties {
                    let step = format!("{step}/{name}");
                    recursive_steps(root, property, &step, seen, steps);
                }
            }
            ("prefixItems", Node::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    recursive_steps(root, item, &format!("{step}/#{index}"), seen, steps);
                }
            }
            ("items" | "contains", item) => {
                recursive_steps(root, item, &format!("{step}/#"), seen, steps);
            }
            ("additionalProperties" | "unevaluatedProperties", other) => {
                recursive_steps(root, other, &format!("{step}/*"), seen, steps);
            }
            (_, held) => match (holds(keyword, held), held) {
                (Holds::Schema, inside) => recursive_steps(root, inside, step, seen, steps),
                (Holds::List, Node::Array(schemas)) => {
                    for inside in schemas {
                        recursive_steps(root, inside, step, seen, steps);
                    }
                }
                _ => {}
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn checked(schema: Value) -> Result<Cost, String> {
        check(&Node::from(schema))
    }

    // SCH-07
    #[test]
    fn doubling_is_refused_however_it_is_written() {
        let mut inline = json!({"type": "string"});
        let mut definitions = serde_json::Map::new();
        definitions.insert("d0".to_owned(), json!({"type": "string"}));
        for level in 1..25 {
            inline = json!({"allOf": [inline.clone(), inline]});
            if level > 12 {
                break;
            }
        }
        for level in 1..25 {
            let below = json!({"$ref": format!("#/$defs/d{}", level - 1)});
            definitions.insert(format!("d{level}"), json!({"anyOf": [below, below]}));
        }
        assert!(checked(inline).is_ok());
        let referred = json!({"$ref": "#/$defs/d24", "$defs": definitions});
        assert_eq!(
            checked(referred),
            Err(format!(
                "the schema expands to more than {EXPANDED} subschemas"
            ))
        );
    }

    // SCH-07
    #[test]
    fn depth_and_patterns_are_bounded() {
        let mut deep = json!({});
        for _ in 0..200 {
            deep = json!({ "items": deep });
        }
        assert!(checked(deep).is_err());
        assert!(checked(json!({"pattern": "a".repeat(pattern::LONGEST)})).is_ok());
        assert!(
            checked(json!({"properties": {"a": {"pattern": "a".repeat(pattern::LONGEST + 1)}}}))
                .is_err()
        );
        assert!(
            checked(json!({"patternProperties": {"a".repeat(pattern::LONGEST + 1): {}}})).is_err()
        );
    }

    #[test]
    fn the_width_is_that_of_the_widest_union() {
        let width = |schema| checked(schema).unwrap().width;
        assert_eq!(width(json!({"properties": {"a": {}, "b": {"not": {}}}})), 0);
        let union = json!({"oneOf": [{"type": "string"}, {"$ref": "#/$defs/A"}]});
        let definition = json!({"properties": {"a": {}, "b": {}}});
        let schema = json!({"properties": {"u": union}, "$defs": {"A": definition}});
        assert_eq!(width(schema.clone()), 5);
        assert_eq!(width(json!({"anyOf": [schema, {}]})), 6);
    }

    #[test]
    fn recursion_that_branches_is_told_from_recursion_that_does_not() {
        let tree = json!({
            "$ref": "#/$defs/T",
            "$defs": {"T": {"properties": {"left": {"$ref": "#/$defs/T"},
                                           "right": {"$ref": "#/$defs/T"}}}},
        });
        assert!(!checked(tree).unwrap().branching);
        let next = json!({"properties": {"next": {"$ref": "#/$defs/T"}}});
        let union = json!({"$ref": "#/$defs/T", "$defs": {"T": {"anyOf": [next, next]}}});
        assert!(checked(union).unwrap().branching);
        let anchored = json!({"$dynamicAnchor": "node", "items": {"$dynamicRef": "#node"}});
        assert!(!checked(anchored).unwrap().branching);
        let itself = json!({"$ref": "#"});
        assert!(!checked(itself).unwrap().branching);
    }
}
