use std::fmt;

use serde::{Serialize, Serializer};

/// How grave a log message is: the eight levels of RFC 5424, from least to most.
///
/// ```
/// use relay_core::protocol::meta::LogLevel;
///
/// assert_eq!(LogLevel::parse("warning"), Some(LogLevel::Warning));
/// assert_eq!(LogLevel::parse("warn"), None);
/// assert!(LogLevel::Error > LogLevel::Warning);
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[expect(
    clippy::exhaustive_enums,
    reason = "RFC 5424 fixes the eight levels, and a match on them should stay complete"
)]
pub enum LogLevel {
    /// Detail for whoever debugs the server.
    Debug,
    /// What happens in the normal course.
    Info,
    /// Normal, but worth noticing.
    Notice,
    /// Something may go wrong.
    Warning,
    /// Something went wrong.
    Error,
    /// A component failed.
    Critical,
    /// Somebody must act now.
    Alert,
    /// The system is unusable.
    Emergency,
}

impl LogLevel {
    /// Every level, from least to most grave.
    pub const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];

    /// The level of this name, which is case sensitive; `None` for any other text.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == name)
    }

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }
}

impl fmt::Display for LogLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for LogLevel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::LogLevel;

    // LOG-02, N04
    #[test]
    fn levels_are_ordered_by_gravity_and_named_exactly() {
        assert!(LogLevel::ALL.is_sorted());
        for level in LogLevel::ALL {
            assert_eq!(LogLevel::parse(level.as_str()), Some(level));
        }
        for other in ["warn", "TRACE", "Debug", "", "verbose"] {
            assert_eq!(LogLevel::parse(other), None, "{other}");
        }
    }
}
