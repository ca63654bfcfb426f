use crate::Error;

/// What became of a question to the user (ELIC-10).
///
/// ```
/// use relay_core::input::Answer;
///
/// assert_eq!(Answer::Accepted(3).accepted().unwrap(), 3);
/// let refusal = Answer::<i32>::Declined.accepted().unwrap_err();
/// assert!(refusal.is_public());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the protocol has these three, and a handler should meet them all"
)]
pub enum Answer<T> {
    /// The user filled in the form, or agreed to open the URL.
    Accepted(T),
    /// The user said no.
    Declined,
    /// The user closed the question without a choice.
    Cancelled,
}

impl<T> Answer<T> {
    /// What the user filled in.
    ///
    /// # Errors
    ///
    /// A public error that says that the user declined, or closed the question: passed on with `?`,
    /// the model reads it (MRTR-14).
    pub fn accepted(self) -> Result<T, Error> {
        match self {
            Self::Accepted(answer) => Ok(answer),
            Self::Declined => Err(Error::new("The user declined to answer.")),
            Self::Cancelled => Err(Error::new("The user closed the question unanswered.")),
        }
    }

    /// The same answer, with something else made of what the user filled in.
    pub fn map<U>(self, into: impl FnOnce(T) -> U) -> Answer<U> {
        match self {
            Self::Accepted(answer) => Answer::Accepted(into(answer)),
            Self::Declined => Answer::Declined,
            Self::Cancelled => Answer::Cancelled,
        }
    }
}
