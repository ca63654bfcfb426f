//! The referee, and a source of randomness that a seed repeats.

use std::cell::RefCell;
use std::collections::HashMap;

use jsonschema::{EmailOptions, PatternOptions, Validator};
use proptest::prelude::ProptestConfig;
use serde_json::{Map, Value, json};

/// So many seeds. A seed does not shrink, but it repeats.
pub(crate) fn cases(count: u32) -> ProptestConfig {
    ProptestConfig {
        cases: count,
        max_shrink_iters: 0,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// A validator of the `jsonschema` crate, with formats asserted.
pub(crate) fn referee(schema: &Value) -> Validator {
    jsonschema::options()
        .should_validate_formats(true)
        .with_email_options(EmailOptions::default().without_display_text())
        .with_pattern_options(PatternOptions::regex())
        .build(schema)
        .unwrap_or_else(|error| panic!("{schema}: {error}"))
}

/// The value as it is judged: without the members that are `null` in an optional place whose
/// schema does not admit it.
pub(crate) fn without_absent(schema: &Value, value: &Value) -> Value {
    without_absent_in(schema, schema, value)
}

fn without_absent_in(root: &Value, schema: &Value, value: &Value) -> Value {
    let schema = resolved(root, schema);
    let mut value = value.clone();
    if let Value::Object(members) = &mut value {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let properties = schema["properties"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        for (name, property) in &properties {
            let Some(member) = members.get(name).cloned() else {
                continue;
            };
            let optional = !required.contains(&Value::from(name.as_str()));
            if member.is_null() && optional && !admits_null(root, property) {
                members.remove(name);
            } else {
                members.insert(name.clone(), without_absent_in(root, property, &member));
            }
        }
        if schema["additionalProperties"].is_object() {
            for (name, member) in members.iter_mut() {
                if !properties.contains_key(name) {
                    *member = without_absent_in(root, &schema["additionalProperties"], member);
                }
            }
        }
    }
    if let (Value::Array(items), true) = (&mut value, schema["items"].is_object()) {
        let leading = schema["prefixItems"].as_array().map_or(0, Vec::len);
        for item in items.iter_mut().skip(leading) {
            *item = without_absent_in(root, &schema["items"], item);
        }
    }
    for keyword in ["oneOf", "anyOf"] {
        for branch in schema[keyword].as_array().into_iter().flatten() {
            let branch = resolved(root, branch);
            let properties = branch["properties"]
                .as_object()
                .cloned()
                .unwrap_or_default();
            let meant = properties.iter().all(|(name, property)| {
                property
                    .get("const")
                    .is_none_or(|tag| value.get(name) == Some(tag))
            });
            if meant {
                value = without_absent_in(root, &branch, &value);
            }
        }
    }
    value
}

fn resolved(root: &Value, schema: &Value) -> Value {
    let mut schema = schema.clone();
    for _ in 0..8 {
        let Some(target) = schema["$ref"].as_str() else {
            break;
        };
        let target = root
            .pointer(target.trim_start_matches('#'))
            .unwrap_or(&Value::Null);
        schema = target.clone();
    }
    schema
}

fn admits_null(root: &Value, schema: &Value) -> bool {
    thread_local! {
        static KNOWN: RefCell<HashMap<String, bool>> = RefCell::default();
    }
    let mut schema = schema.clone();
    if let (Value::Object(members), Some(definitions)) = (&mut schema, root.get("$defs")) {
        members.insert("$defs".to_owned(), definitions.clone());
    }
    KNOWN.with_borrow_mut(|known| {
        *known
            .entry(schema.to_string())
            .or_insert_with(|| referee(&schema).is_valid(&Value::Null))
    })
}

/// `SplitMix64`: small, and the same everywhere.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit.max(1)).unwrap();
        usize::try_from(self.next() % limit).unwrap()
    }

    pub(crate) fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    pub(crate) fn text(&mut self) -> String {
        const TEXTS: [&str; 24] = [
            "",
            "a",
            "b",
            "ab",
            "abc",
            "é",
            "🎉",
            "日本語",
            "AB-12",
            "x",
            "hello world",
            "1",
            "-1",
            "2026-07-28",
            "2026-02-30",
            "ada@example.org",
            "https://example.org/a",
            "../a",
            "192.0.2.1",
            "::1",
            "SGVsbG8=",
            "SGVsbG8",
            "123e4567-e89b-12d3-a456-426614174000",
            "P1D",
        ];
        (*self.pick(&TEXTS)).to_owned()
    }

    pub(crate) fn number(&mut self) -> Value {
        match self.below(9) {
            0 => json!(self.below(20)),
            1 => json!(-5 + i64::try_from(self.below(10)).unwrap()),
            2 => json!(f64::from(u32::try_from(self.below(40)).unwrap()) / 4.0),
            3 => json!(f64::from(u32::try_from(self.below(20)).unwrap())),
            4 => json!(self.pick(&[i64::MIN, i64::MAX, -129, -128, 127, 128, 255, 256])),
            5 => json!(self.pick(&[u64::MAX, u64::MAX - 1, 1 << 53, (1 << 53) + 1])),
            6 => json!(self.pick(&[1e19, 1.844_674_407_370_955_2e19, 1e30, -1e30, 1e300, -0.0])),
            7 => json!(self.pick(&[0.1, 0.3, 0.7, 1.1, 4.35, 1e-7])),
            _ => json!(self.below(300)),
        }
    }

    /// Any JSON at all.
    pub(crate) fn json(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 4 } else { 6 }) {
            0 => Value::Null,
            1 => Value::Bool(self.chance(2)),
            2 => self.number(),
            3 => Value::String(self.text()),
            4 => (0..self.below(4)).map(|_| self.json(depth - 1)).collect(),
            _ => Value::Object(
                (0..self.below(4))
                    .map(|_| (self.text(), self.json(depth - 1)))
                    .collect::<Map<_, _>>(),
            ),
        }
    }

    /// Changes a value somewhere: another part, a member more or less, an item twice, a `null`.
    pub(crate) fn damage(&mut self, value: &mut Value) {
        match value {
            Value::Object(members) if !members.is_empty() && !self.chance(4) => {
                let names: Vec<String> = members.keys().cloned().collect();
                let name = self.pick(&names).clone();
                match self.below(5) {
                    0 => {
                        members.remove(&name);
                    }
                    1 => {
                        members.insert(name, Value::Null);
                    }
                    2 => {
                        let value = self.json(1);
                        members.insert(self.text(), value);
                    }
                    _ => self.damage(members.get_mut(&name).unwrap()),
                }
            }
            Value::Array(items) if !items.is_empty() && !self.chance(4) => {
                let index = self.below(items.len());
                match self.below(4) {
                    0 => {
                        items.remove(index);
                    }
                    1 => items.push(items[index].clone()),
                    _ => self.damage(&mut items[index]),
                }
            }
            Value::Number(number) if self.chance(2) => {
                let same = number.as_f64().unwrap();
                *value = json!(same);
            }
            value => *value = self.json(2),
        }
    }
}
