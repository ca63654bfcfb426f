use std::borrow::Cow;

use serde_json::{Map, Value};

/// An argument that a prompt can't do without; see [`required`].
#[derive(Clone, Debug)]
pub struct Required(ArgumentDeclaration);

/// An argument that may be left out; see [`optional`].
#[derive(Clone, Debug)]
pub struct Optional(ArgumentDeclaration);

/// An argument that has a value when it is left out; see [`defaulted`].
#[derive(Clone, Debug)]
pub struct Defaulted(ArgumentDeclaration, Cow<'static, str>);

/// What a prompt publishes about one of its arguments.
#[derive(Clone, Debug)]
pub struct ArgumentDeclaration {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) required: bool,
}

/// An argument that a prompt can't do without, given to its handler as a `String`. The empty text
/// counts as given.
pub fn required(name: impl Into<String>) -> Required {
    Required(ArgumentDeclaration::new(name.into(), true))
}

/// An argument that may be left out, given to the handler as an `Option<String>`.
pub fn optional(name: impl Into<String>) -> Optional {
    Optional(ArgumentDeclaration::new(name.into(), false))
}

/// An argument that has a value when it is left out, given to the handler as a `String`.
pub fn defaulted(name: impl Into<String>, default: impl Into<Cow<'static, str>>) -> Defaulted {
    Defaulted(ArgumentDeclaration::new(name.into(), false), default.into())
}

/// One argument of a prompt: [`Required`], [`Optional`] or [`Defaulted`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a prompt",
    note = "use `prompt::required`, `prompt::optional` or `prompt::defaulted`"
)]
pub trait Argument: Clone + Send + Sync + 'static {
    /// What the handler gets.
    type Value: Send;

    /// What is published about it.
    fn declare(&self) -> ArgumentDeclaration;

    /// Its value, out of those given; `None` where it is required and missing.
    fn take(&self, given: &mut Map<String, Value>) -> Option<Self::Value>;
}

/// The arguments of a prompt: one argument, a tuple of up to twelve, or `()`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the arguments of a prompt",
    note = "use `prompt::required`, `prompt::optional` or `prompt::defaulted`, a tuple of up to twelve of them, or `()`"
)]
pub trait Arguments: Clone + Send + Sync + 'static {
    /// What the handler gets.
    type Value: Send;

    /// What is published about them, in order.
    fn declare_all(&self) -> Vec<ArgumentDeclaration>;

    /// Their values, out of those given; `None` where one that is required is missing.
    fn take_all(&self, given: &mut Map<String, Value>) -> Option<Self::Value>;
}

impl ArgumentDeclaration {
    /// The argument's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name shown to people.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// What the argument is for.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Whether the prompt can't do without it.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.required
    }

    fn new(name: String, required: bool) -> Self {
        Self {
            name,
            title: None,
            description: None,
            required,
        }
    }
}

fn take_text(given: &mut Map<String, Value>, name: &str) -> Option<String> {
    match given.remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

macro_rules! argument {
    ($kind:ident, $value:ty, |$this:ident, $given:ident| $take:expr) => {
        impl $kind {
            /// What the argument is for.
            #[must_use]
            pub fn with_description(mut self, description: impl Into<String>) -> Self {
                self.0.description = Some(description.into());
                self
            }

            /// The name shown to people.
            #[must_use]
            pub fn with_title(mut self, title: impl Into<String>) -> Self {
                self.0.title = Some(title.into());
                self
            }
        }

        impl Argument for $kind {
            type Value = $value;

            fn declare(&self) -> ArgumentDeclaration {
                self.0.clone()
            }

            fn take(&self, $given: &mut Map<String, Value>) -> Option<$value> {
                let $this = self;
                $take
            }
        }

        impl Arguments for $kind {
            type Value = $value;

            fn declare_all(&self) -> Vec<ArgumentDeclaration> {
                vec![self.declare()]
            }

            fn take_all(&self, given: &mut Map<String, Value>) -> Option<$value> {
                self.take(given)
            }
        }
    };
}

argument!(Required, String, |this, given| take_text(
    given,
    &this.0.name
));
argument!(Optional, Option<String>, |this, given| Some(take_text(
    given,
    &this.0.name
)));
argument!(Defaulted, String, |this, given| {
    Some(take_text(given, &this.0.name).unwrap_or_else(|| this.1.clone().into_owned()))
});

macro_rules! arguments {
    ($($name:ident),*) => {
        impl<$($name: Argument),*> Arguments for ($($name,)*) {
            type Value = ($($name::Value,)*);

            fn declare_all(&self) -> Vec<ArgumentDeclaration> {
                #[expect(non_snake_case, reason = "the macro names values after their types")]
                let ($($name,)*) = self;
                vec![$($name.declare()),*]
            }

            fn take_all(&self, given: &mut Map<String, Value>) -> Option<Self::Value> {
                #[expect(non_snake_case, reason = "the macro names values after their types")]
                let ($($name,)*) = self;
                Some(($($name.take(given)?,)*))
            }
        }
    };
}

arguments!(A);
arguments!(A, B);
arguments!(A, B, D);
arguments!(A, B, D, E);
arguments!(A, B, D, E, F);
arguments!(A, B, D, E, F, G);
arguments!(A, B, D, E, F, G, H);
arguments!(A, B, D, E, F, G, H, I);
arguments!(A, B, D, E, F, G, H, I, J);
arguments!(A, B, D, E, F, G, H, I, J, K);
arguments!(A, B, D, E, F, G, H, I, J, K, L);
arguments!(A, B, D, E, F, G, H, I, J, K, L, M);

impl Arguments for () {
    type Value = ();

    fn declare_all(&self) -> Vec<ArgumentDeclaration> {
        Vec::new()
    }

    fn take_all(&self, _: &mut Map<String, Value>) -> Option<()> {
        Some(())
    }
}
