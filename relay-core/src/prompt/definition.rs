use std::{collections::HashMap, fmt, future::Future, sync::Arc};

use serde_json::{Map, Value};

use super::{Arguments, Message, argument::ArgumentDeclaration};
use crate::{
    BoxFuture, Call, Error, IntoContext, IntoReply,
    catalog::Rendered,
    codec::DefinitionFault,
    completion::{Completer, Completion},
    content::Icon,
    input::{self, Forms},
    reply::Complete,
    tool::{DefinitionError, name_fault, warn_of_narrow_clients},
};

/// What a prompt publishes about itself, and what policies see of it.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub(crate) name: Arc<str>,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) arguments: Vec<ArgumentDeclaration>,
    pub(crate) icons: Vec<Icon>,
    pub(crate) meta: Map<String, Value>,
}

/// A prompt that has everything but its handler.
#[must_use = "a definition becomes a prompt with `handle` or `handle_call`"]
pub struct Definition<C, A> {
    declaration: Declaration,
    arguments: A,
    completers: HashMap<String, Completer<C>>,
}

/// A finished prompt over the context `C`.
///
/// Cheap to clone.
pub struct Prompt<C> {
    pub(crate) declaration: Arc<Declaration>,
    pub(crate) rendered: Arc<Rendered>,
    completers: Arc<HashMap<String, Completer<C>>>,
    /// Whether the handler has a call, and so can ask.
    pub(crate) asks: bool,
    run: Arc<Run<C>>,
}

type Run<C> =
    dyn Fn(Call<C>, Map<String, Value>) -> Result<BoxFuture<Outcome>, Fault> + Send + Sync;

pub(crate) type Outcome = Result<Complete<Vec<Message>>, Error>;

/// Why a prompt's arguments can't be used (PRM-03, PRM-04).
#[derive(Debug)]
pub(crate) enum Fault {
    Missing(String),
    NotText(String),
    /// One that the prompt does not declare; its name is the caller's, and not repeated.
    UndeclaredNotText,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(name) => write!(f, "the argument `{name}` is required"),
            Self::NotText(name) => write!(f, "the argument `{name}` must be a string"),
            Self::UndeclaredNotText => f.write_str("each of `arguments` must be a string"),
        }
    }
}

/// Begins a prompt: its name and its arguments.
///
/// # Panics
///
/// With the prompt's name and every fault of its definition: a name outside
/// `[A-Za-z0-9_./-]{1,128}`, an argument without a name or named twice. [`try_define`] returns them
/// instead.
pub fn define<C, A: Arguments>(name: &str, arguments: A) -> Definition<C, A> {
    try_define(name, arguments).unwrap_or_else(|error| error.raise())
}

/// [`define`] for definitions that are made from data.
///
/// # Errors
///
/// Every fault of the definition.
pub fn try_define<C, A: Arguments>(
    name: &str,
    arguments: A,
) -> Result<Definition<C, A>, DefinitionError> {
    let mut faults: Vec<_> = name_fault(name)
        .map(DefinitionFault::new)
        .into_iter()
        .collect();
    let declared = arguments.declare_all();
    for (position, argument) in declared.iter().enumerate() {
        if argument.name.is_empty() {
            faults.push(DefinitionFault::new("an argument has no name"));
        } else if declared
            .iter()
            .take(position)
            .any(|earlier| earlier.name == argument.name)
        {
            faults.push(DefinitionFault::new(format!(
                "two arguments are named {:?}",
                argument.name
            )));
        }
    }
    if !faults.is_empty() {
        return Err(DefinitionError::new(name, faults));
    }
    warn_of_narrow_clients("prompt", name);
    let declaration = Declaration {
        name: Arc::from(name),
        title: None,
        description: None,
        arguments: declared,
        icons: Vec::new(),
        meta: Map::new(),
    };
    Ok(Definition {
        declaration,
        arguments,
        completers: HashMap::new(),
    })
}

impl<C, A> Definition<C, A> {
    /// The name shown to people.
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.declaration.title = Some(title.into());
        self
    }

    /// What the prompt is for.
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.declaration.description = Some(description.into());
        self
    }

    /// Icons that a client may show beside the prompt.
    pub fn with_icons(mut self, icons: impl IntoIterator<Item = Icon>) -> Self {
        self.declaration.icons = icons.into_iter().collect();
        self
    }

    /// Declares the forms that the handler asks, so that what is wrong with them shows here.
    ///
    /// # Panics
    ///
    /// With the prompt's name and every fault of the forms.
    pub fn with_forms(self, forms: impl Forms) -> Self {
        self.try_with_forms(forms)
            .unwrap_or_else(|error| error.raise())
    }

    /// [`with_forms`](Self::with_forms) for forms that are made from data.
    ///
    /// # Errors
    ///
    /// Every fault of the forms.
    pub fn try_with_forms(self, forms: impl Forms) -> Result<Self, DefinitionError> {
        input::check(&self.declaration.name, forms)?;
        Ok(self)
    }

    /// One entry of the prompt's `_meta`.
    pub fn with_meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.declaration.meta.insert(key.into(), value.into());
        self
    }
}

impl<C: Send + Sync + 'static, A: Arguments> Definition<C, A> {
    /// Suggests values for one argument while the person types: the completer gets what is typed
    /// so far and returns the values, most relevant first (COMP-07). It sees the other arguments
    /// in [`Call::completed_arguments`].
    ///
    /// # Panics
    ///
    /// If the prompt has no argument of that name.
    pub fn complete<F, Fut, R>(mut self, argument: &str, complete: F) -> Self
    where
        F: Fn(Call<C>, String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, Error>> + Send + 'static,
        R: Into<Completion> + 'static,
    {
        if !self
            .declaration
            .arguments
            .iter()
            .any(|declared| declared.name == argument)
        {
            let fault = format!("there is no argument {argument:?} to complete");
            DefinitionError::new(&self.declaration.name, vec![DefinitionFault::new(fault)]).raise()
        }
        self.completers.insert(
            argument.to_owned(),
            Completer::new(complete, |given| Ok(given.into())),
        );
        self
    }

    /// Finishes the prompt with a function of its arguments.
    pub fn handle<F, Fut, R>(self, handler: F) -> Prompt<C>
    where
        F: Fn(A::Value) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, Error>> + Send + 'static,
        R: IntoReply<Vec<Message>>,
    {
        Prompt {
            asks: false,
            ..self.handle_call(move |_call, arguments| handler(arguments))
        }
    }

    /// Finishes the prompt with a function of the [`Call`] and its arguments.
    pub fn handle_call<F, Fut, R>(self, handler: F) -> Prompt<C>
    where
        F: Fn(Call<C>, A::Value) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, Error>> + Send + 'static,
        R: IntoReply<Vec<Message>>,
    {
        let Self {
            declaration,
            arguments,
            completers,
        } = self;
        let declaration = Arc::new(declaration);
        let declared = Arc::clone(&declaration);
        let handler = Arc::new(handler);
        let run = move |call: Call<C>, mut given: Map<String, Value>| {
            check(&declared.arguments, &given)?;
            let Some(values) = arguments.take_all(&mut given) else {
                return Err(Fault::Missing(String::new()));
            };
            let handler = Arc::clone(&handler);
            let outcome: BoxFuture<Outcome> =
                Box::pin(async move { handler(call, values).await?.into_reply().complete() });
            Ok(outcome)
        };
        Prompt {
            declaration,
            rendered: Arc::new(Rendered::default()),
            completers: Arc::new(completers),
            asks: true,
            run: Arc::new(run),
        }
    }
}

fn check(declared: &[ArgumentDeclaration], given: &Map<String, Value>) -> Result<(), Fault> {
    for argument in declared {
        match given.get(&argument.name) {
            Some(Value::String(_)) => {}
            Some(_) => return Err(Fault::NotText(argument.name.clone())),
            None if argument.required => return Err(Fault::Missing(argument.name.clone())),
            None => {}
        }
    }
    if given.values().all(Value::is_string) {
        Ok(())
    } else {
        Err(Fault::UndeclaredNotText)
    }
}

impl<C: Send + Sync + 'static> Prompt<C> {
    /// Lifts a prompt written for the context `C` into a larger one that holds or makes a `C`.
    #[must_use]
    pub fn map_context<D, R>(
        self,
        context: impl Fn(&D) -> R + Clone + Send + Sync + 'static,
    ) -> Prompt<D>
    where
        D: Send + Sync + 'static,
        R: IntoContext<C>,
    {
        let Self {
            declaration,
            rendered,
            completers,
            asks,
            run,
        } = self;
        let completers = completers
            .iter()
            .map(|(name, complete)| (name.clone(), complete.map_context(context.clone())))
            .collect();
        let run = move |call: Call<D>, given: Map<String, Value>| {
            let context = context(call.context()).into_context();
            run(call.map_context(context), given)
        };
        Prompt {
            declaration,
            rendered,
            completers: Arc::new(completers),
            asks,
            run: Arc::new(run),
        }
    }
}

impl<C> Prompt<C> {
    /// What the prompt publishes about itself.
    #[must_use]
    pub fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    pub(crate) fn run(
        &self,
        call: Call<C>,
        given: Map<String, Value>,
    ) -> Result<BoxFuture<Outcome>, Fault> {
        (self.run)(call, given)
    }

    pub(crate) fn completer(&self, argument: &str) -> Option<&Completer<C>> {
        self.completers.get(argument)
    }

    pub(crate) fn completes(&self) -> bool {
        !self.completers.is_empty()
    }
}

impl Declaration {
    /// The prompt's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name shown to people.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// What the prompt is for.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The prompt's arguments, in the order they are shown.
    #[must_use]
    pub fn arguments(&self) -> &[ArgumentDeclaration] {
        &self.arguments
    }

    /// The prompt's `_meta`.
    #[must_use]
    pub fn meta(&self) -> &Map<String, Value> {
        &self.meta
    }
}

impl<C> Clone for Prompt<C> {
    fn clone(&self) -> Self {
        Self {
            declaration: Arc::clone(&self.declaration),
            rendered: Arc::clone(&self.rendered),
            completers: Arc::clone(&self.completers),
            asks: self.asks,
            run: Arc::clone(&self.run),
        }
    }
}

impl<C, A> fmt::Debug for Definition<C, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Definition")
            .field(&self.declaration)
            .finish()
    }
}

impl<C> fmt::Debug for Prompt<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Prompt").field(&self.declaration).finish()
    }
}
