use std::fmt;

use serde_json::Value;

use super::{
    Interrupt,
    interrupt::{Pause, Pending},
    journal::{Found, Journal},
};
use crate::{
    ClientCapabilities, Error, call::Client, protocol::revision::Facts, signing::state::Fingerprint,
};

/// Where the questions of one round are put: see [`Ask`](super::Ask).
pub struct Desk<'a> {
    journal: &'a mut Journal,
    client: &'a Client,
    pending: Vec<Pending>,
    missing: ClientCapabilities,
    failure: Option<Error>,
}

/// Why an answer does not do, in words for the user where there are some.
#[derive(Debug, Default)]
pub(super) struct Misfit(Option<String>);

impl Misfit {
    pub(super) fn because(why: &impl fmt::Display) -> Self {
        Self(Some(why.to_string()))
    }
}

impl<'a> Desk<'a> {
    pub(crate) fn new(journal: &'a mut Journal, client: &'a Client) -> Self {
        Self {
            journal,
            client,
            pending: Vec::new(),
            missing: ClientCapabilities::new(),
            failure: None,
        }
    }

    /// What the client's wire knows.
    pub(super) fn facts(&self) -> &'static Facts {
        self.client.revision.facts()
    }

    /// The answer that an earlier round brought, or this one; otherwise the question is noted as
    /// one to ask.
    pub(super) fn settle<A>(
        &mut self,
        key: &str,
        question: Fingerprint,
        needs: ClientCapabilities,
        read: impl Fn(Value) -> Result<A, Misfit>,
        request: impl FnOnce(Option<&str>) -> serde_json::Result<String>,
    ) -> Option<A> {
        if !self.journal.ask(key) {
            return self.fail(format!(
                "the question {key:?} is asked twice in one run: give each a key of its own"
            ));
        }
        let misfit = match self.journal.find(key, question) {
            Found::Nothing => {
                self.journal.forget(key);
                Misfit::default()
            }
            Found::Sealed(given) => {
                if let Ok(answer) = read(given) {
                    return Some(answer);
                }
                tracing::info!(key, "an answer no longer fits its question: asked again");
                self.journal.forget(key);
                Misfit::default()
            }
            Found::Fresh(given) => match read(given.clone()) {
                Ok(answer) => {
                    self.journal.keep(key, question, &given);
                    return Some(answer);
                }
                Err(misfit) => misfit,
            },
        };
        if !self.client.capabilities().declares(&needs) {
            self.missing.add(needs);
            return None;
        }
        match request(misfit.0.as_deref()) {
            Ok(request) => self.pending.push(Pending {
                key: key.to_owned(),
                question,
                request,
            }),
            Err(error) => self.failure = Some(error.into()),
        }
        None
    }

    /// The round can't go on, for a reason that is the operator's to know.
    pub(super) fn fail<A>(&mut self, why: String) -> Option<A> {
        self.failure.get_or_insert_with(|| Error::from(why));
        None
    }

    /// The answers, if there was nothing left to ask.
    pub(crate) fn close<A>(self, answers: Option<A>) -> Result<A, Interrupt> {
        if let Some(failure) = self.failure {
            return Err(Interrupt::new(failure));
        }
        match answers {
            _ if self.missing != ClientCapabilities::new() => {
                Err(Pause::Unable(self.missing).into())
            }
            Some(answers) if self.pending.is_empty() => Ok(answers),
            _ => Err(Pause::Asks(self.pending).into()),
        }
    }
}

impl fmt::Debug for Desk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk")
            .field("pending", &self.pending)
            .finish_non_exhaustive()
    }
}
