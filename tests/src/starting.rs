//! What a program says that can't start.

use std::{io, net::TcpListener, process::Command};

/// Starts a program that takes an address and serves it over HTTP, where it can't: it says why in
/// one sentence, and fails.
///
/// # Errors
///
/// If it can't be started at all.
///
/// # Panics
///
/// If it says or does anything else.
pub fn fails_in_one_sentence(name: &str, program: &str) -> io::Result<()> {
    let holder = TcpListener::bind("127.0.0.1:0")?;
    let taken = holder.local_addr()?.to_string();
    for (address, hosts, said) in [
        (taken.as_str(), "mcp.example.com", "can't listen on "),
        ("nowhere", "mcp.example.com", "can't listen on "),
        ("127.0.0.1:0", "http://example.com", "RELAY_ALLOWED_HOSTS: "),
    ] {
        let ended = Command::new(program)
            .arg(address)
            .env("RELAY_ALLOWED_HOSTS", hosts)
            .output()?;
        assert_eq!(ended.status.code(), Some(1), "{ended:?}");
        assert_eq!(ended.stdout, b"");
        let errors = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(errors.lines().count(), 1, "{errors}");
        let start = format!("{name}: {said}");
        assert!(errors.starts_with(&start), "{errors}");
    }
    Ok(())
}
