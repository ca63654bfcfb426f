//! A contender that runs: started on its core, watched through `/proc`, ended when dropped.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use crate::Failure;

/// The core that contenders run on; the load has the other.
const CORE: &str = "1";

/// A process of ours.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    pub(crate) input: Option<ChildStdin>,
    pub(crate) output: BufReader<ChildStdout>,
    pub(crate) started: Instant,
}

impl Server {
    pub(crate) fn start(binary: &Path, arguments: &[String]) -> Result<Self, Failure> {
        let started = Instant::now();
        let mut child = Command::new("taskset")
            .args(["--cpu-list", CORE])
            .arg(binary)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("taskset can't start {}: {error}", binary.display()))?;
        let output = child.stdout.take().ok_or("a child has an output")?;
        Ok(Self {
            input: child.stdin.take(),
            output: BufReader::with_capacity(256 * 1024, output),
            child,
            started,
        })
    }

    /// Where it listens, which is the first thing it says.
    pub(crate) fn address(&mut self) -> Result<SocketAddr, Failure> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let address = line.trim().parse();
        Ok(address.map_err(|_error| format!("a contender did not start: {line:?}"))?)
    }

    /// What it has had of its core, user and system time together.
    pub(crate) fn cpu(&self) -> Result<Duration, Failure> {
        let mut nanoseconds = 0;
        for task in fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            // A thread may end meanwhile.
            let Ok(line) = fs::read_to_string(task?.path().join("schedstat")) else {
                continue;
            };
            let first = line.split(' ').next().unwrap_or_default();
            nanoseconds += first.parse::<u64>()?;
        }
        Ok(Duration::from_nanos(nanoseconds))
    }

    /// A line of `/proc/PID/status` in bytes: `VmRSS` is what it has in memory, `VmHWM` the most it
    /// had.
    pub(crate) fn memory(&self, field: &str) -> Result<u64, Failure> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix(field));
        let kibibytes =
            line.and_then(|line| line.trim_matches([':', ' ', '\t', 'k', 'B']).parse().ok());
        let kibibytes: u64 = kibibytes.ok_or_else(|| format!("no {field} in a status"))?;
        Ok(kibibytes * 1024)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
