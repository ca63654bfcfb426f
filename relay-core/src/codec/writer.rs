//! A serializer into JSON that refuses what JSON does not have.
//!
//! `serde_json` writes NaN and the infinities as `null`, which an optional member would then hide.
//! Here they are faults, each with its place.

use std::fmt::{self, Display};

use serde::ser::{self, Serialize};
use serde_json::{Map, Number, Value};

use super::fault::{Location, Report};

/// Writes `value`, noting what does not fit JSON. `None` where anything was noted.
pub(crate) fn write<T: Serialize + ?Sized>(
    value: &T,
    at: &Location<'_>,
    report: &mut Report,
) -> Option<Value> {
    match value.serialize(Writer {
        at,
        report: &mut *report,
    }) {
        Ok(written) => Some(written),
        Err(Stop::Noted) => None,
        Err(Stop::Refused(message)) => {
            report.refused(at, message, None);
            None
        }
    }
}

/// Why writing stopped.
#[derive(Debug)]
enum Stop {
    Noted,
    /// By the type's own `Serialize`.
    Refused(String),
}

impl Display for Stop {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Noted => formatter.write_str("the value does not fit JSON"),
            Self::Refused(message) => formatter.write_str(message),
        }
    }
}

impl std::error::Error for Stop {}

impl ser::Error for Stop {
    fn custom<T: Display>(message: T) -> Self {
        Self::Refused(message.to_string())
    }
}

struct Writer<'a> {
    at: &'a Location<'a>,
    report: &'a mut Report,
}

impl Writer<'_> {
    fn refuse(self, expected: &'static str, found: String) -> Stop {
        self.report.expected_but(self.at, expected, found);
        Stop::Noted
    }
}

impl<'a> ser::Serializer for Writer<'a> {
    type Ok = Value;
    type Error = Stop;
    type SerializeSeq = Items<'a>;
    type SerializeTuple = Items<'a>;
    type SerializeTupleStruct = Items<'a>;
    type SerializeTupleVariant = Variant<Items<'a>>;
    type SerializeMap = Members<'a>;
    type SerializeStruct = Members<'a>;
    type SerializeStructVariant = Variant<Members<'a>>;

    fn serialize_bool(self, value: bool) -> Result<Value, Stop> {
        Ok(Value::Bool(value))
    }

    fn serialize_i8(self, value: i8) -> Result<Value, Stop> {
        Ok(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<Value, Stop> {
        Ok(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<Value, Stop> {
        Ok(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<Value, Stop> {
        Ok(value.into())
    }

    fn serialize_i128(self, value: i128) -> Result<Value, Stop> {
        Number::from_i128(value)
            .map(Value::Number)
            .ok_or_else(|| self.refuse(SIXTY_FOUR_BITS, value.to_string()))
    }

    fn serialize_u8(self, value: u8) -> Result<Value, Stop> {
        Ok(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<Value, Stop> {
        Ok(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<Value, Stop> {
        Ok(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<Value, Stop> {
        Ok(value.into())
    }

    fn serialize_u128(self, value: u128) -> Result<Value, Stop> {
        Number::from_u128(value)
            .map(Value::Number)
            .ok_or_else(|| self.refuse(SIXTY_FOUR_BITS, value.to_string()))
    }

    fn serialize_f32(self, value: f32) -> Result<Value, Stop> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<Value, Stop> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| self.refuse("a number", value.to_string()))
    }

    fn serialize_char(self, value: char) -> Result<Value, Stop> {
        Ok(Value::String(value.to_string()))
    }

    fn serialize_str(self, value: &str) -> Result<Value, Stop> {
        Ok(Value::String(value.to_owned()))
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Value, Stop> {
        Ok(value.iter().copied().map(Value::from).collect())
    }

    fn serialize_none(self) -> Result<Value, Stop> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value, Stop> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value, Stop> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<Value, Stop> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<Value, Stop> {
        Ok(Value::String(variant.to_owned()))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<Value, Stop> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Value, Stop> {
        let at = self.at.key(variant);
        let value = value.serialize(Writer {
            at: &at,
            report: self.report,
        })?;
        Ok(under(variant, value))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Items<'a>, Stop> {
        Ok(Items {
            at: self.at,
            variant: None,
            report: self.report,
            written: Vec::with_capacity(length.unwrap_or_default().min(1024)),
            sound: true,
        })
    }

    fn serialize_tuple(self, length: usize) -> Result<Items<'a>, Stop> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(self, _name: &'static str, length: usize) -> Result<Items<'a>, Stop> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Variant<Items<'a>>, Stop> {
        let mut inner = self.serialize_seq(Some(length))?;
        inner.variant = Some(variant);
        Ok(Variant {
            name: variant,
            inner,
        })
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<Members<'a>, Stop> {
        Ok(Members {
            at: self.at,
            variant: None,
            report: self.report,
            written: Map::new(),
            key: None,
            sound: true,
        })
    }

    fn serialize_struct(self, _name: &'static str, length: usize) -> Result<Members<'a>, Stop> {
        self.serialize_map(Some(length))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Variant<Members<'a>>, Stop> {
        let mut inner = self.serialize_map(Some(length))?;
        inner.variant = Some(variant);
        Ok(Variant {
            name: variant,
            inner,
        })
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<Value, Stop> {
        Ok(Value::String(value.to_string()))
    }
}

const SIXTY_FOUR_BITS: &str = "an integer of up to 64 bits";

fn under(name: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(name.to_owned(), value)]))
}

/// Writes one part; a part that was noted does not keep the others from being looked at.
fn part<T: Serialize + ?Sized>(
    value: &T,
    at: &Location<'_>,
    report: &mut Report,
    sound: &mut bool,
) -> Result<Value, Stop> {
    match value.serialize(Writer { at, report }) {
        Err(Stop::Noted) => {
            *sound = false;
            Ok(Value::Null)
        }
        written => written,
    }
}

/// The place inside a variant, which is a member of its own.
fn inside<'a>(at: &'a Location<'a>, variant: Option<&'a str>) -> Location<'a> {
    variant.map_or(*at, |name| at.key(name))
}

struct Items<'a> {
    at: &'a Location<'a>,
    variant: Option<&'static str>,
    report: &'a mut Report,
    written: Vec<Value>,
    sound: bool,
}

impl Items<'_> {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        let at = inside(self.at, self.variant);
        let at = at.index(self.written.len());
        let item = part(value, &at, self.report, &mut self.sound)?;
        self.written.push(item);
        Ok(())
    }

    fn finish(self) -> Result<Value, Stop> {
        if self.sound {
            Ok(Value::Array(self.written))
        } else {
            Err(Stop::Noted)
        }
    }
}

impl ser::SerializeSeq for Items<'_> {
    type Ok = Value;
    type Error = Stop;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        self.push(value)
    }

    fn end(self) -> Result<Value, Stop> {
        self.finish()
    }
}

impl ser::SerializeTuple for Items<'_> {
    type Ok = Value;
    type Error = Stop;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        self.push(value)
    }

    fn end(self) -> Result<Value, Stop> {
        self.finish()
    }
}

impl ser::SerializeTupleStruct for Items<'_> {
    type Ok = Value;
    type Error = Stop;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        self.push(value)
    }

    fn end(self) -> Result<Value, Stop> {
        self.finish()
    }
}

struct Members<'a> {
    at: &'a Location<'a>,
    variant: Option<&'static str>,
    report: &'a mut Report,
    written: Map<String, Value>,
    key: Option<String>,
    sound: bool,
}

impl Members<'_> {
    fn insert<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Stop> {
        let at = inside(self.at, self.variant);
        let value = part(value, &at.key(name), self.report, &mut self.sound)?;
        self.written.insert(name.to_owned(), value);
        Ok(())
    }

    fn finish(self) -> Result<Value, Stop> {
        if self.sound {
            Ok(Value::Object(self.written))
        } else {
            Err(Stop::Noted)
        }
    }
}

impl ser::SerializeMap for Members<'_> {
    type Ok = Value;
    type Error = Stop;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Stop> {
        let key = part(key, self.at, self.report, &mut self.sound)?;
        self.key = match key {
            Value::String(name) => Some(name),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(flag) => Some(flag.to_string()),
            other => {
                self.report
                    .expected(self.at, "a key that is a string", &other);
                self.sound = false;
                None
            }
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        match self.key.take() {
            Some(name) => self.insert(&name, value),
            None => Ok(()),
        }
    }

    fn end(self) -> Result<Value, Stop> {
        self.finish()
    }
}

impl ser::SerializeStruct for Members<'_> {
    type Ok = Value;
    type Error = Stop;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Stop> {
        self.insert(name, value)
    }

    fn end(self) -> Result<Value, Stop> {
        self.finish()
    }
}

/// The content of a variant, under its name.
struct Variant<W> {
    name: &'static str,
    inner: W,
}

impl ser::SerializeTupleVariant for Variant<Items<'_>> {
    type Ok = Value;
    type Error = Stop;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        self.inner.push(value)
    }

    fn end(self) -> Result<Value, Stop> {
        Ok(under(self.name, self.inner.finish()?))
    }
}

impl ser::SerializeStructVariant for Variant<Members<'_>> {
    type Ok = Value;
    type Error = Stop;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Stop> {
        self.inner.insert(name, value)
    }

    fn end(self) -> Result<Value, Stop> {
        Ok(under(self.name, self.inner.finish()?))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Serialize;
    use serde_json::json;

    use super::*;

    #[derive(Serialize)]
    struct Unit;

    #[derive(Serialize)]
    struct Pair(u8, f32);

    #[derive(Serialize)]
    enum Kind {
        Unit,
        New(f64),
        Tuple(u8, f64),
        Struct { value: f64 },
    }

    #[derive(Serialize)]
    struct All {
        flag: bool,
        small: i8,
        wide: u128,
        letter: char,
        text: &'static str,
        none: Option<u8>,
        some: Option<u8>,
        unit: Unit,
        pair: Pair,
        tuple: (u8, String),
        kinds: Vec<Kind>,
        by_number: BTreeMap<u8, bool>,
    }

    fn all(value: f64) -> All {
        All {
            flag: true,
            small: -1,
            wide: u128::from(u64::MAX),
            letter: 'x',
            text: "text",
            none: None,
            some: Some(1),
            unit: Unit,
            pair: Pair(1, 0.5),
            tuple: (1, "a".to_owned()),
            kinds: vec![
                Kind::Unit,
                Kind::New(1.0),
                Kind::Tuple(1, 2.5),
                Kind::Struct { value },
            ],
            by_number: BTreeMap::from([(7, true)]),
        }
    }

    #[test]
    fn what_fits_is_written_as_serde_json_does() {
        let mut report = Report::default();
        let written = write(&all(0.25), &Location::ROOT, &mut report).unwrap();
        assert_eq!(written, serde_json::to_value(all(0.25)).unwrap());
    }

    #[test]
    fn what_json_does_not_have_is_a_fault_in_its_place() {
        let mut report = Report::default();
        let value = (
            all(f64::NAN),
            u128::MAX,
            vec![Some(f64::INFINITY)],
            i128::MIN,
        );
        let written = write(&value, &Location::ROOT, &mut report);
        assert_eq!(
            report.settle(written).unwrap_err().to_string(),
            "/0/kinds/3/Struct/value: expected a number, got NaN\n\
             /1: expected an integer of up to 64 bits, got \
             340282366920938463463374607431768211455\n\
             /2/0: expected a number, got inf\n\
             /3: expected an integer of up to 64 bits, got \
             -170141183460469231731687303715884105728"
        );
    }

    #[test]
    fn a_key_that_is_no_string_is_a_fault() {
        let mut report = Report::default();
        let written = write(
            &BTreeMap::from([(vec![1], 2)]),
            &Location::ROOT,
            &mut report,
        );
        assert_eq!(
            report.settle(written).unwrap_err().to_string(),
            "(root): expected a key that is a string, got the array [1]"
        );
    }

    #[test]
    fn what_the_type_itself_refuses_is_a_fault() {
        struct Never;
        impl Serialize for Never {
            fn serialize<S: ser::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
                Err(ser::Error::custom("never"))
            }
        }
        let mut report = Report::default();
        let written = write(&[Never], &Location::ROOT, &mut report);
        assert_eq!(
            report.settle(written).unwrap_err().to_string(),
            "(root): never"
        );
    }

    #[test]
    fn numbers_keep_their_form() {
        let mut report = Report::default();
        let written = write(&(1_u64, 1.0_f64), &Location::ROOT, &mut report).unwrap();
        assert_eq!(written, json!([1, 1.0]));
        assert_eq!(written.to_string(), "[1,1.0]");
    }
}
