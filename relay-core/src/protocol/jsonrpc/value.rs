//! Building a `serde_json::Value` without losing sight of keys given twice.

use std::borrow::Cow;

use serde::de::{MapAccess, SeqAccess};
use serde_json::{Map, Number, Value};

use super::{
    Arguments, Slot,
    read::{MEMBER, RESERVED, Reader, Scan, Walk},
};

/// Reads a value of `map`, whatever it is; a key given twice counts against the message.
pub(in crate::protocol) fn build<'de, A: MapAccess<'de>>(
    scan: &mut Scan<'de>,
    map: &mut A,
) -> Result<Value, A::Error> {
    let value = map.next_value_seed(Walk(Build::new(scan)))?;
    scan.refuse_pointers();
    Ok(value)
}

/// Reads a value of `map` that should be an object; a key given twice counts against the message.
pub(in crate::protocol) fn object<'de, A: MapAccess<'de>>(
    scan: &mut Scan<'de>,
    map: &mut A,
) -> Result<Slot<Map<String, Value>>, A::Error> {
    let members = map.next_value_seed(Walk(Members(scan)))?;
    scan.refuse_pointers();
    Ok(members)
}

/// Reads a value of `map` that should be an object, with the pointers of keys given twice.
pub(super) fn arguments<'de, A: MapAccess<'de>>(
    scan: &mut Scan<'de>,
    map: &mut A,
) -> Result<Slot<Arguments>, A::Error> {
    let members = map.next_value_seed(Walk(Members(scan)))?;
    Ok(members.map(|values| Arguments {
        values,
        duplicates: scan.take_pointers(),
    }))
}

/// Builds a value; keys given twice go to the scan's pointers.
struct Build<'a, 'de> {
    scan: &'a mut Scan<'de>,
    path: Path<'a>,
}

impl<'a, 'de> Build<'a, 'de> {
    const fn new(scan: &'a mut Scan<'de>) -> Self {
        Self {
            scan,
            path: Path::Root,
        }
    }

    fn members<A: MapAccess<'de>>(self, mut map: A) -> Result<Map<String, Value>, A::Error> {
        let mut members = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let path = Path::Member(&self.path, &key);
            let value = map.next_value_seed(Walk(Build {
                scan: &mut *self.scan,
                path,
            }))?;
            if members.contains_key(&key) {
                self.scan.record(path);
            }
            self.scan.reserved |= key.starts_with(RESERVED);
            if self.scan.weigh(MEMBER) {
                members.insert(key, value);
            }
        }
        Ok(members)
    }
}

impl<'de> Reader<'de> for Build<'_, 'de> {
    type Output = Value;

    fn scan(&mut self) -> &mut Scan<'de> {
        self.scan
    }

    fn wrong(self, _found: &'static str) -> Value {
        Value::Null
    }

    fn boolean(self, value: bool) -> Value {
        Value::Bool(value)
    }

    fn number(self, value: Number) -> Value {
        Value::Number(value)
    }

    fn text(self, value: Cow<'de, str>) -> Value {
        Value::String(value.into_owned())
    }

    fn array<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = items.next_element_seed(Walk(Build {
            scan: &mut *self.scan,
            path: Path::Item(&self.path, values.len()),
        }))? {
            if self.scan.weigh(1) {
                values.push(value);
            }
        }
        Ok(Value::Array(values))
    }

    fn object<A: MapAccess<'de>>(self, map: A) -> Result<Value, A::Error> {
        self.members(map).map(Value::Object)
    }
}

/// Wants an object, and builds it.
struct Members<'a, 'de>(&'a mut Scan<'de>);

impl<'de> Reader<'de> for Members<'_, 'de> {
    type Output = Slot<Map<String, Value>>;

    fn scan(&mut self) -> &mut Scan<'de> {
        self.0
    }

    fn wrong(self, found: &'static str) -> Self::Output {
        Slot::Wrong(found)
    }

    fn null(self) -> Self::Output {
        Slot::Null
    }

    fn object<A: MapAccess<'de>>(self, map: A) -> Result<Self::Output, A::Error> {
        Build::new(self.0).members(map).map(Slot::Value)
    }
}

/// Where in a value the walk is.
#[derive(Clone, Copy)]
enum Path<'a> {
    Root,
    Member(&'a Self, &'a str),
    Item(&'a Self, usize),
}

impl Path<'_> {
    fn pointer(self) -> String {
        let mut steps = Vec::new();
        let mut path = self;
        loop {
            let (parent, step) = match path {
                Path::Root => break,
                Path::Member(parent, key) => (parent, key.replace('~', "~0").replace('/', "~1")),
                Path::Item(parent, index) => (parent, index.to_string()),
            };
            steps.push(step);
            path = *parent;
        }
        steps.iter().rev().flat_map(|step| ["/", step]).collect()
    }
}

/// The most duplicates recorded: enough to report, too few to fill memory.
const MAX_POINTERS: usize = 16;

/// The most bytes of pointers recorded after the first.
const MAX_POINTER_BYTES: usize = 4096;

impl Scan<'_> {
    fn record(&mut self, path: Path<'_>) {
        let room = self.pointers.len() < MAX_POINTERS
            && self.pointers.iter().map(String::len).sum::<usize>() < MAX_POINTER_BYTES;
        if room {
            self.pointers.push(path.pointer());
        }
    }

    /// The recorded pointers, each once. Doing this last keeps recording cheap however often one
    /// key is repeated.
    fn take_pointers(&mut self) -> Vec<String> {
        let mut pointers = Vec::new();
        for pointer in self.pointers.drain(..) {
            if !pointers.contains(&pointer) {
                pointers.push(pointer);
            }
        }
        pointers
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;
    use serde::de::DeserializeSeed;
    use serde_json::{Deserializer, Error, json};

    use super::*;

    struct Parsed {
        value: Value,
        duplicates: Vec<String>,
    }

    fn parse(text: &str) -> Result<Parsed, Error> {
        let mut scan = Scan::default();
        let mut deserializer = Deserializer::from_str(text);
        let value = Walk(Build::new(&mut scan)).deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(Parsed {
            value,
            duplicates: scan.take_pointers(),
        })
    }

    #[test]
    fn duplicates_are_found_at_any_depth_after_unescaping() {
        let duplicates = |text| parse(text).unwrap().duplicates;
        assert_eq!(duplicates(r#"{"a":1,"b":{"a":1}}"#), [""; 0]);
        assert_eq!(duplicates(r#"{"a":1,"\u0061":2}"#), ["/a"]);
        assert_eq!(duplicates(r#"[0,{"x/y":{"~":0,"~":1}}]"#), ["/1/x~1y/~0"]);
        assert_eq!(duplicates(r#"{"":1,"":2,"":3,"z":1,"z":1}"#), ["/", "/z"]);
        assert_eq!(
            duplicates(r#"[{"a":0,"a":0},{"a":0,"a":0}]"#),
            ["/0/a", "/1/a"]
        );
    }

    #[test]
    fn the_last_value_of_a_duplicate_stays() {
        assert_eq!(parse(r#"{"a":1,"a":2}"#).unwrap().value, json!({"a": 2}));
    }

    #[test]
    fn recorded_duplicates_are_bounded() {
        let item = r#"{"a":0,"a":0}"#;
        let many = format!("[{}]", vec![item; 10_000].join(","));
        assert_eq!(parse(&many).unwrap().duplicates.len(), MAX_POINTERS);
        let repeated = format!("{{{}}}", vec![r#""a":0"#; 10_000].join(","));
        assert_eq!(parse(&repeated).unwrap().duplicates, ["/a"]);
        let long = format!(r#"{{"{}":{many}}}"#, "k".repeat(100_000));
        assert_eq!(parse(&long).unwrap().duplicates.len(), 1);
    }

    // J07
    #[test]
    fn no_key_has_a_meaning_to_serde_json() {
        for text in [
            r#"{"$serde_json::private::RawValue":"[1]"}"#,
            r#"[{"a":1,"\u0024serde_json::private::RawValue":"[1]"}]"#,
            r#"{"$serde_json::private::Number":"1"}"#,
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(r#"{"$serde_json":1,"a":"$serde_json::private::RawValue"}"#).is_ok());
    }

    // J10
    #[test]
    fn integers_of_64_bits_stay_exact() {
        for text in [
            "18446744073709551615",
            "-9223372036854775808",
            "9007199254740993",
        ] {
            assert_eq!(parse(text).unwrap().value.to_string(), text);
        }
    }

    // J07
    #[test]
    fn extremes_are_an_error_or_a_value() {
        let depth = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(parse(&depth(127)).is_ok());
        assert!(parse(&depth(128)).is_err());
        assert!(parse(&depth(200_000)).is_err());
        assert!(parse("1e400").is_err());
        assert!(parse(&"9".repeat(5_000)).is_err());
        assert!(parse(&"9".repeat(200)).is_ok());
        assert!(parse(r#""\ud800""#).is_err());
        assert!(parse("{} x").is_err());
    }

    proptest! {
        #[test]
        fn a_value_without_duplicates_is_what_serde_json_reads(value in any_value()) {
            let text = value.to_string();
            let parsed = parse(&text).unwrap();
            prop_assert_eq!(parsed.value, serde_json::from_str::<Value>(&text).unwrap());
            prop_assert!(parsed.duplicates.is_empty());
        }
    }

    pub(in crate::protocol) fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-1e9..1e9).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                proptest::collection::btree_map("[a-c/~\"é]{0,3}", inner, 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }
}
