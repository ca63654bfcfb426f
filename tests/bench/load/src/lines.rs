//! The load over standard input and output: so many requests are always under way.

use std::{
    io::{BufRead as _, Write as _},
    time::{Duration, Instant},
};

use bench_shared::frame;

use crate::{Failure, client::Sample, server::Server};

/// One contender and its next id.
#[derive(Debug)]
pub(crate) struct Lines {
    server: Server,
    before: String,
    after: String,
    id: u64,
    written: Vec<u8>,
}

impl Lines {
    /// Asks once, and looks at what comes back.
    pub(crate) fn open(server: Server) -> Result<Self, Failure> {
        let frame = frame("echo", 1).ok_or("an echo is a frame")?;
        let (before, after) = frame.split_once(r#""id":1"#).ok_or("a frame has an id")?;
        let mut lines = Self {
            server,
            before: format!(r#"{before}"id":"#),
            after: format!("{after}\n"),
            id: 1,
            written: Vec::new(),
        };
        lines.send(1)?;
        let mut answer = String::new();
        lines.server.output.read_line(&mut answer)?;
        if answer.contains(r#""text":"aaa"#) && answer.contains(r#""id":1,"#) {
            Ok(lines)
        } else {
            Err(format!("an echo was answered with {answer:?}").into())
        }
    }

    /// Keeps `depth` requests under way for this long.
    pub(crate) fn load(
        &mut self,
        depth: usize,
        warm_up: Duration,
        window: Duration,
    ) -> Result<Sample, Failure> {
        self.send(depth)?;
        self.run(warm_up)?;
        let (cpu, began) = (self.server.cpu()?, Instant::now());
        let answered = self.run(window)? as f64;
        let (cpu, time) = (self.server.cpu()? - cpu, began.elapsed());
        let mut rest = depth;
        while rest > 0 {
            rest -= self.receive()?.min(rest);
        }
        Ok(Sample {
            rate: answered / time.as_secs_f64(),
            cpu: cpu.as_secs_f64() * 1e6 / answered,
        })
    }

    /// Sends one more for each that is answered.
    fn run(&mut self, time: Duration) -> Result<usize, Failure> {
        let began = Instant::now();
        let mut answered = 0;
        while began.elapsed() < time {
            let count = self.receive()?;
            answered += count;
            self.send(count)?;
        }
        Ok(answered)
    }

    /// Writes this many requests at once.
    fn send(&mut self, count: usize) -> Result<(), Failure> {
        self.written.clear();
        for _ in 0..count {
            write!(self.written, "{}{}{}", self.before, self.id, self.after)?;
            self.id += 1;
        }
        let input = self.server.input.as_mut().ok_or("a contender reads")?;
        Ok(input.write_all(&self.written)?)
    }

    /// Reads what is there, at least one answer, and says how many there were.
    fn receive(&mut self) -> Result<usize, Failure> {
        let output = &mut self.server.output;
        loop {
            let bytes = output.fill_buf()?;
            if bytes.is_empty() {
                return Err("a contender closed its output".into());
            }
            let (count, length) = (
                bytes.iter().filter(|byte| **byte == b'\n').count(),
                bytes.len(),
            );
            output.consume(length);
            if count > 0 {
                return Ok(count);
            }
        }
    }
}
