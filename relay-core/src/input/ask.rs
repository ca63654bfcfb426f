use super::Desk;

/// What a handler can ask in one round: a [`Question`](super::Question), a request to the client's
/// [model](super::sample) or for its [roots](super::roots), a tuple of up to eight of such, or a
/// vector where they are known at run time only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be asked",
    label = "expected a question, such as `FORM.question(..)` or `elicit::url(..)`, or a tuple of them"
)]
pub trait Ask {
    /// What comes of it.
    type Answer;

    /// Takes the answer that there is, or leaves the question on the desk.
    fn put(self, desk: &mut Desk<'_>) -> Option<Self::Answer>;
}

impl<T: Ask> Ask for Vec<T> {
    type Answer = Vec<T::Answer>;

    fn put(self, desk: &mut Desk<'_>) -> Option<Self::Answer> {
        // Every one of them is put, whatever became of those before it.
        let answers: Vec<_> = self
            .into_iter()
            .map(|question| question.put(desk))
            .collect();
        answers.into_iter().collect()
    }
}

macro_rules! ask {
    ($($name:ident),*) => {
        impl<$($name: Ask),*> Ask for ($($name,)*) {
            type Answer = ($($name::Answer,)*);

            fn put(self, desk: &mut Desk<'_>) -> Option<Self::Answer> {
                #[expect(non_snake_case, reason = "the macro names values after their types")]
                let ($($name,)*) = self;
                // Every one of them is put, whatever became of those before it.
                #[expect(non_snake_case, reason = "the macro names values after their types")]
                let ($($name,)*) = ($($name.put(desk),)*);
                Some(($($name?,)*))
            }
        }
    };
}

ask!(A);
ask!(A, B);
ask!(A, B, C);
ask!(A, B, C, D);
ask!(A, B, C, D, E);
ask!(A, B, C, D, E, F);
ask!(A, B, C, D, E, F, G);
ask!(A, B, C, D, E, F, G, H);
