//! The public JSON-Schema-Test-Suite. It is not ours to commit: the directory is
//! `RELAY_SCHEMA_SUITE`, or `target/schema-suite`, where `scripts/test` puts it.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::{env, fs};

use relay_core::codec::{self, Format, IntoCodec};
use relay_core::schema::Validator;
use serde_json::{Map, Value};

/// One schema of the suite with what it says of values.
struct Group {
    name: String,
    schema: Value,
    tests: Vec<(Value, bool)>,
}

/// The groups of one file or of every file in a folder; `None` where the suite is not there.
fn groups(place: &str) -> Option<Vec<Group>> {
    let suite = suite()?;
    let place = suite.join("tests").join(place);
    let files = if place.is_dir() {
        children(&place)
    } else {
        vec![place]
    };
    Some(files.iter().flat_map(|file| read(file)).collect())
}

fn suite() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/schema-suite");
    let suite = env::var_os("RELAY_SCHEMA_SUITE").map_or(beside, PathBuf::from);
    if suite.join("tests/draft2020-12").is_dir() {
        return Some(suite);
    }
    // Straight to the stream: what a passing test prints is not shown.
    writeln!(
        io::stderr(),
        "LEFT OUT: no JSON-Schema-Test-Suite; set RELAY_SCHEMA_SUITE to a directory with tests/"
    )
    .unwrap();
    None
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|file| {
            file.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn read(file: &Path) -> Vec<Group> {
    let text = fs::read_to_string(file).unwrap();
    let groups: Vec<Value> = serde_json::from_str(&text).unwrap();
    let stem = file.file_stem().unwrap().to_string_lossy();
    groups
        .into_iter()
        .map(|mut group| Group {
            name: format!("{stem}: {}", group["description"].as_str().unwrap()),
            schema: group["schema"].take(),
            tests: group["tests"]
                .as_array()
                .unwrap()
                .iter()
                .map(|test| (test["data"].clone(), test["valid"].as_bool().unwrap()))
                .collect(),
        })
        .collect()
}

/// Why a schema of the suite is refused, where it is right to.
fn rightly_refused(group: &Group, error: &str) -> bool {
    let text = group.schema.to_string();
    // What lies elsewhere is never fetched, and a dialect of the author's own is not one of ours.
    text.contains("http://localhost:1234")
        || error.contains("dialect")
        || group.name.starts_with("refRemote")
}

// SCH-01, SCH-02, SCH-05
#[test]
fn the_validator_agrees_with_the_suite() {
    for (dialect, known) in [("draft2020-12", 320), ("draft7", 200)] {
        let Some(groups) = groups(dialect) else {
            return;
        };
        let mut judged = 0;
        for group in groups {
            // There a format is a hint, as it is by default. Here it is asserted.
            if group.name.starts_with("format:") {
                continue;
            }
            let schema = in_dialect(&group.schema, dialect);
            let validator = match Validator::new(&schema) {
                Ok(validator) => validator,
                Err(error) => {
                    let error = error.to_string();
                    assert!(rightly_refused(&group, &error), "{}: {error}", group.name);
                    continue;
                }
            };
            judged += 1;
            for (data, valid) in &group.tests {
                let faults = validator.validate(data);
                assert_eq!(faults.is_ok(), *valid, "{}: {data}: {faults:?}", group.name);
                if let Err(faults) = faults {
                    let parent = |pointer: &str| {
                        pointer
                            .rsplit_once('/')
                            .map_or(String::new(), |(parent, _)| parent.to_owned())
                    };
                    for fault in &faults {
                        let found = data.pointer(fault.pointer()).is_some()
                            || data.pointer(&parent(fault.pointer())).is_some();
                        assert!(found, "{}: {data}: {fault}", group.name);
                    }
                }
            }
        }
        assert!(judged >= known, "{dialect}: {judged}");
    }
}

/// The suite's files of draft-07 do not all say that they are.
fn in_dialect(schema: &Value, dialect: &str) -> Value {
    let mut schema = schema.clone();
    if let (Value::Object(members), "draft7") = (&mut schema, dialect) {
        let name = Value::from("http://json-schema.org/draft-07/schema#");
        members.entry("$schema").or_insert(name);
    }
    schema
}

/// What a builder makes of the one keyword of a schema, for the values that it is about.
fn built(keyword: &str, held: &Value, data: &Value) -> Option<bool> {
    let count = || {
        codec::integer::<usize>()
            .into_codec()
            .decode(held.clone())
            .ok()
    };
    let fits = match (keyword, data) {
        ("minLength", Value::String(_)) => reads(codec::string().min_length(count()?), data),
        ("maxLength", Value::String(_)) => reads(codec::string().max_length(count()?), data),
        ("pattern", Value::String(_)) => reads(codec::string().pattern(held.as_str()?), data),
        ("minimum", Value::Number(_)) => reads(codec::number().range(held.as_f64()?..), data),
        ("maximum", Value::Number(_)) => reads(codec::number().range(..=held.as_f64()?), data),
        ("exclusiveMaximum", Value::Number(_)) => {
            reads(codec::number().range(..held.as_f64()?), data)
        }
        ("multipleOf", Value::Number(_)) => {
            reads(codec::number().multiple_of(held.as_f64()?), data)
        }
        ("minItems", Value::Array(_)) => reads(codec::list(codec::any()).min_items(count()?), data),
        ("maxItems", Value::Array(_)) => reads(codec::list(codec::any()).max_items(count()?), data),
        ("uniqueItems", Value::Array(_)) if *held == Value::Bool(true) => {
            reads(codec::list(codec::any()).unique(), data)
        }
        ("minProperties", Value::Object(_)) => {
            reads(codec::dictionary(codec::any()).min_entries(count()?), data)
        }
        ("maxProperties", Value::Object(_)) => {
            reads(codec::dictionary(codec::any()).max_entries(count()?), data)
        }
        ("required", Value::Object(_)) => {
            let names: Vec<&str> = held.as_array()?.iter().filter_map(Value::as_str).collect();
            let fields: Vec<_> = names
                .iter()
                .map(|name| codec::field(*name, codec::any()))
                .collect();
            reads(codec::object(fields).open(), data)
        }
        ("enum", Value::String(_)) => {
            let names: Option<Vec<&str>> = held.as_array()?.iter().map(Value::as_str).collect();
            reads(codec::string().choices(names?), data)
        }
        ("type", data) => match held.as_str()? {
            "null" => reads(codec::unit(), data),
            "boolean" => reads(codec::boolean(), data),
            "integer" => reads(codec::integer::<i64>(), data),
            "number" => reads(codec::number(), data),
            "string" => reads(codec::string(), data),
            "array" => reads(codec::list(codec::any()), data),
            _ => reads(codec::dictionary(codec::any()), data),
        },
        _ => return None,
    };
    Some(fits)
}

fn reads<C: IntoCodec>(codec: C, data: &Value) -> bool {
    codec.into_codec().decode(data.clone()).is_ok()
}

// T07, TOOL-07
#[test]
fn the_builders_agree_with_the_suite() {
    let Some(groups) = groups("draft2020-12") else {
        return;
    };
    let mut judged = 0;
    for group in groups {
        let Some(members) = group.schema.as_object() else {
            continue;
        };
        let mut members: Map<String, Value> = members.clone();
        members.remove("$schema");
        let [(keyword, held)] = &members.iter().collect::<Vec<_>>()[..] else {
            continue;
        };
        for (data, valid) in &group.tests {
            if let Some(fits) = built(keyword, held, data) {
                assert_eq!(fits, *valid, "{}: {data}", group.name);
                judged += 1;
            }
        }
    }
    assert!(judged > 150, "{judged}");
}

#[test]
fn the_formats_agree_with_the_suite() {
    for format in Format::ALL {
        let file = format!("draft2020-12/optional/format/{}.json", format.as_str());
        let Some(groups) = groups(&file) else { return };
        for group in groups {
            for (data, valid) in &group.tests {
                let Some(text) = data.as_str() else { continue };
                // Of an internationalised label, only the Punycode is checked.
                if !text.contains("xn--") {
                    assert_eq!(format.admits(text), *valid, "{}: {text}", group.name);
                }
            }
        }
    }
}
