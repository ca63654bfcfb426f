//! The time of day, as a value that tests can set.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Where a server takes the time of day from: when a cursor was made, whether it has expired.
///
/// Clones share one clock. [`Clock::system`] is the default everywhere; [`Clock::manual`] gives a
/// test the hands.
///
/// # Examples
///
/// ```
/// use relay_core::Clock;
/// use std::time::{Duration, SystemTime};
///
/// let hands = Clock::manual(SystemTime::UNIX_EPOCH);
/// let clock = hands.clock();
/// hands.advance(Duration::from_secs(60));
/// assert_eq!(clock.now(), SystemTime::UNIX_EPOCH + Duration::from_secs(60));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Clock(Source);

#[derive(Clone, Debug, Default)]
enum Source {
    #[default]
    System,
    Manual(Arc<Mutex<SystemTime>>),
}

impl Clock {
    /// The operating system's clock.
    #[must_use]
    pub fn system() -> Self {
        Self(Source::System)
    }

    /// A clock that stands still at `start` until its hands are moved.
    #[must_use]
    pub fn manual(start: SystemTime) -> ManualClock {
        ManualClock(Arc::new(Mutex::new(start)))
    }

    /// The time now.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        match &self.0 {
            Source::System => system_now(),
            Source::Manual(time) => read(time),
        }
    }
}

/// The hands of a clock made by [`Clock::manual`]: every [`Clock`] taken from it follows.
#[derive(Clone, Debug)]
pub struct ManualClock(Arc<Mutex<SystemTime>>);

impl ManualClock {
    /// A clock that shows what these hands say.
    #[must_use]
    pub fn clock(&self) -> Clock {
        Clock(Source::Manual(Arc::clone(&self.0)))
    }

    /// The time it shows.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        read(&self.0)
    }

    /// Moves the clock forward. It stays where it is if the sum is beyond what [`SystemTime`]
    /// can say.
    pub fn advance(&self, by: Duration) {
        let mut time = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(later) = time.checked_add(by) {
            *time = later;
        }
    }

    /// Sets the clock, forward or back.
    pub fn set(&self, time: SystemTime) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = time;
    }
}

impl From<ManualClock> for Clock {
    fn from(hands: ManualClock) -> Self {
        Self(Source::Manual(hands.0))
    }
}

impl From<&ManualClock> for Clock {
    fn from(hands: &ManualClock) -> Self {
        hands.clock()
    }
}

fn read(time: &Mutex<SystemTime>) -> SystemTime {
    *time.lock().unwrap_or_else(PoisonError::into_inner)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the system's clock"
)]
fn system_now() -> SystemTime {
    SystemTime::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clone_follows_the_hands() {
        let hands = Clock::manual(SystemTime::UNIX_EPOCH);
        let clock = hands.clock();
        let clone = clock.clone();
        hands.advance(Duration::from_secs(5));
        assert_eq!(clock.now(), SystemTime::UNIX_EPOCH + Duration::from_secs(5));
        hands.set(SystemTime::UNIX_EPOCH);
        assert_eq!(clone.now(), SystemTime::UNIX_EPOCH);
        assert_eq!(Clock::from(&hands).now(), hands.now());
    }

    #[test]
    fn an_impossible_step_leaves_the_clock_alone() {
        let hands = Clock::manual(SystemTime::UNIX_EPOCH);
        hands.advance(Duration::MAX);
        assert_eq!(hands.now(), SystemTime::UNIX_EPOCH);
    }

    #[test]
    fn the_system_clock_is_the_default() {
        assert!(matches!(Clock::default().0, Source::System));
        assert!(Clock::system().now() > SystemTime::UNIX_EPOCH);
    }
}
