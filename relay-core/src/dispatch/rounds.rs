//! The rounds of a request: what it brings of earlier ones, and how its questions go out.

use std::{fmt, sync::Arc};

use serde_json::{Map, Value, json};

use super::{Asked, Ended, SingleUse};
use crate::{
    Clock, Error, KeyRing, Principal,
    call::Scope,
    error::Kind,
    input::{Journal, Pause, Pending, Reach, Rounds},
    protocol::{
        answer::{Answer, Refusal, Responder},
        jsonrpc::{self, ErrorCode, Message, Slot},
        method::Method,
    },
    server::Inner,
    signing::{
        Digest,
        state::{self, Binding, State},
    },
};

/// What a request brings of earlier rounds, and what it takes to begin another.
pub(super) struct Input<C> {
    pub(super) rounds: Rounds,
    /// Where another round may follow.
    pub(super) round: Option<Round<C>>,
    /// The state that the request came with, where it opens one run only.
    pub(super) single_use: Option<Arc<SingleUse>>,
}

/// What it takes to begin another round.
pub(super) struct Round<C> {
    server: Arc<Inner<C>>,
    method: Method,
    /// Known where the request came with state.
    arguments: Option<Digest>,
    most: u8,
    limit: usize,
}

/// The questions that a run ended in, and what its client needs to send the request again with the
/// answers.
pub struct Asking {
    responder: Responder,
    requests: Vec<Pending>,
    state: State,
    arguments: Option<Digest>,
    method: Method,
    target: String,
    principal: Option<Arc<Principal>>,
    audience: Arc<str>,
    keys: KeyRing,
    clock: Clock,
    limit: usize,
}

impl<C> Input<C> {
    /// Of a run that can't ask.
    pub(super) fn none() -> Self {
        Self {
            rounds: Rounds::new(Reach::Never, None),
            round: None,
            single_use: None,
        }
    }
}

impl<C> Asked<'_, C> {
    /// Takes up what earlier rounds of the request left, for a handler that may ask or not, and
    /// whose state may open one run only.
    pub(super) fn resume(
        &mut self,
        target: &str,
        arguments: &Map<String, Value>,
        asks: bool,
        once: bool,
    ) -> Result<(), Refusal> {
        let known = self.responder.revision.facts().input_rounds;
        let reach = match (asks, known) {
            (false, _) => Reach::Never,
            (true, false) => Reach::OutOfRevision,
            (true, true) => Reach::Rounds,
        };
        if !known {
            // The members that belong to rounds are as unknown as any.
            self.input.rounds = Rounds::new(reach, None);
            return Ok(());
        }
        let responses = match self.params.input_responses.take() {
            Slot::Absent => Map::new(),
            Slot::Value(responses) => responses,
            Slot::Null | Slot::Wrong(_) => {
                return Err(Refusal::invalid_params(
                    "`inputResponses` must be an object",
                ));
            }
        };
        let mut digest = None;
        let mut single_use = None;
        let journal = match self.params.request_state.take() {
            // Answers without state could be sent again and again (RS-06).
            Slot::Absent if responses.is_empty() || once => None,
            Slot::Absent => Some(Journal::unsolicited(responses)),
            Slot::Value(text) => {
                let arguments = *digest.insert(Digest::of(arguments));
                let opened = self.open(target, arguments, &text)?;
                single_use = once.then(|| SingleUse::new(opened.name, opened.remaining));
                let journal = Journal::resume(opened.state, responses);
                Some(journal.map_err(|key| {
                    let message = format!("`inputResponses[{key:?}]` is no answer to its question");
                    Refusal::invalid_params(message)
                })?)
            }
            Slot::Null | Slot::Wrong(_) => return Err(bad_state()),
        };
        self.input = Input {
            rounds: Rounds::new(reach, journal.map(Box::new)),
            round: asks.then(|| Round {
                server: Arc::clone(self.server),
                method: self.method,
                arguments: digest,
                most: self.bounds.rounds,
                limit: self.bounds.state_limit,
            }),
            single_use: single_use.map(Arc::new),
        };
        Ok(())
    }

    fn open(&self, target: &str, arguments: Digest, text: &str) -> Result<state::Opened, Refusal> {
        let binding = Binding {
            method: self.method.as_str(),
            target,
            arguments,
            principal: self.peer.principal().map(|principal| &**principal),
            audience: &self.server.audience(),
        };
        let now = self.server.clock.now();
        let limit = self.bounds.state_limit;
        state::open(&self.server.keys, &binding, text, now, limit).map_err(|why| {
            tracing::info!(
                method = self.method.as_str(),
                target,
                %why,
                "request state was refused"
            );
            bad_state()
        })
    }
}

/// One refusal for all state that does not open, whatever the reason (RS-08).
pub(super) fn bad_state() -> Refusal {
    Refusal::invalid_params("the request state is not one of this request, or has expired")
}

/// How a run ends whose handler gave this error: with questions, where it asked some and may.
///
/// # Errors
///
/// What went wrong, if it is to be answered like any error of a handler.
pub(super) fn end<C>(
    error: Error,
    round: Option<Round<C>>,
    target: &str,
    responder: &Responder,
    scope: &Scope,
) -> Result<Ended, Error> {
    if !error.is_interrupt() {
        return Err(error);
    }
    let (requests, handler) = match error.into_kind() {
        Kind::Pause(Pause::Asks(requests)) => (requests, None),
        Kind::Pause(Pause::Later(state)) => (Vec::new(), Some(state)),
        Kind::Pause(Pause::Unable(required)) => {
            let refusal = Refusal::new(
                ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY,
                "the client has to be asked something that it did not declare it can do",
            );
            let refusal = refusal.with_data(json!({ "requiredCapabilities": required }));
            return Ok(Ended::Answer(responder.refuse(&refusal)));
        }
        other => return Err(Error::from_kind(other)),
    };
    scope.rounds.reach.check()?;
    let Some(round) = round else {
        return Err(Error::from("a run that can't ask has asked"));
    };
    let asked = requests
        .iter()
        .map(|request| (request.key.clone(), request.question))
        .collect();
    let state = scope
        .rounds
        .journal(|journal| (journal.round() < round.most).then(|| journal.turn(asked, handler)));
    let Some(state) = state else {
        tracing::warn!(
            target,
            rounds = round.most,
            correlation = scope.correlation(),
            "a handler asks for more rounds than a request may have; if it is meant to, raise the \
             limit"
        );
        return Err(Error::new(
            "This takes more rounds of questions than the server allows.",
        ));
    };
    let Inner { keys, clock, .. } = &*round.server;
    Ok(Ended::Asks(Box::new(Asking {
        responder: responder.clone(),
        requests,
        state,
        arguments: round.arguments,
        method: round.method,
        target: target.to_owned(),
        principal: scope.principal.clone(),
        audience: round.server.audience(),
        keys: keys.clone(),
        clock: clock.clone(),
        limit: round.limit,
    })))
}

impl Asking {
    /// The answer that asks: the questions, and the state that the client sends back with what they
    /// bring. `frame` is the one that the run was dispatched for.
    #[must_use]
    pub fn answer(self, frame: &[u8]) -> Answer {
        let Some(arguments) = self.arguments.or_else(|| arguments(frame)) else {
            tracing::error!("what drives the run gave another frame than it was dispatched for");
            return self.responder.refuse(&Refusal::internal("internal error"));
        };
        let binding = Binding {
            method: self.method.as_str(),
            target: &self.target,
            arguments,
            principal: self.principal.as_deref(),
            audience: &self.audience,
        };
        let now = self.clock.now();
        match state::seal(&self.keys, &binding, &self.state, now, self.limit) {
            Ok(state) => {
                let requests = self.requests.iter();
                let requests = requests.map(|request| (&*request.key, &*request.request));
                self.responder.input_required(requests, &state)
            }
            Err(oversized) => {
                tracing::error!(target = self.target, "{oversized}");
                let message = "what was answered and done so far is too much to go on with";
                self.responder.refuse(&Refusal::internal(message))
            }
        }
    }
}

/// The digest of a request's arguments, read again from its frame.
fn arguments(frame: &[u8]) -> Option<Digest> {
    let Ok(Message::Request(request)) = jsonrpc::parse(frame) else {
        return None;
    };
    let arguments = request.params.arguments.into_value().unwrap_or_default();
    Some(Digest::of(&arguments.values))
}

impl fmt::Debug for Asking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<_> = self.requests.iter().map(|request| &request.key).collect();
        f.debug_struct("Asking")
            .field("target", &self.target)
            .field("questions", &keys)
            .finish_non_exhaustive()
    }
}
