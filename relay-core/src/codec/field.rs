//! The members of an object.

use std::fmt;

use serde_json::{Map, Value};

use super::definition::DefinitionFault;
use super::fault::{Location, Report};
use super::{Decoder, Encoder, IntoCodec, IntoValue};
use crate::schema::{Node, Schema};

/// A member that has to be there.
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
/// use serde_json::json;
///
/// let codec = codec::object(codec::field("confirm", codec::boolean())).into_codec();
/// assert_eq!(codec.decode(json!({"confirm": true})).unwrap(), true);
/// assert_eq!(
///     codec.decode(json!({})).unwrap_err().to_string(),
///     "/confirm: missing, expected true or false",
/// );
/// ```
pub fn field<C: IntoCodec>(name: impl Into<String>, codec: C) -> Field<C::Value> {
    let codec = codec.into_codec();
    Field {
        name: name.into(),
        read: Read {
            schema: codec.decoder.schema().clone(),
            required: true,
            faults: codec.decoder.about().faults.clone(),
            member: Box::new(Required(codec.decoder)),
        },
        write: write_required(codec.encoder),
    }
}

/// A member that may be left out: `None`.
///
/// `null` counts as left out, unless the codec admits null.
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
/// use serde_json::json;
///
/// let codec = codec::object(codec::optional("tag", codec::string())).into_codec();
/// assert_eq!(codec.decode(json!({"tag": "new"})).unwrap().as_deref(), Some("new"));
/// assert_eq!(codec.decode(json!({"tag": null})).unwrap(), None);
/// assert_eq!(codec.encode(None).unwrap(), json!({}));
/// ```
pub fn optional<C: IntoCodec>(name: impl Into<String>, codec: C) -> Field<Option<C::Value>> {
    let codec = codec.into_codec();
    Field {
        name: name.into(),
        read: Read {
            schema: codec.decoder.schema().clone(),
            required: false,
            faults: codec.decoder.about().faults.clone(),
            member: Box::new(Optional(codec.decoder)),
        },
        write: Write {
            schema: codec.encoder.schema().clone(),
            required: false,
            faults: codec.encoder.about().faults.clone(),
            member: Box::new(Optional(codec.encoder)),
        },
    }
}

/// A member that takes a published default where it is left out.
///
/// `null` counts as left out, unless the codec admits null.
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
/// use serde_json::json;
///
/// let codec = codec::object(codec::defaulted("weeks", codec::integer::<u8>(), 12)).into_codec();
/// assert_eq!(codec.decode(json!({})).unwrap(), 12);
/// assert_eq!(
///     codec.decoder().schema().to_value()["properties"]["weeks"]["default"],
///     json!(12),
/// );
/// ```
pub fn defaulted<C: IntoCodec>(
    name: impl Into<String>,
    codec: C,
    default: impl IntoValue<C::Value>,
) -> Field<C::Value> {
    let codec = codec.into_codec();
    let mut faults = codec.decoder.about().faults.clone();
    let mut schema = codec.decoder.schema().clone();
    // A codec that is faulty itself has no default to speak of.
    let default = if faults.is_empty() {
        // Kept as JSON: it is read anew wherever it is taken.
        codec.sample(default.into_value()).unwrap_or_else(|misfit| {
            faults.push(DefinitionFault::new(format!(
                "the default does not fit: {misfit}"
            )));
            Value::Null
        })
    } else {
        Value::Null
    };
    schema = schema.edited(|members| {
        members.insert("default".to_owned(), Node::from(default.clone()));
    });
    Field {
        name: name.into(),
        read: Read {
            schema,
            required: false,
            faults,
            member: Box::new(Defaulted {
                decoder: codec.decoder,
                default,
            }),
        },
        write: write_required(codec.encoder),
    }
}

fn write_required<T: 'static>(encoder: Encoder<T>) -> Write<T> {
    Write {
        schema: encoder.schema().clone(),
        required: true,
        faults: encoder.about().faults.clone(),
        member: Box::new(Required(encoder)),
    }
}

/// A member of an object: see [`field`], [`optional`] and [`defaulted`].
#[must_use]
pub struct Field<T> {
    pub(crate) name: String,
    pub(crate) read: Read<T>,
    pub(crate) write: Write<T>,
}

/// How a member is read, and what the schema says of it.
pub(crate) struct Read<T> {
    pub(crate) schema: Schema,
    pub(crate) required: bool,
    pub(crate) faults: Vec<DefinitionFault>,
    pub(crate) member: Box<dyn ReadMember<T>>,
}

/// How a member is written, and what the schema says of it.
pub(crate) struct Write<T> {
    pub(crate) schema: Schema,
    pub(crate) required: bool,
    pub(crate) faults: Vec<DefinitionFault>,
    pub(crate) member: Box<dyn WriteMember<T>>,
}

/// Reads what stands in a member's place, if anything.
pub(crate) trait ReadMember<T>: Send + Sync {
    fn read(&self, value: Option<Value>, at: &Location<'_>, report: &mut Report) -> Option<T>;
}

/// Writes a member, or leaves it out.
pub(crate) trait WriteMember<T>: Send + Sync {
    fn write(
        &self,
        value: T,
        name: &str,
        members: &mut Map<String, Value>,
        at: &Location<'_>,
        report: &mut Report,
    ) -> Option<()>;
}

impl<T: 'static> Field<T> {
    /// The same member, whose value is made into something else: the way there and back.
    ///
    /// ```
    /// use relay_core::codec::{self, IntoCodec};
    /// use serde_json::json;
    ///
    /// let tags = codec::optional("tags", codec::list(codec::string()))
    ///     .map(Option::unwrap_or_default, |tags| Some(tags).filter(|tags| !tags.is_empty()));
    /// let codec = codec::object(tags).into_codec();
    /// assert!(codec.decode(json!({})).unwrap().is_empty());
    /// assert_eq!(codec.encode(Vec::new()).unwrap(), json!({}));
    /// ```
    pub fn map<U: 'static>(
        self,
        into: impl Fn(T) -> U + Send + Sync + 'static,
        from: impl Fn(U) -> T + Send + Sync + 'static,
    ) -> Field<U> {
        Field {
            name: self.name,
            read: Read {
                member: Box::new(MapRead(self.read.member, into)),
                schema: self.read.schema,
                required: self.read.required,
                faults: self.read.faults,
            },
            write: Write {
                member: Box::new(MapWrite(self.write.member, from)),
                schema: self.write.schema,
                required: self.write.required,
                faults: self.write.faults,
            },
        }
    }
}

struct MapRead<T, F>(Box<dyn ReadMember<T>>, F);

impl<T, U, F: Fn(T) -> U + Send + Sync> ReadMember<U> for MapRead<T, F> {
    fn read(&self, value: Option<Value>, at: &Location<'_>, report: &mut Report) -> Option<U> {
        self.0.read(value, at, report).map(&self.1)
    }
}

struct MapWrite<T, F>(Box<dyn WriteMember<T>>, F);

impl<T, U, F: Fn(U) -> T + Send + Sync> WriteMember<U> for MapWrite<T, F> {
    fn write(
        &self,
        value: U,
        name: &str,
        members: &mut Map<String, Value>,
        at: &Location<'_>,
        report: &mut Report,
    ) -> Option<()> {
        self.0.write((self.1)(value), name, members, at, report)
    }
}

impl<T> fmt::Debug for Field<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Field")
            .field("name", &self.name)
            .field("schema", &self.read.schema)
            .finish_non_exhaustive()
    }
}

struct Required<H>(H);

impl<T> ReadMember<T> for Required<Decoder<T>> {
    fn read(&self, value: Option<Value>, at: &Location<'_>, report: &mut Report) -> Option<T> {
        if let Some(value) = value {
            return self.0.decode_at(value, at, report);
        }
        report.missing(at, &self.0.about().expectation);
        None
    }
}

impl<T> WriteMember<T> for Required<Encoder<T>> {
    fn write(
        &self,
        value: T,
        name: &str,
        members: &mut Map<String, Value>,
        at: &Location<'_>,
        report: &mut Report,
    ) -> Option<()> {
        let value = self.0.encode_at(value, &at.key(name), report)?;
        members.insert(name.to_owned(), value);
        Some(())
    }
}

struct Optional<H>(H);

impl<T> ReadMember<Option<T>> for Optional<Decoder<T>> {
    fn read(
        &self,
        value: Option<Value>,
        at: &Location<'_>,
        report: &mut Report,
    ) -> Option<Option<T>> {
        match present(value, &self.0) {
            Some(value) => self.0.decode_at(value, at, report).map(Some),
            None => Some(None),
        }
    }
}

impl<T> WriteMember<Option<T>> for Optional<Encoder<T>> {
    fn write(
        &self,
        value: Option<T>,
        name: &str,
        members: &mut Map<String, Value>,
        at: &Location<'_>,
        report: &mut Report,
    ) -> Option<()> {
        if let Some(value) = value {
            let value = self.0.encode_at(value, &at.key(name), report)?;
            members.insert(name.to_owned(), value);
        }
        Some(())
    }
}

struct Defaulted<T> {
    decoder: Decoder<T>,
    default: Value,
}

impl<T> ReadMember<T> for Defaulted<T> {
    fn read(&self, value: Option<Value>, at: &Location<'_>, report: &mut Report) -> Option<T> {
        let value = present(value, &self.decoder).unwrap_or_else(|| self.default.clone());
        self.decoder.decode_at(value, at, report)
    }
}

/// A value that counts: `null` in an optional place is none, unless the schema admits it.
fn present<T>(value: Option<Value>, decoder: &Decoder<T>) -> Option<Value> {
    value.filter(|value| !value.is_null() || decoder.about().admits_null)
}
