use std::{
    convert::Infallible,
    error::Error,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, Version, header::CONTENT_TYPE};
use relay_core::BoxFuture;
use tower_service::Service;

use super::activity::{Activity, Answer};
use crate::{Body, Endpoint, failure};

/// What a connection finds where.
#[derive(Debug)]
pub(super) struct Route<C> {
    endpoint: Endpoint<C>,
    activity: Arc<Activity>,
}

impl<C> Route<C> {
    pub(super) fn new(endpoint: Endpoint<C>, activity: Arc<Activity>) -> Self {
        Self { endpoint, activity }
    }
}

impl<C> Clone for Route<C> {
    fn clone(&self) -> Self {
        Self {
            endpoint: self.endpoint.clone(),
            activity: Arc::clone(&self.activity),
        }
    }
}

impl<C, B> Service<Request<B>> for Route<C>
where
    C: Send + Sync + 'static,
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = Response<Answer>;
    type Error = Infallible;
    type Future = BoxFuture<Result<Response<Answer>, Infallible>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let open = self.activity.open();
        let endpoint = self.endpoint.clone();
        Box::pin(async move {
            let streamed = request.version() == Version::HTTP_2;
            // H09: both spellings are the endpoint; a redirect would lose the body.
            let response = match request.uri().path() {
                "/mcp" | "/mcp/" => endpoint.answer(request).await,
                "/healthz" => health(request.method()),
                _ => failure::refuse(StatusCode::NOT_FOUND, "the endpoint is at /mcp"),
            };
            Ok(response.map(|body| Answer::new(body, streamed, open)))
        })
    }
}

/// Liveness: the process answers.
fn health(method: &Method) -> Response<Body> {
    if method != Method::GET && method != Method::HEAD {
        return failure::method_not_allowed("GET, HEAD");
    }
    let mut response = Response::new(Body::full(Bytes::from_static(b"ok\n")));
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    response
}
