//! The profile: what every schema that Relay derives looks like, whatever its type.

use schemars::JsonSchema;
use schemars::generate::{Contract, SchemaSettings};
use serde_json::Value;

use super::Schema;
use super::keyword::{Holds, holds, subschemas_mut};
use super::node::{Members, Node};
use super::order::Order;

/// Which side of a type a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// What the type can be read from.
    Input,
    /// What the type is written as.
    Output,
}

/// The tidied schema of one side of `T`, with its properties in `order` as far as it is known.
pub(crate) fn derive<T: JsonSchema + ?Sized>(side: Side, mut order: Order) -> Schema {
    let (mut root, mut definitions) = generate::<T>(side);
    // What a type serializes names nearly all of its fields as required, in the order written.
    let (mut written, mut written_definitions) = generate::<T>(Side::Output);
    for schema in std::iter::once(&mut written).chain(written_definitions.values_mut()) {
        order.learn_required(schema);
    }
    order.learn_required(&mut root);
    let (read, read_definitions) = generate::<T>(Side::Input);
    tidy(&mut root, &order);
    tidy_optional(&mut root, Some(&read));
    for (name, definition) in &mut definitions {
        tidy(definition, &order);
        tidy_optional(definition, read_definitions.get(name));
    }
    match root {
        Node::Object(root) => Schema::with_definitions(root, definitions),
        // `tidy` leaves no boolean schema.
        _ => Schema::new(Members::new()),
    }
}

fn generate<T: JsonSchema + ?Sized>(side: Side) -> (Node, Members) {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
        settings.contract = match side {
            Side::Input => Contract::Deserialize,
            Side::Output => Contract::Serialize,
        };
    });
    let mut generator = settings.into_generator();
    // Not the root schema, in which a recursive type is `#`: that would mean something else as soon
    // as it is nested.
    let schema = generator.subschema_for::<T>();
    let definitions = generator
        .take_definitions(true)
        .into_iter()
        .map(|(name, definition)| (name, Node::from(definition)))
        .collect();
    (Node::from(Value::from(schema)), definitions)
}

/// Brings a schema, and every schema inside it, into the profile.
fn tidy(schema: &mut Node, order: &Order) {
    if let Node::Bool(admits) = *schema {
        *schema = spelt_out(admits);
    }
    let Node::Object(members) = schema else {
        return;
    };
    tidy_open(members);
    subschemas_mut(members, |keyword, schema| {
        let closes = keyword.starts_with("additional") || keyword.starts_with("unevaluated");
        if !(closes && *schema == Node::Bool(false)) {
            tidy(schema, order);
        }
    });
    tidy_format(members);
    if let Some(Node::Object(properties)) = members.get_mut("properties") {
        order.sort(properties);
    }
    members.sort_by_cached_key(|keyword, _| place(keyword));
}

/// A boolean schema as an object, for readers that know no other.
fn spelt_out(admits: bool) -> Node {
    if admits {
        Node::Object(Members::new())
    } else {
        Node::object([("not", Node::Object(Members::new()))])
    }
}

/// "Anything else may be there" is what a schema means anyway.
fn tidy_open(members: &mut Members) {
    for keyword in ["additionalProperties", "unevaluatedProperties"] {
        if members.get(keyword) == Some(&Node::Bool(true)) {
            members.shift_remove(keyword);
        }
    }
}

/// The formats that JSON Schema defines and that are enforced.
const FORMATS: [&str; 17] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
];

/// The bounds that a format of schemars' own stands for.
fn bounds(format: &str) -> Option<(Node, Node)> {
    fn of<N: Into<Value>>(minimum: N, maximum: N) -> (Node, Node) {
        (Node::from(minimum.into()), Node::from(maximum.into()))
    }
    Some(match format {
        "int8" => of(i8::MIN, i8::MAX),
        "int16" => of(i16::MIN, i16::MAX),
        "int32" => of(i32::MIN, i32::MAX),
        "int64" => of(i64::MIN, i64::MAX),
        "int" => of(isize::MIN, isize::MAX),
        "uint8" => of(u8::MIN, u8::MAX),
        "uint16" => of(u16::MIN, u16::MAX),
        "uint32" => of(u32::MIN, u32::MAX),
        "uint64" => of(u64::MIN, u64::MAX),
        "uint" => of(usize::MIN, usize::MAX),
        // Beyond these, serde reads infinity.
        "float" => of(f64::from(f32::MIN), f64::from(f32::MAX)),
        _ => return None,
    })
}

/// Leaves the formats that are enforced; of the others, what they mean.
fn tidy_format(members: &mut Members) {
    let Some(format) = members.get("format").and_then(Node::as_str) else {
        return;
    };
    if FORMATS.contains(&format) {
        return;
    }
    let bounds = bounds(format);
    members.shift_remove("format");
    if let Some((minimum, maximum)) = bounds {
        members.entry("minimum".to_owned()).or_insert(minimum);
        members.entry("maximum".to_owned()).or_insert(maximum);
    }
}

/// A member that may be left out does not say that it may be `null` as well: `null` counts as left
/// out. What a type writes as `null` is left out likewise, so such a member is not required.
///
/// Which members may be left out is for `read` to say, the schema of what the type is read from: a
/// member that it requires may be `null` and still has to be there.
fn tidy_optional(schema: &mut Node, read: Option<&Node>) {
    let Node::Object(members) = schema else {
        return;
    };
    let read = read.and_then(Node::as_object);
    for (keyword, held) in members.iter_mut() {
        let read = read.and_then(|read| read.get(keyword));
        match (holds(keyword, held), held) {
            (Holds::Schema, schema) => tidy_optional(schema, read),
            (Holds::List, Node::Array(schemas)) => {
                let read = read.and_then(Node::as_array).unwrap_or_default();
                for (index, schema) in schemas.iter_mut().enumerate() {
                    tidy_optional(schema, read.get(index));
                }
            }
            (Holds::Map, Node::Object(schemas)) => {
                let read = read.and_then(Node::as_object);
                for (name, schema) in schemas {
                    tidy_optional(schema, read.and_then(|read| read.get(name)));
                }
            }
            _ => {}
        }
    }
    let needed = read
        .and_then(|read| read.get("required")?.as_array())
        .unwrap_or_default();
    let mut freed = Vec::new();
    if let Some(Node::Object(properties)) = members.get_mut("properties") {
        for (name, property) in properties {
            let optional = !needed.iter().any(|known| known.as_str() == Some(name));
            if optional && without_null(property) {
                freed.push(name.clone());
            }
        }
    }
    if let Some(Node::Array(required)) = members.get_mut("required") {
        required.retain(|name| !freed.iter().any(|free| name.as_str() == Some(free)));
        if required.is_empty() {
            members.shift_remove("required");
        }
    }
}

/// Takes `null` out of a union with something else; `false` if there is no such union.
fn without_null(property: &mut Node) -> bool {
    let Node::Object(members) = property else {
        return false;
    };
    let taken = without_null_type(members) || without_null_branch(members);
    if taken {
        if members.get("default") == Some(&Node::Null) {
            members.shift_remove("default");
        }
        if let Some(Node::Array(choices)) = members.get_mut("enum") {
            choices.retain(|choice| *choice != Node::Null);
        }
        members.sort_by_cached_key(|keyword, _| place(keyword));
    }
    taken
}

/// `["string", "null"]` becomes `"string"`.
fn without_null_type(members: &mut Members) -> bool {
    let Some(Node::Array(kinds)) = members.get_mut("type") else {
        return false;
    };
    let before = kinds.len();
    if before < 2 {
        return false;
    }
    kinds.retain(|kind| kind.as_str() != Some("null"));
    let taken = kinds.len() < before;
    if let [kind] = kinds.as_slice() {
        let kind = kind.clone();
        members.insert("type".to_owned(), kind);
    }
    taken
}

/// `anyOf: [S, {"type": "null"}]` becomes `S`, keeping the words beside it.
fn without_null_branch(members: &mut Members) -> bool {
    let Some(Node::Array(branches)) = members.get_mut("anyOf") else {
        return false;
    };
    let is_null = |branch: &Node| {
        branch
            .as_object()
            .and_then(|branch| branch.get("type"))
            .and_then(Node::as_str)
            == Some("null")
    };
    let before = branches.len();
    if before < 2 {
        return false;
    }
    branches.retain(|branch| !is_null(branch));
    if branches.len() == before {
        return false;
    }
    if let [Node::Object(branch)] = branches.as_slice() {
        let branch = branch.clone();
        members.shift_remove("anyOf");
        for (keyword, held) in branch {
            members.entry(keyword).or_insert(held);
        }
    }
    true
}

/// Where a keyword stands: what a model reads first comes first.
fn place(keyword: &str) -> usize {
    const ORDER: [&str; 13] = [
        "$ref",
        "type",
        "title",
        "description",
        "const",
        "enum",
        "properties",
        "required",
        "additionalProperties",
        "prefixItems",
        "items",
        "minimum",
        "maximum",
    ];
    match keyword {
        "default" | "examples" => ORDER.len() + 1,
        _ => ORDER
            .iter()
            .position(|known| *known == keyword)
            .unwrap_or(ORDER.len()),
    }
}

/// Whether `null` is one of the values of a schema, as far as its own keywords say. The definitions
/// are by reference.
pub(crate) fn admits_null(schema: &Node, definitions: &Members) -> bool {
    admits_null_within(schema, definitions, 8)
}

fn admits_null_within(schema: &Node, definitions: &Members, depth: usize) -> bool {
    let Node::Object(members) = schema else {
        return *schema == Node::Bool(true);
    };
    let Some(depth) = depth.checked_sub(1) else {
        return true;
    };
    let inner = |schema: &Node| admits_null_within(schema, definitions, depth);
    members
        .iter()
        .all(|(keyword, held)| match (keyword.as_str(), held) {
            ("type", Node::String(kind)) => kind == "null",
            ("type", Node::Array(kinds)) => kinds.iter().any(|kind| kind.as_str() == Some("null")),
            ("const", value) => *value == Node::Null,
            ("enum", Node::Array(choices)) => choices.contains(&Node::Null),
            ("anyOf" | "oneOf", Node::Array(branches)) => branches.iter().any(inner),
            ("allOf", Node::Array(branches)) => branches.iter().all(inner),
            ("not", negated) => !inner(negated),
            ("$ref", Node::String(target)) => definitions.get(target).is_none_or(inner),
            _ => true,
        })
}
