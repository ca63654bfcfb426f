//! Unions told apart by a member.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::about::About;
use super::annotation::Annotation;
use super::combine::combinators;
use super::decoder::Decode;
use super::definition::DefinitionFault;
use super::encoder::Encode;
use super::fault::{Location, Report};
use super::{Codec, Decoder, Encoder, IntoCodec, wording};
use crate::schema::{Definitions, Members, Node};

/// A builder of codecs of unions: see [`tagged`].
#[derive(Debug)]
#[must_use]
pub struct TaggedCodec<T> {
    annotation: Annotation,
    tag: String,
    variants: Vec<Variant<T>>,
}

/// One kind of value in a union: see [`variant`].
#[must_use]
pub struct Variant<T> {
    name: String,
    decoder: Decoder<T>,
    writes: About,
    write: Arc<dyn WriteVariant<T>>,
}

/// An object of one of several kinds, which its member `tag` names.
///
/// A fault is about the kind that was named. As the input of a tool, whose root cannot be a union,
/// it is published as one object in which only the tag is required.
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
/// use serde_json::json;
///
/// #[derive(Debug, PartialEq)]
/// enum Shape {
///     Circle(f64),
///     Rectangle(f64, f64),
/// }
///
/// let shape = codec::tagged("kind", [
///     codec::variant(
///         "circle",
///         codec::object(codec::field("radius", codec::number())),
///         Shape::Circle,
///         |shape| match shape {
///             Shape::Circle(radius) => Ok(radius),
///             other => Err(other),
///         },
///     ),
///     codec::variant(
///         "rectangle",
///         codec::object((
///             codec::field("width", codec::number()),
///             codec::field("height", codec::number()),
///         )),
///         |(width, height)| Shape::Rectangle(width, height),
///         |shape| match shape {
///             Shape::Rectangle(width, height) => Ok((width, height)),
///             other => Err(other),
///         },
///     ),
/// ])
/// .into_codec();
///
/// let circle = json!({"kind": "circle", "radius": 2.0});
/// assert_eq!(shape.decode(circle.clone()).unwrap(), Shape::Circle(2.0));
/// assert_eq!(shape.encode(Shape::Circle(2.0)).unwrap(), circle);
/// assert_eq!(
///     shape.decode(json!({"kind": "rectangle", "width": 1})).unwrap_err().to_string(),
///     "/height: missing, expected a number",
/// );
/// assert_eq!(
///     shape.decode(json!({"kind": "square"})).unwrap_err().to_string(),
///     "/kind: expected \"circle\" or \"rectangle\", got the string \"square\"",
/// );
/// ```
pub fn tagged<T>(
    tag: impl Into<String>,
    variants: impl IntoIterator<Item = Variant<T>>,
) -> TaggedCodec<T> {
    TaggedCodec {
        annotation: Annotation::default(),
        tag: tag.into(),
        variants: variants.into_iter().collect(),
    }
}

/// One kind of value in a [`tagged`] union: its name, the object of its other members, the way
/// there and, if the value is of this kind, the way back.
pub fn variant<C: IntoCodec, T: 'static>(
    name: impl Into<String>,
    codec: C,
    into: impl Fn(C::Value) -> T + Send + Sync + 'static,
    from: impl Fn(T) -> Result<C::Value, T> + Send + Sync + 'static,
) -> Variant<T> {
    let codec = codec.into_codec();
    Variant {
        name: name.into(),
        writes: codec.encoder.about().clone(),
        write: Arc::new(From {
            encoder: codec.encoder,
            from,
        }),
        decoder: codec.decoder.map(into),
    }
}

impl<T> fmt::Debug for Variant<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Variant")
            .field("name", &self.name)
            .field("decoder", &self.decoder)
            .finish_non_exhaustive()
    }
}

/// Writes a value that is of one kind, and hands back one that is not.
trait WriteVariant<T>: Send + Sync {
    fn write(&self, value: T, at: &Location<'_>, report: &mut Report) -> Result<Option<Value>, T>;
}

struct From<U, F> {
    encoder: Encoder<U>,
    from: F,
}

impl<T, U, F: Fn(T) -> Result<U, T> + Send + Sync> WriteVariant<T> for From<U, F> {
    fn write(&self, value: T, at: &Location<'_>, report: &mut Report) -> Result<Option<Value>, T> {
        (self.from)(value).map(|value| self.encoder.encode_at(value, at, report))
    }
}

impl<T> TaggedCodec<T> {
    fn about(&self, side: impl Fn(&Variant<T>) -> &About) -> About {
        let mut definitions = Definitions::default();
        let mut faults = Vec::new();
        let mut branches = Vec::new();
        for (index, variant) in self.variants.iter().enumerate() {
            let about = side(variant);
            faults.extend(about.faults.iter().cloned());
            if self
                .variants
                .iter()
                .take(index)
                .any(|earlier| earlier.name == variant.name)
            {
                let twice = format!("the variant `{}` is there twice", variant.name);
                faults.push(DefinitionFault::new(twice));
            }
            match self.branch(&variant.name, definitions.adopt(&about.schema)) {
                Ok(branch) => branches.push(branch),
                Err(problem) => faults.push(DefinitionFault::new(problem)),
            }
        }
        if self.variants.is_empty() {
            faults.push(DefinitionFault::new("there are no variants"));
        }
        let mut root = self.annotation.members("object");
        root.insert("oneOf".to_owned(), Node::Array(branches));
        About::new(definitions.finish(root), "an object", faults)
    }

    /// The schema of one variant: that of its members, and the tag before them.
    fn branch(&self, name: &str, members: Node) -> Result<Node, String> {
        let Node::Object(mut members) = members else {
            return Err(format!("the variant `{name}` is not an object"));
        };
        let Some(Node::Object(properties)) = members.get_mut("properties") else {
            return Err(format!("the variant `{name}` is not an object of fields"));
        };
        if properties.contains_key(&self.tag) {
            return Err(format!(
                "the variant `{name}` has a field `{}`, which is the tag",
                self.tag
            ));
        }
        let constant = Node::object([("type", Node::from("string")), ("const", Node::from(name))]);
        properties.shift_insert(0, self.tag.clone(), constant);
        require_first(&mut members, &self.tag);
        Ok(Node::Object(members))
    }
}

/// Adds a name to the front of `required`, which stands after `properties`.
fn require_first(members: &mut Members, name: &str) {
    if let Some(Node::Array(required)) = members.get_mut("required") {
        required.insert(0, Node::from(name));
        return;
    }
    let place = members
        .get_index_of("properties")
        .map_or(0, |index| index + 1);
    let required = Node::Array(vec![Node::from(name)]);
    members.shift_insert(place, "required".to_owned(), required);
}

combinators!([T: 'static] TaggedCodec<T>);

impl<T: 'static> IntoCodec for TaggedCodec<T> {
    type Value = T;

    fn into_codec(self) -> Codec<T> {
        let input = self.about(|variant| variant.decoder.about());
        let output = self.about(|variant| &variant.writes);
        let names: Vec<String> = self
            .variants
            .iter()
            .map(|variant| format!("{:?}", variant.name))
            .collect();
        let tag: Arc<str> = self.tag.into();
        let mut readers = Vec::new();
        let mut writers = Vec::new();
        for variant in self.variants {
            writers.push((variant.name.clone(), variant.write));
            readers.push((variant.name, variant.decoder));
        }
        let read = ReadTagged {
            expectation: Cow::Owned(wording::listed(&names, " or ")),
            tag: Arc::clone(&tag),
            variants: readers,
        };
        let write = WriteTagged {
            tag,
            variants: writers,
        };
        Codec::new(
            Decoder::new(input, Arc::new(read)),
            Encoder::new(output, Arc::new(write)),
        )
    }
}

struct ReadTagged<T> {
    /// The names of the variants.
    expectation: Cow<'static, str>,
    tag: Arc<str>,
    variants: Vec<(String, Decoder<T>)>,
}

impl<T> Decode<T> for ReadTagged<T> {
    fn decode(&self, value: Value, at: &Location<'_>, report: &mut Report) -> Option<T> {
        let Value::Object(mut members) = value else {
            report.expected(at, "an object", &value);
            return None;
        };
        let Some(tag) = members.remove(&*self.tag) else {
            report.missing(&at.key(&self.tag), &self.expectation);
            return None;
        };
        let named = tag.as_str();
        let Some((_, decoder)) = self.variants.iter().find(|(name, _)| named == Some(name)) else {
            report.expected(&at.key(&self.tag), self.expectation.clone(), &tag);
            return None;
        };
        decoder.decode_at(Value::Object(members), at, report)
    }
}

struct WriteTagged<T> {
    tag: Arc<str>,
    variants: Vec<(String, Arc<dyn WriteVariant<T>>)>,
}

impl<T> Encode<T> for WriteTagged<T> {
    fn encode(&self, value: T, at: &Location<'_>, report: &mut Report) -> Option<Value> {
        let mut value = value;
        for (name, variant) in &self.variants {
            match variant.write(value, at, report) {
                Ok(written) => {
                    let Value::Object(mut members) = written? else {
                        return None;
                    };
                    members.insert(self.tag.as_ref().to_owned(), Value::String(name.clone()));
                    return Some(Value::Object(members));
                }
                Err(other) => value = other,
            }
        }
        report.refused(at, "the value is of none of the variants".to_owned(), None);
        None
    }
}
