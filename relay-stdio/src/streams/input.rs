use std::{
    io::{self, Read},
    pin::Pin,
    task::{Context, Poll, ready},
    thread,
};

use bytes::Bytes;
use tokio::{
    io::{AsyncRead, ReadBuf},
    sync::mpsc,
};

/// How much is read at a time, in bytes.
const CHUNK: usize = 64 * 1024;

/// How many chunks may wait to be taken; then the thread stops reading, and the peer waits.
const AHEAD: usize = 1;

/// A blocking source, read on a thread of its own.
///
/// The thread ends with the source, with its first error, or with the first bytes that come after
/// the input was dropped; it holds up nothing.
#[derive(Debug)]
pub(crate) struct Input {
    chunks: mpsc::Receiver<io::Result<Bytes>>,
    current: Bytes,
}

impl Input {
    pub(crate) fn spawn(source: impl Read + Send + 'static) -> io::Result<Self> {
        let (sender, chunks) = mpsc::channel(AHEAD);
        thread::Builder::new()
            .name("relay-stdin".to_owned())
            .spawn(move || forward(source, &sender))?;
        Ok(Self {
            chunks,
            current: Bytes::new(),
        })
    }
}

impl AsyncRead for Input {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.current.is_empty() {
            match ready!(this.chunks.poll_recv(context)) {
                Some(chunk) => this.current = chunk?,
                None => return Poll::Ready(Ok(())),
            }
        }
        let length = this.current.len().min(buffer.remaining());
        buffer.put_slice(&this.current.split_to(length));
        Poll::Ready(Ok(()))
    }
}

fn forward(mut source: impl Read, chunks: &mpsc::Sender<io::Result<Bytes>>) {
    let mut buffer = vec![0; CHUNK];
    loop {
        let chunk = match source.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => Ok(buffer
                .get(..length)
                .map(Bytes::copy_from_slice)
                .unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let failed = chunk.is_err();
        if chunks.blocking_send(chunk).is_err() || failed {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs::File, io::Write as _};

    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[tokio::test]
    async fn the_source_comes_through_to_its_end() {
        let sent: Vec<u8> = (0..=u8::MAX).cycle().take(5 * CHUNK + 7).collect();
        let mut input = Input::spawn(io::Cursor::new(sent.clone())).unwrap();
        let mut received = Vec::new();
        input.read_to_end(&mut received).await.unwrap();
        assert!(received == sent);
        assert_eq!(input.read(&mut [0; 8]).await.unwrap(), 0);
    }

    // S08
    #[cfg(unix)]
    #[tokio::test]
    async fn an_error_is_told_apart_from_the_end() {
        let mut input = Input::spawn(File::open("/").unwrap()).unwrap();
        let error = input.read(&mut [0; 8]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
    }

    // STDIO-11: a peer that is not listened to has to wait
    #[tokio::test]
    async fn no_more_is_read_than_a_few_chunks_ahead() {
        let (reader, mut writer) = io::pipe().unwrap();
        let (report, mut reads) = mpsc::unbounded_channel();
        let counting = Counting {
            source: reader,
            report,
        };
        let input = Input::spawn(counting).unwrap();
        let writing = thread::spawn(move || writer.write_all(&vec![1; 64 * CHUNK]));
        let mut total = 0;
        // One chunk waits in the channel; with the second read the thread waits to hand it over.
        for _ in 0..=AHEAD {
            total += reads.recv().await.unwrap();
        }
        assert!(total <= (AHEAD + 1) * CHUNK);
        assert!(!writing.is_finished());
        assert!(reads.try_recv().is_err());
        drop(input);
        assert!(writing.join().unwrap().is_err());
    }

    struct Counting {
        source: io::PipeReader,
        report: mpsc::UnboundedSender<usize>,
    }

    impl Read for Counting {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.source.read(buffer)?;
            self.report.send(length).map_err(io::Error::other)?;
            Ok(length)
        }
    }
}
