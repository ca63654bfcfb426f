//! Thirty derived types of every shape that serde has, against the referee.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::{IpAddr, Ipv4Addr};
use std::num::{NonZeroI16, NonZeroU32};

use proptest::prelude::*;
use relay_core::codec::{self, DerivedInput, DerivedOutput, IntoCodec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::support::{Random, cases, referee, without_absent};

/// Derives what every type here needs, so that the shapes stand out.
macro_rules! types {
    ($($(#[$attribute:meta])* $kind:ident $name:ident $body:tt $(; $end:tt)?)+) => {$(
        #[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
        $(#[$attribute])*
        $kind $name $body
    )+};
}

types! {
    struct Integers { a: u8, b: u16, c: u32, d: u64, e: usize, f: i8, g: i16, h: i32, i: i64, j: isize }
    struct Floats { single: f32, double: f64 }
    struct NonZero { a: NonZeroU32, b: NonZeroI16 }
    struct Options { a: Option<String>, b: Option<u8>, c: Option<bool>, d: Option<Vec<u8>> }
    struct NestedOptions { b: Vec<Option<u8>>, c: Option<Vec<Option<u8>>> }
    struct Defaults {
        #[serde(default)] a: u8,
        #[serde(default = "seven")] b: u8,
        #[serde(default)] c: Vec<String>,
        d: u8,
    }
    #[serde(default)]
    struct AllDefaults { a: u8, b: String, c: Option<u8> }
    #[serde(rename_all = "camelCase")]
    struct Renamed { first_name: String, #[serde(rename = "type")] kind: u8, #[serde(alias = "old")] new: u8 }
    #[serde(deny_unknown_fields)]
    struct Closed { a: u8, b: Option<u8> }
    struct Skipped {
        a: u8,
        #[serde(skip)] hidden: u8,
        #[serde(skip_serializing_if = "Option::is_none")] maybe: Option<u8>,
    }
    struct Flattened { id: u8, #[serde(flatten)] inner: Inner, #[serde(flatten)] rest: BTreeMap<String, Value> }
    struct Inner { x: i8, y: Option<i8> }
    struct FlattenedEnum { id: u8, #[serde(flatten)] kind: Internal }
    struct Maps { a: BTreeMap<String, u8>, b: HashMap<String, Vec<bool>>, c: BTreeMap<u8, bool> }
    struct Sets { a: BTreeSet<u8>, b: BTreeSet<String> }
    struct Fixed { pair: (u8, String), triple: [bool; 3], unit: () }
    struct Texts { a: String, b: char, c: Box<str> }
    struct Addresses { any: IpAddr, four: Ipv4Addr }
    struct Anything { a: Value, b: Option<Value>, c: Vec<Value> }
    struct Nested { inner: Inner, list: Vec<Inner>, map: BTreeMap<String, Inner>, maybe: Option<Inner> }
    struct Described {
        /// How many
        a: u8,
        #[schemars(length(min = 1, max = 3))] b: String,
        #[schemars(range(min = 2, max = 4))] c: i32,
        #[schemars(regex(pattern = "^[a-z]+$"))] d: String,
        #[schemars(length(max = 2))] e: Vec<u8>,
    }
    enum Plain { Red, #[serde(rename = "verde")] Green, Blue }
    enum External { Unit, New(u8), Tuple(u8, String), Struct { a: u8, b: Option<u8> } }
    #[serde(tag = "kind", rename_all = "lowercase")]
    enum Internal { Circle { radius: u8 }, Square { side: u8, label: Option<String> }, Empty }
    #[serde(tag = "t", content = "c")]
    enum Adjacent { Unit, New(u8), Struct { a: u8 } }
    #[serde(untagged)]
    enum Untagged { Flag(bool), Number(i16), Named { name: String } }
    struct HoldsEnums {
        plain: Plain, maybe: Option<Plain>, external: External, internal: Internal,
        adjacent: Vec<Adjacent>, untagged: Option<Untagged>,
    }
    #[serde(untagged)]
    enum MaybeNull { Null, Number(u8) }
    struct NeededNulls { a: MaybeNull, b: NewOption, c: Vec<MaybeNull>, d: Option<NewOption> }
    struct Numbered { a: BTreeMap<u8, i16>, b: HashMap<i32, Vec<u8>> }
    struct Tree { label: u8, children: Vec<Self> }
    struct Chain { value: u8, next: Option<Box<Self>> }
    enum Expression { Literal(i16), Add(Box<Self>, Box<Self>), Negate(Box<Self>) }
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
struct Wrapper(u8);

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
struct NewOption(Option<u8>);

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
struct Transparent {
    inner: Inner,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
struct Generic<T> {
    item: T,
    items: Vec<T>,
}

impl Default for AllDefaults {
    fn default() -> Self {
        Self {
            a: 1,
            b: "b".to_owned(),
            c: Some(3),
        }
    }
}

fn seven() -> u8 {
    7
}

/// Runs a check for every type.
macro_rules! every_type {
    ($check:ident $arguments:tt) => {{
        every_type!(@each $check $arguments
            Integers, Floats, NonZero, Options, NestedOptions, Defaults, AllDefaults, Renamed,
            Closed, Skipped, Flattened, Inner, FlattenedEnum, Maps, Sets, Fixed, Texts, Addresses,
            Anything, Nested, Described, Plain, External, Internal, Adjacent, Untagged, HoldsEnums,
            MaybeNull, NeededNulls, Numbered, Tree, Chain, Expression, Wrapper, Transparent, Generic<Wrapper>, Generic<Chain>);
    }};
    (@each $check:ident $arguments:tt $($type:ty),+) => {
        $($check::<$type>$arguments;)+
    };
}

/// A value from the schema, that is meant to fit.
fn value(random: &mut Random, root: &Value, schema: &Value, depth: usize) -> Value {
    if let Some(target) = schema["$ref"].as_str() {
        let target = root.pointer(target.trim_start_matches('#')).unwrap();
        return value(random, root, target, depth.saturating_sub(1));
    }
    if let Some(constant) = schema.get("const") {
        return constant.clone();
    }
    if let Some(choices) = schema["enum"].as_array() {
        return random.pick(choices).clone();
    }
    for keyword in ["oneOf", "anyOf"] {
        if let Some(branches) = schema[keyword].as_array() {
            // The last branch of a recursive union need not end; the first does.
            let branch = if depth == 0 {
                &branches[0]
            } else {
                random.pick(branches)
            };
            let mut made = value(random, root, branch, depth);
            if let (Value::Object(made), true) = (&mut made, schema["properties"].is_object()) {
                made.extend(members(random, root, schema, depth));
            }
            return made;
        }
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => random.pick(kinds).as_str().unwrap().to_owned(),
        Value::String(kind) => kind.clone(),
        _ => return random.json(2),
    };
    match kind.as_str() {
        "null" => Value::Null,
        "boolean" => json!(random.chance(2)),
        "integer" | "number" => number(random, schema),
        "string" => text(random, schema),
        "array" => items(random, root, schema, depth),
        _ => Value::Object(members(random, root, schema, depth)),
    }
}

fn number(random: &mut Random, schema: &Value) -> Value {
    let low = schema["minimum"].as_i64().unwrap_or(-9).max(-9);
    let high = schema["maximum"].as_u64().unwrap_or(9).min(9);
    let span = usize::try_from(i64::try_from(high).unwrap() - low).unwrap();
    let number = low + i64::try_from(random.below(span + 1)).unwrap();
    match number {
        0 => json!(1),
        number if random.chance(4) => json!(f64::from(i32::try_from(number).unwrap())),
        number => json!(number),
    }
}

fn text(random: &mut Random, schema: &Value) -> Value {
    match schema["format"].as_str() {
        Some("ipv4") => json!("192.0.2.1"),
        _ if schema["pattern"].is_string() => json!("abc"),
        _ if schema["maxLength"] == json!(1) => json!("é"),
        _ if schema["maxLength"].is_number() => json!("ab"),
        _ => json!(random.text()),
    }
}

fn items(random: &mut Random, root: &Value, schema: &Value, depth: usize) -> Value {
    if let Some(leading) = schema["prefixItems"].as_array() {
        return leading
            .iter()
            .map(|item| value(random, root, item, depth))
            .collect();
    }
    let low = usize::try_from(schema["minItems"].as_u64().unwrap_or(0)).unwrap();
    let high = usize::try_from(schema["maxItems"].as_u64().unwrap_or(3)).unwrap();
    let count = if depth == 0 {
        low
    } else {
        low + random.below(high - low + 1)
    };
    let below = depth.saturating_sub(1);
    let mut items: Vec<Value> = Vec::new();
    for _ in 0..count {
        let item = value(random, root, &schema["items"], below);
        let same = |known: &Value| known.as_f64().is_some() && known.as_f64() == item.as_f64();
        let repeated = items.iter().any(|known| *known == item || same(known));
        if schema["uniqueItems"] != json!(true) || !repeated {
            items.push(item);
        }
    }
    Value::Array(items)
}

fn members(random: &mut Random, root: &Value, schema: &Value, depth: usize) -> Map<String, Value> {
    let mut members = Map::new();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let needed = required.contains(&json!(name));
        if needed || (depth > 0 && !random.chance(3)) {
            members.insert(
                name.clone(),
                value(random, root, property, depth.saturating_sub(1)),
            );
        }
    }
    if schema["additionalProperties"].is_object() && random.chance(2) {
        let other = value(
            random,
            root,
            &schema["additionalProperties"],
            depth.saturating_sub(1),
        );
        members.insert("other".to_owned(), other);
    }
    for (pattern, property) in schema["patternProperties"]
        .as_object()
        .into_iter()
        .flatten()
    {
        assert!(pattern.contains("\\d"), "{pattern}");
        members.insert(
            "7".to_owned(),
            value(random, root, property, depth.saturating_sub(1)),
        );
    }
    members
}

/// Both halves of one type keep to what they publish.
fn keeps_its_word<T: DerivedInput + DerivedOutput + std::fmt::Debug>(seed: u64) {
    let codec = codec::derived::<T>();
    let name = std::any::type_name::<T>();
    let schema = codec.decoder().schema().to_value();
    let input = referee(&schema);
    let output = referee(&codec.encoder().schema().to_value());
    let mut random = Random::new(seed);
    for damages in [0, 0, 1, 2].repeat(20) {
        let mut value = value(&mut random, &schema, &schema, 3);
        for _ in 0..damages {
            random.damage(&mut value);
        }
        let fits = input.is_valid(&without_absent(&schema, &value));
        assert!(fits || damages > 0, "{name}: {value} should fit {schema}");
        match codec.decode(value.clone()) {
            Ok(read) => {
                assert!(fits, "{name}: {value} against {schema}");
                let written = codec.encode(read).unwrap();
                assert!(output.is_valid(&written), "{name}: {written}");
            }
            Err(faults) => {
                // What is left to say is what the type's own code refuses.
                assert!(
                    !fits || own_code_refuses(name, &faults.to_string()),
                    "{name}: {value}: {faults}"
                );
            }
        }
    }
}

/// What a type's own serde code refuses though its schema does not.
fn own_code_refuses(name: &str, faults: &str) -> bool {
    // Schemars cannot say which of a map's keys are numbers of which size, nor what an address is.
    (name.ends_with("Maps") && faults.contains("u8"))
        || (name.ends_with("Addresses") && faults.contains("IP address"))
        || (name.ends_with("NonZero") && faults.contains("nonzero"))
}

proptest! {
    #![proptest_config(cases(2))]

    /// SCH-08, TOOL-07, TOOL-13
    #[test]
    fn thirty_types_keep_to_what_they_publish(seed: u64) {
        every_type!(keeps_its_word(seed));
    }
}

/// The profile changes how a schema says it, not what it says: apart from an optional `null`, the
/// bounds of integers, and what is written as `null`.
fn means_what_schemars_says<T: DerivedInput>(seed: u64) {
    let raw = schemars::generate::SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<T>();
    let raw = referee(raw.as_value());
    let schema = codec::input::<T>().schema().to_value();
    let tidied = referee(&schema);
    let mut random = Random::new(seed);
    for damages in [0, 1, 2].repeat(20) {
        let mut value = value(&mut random, &schema, &schema, 3);
        for _ in 0..damages {
            random.damage(&mut value);
        }
        let judged = without_absent(&schema, &value);
        if tidied.is_valid(&judged) {
            assert!(raw.is_valid(&judged), "{judged} against {schema}");
        } else if raw.is_valid(&value) {
            let text = value.to_string();
            let digits = text.chars().filter(char::is_ascii_digit).count();
            let wide = digits > 8 || text.contains("e+");
            let formats = text.contains('.');
            assert!(wide || formats, "{value} against {schema}");
        }
    }
}

proptest! {
    #![proptest_config(cases(2))]

    /// SCH-08
    #[test]
    fn the_profile_changes_no_meaning(seed: u64) {
        every_type!(means_what_schemars_says(seed));
    }
}

// TOOL-07: for a union, the faults of the branch whose tag matched.
#[test]
fn a_union_speaks_of_the_branch_that_was_meant() {
    let codec = codec::derived::<Internal>();
    for (value, faults) in [
        (
            json!({"kind": "square", "side": "2"}),
            "/side: expected an integer, got the string \"2\"",
        ),
        (
            json!({"kind": "circle"}),
            "/radius: missing, expected an integer",
        ),
        (
            json!({"kind": "triangle"}),
            "/kind: expected \"circle\", \"square\" or \"empty\", got the string \"triangle\"",
        ),
        (
            json!({}),
            "/kind: missing, expected \"circle\", \"square\" or \"empty\"",
        ),
        (json!(3), "(root): expected an object, got 3"),
    ] {
        assert_eq!(codec.decode(value).unwrap_err().to_string(), faults);
    }
    let codec = codec::derived::<External>();
    for (value, faults) in [
        (
            json!({"New": "x"}),
            "/New: expected an integer, got the string \"x\"",
        ),
        (
            json!({"Struct": {"a": 256}}),
            "/Struct/a: expected a number of at most 255, got 256",
        ),
    ] {
        assert_eq!(codec.decode(value).unwrap_err().to_string(), faults);
    }
    for (value, found) in [
        (json!("Nil"), "the string \"Nil\""),
        (json!({}), "the object {}"),
    ] {
        let faults = codec.decode(value).unwrap_err().to_string();
        assert!(faults.starts_with("(root): expected \"Unit\""), "{faults}");
        assert!(faults.ends_with(found), "{faults}");
    }
    assert_eq!(
        codec.decode(json!({"Old": 1})).unwrap_err().to_string(),
        "(root): expected \"Unit\", an object with the field `New`, an object with the field `Tuple` \
         or an object with the field `Struct`, got the object {\"Old\":1}"
    );
    let codec = codec::derived::<Untagged>();
    assert_eq!(
        codec.decode(json!("x")).unwrap_err().to_string(),
        "(root): expected true or false, an integer or an object, got the string \"x\""
    );
    assert_eq!(
        codec.decode(json!({"name": 1})).unwrap_err().to_string(),
        "/name: expected a string, got 1"
    );
}

// SCH-08: serde wants such a member even where it is `null`, so that is what is published.
#[test]
fn a_needed_member_keeps_its_null() {
    let codec = codec::derived::<NeededNulls>();
    let schema = codec.decoder().schema().to_value();
    assert_eq!(schema["required"], json!(["a", "b", "c"]));
    let nulls = json!({"a": null, "b": null, "c": [null]});
    let read = codec.decode(nulls.clone()).unwrap();
    assert_eq!((&read.a, &read.b), (&MaybeNull::Null, &NewOption(None)));
    assert_eq!(codec.encode(read).unwrap(), nulls);
    assert_eq!(
        codec
            .decode(json!({"a": 1, "c": []}))
            .unwrap_err()
            .to_string(),
        "/b: missing, expected an integer or null"
    );
}

// T07
#[test]
fn maps_of_numbers_are_read_like_everything_else() {
    let codec = codec::derived::<Numbered>();
    let read = codec
        .decode(json!({"a": {"1": 3.0}, "b": {"-7": [1e2]}}))
        .unwrap();
    assert_eq!((read.a[&1], read.b[&-7][0]), (3, 100));
    assert_eq!(
        codec
            .decode(json!({"a": {"x": 1}, "b": {}}))
            .unwrap_err()
            .to_string(),
        "/a/x: expected only fields whose name matches \"^\\\\d+$\", got an unknown field"
    );
}

// TOOL-07: all at once, in the order of the schema.
#[test]
fn every_fault_of_a_struct_is_reported_in_order() {
    let codec = codec::derived::<Renamed>();
    let faults = codec.decode(json!({"type": -1, "new": "x"})).unwrap_err();
    assert_eq!(
        faults.to_string(),
        "/firstName: missing, expected a string\n\
         /type: expected a number of at least 0, got -1\n\
         /new: expected an integer, got the string \"x\""
    );
    let codec = codec::list(codec::derived::<Closed>()).into_codec();
    let faults = codec
        .decode(json!([{"a": 1}, {"zz": 1, "b": 300}]))
        .unwrap_err();
    assert_eq!(
        faults.to_string(),
        "/1/a: missing, expected an integer\n\
         /1/b: expected a number of at most 255, got 300\n\
         /1/zz: expected only the fields `a` and `b`, got an unknown field"
    );
}

// TOOL-13
#[test]
fn what_is_written_is_judged() {
    let codec = codec::derived::<Described>();
    let value = Described {
        a: 1,
        b: String::new(),
        c: 9,
        d: "ABC".to_owned(),
        e: vec![1, 2, 3],
    };
    let faults = codec.encode(value).unwrap_err();
    assert_eq!(
        faults.to_string(),
        "/b: expected a string of at least 1 character, got \"\" (0 characters)\n\
         /c: expected a number of at most 4, got 9\n\
         /d: expected a string that matches the pattern ^[a-z]+$, got the string \"ABC\"\n\
         /e: expected a list of at most 2 items, got 3 items"
    );
    let faults = codec::output::<Floats>()
        .encode(Floats {
            single: f32::NAN,
            double: f64::INFINITY,
        })
        .unwrap_err();
    assert_eq!(
        faults.to_string(),
        "/single: expected a number, got NaN\n/double: expected a number, got inf"
    );
}

// T07
#[test]
fn numbers_without_a_fraction_are_integers_anywhere() {
    let codec = codec::derived::<External>();
    assert_eq!(
        codec.decode(json!({"Tuple": [3.0, "a"]})).unwrap(),
        External::Tuple(3, "a".to_owned())
    );
    let codec = codec::derived::<Internal>();
    assert_eq!(
        codec
            .decode(json!({"kind": "circle", "radius": 1e2}))
            .unwrap(),
        Internal::Circle { radius: 100 }
    );
    let codec = codec::derived::<Untagged>();
    assert_eq!(codec.decode(json!(2.0)).unwrap(), Untagged::Number(2));
    let codec = codec::derived::<Chain>();
    let chain = codec
        .decode(json!({"value": 1.0, "next": {"value": 2.0, "next": null}}))
        .unwrap();
    assert_eq!(chain.next.unwrap().value, 2);
}

#[test]
fn integers_beyond_sixty_four_bits_are_faults() {
    #[derive(Debug, Deserialize, Serialize, JsonSchema)]
    struct Wide {
        n: u128,
    }
    let codec = codec::derived::<Wide>();
    assert_eq!(
        codec.decode(json!({"n": u64::MAX})).unwrap().n,
        u128::from(u64::MAX)
    );
    let beyond: Value = serde_json::from_str(r#"{"n": 18446744073709551616}"#).unwrap();
    assert!(codec.decode(beyond).is_err());
    assert!(codec.encode(Wide { n: u128::MAX }).is_err());
}
