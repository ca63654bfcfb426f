use std::{
    fmt,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
};

use relay_core::{
    ClientCapabilities, IntoContext, LogLevel, Peer, Principal, Revision, protocol::meta,
};
use serde_json::{Map, Value, json};

use super::{
    Answers, CallResult, Completed, Completing, Discovered, Item, Notification, PromptResult,
    ReadResult, RpcError,
    open::{Opening, read, result},
    outcome::Outcome,
};
use crate::{Exchange, Runtime};

/// How many pages of a list are walked, before it counts as one that never ends.
const MOST_PAGES: usize = 1000;

/// How often a request is sent again, before it counts as one that never has a result.
const MOST_ROUNDS: usize = 1000;

/// A client in the same process as its server; see the [module](super).
///
/// Handlers run in the task of whoever awaits an answer. Several requests may be under way at once,
/// and a request is cancelled by dropping its future. Each request asks for progress, under its id.
pub struct Client<C = ()> {
    runtime: Runtime<C>,
    peer: Peer<C>,
    revision: Revision,
    capabilities: ClientCapabilities,
    log_level: Option<LogLevel>,
    answers: Option<Answers>,
    next_id: AtomicI64,
    opening: Mutex<Opening>,
    /// Told since somebody last asked.
    notifications: Mutex<Vec<Notification>>,
}

impl Client<()> {
    /// A modern, anonymous client of a server that has no context.
    pub fn new(server: impl Into<Runtime<()>>) -> Self {
        Self::with_context(server, ())
    }
}

impl<C: Send + Sync + 'static> Client<C> {
    /// A modern, anonymous client whose calls run in this context.
    ///
    /// ```
    /// use relay_core::{Server, codec, tool};
    /// use relay_runtime::testing::Client;
    /// # use serde_json::json;
    ///
    /// struct Tenant { admin: bool }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), relay_runtime::testing::RpcError> {
    /// let reset = tool::define("reset", codec::object(()), codec::string())
    ///     .handle(|()| async { Ok("done".to_owned()) });
    /// let server = Server::new([reset]).with_tool_visibility(|tenant: &Tenant, _tool| tenant.admin);
    ///
    /// let admin = Client::with_context(server.clone(), Tenant { admin: true });
    /// assert_eq!(admin.list_tools().await?.len(), 1);
    /// let guest = Client::with_context(server, Tenant { admin: false });
    /// assert!(guest.list_tools().await?.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_context(server: impl Into<Runtime<C>>, context: impl IntoContext<C>) -> Self {
        Self {
            runtime: server.into(),
            peer: Peer::new(context),
            revision: Revision::V2026_07_28,
            capabilities: ClientCapabilities::new(),
            log_level: None,
            answers: None,
            next_id: AtomicI64::new(1),
            opening: Mutex::default(),
            notifications: Mutex::default(),
        }
    }

    /// Speaks this revision. A legacy one is opened with `initialize` by itself, before the first
    /// request.
    #[must_use]
    pub fn with_revision(self, revision: Revision) -> Self {
        Self { revision, ..self }
    }

    /// Says who calls, as a transport would that knows.
    #[must_use]
    pub fn with_principal(self, principal: Principal) -> Self {
        Self {
            peer: self.peer.with_principal(principal),
            ..self
        }
    }

    /// Says what the client can do; nothing by default.
    #[must_use]
    pub fn with_capabilities(self, capabilities: ClientCapabilities) -> Self {
        Self {
            capabilities,
            ..self
        }
    }

    /// Answers what the server asks by this script, and says that it can be asked: any of it, unless
    /// [`with_capabilities`](Self::with_capabilities) says something else after this.
    ///
    /// Without a script, a result that asks something is given as it is.
    #[must_use]
    pub fn with_answers(self, answers: Answers) -> Self {
        Self {
            answers: Some(answers),
            capabilities: Answers::capabilities(),
            ..self
        }
    }

    /// Asks for log messages from this level on; for none by default, or what the server sends a
    /// legacy client unasked.
    #[must_use]
    pub fn with_log_level(self, level: LogLevel) -> Self {
        Self {
            log_level: Some(level),
            ..self
        }
    }

    /// What the server says of itself: the result of `server/discover`, or of `initialize` for a
    /// legacy client.
    ///
    /// # Errors
    ///
    /// The error that the server answers with.
    pub async fn discover(&self) -> Result<Discovered, RpcError> {
        if !self.revision.is_modern() {
            return self.open(&mut self.opening()).map(Discovered::new);
        }
        let result = self.request("server/discover", json!({})).await?;
        Ok(Discovered::new(result))
    }

    /// All tools the client can see, page by page to the end.
    ///
    /// # Errors
    ///
    /// The error that the server answers with.
    pub async fn list_tools(&self) -> Result<Vec<Item>, RpcError> {
        self.list("tools/list", "tools").await
    }

    /// All prompts the client can see, page by page to the end.
    ///
    /// # Errors
    ///
    /// The error that the server answers with.
    pub async fn list_prompts(&self) -> Result<Vec<Item>, RpcError> {
        self.list("prompts/list", "prompts").await
    }

    /// All resources the client can see, page by page to the end.
    ///
    /// # Errors
    ///
    /// The error that the server answers with.
    pub async fn list_resources(&self) -> Result<Vec<Item>, RpcError> {
        self.list("resources/list", "resources").await
    }

    /// All resource templates the client can see, page by page to the end.
    ///
    /// # Errors
    ///
    /// The error that the server answers with.
    pub async fn list_resource_templates(&self) -> Result<Vec<Item>, RpcError> {
        self.list("resources/templates/list", "resourceTemplates")
            .await
    }

    /// Calls a tool with these arguments, an object.
    ///
    /// # Errors
    ///
    /// The error that the server answers with. A tool that fails is a result that
    /// [says so](CallResult::is_error).
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<CallResult, RpcError> {
        let params = json!({ "name": tool, "arguments": arguments });
        self.send("tools/call", params).await.map(CallResult::new)
    }

    /// Reads the resource at a URI.
    ///
    /// # Errors
    ///
    /// The error that the server answers with.
    pub async fn read(&self, uri: &str) -> Result<ReadResult, RpcError> {
        let params = json!({ "uri": uri });
        self.send("resources/read", params)
            .await
            .map(ReadResult::new)
    }

    /// Gets a prompt with these arguments, an object of strings.
    ///
    /// # Errors
    ///
    /// The error that the server answers with.
    pub async fn get_prompt(&self, name: &str, arguments: Value) -> Result<PromptResult, RpcError> {
        let params = json!({ "name": name, "arguments": arguments });
        self.send("prompts/get", params)
            .await
            .map(PromptResult::new)
    }

    /// Asks for suggestions.
    ///
    /// # Errors
    ///
    /// The error that the server answers with.
    pub async fn complete(&self, completing: Completing) -> Result<Completed, RpcError> {
        let params = completing.into_params();
        self.send("completion/complete", params)
            .await
            .map(Completed::new)
    }

    /// Sends any request and gives the result as JSON.
    ///
    /// What the revision wants in `_meta` is added, except where `params` says something of its own
    /// there or is no object.
    ///
    /// # Errors
    ///
    /// The error that the server answers with.
    pub async fn request(&self, method: &str, params: Value) -> Result<Value, RpcError> {
        let outcome = self.send(method, params).await?;
        Ok(outcome.result)
    }

    /// Takes what the server has told since this was last asked, whatever the requests came to.
    pub fn notifications(&self) -> Vec<Notification> {
        std::mem::take(&mut *lock(&self.notifications))
    }

    async fn list(&self, method: &str, member: &str) -> Result<Vec<Item>, RpcError> {
        let mut items = Vec::new();
        let mut params = json!({});
        for _page in 0..MOST_PAGES {
            let mut page = self.request(method, params).await?;
            if let Some(Value::Array(more)) = page.get_mut(member).map(Value::take) {
                items.extend(more.into_iter().map(Item::new));
            }
            match page.get("nextCursor") {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => return Ok(items),
            }
        }
        let endless = format!("the list did not end after {MOST_PAGES} pages");
        Err(RpcError::own(&endless))
    }

    /// Sends a request, and sends it again with what the script answers for as long as it is asked.
    async fn send(&self, method: &str, params: Value) -> Result<Outcome, RpcError> {
        let mut outcome = self.send_once(method, params.clone()).await?;
        let Some(answers) = &self.answers else {
            return Ok(outcome);
        };
        for _round in 0..MOST_ROUNDS {
            if !outcome.is_question() {
                return Ok(outcome);
            }
            let questions = outcome.questions();
            let mut again = params.clone();
            if let Some(again) = again.as_object_mut() {
                if let Some(state) = outcome.result.get("requestState") {
                    again.insert("requestState".to_owned(), state.clone());
                }
                let given = answers.to(&questions)?;
                again.insert("inputResponses".to_owned(), given.into());
            }
            let next = self.send_once(method, again).await?;
            outcome.result = next.result;
            outcome.notifications.extend(next.notifications);
            outcome.asked.extend(questions);
        }
        let endless = format!("there was no result after {MOST_ROUNDS} rounds");
        Err(RpcError::own(&endless))
    }

    /// Sends a request, and hears what comes back to its end.
    async fn send_once(&self, method: &str, params: Value) -> Result<Outcome, RpcError> {
        let mut exchange = self.ask(method, params)?;
        let mut notifications = Vec::new();
        while let Some(frame) = exchange.next().await {
            let message = read(frame.bytes());
            if frame.is_answer() {
                return Ok(Outcome {
                    result: result(&message)?,
                    notifications,
                    asked: Vec::new(),
                });
            }
            let told = Notification::read(message);
            lock(&self.notifications).push(told.clone());
            notifications.push(told);
        }
        Err(RpcError::own("the server did not answer"))
    }

    fn ask(&self, method: &str, params: Value) -> Result<Exchange, RpcError> {
        let mut opening = self.opening();
        if !self.revision.is_modern() {
            self.open(&mut opening)?;
        }
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let params = self.with_meta(params, id);
        let frame = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let frame = frame.to_string();
        Ok(self
            .runtime
            .exchange_in(frame.into(), &self.peer, &mut opening.handshake))
    }

    fn open(&self, opening: &mut Opening) -> Result<Value, RpcError> {
        let initialize = json!({
            "protocolVersion": self.revision,
            "capabilities": self.capabilities,
            "clientInfo": info(),
        });
        let level = self.log_level.map(LogLevel::as_str);
        let result = opening.open(&self.runtime, &self.peer, &initialize, level)?;
        Ok(result.clone())
    }

    fn with_meta(&self, mut params: Value, id: i64) -> Value {
        let mut own = Map::new();
        own.insert("progressToken".to_owned(), id.into());
        if self.revision.is_modern() {
            own.insert(meta::PROTOCOL_VERSION.to_owned(), json!(self.revision));
            own.insert(
                meta::CLIENT_CAPABILITIES.to_owned(),
                json!(self.capabilities),
            );
            own.insert(meta::CLIENT_INFO.to_owned(), info());
            if let Some(level) = self.log_level {
                own.insert(meta::LOG_LEVEL.to_owned(), json!(level));
            }
        }
        if let Some(params) = params.as_object_mut() {
            let given = params.entry("_meta").or_insert_with(|| json!({}));
            if let Some(given) = given.as_object_mut() {
                own.append(given);
                *given = own;
            }
        }
        params
    }

    fn opening(&self) -> MutexGuard<'_, Opening> {
        lock(&self.opening)
    }
}

impl<C> fmt::Debug for Client<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("runtime", &self.runtime)
            .field("revision", &self.revision)
            .finish_non_exhaustive()
    }
}

fn info() -> Value {
    json!({ "name": "relay-testing", "version": env!("CARGO_PKG_VERSION") })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
