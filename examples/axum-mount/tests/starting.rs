//! What the program says that can't start.

use std::{net::TcpListener, process::Command};

#[test]
fn what_can_not_be_served_is_one_sentence() {
    let holder = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = holder.local_addr().unwrap().to_string();
    for (address, hosts, said) in [
        (taken.as_str(), "mcp.example.com", "can't listen on "),
        ("nowhere", "mcp.example.com", "can't listen on "),
        ("127.0.0.1:0", "http://example.com", "RELAY_ALLOWED_HOSTS: "),
    ] {
        let ended = Command::new(env!("CARGO_BIN_EXE_axum-mount"))
            .arg(address)
            .env("RELAY_ALLOWED_HOSTS", hosts)
            .output()
            .unwrap();
        assert_eq!(ended.status.code(), Some(1), "{ended:?}");
        assert_eq!(ended.stdout, b"");
        let errors = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(errors.lines().count(), 1, "{errors}");
        let start = format!("axum-mount: {said}");
        assert!(errors.starts_with(&start), "{errors}");
    }
}
