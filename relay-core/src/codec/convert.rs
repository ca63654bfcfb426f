//! What may stand where a codec is wanted.

use super::definition::{DefinitionFault, DefinitionFaults};
use super::{Codec, Decoder};
use crate::schema::{Mirrors, Node};

/// What becomes a [`Codec`]: every builder, and a codec itself.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a codec",
    label = "expected a codec, such as `codec::string()`",
    note = "`Decoder` and `Encoder` are halves; for a Rust type, `codec::derived` makes both"
)]
pub trait IntoCodec {
    /// What the codec reads and writes.
    type Value: 'static;

    /// The codec, with whatever faults its definition has.
    ///
    /// ```
    /// use relay_core::codec::{self, IntoCodec};
    ///
    /// let codec = codec::string().max_length(3).into_codec();
    /// assert!(codec.decode("four".into()).is_err());
    /// ```
    fn into_codec(self) -> Codec<Self::Value>;
}

impl<T: 'static> IntoCodec for Codec<T> {
    type Value = T;

    fn into_codec(self) -> Self {
        self
    }
}

/// What a tool takes as its input: every builder, a [`Codec`] or a [`Decoder`], whose root is an
/// object.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool's input",
    label = "expected a codec of an object, such as `codec::object(..)` or `codec::input::<T>()`"
)]
pub trait IntoDecoder {
    /// What the decoder reads.
    type Value: 'static;

    /// The decoder of a tool's input.
    ///
    /// # Errors
    ///
    /// Every mistake in the definition, and a root that is not an object: a tool's arguments
    /// always are one (TOOL-03).
    ///
    /// ```
    /// use relay_core::codec::{self, IntoDecoder};
    ///
    /// let faults = codec::string().into_decoder().unwrap_err();
    /// assert!(faults.to_string().starts_with("a tool's input is an object"), "{faults}");
    /// ```
    fn into_decoder(self) -> Result<Decoder<Self::Value>, DefinitionFaults>;
}

impl<T: 'static> IntoDecoder for Decoder<T> {
    type Value = T;

    fn into_decoder(self) -> Result<Self, DefinitionFaults> {
        let mut faults = self.about().faults.clone();
        let mut warnings = Vec::new();
        let mut schema = self.schema().clone();
        faults.extend(
            schema
                .problem()
                .map(|problem| DefinitionFault::new(problem.to_owned())),
        );
        if let Some(merged) = schema.merged_root() {
            if schema.is_handwritten() {
                warnings.push(
                    "the input is a union, for which many clients refuse every tool of a server"
                        .to_owned(),
                );
            } else {
                schema = merged;
                warnings.push(
                    "the input is a union, which many clients refuse at the root: it is published \
                     as one object, and the union is still enforced"
                        .to_owned(),
                );
            }
        }
        if schema.root().get("type").and_then(Node::as_str) != Some("object") {
            faults.push(DefinitionFault::new(
                "a tool's input is an object: use `codec::object`, or a type that is a struct with \
                 named fields, and `codec::object(())` for a tool without arguments",
            ));
        }
        let mirrors = Mirrors::of(self.schema());
        faults.extend(mirrors.problems.into_iter().map(DefinitionFault::new));
        DefinitionFaults::check(&faults, ())?;
        warnings.extend(mirrors.warnings);
        Ok(self.edited(|about| {
            about.schema = schema.with_object_root();
            about.mirrored = mirrors.headers;
            about.warnings = warnings;
        }))
    }
}

#[diagnostic::do_not_recommend]
impl<C: IntoCodec> IntoDecoder for C {
    type Value = C::Value;

    fn into_decoder(self) -> Result<Decoder<C::Value>, DefinitionFaults> {
        self.into_codec().decoder.into_decoder()
    }
}

/// What may be written for a value of `T` in a definition: the value itself, and literals for
/// strings and lists.
///
/// ```
/// use relay_core::codec;
///
/// codec::defaulted("style", codec::string(), "bullets");
/// codec::defaulted("weeks", codec::integer::<u8>(), 12);
/// codec::defaulted("tags", codec::list(codec::string()), ["new"]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a value of this codec, which holds `{T}`",
    label = "expected `{T}`"
)]
pub trait IntoValue<T> {
    /// The value.
    fn into_value(self) -> T;
}

impl<T> IntoValue<T> for T {
    fn into_value(self) -> T {
        self
    }
}

impl IntoValue<String> for &str {
    fn into_value(self) -> String {
        self.to_owned()
    }
}

impl<T, const N: usize> IntoValue<Vec<T>> for [T; N] {
    fn into_value(self) -> Vec<T> {
        self.into()
    }
}

impl<const N: usize> IntoValue<Vec<String>> for [&str; N] {
    fn into_value(self) -> Vec<String> {
        self.map(str::to_owned).into()
    }
}
