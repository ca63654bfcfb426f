//! What a contender is told on its command line.

use std::{env, error::Error, path::PathBuf};

use crate::TOOLS;

/// How a contender serves: `MODE [--tools N] [--page N] [--principals N] [--body BYTES] [--calls N]
/// [--work NAME] [--answer FILE]`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Over what, or how.
    pub mode: String,
    /// How many tools.
    pub tools: usize,
    /// How many entries a page of a list has.
    pub page: usize,
    /// How many principals may call, each seeing tools of its own; none: anyone may.
    pub principals: usize,
    /// How many bytes a body may have.
    pub body: usize,
    /// How many calls to make of itself.
    pub calls: usize,
    /// What the calls are of.
    pub work: String,
    /// The file that a floor answers with.
    pub answer: Option<PathBuf>,
}

impl Options {
    /// Reads the command line of this process.
    ///
    /// # Errors
    ///
    /// An option that is unknown, or whose value can't be read.
    pub fn read() -> Result<Self, Box<dyn Error + Send + Sync>> {
        let mut words = env::args().skip(1);
        let mut options = Self {
            mode: words.next().ok_or("the first word says the mode")?,
            tools: TOOLS,
            page: 100,
            principals: 0,
            body: 4 << 20,
            calls: 0,
            work: "echo".to_owned(),
            answer: None,
        };
        while let Some(name) = words.next() {
            let value = words.next().ok_or_else(|| format!("{name} has no value"))?;
            match name.as_str() {
                "--tools" => options.tools = value.parse()?,
                "--page" => options.page = value.parse()?,
                "--principals" => options.principals = value.parse()?,
                "--body" => options.body = value.parse()?,
                "--calls" => options.calls = value.parse()?,
                "--work" => options.work = value,
                "--answer" => options.answer = Some(value.into()),
                _ => return Err(format!("{name} is no option").into()),
            }
        }
        Ok(options)
    }
}
