//! Serves the application on 127.0.0.1:8080, or on the address that is given, until Ctrl-C.

use std::{
    error::Error,
    io::{Write, stderr},
    process::ExitCode,
};

use tokio::{net::TcpListener, signal::ctrl_c};

#[tokio::main]
async fn main() -> ExitCode {
    let address = std::env::args().nth(1);
    let address = address.as_deref().unwrap_or("127.0.0.1:8080");
    match serve(address).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(writeln!(stderr(), "axum-mount: {error}"));
            ExitCode::FAILURE
        }
    }
}

async fn serve(address: &str) -> Result<(), Box<dyn Error>> {
    let runtime = axum_mount::runtime();
    let app = axum_mount::app(runtime.clone())?;
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| format!("can't listen on {address}: {error}"))?;
    axum::serve(listener, app)
        .with_graceful_shutdown(interrupt())
        .await?;
    // What runs on though its client has left.
    runtime.shutdown().await;
    Ok(())
}

async fn interrupt() {
    if let Err(error) = ctrl_c().await {
        drop(writeln!(
            stderr(),
            "axum-mount: Ctrl-C ends it at once: {error}"
        ));
        std::future::pending::<()>().await;
    }
}
