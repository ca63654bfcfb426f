//! What a handler sees of the request it answers.

use std::{
    fmt,
    sync::{Arc, OnceLock},
    time::Instant,
};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, value::to_raw_value};

use crate::{
    Error, Principal,
    cancellation::Signal,
    input::{
        Answer, Ask, Desk, Interrupt, Question, Rounds, roots, roots::Root, sample, sample::Sampled,
    },
    logging::LogSender,
    progress::{Progress, ProgressSlot},
    protocol::{
        capability::{ClientCapabilities, Implementation},
        jsonrpc::Id,
        meta::{LogLevel, Meta},
        revision::Revision,
    },
};

/// One request, as its handler sees it: the context it runs in, who asks, and the ways to tell the
/// client something before the answer.
///
/// Cheap to clone; a clone speaks for the same request.
///
/// ```
/// use relay_core::{Call, Progress, codec, tool};
///
/// struct App { steps: u32 }
///
/// let climb = tool::define("climb", codec::object(()), codec::integer::<u32>())
///     .handle_call(|call: Call<App>, ()| async move {
///         let total = call.context().steps;
///         for step in 1..=total {
///             if call.is_cancelled() {
///                 break;
///             }
///             call.progress(Progress::new(step.into()).with_total(total.into()));
///         }
///         Ok(total)
///     });
/// ```
pub struct Call<C> {
    context: Arc<C>,
    scope: Arc<Scope>,
}

/// What a call is about, whatever its context type.
pub(crate) struct Scope {
    pub(crate) id: Id,
    pub(crate) client: Client,
    pub(crate) meta: Meta,
    pub(crate) principal: Option<Arc<Principal>>,
    pub(crate) cancellation: Signal,
    pub(crate) deadline: Instant,
    pub(crate) progress: Option<Arc<ProgressSlot>>,
    pub(crate) logs: Option<LogSender>,
    pub(crate) completed: Map<String, Value>,
    pub(crate) rounds: Rounds,
    pub(crate) correlation: OnceLock<String>,
}

/// The client of a call: what it said of itself with this request, or in its handshake.
///
/// Nothing here proves who the client is; see [`Call::principal`] for that (META-08).
#[derive(Clone, Debug)]
pub struct Client {
    pub(crate) info: Option<Implementation>,
    pub(crate) capabilities: ClientCapabilities,
    pub(crate) revision: Revision,
}

impl<C> Call<C> {
    pub(crate) fn new(context: Arc<C>, scope: Arc<Scope>) -> Self {
        Self { context, scope }
    }

    pub(crate) fn scope(&self) -> &Arc<Scope> {
        &self.scope
    }

    pub(crate) fn map_context<D>(self, context: Arc<D>) -> Call<D> {
        Call {
            context,
            scope: self.scope,
        }
    }

    /// The context that the transport made for this caller.
    #[must_use]
    pub fn context(&self) -> &C {
        &self.context
    }

    /// Tells the client how far the call has come, where it asked to be told (PROG-01, PROG-02).
    ///
    /// Never waits: only the latest value not yet sent is kept.
    pub fn progress(&self, progress: Progress) {
        if let Some(slot) = &self.scope.progress {
            slot.report(progress);
        }
    }

    /// Sends the client a log message, where the server has logging on
    /// ([`Server::with_logging`](crate::Server::with_logging)) and the client asked for this level
    /// (LOG-01, LOG-02). What `data` holds is shown to the client: no secrets (LOG-06).
    ///
    /// Waits while 64 messages of this call are unsent (LOG-07). For logs of the operator's own,
    /// use `tracing`. The protocol has deprecated log messages; servers may still send them.
    ///
    /// # Cancel safety
    ///
    /// A message whose future is dropped before it is ready is not sent.
    pub async fn log(&self, level: LogLevel, data: impl Serialize) {
        if let Some(logs) = &self.scope.logs {
            logs.send(level, data).await;
        }
    }

    /// Waits until the call is cancelled: by the client, by its deadline, or because the client
    /// left or the server is stopping.
    ///
    /// A cancelled call has a short grace in which to finish; its answer is not sent.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing is lost, and a cancelled call stays cancelled.
    pub async fn cancelled(&self) {
        self.scope.cancellation.cancelled().await;
    }

    /// Whether the call has been cancelled, for a loop that checks between two steps.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.scope.cancellation.is_cancelled()
    }

    /// When the call is cancelled for taking too long.
    #[must_use]
    pub fn deadline(&self) -> Instant {
        self.scope.deadline
    }

    /// Asks the user: the answer, once the client has brought it.
    ///
    /// Until then the run ends here: pass the [`Interrupt`] on with `?`. The client is asked, and the
    /// handler runs again from the top with the answer, and with those of all earlier rounds. So
    /// what comes before a question runs once more with every round; what must not goes into
    /// [`once`](Self::once).
    ///
    /// ```
    /// use std::sync::LazyLock;
    /// use relay_core::{Call, Error, codec, elicit, input::{Answer, Form}};
    ///
    /// static NAME: LazyLock<Form<String>> =
    ///     LazyLock::new(|| elicit::form(codec::object(codec::field("name", codec::string()))));
    ///
    /// async fn greet(call: Call<()>) -> Result<String, Error> {
    ///     if !call.client().can_elicit() {
    ///         return Ok("Hello!".to_owned());
    ///     }
    ///     Ok(match call.elicit(NAME.question("name", "What are you called?")).await? {
    ///         Answer::Accepted(name) => format!("Hello, {name}!"),
    ///         Answer::Declined | Answer::Cancelled => "Hello, stranger!".to_owned(),
    ///     })
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The end of this run: for the client to answer; because it did not declare that it can
    /// (-32021, which [`Client::can_elicit`] lets a handler avoid), or speaks a revision without
    /// rounds; because a key was asked twice in one run.
    pub async fn elicit<T>(&self, question: Question<T>) -> Result<Answer<T>, Interrupt> {
        self.ask(question).await
    }

    /// Asks the client's model. See [`elicit`](Self::elicit).
    ///
    /// # Errors
    ///
    /// As for [`elicit`](Self::elicit).
    pub async fn sample(&self, request: sample::Request) -> Result<Sampled, Interrupt> {
        self.ask(request).await
    }

    /// Asks for the client's roots, under this key. See [`elicit`](Self::elicit).
    ///
    /// # Errors
    ///
    /// As for [`elicit`](Self::elicit).
    pub async fn roots(&self, key: impl Into<String>) -> Result<Vec<Root>, Interrupt> {
        self.ask(roots::request(key)).await
    }

    /// Asks several things in one round: a tuple of questions gives a tuple of answers.
    ///
    /// ```
    /// # use relay_core::{Call, Error, input::Form, roots};
    /// # async fn example(call: Call<()>, seat: Form<u8>, meal: Form<String>) -> Result<(), Error> {
    /// let (seat, meal) = call.ask((seat.question("seat", "Where?"), meal.question("meal", "What?"))).await?;
    /// let (seat, meal) = (seat.accepted()?, meal.accepted()?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`elicit`](Self::elicit).
    #[expect(
        clippy::unused_async,
        reason = "where questions go over a connection that stays open, an answer is waited for"
    )]
    pub async fn ask<Q: Ask>(&self, questions: Q) -> Result<Q::Answer, Interrupt> {
        let Scope { rounds, client, .. } = &*self.scope;
        rounds.reach.check()?;
        rounds.journal(|journal| {
            let mut desk = Desk::new(journal, client);
            let answers = questions.put(&mut desk);
            desk.close(answers)
        })
    }

    /// Does something once over all rounds: in the first run that comes by, whose result later runs
    /// find again. `key` names it among all that this handler does once.
    ///
    /// The result travels, sealed, with the questions that follow. So it is kept from the next
    /// question on; a client that repeats an earlier round repeats what that round did. What fails
    /// is not recorded, and done again by the next run.
    ///
    /// ```
    /// # use relay_core::{Call, Error, elicit};
    /// # async fn reserve(flight: &str) -> Result<u32, std::io::Error> { Ok(7) }
    /// # async fn example(call: Call<()>, flight: String) -> Result<(), Error> {
    /// let hold = call.once("hold", async || Ok(reserve(&flight).await?)).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// That of `work`. A private one if the key was used before in this run, if the result can't be
    /// written as JSON, or if what was recorded is no longer a `T`: work is not done again because
    /// its result is unreadable.
    pub async fn once<T, F, Fut>(&self, key: &str, work: F) -> Result<T, Error>
    where
        T: Serialize + DeserializeOwned,
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, Error>>,
    {
        let rounds = &self.scope.rounds;
        if let Some(recorded) = rounds.journal(|journal| journal.begin(key))? {
            return serde_json::from_str(recorded.get()).map_err(|error| {
                Error::from(format!(
                    "what was recorded once as {key:?} can't be read: {error}"
                ))
            });
        }
        let result = work().await?;
        let recorded = to_raw_value(&result)?;
        rounds.journal(|journal| journal.record(key, recorded));
        Ok(result)
    }

    /// What an earlier run left with [`Reply::later`](crate::Reply::later); `None` in the first.
    ///
    /// # Errors
    ///
    /// A private one if it is no `T`.
    pub fn state<T: DeserializeOwned>(&self) -> Result<Option<T>, Error> {
        let read = |state: &serde_json::value::RawValue| serde_json::from_str(state.get());
        let state = self
            .scope
            .rounds
            .journal(|journal| journal.handler_state().map(read));
        Ok(state.transpose()?)
    }

    /// What the client says of itself.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.scope.client
    }

    /// The request's `_meta`.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        &self.scope.meta
    }

    /// The request's id, as sent.
    #[must_use]
    pub fn request_id(&self) -> &Id {
        &self.scope.id
    }

    /// Who asks, where the transport knows; `None` for an anonymous peer.
    #[must_use]
    pub fn principal(&self) -> Option<&Principal> {
        self.scope.principal.as_deref()
    }

    /// A name for this request in logs: the trace id of the request's `traceparent`, else a random
    /// one. 32 hexadecimal digits.
    #[must_use]
    pub fn correlation(&self) -> &str {
        self.scope.correlation()
    }

    /// The key under which the client wants this request to take effect once, from
    /// `_meta.idempotencyKey`: 1 to 256 characters of visible ASCII. Another value is refused
    /// before the handler runs.
    #[must_use]
    pub fn idempotency_key(&self) -> Option<&str> {
        self.scope
            .meta
            .idempotency_key()
            .value()
            .map(String::as_str)
    }

    /// For a completer: a prompt's or a template's other arguments, as far as the person has
    /// filled them in (COMP-06).
    pub fn completed_arguments(&self) -> impl Iterator<Item = (&str, &str)> {
        self.scope
            .completed
            .iter()
            .filter_map(|(name, value)| Some((&**name, value.as_str()?)))
    }
}

impl<C> Clone for Call<C> {
    fn clone(&self) -> Self {
        Self {
            context: Arc::clone(&self.context),
            scope: Arc::clone(&self.scope),
        }
    }
}

impl<C> fmt::Debug for Call<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("request_id", &self.scope.id)
            .field("client", &self.scope.client)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// The client's name and version, where it gave them.
    #[must_use]
    pub fn info(&self) -> Option<&Implementation> {
        self.info.as_ref()
    }

    /// What the client can do.
    #[must_use]
    pub fn capabilities(&self) -> &ClientCapabilities {
        &self.capabilities
    }

    /// Whether a handler can put a form to the client's user: with [`Call::elicit`] and a question
    /// that a [form](crate::input::Form) makes.
    #[must_use]
    pub fn can_elicit(&self) -> bool {
        self.can_be_asked() && self.capabilities.can_elicit()
    }

    /// Whether a handler can send the client's user to a URL: with [`Call::elicit`] and
    /// [`elicit::url`](crate::elicit::url).
    #[must_use]
    pub fn can_elicit_url(&self) -> bool {
        self.can_be_asked() && self.capabilities.can_elicit_url()
    }

    /// Whether a handler can ask the client's model: with [`Call::sample`].
    #[must_use]
    pub fn can_sample(&self) -> bool {
        self.can_be_asked() && self.capabilities.can_sample()
    }

    /// Whether a handler can ask for the client's roots: with [`Call::roots`].
    #[must_use]
    pub fn can_list_roots(&self) -> bool {
        self.can_be_asked() && self.capabilities.can_list_roots()
    }

    fn can_be_asked(&self) -> bool {
        self.revision.facts().input_rounds
    }

    /// The protocol revision this request is judged and answered by.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }
}

impl AsRef<Signal> for Scope {
    fn as_ref(&self) -> &Signal {
        &self.cancellation
    }
}

impl Scope {
    pub(crate) fn correlation(&self) -> &str {
        self.correlation.get_or_init(|| {
            self.meta
                .trace_id()
                .map_or_else(|| format!("{:032x}", rand::random::<u128>()), str::to_owned)
        })
    }
}
