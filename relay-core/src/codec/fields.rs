//! Several fields as one tuple.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::definition::DefinitionFault;
use super::fault::{Location, Report};
use super::field::{Field, ReadMember, WriteMember};
use super::wording;
use crate::schema::Schema;

/// The fields of an object: a tuple of one to twelve, a lone [`Field`], `()` for none, or a vector
/// where they are known at run time only.
///
/// A tuple of fields makes a tuple of values; a lone field makes its value; a vector, a vector.
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
/// use serde_json::json;
///
/// let columns = ["a", "b"].map(|name| codec::field(name, codec::integer::<i64>()));
/// let codec = codec::object(Vec::from(columns)).into_codec();
/// assert_eq!(codec.decode(json!({"a": 1, "b": 2})).unwrap(), [1, 2]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the fields of an object",
    label = "expected `codec::field(..)`, or a tuple of one to twelve such fields",
    note = "beyond twelve fields, derive a struct and use `codec::derived::<T>()`, or nest objects"
)]
pub trait Fields {
    /// What the fields hold together.
    type Value: 'static;

    /// The fields, put together for [`object`](super::object).
    fn assemble(self) -> Assembly<Self::Value>;
}

/// Fields put together: see [`Fields`].
pub struct Assembly<T> {
    pub(crate) inputs: Vec<Member>,
    pub(crate) outputs: Vec<Member>,
    pub(crate) read: Arc<dyn ReadMembers<T>>,
    pub(crate) write: Arc<dyn WriteMembers<T>>,
}

/// What the schema of an object says of one member.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: Arc<str>,
    pub(crate) schema: Schema,
    pub(crate) required: bool,
    pub(crate) faults: Vec<DefinitionFault>,
}

/// Takes the members of an object that are fields, and leaves the others.
pub(crate) trait ReadMembers<T>: Send + Sync {
    fn read(
        &self,
        members: &mut Map<String, Value>,
        at: &Location<'_>,
        report: &mut Report,
    ) -> Option<T>;
}

/// Writes every field as a member.
pub(crate) trait WriteMembers<T>: Send + Sync {
    fn write(&self, value: T, at: &Location<'_>, report: &mut Report)
    -> Option<Map<String, Value>>;
}

impl<T> fmt::Debug for Assembly<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Assembly")
            .field("inputs", &self.inputs)
            .finish_non_exhaustive()
    }
}

impl<T> Clone for Assembly<T> {
    fn clone(&self) -> Self {
        Self {
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            read: Arc::clone(&self.read),
            write: Arc::clone(&self.write),
        }
    }
}

impl Fields for () {
    type Value = ();

    fn assemble(self) -> Assembly<()> {
        Assembly {
            inputs: Vec::new(),
            outputs: Vec::new(),
            read: Arc::new(()),
            write: Arc::new(()),
        }
    }
}

impl ReadMembers<()> for () {
    fn read(
        &self,
        _members: &mut Map<String, Value>,
        _at: &Location<'_>,
        _report: &mut Report,
    ) -> Option<()> {
        Some(())
    }
}

impl WriteMembers<()> for () {
    fn write(
        &self,
        (): (),
        _at: &Location<'_>,
        _report: &mut Report,
    ) -> Option<Map<String, Value>> {
        Some(Map::new())
    }
}

impl<T: 'static> Fields for Field<T> {
    type Value = T;

    fn assemble(self) -> Assembly<T> {
        let mut sheets = Sheets::default();
        let (reader, writer) = sheets.take(self);
        Assembly {
            inputs: sheets.inputs,
            outputs: sheets.outputs,
            read: Arc::new(reader),
            write: Arc::new(writer),
        }
    }
}

impl<T: 'static> Fields for Vec<Field<T>> {
    type Value = Vec<T>;

    fn assemble(self) -> Assembly<Vec<T>> {
        let mut sheets = Sheets::default();
        let (readers, writers): (Vec<_>, Vec<_>) =
            self.into_iter().map(|field| sheets.take(field)).unzip();
        Assembly {
            inputs: sheets.inputs,
            outputs: sheets.outputs,
            read: Arc::new(readers),
            write: Arc::new(writers),
        }
    }
}

impl<T> ReadMembers<Vec<T>> for Vec<Reader<T>> {
    fn read(
        &self,
        members: &mut Map<String, Value>,
        at: &Location<'_>,
        report: &mut Report,
    ) -> Option<Vec<T>> {
        // All are read before any is asked for, so that every fault is found.
        let read: Vec<Option<T>> = self
            .iter()
            .map(|reader| reader.take(members, at, report))
            .collect();
        read.into_iter().collect()
    }
}

impl<T> WriteMembers<Vec<T>> for Vec<Writer<T>> {
    fn write(
        &self,
        values: Vec<T>,
        at: &Location<'_>,
        report: &mut Report,
    ) -> Option<Map<String, Value>> {
        if values.len() != self.len() {
            let expected = wording::counted(self.len(), "value");
            report.expected_but(at, expected, wording::counted(values.len(), "value"));
            return None;
        }
        let mut members = Map::new();
        let mut fits = true;
        for (writer, value) in self.iter().zip(values) {
            fits &= writer.put(value, &mut members, at, report).is_some();
        }
        fits.then_some(members)
    }
}

impl<T> ReadMembers<T> for Reader<T> {
    fn read(
        &self,
        members: &mut Map<String, Value>,
        at: &Location<'_>,
        report: &mut Report,
    ) -> Option<T> {
        self.take(members, at, report)
    }
}

impl<T> WriteMembers<T> for Writer<T> {
    fn write(
        &self,
        value: T,
        at: &Location<'_>,
        report: &mut Report,
    ) -> Option<Map<String, Value>> {
        let mut members = Map::new();
        self.put(value, &mut members, at, report)?;
        Some(members)
    }
}

struct Reader<T> {
    name: Arc<str>,
    member: Box<dyn ReadMember<T>>,
}

impl<T> Reader<T> {
    fn take(
        &self,
        members: &mut Map<String, Value>,
        at: &Location<'_>,
        report: &mut Report,
    ) -> Option<T> {
        self.member
            .read(members.remove(&*self.name), &at.key(&self.name), report)
    }
}

struct Writer<T> {
    name: Arc<str>,
    member: Box<dyn WriteMember<T>>,
}

impl<T> Writer<T> {
    fn put(
        &self,
        value: T,
        members: &mut Map<String, Value>,
        at: &Location<'_>,
        report: &mut Report,
    ) -> Option<()> {
        self.member.write(value, &self.name, members, at, report)
    }
}

/// The schemas of the fields taken so far.
#[derive(Default)]
struct Sheets {
    inputs: Vec<Member>,
    outputs: Vec<Member>,
}

impl Sheets {
    fn take<T>(&mut self, field: Field<T>) -> (Reader<T>, Writer<T>) {
        let Field { name, read, write } = field;
        let name: Arc<str> = name.into();
        self.inputs.push(Member {
            name: Arc::clone(&name),
            schema: read.schema,
            required: read.required,
            faults: read.faults,
        });
        self.outputs.push(Member {
            name: Arc::clone(&name),
            schema: write.schema,
            required: write.required,
            faults: write.faults,
        });
        let reader = Reader {
            name: Arc::clone(&name),
            member: read.member,
        };
        let writer = Writer {
            name,
            member: write.member,
        };
        (reader, writer)
    }
}

/// Each field of a tuple: the name of its type, of its variable, and its place.
macro_rules! tuples {
    ($(($($T:ident $field:ident $place:tt),+);)+) => {$(
        impl<$($T: 'static),+> Fields for ($(Field<$T>,)+) {
            type Value = ($($T,)+);

            fn assemble(self) -> Assembly<Self::Value> {
                let mut sheets = Sheets::default();
                let ($($field,)+) = self;
                $(let $field = sheets.take($field);)+
                Assembly {
                    inputs: sheets.inputs,
                    outputs: sheets.outputs,
                    read: Arc::new(($($field.0,)+)),
                    write: Arc::new(($($field.1,)+)),
                }
            }
        }

        impl<$($T),+> ReadMembers<($($T,)+)> for ($(Reader<$T>,)+) {
            fn read(
                &self,
                members: &mut Map<String, Value>,
                at: &Location<'_>,
                report: &mut Report,
            ) -> Option<($($T,)+)> {
                let ($($field,)+) = self;
                // All are read before any is asked for, so that every fault is found.
                $(let $field = $field.take(members, at, report);)+
                Some(($($field?,)+))
            }
        }

        impl<$($T),+> WriteMembers<($($T,)+)> for ($(Writer<$T>,)+) {
            fn write(
                &self,
                value: ($($T,)+),
                at: &Location<'_>,
                report: &mut Report,
            ) -> Option<Map<String, Value>> {
                let mut members = Map::new();
                let ($($field,)+) = self;
                $(let $field = $field.put(value.$place, &mut members, at, report);)+
                $($field?;)+
                Some(members)
            }
        }
    )+};
}

tuples! {
    (A a 0);
    (A a 0, B b 1);
    (A a 0, B b 1, C c 2);
    (A a 0, B b 1, C c 2, D d 3);
    (A a 0, B b 1, C c 2, D d 3, E e 4);
    (A a 0, B b 1, C c 2, D d 3, E e 4, F f 5);
    (A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6);
    (A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6, H h 7);
    (A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6, H h 7, I i 8);
    (A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6, H h 7, I i 8, J j 9);
    (A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6, H h 7, I i 8, J j 9, K k 10);
    (A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6, H h 7, I i 8, J j 9, K k 10, L l 11);
}
