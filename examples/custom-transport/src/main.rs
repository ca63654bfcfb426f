//! A server that tells its clients who they are, over a Unix socket.

use std::process::ExitCode;

#[cfg(unix)]
mod whoami;

#[cfg(unix)]
#[tokio::main]
async fn main() -> ExitCode {
    match std::env::args_os().nth(1) {
        Some(path) => match whoami::serve(path.as_ref()).await {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed(&format!("{}: {error}", path.display())),
        },
        None => failed("give the path of a socket to listen on"),
    }
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    failed("this needs Unix sockets")
}

fn failed(sentence: &str) -> ExitCode {
    use std::io::{Write, stderr};

    drop(writeln!(stderr(), "custom-transport: {sentence}"));
    ExitCode::FAILURE
}
