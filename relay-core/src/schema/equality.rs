//! When JSON Schema calls two values equal: numbers by their value, `1` and `1.0` alike.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};

use serde_json::{Number, Value};

/// Two places of a list that hold equal values, if there are any: the first repeated one, and what
/// it repeats. Takes time linear in the list.
pub(crate) fn repeated(items: &[Value]) -> Option<(usize, usize)> {
    let mut seen: HashMap<u64, Vec<usize>> = HashMap::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let earlier = seen.entry(hash(item)).or_default();
        let equal = earlier.iter().copied().find(|earlier| {
            items
                .get(*earlier)
                .is_some_and(|earlier| equal(earlier, item))
        });
        if let Some(earlier) = equal {
            return Some((earlier, index));
        }
        earlier.push(index);
    }
    None
}

/// Whether two values are equal.
pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => equal_numbers(left, right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(name, left)| right.get(name).is_some_and(|right| equal(left, right)))
        }
        (left, right) => left == right,
    }
}

fn equal_numbers(left: &Number, right: &Number) -> bool {
    match (crate::codec::integral(left), crate::codec::integral(right)) {
        (Some(left), Some(right)) => left == right,
        (None, None) => left.as_f64() == right.as_f64(),
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// A hash that equal values share. The keys of the hasher are fixed: what a peer could gain by
/// collisions is bounded by the size of the list.
fn hash(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    feed(value, &mut hasher);
    hasher.finish()
}

fn feed(value: &Value, hasher: &mut DefaultHasher) {
    match value {
        Value::Null => 0_u8.hash(hasher),
        Value::Bool(flag) => (1_u8, flag).hash(hasher),
        Value::Number(number) => match crate::codec::integral(number) {
            Some(integer) => (2_u8, integer).hash(hasher),
            None => (3_u8, number.as_f64().map(f64::to_bits)).hash(hasher),
        },
        Value::String(text) => (4_u8, text).hash(hasher),
        Value::Array(items) => {
            (5_u8, items.len()).hash(hasher);
            for item in items {
                feed(item, hasher);
            }
        }
        Value::Object(members) => {
            // The order of members does not count, so each is hashed alone.
            let mut sum = 0_u64;
            for (name, value) in members {
                let mut member = DefaultHasher::new();
                name.hash(&mut member);
                feed(value, &mut member);
                sum = sum.wrapping_add(member.finish());
            }
            (6_u8, members.len(), sum).hash(hasher);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_compared_as_json_schema_does() {
        let list = |value: Value| value.as_array().cloned().unwrap_or_default();
        for (items, expected) in [
            (json!([1, 2, 3]), None),
            (json!([1, 1.0]), Some((0, 1))),
            (json!([1, true, "1", null, [1], {"a": 1}]), None),
            (json!([0, false, "", null, [], {}]), None),
            (json!([{"a": 1, "b": 2}, {"b": 2.0, "a": 1}]), Some((0, 1))),
            (json!([[1, 2], [2, 1], [1, 2]]), Some((0, 2))),
            (json!([0.0, -0.0]), Some((0, 1))),
            (json!([1e30, 1e30]), Some((0, 1))),
            (json!([u64::MAX, 18_446_744_073_709_551_615_f64]), None),
            (
                json!([9_007_199_254_740_993_u64, 9_007_199_254_740_992_f64]),
                None,
            ),
        ] {
            assert_eq!(repeated(&list(items.clone())), expected, "{items}");
        }
    }

    // SCH-07
    #[test]
    fn a_million_items_are_no_trouble() {
        let items: Vec<Value> = (0..1_000_000).map(Value::from).collect();
        assert_eq!(repeated(&items), None);
    }
}
