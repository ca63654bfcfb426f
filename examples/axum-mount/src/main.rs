//! Serves the application on 127.0.0.1:8080, or on the address that is given.

use std::{
    error::Error,
    io::{Write, stderr},
    process::ExitCode,
};

use tokio::net::TcpListener;

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
    let app = axum_mount::app()?;
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| format!("can't listen on {address}: {error}"))?;
    Ok(axum::serve(listener, app).await?)
}
