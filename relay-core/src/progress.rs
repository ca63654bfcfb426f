//! How far a call has come, told to the client while it runs.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use serde::Serialize;

use crate::protocol::{answer::notification, meta::ProgressToken};

/// One step of a call's progress, for [`Call::progress`](crate::Call::progress).
///
/// ```
/// use relay_core::Progress;
///
/// let step = Progress::new(3.0).with_total(10.0).with_message("3 of 10 files");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progress {
    #[serde(rename = "progress")]
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl Progress {
    /// How much is done, in whatever unit the call counts. Each value must be larger than the one
    /// before it; a value that is not, or that is not finite, is dropped (PROG-03).
    #[must_use]
    pub fn new(value: f64) -> Self {
        Self {
            value,
            total: None,
            message: None,
        }
    }

    /// How much there is to do, in the same unit. A value that is not finite counts as unset.
    #[must_use]
    pub fn with_total(self, total: f64) -> Self {
        Self {
            total: total.is_finite().then_some(total),
            ..self
        }
    }

    /// A sentence for the person who waits.
    #[must_use]
    pub fn with_message(self, message: impl Into<String>) -> Self {
        Self {
            message: Some(message.into()),
            ..self
        }
    }
}

/// The latest progress of one call that has not been sent yet: a newer value replaces it, so a
/// handler that reports thousands of steps a second costs nobody anything (PROG-06).
#[derive(Debug)]
pub(crate) struct ProgressSlot {
    token: ProgressToken,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    highest: f64,
    pending: Option<Progress>,
    /// Who waits for something to be pending.
    waiting: Option<Waker>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    progress_token: &'a ProgressToken,
    #[serde(flatten)]
    progress: Progress,
}

impl ProgressSlot {
    pub(crate) fn new(token: ProgressToken) -> Self {
        Self {
            token,
            state: Mutex::new(State {
                highest: f64::NEG_INFINITY,
                pending: None,
                waiting: None,
            }),
        }
    }

    pub(crate) fn report(&self, progress: Progress) {
        let mut state = self.lock();
        if progress.value.is_finite() && progress.value > state.highest {
            state.highest = progress.value;
            state.pending = Some(progress);
            let waiting = state.waiting.take();
            drop(state);
            if let Some(waker) = waiting {
                waker.wake();
            }
        }
    }

    /// The frame of what is pending, at once.
    pub(crate) fn take(&self) -> Option<Bytes> {
        let progress = self.lock().pending.take()?;
        self.frame(progress)
    }

    /// The frame of what is pending, as soon as something is. The latest task to ask is woken.
    pub(crate) fn poll(&self, cx: &mut Context<'_>) -> Poll<Bytes> {
        let mut state = self.lock();
        let Some(progress) = state.pending.take() else {
            state.waiting = Some(cx.waker().clone());
            return Poll::Pending;
        };
        drop(state);
        self.frame(progress).map_or(Poll::Pending, Poll::Ready)
    }

    fn frame(&self, progress: Progress) -> Option<Bytes> {
        notification(
            "notifications/progress",
            &Params {
                progress_token: &self.token,
                progress,
            },
        )
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
