//! The endpoint: one path that takes every message.

use std::{
    convert::Infallible,
    error::Error,
    fmt,
    future::Future,
    net::IpAddr,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{Request, Response, request::Parts};
use relay_core::{BoxFuture, IntoContext};
use relay_runtime::Runtime;
use tower_service::Service;

use crate::{
    Body, Refusal, SettingError, Verifier,
    guard::{host::Hosts, origin::Origins},
    handle,
    settings::{self, Settings},
    verifier::AnyVerifier,
};

/// A server over Streamable HTTP, to mount in any stack of `tower` services or to
/// [serve](crate::serve()) by itself.
///
/// It ignores the path it is mounted under and takes POST requests, one message each. Cheap to
/// clone; a clone shares its limits.
///
/// It never sees a connection. What it is mounted in has to bound how long a client may take to
/// send the head of a request and how long it may take nothing of a response, how many connections
/// there are, and how long they outlive the end of the process: a response that nobody takes holds
/// its slot, its bytes and its call until it is dropped. A [`Listener`](crate::Listener) does all
/// of this.
///
/// ```
/// use relay_core::{Server, codec, tool};
/// use relay_http::Endpoint;
///
/// let ping = tool::define("ping", codec::object(()), codec::string())
///     .handle(|()| async { Ok("pong".to_owned()) });
/// let endpoint = Endpoint::new(Server::new([ping]))
///     .with_allowed_hosts(["mcp.example.com"])?
///     .with_body_limit(1024 * 1024)?;
/// # Ok::<(), relay_http::SettingError>(())
/// ```
pub struct Endpoint<C> {
    inner: Arc<Inner<C>>,
}

/// Makes the context of a request's calls.
pub(crate) type MakeContext<C> =
    Arc<dyn Fn(Arc<Parts>) -> BoxFuture<Result<Arc<C>, Refusal>> + Send + Sync>;

pub(crate) struct Inner<C> {
    pub(crate) runtime: Runtime<C>,
    pub(crate) context: MakeContext<C>,
    pub(crate) verifier: Option<AnyVerifier>,
    pub(crate) settings: Settings,
}

impl Endpoint<()> {
    /// An endpoint whose calls need no context.
    #[must_use]
    pub fn new(runtime: impl Into<Runtime<()>>) -> Self {
        Self::from_context(runtime, |_parts| async { Ok(()) })
    }
}

impl<C: Send + Sync + 'static> Endpoint<C> {
    /// An endpoint whose calls run in what `context` makes of their request's head.
    ///
    /// The function runs once for each request, after the verifier and before the body is read, and
    /// has its share of the handler's [deadline](relay_runtime::Limits::with_deadline): 30 seconds
    /// for all three by default, then 503. The [principal](relay_core::Principal) is among the
    /// head's extensions. What it refuses is answered as a verifier's refusal is.
    ///
    /// Cursors and request state are bound to the principal, which only a
    /// [verifier](Self::with_verifier) gives, and not to the context: without a principal they are
    /// bound to no one, and whoever brings them may use them.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use http::request::Parts;
    /// use relay_core::{Principal, Server, Tool, codec, tool};
    /// use relay_http::{Endpoint, Refusal};
    ///
    /// struct Tenant { name: String }
    ///
    /// # let tools: [Tool<Tenant>; 0] = [];
    /// let endpoint = Endpoint::from_context(Server::new(tools), |parts: Arc<Parts>| async move {
    ///     let principal = parts.extensions.get::<Principal>();
    ///     let principal = principal.ok_or_else(Refusal::unauthenticated)?;
    ///     Ok(Tenant { name: principal.subject().to_owned() })
    /// });
    /// ```
    pub fn from_context<F, Fut, R>(runtime: impl Into<Runtime<C>>, context: F) -> Self
    where
        F: Fn(Arc<Parts>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, Refusal>> + Send + 'static,
        R: IntoContext<C>,
    {
        let make = move |parts| -> BoxFuture<Result<Arc<C>, Refusal>> {
            let making = context(parts);
            Box::pin(async move { Ok(making.await?.into_context()) })
        };
        Self {
            inner: Arc::new(Inner {
                runtime: runtime.into(),
                context: Arc::new(make),
                verifier: None,
                settings: Settings::default(),
            }),
        }
    }
}

impl<C> Endpoint<C> {
    /// Protects the endpoint: every request passes this verifier first. What it refuses is
    /// answered 401, 403, 400 or 503, with a challenge that says what would help. The time it takes
    /// is part of the handler's [deadline](relay_runtime::Limits::with_deadline): 30 seconds by
    /// default, then 503.
    #[must_use]
    pub fn with_verifier(self, verifier: impl Verifier) -> Self {
        let Ok(endpoint) = self.change(|inner| {
            inner.verifier = Some(AnyVerifier::new(verifier));
            Ok::<_, Infallible>(())
        });
        endpoint
    }

    /// Lets [`serve`](crate::serve()) listen beyond this machine without a verifier: whoever
    /// reaches the port can call every tool that an anonymous caller may see (HTTP-29).
    #[must_use]
    pub fn allow_unauthenticated(self) -> Self {
        self.set(|settings| settings.unauthenticated = true)
    }

    /// Says that other processes answer for this one: a [`Listener`](crate::Listener) then refuses
    /// to serve with a key ring that they can't share (RS-10), and tools that are single use
    /// without a [store](relay_runtime::Runtime::with_store) of theirs (RS-06). Without it, a
    /// random ring off loopback is a warning in the log.
    ///
    /// Nobody checks this for an endpoint that is mounted elsewhere: see to both there.
    #[must_use]
    pub fn replicated(self) -> Self {
        self.set(|settings| settings.replicated = true)
    }

    /// The names under which the endpoint may be reached, besides `localhost`, loopback addresses
    /// and the address that is listened on, which are always allowed: none by default. An entry
    /// without a port allows any.
    ///
    /// A request to another name, or to none, is answered 403 before its body is read: a page in a
    /// browser could have made that name resolve to this machine (HTTP-05). What a proxy says in
    /// `Forwarded` or `X-Forwarded-Host` does not count.
    ///
    /// # Errors
    ///
    /// [`SettingError::Host`] for an entry that is no host.
    pub fn with_allowed_hosts<S: AsRef<str>>(
        self,
        hosts: impl IntoIterator<Item = S>,
    ) -> Result<Self, SettingError> {
        self.try_set(|settings| settings.set_hosts("with_allowed_hosts", hosts))
    }

    /// Lets requests to any name pass, for where something in front checks it.
    #[must_use]
    pub fn with_any_host(self) -> Self {
        self.set(|settings| settings.hosts = Hosts::Any)
    }

    /// The origins (browser pages) that may send requests, instead of those of this machine, which
    /// may by default; an empty list allows none. An entry without a port allows any.
    ///
    /// A request whose `Origin` is another is answered 403 before its body is read (HTTP-02); one
    /// without an `Origin` is from no browser and passes. Browsers let the origins of this list read
    /// answers, and their preflight requests are answered (HTTP-30).
    ///
    /// # Errors
    ///
    /// [`SettingError::Origin`] for an entry that is no origin.
    pub fn with_allowed_origins<S: AsRef<str>>(
        self,
        origins: impl IntoIterator<Item = S>,
    ) -> Result<Self, SettingError> {
        self.try_set(|settings| settings.set_origins("with_allowed_origins", origins))
    }

    /// Lets any origin send requests and read answers. For an endpoint that is public anyway.
    #[must_use]
    pub fn with_any_origin(self) -> Self {
        self.set(|settings| settings.origins = Origins::Any)
    }

    /// Takes what an operator sets in the environment, over what was set in code:
    /// `RELAY_ALLOWED_HOSTS` and `RELAY_ALLOWED_ORIGINS`, comma-separated lists as
    /// [`with_allowed_hosts`](Self::with_allowed_hosts) and
    /// [`with_allowed_origins`](Self::with_allowed_origins) take them, or `*` for any.
    ///
    /// [`serve`](crate::serve()) does this by itself.
    ///
    /// # Errors
    ///
    /// [`SettingError`], naming the variable.
    pub fn with_environment(self) -> Result<Self, SettingError> {
        self.try_set(|settings| settings.set_environment(settings::variable))
    }

    /// How many bytes the body of a request may have: 4 MiB by default. A longer one is answered
    /// 413, before it is read where its length is declared (HTTP-26). To go above 256 MiB, set
    /// [`with_body_memory_limit`](Self::with_body_memory_limit) first.
    ///
    /// # Errors
    ///
    /// [`SettingError::OutOfRange`] for 0, and for more than
    /// [`with_body_memory_limit`](Self::with_body_memory_limit) allows together.
    pub fn with_body_limit(self, bytes: usize) -> Result<Self, SettingError> {
        self.try_set(|settings| settings.set_body_limit(bytes))
    }

    /// How many bytes all bodies may have together of the requests that are
    /// [served](Self::with_request_limit): 256 MiB by default. A body of more than 16 KiB counts with
    /// about what its JSON takes up in memory once it is read. One that finds no room is answered
    /// 503 with `Retry-After`; one alone always has room.
    ///
    /// # Errors
    ///
    /// [`SettingError::OutOfRange`] for less than one body may have.
    pub fn with_body_memory_limit(self, bytes: usize) -> Result<Self, SettingError> {
        self.try_set(|settings| settings.set_body_memory_limit(bytes))
    }

    /// How long the body of a request may take to arrive: 30 seconds by default, then 408. The
    /// request has its [slot](Self::with_request_limit) meanwhile: where strangers reach the endpoint,
    /// a few seconds do for bodies of the default size.
    ///
    /// # Errors
    ///
    /// [`SettingError::OutOfRange`] under 1 millisecond and over 24 hours.
    pub fn with_body_timeout(self, timeout: Duration) -> Result<Self, SettingError> {
        self.try_set(|settings| {
            settings.body_timeout = settings::time("with_body_timeout", timeout)?;
            Ok(())
        })
    }

    /// How many requests are served at a time, until their responses are over and their handlers
    /// gone: 1,024 by default. One more is answered 503 with `Retry-After`, before it is looked at
    /// (OPS-06).
    ///
    /// # Errors
    ///
    /// [`SettingError::OutOfRange`] for 0.
    pub fn with_request_limit(self, requests: usize) -> Result<Self, SettingError> {
        self.try_set(|settings| settings.set_request_limit(requests))
    }

    /// How long an SSE stream may be quiet before a comment says that it lives: 15 seconds by
    /// default (HTTP-23).
    ///
    /// # Errors
    ///
    /// [`SettingError::OutOfRange`] under 1 millisecond and over 24 hours.
    pub fn with_keep_alive_interval(self, interval: Duration) -> Result<Self, SettingError> {
        self.try_set(|settings| {
            settings.keep_alive_interval = settings::time("with_keep_alive_interval", interval)?;
            Ok(())
        })
    }

    /// How long a handler may be silent before its response becomes an SSE stream, so that nothing
    /// on the way takes the connection for dead: 5 seconds by default. Clients that do not take SSE
    /// get plain JSON however long it takes.
    ///
    /// # Errors
    ///
    /// [`SettingError::OutOfRange`] under 1 millisecond and over 24 hours.
    pub fn with_stream_delay(self, delay: Duration) -> Result<Self, SettingError> {
        self.try_set(|settings| {
            settings.stream_delay = settings::time("with_stream_delay", delay)?;
            Ok(())
        })
    }

    /// The runtime behind the endpoint.
    #[must_use]
    pub fn runtime(&self) -> &Runtime<C> {
        &self.inner.runtime
    }

    /// What the service does, for whoever boxes it together with more.
    pub(crate) async fn answer<B>(self, request: Request<B>) -> Response<Body>
    where
        C: Send + Sync + 'static,
        B: http_body::Body,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        handle::handle(&self.inner, request).await
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    pub(crate) fn is_protected(&self) -> bool {
        self.inner.verifier.is_some()
    }

    pub(crate) fn bound(self, address: IpAddr) -> Self {
        self.set(|settings| settings.hosts.bind(address))
    }

    fn set(self, change: impl FnOnce(&mut Settings)) -> Self {
        let Ok(endpoint) = self.change(|inner| {
            change(&mut inner.settings);
            Ok::<_, Infallible>(())
        });
        endpoint
    }

    fn try_set(
        self,
        change: impl FnOnce(&mut Settings) -> Result<(), SettingError>,
    ) -> Result<Self, SettingError> {
        self.change(|inner| change(&mut inner.settings))
    }

    fn change<E>(mut self, change: impl FnOnce(&mut Inner<C>) -> Result<(), E>) -> Result<Self, E> {
        change(Arc::make_mut(&mut self.inner))?;
        Ok(self)
    }
}

impl<C, B> Service<Request<B>> for Endpoint<C>
where
    C: Send + Sync + 'static,
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Result<Response<Body>, Infallible>>;

    /// Always ready: what is too much is answered 503.
    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let endpoint = self.clone();
        Box::pin(async move { Ok(endpoint.answer(request).await) })
    }
}

impl<C> Clone for Endpoint<C> {
    fn clone(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
        }
    }
}

impl<C> Clone for Inner<C> {
    fn clone(&self) -> Self {
        Self {
            runtime: self.runtime.clone(),
            context: Arc::clone(&self.context),
            verifier: self.verifier.clone(),
            settings: self.settings.clone(),
        }
    }
}

impl<C> fmt::Debug for Endpoint<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("runtime", &self.inner.runtime)
            .field("protected", &self.is_protected())
            .field("settings", &self.inner.settings)
            .finish_non_exhaustive()
    }
}
