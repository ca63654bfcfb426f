//! What is left when there is no library: `bench-floor typed` parses each body into a struct and
//! answers the bytes of a file; `bench-floor nothing` only reads it; `bench-floor lines` is the
//! typed one over standard input and output.

mod answer;
mod http;
mod lines;
mod message;

use std::{
    error::Error,
    io::{Write as _, stderr},
    process::ExitCode,
};

use bench_shared::Options;

use crate::{answer::Answer, message::Parse};

/// What any of it can fail with.
pub(crate) type Failure = Box<dyn Error + Send + Sync>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(writeln!(stderr(), "bench-floor: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let options = Options::read()?;
    let answer = Answer::read(&options)?;
    match options.mode.as_str() {
        "typed" => http::serve(Parse::of(&options.work), answer),
        "nothing" => http::serve(Parse::Nothing, answer),
        "lines" => lines::serve(),
        mode => Err(format!("{mode} is no mode").into()),
    }
}
