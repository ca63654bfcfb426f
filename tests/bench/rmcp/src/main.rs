//! rmcp as a contender: `bench-rmcp fast` and `default` over HTTP, `stdio` and `pipes` over
//! standard input and output.

mod tools;

use std::{
    error::Error,
    io::{Write as _, stderr, stdout},
    process::ExitCode,
    sync::Arc,
};

use axum::serve::ListenerExt as _;
use bench_shared::Options;
use rmcp::{
    RoleServer, ServerHandler, ServiceExt as _,
    transport::{
        IntoTransport, StreamableHttpServerConfig, StreamableHttpService, io,
        streamable_http_server::session::local::LocalSessionManager,
    },
};
use tokio::net::TcpListener;
use tools::{Kept, Rebuilt};

/// What any of it can fail with.
type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(writeln!(stderr(), "bench-rmcp: {error}"));
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Failure> {
    let options = Options::read()?;
    match options.mode.as_str() {
        "fast" => {
            // No sessions, plain JSON where it does, the router made once, answers sent at once.
            let config = StreamableHttpServerConfig::default()
                .with_legacy_session_mode(false)
                .with_json_response(true)
                .with_max_request_body_bytes(options.body);
            let listener = listen().await?;
            let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
            Ok(axum::serve(listener, router(Kept::new(options.tools), config)).await?)
        }
        "default" => {
            let config = StreamableHttpServerConfig::default();
            Ok(axum::serve(listen().await?, router(Rebuilt, config)).await?)
        }
        "stdio" => over(Kept::new(options.tools), io::stdio()).await,
        "pipes" => over(Kept::new(options.tools), io::stdio_pipes()).await,
        mode => Err(format!("{mode} is no mode").into()),
    }
}

async fn listen() -> Result<TcpListener, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(stdout(), "{}", listener.local_addr()?)?;
    Ok(listener)
}

fn router<S: ServerHandler + Clone>(server: S, config: StreamableHttpServerConfig) -> axum::Router {
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    axum::Router::new().nest_service("/mcp", service)
}

async fn over<T, E, A>(server: Kept, streams: T) -> Result<(), Failure>
where
    T: IntoTransport<RoleServer, E, A>,
    E: Error + Send + Sync + 'static,
{
    server.serve(streams).await?.waiting().await?;
    Ok(())
}
