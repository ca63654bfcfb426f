//! State in few bytes: numbers seven bits a byte, texts after their length.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::{Answered, Fingerprint, Kind, State};

/// The bytes of `state`, and the second it is sealed.
pub(super) fn write(state: &State, sealed: u64) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.state(state, sealed);
    writer.0
}

/// What was written, if `bytes` are that and nothing more.
pub(super) fn read(bytes: &[u8]) -> Option<(State, u64)> {
    let mut reader = Reader(bytes);
    reader.state().filter(|_| reader.0.is_empty())
}

#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn state(&mut self, state: &State, sealed: u64) {
        self.number(sealed);
        self.0.push(state.round);
        self.count(state.answers.len());
        for (key, Answered { question, given }) in &state.answers {
            self.text(key);
            self.fingerprint(question);
            self.text(given.get());
        }
        self.count(state.recorded.len());
        for (key, value) in &state.recorded {
            self.text(key);
            self.text(value.get());
        }
        self.count(state.handler.iter().len());
        if let Some(value) = &state.handler {
            self.text(value.get());
        }
        self.count(state.asked.len());
        for (key, question) in &state.asked {
            self.text(key);
            self.fingerprint(question);
        }
    }

    fn fingerprint(&mut self, question: &Fingerprint) {
        self.0.push(question.kind.to_byte());
        self.0.extend(question.digest);
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend(text.as_bytes());
    }

    fn count(&mut self, count: usize) {
        // `usize` is at most 64 bits wide wherever Rust runs.
        self.number(u64::try_from(count).unwrap_or(u64::MAX));
    }

    fn number(&mut self, mut number: u64) {
        loop {
            let [low, ..] = number.to_le_bytes();
            number >>= 7;
            if number == 0 {
                return self.0.push(low & 0x7F);
            }
            self.0.push(low | 0x80);
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn state(&mut self) -> Option<(State, u64)> {
        let sealed = self.number()?;
        let round = self.byte()?;
        let mut answers = BTreeMap::new();
        for _ in 0..self.number()? {
            let key = self.text()?.to_owned();
            let question = self.fingerprint()?;
            let given = self.json()?;
            answers.insert(key, Answered { question, given });
        }
        let mut recorded = BTreeMap::new();
        for _ in 0..self.number()? {
            recorded.insert(self.text()?.to_owned(), self.json()?);
        }
        let handler = match self.number()? {
            0 => None,
            _ => Some(self.json()?),
        };
        let mut asked = BTreeMap::new();
        for _ in 0..self.number()? {
            asked.insert(self.text()?.to_owned(), self.fingerprint()?);
        }
        let state = State {
            answers,
            recorded,
            handler,
            asked,
            round,
        };
        Some((state, sealed))
    }

    fn fingerprint(&mut self) -> Option<Fingerprint> {
        let kind = Kind::from_byte(self.byte()?)?;
        let (digest, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(Fingerprint {
            kind,
            digest: *digest,
        })
    }

    fn json(&mut self) -> Option<Box<RawValue>> {
        RawValue::from_string(self.text()?.to_owned()).ok()
    }

    fn text(&mut self) -> Option<&str> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        str::from_utf8(text).ok()
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }
}

impl Kind {
    const fn to_byte(self) -> u8 {
        match self {
            Self::Form => 0,
            Self::Roots => 1,
            Self::Sample => 2,
            Self::Url => 3,
        }
    }

    const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Form),
            1 => Some(Self::Roots),
            2 => Some(Self::Sample),
            3 => Some(Self::Url),
            _ => None,
        }
    }
}
