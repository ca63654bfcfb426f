//! Schemas and values that ask for more work than they are worth. Times are patience: a run that
//! takes exponential time does not end.

use proptest::prelude::*;
use relay_core::codec::{self, IntoCodec, IntoDecoder, Output};
use relay_core::schema::Validator;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::support::{Random, cases};

fn refused(schema: &Value) -> String {
    Validator::new(schema).unwrap_err().to_string()
}

// SCH-07
#[test]
fn doubling_is_refused_at_definition() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let mut definitions = Map::new();
        definitions.insert("d0".to_owned(), json!({"type": "string"}));
        for level in 1..40 {
            let below = json!({"$ref": format!("#/$defs/d{}", level - 1)});
            definitions.insert(format!("d{level}"), json!({keyword: [below, below]}));
        }
        let schema = json!({"type": "object", "$ref": "#/$defs/d39", "$defs": definitions});
        assert!(
            refused(&schema).contains("expands to more than"),
            "{keyword}"
        );
        let faults = codec::schema(schema).into_decoder().unwrap_err();
        assert!(faults.to_string().contains("expands to more than"));
    }
}

// SCH-07
#[test]
fn depth_is_bounded_at_definition() {
    let mut schema = json!({});
    for _ in 0..2_000 {
        schema = Value::Object(Map::from_iter([("not".to_owned(), schema)]));
    }
    assert!(refused(&schema).contains("nests deeper"));
    assert!(codec::schema(schema).into_decoder().is_err());
}

// SCH-07
#[test]
fn a_catastrophic_pattern_takes_linear_time() {
    let text = "a".repeat(1 << 20);
    for pattern in [
        "^(a+)+$",
        "^(a|a)*$",
        "(a*)*b",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
    ] {
        let codec = codec::string().pattern(pattern).into_codec();
        assert!(
            codec.decode(json!(format!("{text}!"))).is_err(),
            "{pattern}"
        );
        let validator = Validator::new(&json!({ "pattern": pattern })).unwrap();
        assert!(!validator.is_valid(&json!(format!("{text}!"))), "{pattern}");
    }
    assert!(
        codec::string()
            .pattern("(?=a)b")
            .map(|_| (), |()| String::new())
            .decode(json!("b"))
            .is_err()
    );
    let faults = codec::object(codec::field("a", codec::string().pattern("(a)\\1")));
    assert!(
        faults
            .into_decoder()
            .unwrap_err()
            .to_string()
            .contains("linear time")
    );
    let huge = codec::object(codec::field(
        "a",
        codec::string().pattern("((a{1,99}){1,99}){1,99}b"),
    ));
    assert!(huge.into_decoder().is_err());
}

// SCH-07
#[test]
fn large_values_are_answered_and_shown_in_part() {
    let text = json!("x".repeat(10 << 20));
    let faults = codec::string()
        .max_length(10)
        .into_codec()
        .decode(text.clone())
        .unwrap_err();
    assert!(faults.to_string().contains("(10485760 characters)"));
    assert!(faults.to_string().len() < 300);
    let faults = codec::integer::<u8>()
        .into_codec()
        .decode(text)
        .unwrap_err();
    assert!(faults.to_string().len() < 300);

    let list: Value = (0..1_000_000).collect::<Vec<u32>>().into();
    let built = codec::list(codec::boolean()).into_codec();
    let derived = codec::derived::<Vec<bool>>();
    let handwritten = codec::schema(json!({"items": {"type": "boolean"}}));
    let faults = [
        built.decode(list.clone()).unwrap_err(),
        derived.decode(list.clone()).unwrap_err(),
        handwritten.decode(list.clone()).unwrap_err(),
    ];
    for faults in faults {
        assert!((1..=64).contains(&faults.iter().count()));
        assert!(faults.to_string().len() < 64 * 100);
    }
    let unique = codec::list(codec::integer::<u32>()).unique().into_codec();
    assert_eq!(unique.decode(list).unwrap().len(), 1_000_000);

    let members: Map<String, Value> = (0..100_000)
        .map(|name| (name.to_string(), json!(name)))
        .collect();
    let faults = codec::object(())
        .into_codec()
        .decode(Value::Object(members))
        .unwrap_err();
    assert!(faults.to_string().ends_with("(and 99936 more)"));
}

/// A list of so many kinds of object.
fn kinds(count: usize) -> Value {
    let kind = |index| {
        json!({
            "type": "object",
            "properties": {"kind": {"const": format!("k{index}")}, "n": {"type": "integer"}},
            "required": ["kind", "n"],
        })
    };
    let kinds: Vec<Value> = (0..count).map(kind).collect();
    json!({"type": "array", "items": {"oneOf": kinds}})
}

// SCH-07: each branch keeps a copy of what it refuses, so listing faults costs the product.
#[test]
fn a_wide_union_does_not_multiply_a_large_value() {
    let validator = Validator::new(&kinds(30)).unwrap();
    let faults = |value: &Value| validator.validate(value).unwrap_err();
    let few = faults(&json!([1, {"kind": "k3"}]));
    assert_eq!(
        few.to_string(),
        "/0: expected an object, got 1\n/1/n: missing, expected an integer"
    );
    let many = faults(&json!(vec![1; 10_000]));
    assert_eq!(many.to_string(), "/0: expected an object, got 1");
    for too_much in [
        json!(vec![1; 200_000]),
        json!([{"kind": "zz", "text": "x".repeat(10 << 20)}]),
        json!([{"x".repeat(10 << 20): 1}]),
    ] {
        let faults = faults(&too_much).to_string();
        assert!(faults.starts_with("(root): expected a value of the schema, got the array ["));
        assert!(faults.len() < 300);
    }
}

// SCH-07: a name is shown in part like a value.
#[test]
fn long_names_are_shown_in_part() {
    let name = "x".repeat(1 << 20);
    let value = json!({ name.as_str(): vec![json!("no"); 64] });
    let built = codec::dictionary(codec::list(codec::boolean())).into_codec();
    let derived = codec::derived::<std::collections::BTreeMap<String, Vec<bool>>>();
    for faults in [
        built.decode(value.clone()).unwrap_err(),
        derived.decode(value).unwrap_err(),
    ] {
        assert_eq!(faults.iter().count(), 64);
        assert!(faults.to_string().len() < 64 * 300);
    }
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
enum Ambiguous {
    Left { next: Box<Self>, left: bool },
    Right { next: Box<Self>, right: bool },
    End(bool),
}

// SCH-07: two branches that judge the same part at each level would take time doubling with depth.
#[test]
fn a_union_that_recurses_twice_is_answered_in_time() {
    let mut value = json!("no end");
    for _ in 0..60 {
        value = Value::Object(Map::from_iter([
            ("next".to_owned(), value),
            ("right".to_owned(), json!(true)),
        ]));
    }
    let faults = codec::derived::<Ambiguous>()
        .decode(value.clone())
        .unwrap_err();
    assert!(faults.to_string().len() < 300, "{faults}");
    let schema = codec::derived::<Ambiguous>().decoder().schema().to_value();
    assert!(codec::schema(schema).decode(value).is_err());
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Chain {
    value: u8,
    next: Option<Box<Self>>,
}

// J07: as deep as a frame can be.
#[test]
fn deep_values_are_read_and_written() {
    let mut value = json!({"value": 1});
    for _ in 0..120 {
        value = json!({"value": 1, "next": value});
    }
    let codec = codec::derived::<Chain>();
    let chain = codec.decode(value.clone()).unwrap();
    assert_eq!(codec.encode(chain).unwrap(), value);
    let any = codec::object(codec::field("any", codec::any())).into_codec();
    any.decode(json!({"any": value})).unwrap();
}

/// A schema of real keywords that hold anything.
fn nonsense(random: &mut Random, depth: usize) -> Value {
    const KEYWORDS: [&str; 30] = [
        "$anchor",
        "$defs",
        "$dynamicRef",
        "$id",
        "$ref",
        "$schema",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "contains",
        "dependentRequired",
        "enum",
        "format",
        "if",
        "items",
        "maxLength",
        "minItems",
        "minimum",
        "multipleOf",
        "not",
        "oneOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "propertyNames",
        "required",
        "then",
        "type",
    ];
    const TEXTS: [&str; 12] = [
        "#",
        "#/$defs/a",
        "#/properties/a",
        "#a",
        "a",
        "object",
        "string",
        "integer",
        "(",
        "^a+$",
        "uuid",
        "https://example.org/",
    ];
    match random.below(if depth == 0 { 3 } else { 8 }) {
        0 => json!(random.pick(&TEXTS)),
        1 => random.number(),
        2 => json!(random.chance(2)),
        3 => (0..random.below(3))
            .map(|_| nonsense(random, depth - 1))
            .collect(),
        4 => json!({"a": nonsense(random, depth - 1)}),
        _ => Value::Object(
            (0..random.below(4))
                .map(|_| {
                    (
                        (*random.pick(&KEYWORDS)).to_owned(),
                        nonsense(random, depth - 1),
                    )
                })
                .collect(),
        ),
    }
}

proptest! {
    #![proptest_config(cases(4000))]

    // SCH-03, SCH-07
    #[test]
    fn nonsense_is_refused_or_enforced(seed: u64) {
        let mut random = Random::new(seed);
        let schema = nonsense(&mut random, 4);
        let codec = codec::schema(schema.clone());
        let sound = codec.clone().into_output().is_ok();
        for _ in 0..4 {
            let value = random.json(3);
            let read = codec.decode(value.clone());
            prop_assert!(sound || read.is_err(), "{} took {}", schema, value);
            prop_assert_eq!(read.is_ok(), codec.encode(value).is_ok());
        }
    }
}
