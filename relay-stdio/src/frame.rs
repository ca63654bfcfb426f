//! Newline framing: one JSON message a line, over any byte stream.

use std::{io, mem};

use bytes::Bytes;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// How much is asked of the stream at a time, in bytes.
const CHUNK: usize = 64 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What one line of the stream came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Line {
    /// A message: the line without its newline, a trailing CR and a leading byte order mark.
    Frame(Bytes),
    /// A line longer than the limit. Reported once, as soon as it is known, and skipped.
    TooLong,
}

/// The lines of a byte stream.
#[derive(Debug)]
pub(crate) struct FrameReader<R> {
    source: BufReader<R>,
    splitter: Splitter,
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    pub(crate) fn new(source: R, limit: usize) -> Self {
        Self {
            source: BufReader::with_capacity(CHUNK, source),
            splitter: Splitter::new(limit),
        }
    }

    /// The next line that is not blank; `None` at the end of the stream.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: what was read of a line is kept for the next call.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let chunk = self.source.fill_buf().await?;
            if chunk.is_empty() {
                return Ok(self.splitter.finish());
            }
            let (used, line) = self.splitter.cut(chunk);
            self.source.consume(used);
            if line.is_some() {
                return Ok(line);
            }
        }
    }

    /// The next complete line of what was read already; asks nothing of the stream.
    pub(crate) fn next_buffered(&mut self) -> Option<Line> {
        let (used, line) = self.splitter.cut(self.source.buffer());
        self.source.consume(used);
        line
    }
}

/// Cuts a stream into lines, whatever the chunks it comes in.
///
/// Holds no more than the part of a line that earlier chunks brought, so at most `limit` bytes,
/// and nothing between lines.
#[derive(Debug)]
struct Splitter {
    limit: usize,
    partial: Vec<u8>,
    skipping: bool,
}

impl Splitter {
    fn new(limit: usize) -> Self {
        Self {
            limit,
            partial: Vec::new(),
            skipping: false,
        }
    }

    /// Takes bytes off the front of `chunk` up to the end of the first line worth reporting.
    /// Answers how many it took: all of them when it found no such line.
    fn cut(&mut self, chunk: &[u8]) -> (usize, Option<Line>) {
        let mut rest = chunk;
        while !rest.is_empty() {
            let newline = memchr::memchr(b'\n', rest);
            let (segment, after) = rest.split_at(newline.unwrap_or(rest.len()));
            let ended = newline.is_some();
            rest = after.get(1..).unwrap_or_default();
            if let Some(line) = self.take(segment, ended) {
                return (chunk.len() - rest.len(), Some(line));
            }
        }
        (chunk.len(), None)
    }

    /// The end of the stream: a last line without a newline counts.
    fn finish(&mut self) -> Option<Line> {
        self.take(&[], true)
    }

    fn take(&mut self, segment: &[u8], ended: bool) -> Option<Line> {
        if self.skipping {
            self.skipping = !ended;
            return None;
        }
        if segment.len() > self.limit - self.partial.len() {
            self.partial = Vec::new();
            self.skipping = !ended;
            return Some(Line::TooLong);
        }
        if !ended {
            self.keep(segment);
            return None;
        }
        if self.partial.is_empty() {
            let frame = trim(segment);
            return (!is_blank(frame)).then(|| Line::Frame(Bytes::copy_from_slice(frame)));
        }
        self.keep(segment);
        let line = Bytes::from(mem::take(&mut self.partial));
        let frame = line.slice_ref(trim(&line));
        (!is_blank(&frame)).then_some(Line::Frame(frame))
    }

    /// Appends to the partial line; its buffer doubles as vectors do, but never past the limit.
    fn keep(&mut self, segment: &[u8]) {
        let length = self.partial.len() + segment.len();
        if length > self.partial.capacity() {
            let doubled = self.partial.capacity().saturating_mul(2);
            let capacity = doubled.min(self.limit).max(length);
            self.partial.reserve_exact(capacity - self.partial.len());
        }
        self.partial.extend_from_slice(segment);
    }
}

/// Appends a frame and its newline to what is to be written.
///
/// A newline inside a JSON text can only be insignificant whitespace (strings escape it), so it
/// becomes a space, and so does a CR, which some readers take for the end of a line.
pub(crate) fn append(batch: &mut Vec<u8>, frame: &[u8]) {
    batch.reserve(frame.len() + 1);
    let start = batch.len();
    batch.extend_from_slice(frame);
    if memchr::memchr2(b'\n', b'\r', frame).is_some() {
        for byte in batch.iter_mut().skip(start) {
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    batch.push(b'\n');
}

fn trim(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
}

/// Whether there is nothing but what JSON calls whitespace.
fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*, sample::select};

    use super::*;

    fn frame(text: &str) -> Line {
        Line::Frame(Bytes::copy_from_slice(text.as_bytes()))
    }

    /// Every line of a stream that comes in these chunks.
    fn lines(limit: usize, chunks: &[&[u8]]) -> Vec<Line> {
        let mut splitter = Splitter::new(limit);
        let mut lines = Vec::new();
        for mut chunk in chunks.iter().copied() {
            while !chunk.is_empty() {
                let (used, line) = splitter.cut(chunk);
                lines.extend(line);
                chunk = &chunk[used..];
            }
        }
        lines.extend(splitter.finish());
        lines
    }

    // STDIO-10, S01
    #[test]
    fn only_a_newline_delimits() {
        let stream = "{\"a\":1}\r\n\n   \n\r\n\t\r\n{\"b\"\r:2}\r\n{\"c\":\"\u{2028}\u{85}\"}\n";
        assert_eq!(
            lines(64, &[stream.as_bytes()]),
            [
                frame("{\"a\":1}"),
                frame("{\"b\"\r:2}"),
                frame("{\"c\":\"\u{2028}\u{85}\"}")
            ]
        );
    }

    // S03
    #[test]
    fn a_byte_order_mark_is_dropped_at_the_start_of_a_line_only() {
        assert_eq!(
            lines(
                64,
                &[
                    b"\xef",
                    b"\xbb\xbf{}\r\n\xef\xbb",
                    b"\xbf[]\n\xef\xbb\xbf\n"
                ]
            ),
            [frame("{}"), frame("[]")]
        );
        assert_eq!(
            lines(64, &["\"\u{feff}\"\n".as_bytes()]),
            [frame("\"\u{feff}\"")]
        );
    }

    // STDIO-10, S06
    #[test]
    fn bytes_that_are_not_text_are_left_for_the_parser() {
        assert_eq!(
            lines(64, &[b"\xff\xfe\n{}\n"]),
            [Line::Frame(Bytes::from_static(b"\xff\xfe")), frame("{}")]
        );
    }

    // STDIO-13, S09
    #[test]
    fn the_last_line_needs_no_newline() {
        assert_eq!(lines(64, &[b"1\n2"]), [frame("1"), frame("2")]);
        assert_eq!(lines(64, &[b"1\n \r"]), [frame("1")]);
        assert_eq!(lines(64, &[]), []);
    }

    // STDIO-11, S05
    #[test]
    fn a_line_over_the_limit_is_reported_once_and_skipped() {
        assert_eq!(
            lines(4, &[b"1234\n12345\n1", b"2345", b"6789\n\n5\n123456"]),
            [
                frame("1234"),
                Line::TooLong,
                Line::TooLong,
                frame("5"),
                Line::TooLong
            ]
        );
    }

    // STDIO-11, S05: the peer hears of it though the line never ends
    #[test]
    fn a_line_over_the_limit_is_reported_before_it_ends() {
        let mut splitter = Splitter::new(4);
        assert_eq!(splitter.cut(b"123"), (3, None));
        assert_eq!(splitter.cut(b"456"), (3, Some(Line::TooLong)));
        assert_eq!(splitter.cut(b"789"), (3, None));
        assert_eq!(splitter.finish(), None);
    }

    #[test]
    fn nothing_is_held_after_a_long_line() {
        let mut splitter = Splitter::new(1 << 20);
        assert_eq!(splitter.cut(&vec![b'1'; 1 << 19]), (1 << 19, None));
        assert!(matches!(splitter.cut(b"\n"), (1, Some(Line::Frame(_)))));
        assert_eq!(splitter.partial.capacity(), 0);
    }

    // S05
    #[tokio::test]
    async fn a_reader_gives_the_lines_of_its_stream() {
        let source: &[u8] =
            "\u{feff}{\"text\":\"\u{2014}\u{8bfb}\"}\r\n1234567890123456789012\n7".as_bytes();
        let mut reader = FrameReader::new(source, 21);
        assert_eq!(
            reader.next().await.unwrap(),
            Some(frame("{\"text\":\"\u{2014}\u{8bfb}\"}"))
        );
        assert_eq!(reader.next().await.unwrap(), Some(Line::TooLong));
        assert_eq!(reader.next().await.unwrap(), Some(frame("7")));
        assert_eq!(reader.next().await.unwrap(), None);
        assert_eq!(reader.next().await.unwrap(), None);
    }

    // STDIO-15
    #[tokio::test]
    async fn complete_lines_that_were_read_can_be_had_without_reading_on() {
        let mut reader = FrameReader::new(&b"1\n\n2\n3"[..], 8);
        assert_eq!(reader.next_buffered(), None);
        assert_eq!(reader.next().await.unwrap(), Some(frame("1")));
        assert_eq!(reader.next_buffered(), Some(frame("2")));
        assert_eq!(reader.next_buffered(), None);
    }

    // STDIO-01
    #[test]
    fn a_frame_is_written_as_one_line() {
        let mut batch = Vec::new();
        append(&mut batch, b"{\n  \"a\": \"\\n\"\r\n}");
        append(&mut batch, b"[]");
        assert_eq!(batch, b"{   \"a\": \"\\n\"  }\n[]\n");
    }

    /// Streams rich in what framing looks at.
    fn streams() -> impl Strategy<Value = Vec<u8>> {
        let pieces: Vec<&[u8]> = vec![
            b"\n",
            b"\r\n",
            b"\r",
            b" ",
            b"\xef",
            b"\xbb",
            b"\xbf",
            BYTE_ORDER_MARK,
            b"{}",
            b"x",
        ];
        vec(select(pieces), 0..60).prop_map(|pieces| pieces.concat())
    }

    /// Framing as one would write it with the whole stream in hand.
    fn model(limit: usize, stream: &[u8]) -> Vec<Line> {
        stream
            .split(|byte| *byte == b'\n')
            .filter_map(|line| {
                if line.len() > limit {
                    return Some(Line::TooLong);
                }
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
                let blank = line.iter().all(|byte| b" \t\r".contains(byte));
                (!blank).then(|| Line::Frame(Bytes::copy_from_slice(line)))
            })
            .collect()
    }

    proptest! {
        // S05
        #[test]
        fn chunks_do_not_matter(
            stream in streams(),
            cuts in vec(any::<prop::sample::Index>(), 0..20),
            limit in 0_usize..24,
        ) {
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
            cuts.extend([0, stream.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|cut| &stream[cut[0]..cut[1]]).collect();
            prop_assert_eq!(lines(limit, &chunks), model(limit, &stream));
        }

        // STDIO-11, S05
        #[test]
        fn memory_stays_within_the_limit(
            chunks in vec((1_usize..5_000, any::<bool>()), 1..60),
            limit in 0_usize..8_192,
        ) {
            let mut splitter = Splitter::new(limit);
            for (length, newline) in chunks {
                let mut chunk = vec![b'1'; length];
                if newline {
                    chunk.push(b'\n');
                }
                let mut rest = &chunk[..];
                while !rest.is_empty() {
                    let (used, _) = splitter.cut(rest);
                    rest = &rest[used..];
                    prop_assert!(splitter.partial.capacity() <= limit);
                }
            }
        }

        // STDIO-01
        #[test]
        fn what_is_written_is_read_back(values in vec("[^\n\r]{1,20}", 0..10)) {
            let frames: Vec<String> =
                values.iter().map(|value| serde_json::to_string(value).unwrap()).collect();
            let mut batch = Vec::new();
            for frame in &frames {
                append(&mut batch, frame.as_bytes());
            }
            prop_assert_eq!(memchr::memchr_iter(b'\n', &batch).count(), frames.len());
            let read = lines(1024, &[&batch]);
            prop_assert_eq!(read, frames.iter().map(|text| frame(text)).collect::<Vec<_>>());
        }
    }
}
