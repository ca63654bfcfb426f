//! What is wrong with a template.

use std::fmt;

/// Why a text is no [`UriTemplate`](super::UriTemplate), where, and what to change.
///
/// # Examples
///
/// ```
/// use relay_core::uri_template::{TemplateProblem, UriTemplate};
///
/// let error = UriTemplate::parse("note://{id").unwrap_err();
/// assert_eq!(error.position(), 7);
/// assert_eq!(error.problem(), &TemplateProblem::Unclosed);
/// assert_eq!(error.to_string(), "at byte 7: this `{` is never closed; add a `}`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    position: usize,
    problem: TemplateProblem,
}

impl TemplateError {
    pub(super) fn new(position: usize, problem: TemplateProblem) -> Self {
        Self { position, problem }
    }

    /// Where in the template, in bytes from its beginning.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    /// What is wrong there.
    #[must_use]
    pub fn problem(&self) -> &TemplateProblem {
        &self.problem
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.position, self.problem)
    }
}

impl std::error::Error for TemplateError {}

/// The kind of a [`TemplateError`]. Its text says what to change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateProblem {
    /// An expression straight after another, with nothing to tell where the first one ends.
    #[error("nothing separates this expression from the one before it; put a literal between them")]
    Adjacent,
    /// A variable that occurs twice.
    #[error("the variable `{0}` occurs twice; give it another name here")]
    Duplicate(String),
    /// An exploded variable with others after it that are told apart by place only.
    #[error("the exploded variable `{0}` takes all values that follow; put it last")]
    ExplodeNotLast(String),
    /// A character that RFC 6570 does not allow outside an expression.
    #[error("{0:?} can't stand in a URI template; percent-encode it")]
    Literal(char),
    /// Something else than `:1` to `:9999` or `*` after a variable's name.
    #[error("a variable may be followed by `*` or by `:1` to `:9999`, not by `{0}`")]
    Modifier(String),
    /// A variable without a proper name.
    #[error("`{0}` is no variable name; use letters, digits, `_`, and single dots between them")]
    Name(String),
    /// An operator that RFC 6570 keeps for the future.
    #[error("the operator `{0}` has no meaning; use one of `+ # . / ; ? &`, or none")]
    Operator(char),
    /// A `%` without two hexadecimal digits.
    #[error("this `%` starts no percent-encoding; write `%25` for a percent sign")]
    Percent,
    /// No literal scheme at the beginning.
    #[error("a template begins with its scheme, such as `note://`")]
    Scheme,
    /// A `}` that closes nothing.
    #[error("this `}}` closes nothing; remove it, or write `%7D`")]
    StrayBrace,
    /// A `{` without its `}`.
    #[error("this `{{` is never closed; add a `}}`")]
    Unclosed,
}
