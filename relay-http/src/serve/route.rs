use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, Version, header::CONTENT_TYPE};
use hyper::body::Incoming;

use super::{activity::InFlight, body::TrackedBody};
use crate::{Body, Endpoint, failure};

/// Answers with what a connection finds where.
pub(super) async fn route<C: Send + Sync + 'static>(
    endpoint: Endpoint<C>,
    request: Request<Incoming>,
    in_flight: InFlight,
) -> Response<TrackedBody> {
    let is_multiplexed = request.version() == Version::HTTP_2;
    // H09: both spellings are the endpoint; a redirect would lose the body.
    let response = match request.uri().path() {
        "/mcp" | "/mcp/" => endpoint.answer(request).await,
        "/healthz" => health(request.method()),
        _ => failure::refuse(StatusCode::NOT_FOUND, "the endpoint is at /mcp"),
    };
    response.map(|body| TrackedBody::new(body, is_multiplexed, in_flight))
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
