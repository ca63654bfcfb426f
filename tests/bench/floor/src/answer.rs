//! What is answered, whatever was asked.

use std::{
    collections::VecDeque,
    convert::Infallible,
    fs,
    pin::Pin,
    task::{Context, Poll},
};

use bench_shared::Options;
use bytes::Bytes;
use http_body::{Frame, SizeHint};

use crate::Failure;

/// One message as JSON, or several as events.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) events: bool,
    frames: VecDeque<Bytes>,
}

impl Answer {
    /// The bytes of the file that the options name; a file of events is answered event by event.
    pub(crate) fn read(options: &Options) -> Result<Self, Failure> {
        let bytes = match &options.answer {
            Some(file) => fs::read_to_string(file)?,
            None => String::new(),
        };
        let events = bytes.starts_with("event:") || bytes.starts_with("data:");
        let frames = if events {
            let events = bytes.split_inclusive("\n\n");
            events.map(|event| Bytes::from(event.to_owned())).collect()
        } else {
            VecDeque::from([Bytes::from(bytes)])
        };
        Ok(Self { events, frames })
    }
}

impl http_body::Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.frames.pop_front().map(|frame| Ok(Frame::data(frame))))
    }

    fn is_end_stream(&self) -> bool {
        self.frames.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        if self.events {
            return SizeHint::default();
        }
        let bytes = self.frames.front().map_or(0, Bytes::len);
        SizeHint::with_exact(bytes.try_into().unwrap_or(u64::MAX))
    }
}
