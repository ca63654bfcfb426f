use std::{fmt, future::Future, time::Duration};

use serde_json::Value;

use super::{
    Declaration, Tool,
    declaration::{name_fault, warn_of_narrow_clients},
};
use crate::{
    Call, Error,
    codec::{Decoder, DefinitionFault, DefinitionFaults, IntoDecoder, Output, OutputCodec},
    content::{Block, Icon},
    input::{self, Forms},
    protocol::capability::ClientCapabilities,
    reply::IntoReply,
    schema::Node,
};

/// A tool that has everything but its handler.
#[must_use = "a definition becomes a tool with `handle` or `handle_call`"]
pub struct Definition<I, O> {
    pub(super) declaration: Declaration,
    pub(super) decoder: Decoder<I>,
    pub(super) output: OutputCodec<O>,
    pub(super) text_copy: bool,
}

/// The output of a tool that answers with content blocks and publishes no output schema; made by
/// [`content()`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Content;

/// Everything that is wrong with one definition.
#[derive(Debug)]
pub struct DefinitionError {
    name: String,
    faults: Vec<DefinitionFault>,
}

/// Begins a tool: its name, what it takes, and what it gives.
///
/// The input is any codec or decoder of an object; the output any codec or encoder, or
/// [`content()`].
///
/// # Panics
///
/// With the tool's name and every fault of its definition: a name outside
/// `[A-Za-z0-9_./-]{1,128}` (TOOL-04), an input that is not an object, a constraint that nothing can
/// meet. [`try_define`] returns them instead, for definitions made from data.
pub fn define<I: IntoDecoder, O: Output>(
    name: &str,
    input: I,
    output: O,
) -> Definition<I::Value, O::Value> {
    try_define(name, input, output).unwrap_or_else(|error| error.raise())
}

/// [`define`] for definitions that are made from data.
///
/// # Errors
///
/// Every fault of the definition.
pub fn try_define<I: IntoDecoder, O: Output>(
    name: &str,
    input: I,
    output: O,
) -> Result<Definition<I::Value, O::Value>, DefinitionError> {
    let mut faults: Vec<DefinitionFault> = name_fault(name)
        .map(DefinitionFault::new)
        .into_iter()
        .collect();
    match (
        input.into_decoder().and_then(of_an_object),
        output.into_output(),
    ) {
        (Ok(decoder), Ok(output)) if faults.is_empty() => {
            warn_of_narrow_clients("tool", name);
            for warning in decoder.warnings() {
                tracing::warn!(tool = name, "{warning}");
            }
            let output_schema = match &output {
                OutputCodec::Structured(encoder) => Some(encoder.schema().clone()),
                OutputCodec::Content(_) => None,
            };
            let declaration = Declaration::new(
                name,
                decoder.schema().clone(),
                output_schema,
                decoder.mirrored(),
            );
            Ok(Definition {
                declaration,
                decoder,
                output,
                text_copy: true,
            })
        }
        (decoder, output) => {
            faults.extend(decoder.err().into_iter().flatten());
            faults.extend(output.err().into_iter().flatten());
            Err(DefinitionError {
                name: name.to_owned(),
                faults,
            })
        }
    }
}

/// Arguments are an object on every wire (TOOL-03).
fn of_an_object<I>(decoder: Decoder<I>) -> Result<Decoder<I>, DefinitionFaults> {
    let kind = decoder.schema().root().get("type").and_then(Node::as_str);
    let fault = DefinitionFault::new(
        "the input is not an object: a tool's arguments have names, as in \
         `codec::object(codec::field(\"text\", codec::string()))`",
    );
    let faults = if kind == Some("object") {
        Vec::new()
    } else {
        vec![fault]
    };
    DefinitionFaults::check(&faults, decoder)
}

/// The output of a tool that answers with content blocks: text, images, links.
///
/// ```
/// use relay_core::{Server, codec, content, tool};
///
/// let hello = tool::define("hello", codec::object(()), tool::content())
///     .handle(|()| async { Ok(vec![content::text("Hello.")]) });
/// let server: Server<()> = Server::new([hello]);
/// ```
#[must_use]
pub fn content() -> Content {
    Content
}

impl Output for Content {
    type Value = Vec<Block>;

    fn into_output(self) -> Result<OutputCodec<Vec<Block>>, DefinitionFaults> {
        Ok(OutputCodec::Content(|blocks| blocks))
    }
}

impl<I, O> Definition<I, O> {
    /// The name shown to people.
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.declaration.title = Some(title.into());
        self
    }

    /// What the tool does and when to use it: models choose by this text.
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.declaration.description = Some(description.into());
        self
    }

    /// Hints that the tool changes nothing. Unset by default, as are the other hints; clients may
    /// show them, the server never acts on them (TOOL-17).
    pub fn read_only(mut self, hint: bool) -> Self {
        self.declaration.hints.read_only = Some(hint);
        self
    }

    /// Hints that the tool may destroy something.
    pub fn destructive(mut self, hint: bool) -> Self {
        self.declaration.hints.destructive = Some(hint);
        self
    }

    /// Hints that a second call with the same arguments changes nothing more.
    pub fn idempotent(mut self, hint: bool) -> Self {
        self.declaration.hints.idempotent = Some(hint);
        self
    }

    /// Hints that the tool reaches beyond what the server holds, such as the web.
    pub fn open_world(mut self, hint: bool) -> Self {
        self.declaration.hints.open_world = Some(hint);
        self
    }

    /// Icons that a client may show beside the tool.
    pub fn with_icons(mut self, icons: impl IntoIterator<Item = Icon>) -> Self {
        self.declaration.icons = icons.into_iter().collect();
        self
    }

    /// One entry of the tool's `_meta`.
    pub fn with_meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.declaration.meta.insert(key.into(), value.into());
        self
    }

    /// What the client must be able to do for the tool to be called at all. A call by a client
    /// that did not declare it is answered -32021 with what is missing, before the handler runs.
    ///
    /// ```
    /// use relay_core::{ClientCapabilities, codec, tool};
    ///
    /// let ask = tool::define("ask", codec::object(()), codec::string())
    ///     .with_required_capabilities(ClientCapabilities::new().with_sampling());
    /// ```
    pub fn with_required_capabilities(mut self, capabilities: ClientCapabilities) -> Self {
        self.declaration.required_capabilities = capabilities;
        self
    }

    /// Declares the forms that the handler asks, so that what is wrong with them shows here.
    ///
    /// # Panics
    ///
    /// With the tool's name and every fault of the forms.
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

    /// Lets each answer to the handler's questions count once: a round that is sent a second time
    /// is refused, whichever replica gets it, as far as the replicas share a store (RS-06).
    ///
    /// For what must not happen twice and can't tell by itself that it has. A client that repeats a
    /// round because it got no answer is refused as well, and the round is lost to it.
    pub fn single_use(mut self) -> Self {
        self.declaration.single_use = true;
        self
    }

    /// How long one run of the handler may take; the runtime's own limit where unset (CAN-04).
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.declaration.deadline = Some(deadline);
        self
    }

    /// Whether a structured result is also sent as a text block, for clients that read only those
    /// (TOOL-16). On by default; off halves a large answer. Clients of 2025-03-26, which know no
    /// structured content, always get the text.
    pub fn with_text_copy(self, text_copy: bool) -> Self {
        Self { text_copy, ..self }
    }

    /// Finishes the tool with a function of its input.
    pub fn handle<C, F, Fut, R>(self, handler: F) -> Tool<C>
    where
        C: Send + Sync + 'static,
        I: Send + 'static,
        O: 'static,
        F: Fn(I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, Error>> + Send + 'static,
        R: IntoReply<O>,
    {
        Tool::new(self, move |_call, input| handler(input)).without_questions()
    }

    /// Finishes the tool with a function of the [`Call`] and its input.
    pub fn handle_call<C, F, Fut, R>(self, handler: F) -> Tool<C>
    where
        C: Send + Sync + 'static,
        I: Send + 'static,
        O: 'static,
        F: Fn(Call<C>, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, Error>> + Send + 'static,
        R: IntoReply<O>,
    {
        Tool::new(self, handler)
    }
}

impl<I, O> fmt::Debug for Definition<I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Definition")
            .field(&self.declaration)
            .finish()
    }
}

impl DefinitionError {
    pub(crate) fn new(name: &str, faults: Vec<DefinitionFault>) -> Self {
        Self {
            name: name.to_owned(),
            faults,
        }
    }

    #[expect(
        clippy::panic,
        reason = "a definition is written in source code: its mistakes show at start"
    )]
    pub(crate) fn raise(&self) -> ! {
        panic!("{self}")
    }

    /// The name of what was being defined.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is wrong, one fault each.
    #[must_use]
    pub fn faults(&self) -> &[DefinitionFault] {
        &self.faults
    }
}

impl fmt::Display for DefinitionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the definition of {:?} is faulty", self.name)?;
        for fault in &self.faults {
            write!(f, "\n  {fault}")?;
        }
        Ok(())
    }
}

impl std::error::Error for DefinitionError {}
