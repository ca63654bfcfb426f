//! `modern.md` §10.1: which request state opens, for whom and how long. Whole requests, attacked as
//! a client could.

use std::{
    io::Write as _,
    time::{Duration, SystemTime},
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use relay_core::{Clock, KeyRing, Principal, Server};
use serde_json::{Value, json};

use super::{
    asking::{Desk, Dialogue, accept, asked, booking, keys, server, state, text},
    events::Events,
    requests::code,
};

/// Sends the state of a dialogue's first answer with an answer to its question, changed.
async fn replayed(dialogue: &mut Dialogue, state: &Value) -> Value {
    let seat = json!({ "seat": accept(&json!({ "row": 3 })) });
    dialogue
        .with(json!({ "inputResponses": seat, "requestState": state }))
        .await
}

/// The one answer to state that does not open; it says nothing of why, and nothing ran (RS-08).
async fn assert_refused(dialogue: &mut Dialogue, state: &Value, why: &str) {
    let runs = dialogue.desk.runs();
    let mut answer = replayed(dialogue, state).await;
    answer.as_object_mut().expect("an object").remove("id");
    let refusal = r#"{"error":{"code":-32602,"message":"the request state is not one of this request, or has expired"},"jsonrpc":"2.0"}"#;
    assert_eq!(answer.to_string(), refusal, "{why}");
    assert_eq!(dialogue.desk.runs(), runs, "{why}: the handler did not run");
}

async fn assert_opens(dialogue: &mut Dialogue, state: &str) {
    assert_eq!(asked(&replayed(dialogue, &json!(state)).await), ["meal"]);
}

async fn minted(dialogue: &mut Dialogue) -> String {
    state(&dialogue.begin().await).to_owned()
}

// RS-01, RS-02, RS-08, M01
#[tokio::test]
async fn any_change_to_the_state_is_refused() {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut dialogue = Dialogue::book();
    let good = minted(&mut dialogue).await;
    for at in 0..good.len() {
        let digit = ALPHABET.iter().position(|&b| b == good.as_bytes()[at]);
        for bit in [1, 2, 4, 8, 16, 32] {
            let mut altered = good.clone().into_bytes();
            altered[at] = ALPHABET[digit.expect("a digit") ^ bit];
            let altered = String::from_utf8(altered).expect("ASCII");
            assert_refused(&mut dialogue, &json!(altered), "flipped").await;
        }
        let mut shorter = good.clone();
        shorter.remove(at);
        assert_refused(&mut dialogue, &json!(shorter), "one lost").await;
        assert_refused(&mut dialogue, &json!(good.get(..at)), "cut").await;
        assert_refused(&mut dialogue, &json!(good.get(at + 1..)), "beheaded").await;
    }
    assert_opens(&mut dialogue, &good).await;
}

// RS-02, M01
#[tokio::test]
async fn states_cannot_be_spliced() {
    let mut dialogue = Dialogue::book();
    let one = minted(&mut dialogue).await;
    let two = minted(&mut dialogue).await;
    assert_ne!(one, two);
    assert_eq!(one.len(), two.len());
    for at in (1..one.len()).step_by(3) {
        for (head, tail) in [(&one, &two), (&two, &one)] {
            let spliced: String = head.chars().take(at).chain(tail.chars().skip(at)).collect();
            if spliced != one && spliced != two {
                assert_refused(&mut dialogue, &json!(spliced), "spliced").await;
            }
        }
    }
}

// RS-02, RS-07, RS-08, M01
#[tokio::test]
async fn what_is_no_state_is_refused() {
    let mut dialogue = Dialogue::book();
    let good = minted(&mut dialogue).await;
    for odd in [
        json!(""),
        json!(" "),
        json!("null"),
        json!(format!("{good}-TAMPERED")),
        json!(format!("{good}=")),
        json!(format!("{good} ")),
        json!(format!(" {good}")),
        json!(format!("{good}{good}")),
        json!(good.to_lowercase()),
        json!(URL_SAFE_NO_PAD.encode("{}")),
        json!("ü".repeat(40)),
        json!("A".repeat(64 * 1024)),
        json!("A".repeat(1024 * 1024)),
        json!(null),
        json!(7),
        json!(true),
        json!([good]),
        json!({ "state": good }),
    ] {
        assert_refused(&mut dialogue, &odd, "odd").await;
    }
    assert_opens(&mut dialogue, &good).await;
}

// RS-05, M01
#[tokio::test]
async fn state_is_good_for_one_request_only() {
    let good = minted(&mut Dialogue::book()).await;
    let good = json!(good);
    let named = |name: &str, arguments: Value| json!({ "name": name, "arguments": arguments });
    for (method, params) in [
        (
            "tools/call",
            named("rebook", booking()["arguments"].clone()),
        ),
        ("tools/call", named("confirm", json!({}))),
        (
            "tools/call",
            named("book", json!({ "flight": "LH 401", "bags": 2 })),
        ),
        (
            "tools/call",
            named("book", json!({ "flight": "LH 400", "bags": 3 })),
        ),
        ("tools/call", named("book", json!({ "flight": "LH 400" }))),
        (
            "tools/call",
            named("book", json!({ "flight": "LH 400", "bags": null })),
        ),
        ("prompts/get", named("letter", json!({ "to": "book" }))),
        ("resources/read", json!({ "uri": "diary://book" })),
    ] {
        let mut other = Dialogue::new(method, params.clone());
        assert_refused(&mut other, &good, &params.to_string()).await;
    }
    // Prompts and resources likewise.
    let mut letter = Dialogue::new("prompts/get", named("letter", json!({ "to": "Ada" })));
    let good = json!(minted(&mut letter).await);
    let mut other = Dialogue::new("prompts/get", named("letter", json!({ "to": "Bob" })));
    assert_refused(&mut other, &good, "another argument").await;
    let mut diary = Dialogue::new("resources/read", json!({ "uri": "diary://monday" }));
    let good = json!(minted(&mut diary).await);
    let mut other = Dialogue::new("resources/read", json!({ "uri": "diary://tuesday" }));
    assert_refused(&mut other, &good, "another URI").await;
    let mut other = Dialogue::call("confirm");
    assert_refused(&mut other, &good, "another method").await;
}

// M01: a method that has no state ignores one, as any member that it does not know.
#[tokio::test]
async fn state_means_nothing_to_other_methods() {
    let good = minted(&mut Dialogue::book()).await;
    for state in [json!(good), json!("bogus"), json!(7)] {
        let mut list = Dialogue::new("tools/list", json!({ "requestState": state }));
        assert!(list.begin().await["result"]["tools"].is_array());
    }
}

// RS-05
#[tokio::test]
async fn the_same_arguments_written_otherwise_open_it() {
    let mut dialogue = Dialogue::book();
    let good = minted(&mut dialogue).await;
    let seat = json!({ "seat": accept(&json!({ "row": 3 })) });
    let params = json!({ "name": "book", "inputResponses": seat, "requestState": good,
        "_meta": { "io.modelcontextprotocol/clientCapabilities": super::asking::able() } });
    let request = dialogue.wire.request("tools/call", &params).to_string();
    for arguments in [
        r#"{"flight":"LH 400","bags":2}"#,
        r#"{"bags":2,"flight":"LH 400"}"#,
        r#"{ "bags" : 2.0 ,
             "flight" : "LH 400" }"#,
        r#"{"\u0062ags":2e0,"flight":"\u004cH 400"}"#,
    ] {
        let frame = request.replacen(
            r#""params":{"#,
            &format!(r#""params":{{"arguments":{arguments},"#),
            1,
        );
        let frame = frame.replace('\n', " ");
        let answer = dialogue.wire.one(frame).await;
        assert_eq!(asked(&answer), ["meal"], "{arguments}");
    }
}

// RS-03, AUTH-19, ELIC-12, M01
#[tokio::test]
async fn state_is_good_for_one_principal_only() {
    let ada = || Principal::new("https://id.example", "ada").with_client("desktop");
    let dialogue = |principal: Option<Principal>| {
        let mut dialogue = Dialogue::book();
        if let Some(principal) = principal {
            dialogue.wire = dialogue.wire.with_principal(principal);
        }
        dialogue
    };
    let good = minted(&mut dialogue(Some(ada()))).await;
    let anonymous = minted(&mut dialogue(None)).await;
    for other in [
        None,
        Some(Principal::new("https://id.example", "ada")),
        Some(ada().with_client("phone")),
        Some(Principal::new("https://id.example", "bob").with_client("desktop")),
        Some(Principal::new("https://other.example", "ada").with_client("desktop")),
    ] {
        let why = format!("{other:?}");
        assert_refused(&mut dialogue(other), &json!(good), &why).await;
    }
    assert_refused(&mut dialogue(Some(ada())), &json!(anonymous), "anonymous").await;
    // Who renews a token goes on.
    let renewed = ada()
        .with_scopes(["new"])
        .with_expiry(SystemTime::UNIX_EPOCH);
    assert_opens(&mut dialogue(Some(renewed)), &good).await;
    // What a client says of itself proves nothing.
    let mut claims = Dialogue::book();
    let meta = json!({ "io.modelcontextprotocol/clientInfo": { "name": "ada", "version": "1" },
        "principal": "ada",
        "io.modelcontextprotocol/clientCapabilities": super::asking::able() });
    let seat = json!({ "seat": accept(&json!({ "row": 3 })) });
    let forged = json!({ "inputResponses": seat, "requestState": good, "_meta": meta });
    assert_eq!(code(&claims.with(forged).await), -32602);
}

// RS-11, RS-09
#[tokio::test]
async fn state_is_good_at_one_server_only() {
    let good = minted(&mut Dialogue::book()).await;
    for (stranger, why) in [
        (server().with_audience("elsewhere"), "audience"),
        (server().with_info("elsewhere", "1"), "name"),
        (server().with_keys(KeyRing::random()), "keys"),
        (
            server().with_keys(KeyRing::new(&[8; 32]).expect("a key")),
            "other keys",
        ),
    ] {
        let mut stranger = Dialogue::on(stranger, "tools/call", booking());
        assert_refused(&mut stranger, &json!(good), why).await;
    }
    let next_version = server().with_info("asking", "2");
    let mut next_version = Dialogue::on(next_version, "tools/call", booking());
    assert_opens(&mut next_version, &good).await;
}

// RS-09
#[tokio::test]
async fn keys_are_rotated_without_a_failed_round() {
    let (old, new) = ([7; 32], [9; 32]);
    let ring = |sealing: &[u8; 32], opening: &[&[u8; 32]]| {
        let ring = KeyRing::new(sealing).expect("a key");
        opening
            .iter()
            .fold(ring, |ring, key| ring.with_opening(*key).expect("a key"))
    };
    let steps = [
        ring(&old, &[]),
        ring(&old, &[&new]),
        ring(&new, &[&old]),
        ring(&new, &[]),
    ];
    let replica =
        |keys: &KeyRing| Dialogue::on(server().with_keys(keys.clone()), "tools/call", booking());
    // Two replicas are never more than one step apart; the last step waits until old state is.
    for pair in steps.windows(2).take(2) {
        for (one, two) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let good = minted(&mut replica(&pair[one])).await;
            assert_opens(&mut replica(&pair[two]), &good).await;
        }
    }
    let good = minted(&mut replica(&steps[2])).await;
    assert_opens(&mut replica(&steps[3]), &good).await;
    let late = minted(&mut replica(&steps[0])).await;
    assert_refused(&mut replica(&steps[3]), &json!(late), "the old key").await;
}

// RS-04, RS-13
#[tokio::test]
async fn state_opens_for_ten_minutes() {
    let noon = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    let second = Duration::from_secs(1);
    let hands = Clock::manual(noon);
    let server = server().with_clock(&hands);
    let mut dialogue = Dialogue::on(server, "tools/call", booking());
    let good = minted(&mut dialogue).await;
    for time in [noon, noon + minutes(10) - second, noon - minutes(1)] {
        hands.set(time);
        assert_opens(&mut dialogue, &good).await;
    }
    for time in [
        noon + minutes(10),
        noon + minutes(10_000),
        noon - minutes(1) - second,
        SystemTime::UNIX_EPOCH,
    ] {
        hands.set(time);
        assert_refused(&mut dialogue, &json!(good), "not now").await;
    }
    // Each round has its own ten minutes.
    hands.set(noon + minutes(9));
    let second_round = replayed(&mut dialogue, &json!(good)).await;
    hands.set(noon + minutes(18));
    let meal = json!({ "meal": accept(&json!({ "meal": "veg" })) });
    let done = dialogue.go_on(&second_round, meal).await;
    assert_eq!(text(&done), "LH 400: hold 0, row 3, veg");
}

// RS-12
#[tokio::test]
async fn state_has_a_size_that_it_may_not_exceed() {
    let log = Events::capture();
    let answer = Dialogue::call("large").begin().await;
    assert_eq!(code(&answer), -32603, "80,000 characters as sent");
    let lines = log.take();
    assert!(
        lines.len() == 1 && lines[0].contains("large") && lines[0].contains("65536"),
        "{lines:?}"
    );
}

// RS-08
#[tokio::test]
async fn the_log_says_that_state_was_refused_and_the_client_hears_no_reason() {
    let mut answers = Vec::new();
    let mut dialogue = Dialogue::book();
    let good = minted(&mut dialogue).await;
    let mut stranger = Dialogue::on(server().with_audience("elsewhere"), "tools/call", booking());
    for (dialogue, state) in [
        (&mut dialogue, json!("bogus")),
        (&mut stranger, json!(good)),
    ] {
        let mut answer = replayed(dialogue, &state).await;
        answer.as_object_mut().expect("an object").remove("id");
        answers.push(answer.to_string());
    }
    assert_eq!(answers[0], answers[1]);
}

// RS-01: nothing of a dialogue can be read by who carries it.
#[tokio::test]
async fn what_the_state_holds_cannot_be_read() {
    let mut dialogue = Dialogue::call("trip");
    let mut answer = dialogue.begin().await;
    let mut sizes = vec![state(&answer).len()];
    for given in [
        json!({ "seat": accept(&json!({ "row": 3 })) }),
        json!({ "meal": accept(&json!({ "meal": "veg" })) }),
    ] {
        answer = dialogue.go_on(&answer, given).await;
        sizes.push(state(&answer).len());
    }
    let bytes = URL_SAFE_NO_PAD.decode(state(&answer)).expect("base64");
    let sealed = String::from_utf8_lossy(&bytes);
    for private in ["seat", "meal", "veg", "hold", "trip", "accept", "asking"] {
        assert!(!sealed.contains(private), "{private}");
    }
    // A figure for whoever reads the log; what it may be is bounded elsewhere (RS-12).
    writeln!(
        std::io::stderr(),
        "state of a dialogue of three questions: {sizes:?} bytes"
    )
    .expect("an open stream");
    let done = dialogue
        .go_on(&answer, json!({ "sure": accept(&json!({})) }))
        .await;
    assert_eq!(text(&done), "hold 0, row 3, veg");
}

/// Kept so that the servers above differ in what they say they do, and in nothing else.
#[tokio::test]
async fn the_same_server_twice_is_the_same_server() {
    let same: Server<Desk> = server().with_keys(keys());
    let good = minted(&mut Dialogue::book()).await;
    assert_opens(&mut Dialogue::on(same, "tools/call", booking()), &good).await;
}
