//! Who is measured.

use std::path::Path;

use crate::{Failure, Plan, server::Server};

/// One way to serve.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Contender {
    Relay,
    RelayInAxum,
    RmcpFast,
    RmcpDefault,
    HyperTyped,
    HyperNothing,
}

impl Contender {
    pub(crate) const ALL: [Self; 6] = [
        Self::Relay,
        Self::RelayInAxum,
        Self::RmcpFast,
        Self::RmcpDefault,
        Self::HyperTyped,
        Self::HyperNothing,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Relay => "Relay",
            Self::RelayInAxum => "Relay in axum",
            Self::RmcpFast => "rmcp, fastest",
            Self::RmcpDefault => "rmcp, defaults",
            Self::HyperTyped => "hyper, typed",
            Self::HyperNothing => "hyper, nothing",
        }
    }

    fn binary(self) -> (&'static str, &'static str) {
        match self {
            Self::Relay => ("bench-relay", "http"),
            Self::RelayInAxum => ("bench-relay", "axum"),
            Self::RmcpFast => ("bench-rmcp", "fast"),
            Self::RmcpDefault => ("bench-rmcp", "default"),
            Self::HyperTyped => ("bench-floor", "typed"),
            Self::HyperNothing => ("bench-floor", "nothing"),
        }
    }

    /// Whether it answers a file's bytes, not what was asked.
    pub(crate) fn is_floor(self) -> bool {
        matches!(self, Self::HyperTyped | Self::HyperNothing)
    }

    pub(crate) fn start(self, plan: &Plan, options: &str) -> Result<Server, Failure> {
        let (binary, mode) = self.binary();
        start(&plan.binaries.join(binary), mode, options)
    }
}

/// Starts a binary with these options.
pub(crate) fn start(binary: &Path, mode: &str, options: &str) -> Result<Server, Failure> {
    let words = [mode].into_iter().chain(options.split_whitespace());
    let words: Vec<_> = words.map(ToOwned::to_owned).collect();
    Server::start(binary, &words)
}
