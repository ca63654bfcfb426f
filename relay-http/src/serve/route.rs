use std::{
    convert::Infallible,
    error::Error,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header::CONTENT_TYPE};
use relay_core::BoxFuture;
use tower_service::Service;

use crate::{Body, Endpoint, failure};

/// What a listener serves where.
#[derive(Debug)]
pub(super) struct Route<C>(Endpoint<C>);

impl<C> Route<C> {
    pub(super) fn new(endpoint: Endpoint<C>) -> Self {
        Self(endpoint)
    }
}

impl<C> Clone for Route<C> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<C, B> Service<Request<B>> for Route<C>
where
    C: Send + Sync + 'static,
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // H09: both spellings are the endpoint; a redirect would lose the body.
        let response = match request.uri().path() {
            "/mcp" | "/mcp/" => return self.0.call(request),
            "/healthz" => health(request.method()),
            _ => failure::refuse(StatusCode::NOT_FOUND, "the endpoint is at /mcp"),
        };
        Box::pin(std::future::ready(Ok(response)))
    }
}

/// The process lives (OPS-03).
fn health(method: &Method) -> Response<Body> {
    if method != Method::GET && method != Method::HEAD {
        let mut response = failure::method_not_allowed();
        response
            .headers_mut()
            .insert(http::header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    let mut response = Response::new(Body::full(Bytes::from_static(b"ok\n")));
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    response
}
