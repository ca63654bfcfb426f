use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde_json::{
    Map, Value,
    value::{RawValue, to_raw_value},
};

use super::{Interrupt, response};
use crate::{
    Error,
    signing::state::{Answered, Fingerprint, State},
};

/// What a handler asks and records in one run, beside what earlier runs left.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    state: State,
    /// Whether there was an earlier round.
    resumed: bool,
    /// The responses that came with this request and may still be wanted.
    fresh: Map<String, Value>,
    /// The questions that the round before this one put.
    put: BTreeMap<String, Fingerprint>,
    asked: BTreeSet<String>,
    steps: BTreeSet<String>,
}

/// Whether, and how, the answer to a question is there.
pub(super) enum Found {
    Sealed(Value),
    Fresh(Value),
    Nothing,
}

impl Journal {
    /// Goes on where an earlier round ended, with the responses that came since.
    ///
    /// Sealed answers win over new ones, and of these only those to questions that were asked
    /// count (MRTR-10). The error is the key of one that has not the shape of an answer (MRTR-11).
    pub(crate) fn resume(mut state: State, mut fresh: Map<String, Value>) -> Result<Self, String> {
        let put = std::mem::take(&mut state.asked);
        fresh.retain(|key, _| put.contains_key(key) && !state.answers.contains_key(key));
        let misfit = put.iter().find(|(key, question)| {
            let given = fresh.get(*key);
            given.is_some_and(|given| !response::fits(given, question.kind))
        });
        if let Some((key, _)) = misfit {
            return Err(key.clone());
        }
        Ok(Self {
            state,
            resumed: true,
            fresh,
            put,
            ..Self::default()
        })
    }

    /// Begins with responses that nobody asked for: they count where the handler asks for just
    /// those (MRTR-19).
    pub(crate) fn unsolicited(fresh: Map<String, Value>) -> Self {
        Self {
            fresh,
            ..Self::default()
        }
    }

    /// Notes a question; false where this run has asked it already.
    pub(super) fn ask(&mut self, key: &str) -> bool {
        self.asked.insert(key.to_owned())
    }

    /// The answer to this question; one to another question of its key is none.
    pub(super) fn find(&mut self, key: &str, question: Fingerprint) -> Found {
        if let Some(sealed) = self.state.answers.get(key) {
            if sealed.question != question {
                return Found::Nothing;
            }
            // It was JSON when it was sealed.
            return Found::Sealed(serde_json::from_str(sealed.given.get()).unwrap_or_default());
        }
        let is_another = self.put.get(key).is_some_and(|put| *put != question);
        match self.fresh.remove(key).filter(|_| !is_another) {
            Some(given) => Found::Fresh(given),
            None => Found::Nothing,
        }
    }

    /// An answer is good, and sealed with what follows.
    pub(super) fn keep(&mut self, key: &str, question: Fingerprint, given: &Value) {
        if let Ok(given) = to_raw_value(given) {
            let answered = Answered { question, given };
            self.state.answers.insert(key.to_owned(), answered);
        }
    }

    /// An answer is no good any more.
    pub(super) fn forget(&mut self, key: &str) {
        self.state.answers.remove(key);
    }

    /// What a step recorded, if it was done; the error is of one that this run has come by before.
    pub(crate) fn begin(&mut self, step: &str) -> Result<Option<Box<RawValue>>, Error> {
        if self.steps.insert(step.to_owned()) {
            Ok(self.state.recorded.get(step).cloned())
        } else {
            Err(Error::from(format!(
                "the step {step:?} is there twice in one run: give each a key of its own"
            )))
        }
    }

    pub(crate) fn record(&mut self, step: &str, result: Box<RawValue>) {
        self.state.recorded.insert(step.to_owned(), result);
    }

    /// What the handler left for itself.
    pub(crate) fn handler_state(&self) -> Option<&RawValue> {
        self.state.handler.as_deref()
    }

    /// How many rounds there have been.
    pub(crate) fn round(&self) -> u8 {
        self.state.round
    }

    /// What the next round has to know: what is asked now, and where nothing is, what the handler
    /// wants to find again.
    pub(crate) fn turn(
        &mut self,
        asked: BTreeMap<String, Fingerprint>,
        handler: Option<Box<RawValue>>,
    ) -> State {
        let mut state = std::mem::take(&mut self.state);
        if self.resumed {
            // Answers that this run did not come to: they were asked for, and are not asked again.
            for (key, given) in std::mem::take(&mut self.fresh) {
                if let (Some(question), Ok(given)) = (self.put.remove(&key), to_raw_value(&given)) {
                    state.answers.insert(key, Answered { question, given });
                }
            }
        }
        state.asked = asked;
        state.handler = handler.or(state.handler);
        state.round = state.round.saturating_add(1);
        state
    }
}

/// How the questions of a run reach its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// They go out as the answer, and the request comes again with what they brought.
    Rounds,
    /// The client's revision has no rounds.
    OutOfRevision,
    /// The run is none that may ask: of a completer, or a lister.
    Never,
}

impl Reach {
    /// Whether this run may ask at all.
    pub(crate) fn check(self) -> Result<(), Interrupt> {
        Err(Interrupt::new(match self {
            Self::Rounds => return Ok(()),
            Self::OutOfRevision => Error::new(
                "This asks its user something, for which the client has to speak MCP 2026-07-28 or \
                 newer.",
            ),
            Self::Never => Error::from(
                "only handlers of tools, prompts and resources that take a call can ask: \
                 completers and listers can't",
            ),
        }))
    }
}

/// What belongs to the rounds of one run. Costs nothing until it is used.
#[derive(Debug)]
pub(crate) struct Rounds {
    pub(crate) reach: Reach,
    journal: Mutex<Option<Box<Journal>>>,
}

impl Rounds {
    pub(crate) fn new(reach: Reach, journal: Option<Box<Journal>>) -> Self {
        Self {
            reach,
            journal: Mutex::new(journal),
        }
    }

    /// Whether the request came with anything of a round.
    pub(crate) fn are_open(&mut self) -> bool {
        let journal = self.journal.get_mut();
        journal.unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Works on the journal, which is opened if need be.
    pub(crate) fn journal<T>(&self, work: impl FnOnce(&mut Journal) -> T) -> T {
        let mut journal: MutexGuard<'_, _> =
            self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        work(journal.get_or_insert_default())
    }
}
