//! What a frame looks like on the wire: its length in four bytes, the highest first, and then its
//! JSON.

use std::io;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// The longest frame that is taken, in bytes.
pub const MAX_LENGTH: u32 = 16 * 1024 * 1024;

/// What came next.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Received {
    /// Nothing more comes.
    End,
    /// A frame.
    Frame(Bytes),
    /// A frame above [`MAX_LENGTH`], of which only the length was read.
    TooLong,
}

/// Reads the next frame.
///
/// # Errors
///
/// The reader's own, and [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) where it ends within a
/// frame.
///
/// # Cancel safety
///
/// Not cancel safe: what was read of a frame is lost.
pub async fn read(reader: &mut (impl AsyncRead + Unpin)) -> io::Result<Received> {
    let mut length = [0; 4];
    if reader.read(&mut length[..1]).await? == 0 {
        return Ok(Received::End);
    }
    reader.read_exact(&mut length[1..]).await?;
    let length = u32::from_be_bytes(length);
    if length > MAX_LENGTH {
        return Ok(Received::TooLong);
    }
    // Room is made as the bytes come: a length alone must not cost memory.
    let mut frame = Vec::new();
    let read = reader.take(length.into()).read_to_end(&mut frame).await?;
    if read as u64 == u64::from(length) {
        Ok(Received::Frame(frame.into()))
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

/// Writes a frame.
///
/// # Errors
///
/// The writer's own, and [`InvalidInput`](io::ErrorKind::InvalidInput) for a frame whose length
/// four bytes can't hold.
///
/// # Cancel safety
///
/// Not cancel safe: the frame may be written in part.
pub async fn write(writer: &mut (impl AsyncWrite + Unpin), frame: &[u8]) -> io::Result<()> {
    let length = u32::try_from(frame.len()).map_err(|_too_long| io::ErrorKind::InvalidInput)?;
    writer.write_all(&length.to_be_bytes()).await?;
    writer.write_all(frame).await?;
    writer.flush().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_written_is_read() {
        let mut wire = Vec::new();
        for frame in ["", "{}", &"x".repeat(70_000)] {
            write(&mut wire, frame.as_bytes()).await.unwrap();
        }
        let mut wire = wire.as_slice();
        for frame in ["", "{}", &"x".repeat(70_000)] {
            let expected = Received::Frame(Bytes::copy_from_slice(frame.as_bytes()));
            assert_eq!(read(&mut wire).await.unwrap(), expected);
        }
        assert_eq!(read(&mut wire).await.unwrap(), Received::End);
    }

    #[tokio::test]
    async fn a_frame_may_be_too_long_or_end_early() {
        let mut wire: &[u8] = &(MAX_LENGTH + 1).to_be_bytes();
        assert_eq!(read(&mut wire).await.unwrap(), Received::TooLong);
        for mut wire in [&b"\0\0"[..], b"\0\0\0\x03{}"] {
            let error = read(&mut wire).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        }
    }
}
