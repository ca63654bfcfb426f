//! What else a process writes.

use serde_json::json;

use super::{
    process::Process,
    requests::{call, ping},
};

// STDIO-02, STDIO-03, STDIO-12, S11, LIO-02, LIO-03
#[test]
fn prints_children_and_logs_reach_stderr_only() {
    let mut server = Process::start(&[]);
    // A log line goes to stdout, as default subscribers have it.
    server.write(b"garbage\n");
    assert_eq!(server.message()["error"]["code"], -32700);
    server.probe();
    let answer = server.ask(&call(1, "prints", json!({})));
    assert_eq!(answer["result"]["structuredContent"], "exit status: 0");
    server.probe();
    for text in [
        "from the tool",
        "from the child",
        "{\"jsonrpc\":\"2.0\",",
        "could not be read",
    ] {
        server.logged(text);
    }
    // The child could read to the end of its input at once, and took nothing of ours.
    server.logged("the child read everything");
    server.send_all(&[ping(2), ping(3)]);
    assert_eq!(server.message()["id"], 2);
    assert_eq!(server.message()["id"], 3);
    server.close();
    let end = server.end();
    end.clean().prompt();
    assert!(end.log.contains("open: /dev/null"), "{}", end.log);
}

// STDIO-12
#[cfg(target_os = "linux")]
#[test]
fn children_do_not_inherit_the_streams() {
    let mut server = Process::start(&[]);
    let pipes = server.pipes().to_vec();
    assert_eq!(pipes.len(), 2);
    server.ask(&call(1, "prints", json!({})));
    server.probe();
    server.close();
    let end = server.end();
    let open: Vec<&str> = end
        .log
        .lines()
        .filter(|line| line.starts_with("open: "))
        .collect();
    assert!(open.len() >= 3, "{}", end.log);
    for pipe in pipes {
        assert!(pipe.starts_with("pipe:"), "{pipe}");
        assert!(
            !open.iter().any(|open| open.contains(&pipe)),
            "{open:?} has {pipe}"
        );
    }
}

// STDIO-02, S11, OPS-05
#[test]
fn a_panic_is_told_on_stderr_only() {
    let mut server = Process::start(&[]);
    let answer = server.ask(&call(1, "boom", json!({})));
    assert!(!answer.to_string().contains("secret"), "{answer}");
    server.probe();
    server.logged("at /etc/secret");
}
