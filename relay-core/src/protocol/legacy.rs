//! The handshake that revisions before 2026-07-28 open with, and what it leaves behind.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

use super::{
    answer::Refusal,
    capability::{ClientCapabilities, Implementation},
    headers::Headers,
    jsonrpc::{ErrorCode, Params},
    meta::LogLevel,
    revision::{Facts, Revision},
};
use crate::call::Client;

/// Where a connection stands between the eras: each request with a modern `_meta` stands alone,
/// `initialize` opens a legacy session beside them.
///
/// A transport makes one for each connection and gives it to every
/// [`Server::dispatch`](crate::Server::dispatch) on it.
#[derive(Debug, Default)]
pub struct Handshake {
    state: State,
    /// Of an exchange over HTTP.
    headers: Option<Arc<Headers>>,
}

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

    /// An HTTP exchange that stands alone: its mirrored headers have to say what the message says,
    /// and name the revision of a legacy message, which belongs to no session.
    ///
    /// ```
    /// use relay_core::protocol::{headers::{Headers, Mirrored}, legacy::Handshake};
    ///
    /// let version = Mirrored::Text("2025-06-18".to_owned());
    /// let handshake = Handshake::of_exchange(Headers::new().with_version(version));
    /// ```
    #[must_use]
    pub fn of_exchange(headers: Headers) -> Self {
        Self {
            state: State::Fresh,
            headers: Some(Arc::new(headers)),
        }
    }

    pub(crate) fn headers(&self) -> Option<&Arc<Headers>> {
        self.headers.as_ref()
    }

    /// Opens the session that the members of one batch share: they have no headers of their own.
    pub(crate) fn open_batch(&mut self, served: &[Revision]) {
        let headers = self.headers.take();
        if let Some(revision) = headers.and_then(|headers| headers.legacy_revision(served).ok()) {
            self.state = State::Legacy(Arc::new(Session::of_exchange(revision)));
        }
    }

    /// What the revision knows by which a message is judged that has none of its own; `None` where
    /// that is open.
    pub(crate) fn facts(&self, served: &[Revision]) -> Option<&'static Facts> {
        let session = self.session().map(|session| session.client.revision);
        let named = || self.headers()?.legacy_revision(served).ok();
        session.or_else(named).map(Revision::facts)
    }

    pub(crate) fn session(&self) -> Option<&Arc<Session>> {
        match &self.state {
            State::Legacy(session) => Some(session),
            State::Fresh | State::Modern => None,
        }
    }

    /// Notes that a modern request was served; a legacy session goes on beside it (ERA-10).
    pub(crate) fn serve_modern(&mut self) {
        if matches!(self.state, State::Fresh) {
            self.state = State::Modern;
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
        let newest = match (&self.state, legacy().next()) {
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
        self.state = State::Legacy(Arc::new(Session::new(revision, capabilities, Some(info))));
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
    /// The session of one exchange: nothing is known of the client, and nothing is kept.
    pub(crate) fn of_exchange(revision: Revision) -> Self {
        Self::new(revision, ClientCapabilities::default(), None)
    }

    fn new(
        revision: Revision,
        capabilities: ClientCapabilities,
        info: Option<Implementation>,
    ) -> Self {
        let client = Client {
            info,
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
