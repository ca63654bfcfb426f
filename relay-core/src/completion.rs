//! Suggested values for an argument of a prompt or a variable of a template.

use std::sync::Arc;

use crate::handler::Handler;

/// How many values one answer may hold (COMP-02).
pub(crate) const MOST: usize = 100;

/// What a completer suggests, most relevant first (COMP-07).
///
/// A list of values converts into one by itself. Of more than 100 values the client gets the first
/// 100, and is told that there are more and how many in all (COMP-02).
///
/// ```
/// use relay_core::completion::Completion;
///
/// let first_two_of_many = Completion::new(["paris", "parma"]).with_total(5_312);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    pub(crate) values: Vec<String>,
    pub(crate) total: Option<usize>,
    pub(crate) more: bool,
}

impl Completion {
    /// These values, which are all there are.
    pub fn new<S: Into<String>>(values: impl IntoIterator<Item = S>) -> Self {
        Self {
            values: values.into_iter().map(Into::into).collect(),
            total: None,
            more: false,
        }
    }

    /// How many values there are in all, where this is only the beginning of them.
    #[must_use]
    pub fn with_total(self, total: usize) -> Self {
        Self {
            total: Some(total),
            ..self
        }
    }

    /// There are more values, and it would cost too much to say how many.
    #[must_use]
    pub fn with_more(self) -> Self {
        Self { more: true, ..self }
    }
}

impl<S: Into<String>> From<Vec<S>> for Completion {
    fn from(values: Vec<S>) -> Self {
        Self::new(values)
    }
}

/// What is being completed, for [`Server::with_completion`](crate::Server::with_completion).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// The prompt or template the argument belongs to.
    pub reference: Reference,
    /// The argument's or variable's name.
    pub argument: String,
    /// What the person has typed so far; may be empty.
    pub value: String,
}

/// The prompt or template that an argument belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reference {
    /// A prompt, by its name.
    Prompt(Arc<str>),
    /// A resource template, by its URI template, or a direct resource, by its URI.
    Resource(Arc<str>),
}

/// A completer over what it is asked with: what is typed so far, or a whole [`Request`].
pub(crate) type Completer<C, A = String> = Handler<C, A, Completion>;
