//! A server in a process of its own.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{BufRead as _, BufReader, Read, Write as _},
    mem,
    os::{fd::AsRawFd, unix::process::ExitStatusExt as _},
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use relay_core::Revision;
use relay_tests::schema;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::requests::{initialize, ping};

/// How long anything may take; what is awaited comes much sooner.
const PATIENCE: Duration = Duration::from_secs(30);

/// What counts as prompt, on a machine that is busy.
pub(crate) const PROMPT: Duration = Duration::from_secs(4);

const SERVER: &str = env!("CARGO_BIN_EXE_stdio-server");

/// A server that runs, and what it has said.
#[derive(Debug)]
pub(crate) struct Process {
    child: Killed,
    stdin: Option<ChildStdin>,
    stdout: Receiver<Vec<u8>>,
    stderr: Receiver<Vec<u8>>,
    /// What was read of stderr.
    log: String,
    /// What was asked, by id: the method, and in which revision.
    asked: HashMap<String, (String, Revision)>,
    revision: Revision,
    /// The files behind the protocol's two streams.
    pipes: Vec<String>,
}

/// A process that does not outlive its test.
#[derive(Debug)]
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        // Nothing is killed, and nothing fails, where it has ended.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// How a server ended, and what it had still said.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) status: ExitStatus,
    pub(crate) messages: Vec<Value>,
    /// All of stderr.
    pub(crate) log: String,
    /// How long the end was waited for.
    pub(crate) took: Duration,
}

impl Process {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::spawn(Command::new(SERVER).args(arguments).stdin(Stdio::piped()))
    }

    /// What a shell makes of it; `$0` is the server.
    pub(crate) fn start_in_shell(script: &str) -> Self {
        let mut shell = Command::new("sh");
        Self::spawn(shell.args(["-c", script, SERVER]).stdin(Stdio::piped()))
    }

    pub(crate) fn start_with_input(input: File) -> Self {
        Self::spawn(Command::new(SERVER).stdin(input))
    }

    pub(crate) fn start_with_user(user: &str) -> Self {
        let mut server = Command::new(SERVER);
        Self::spawn(server.env("FIXTURE_USER", user).stdin(Stdio::piped()))
    }

    /// A server that a legacy client has greeted.
    pub(crate) fn initialized(revision: Revision, arguments: &[&str]) -> Self {
        let mut server = Self::start(arguments);
        server.send(&initialize(revision));
        let answer = server.message();
        assert_eq!(
            answer["result"]["protocolVersion"],
            revision.as_str(),
            "{answer}"
        );
        server
            .send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        server
    }

    /// The locale must not matter (S06).
    fn spawn(command: &mut Command) -> Self {
        command.env("LC_ALL", "C");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().unwrap();
        let pipes = pipes(stdin.as_ref(), &stdout);
        Self {
            stdin,
            stdout: lines(stdout),
            stderr: lines(child.stderr.take().unwrap()),
            child: Killed(child),
            log: String::new(),
            asked: HashMap::new(),
            revision: Revision::V2026_07_28,
            pipes,
        }
    }

    /// Sends one message on a line of its own.
    pub(crate) fn send(&mut self, message: &str) {
        self.note(message);
        self.write(format!("{message}\n").as_bytes());
    }

    /// Sends one message to a server that may be gone: whether it took it.
    pub(crate) fn try_send(&mut self, message: &str) -> bool {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(format!("{message}\n").as_bytes()).is_ok()
    }

    /// Sends these messages in one write.
    pub(crate) fn send_all(&mut self, messages: &[String]) {
        let mut lines = String::new();
        for message in messages {
            self.note(message);
            lines.push_str(message);
            lines.push('\n');
        }
        self.write(lines.as_bytes());
    }

    /// Remembers what is asked, for the judge.
    pub(crate) fn note(&mut self, message: &str) {
        let message: Value = serde_json::from_str(message).unwrap_or_default();
        let greeted = message["params"]["protocolVersion"].as_str();
        self.revision = greeted.and_then(Revision::parse).unwrap_or(self.revision);
        if let Some(method) = message["method"].as_str() {
            let modern = message["params"]["_meta"]
                .get("io.modelcontextprotocol/protocolVersion")
                .is_some();
            let revision = if modern {
                Revision::V2026_07_28
            } else {
                self.revision
            };
            let asked = (method.to_owned(), revision);
            self.asked.insert(message["id"].to_string(), asked);
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    /// Closes the server's input.
    pub(crate) fn close(&mut self) {
        self.stdin = None;
    }

    /// The next message.
    pub(crate) fn message(&mut self) -> Value {
        match self.stdout.recv_timeout(PATIENCE) {
            Ok(line) => self.judge(&line),
            Err(error) => panic!("no message: {error}\n{}", self.read_log()),
        }
    }

    /// The next message as it came.
    pub(crate) fn raw_message(&mut self) -> String {
        String::from_utf8(self.stdout.recv_timeout(PATIENCE).unwrap()).unwrap()
    }

    /// The answer to what is sent.
    pub(crate) fn ask(&mut self, message: &str) -> Value {
        self.send(message);
        self.message()
    }

    /// The server lives, reads on, and has said nothing since.
    pub(crate) fn probe(&mut self) {
        let answer = self.ask(&ping("after"));
        assert_eq!(answer["id"], "after", "{answer}");
        assert!(answer["result"]["capabilities"].is_object(), "{answer}");
    }

    /// Waits for a line on stderr that holds this text.
    pub(crate) fn logged(&mut self, text: &str) {
        while !self.log.contains(text) {
            match self.stderr.recv_timeout(PATIENCE) {
                Ok(line) => self.log += &utf8(line),
                Err(error) => panic!("{text:?} is not logged: {error}\n{}", self.log),
            }
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.0.id())
            .ok()
            .and_then(Pid::from_raw);
        kill_process(id.unwrap(), signal).unwrap();
    }

    /// Whether the server ends within this time.
    pub(crate) fn ends_within(&self, time: Duration) -> bool {
        self.stdout.recv_timeout(time) == Err(RecvTimeoutError::Disconnected)
    }

    /// Stops listening: the line after the next one breaks the server's pipe.
    pub(crate) fn deafen(&mut self) {
        // The thread that reads ends, and with it the pipe, once nobody takes its lines.
        self.stdout = channel().1;
    }

    /// The most memory that the process had at any time, in bytes.
    pub(crate) fn peak(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.0.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = peak.unwrap().trim().trim_end_matches(" kB");
        kilobytes.parse::<u64>().unwrap() * 1024
    }

    /// What a process shows in `/proc/self/fd` where it has the protocol's streams.
    pub(crate) fn pipes(&self) -> &[String] {
        &self.pipes
    }

    /// Waits for the end of the process, its input as it is.
    pub(crate) fn end(mut self) -> End {
        let _stdin = self.stdin.take();
        let began = Instant::now();
        let mut lines = Vec::new();
        while let Ok(line) = self.stdout.recv_timeout(PATIENCE) {
            lines.push(line);
        }
        let (sender, ended) = channel();
        let id = self.child.0.id();
        thread::spawn(move || drop(sender.send((self.child.0.wait(), self))));
        let (status, mut server) = ended
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|_| panic!("process {id} does not end"));
        let took = began.elapsed();
        while let Ok(line) = server.stderr.recv_timeout(PATIENCE) {
            server.log += &utf8(line);
        }
        End {
            status: status.unwrap(),
            messages: lines.iter().map(|line| server.judge(line)).collect(),
            log: mem::take(&mut server.log),
            took,
        }
    }

    /// What a line of stdout may be: one message of the revision that its request was made in
    /// (STDIO-01, STDIO-02, JR-17, LIO-01, LIO-02).
    fn judge(&self, line: &[u8]) -> Value {
        let shown = String::from_utf8_lossy(line);
        let message = line.strip_suffix(b"\n");
        let message = message.unwrap_or_else(|| panic!("a line that does not end: {shown}"));
        assert!(!message.starts_with(b"\xef\xbb\xbf"), "a byte order mark");
        let message: Value = serde_json::from_slice(message)
            .unwrap_or_else(|error| panic!("no message: {error}: {shown}"));
        let asked = self.asked.get(&message["id"].to_string());
        let (method, revision) = match asked {
            Some((method, revision)) => (Some(method.as_str()), *revision),
            None => (None, self.revision),
        };
        let faults = schema::faults(revision, method, &message);
        assert!(faults.is_empty(), "{message}\n{faults:#?}");
        message
    }

    fn read_log(&mut self) -> &str {
        while let Ok(line) = self.stderr.try_recv() {
            self.log += &utf8(line);
        }
        &self.log
    }
}

impl End {
    /// It ended by itself, in time, and all is well.
    pub(crate) fn clean(&self) -> &Self {
        assert!(self.status.success(), "{}\n{}", self.status, self.log);
        assert!(!self.log.contains("panicked at"), "{}", self.log);
        self
    }

    pub(crate) fn prompt(&self) -> &Self {
        assert!(self.took < PROMPT, "{:?}\n{}", self.took, self.log);
        self
    }

    pub(crate) fn killed_by(&self) -> Option<i32> {
        self.status.signal()
    }

    /// The ids of what was still said.
    pub(crate) fn ids(&self) -> Vec<&Value> {
        self.messages.iter().map(|message| &message["id"]).collect()
    }
}

/// The lines of a stream as they come, read as fast as they do.
fn lines(stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        let mut stream = BufReader::new(stream);
        loop {
            let mut line = Vec::new();
            let read = stream.read_until(b'\n', &mut line).unwrap_or_default();
            if read == 0 || sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

fn pipes(stdin: Option<&ChildStdin>, stdout: &ChildStdout) -> Vec<String> {
    let descriptors = [Some(stdout.as_raw_fd()), stdin.map(AsRawFd::as_raw_fd)];
    let link = |descriptor: i32| fs::read_link(format!("/proc/self/fd/{descriptor}")).unwrap();
    let shown = |descriptor| link(descriptor).to_string_lossy().into_owned();
    descriptors.into_iter().flatten().map(shown).collect()
}

/// Diagnostics are text (STDIO-03).
fn utf8(line: Vec<u8>) -> String {
    String::from_utf8(line).expect("stderr is UTF-8")
}
