//! What holds for any stream of bytes, however it is cut; in process.

use std::{
    collections::{HashMap, VecDeque},
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use proptest::{collection::vec, prelude::*, sample::Index};
use relay_core::protocol::jsonrpc::{self, Id, Message};
use relay_runtime::{Limits, Runtime};
use relay_stdio::Stdio;
use relay_tests::fixture::{self, Guest};
use serde_json::{json, value::RawValue};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, ReadBuf, duplex},
    runtime::Builder,
    time::timeout,
};

use super::requests::{call, cancel, initialize, legacy, ping, request};

/// The longest line that these servers read.
const LIMIT: usize = 1024;

/// A stream that comes in these pieces, each after a pause.
struct Pieces {
    pieces: VecDeque<Vec<u8>>,
    paused: bool,
}

impl AsyncRead for Pieces {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.paused = !self.paused;
        if self.paused {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if let Some(mut piece) = self.pieces.pop_front() {
            let rest = piece.split_off(piece.len().min(buffer.remaining()));
            buffer.put_slice(&piece);
            if !rest.is_empty() {
                self.pieces.push_front(rest);
            }
        }
        Poll::Ready(Ok(()))
    }
}

/// The stream cut at these places; an empty piece would be its end.
fn cut(stream: &[u8], cuts: &[Index]) -> VecDeque<Vec<u8>> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
    cuts.extend([0, stream.len()]);
    cuts.sort_unstable();
    cuts.dedup();
    cuts.windows(2)
        .map(|cut| stream[cut[0]..cut[1]].to_vec())
        .collect()
}

/// One message, its members as they came.
type Said = HashMap<String, Box<RawValue>>;

/// All that a server says to a stream, once it has ended by itself.
fn serve(pieces: VecDeque<Vec<u8>>, limits: Limits) -> Vec<Said> {
    let executor = Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build();
    executor.unwrap().block_on(async {
        let runtime = Runtime::new(fixture::server()).with_limits(limits);
        let reader = Pieces {
            pieces,
            paused: false,
        };
        let mut output = Vec::new();
        let served = Stdio::new()
            .with_line_limit(LIMIT)
            .serve_streams(runtime.clone(), Guest::admin(), reader, &mut output)
            .await;
        served.unwrap();
        timeout(Duration::from_secs(3600), runtime.idle())
            .await
            .unwrap();
        let lines = output.split_inclusive(|byte| *byte == b'\n');
        lines
            .map(|line| {
                assert_eq!(line.last(), Some(&b'\n'));
                serde_json::from_slice(line).unwrap()
            })
            .collect()
    })
}

/// How many answers a stream must get, by the id as it is echoed (empty where there is none).
#[derive(Debug, Default)]
struct Owed {
    answers: HashMap<String, usize>,
    /// What was cancelled may have been answered before.
    cancelled: Vec<String>,
}

impl Owed {
    /// Framing as one would write it with the whole stream in hand, and what each line asks.
    fn of(stream: &[u8]) -> Self {
        let mut owed = Self::default();
        for line in stream.split(|byte| *byte == b'\n') {
            if line.len() > LIMIT {
                owed.one("");
                continue;
            }
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
            if line.iter().any(|byte| !b" \t\r".contains(byte)) {
                owed.line(line);
            }
        }
        owed
    }

    fn line(&mut self, line: &[u8]) {
        match jsonrpc::parse(line) {
            Ok(Message::Request(request)) => self.one(request.id.as_json()),
            Ok(Message::Notification(notification)) => {
                if notification.method == "notifications/cancelled"
                    && let Some(id) = notification.params.request_id.value()
                {
                    self.cancelled.push(id.as_json().to_owned());
                }
            }
            // No stream here gets as far as a revision with batches.
            Ok(Message::Batch(_)) => self.one(""),
            Err(malformed) if !malformed.notification => {
                self.one(malformed.id.as_ref().map_or("", Id::as_json));
            }
            _ => {}
        }
    }

    fn one(&mut self, id: &str) {
        *self.answers.entry(id.to_owned()).or_default() += 1;
    }

    /// Exactly once each, where nobody cancelled it.
    fn judge(mut self, messages: &[Said]) -> Result<(), TestCaseError> {
        let mut left = std::mem::take(&mut self.answers);
        for message in messages
            .iter()
            .filter(|message| !message.contains_key("method"))
        {
            let id = message.get("id").map_or("", |id| id.get());
            let owed = left.get_mut(id).filter(|owed| **owed > 0);
            let Some(owed) = owed else {
                return Err(TestCaseError::fail(format!(
                    "answered once too often: {message:?}"
                )));
            };
            *owed -= 1;
        }
        left.retain(|id, owed| *owed > 0 && !self.cancelled.contains(id));
        prop_assert!(left.is_empty(), "not answered: {left:?}");
        Ok(())
    }
}

/// Lines that mean something, with few ids, so that they meet.
fn valid() -> impl Strategy<Value = Vec<u8>> {
    let id = 0_u32..6;
    prop_oneof![
        id.clone().prop_map(ping),
        id.clone()
            .prop_map(|id| call(id, "echo", json!({ "text": "\u{8bfb}\u{1f389}" }))),
        id.clone()
            .prop_map(|id| call(id, "echo", json!({ "text": 7 }))),
        (id.clone(), 0_u32..400).prop_map(|(id, ms)| call(id, "sleep", json!({ "ms": ms }))),
        id.clone().prop_map(|id| call(id, "boom", json!({}))),
        id.clone().prop_map(|id| call(id, "nothing", json!({}))),
        id.clone()
            .prop_map(|id| call(id.to_string(), "noargs", json!({}))),
        id.clone()
            .prop_map(|id| request(id, "no/such/method", json!({}))),
        id.clone()
            .prop_map(|id| legacy(id, "tools/list", json!({}))),
        id.prop_map(cancel),
        Just(initialize(relay_core::Revision::V2025_11_25)),
        Just(String::new()),
    ]
    .prop_map(String::into_bytes)
}

/// A line with some of its bytes changed, dropped or doubled.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let change = (any::<Index>(), 0_u8..4, any::<u8>());
    (valid(), vec(change, 1..4)).prop_map(|(mut line, changes)| {
        for (at, kind, byte) in changes {
            let at = at.index(line.len() + 1);
            match kind {
                0 => line.insert(at, byte),
                1 => line.truncate(at),
                _ if at == line.len() => {}
                2 => line[at] = byte,
                _ => drop(line.remove(at)),
            }
        }
        line
    })
}

fn streams() -> impl Strategy<Value = Vec<u8>> {
    let long = (LIMIT - 2..LIMIT + 3).prop_map(|length| vec![b'x'; length]);
    let line = prop_oneof![
        6 => valid(),
        3 => mutated(),
        2 => vec(any::<u8>(), 0..40),
        1 => long,
    ];
    let end = prop_oneof![
        Just(&b"\n"[..]),
        Just(&b"\r\n"[..]),
        Just(&b"\n\xef\xbb\xbf"[..])
    ];
    vec((line, end), 0..24).prop_map(|lines| {
        let lines = lines
            .into_iter()
            .flat_map(|(line, end)| [line, end.to_vec()]);
        lines.collect::<Vec<_>>().concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    // STDIO-10, STDIO-11, STDIO-13, JR-13, S05, S09
    #[test]
    fn what_can_be_read_is_answered_exactly_once(
        stream in streams(),
        cuts in vec(any::<Index>(), 0..30),
        concurrency in 1_usize..4,
    ) {
        let limits = Limits::default().with_concurrency(concurrency);
        Owed::of(&stream).judge(&serve(cut(&stream, &cuts), limits))?;
    }

    // STDIO-10, S06
    #[test]
    fn any_bytes_at_all_are_survived(
        stream in vec(any::<u8>(), 0..4_096),
        cuts in vec(any::<Index>(), 0..8),
    ) {
        let alive = ping("alive");
        let stream = [&stream, &b"\n"[..], alive.as_bytes()].concat();
        let messages = serve(cut(&stream, &cuts), Limits::default());
        prop_assert_eq!(messages.last().unwrap()["id"].get(), "\"alive\"");
        Owed::of(&stream).judge(&messages)?;
    }
}

/// An input without an end, which counts what is taken of it.
struct Endless {
    message: Vec<u8>,
    taken: Arc<AtomicUsize>,
}

impl AsyncRead for Endless {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while buffer.remaining() >= self.message.len() {
            buffer.put_slice(&self.message);
            self.taken.fetch_add(self.message.len(), Ordering::Relaxed);
        }
        Poll::Ready(Ok(()))
    }
}

// STDIO-11, S12: a peer that sends and does not read
#[tokio::test(start_paused = true)]
async fn a_peer_that_does_not_read_is_not_read_from() {
    let taken = Arc::default();
    let reader = Endless {
        message: (call(1, "echo", json!({ "text": "x" })) + "\n").into_bytes(),
        taken: Arc::clone(&taken),
    };
    let (writer, mut peer) = duplex(4 * 1024);
    let stdio = Stdio::new();
    let served = stdio.serve_streams(fixture::server(), Guest::admin(), reader, writer);
    let bounded = async {
        // Time passes once nothing else can go on.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let taken = taken.load(Ordering::Relaxed);
        assert!(taken < 256 * 1024, "{taken} bytes were taken");
        // It goes on where the peer does.
        let mut some = vec![0; 1024 * 1024];
        peer.read_exact(&mut some).await.unwrap();
    };
    tokio::select! {
        served = served => panic!("{served:?}"),
        () = bounded => {}
    }
}
