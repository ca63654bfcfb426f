//! What is written to the operator's log.

use std::{
    fmt::{Debug, Write as _},
    sync::{Arc, Mutex, PoisonError},
};

use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
    subscriber::DefaultGuard,
};

/// The warnings and errors of this thread, from now until this is dropped.
#[derive(Debug)]
pub(crate) struct Events {
    lines: Arc<Mutex<Vec<String>>>,
    _guard: DefaultGuard,
}

impl Events {
    pub(crate) fn capture() -> Self {
        let lines = Arc::<Mutex<Vec<String>>>::default();
        let guard = tracing::subscriber::set_default(Recorder(Arc::clone(&lines)));
        Self {
            lines,
            _guard: guard,
        }
    }

    /// What was written so far, one line an event, each with its fields.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.lines.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

struct Recorder(Arc<Mutex<Vec<String>>>);

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(line.0);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Text in memory takes all that is written to it.
        let _ = write!(self.0, " {field}={value:?}");
    }
}
