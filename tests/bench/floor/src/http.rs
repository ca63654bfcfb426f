//! Hyper and nothing else.

use std::{
    convert::Infallible,
    io::{Write as _, stdout},
};

use http_body_util::BodyExt as _;
use hyper::{
    Request, Response, StatusCode,
    body::Incoming,
    header::{CONTENT_TYPE, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use crate::{Answer, Failure, Parse};

#[tokio::main]
pub(crate) async fn serve(parse: Parse, answer: Answer) -> Result<(), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(stdout(), "{}", listener.local_addr()?)?;
    loop {
        let (stream, _peer) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let answer = answer.clone();
        tokio::spawn(async move {
            let service = service_fn(move |request| respond(request, parse, answer.clone()));
            let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            // A client that leaves is no news.
            drop(connection.await);
        });
    }
}

async fn respond(
    request: Request<Incoming>,
    parse: Parse,
    answer: Answer,
) -> Result<Response<Answer>, Infallible> {
    let media = HeaderValue::from_static(if answer.events {
        "text/event-stream"
    } else {
        "application/json"
    });
    let body = request.into_body().collect().await;
    let admitted = body.is_ok_and(|body| parse.admits(&body.to_bytes()));
    let mut response = Response::new(answer);
    response.headers_mut().insert(CONTENT_TYPE, media);
    if !admitted {
        *response.status_mut() = StatusCode::BAD_REQUEST;
    }
    Ok(response)
}
