use std::{
    io::{self, Write},
    mem,
    pin::Pin,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker, ready},
    thread,
};

use tokio::io::AsyncWrite;

/// How much may wait to be written, in bytes; then the writer waits.
const CAPACITY: usize = 256 * 1024;

/// A blocking sink, written on a thread of its own.
///
/// What gathers while the thread writes goes out in its next write. A flush ends when the sink has
/// taken everything. Dropping the output lets the thread write what is left, for as long as the
/// process lives.
#[derive(Debug)]
pub(crate) struct Output {
    shared: Arc<Shared>,
}

impl Output {
    pub(crate) fn spawn(sink: impl Write + Send + 'static) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let output = Self {
            shared: Arc::clone(&shared),
        };
        thread::Builder::new()
            .name("relay-stdout".to_owned())
            .spawn(move || shared.write_to(sink))?;
        Ok(output)
    }
}

impl AsyncWrite for Output {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut state = self.shared.lock();
        state.check()?;
        let room = CAPACITY - state.waiting.len();
        let taken = bytes.get(..room).unwrap_or(bytes);
        if taken.is_empty() && !bytes.is_empty() {
            return state.wait(context);
        }
        state.waiting.extend_from_slice(taken);
        self.shared.changed.notify_one();
        Poll::Ready(Ok(taken.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.shared.lock();
        state.check()?;
        if state.writing || !state.waiting.is_empty() {
            return state.wait(context);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.as_mut().poll_flush(context))?;
        self.shared.close();
        Poll::Ready(Ok(()))
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.shared.close();
    }
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<u8>,
    writing: bool,
    closed: bool,
    failure: Option<io::Error>,
    waker: Option<Waker>,
}

impl State {
    fn check(&self) -> io::Result<()> {
        match &self.failure {
            None => Ok(()),
            Some(error) => Err(error
                .raw_os_error()
                .map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)),
        }
    }

    fn wait<T>(&mut self, context: &Context<'_>) -> Poll<T> {
        self.waker = Some(context.waker().clone());
        Poll::Pending
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }

    /// The thread: writes until the output is closed and nothing waits, or a write fails.
    fn write_to(&self, mut sink: impl Write) {
        let mut batch = Vec::new();
        while self.take(&mut batch) {
            let written = sink.write_all(&batch).and_then(|()| sink.flush());
            batch.clear();
            let mut state = self.lock();
            state.writing = false;
            state.failure = written.err();
            state.wake();
            if state.failure.is_some() {
                return;
            }
        }
    }

    /// Waits for something to write, and whether there is.
    fn take(&self, batch: &mut Vec<u8>) -> bool {
        let idle = |state: &mut State| state.waiting.is_empty() && !state.closed;
        let mut state = self
            .changed
            .wait_while(self.lock(), idle)
            .unwrap_or_else(PoisonError::into_inner);
        mem::swap(&mut state.waiting, batch);
        state.writing = !batch.is_empty();
        state.wake();
        state.writing
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, pipe},
        sync::mpsc,
    };

    use tokio::io::AsyncWriteExt as _;

    use super::*;

    #[tokio::test]
    async fn what_is_written_comes_out_in_order_and_then_ends() {
        let sent: Vec<u8> = (0..=u8::MAX).cycle().take(3 * CAPACITY + 11).collect();
        let (mut reader, writer) = pipe().unwrap();
        let reading = thread::spawn(move || {
            let mut received = Vec::new();
            reader.read_to_end(&mut received).map(|_| received)
        });
        let mut output = Output::spawn(writer).unwrap();
        for piece in sent.chunks(1_000) {
            output.write_all(piece).await.unwrap();
        }
        output.shutdown().await.unwrap();
        assert!(reading.join().unwrap().unwrap() == sent);
    }

    // STDIO-09
    #[tokio::test]
    async fn a_peer_that_stopped_reading_is_a_broken_pipe() {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let mut output = Output::spawn(writer).unwrap();
        output.write_all(b"{}\n").await.unwrap();
        assert_eq!(
            output.flush().await.unwrap_err().kind(),
            io::ErrorKind::BrokenPipe
        );
        assert_eq!(
            output.write(b"{}\n").await.unwrap_err().kind(),
            io::ErrorKind::BrokenPipe
        );
    }

    #[tokio::test]
    async fn what_gathers_during_a_write_is_one_write() {
        let (started, starts) = mpsc::channel();
        let (go, gate) = mpsc::channel();
        let mut output = Output::spawn(Gated { started, gate }).unwrap();
        output.write_all(b"1").await.unwrap();
        assert_eq!(starts.recv().unwrap(), b"1");
        output.write_all(b"2").await.unwrap();
        output.write_all(b"3").await.unwrap();
        go.send(()).unwrap();
        assert_eq!(starts.recv().unwrap(), b"23");
        go.send(()).unwrap();
        output.flush().await.unwrap();
    }

    // The peer doesn't read: no more is taken than the capacity
    #[tokio::test]
    async fn a_stalled_sink_makes_the_writer_wait() {
        let (started, starts) = mpsc::channel();
        let (go, gate) = mpsc::channel();
        let mut output = Output::spawn(Gated { started, gate }).unwrap();
        output.write_all(b"1").await.unwrap();
        starts.recv().unwrap();
        let sent = vec![2; CAPACITY + 1];
        let taken = output.write(&sent).await.unwrap();
        assert_eq!(taken, CAPACITY);
        let mut rest = poll_write(&mut output, &sent[taken..]);
        assert!(rest.is_pending());
        go.send(()).unwrap();
        starts.recv().unwrap();
        rest = poll_write(&mut output, &sent[taken..]);
        assert!(matches!(rest, Poll::Ready(Ok(1))));
        drop(go);
    }

    fn poll_write(output: &mut Output, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(output).poll_write(&mut Context::from_waker(Waker::noop()), bytes)
    }

    /// Tells of each write, and ends it when it is let go.
    struct Gated {
        started: mpsc::Sender<Vec<u8>>,
        gate: mpsc::Receiver<()>,
    }

    impl Write for Gated {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.started
                .send(bytes.to_vec())
                .map_err(io::Error::other)?;
            self.gate.recv().map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
}
