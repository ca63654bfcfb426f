//! `modern.md` §10: handlers that ask, round by round.

use std::sync::atomic::Ordering;

use relay_core::{Call, Error, KeyRing, Reply, Server, codec, elicit, tool};
use relay_tests::wire::{LEGACY, Wire};
use serde_json::{Value, json};

use super::{
    asking::{Desk, Dialogue, accept, asked, booking, keys, server, state, text},
    events::Events,
    requests::code,
};

const BOOKED: &str = "LH 400: hold 0, row 3, veg";

fn row() -> Value {
    json!({ "seat": accept(&json!({ "row": 3 })) })
}

fn meal() -> Value {
    json!({ "meal": accept(&json!({ "meal": "veg" })) })
}

// MRTR-01, MRTR-03, MRTR-04, MRTR-08, MRTR-16, MRTR-17, CACHE-05, ELIC-01
#[tokio::test]
async fn a_handler_asks_one_thing_after_another_and_finishes() {
    let mut dialogue = Dialogue::book();
    let first = dialogue.begin().await;
    assert_eq!(asked(&first), ["seat"]);
    let members: Vec<_> = first["result"]
        .as_object()
        .expect("a result")
        .keys()
        .collect();
    assert_eq!(
        members,
        ["_meta", "inputRequests", "requestState", "resultType"]
    );
    assert_eq!(
        first["result"]["inputRequests"]["seat"],
        json!({
            "method": "elicitation/create",
            "params": {
                "mode": "form",
                "message": "Which row on LH 400?",
                "requestedSchema": {
                    "type": "object",
                    "properties": { "row": { "type": "integer", "minimum": 1, "maximum": 30 } },
                    "required": ["row"],
                },
            },
        })
    );
    let second = dialogue.go_on(&first, row()).await;
    assert_eq!(asked(&second), ["meal"]);
    let done = dialogue.go_on(&second, meal()).await;
    assert_eq!(text(&done), BOOKED);
    assert!(done["result"].get("requestState").is_none());
    // What stands before the questions ran in each round, what is done once in one.
    assert_eq!(dialogue.desk.runs(), 3);
    assert_eq!(dialogue.desk.holds(), 1);
}

// MRTR-16: as `docs/rounds.md` says.
#[tokio::test]
async fn a_round_sent_again_repeats_what_it_did() {
    let mut dialogue = Dialogue::book();
    let first = dialogue.begin().await;
    drop(dialogue.begin().await);
    assert_eq!(dialogue.desk.holds(), 2, "nothing was sealed yet");
    for _ in 0..3 {
        assert_eq!(asked(&dialogue.go_on(&first, row()).await), ["meal"]);
    }
    assert_eq!(dialogue.desk.holds(), 2, "what is sealed is not done again");
}

// MRTR-01, MRTR-08
#[tokio::test]
async fn prompts_and_resources_ask_as_well() {
    let arguments = json!({ "name": "letter", "arguments": { "to": "Ada" } });
    let mut letter = Dialogue::new("prompts/get", arguments);
    let first = letter.begin().await;
    assert_eq!(asked(&first), ["seat"]);
    let done = letter.go_on(&first, row()).await;
    let written = &done["result"]["messages"][0]["content"]["text"];
    assert_eq!(written, "Write to Ada in row 3.");

    let mut diary = Dialogue::new("resources/read", json!({ "uri": "diary://monday" }));
    let first = diary.begin().await;
    assert_eq!(asked(&first), ["sure"]);
    let done = diary
        .go_on(&first, json!({ "sure": accept(&json!({})) }))
        .await;
    assert_eq!(done["result"]["contents"][0]["text"], "On diary://monday.");
}

// CACHE-08
#[tokio::test]
async fn what_was_read_after_a_round_is_kept_by_nobody() {
    use relay_core::{Cache, Cacheable};
    let hour = Cache::public(std::time::Duration::from_secs(3600));
    let server = server().with_cache(Cacheable::ResourcesRead, hour);
    let mut diary = Dialogue::on(server, "resources/read", json!({ "uri": "diary://monday" }));
    let first = diary.begin().await;
    let yes = json!({ "sure": accept(&json!({})) });
    for done in [
        diary.go_on(&first, yes.clone()).await,
        diary.with(json!({ "inputResponses": yes })).await,
    ] {
        assert_eq!(done["result"]["ttlMs"], 0, "{done}");
        assert_eq!(done["result"]["cacheScope"], "private");
    }
}

// MRTR-02
#[tokio::test]
async fn completers_and_listers_cannot_ask() {
    let log = Events::capture();
    let reference = json!({ "type": "ref/prompt", "name": "completed" });
    let argument = json!({ "name": "row", "value": "" });
    for (method, params) in [
        (
            "completion/complete",
            json!({ "ref": reference, "argument": argument }),
        ),
        ("resources/list", json!({})),
    ] {
        let answer = Dialogue::new(method, params).begin().await;
        assert_eq!(code(&answer), -32603, "{answer}");
        assert_eq!(answer["error"]["message"], "internal error");
        let lines = log.take();
        assert!(
            lines[0].contains("completers and listers can't"),
            "{lines:?}"
        );
    }
}

// MRTR-05, MRTR-06, MRTR-07
#[tokio::test]
async fn what_a_client_cannot_be_asked_it_is_not_asked() {
    let form = json!({ "elicitation": { "form": {} } });
    let url = json!({ "elicitation": { "url": {} } });
    let sampling = json!({ "sampling": {} });
    let roots = json!({ "roots": {} });
    let cases = [
        ("confirm", json!({}), form.clone()),
        ("confirm", url.clone(), form.clone()),
        ("confirm", sampling.clone(), form.clone()),
        ("link", json!({}), url.clone()),
        ("link", form.clone(), url.clone()),
        ("link", json!({ "elicitation": {} }), url.clone()),
        ("capital", form.clone(), sampling.clone()),
        ("roots", sampling.clone(), roots.clone()),
    ];
    for (tool, declared, required) in cases {
        let mut dialogue = Dialogue::call(tool).able(&declared);
        let answer = dialogue.begin().await;
        assert_eq!(code(&answer), -32021, "{tool} {declared}");
        let data = &answer["error"]["data"];
        assert_eq!(*data, json!({ "requiredCapabilities": required }), "{tool}");
    }
    for (tool, declared) in [
        ("confirm", json!({ "elicitation": {} })),
        ("confirm", form),
        ("link", url),
        ("capital", sampling),
        ("roots", roots),
    ] {
        asked(&Dialogue::call(tool).able(&declared).begin().await);
    }
    // Of several, all that is missing is named.
    let some = json!({ "elicitation": {}, "roots": {} });
    let answer = Dialogue::call("everything").able(&some).begin().await;
    assert_eq!(
        answer["error"]["data"]["requiredCapabilities"],
        json!({ "elicitation": { "url": {} }, "sampling": {} })
    );
}

// MRTR-04, MRTR-08
#[tokio::test]
async fn several_things_are_asked_in_one_round() {
    let mut dialogue = Dialogue::call("everything");
    let first = dialogue.begin().await;
    assert_eq!(asked(&first), ["capital", "link", "roots", "seat"]);
    let answers = json!({
        "seat": accept(&json!({ "row": 3 })),
        "link": { "action": "accept" },
        "capital": { "role": "assistant", "model": "m", "content": { "type": "text", "text": "Paris" } },
        "roots": { "roots": [{ "uri": "file:///srv/ada" }] },
    });
    assert_eq!(text(&dialogue.go_on(&first, answers).await), "3 Paris 1");
}

// MRTR-09
#[tokio::test]
async fn what_was_not_answered_is_asked_again_and_the_rest_is_kept() {
    let mut dialogue = Dialogue::call("together");
    let first = dialogue.begin().await;
    assert_eq!(asked(&first), ["meal", "seat"]);
    for nothing in [json!({}), json!({ "wrong": accept(&json!({})) })] {
        let again = dialogue.go_on(&first, nothing).await;
        assert_eq!(asked(&again), ["meal", "seat"]);
    }
    let without = dialogue
        .with(json!({ "requestState": state(&first) }))
        .await;
    assert_eq!(asked(&without), ["meal", "seat"]);
    let second = dialogue.go_on(&first, row()).await;
    assert_eq!(asked(&second), ["meal"]);
    assert_eq!(text(&dialogue.go_on(&second, meal()).await), "row 3, veg");
}

// MRTR-10
#[tokio::test]
async fn answers_to_what_was_not_asked_are_ignored() {
    let mut dialogue = Dialogue::book();
    let first = dialogue.begin().await;
    let mut early = row();
    early["meal"] = json!("of another shape, and not looked at");
    early["more"] = json!(12345);
    let second = dialogue.go_on(&first, early).await;
    assert_eq!(asked(&second), ["meal"]);
    // A sealed answer wins over a new one.
    let mut late = meal();
    late["seat"] = accept(&json!({ "row": 30 }));
    assert_eq!(text(&dialogue.go_on(&second, late).await), BOOKED);
}

// MRTR-19
#[tokio::test]
async fn unsolicited_answers_count_where_just_those_are_asked() {
    let mut dialogue = Dialogue::book();
    let all = json!({
        "seat": accept(&json!({ "row": 3 })),
        "meal": accept(&json!({ "meal": "veg" })),
        "other": 7,
    });
    let done = dialogue.with(json!({ "inputResponses": all })).await;
    assert_eq!(text(&done), BOOKED);
    for useless in [
        json!({ "other": accept(&json!({})) }),
        json!({ "seat": 12345 }),
        json!({ "seat": accept(&json!({ "row": 99 })) }),
    ] {
        let answer = dialogue.with(json!({ "inputResponses": useless })).await;
        assert_eq!(asked(&answer), ["seat"], "{useless}");
    }
    // A tool that asks nothing does not care.
    let mut plain = Dialogue::on(plain(), "tools/call", json!({ "name": "plain" }));
    let answer = plain.with(json!({ "inputResponses": { "seat": 1 } })).await;
    assert_eq!(text(&answer), "plain");
}

fn plain() -> Server<Desk> {
    let plain = tool::define("plain", codec::object(()), codec::string());
    Server::new([plain.handle(|()| async { Ok("plain".to_owned()) })]).with_keys(keys())
}

// MRTR-11, JR-14
#[tokio::test]
async fn answers_of_another_shape_are_refused_before_the_handler_runs() {
    let mut dialogue = Dialogue::book();
    let first = dialogue.begin().await;
    for wrong in [json!(null), json!([]), json!(7), json!("x"), json!(true)] {
        let params = json!({ "inputResponses": wrong, "requestState": state(&first) });
        assert_eq!(code(&dialogue.with(params).await), -32602, "{wrong}");
        let params = json!({ "inputResponses": wrong });
        assert_eq!(code(&dialogue.with(params).await), -32602, "{wrong}");
    }
    for wrong in [
        json!(12345),
        json!(null),
        json!("accept"),
        json!({}),
        json!({ "action": "agree" }),
        json!({ "action": "accept", "content": [] }),
        json!({ "action": "accept", "content": { "row": { "deep": 1 } } }),
        json!({ "roots": [] }),
        json!({ "role": "assistant", "model": "m", "content": { "type": "text", "text": "3" } }),
    ] {
        let answer = dialogue.go_on(&first, json!({ "seat": wrong })).await;
        assert_eq!(code(&answer), -32602, "{wrong}");
        assert_eq!(
            answer["error"]["message"],
            "`inputResponses[\"seat\"]` is no answer to its question"
        );
    }
    assert_eq!(dialogue.desk.runs(), 1);
    // A key given twice is read by nobody.
    let frame = dialogue.wire.request("tools/call", &booking()).to_string();
    let twice = r#""inputResponses":{"seat":{"action":"decline"},"seat":{"action":"accept"}}"#;
    let frame = frame.replacen(r#""params":{"#, &format!(r#""params":{{{twice},"#), 1);
    assert_eq!(code(&dialogue.wire.one(frame).await), -32600);
    dialogue.wire.survives().await;
}

// MRTR-12, ST-05
#[tokio::test]
async fn any_replica_goes_on() {
    let mut one = Dialogue::book();
    let first = one.begin().await;
    let mut two = Dialogue::book();
    let second = two.go_on(&first, row()).await;
    let mut three = Dialogue::book();
    assert_eq!(text(&three.go_on(&second, meal()).await), BOOKED);
    let holds = [&one, &two, &three].map(|replica| replica.desk.holds());
    assert_eq!(holds, [1, 0, 0]);
    // Not one with other keys.
    let stranger = server().with_keys(KeyRing::random());
    let mut stranger = Dialogue::on(stranger, "tools/call", booking());
    assert_eq!(code(&stranger.go_on(&second, meal()).await), -32602);
}

// MRTR-13
#[tokio::test]
async fn a_client_that_never_comes_back_leaves_nothing_behind() {
    let mut dialogue = Dialogue::book();
    let desk = std::sync::Arc::downgrade(&dialogue.desk);
    for _ in 0..100 {
        asked(&dialogue.begin().await);
    }
    drop(dialogue);
    assert_eq!(desk.strong_count(), 0, "no run holds its context any more");
}

// MRTR-14, ELIC-10
#[tokio::test]
async fn to_decline_and_to_cancel_are_answers() {
    for (action, said) in [("accept", "yes"), ("decline", "no"), ("cancel", "neither")] {
        let mut dialogue = Dialogue::call("confirm");
        let first = dialogue.begin().await;
        let answer = dialogue
            .go_on(&first, json!({ "sure": { "action": action } }))
            .await;
        assert_eq!(text(&answer), said);
    }
    for (action, said) in [
        ("decline", "The user declined to answer."),
        ("cancel", "The user closed the question unanswered."),
    ] {
        let mut dialogue = Dialogue::call("insist");
        let first = dialogue.begin().await;
        let answer = dialogue
            .go_on(&first, json!({ "sure": { "action": action } }))
            .await;
        assert_eq!(text(&answer), said);
        assert_eq!(answer["result"]["isError"], true);
    }
}

// MRTR-15
#[tokio::test]
async fn a_request_has_eight_rounds() {
    let log = Events::capture();
    let mut dialogue = Dialogue::call("forever");
    let mut answer = dialogue.begin().await;
    for round in 0..7 {
        let key = format!("again {round}");
        assert_eq!(asked(&answer), [key.as_str()]);
        answer = dialogue
            .go_on(&answer, json!({ key: accept(&json!({})) }))
            .await;
    }
    assert_eq!(asked(&answer), ["again 7"]);
    assert_eq!(log.take(), Vec::<String>::new());
    let yes = json!({ "again 7": accept(&json!({})) });
    let last = dialogue.go_on(&answer, yes).await;
    assert_eq!(last["result"]["isError"], true);
    assert_eq!(
        text(&last),
        "This takes more rounds of questions than the server allows."
    );
    let lines = log.take();
    assert!(
        lines.len() == 1 && lines[0].contains("forever") && lines[0].contains("rounds=8"),
        "{lines:?}"
    );
    // Not to answer is a round as well.
    let mut letter = Dialogue::new(
        "prompts/get",
        json!({ "name": "letter", "arguments": { "to": "" } }),
    );
    let mut answer = letter.begin().await;
    for _ in 0..7 {
        answer = letter.go_on(&answer, json!({})).await;
    }
    assert_eq!(code(&letter.go_on(&answer, json!({})).await), -32603);
}

// MRTR-18
#[tokio::test]
async fn a_handler_can_ask_to_come_back_later() {
    let mut dialogue = Dialogue::call("later").able(&json!({}));
    let first = dialogue.begin().await;
    assert_eq!(asked(&first), [""; 0]);
    assert!(first["result"].get("inputRequests").is_none());
    let second = dialogue
        .with(json!({ "requestState": state(&first) }))
        .await;
    let again = dialogue
        .with(json!({ "requestState": state(&first) }))
        .await;
    assert_eq!(asked(&again), [""; 0]);
    let done = dialogue
        .with(json!({ "requestState": state(&second) }))
        .await;
    assert_eq!(text(&done), "done");
}

#[tokio::test]
async fn a_function_of_the_input_alone_cannot_come_back() {
    let later = tool::define("later", codec::object(()), codec::string())
        .handle(|()| async { Ok(Reply::later(1)) });
    let log = Events::capture();
    let server = Server::new([later]);
    let mut dialogue = Dialogue::on(server, "tools/call", json!({ "name": "later" }));
    assert_eq!(dialogue.begin().await["result"]["isError"], true);
    assert!(log.take()[0].contains("that take a call can ask"));
}

#[tokio::test]
async fn a_step_that_fails_is_done_again() {
    let mut dialogue = Dialogue::book();
    dialogue.desk.failures.store(1, Ordering::SeqCst);
    let failed = dialogue.begin().await;
    assert_eq!(failed["result"]["isError"], true);
    assert!(!failed.to_string().contains("closed"), "it is private");
    let first = dialogue.begin().await;
    assert_eq!(asked(&first), ["seat"]);
    assert_eq!(dialogue.desk.holds(), 1);
}

#[tokio::test]
async fn a_handler_that_swallows_the_interrupt_has_answered() {
    let answer = Dialogue::call("swallow").begin().await;
    assert_eq!(text(&answer), "did not ask");
}

#[tokio::test]
async fn one_key_twice_in_one_run_is_a_mistake() {
    for (tool, said) in [
        ("twice", "is asked twice"),
        ("step_twice", "is there twice"),
    ] {
        let log = Events::capture();
        let answer = Dialogue::call(tool).begin().await;
        assert_eq!(answer["result"]["isError"], true, "{tool}");
        assert!(!text(&answer).contains("twice"), "{answer}");
        let lines = log.take();
        assert!(lines.iter().any(|line| line.contains(said)), "{lines:?}");
    }
}

// ELIC-09
#[tokio::test]
async fn an_answer_that_does_not_fit_is_asked_for_again_and_says_why() {
    let mut dialogue = Dialogue::book();
    let first = dialogue.begin().await;
    for (wrong, why) in [
        (
            json!({ "row": 99 }),
            "/row: expected an integer from 1 to 30, got 99",
        ),
        (json!({ "row": "3" }), "/row: "),
        (json!({}), "/row: missing"),
    ] {
        let again = dialogue
            .go_on(&first, json!({ "seat": accept(&wrong) }))
            .await;
        assert_eq!(asked(&again), ["seat"]);
        let message = &again["result"]["inputRequests"]["seat"]["params"]["message"];
        let message = message.as_str().expect("a message");
        let told = message
            .strip_prefix("Which row on LH 400?\n\n")
            .expect("the question");
        assert!(told.starts_with(why), "{told}");
    }
    // What the form did not ask for is nobody's.
    let more = json!({ "seat": accept(&json!({ "row": 3.0, "column": "A", "note": null })) });
    assert_eq!(asked(&dialogue.go_on(&first, more).await), ["meal"]);
}

/// The tool after a deploy, with another handler.
fn deployed<F, Fut>(handler: F) -> Server<Desk>
where
    F: Fn(Call<Desk>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<String, Error>> + Send + 'static,
{
    let input = codec::object((
        codec::field("flight", codec::string()),
        codec::optional("bags", codec::integer::<u8>()),
    ));
    let book = tool::define("book", input, codec::string())
        .handle_call(move |call: Call<Desk>, _: (String, Option<u8>)| handler(call));
    Server::new([book])
        .with_info("asking", "2")
        .with_keys(keys())
}

#[tokio::test]
async fn a_sealed_answer_that_no_longer_fits_is_asked_again() {
    let mut before = Dialogue::book();
    let first = before.begin().await;
    let second = before.go_on(&first, row()).await;
    let row = codec::integer::<u8>().range(10..=20);
    let seat = elicit::form(codec::object(codec::field("row", row)));
    let server = deployed(move |call| {
        let seat = seat.clone();
        async move {
            let row = call.elicit(seat.question("seat", "Which row?")).await?;
            Ok(format!("row {}", row.accepted()?))
        }
    });
    let mut after = Dialogue::on(server, "tools/call", booking());
    let third = after.go_on(&second, meal()).await;
    assert_eq!(asked(&third), ["seat"]);
    let message = &third["result"]["inputRequests"]["seat"]["params"]["message"];
    assert_eq!(message, "Which row?");
    let fits = json!({ "seat": accept(&json!({ "row": 11 })) });
    assert_eq!(text(&after.go_on(&third, fits).await), "row 11");
}

/// A tool that asks for consent to something else after each deploy.
fn consenting(kind: &'static str) -> Server<Desk> {
    let yes = elicit::form(codec::object(()));
    let sum = codec::integer::<u16>();
    let amount = elicit::form(codec::object(codec::field("amount", sum)));
    deployed(move |call| {
        let (yes, amount) = (yes.clone(), amount.clone());
        async move {
            match kind {
                "yes" => {
                    call.elicit(yes.question("agreed", "Really?"))
                        .await?
                        .accepted()?;
                }
                "amount" => {
                    call.elicit(amount.question("agreed", "How much?"))
                        .await?
                        .accepted()?;
                }
                url => {
                    call.elicit(elicit::url("agreed", "Agree there.", url))
                        .await?
                        .accepted()?;
                }
            }
            call.elicit(yes.question("last", "Now?"))
                .await?
                .accepted()?;
            Ok(kind.to_owned())
        }
    })
}

// MRTR-10: what a user agreed to is no answer to another form or URL under the same key.
#[tokio::test]
async fn an_answer_is_one_to_its_own_question() {
    let kinds = ["yes", "amount", "https://a.example/", "https://b.example/"];
    let agreed = json!({ "agreed": accept(&json!({ "amount": 1 })) });
    let last = json!({ "last": accept(&json!({})) });
    for before in kinds {
        for after in kinds {
            let dialogue = || Dialogue::on(consenting(before), "tools/call", booking());
            let first = dialogue().begin().await;
            let second = dialogue().go_on(&first, agreed.clone()).await;
            assert_eq!(asked(&second), ["last"]);
            let mut other = Dialogue::on(consenting(after), "tools/call", booking());
            // As it comes in, and as it was sealed a round ago.
            let fresh = other.go_on(&first, agreed.clone()).await;
            let sealed = other.go_on(&second, last.clone()).await;
            if before == after {
                assert_eq!(asked(&fresh), ["last"]);
                assert_eq!(text(&sealed), after);
            } else {
                assert_eq!(asked(&fresh), ["agreed"], "{before} {after}");
                assert_eq!(asked(&sealed), ["agreed"], "{before} {after}");
                let again = other.go_on(&sealed, agreed.clone()).await;
                assert_eq!(text(&again), after);
            }
        }
    }
}

#[tokio::test]
async fn a_recorded_step_that_cannot_be_read_is_not_done_again() {
    let first = Dialogue::book().begin().await;
    let server = deployed(|call| async move {
        let hold: String = call
            .once("hold", async || {
                call.context().runs.fetch_add(1, Ordering::SeqCst);
                Ok("another".to_owned())
            })
            .await?;
        Ok(hold)
    });
    let log = Events::capture();
    let mut after = Dialogue::on(server, "tools/call", booking());
    let answer = after.go_on(&first, row()).await;
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(after.desk.runs(), 0);
    let lines = log.take();
    assert!(
        lines[0].contains("recorded once as \"hold\" can't be read"),
        "{lines:?}"
    );
}

// MRTR-01, LF-01
#[tokio::test]
async fn a_legacy_client_is_told_at_once_that_it_cannot_be_asked() {
    for revision in LEGACY {
        let desk = std::sync::Arc::new(Desk::default());
        let mut wire = Wire::new(server(), std::sync::Arc::clone(&desk))
            .initialized(revision)
            .await;
        let answers = json!({ "name": "confirm", "inputResponses": 7, "requestState": 8 });
        for params in [
            json!({ "name": "confirm" }),
            answers,
            json!({ "name": "later" }),
        ] {
            let result = wire.result("tools/call", params).await;
            assert_eq!(result["isError"], true, "{revision}");
            let text = result["content"][0]["text"].as_str().expect("a text");
            assert!(text.contains("2026-07-28"), "{text}");
        }
        let uri = json!({ "uri": "diary://monday" });
        let (code, message, _) = wire.error("resources/read", uri).await;
        assert_eq!(code, -32603);
        assert!(message.contains("2026-07-28"), "{message}");
        assert_eq!(desk.runs(), 4);
    }
}
