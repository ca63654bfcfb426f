//! The handshake that revisions before 2026-07-28 open with, and what it leaves behind.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

use super::{
    answer::Refusal,
    capability::{ClientCapabilities, Implementation},
    jsonrpc::{ErrorCode, Params},
    meta::LogLevel,
    revision::Revision,
};
use crate::call::Client;

/// Where a connection stands between the eras: each request with a modern `_meta` stands alone,
/// `initialize` opens a legacy session beside them.
///
/// A transport makes one for each connection and gives it to every
/// [`Server::dispatch`](crate::Server::dispatch) on it.
#[derive(Debug, Default)]
pub struct Handshake(State);

#[derive(Debug, Default)]
enum State {
    #[default]
    Fresh,
    /// A modern request other than `server/discover` was served: the client is no legacy one.
    Modern,
    Legacy(Arc<Session>),
}

/// What a legacy connection remembers.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) client: Client,
    log_level: AtomicU8,
}

impl Handshake {
    /// A connection on which nothing was said yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn session(&self) -> Option<&Arc<Session>> {
        match &self.0 {
            State::Legacy(session) => Some(session),
            State::Fresh | State::Modern => None,
        }
    }

    /// Notes that a modern request was served; a legacy session goes on beside it (ERA-10).
    pub(crate) fn serve_modern(&mut self) {
        if matches!(self.0, State::Fresh) {
            self.0 = State::Modern;
        }
    }

    /// Opens a legacy session, in the revision that the client asked for or else the newest legacy
    /// one served (LC-01, LC-02).
    ///
    /// `served` is newest first.
    pub(crate) fn initialize(
        &mut self,
        params: &mut Params<'_>,
        served: &[Revision],
    ) -> Result<&Arc<Session>, Refusal> {
        let legacy = || {
            served
                .iter()
                .copied()
                .filter(|revision| !revision.is_modern())
        };
        let requested = params.protocol_version.value();
        let newest = match (&self.0, legacy().next()) {
            (State::Legacy(_), _) => {
                return Err(Refusal::new(
                    ErrorCode::INVALID_REQUEST,
                    "this connection is initialized already",
                ));
            }
            (State::Fresh, Some(newest)) => newest,
            (State::Modern, _) | (State::Fresh, None) => {
                return Err(unsupported(
                    requested.map_or("", |requested| requested),
                    served,
                ));
            }
        };
        let Some(requested) = requested else {
            return Err(Refusal::invalid_params(
                "`protocolVersion` must be a string",
            ));
        };
        let Some(capabilities) = params.capabilities.take().into_value() else {
            return Err(Refusal::invalid_params("`capabilities` must be an object"));
        };
        let Some(info) = params.client_info.take().into_value() else {
            return Err(Refusal::invalid_params(
                "`clientInfo` must be an object with `name` and `version`",
            ));
        };
        let wanted = |revision: &Revision| revision.as_str() == requested;
        let revision = legacy().find(wanted).unwrap_or(newest);
        self.0 = State::Legacy(Arc::new(Session::new(revision, capabilities, info)));
        self.session()
            .ok_or_else(|| Refusal::internal("internal error"))
    }
}

/// The refusal that names what is served, in its text too (VER-01, ERA-06).
pub(crate) fn unsupported(requested: &str, served: &[Revision]) -> Refusal {
    let names: Vec<_> = served
        .iter()
        .filter(|revision| revision.is_modern())
        .map(|revision| revision.as_str())
        .collect();
    let message = format!(
        "this protocol version is not supported here; use {}",
        names.join(", ")
    );
    Refusal::new(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, message)
        .with_data(serde_json::json!({ "supported": names, "requested": requested }))
}

impl Session {
    fn new(revision: Revision, capabilities: ClientCapabilities, info: Implementation) -> Self {
        let client = Client {
            info: Some(info),
            capabilities,
            revision,
        };
        let session = Self {
            client,
            log_level: AtomicU8::new(0),
        };
        session.set_log_level(LogLevel::Info);
        session
    }

    /// From which level the client wants log messages; `info` until it says (LU-04).
    pub(crate) fn log_level(&self) -> LogLevel {
        let position = usize::from(self.log_level.load(Ordering::Relaxed));
        LogLevel::ALL
            .get(position)
            .copied()
            .unwrap_or(LogLevel::Info)
    }

    pub(crate) fn set_log_level(&self, level: LogLevel) {
        self.log_level.store(level as u8, Ordering::Relaxed);
    }
}
