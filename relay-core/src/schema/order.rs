//! The order in which a Rust type writes its fields.
//!
//! Schemars hands out maps that are sorted by name. The order of the declaration shows elsewhere:
//! in what a struct's `Deserialize` asks its deserializer for, and in the lists of required
//! members, which name every field where a type describes what it serializes.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::keyword::subschemas_mut;
use super::node::{Members, Node};

/// What is known of how fields were written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    /// Every field of one struct.
    whole: Vec<Vec<String>>,
    /// Some fields of one struct.
    partial: Vec<Vec<String>>,
}

impl Order {
    /// Learns the fields of `T` itself, if it is a struct.
    pub(crate) fn learn_struct<'de, T: Deserialize<'de>>(&mut self) {
        let mut fields = &[][..];
        // A probe never yields a value; what it was asked for is the answer.
        let _refused = T::deserialize(Probe(&mut fields));
        if !fields.is_empty() {
            self.whole
                .push(fields.iter().map(|&name| name.to_owned()).collect());
        }
    }

    /// Learns from the lists of required members in a generated schema.
    pub(crate) fn learn_required(&mut self, schema: &mut Node) {
        let Node::Object(members) = schema else {
            return;
        };
        if let Some(required) = members.get("required").and_then(Node::as_array) {
            self.partial.push(
                required
                    .iter()
                    .filter_map(Node::as_str)
                    .map(str::to_owned)
                    .collect(),
            );
        }
        subschemas_mut(members, |_, schema| self.learn_required(schema));
    }

    /// Sorts properties into the order written, as far as it is known.
    pub(crate) fn sort(&self, properties: &mut Members) {
        let whole = self
            .whole
            .iter()
            .find(|fields| properties.keys().all(|name| fields.contains(name)));
        let partial = || {
            self.partial
                .iter()
                .filter(|fields| fields.iter().all(|name| properties.contains_key(name)))
                .max_by_key(|fields| fields.len())
        };
        if let Some(fields) = whole.or_else(partial).cloned() {
            let place = |name: &String| {
                fields
                    .iter()
                    .position(|field| field == name)
                    .unwrap_or(fields.len())
            };
            properties.sort_by_cached_key(|name, _| place(name));
        }
    }
}

/// A deserializer that only listens to what it is asked for.
struct Probe<'a>(&'a mut &'static [&'static str]);

#[derive(Debug)]
struct NoValue;

impl fmt::Display for NoValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a probe has no value")
    }
}

impl std::error::Error for NoValue {}

impl serde::de::Error for NoValue {
    fn custom<M: fmt::Display>(_message: M) -> Self {
        Self
    }
}

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = NoValue;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, NoValue> {
        Err(NoValue)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, NoValue> {
        *self.0 = fields;
        Err(NoValue)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, NoValue> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NoValue> {
        visitor.visit_some(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
