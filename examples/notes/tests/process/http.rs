//! The program without a command: it serves HTTP.

use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use serde_json::{Value, json};

use crate::{program, sentence};

/// A started server, which ends with its test.
struct Served {
    process: Child,
    url: String,
    curl: String,
}

impl Served {
    fn start(database: &Path, listen: &str) -> Self {
        Self::of(notes(database, listen))
    }

    fn of(mut command: Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut line = || lines.next().unwrap().unwrap();
        let url = line();
        assert_eq!(line(), "Try it:");
        Self {
            process,
            url: url.strip_prefix("Serving MCP at ").unwrap().to_owned(),
            curl: line(),
        }
    }

    /// The answer to the printed command.
    fn try_it(&self) -> Value {
        let mut shell = Command::new("sh");
        let done = shell.args(["-c", &self.curl]).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        assert_eq!(done.stderr, b"");
        serde_json::from_slice(&done.stdout).unwrap()
    }

    /// Starts a call of a tool, whose lines come as they are sent.
    fn call(&self, tool: &str, arguments: &Value) -> (Child, Lines<BufReader<ChildStdout>>) {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "progressToken": 1,
        });
        let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        let request =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let mut curl = Command::new("curl")
            .args(["-sSN", "--noproxy", "*", &self.url])
            .args(["-H", "Content-Type: application/json"])
            .args(["-H", "Accept: application/json, text/event-stream"])
            .args(["-H", "MCP-Protocol-Version: 2026-07-28"])
            .args(["-H", "Mcp-Method: tools/call"])
            .args(["-H", &format!("Mcp-Name: {tool}")])
            .args(["-d", &request.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = curl.stdout.take().unwrap();
        (curl, BufReader::new(output).lines())
    }

    #[cfg(unix)]
    fn signal(&self, name: &str) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args([name, &id]).status().unwrap();
        assert!(sent.success());
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn notes(database: &Path, listen: &str) -> Command {
    let mut command = program();
    command.arg("--database").arg(database);
    command.args(["--listen", listen]);
    command
}

fn refused(listen: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut command = notes(&folder.path().join("notes.db"), listen);
    command.output().unwrap()
}

#[test]
fn the_printed_command_works_as_printed() {
    let folder = tempfile::tempdir().unwrap();
    for listen in ["127.0.0.1:0", "localhost:0"] {
        let served = Served::start(&folder.path().join("notes.db"), listen);
        assert!(served.curl.contains(&served.url), "{}", served.curl);
        let answer = served.try_it();
        assert_eq!(answer["id"], 1);
        let tools = answer["result"]["tools"].as_array().unwrap();
        assert!(tools.iter().any(|tool| tool["name"] == "search"));
    }
}

#[test]
fn the_options_hold_over_http_too() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = notes(&folder.path().join("notes.db"), "127.0.0.1:0");
    command.args(["--tenant", "reader", "--page-size", "1"]);
    let served = Served::of(command);
    let answer = served.try_it();
    let tools = answer["result"]["tools"].as_array().unwrap();
    assert_eq!((tools.len(), &tools[0]["name"]), (1, &json!("chart")));
    assert!(answer["result"]["nextCursor"].is_string());
}

#[test]
fn a_port_in_use_is_one_sentence() {
    let holder = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = holder.local_addr().unwrap();
    let said = sentence(&refused(&address.to_string()));
    let expected =
        format!("notes: can't listen on {address}, choose another address with --listen: ");
    assert!(said.starts_with(&expected), "{said}");
}

// HTTP-29
#[test]
fn an_address_that_other_machines_reach_is_one_sentence() {
    let said = sentence(&refused("0.0.0.0:0"));
    assert!(said.contains("--listen 127.0.0.1:8080"), "{said}");
}

#[test]
fn what_is_no_address_is_one_sentence() {
    let said = sentence(&refused("nowhere"));
    assert!(
        said.starts_with("notes: can't listen on nowhere, "),
        "{said}"
    );
}

#[test]
fn an_unusable_variable_is_one_sentence_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = notes(&folder.path().join("notes.db"), "127.0.0.1:0");
    command.env("RELAY_ALLOWED_HOSTS", "http://a b");
    let said = sentence(&command.output().unwrap());
    assert!(said.starts_with("notes: RELAY_ALLOWED_HOSTS: "), "{said}");
}

// RS-09
#[test]
fn a_bad_key_is_one_sentence_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let good = "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=";
    for (keys, fault) in [
        (
            format!("{good},c2hvcnQ="),
            "key 2 is 5 bytes long and needs at least 32; ",
        ),
        (
            format!("{good},{good},secret!"),
            "key 3 is not standard base64 ",
        ),
        (String::new(), "key 1 is not standard base64 "),
    ] {
        let mut command = notes(&folder.path().join("notes.db"), "127.0.0.1:0");
        command.env("RELAY_KEYS", &keys);
        let said = sentence(&command.output().unwrap());
        assert!(
            said.starts_with(&format!("notes: RELAY_KEYS: {fault}")),
            "{said}"
        );
        assert!(said.contains("openssl rand -base64 32"), "{said}");
        assert!(
            !said.contains("c2hv") && !said.contains("secret!"),
            "{said}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_process_well() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["-TERM", "-INT"] {
        let mut served = Served::start(&folder.path().join("notes.db"), "127.0.0.1:0");
        served.signal(name);
        assert_eq!(served.process.wait().unwrap().code(), Some(0), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn what_runs_when_a_signal_comes_is_still_answered() {
    let folder = tempfile::tempdir().unwrap();
    let files = folder.path().join("files");
    fs::create_dir(&files).unwrap();
    for file in 0..200 {
        fs::write(files.join(format!("{file}.md")), format!("# Note {file}\n")).unwrap();
    }
    let mut served = Served::start(&folder.path().join("notes.db"), "127.0.0.1:0");
    let (mut curl, mut lines) = served.call("import", &json!({ "folder": files }));
    let mut messages = lines.by_ref().filter_map(|line| {
        let line = line.unwrap();
        let data = line.strip_prefix("data: ")?;
        serde_json::from_str::<Value>(data).ok()
    });
    let first = messages.next().unwrap();
    assert_eq!(first["method"], "notifications/progress");
    served.signal("-TERM");
    let answer = messages.last().unwrap();
    assert_eq!(answer["result"]["structuredContent"]["imported"], 200);
    assert!(curl.wait().unwrap().success());
    assert_eq!(served.process.wait().unwrap().code(), Some(0));
}
