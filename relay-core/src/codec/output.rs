//! What a tool's output can be.

use std::fmt;

use super::definition::{DefinitionFault, DefinitionFaults};
use super::{Encoder, IntoCodec};
use crate::content::Block;

/// How a tool's output leaves: as structured content with a schema, or as content blocks alone.
#[non_exhaustive]
pub enum OutputCodec<O> {
    /// A value of the output schema (TOOL-13).
    Structured(Encoder<O>),
    /// Content blocks, without an output schema.
    Content(fn(O) -> Vec<Block>),
}

impl<O> fmt::Debug for OutputCodec<O> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Structured(encoder) => {
                formatter.debug_tuple("Structured").field(encoder).finish()
            }
            Self::Content(_) => formatter.write_str("Content"),
        }
    }
}

/// What a tool takes as its output: every builder, a [`Codec`](super::Codec), an [`Encoder`], or
/// content blocks.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool's output",
    label = "expected a codec, such as `codec::output::<T>()`, or `tool::content()`"
)]
pub trait Output {
    /// What the handler returns.
    type Value: 'static;

    /// How that value leaves.
    ///
    /// # Errors
    ///
    /// Every mistake in the definition.
    ///
    /// ```
    /// use relay_core::codec::{self, Output, OutputCodec};
    ///
    /// let output = codec::string().into_output().unwrap();
    /// assert!(matches!(output, OutputCodec::Structured(_)));
    /// assert!(codec::integer::<i64>().range(9..=1).into_output().is_err());
    /// ```
    fn into_output(self) -> Result<OutputCodec<Self::Value>, DefinitionFaults>;
}

impl<T: 'static> Output for Encoder<T> {
    type Value = T;

    fn into_output(self) -> Result<OutputCodec<T>, DefinitionFaults> {
        let mut faults = self.about().faults.clone();
        let problem = self.schema().problem();
        faults.extend(problem.map(|problem| DefinitionFault::new(problem.to_owned())));
        DefinitionFaults::check(&faults, ())?;
        Ok(OutputCodec::Structured(self))
    }
}

#[diagnostic::do_not_recommend]
impl<C: IntoCodec> Output for C {
    type Value = C::Value;

    fn into_output(self) -> Result<OutputCodec<C::Value>, DefinitionFaults> {
        self.into_codec().encoder.into_output()
    }
}
