//! The requests of one connection that are not answered yet, by id.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use relay_core::{Cancellation, protocol::jsonrpc::Id};
use tracing::Span;

/// How much of a client's reason is logged.
const LONGEST_REASON: usize = 256;

#[derive(Debug, Default)]
pub(crate) struct InFlight {
    flights: Mutex<HashMap<Id, Arc<Flight>>>,
}

/// One request that is not answered yet.
pub(crate) struct Flight {
    id: Id,
    /// Nothing more is sent for it.
    over: AtomicBool,
    cancellation: Cancellation,
    span: Span,
}

/// A request's place in the table, until its answer is handed out.
#[derive(Debug)]
pub(crate) struct Entry {
    flight: Arc<Flight>,
    table: Arc<InFlight>,
}

impl InFlight {
    pub(crate) fn contains(&self, id: &Id) -> bool {
        self.lock().contains_key(id)
    }

    pub(crate) fn enter(self: &Arc<Self>, id: Id, cancellation: Cancellation, span: Span) -> Entry {
        let flight = Arc::new(Flight {
            id: id.clone(),
            over: AtomicBool::new(false),
            cancellation,
            span,
        });
        self.lock().insert(id, Arc::clone(&flight));
        Entry {
            flight,
            table: Arc::clone(self),
        }
    }

    /// Ends the request of that id without an answer; an id that is unknown, or whose answer is
    /// out, is ignored (STDIO-06, STDIO-07).
    pub(crate) fn cancel(&self, id: &Id, reason: Option<&str>) {
        let Some(flight) = self.lock().remove(id) else {
            tracing::debug!("a request that is not in flight was cancelled; ignored");
            return;
        };
        let reason: Option<String> =
            reason.map(|reason| reason.chars().take(LONGEST_REASON).collect());
        flight
            .span
            .in_scope(|| tracing::info!(reason, "cancelled by the client"));
        flight.end();
    }

    /// Ends every request without an answer of its own, and gives their ids.
    pub(crate) fn end(&self) -> Vec<Id> {
        let flights: Vec<_> = self.lock().drain().collect();
        let end = |(id, flight): (Id, Arc<Flight>)| {
            flight.end();
            id
        };
        flights.into_iter().map(end).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Id, Arc<Flight>>> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Flight {
    /// Whether nothing more is to be sent for the request.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    fn end(&self) {
        self.over.store(true, Ordering::Release);
        self.cancellation.cancel();
    }
}

impl Entry {
    pub(crate) fn flight(&self) -> &Arc<Flight> {
        &self.flight
    }

    /// Waits until nobody waits for the request any more, or its handler has had its time.
    pub(crate) async fn cancelled(&self) {
        self.flight.cancellation.cancelled().await;
    }

    /// Leaves the table with the answer in hand: whether it may still be sent.
    pub(crate) fn leave(self) -> bool {
        self.remove()
    }

    fn remove(&self) -> bool {
        let mut flights = self.table.lock();
        let own = flights
            .get(&self.flight.id)
            .is_some_and(|flight| Arc::ptr_eq(flight, &self.flight));
        if own {
            flights.remove(&self.flight.id);
        }
        own
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.remove();
    }
}

impl fmt::Debug for Flight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flight")
            .field("id", &self.id)
            .field("over", &self.over)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter(table: &Arc<InFlight>, id: i64) -> (Entry, Cancellation) {
        let token = Cancellation::new();
        let entry = table.enter(Id::from(id), token.clone(), Span::none());
        (entry, token)
    }

    // OPS-04
    #[test]
    fn an_entry_leaves_with_its_answer_or_when_it_is_dropped() {
        let table = Arc::new(InFlight::default());
        let (answered, _) = enter(&table, 1);
        let (dropped, _) = enter(&table, 2);
        assert!(table.contains(&Id::from(1)) && table.contains(&Id::from(2)));
        assert!(answered.leave());
        drop(dropped);
        assert!(table.lock().is_empty());
    }

    // STDIO-06, STDIO-07
    #[test]
    fn a_cancelled_entry_is_over_and_its_id_free() {
        let table = Arc::new(InFlight::default());
        let (first, token) = enter(&table, 1);
        table.cancel(&Id::from(2), None);
        assert!(!token.is_cancelled());
        table.cancel(&Id::from(1), Some("why not"));
        assert!(token.is_cancelled() && first.flight().is_over());

        let (second, token) = enter(&table, 1);
        assert!(!first.leave(), "nothing is sent for it");
        assert!(table.contains(&Id::from(1)), "the second is not the first");
        assert!(!token.is_cancelled());
        assert!(second.leave());
    }

    #[test]
    fn the_end_names_what_was_in_flight() {
        let table = Arc::new(InFlight::default());
        let (entry, token) = enter(&table, 1);
        assert_eq!(table.end(), [Id::from(1)]);
        assert!(token.is_cancelled());
        assert!(!entry.leave());
    }
}
