//! Relay as a contender: `bench-relay http`, `axum` or `stdio`, and `calls` for instruction counts.

#[cfg(feature = "counted")]
mod allocated;
mod calls;
mod principals;
mod tools;

use std::{
    error::Error,
    io::{Write as _, stderr, stdout},
    process::ExitCode,
    time::Duration,
};

use bench_shared::Options;
use relay_http::{
    Endpoint, Listener,
    relay_runtime::{Limits, Runtime},
};

/// What any of it can fail with.
pub(crate) type Failure = Box<dyn Error + Send + Sync>;

fn main() -> ExitCode {
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(writeln!(stderr(), "bench-relay: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn start() -> Result<(), Failure> {
    let options = Options::read()?;
    let server = tools::server(&options);
    // Every report is sent: how many of them are is what is compared.
    let limits = Limits::default()
        .with_progress_interval(Duration::ZERO)
        .with_answer_limit(options.body.max(16 << 20) * 2);
    let runtime = Runtime::new(server).with_limits(limits);
    if options.mode == "calls" {
        calls::run(&runtime, &options)
    } else {
        run(runtime, options)
    }
}

#[tokio::main]
async fn run(runtime: Runtime<()>, options: Options) -> Result<(), Failure> {
    match options.mode.as_str() {
        "http" if options.principals > 0 => {
            let endpoint = limited(principals::endpoint(&options)?, &options)?;
            serve(endpoint).await
        }
        "http" => serve(limited(Endpoint::new(runtime), &options)?).await,
        #[cfg(feature = "axum")]
        "axum" => mount(limited(Endpoint::new(runtime), &options)?).await,
        "stdio" => Ok(relay_stdio::serve(runtime, ()).await?),
        mode => Err(format!("{mode} is no mode").into()),
    }
}

fn limited<C>(endpoint: Endpoint<C>, options: &Options) -> Result<Endpoint<C>, Failure> {
    Ok(endpoint
        .with_body_memory_limit((options.body * 64).max(256 << 20))?
        .with_body_limit(options.body)?)
}

async fn serve<C: Send + Sync + 'static>(endpoint: Endpoint<C>) -> Result<(), Failure> {
    let listener = Listener::bind(endpoint, "127.0.0.1:0").await?;
    writeln!(stdout(), "{}", listener.local_addr())?;
    listener.serve().await;
    Ok(())
}

#[cfg(feature = "axum")]
async fn mount(endpoint: Endpoint<()>) -> Result<(), Failure> {
    use axum::serve::ListenerExt as _;

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    writeln!(stdout(), "{}", listener.local_addr()?)?;
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let router = axum::Router::new().route_service("/mcp", endpoint);
    Ok(axum::serve(listener, router).await?)
}
