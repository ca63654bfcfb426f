//! What a call allocates between its frame and its answer's.
//!
//! A process of its own: every allocation in it counts.

#![cfg(test)]

use std::alloc::System;

use bytes::Bytes;
use relay_core::{Peer, Server, codec, content, tool};
use relay_runtime::Runtime;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// How many allocations an echo may take, growing ones counted each time they move.
const GOAL: usize = 12;

const CALLS: usize = 1000;

const FRAME: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","#,
    r#""arguments":{"text":"thirty characters of some text"},"_meta":{"#,
    r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
    r#""io.modelcontextprotocol/clientCapabilities":{},"#,
    r#""io.modelcontextprotocol/clientInfo":{"name":"client","version":"1.0.0"}}}}"#,
);

fn runtime() -> Runtime<()> {
    let echo = tool::define(
        "echo",
        codec::object(codec::field("text", codec::string())),
        tool::content(),
    )
    .handle(|text| async move { Ok(vec![content::text(text)]) });
    Runtime::new(Server::new([echo]))
}

async fn answer(runtime: &Runtime<()>, peer: &Peer<()>) -> Bytes {
    let frame = Bytes::from_static(FRAME.as_bytes());
    let mut exchange = runtime.exchange(frame, peer.clone());
    exchange.next().await.expect("an answer").into()
}

#[tokio::test(flavor = "current_thread")]
async fn an_echo_allocates_little() {
    let (runtime, peer) = (runtime(), Peer::new(()));
    // What is made once only is made.
    let first = answer(&runtime, &peer).await;
    assert!(String::from_utf8_lossy(&first).contains("thirty characters of some text"));

    let region = Region::new(ALLOCATOR);
    for _ in 0..CALLS {
        assert_eq!(answer(&runtime, &peer).await.len(), first.len());
    }
    let change = region.change();
    let count = change.allocations + change.reallocations;
    let (each, bytes) = (count.div_ceil(CALLS), change.bytes_allocated / CALLS);
    println!("{each} allocations for each echo, of {bytes} bytes");
    assert!(each <= GOAL, "{each} allocations for each echo");
}
