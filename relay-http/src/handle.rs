//! One request, in the order in which it is judged.

use std::{
    any::Any,
    error::Error,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::Arc,
    task::Poll,
    time::Duration,
};

use http::{
    Method, Request, Response, StatusCode,
    header::{AUTHORIZATION, HOST},
    request::Parts,
};
use relay_core::Peer;
use tokio::{
    sync::OwnedSemaphorePermit,
    time::{Instant, timeout},
};

use crate::{
    Body, Refusal,
    body::Permits,
    endpoint::Inner,
    failure,
    guard::{cors, media, origin::Verdict},
    mirror, receive,
    respond::respond,
};

/// Answers one request. What is wrong with it first, in the protocol's order, is what is answered.
pub(crate) async fn handle<C, B>(inner: &Inner<C>, request: Request<B>) -> Response<Body>
where
    C: Send + Sync + 'static,
    B: http_body::Body,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let (mut parts, body) = request.into_parts();
    // An author who logs the head logs no token.
    for (name, value) in &mut parts.headers {
        if name == AUTHORIZATION {
            value.set_sensitive(true);
        }
    }
    // Whatever is in front may have gone by the other one (RFC 9112 section 3.2).
    if parts.headers.get_all(HOST).iter().nth(1).is_some() {
        return failure::refuse(
            StatusCode::BAD_REQUEST,
            "the header Host must be there once",
        );
    }
    if !inner.settings.hosts.admit(&parts.uri, &parts.headers) {
        return failure::refuse(
            StatusCode::FORBIDDEN,
            "this host is not allowed: the server's operator lists it in RELAY_ALLOWED_HOSTS or \
             with_allowed_hosts",
        );
    }
    match inner.settings.origins.judge(&parts.headers) {
        Verdict::Refused => failure::refuse(
            StatusCode::FORBIDDEN,
            "this origin is not allowed: the server's operator lists it in RELAY_ALLOWED_ORIGINS \
             or with_allowed_origins",
        ),
        Verdict::Allowed { origin, cors: true } => {
            if cors::is_preflight(&parts.method, &parts.headers) {
                return cors::preflight(&origin, &parts.headers);
            }
            let mut response = with_slot(inner, parts, body).await;
            cors::expose(response.headers_mut(), &origin);
            response
        }
        Verdict::Absent | Verdict::Allowed { cors: false, .. } => {
            with_slot(inner, parts, body).await
        }
    }
}

/// What comes after host and origin, in one of the slots.
async fn with_slot<C, B>(inner: &Inner<C>, parts: Parts, body: B) -> Response<Body>
where
    C: Send + Sync + 'static,
    B: http_body::Body,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let Ok(slot) = Arc::clone(&inner.settings.slots).try_acquire_owned() else {
        return failure::unavailable("too many requests are being served; try again");
    };
    judge_and_run(inner, parts, body, slot)
        .await
        .unwrap_or_else(|refusal| *refusal)
}

async fn judge_and_run<C, B>(
    inner: &Inner<C>,
    mut parts: Parts,
    body: B,
    slot: OwnedSemaphorePermit,
) -> Result<Response<Body>, Box<Response<Body>>>
where
    C: Send + Sync + 'static,
    B: http_body::Body,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let settings = &inner.settings;
    let mut spent = Duration::ZERO;
    let deadline = inner.runtime.limits().deadline();
    let principal = match &inner.verifier {
        Some(verifier) => {
            Some(within_deadline(deadline, &mut spent, || verifier.verify(&parts)).await?)
        }
        None => None,
    };
    if parts.method != Method::POST {
        return Err(Box::new(failure::method_not_allowed("POST")));
    }
    if !media::is_json(&parts.headers) {
        let message = "the header Content-Type must be application/json, once, in UTF-8";
        return refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, message);
    }
    let accepted = media::accepted(&parts.headers);
    if !accepted.json && !accepted.sse {
        let message = "the header Accept must admit application/json or text/event-stream";
        return refused(StatusCode::NOT_ACCEPTABLE, message);
    }
    receive::declared(&parts.headers, settings.body_limit).map_err(unreceived)?;

    let headers = mirror::read(&parts.headers);
    if let Some(principal) = &principal {
        parts.extensions.insert(principal.clone());
    }
    let context =
        within_deadline(deadline, &mut spent, || (inner.context)(Arc::new(parts))).await?;
    let received = receive::read(body, settings).await.map_err(unreceived)?;
    let mut peer = Peer::new(context);
    if let Some(principal) = principal {
        peer = peer.with_principal(principal);
    }
    // Until its response is over and its handler is gone, whichever lasts longer.
    let permits = Arc::new(Permits {
        request: slot,
        body: received.permit,
    });
    let exchange = inner
        .runtime
        .exchange_after(spent, received.bytes, peer, headers)
        .holding(Arc::clone(&permits));
    let response = respond(exchange, accepted, settings).await;
    Ok(response.map(|body| body.with_permits(permits)))
}

/// What the operator's own code says of a request. It has the time that a handler has, together
/// with the handler: what it takes is added to what is spent.
async fn within_deadline<T, F>(
    deadline: Duration,
    spent: &mut Duration,
    decide: impl FnOnce() -> F,
) -> Result<T, Box<Response<Body>>>
where
    F: Future<Output = Result<T, Refusal>>,
{
    let began = Instant::now();
    let deciding = catch_unwind(AssertUnwindSafe(decide)).map_err(|panic| panicked(&*panic))?;
    let mut deciding = pin!(deciding);
    let guarded = poll_fn(|cx| {
        catch_unwind(AssertUnwindSafe(|| deciding.as_mut().poll(cx)))
            .map_or_else(|panic| Poll::Ready(Err(panic)), |polled| polled.map(Ok))
    });
    let decided = timeout(deadline.saturating_sub(*spent), guarded).await;
    *spent = spent.saturating_add(began.elapsed());
    match decided {
        Ok(Ok(decision)) => decision.map_err(|refusal| Box::new(refusal.into_response())),
        Ok(Err(panic)) => Err(panicked(&*panic)),
        Err(_elapsed) => {
            tracing::error!("a verifier or a context function took too long");
            Err(Box::new(Refusal::unavailable().into_response()))
        }
    }
}

fn panicked(panic: &(dyn Any + Send)) -> Box<Response<Body>> {
    let said = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let panic = said.unwrap_or("no text");
    tracing::error!(panic, "a verifier or a context function panicked");
    Box::new(failure::internal())
}

fn refused<T>(status: StatusCode, message: &str) -> Result<T, Box<Response<Body>>> {
    Err(Box::new(failure::refuse(status, message)))
}

fn unreceived(why: receive::BodyError) -> Box<Response<Body>> {
    Box::new(why.into_response())
}
