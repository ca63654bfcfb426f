//! A client of the process, one line at a time.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

pub(crate) struct Session {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Session {
    pub(crate) fn start(mut notes: Command) -> Self {
        let mut process = notes
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: process.stdin.take().unwrap(),
            output: BufReader::new(process.stdout.take().unwrap()),
            process,
        }
    }

    pub(crate) fn call(&mut self, id: u32, tool: &str, arguments: &Value) {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "progressToken": id,
        });
        let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        self.request(id, &params);
    }

    /// Calls a tool that may ask, and gives what comes back; `round` is what the last one brought.
    pub(crate) fn ask(&mut self, id: u32, tool: &str, arguments: &Value, round: &Value) -> Value {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
        });
        let mut params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        if let Some(state) = round["result"]["requestState"].as_str() {
            params["requestState"] = json!(state);
            params["inputResponses"] = json!({ tool: { "action": "accept", "content": {} } });
        }
        self.request(id, &params);
        self.receive()
    }

    fn request(&mut self, id: u32, params: &Value) {
        let request =
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        writeln!(self.input, "{request}").unwrap();
    }

    pub(crate) fn cancel(&mut self, id: u32) {
        let method = "notifications/cancelled";
        let params = json!({ "requestId": id });
        let notification = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        writeln!(self.input, "{notification}").unwrap();
    }

    pub(crate) fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    #[cfg(unix)]
    pub(crate) fn terminate(&self) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &id]).status().unwrap();
        assert!(sent.success());
    }

    /// Sends nothing more: what still comes, and how the process ends.
    pub(crate) fn end(self) -> (Vec<Value>, Option<i32>) {
        drop(self.input);
        rest(self.process, self.output)
    }

    /// What still comes, and how the process ends, although it could be sent more.
    #[cfg(unix)]
    pub(crate) fn wait(self) -> (Vec<Value>, Option<i32>) {
        let _open = self.input;
        rest(self.process, self.output)
    }
}

fn rest(mut process: Child, output: BufReader<ChildStdout>) -> (Vec<Value>, Option<i32>) {
    let read = |line: Result<String, _>| serde_json::from_str(&line.unwrap()).unwrap();
    let messages = output.lines().map(read).collect();
    (messages, process.wait().unwrap().code())
}
