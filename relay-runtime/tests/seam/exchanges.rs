use relay_core::protocol::jsonrpc::ErrorCode;
use serde_json::json;

use crate::{
    support::{all, call, code, peer, read, request, runtime, text},
    tools::{quick, slow},
};

// JR-02, JR-08
#[tokio::test]
async fn a_request_gets_one_answer_and_a_notification_none() {
    let runtime = runtime([quick()]);
    let frames = all(runtime.exchange(call("a", "quick"), peer())).await;
    assert_eq!(frames.len(), 1);
    assert_eq!(frames[0]["id"], "a");
    assert_eq!(text(&frames[0]), "done");

    let notified = br#"{"jsonrpc":"2.0","method":"tools/call"}"#;
    assert!(
        all(runtime.exchange(notified.as_slice().into(), peer()))
            .await
            .is_empty()
    );
}

// JR-12
#[tokio::test(start_paused = true)]
async fn two_exchanges_may_use_one_id() {
    let runtime = runtime([quick(), slow("slow", 50)]);
    let (slow, quick) = tokio::join!(
        all(runtime.exchange(call(1, "slow"), peer())),
        all(runtime.exchange(call(1, "quick"), peer())),
    );
    assert_eq!((text(&slow[0]), text(&quick[0])), ("slept", "done"));
}

#[tokio::test]
async fn an_error_names_its_code() {
    let runtime = runtime([quick()]);
    let mut exchange = runtime.exchange(request(1, "tools/nope", json!({})), peer());
    let answer = exchange.next().await.unwrap();
    assert!(answer.is_answer());
    assert_eq!(answer.error(), Some(ErrorCode::METHOD_NOT_FOUND));
    assert_eq!(code(&read(&answer)), -32601);
    assert!(exchange.next().await.is_none());
}
