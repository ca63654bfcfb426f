//! Where a response ends, and what it says.

use crate::Failure;

/// How long the body is.
#[derive(Clone, Copy, Debug)]
enum Framing {
    Length(usize),
    Chunked,
}

/// The head of a response that is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub(crate) status: u16,
    length: usize,
    framing: Framing,
}

impl Head {
    /// The head, once it is here.
    pub(crate) fn read(bytes: &[u8]) -> Result<Option<Self>, Failure> {
        let Some(end) = find(bytes, b"\r\n\r\n") else {
            return Ok(None);
        };
        let head = str::from_utf8(&bytes[..end])?;
        let status = head.get(9..12).and_then(|status| status.parse().ok());
        let status = status.ok_or("a response without a status")?;
        let field = |name: &str| {
            head.lines().skip(1).find_map(|line| {
                let (field, value) = line.split_once(':')?;
                field.eq_ignore_ascii_case(name).then(|| value.trim())
            })
        };
        let framing = match field("content-length") {
            Some(length) => Framing::Length(length.parse()?),
            None if field("transfer-encoding").is_some() => Framing::Chunked,
            None => Framing::Length(0),
        };
        Ok(Some(Self {
            status,
            length: end + 4,
            framing,
        }))
    }

    /// Whether these bytes are the whole response.
    pub(crate) fn ends(self, bytes: &[u8]) -> bool {
        match self.framing {
            Framing::Length(length) => bytes.len() >= self.length + length,
            // JSON holds no line breaks: the last chunk is the only one that looks like this.
            Framing::Chunked => bytes.ends_with(b"\r\n0\r\n\r\n"),
        }
    }

    /// The body.
    pub(crate) fn body(self, response: &[u8]) -> Vec<u8> {
        let body = &response[self.length..];
        match self.framing {
            Framing::Length(_) => body.to_vec(),
            Framing::Chunked => dechunked(body),
        }
    }

    pub(crate) fn is_chunked(self) -> bool {
        matches!(self.framing, Framing::Chunked)
    }
}

fn dechunked(mut chunks: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = find(chunks, b"\r\n") {
        let size = str::from_utf8(&chunks[..end]).unwrap_or_default();
        let size = usize::from_str_radix(size, 16).unwrap_or_default();
        let Some(chunk) = chunks.get(end + 2..end + 2 + size).filter(|_| size > 0) else {
            break;
        };
        body.extend_from_slice(chunk);
        chunks = chunks.get(end + 4 + size..).unwrap_or_default();
    }
    body
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}
