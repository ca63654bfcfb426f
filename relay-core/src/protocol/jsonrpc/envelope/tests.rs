use proptest::{collection::vec, prelude::*, sample::subsequence};
use serde_json::{Value, json};

use super::*;
use crate::protocol::jsonrpc::{MAX_DEPTH, Shape, value::tests::any_value};

fn request(frame: &str) -> Request<'_> {
    match parse(frame.as_bytes()) {
        Ok(Message::Request(request)) => request,
        other => panic!("{frame}: {other:?}"),
    }
}

fn notification(frame: &str) -> Notification<'_> {
    match parse(frame.as_bytes()) {
        Ok(Message::Notification(notification)) => notification,
        other => panic!("{frame}: {other:?}"),
    }
}

#[track_caller]
fn malformed(frame: impl AsRef<[u8]>) -> Malformed {
    parse(frame.as_ref()).unwrap_err()
}

#[track_caller]
fn assert_unreadable(frame: impl AsRef<[u8]>) {
    let malformed = malformed(frame);
    assert_eq!(malformed.code, ErrorCode::PARSE_ERROR, "{malformed}");
    assert_eq!(malformed.id, None);
    assert!(!malformed.notification);
}

#[track_caller]
fn assert_invalid(frame: &str, id: Option<&str>) {
    let malformed = malformed(frame);
    assert_eq!(malformed.code, ErrorCode::INVALID_REQUEST, "{frame}");
    assert_eq!(malformed.id.as_ref().map(Id::as_json), id, "{frame}");
    assert!(!malformed.notification, "{frame}");
}

// JR-02, JR-16, J01
#[test]
fn an_id_is_kept_as_written() {
    let huge = "7".repeat(5_000);
    for id in [
        "0",
        "-1",
        "-0",
        r#""""#,
        r#""0""#,
        r#""1""#,
        r#""ünï""#,
        "9007199254740993",
        "18446744073709551615",
        "18446744073709551616",
        "123456789012345678901234567890",
        r#""\u00e9\/""#,
        &huge,
    ] {
        for frame in [
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#),
            format!(r#"{{"method":"ping", "id" : {id} ,"jsonrpc":"2.0"}}"#),
        ] {
            assert_eq!(request(&frame).id.as_json(), id);
        }
        let wrong = format!(r#"{{"jsonrpc":"1.0","id":{id},"method":"ping"}}"#);
        assert_invalid(&wrong, Some(id));
    }
}

// JR-03, JR-04, J01, J02, LJ-01
#[test]
fn an_id_is_a_string_or_an_integer() {
    for id in [
        "null", "1.5", "1.0", "1e2", "true", "false", "[1]", "{}", "1e400", "-0.0",
    ] {
        assert_invalid(
            &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{}}}}"#),
            None,
        );
    }
}

// JR-01, S04
#[test]
fn what_is_json_but_no_message_is_invalid() {
    for frame in [
        "42",
        r#""str""#,
        "null",
        "true",
        "{}",
        r#"{"jsonrpc":"2.0"}"#,
    ] {
        assert_invalid(frame, None);
    }
    assert_invalid(r#"{"id":1,"method":"tools/list"}"#, Some("1"));
    assert_invalid(
        r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#,
        Some("1"),
    );
    assert_invalid(r#"{"jsonrpc":2.0,"id":1,"method":"tools/list"}"#, Some("1"));
    assert_invalid(
        r#"{"jsonrpc":null,"id":"a","method":"tools/list"}"#,
        Some(r#""a""#),
    );
    assert_invalid(r#"{"jsonrpc":"2.0","id":1}"#, Some("1"));
    assert_invalid(r#"{"jsonrpc":"2.0","id":1,"method":null}"#, Some("1"));
    assert_invalid(r#"{"jsonrpc":"2.0","id":1,"method":["a"]}"#, Some("1"));
    assert_invalid(r#"{"method":"tools/list"}"#, None);
    assert_invalid(r#"{"jsonrpc":"2.0","method":7}"#, None);
}

// JR-05, S04, S06
#[test]
fn what_is_not_json_is_unreadable() {
    for frame in [
        "",
        " ",
        "garbage",
        r#"{"jsonrpc":"2.0","method":"x","params":"#,
        "{} trailing",
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}{"#,
        "Content-Length: 57",
        "{'a':1}",
        "[1,]",
        "\u{a0}{}",
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","x":01}"#,
        "[1] x",
    ] {
        assert_unreadable(frame);
    }
    assert_unreadable(b"\xff\xfe");
    assert_unreadable(
        b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"x\",\"params\":{\"t\":\"\xd2\xe5\"}}",
    );
    // A wrong member must not hide that the rest cannot be read.
    assert_unreadable(r#"{"jsonrpc":"1.0","id":null,"method":5,"a":1,"a":2,}"#);
}

// S06
#[test]
fn a_lone_surrogate_is_unreadable_wherever_it_is() {
    for at in [
        r#""id":LONE,"method":"ping""#,
        r#""id":[LONE],"method":"ping""#,
        r#""id":1,"method":LONE"#,
        r#""id":1,"method":"ping","x":LONE"#,
        r#""id":1,"method":"ping","result":[LONE]"#,
        r#""id":1,"method":"ping","params":{"_meta":{"progressToken":LONE}}"#,
        r#""id":1,"method":"ping","params":{"_meta":{"progressToken":{"a":LONE}}}"#,
        r#""id":1,"method":"tools/call","params":{"arguments":{"text":LONE}}"#,
        r#""method":"notifications/cancelled","params":{"requestId":LONE}"#,
        r#""id":1,"error":{"message":LONE}"#,
        r#""id":1,"method":"ping",LONE:1"#,
    ] {
        for lone in [r#""\ud83d""#, r#""\udcaf""#] {
            assert_unreadable(format!(
                r#"{{"jsonrpc":"2.0",{}}}"#,
                at.replace("LONE", lone)
            ));
        }
        let pair = at.replace("LONE", r#""\ud83d\ude00\u0000""#);
        if let Err(malformed) = parse(format!(r#"{{"jsonrpc":"2.0",{pair}}}"#).as_bytes()) {
            assert_eq!(
                malformed.code,
                ErrorCode::INVALID_REQUEST,
                "{at}: {malformed}"
            );
        }
    }
}

// S01, S03
#[test]
fn a_byte_order_mark_and_white_space_are_tolerated() {
    let frame = "\u{feff} \t\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n";
    assert_eq!(request(frame).method, "ping");
    let inside = "{\"jsonrpc\":\"2.0\",\"id\":\"\u{feff}\",\"method\":\"ping\"}";
    assert_eq!(request(inside).id, Id::from("\u{feff}"));
    assert_unreadable("\u{feff}\u{feff}{}");
}

// JR-08, J03, LJ-09
#[test]
fn a_message_without_an_id_is_a_notification() {
    for (params, shape) in [
        ("", Shape::Absent),
        (r#","params":null"#, Shape::Null),
        (r#","params":[]"#, Shape::Array { empty: true }),
        (r#","params":"x""#, Shape::Other),
    ] {
        for method in [
            "notifications/cancelled",
            "notifications/does_not_exist",
            "tools/call",
        ] {
            let frame = format!(r#"{{"jsonrpc":"2.0","method":"{method}"{params}}}"#);
            let notification = notification(&frame);
            assert_eq!(notification.method, method);
            assert_eq!(notification.params.shape, shape);
        }
    }
}

// JR-08, J03
#[test]
fn a_bad_notification_is_known_to_be_one() {
    for rest in [
        r#","params":{"a":1,"a":2}"#,
        r#","params":{"_meta":{"x":{"y":0,"y":0}}}"#,
        r#","trace":1,"trace":2"#,
    ] {
        let frame = format!(r#"{{"jsonrpc":"2.0","method":"notifications/initialized"{rest}}}"#);
        let malformed = malformed(&frame);
        assert_eq!(malformed.code, ErrorCode::INVALID_REQUEST);
        assert!(malformed.notification, "{frame}");
    }
    // With an id member, or without the tag (JR-01), it is none.
    assert!(!malformed(r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#).notification);
    assert!(!malformed(r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"x"}"#).notification);
    assert!(!malformed(r#"{"jsonrpc":"1.0","method":"x"}"#).notification);
}

// JR-07
#[test]
fn a_message_without_a_method_is_a_response() {
    let response = |frame: &'static str| match parse(frame.as_bytes()) {
        Ok(Message::Response(response)) => response,
        other => panic!("{frame}: {other:?}"),
    };
    let answered = response(r#"{"jsonrpc":"2.0","id":"s1","result":{"a": [1]}}"#);
    assert_eq!(answered.id, Some(Id::from("s1")));
    assert_eq!(answered.result.unwrap().get(), r#"{"a": [1]}"#);
    assert!(answered.error.is_none());

    let failed = response(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":""}}"#);
    assert_eq!(failed.id, None);
    assert!(failed.error.is_some());

    // Its id is ours, so that a malformed one must not be answered with it.
    assert_invalid(r#"{"id":1,"result":{}}"#, None);
    assert_invalid(r#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#, None);
    // With a method it is a request, and `result` an unknown member.
    assert_eq!(
        request(r#"{"jsonrpc":"2.0","id":1,"result":{},"method":"x"}"#).method,
        "x"
    );
}

// JR-06, J06, LJ-05
#[test]
fn a_batch_is_kept_unparsed() {
    let batch = |frame: &str| match parse(frame.as_bytes()) {
        Ok(Message::Batch(items)) => items
            .iter()
            .map(|item| item.get().to_owned())
            .collect::<Vec<_>>(),
        other => panic!("{frame}: {other:?}"),
    };
    assert_eq!(batch(" []"), [""; 0]);
    assert_eq!(
        batch(r#"[1, {"id":1,"id":1} ,[]]"#),
        ["1", r#"{"id":1,"id":1}"#, "[]"]
    );
    let full = format!("[{}]", ["0"; MAX_BATCH].join(","));
    assert_eq!(batch(&full).len(), MAX_BATCH);
    assert_invalid(&full.replace(']', ",0]"), None);
}

#[test]
fn a_key_given_twice_makes_the_message_invalid() {
    let with_id = |members: &str| assert_invalid(&format!("{{{members}}}"), Some("1"));
    with_id(r#""jsonrpc":"2.0","id":1,"method":"ping","method":"ping""#);
    with_id(r#""jsonrpc":"2.0","id":1,"method":"ping","jsonrpc":"2.0""#);
    with_id(r#""jsonrpc":"2.0","id":1,"method":"ping","x":1,"x":1"#);
    with_id(r#""jsonrpc":"2.0","id":1,"method":"ping","x":1,"\u0078":1"#);
    with_id(r#""jsonrpc":"2.0","id":1,"method":"ping","x":[{"y":1,"y":1}]"#);
    with_id(r#""jsonrpc":"2.0","id":1,"params":{},"method":"ping","params":{}"#);
    for params in [
        r#"{"_meta":{},"_meta":{}}"#,
        r#"{"name":"a","n\u0061me":"b"}"#,
        r#"{"other":{"a":{"b":1,"b":1}}}"#,
        r#"{"_meta":{"progressToken":1,"progressToken":1}}"#,
        r#"{"_meta":{"progressToken":{"a":1,"a":1}}}"#,
        r#"{"_meta":{"com.acme/x":[{"a":1,"a":1}]}}"#,
        r#"{"_meta":{"com.acme/x":1,"com.acme/x":1}}"#,
        r#"{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"a","name":"b"}}}"#,
        r#"{"_meta":{"io.modelcontextprotocol/clientInfo":{"zzz":1,"zzz":2}}}"#,
        r#"{"_meta":{"io.modelcontextprotocol/clientCapabilities":{"a":{"b":1,"b":1}}}}"#,
        r#"[{"a":1,"a":1}]"#,
    ] {
        with_id(&format!(
            r#""jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}"#
        ));
        with_id(&format!(
            r#""params":{params},"jsonrpc":"2.0","id":1,"method":"tools/call""#
        ));
    }
    // Whose id it is cannot be told.
    assert_invalid(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, None);
    assert_invalid(
        r#"{"jsonrpc":"2.0","id":1,"\u0069d":1,"method":"ping"}"#,
        None,
    );
    // Equal keys of different objects are no matter.
    request(r#"{"jsonrpc":"2.0","id":1,"method":"x","a":[{"id":1},{"id":1}],"b":{"id":{"id":1}}}"#);
}

#[test]
fn a_long_key_is_cut_in_the_error_text() {
    let key = "é".repeat(100_000);
    let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","{key}":1,"{key}":1}}"#);
    assert!(malformed(frame).message.len() < 200);
}

// J07
#[test]
fn depth_counts_from_the_root_of_the_frame_in_every_place() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let objects = |levels: usize| format!("{}0{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
    // (what surrounds the value, how deep the surroundings are)
    for (frame, level) in [
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":DEEP}}"#,
            2,
        ),
        (
            r#"{"params":{"arguments":DEEP},"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
            2,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"unknown":DEEP}}"#,
            2,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":DEEP}}"#,
            2,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":DEEP}"#,
            1,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"x":DEEP}}}"#,
            3,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"progressToken":DEEP}}}"#,
            3,
        ),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":DEEP}}"#,
            2,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":DEEP}}"#,
            2,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":DEEP}}"#,
            2,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":DEEP}}"#,
            2,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","unknown":DEEP}"#, 1),
        (r#"{"jsonrpc":"2.0","id":1,"result":DEEP}"#, 1),
        ("[DEEP]", 1),
    ] {
        for value in [nested, objects] {
            let levels = MAX_DEPTH - level;
            parse(frame.replace("DEEP", &value(levels)).as_bytes()).unwrap_or_else(|error| {
                panic!("{frame}: {error}");
            });
            for beyond in [levels + 1, levels + 2, 10_000, 200_000] {
                assert_unreadable(frame.replace("DEEP", &value(beyond)));
            }
        }
    }
    assert_invalid(
        &format!(r#"{{"jsonrpc":"2.0","id":{},"method":"x"}}"#, nested(126)),
        None,
    );
    assert_unreadable(format!(
        r#"{{"jsonrpc":"2.0","id":{},"method":"x"}}"#,
        nested(127)
    ));
    assert_unreadable("[".repeat(1_000_000));
}

// J07
#[test]
fn giant_numbers_are_an_error_or_a_value() {
    let call = |number: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"arguments":{{"n":{number}}},"x":{number}}}}}"#
        )
    };
    assert_unreadable(call("1e400"));
    assert_unreadable(call(&"9".repeat(5_000)));
    assert_unreadable(call(&format!(
        "-0.{}1e999999999999999999999",
        "0".repeat(5_000)
    )));
    for number in ["1e-400", "18446744073709551616", &"9".repeat(300)] {
        request(&call(number));
    }
    let flat = format!("[{}]", vec!["0"; 500_000].join(","));
    request(&call(&flat));
}

fn members_in_order(members: &[(String, String)]) -> String {
    let members: Vec<_> = members
        .iter()
        .map(|(key, value)| format!("{}:{value}", Value::from(key.as_str())))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// The outcome, but for where in the text an error was.
fn outcome(frame: &[u8]) -> String {
    match parse(frame) {
        Err(malformed) if malformed.code == ErrorCode::PARSE_ERROR => "unreadable".to_owned(),
        other => format!("{other:?}"),
    }
}

prop_compose! {
    fn params()(
        values in vec(any_value(), 12),
        keys in subsequence(
            vec![
                "name", "uri", "cursor", "arguments", "ref", "argument", "context", "level",
                "requestId", "reason", "clientInfo", "zzz",
            ],
            0..=12,
        ),
        token in any_value(),
        typed in any::<bool>(),
    ) -> Vec<(String, String)> {
        let mut members: Vec<_> = keys
            .into_iter()
            .zip(values)
            .map(|(key, value)| {
                let value = if typed { json!("text") } else { value };
                (key.to_owned(), value.to_string())
            })
            .collect();
        members.push(("_meta".to_owned(), json!({"progressToken": token, "a": 1}).to_string()));
        members
    }
}

fn method() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just(r#""tools/call""#),
        Just(r#""tools/list""#),
        Just(r#""resources/read""#),
        Just(r#""completion/complete""#),
        Just(r#""notifications/cancelled""#),
        Just(r#""initialize""#),
        Just(r#""logging/setLevel""#),
        Just(r#""other""#),
        Just("5"),
    ]
}

fn id_text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "-?(0|[1-9][0-9]{0,40})",
        3 => any::<String>().prop_map(|text| Value::from(text).to_string()),
        1 => any_value().prop_map(|value| value.to_string()),
    ]
}

type Members = Vec<(String, String)>;

/// A message's members and its parameters', in one order and in another.
fn message() -> impl Strategy<Value = (Members, Members)> {
    (id_text(), method(), params())
        .prop_flat_map(|(id, method, params)| {
            let members = vec![
                ("jsonrpc".to_owned(), r#""2.0""#.to_owned()),
                ("id".to_owned(), id),
                ("method".to_owned(), method.to_owned()),
                ("trace".to_owned(), r#"{"a":[1]}"#.to_owned()),
            ];
            let shuffled = Just(params.clone()).prop_shuffle();
            (subsequence(members, 2..=4), Just(params), shuffled)
        })
        .prop_flat_map(|(members, params, shuffled_params)| {
            let with = |params: &Members| {
                let mut members = members.clone();
                members.push(("params".to_owned(), members_in_order(params)));
                members
            };
            (
                Just(with(&params)),
                Just(with(&shuffled_params)).prop_shuffle(),
            )
        })
}

proptest! {
    #[test]
    fn any_bytes_are_judged_without_a_panic(frame in vec(any::<u8>(), 0..200)) {
        drop(parse(&frame));
    }

    #[test]
    fn any_json_is_judged_and_never_unreadable(value in any_value()) {
        if let Err(malformed) = parse(value.to_string().as_bytes()) {
            prop_assert_eq!(malformed.code, ErrorCode::INVALID_REQUEST);
        }
    }

    #[test]
    fn the_order_of_members_does_not_matter((straight, shuffled) in message()) {
        prop_assert_eq!(
            outcome(members_in_order(&straight).as_bytes()),
            outcome(members_in_order(&shuffled).as_bytes())
        );
    }

    #[test]
    fn a_damaged_frame_is_judged_without_a_panic(
        (members, _) in message(),
        damage in vec((any::<proptest::sample::Index>(), any::<u8>(), 0..3_u8), 1..4),
    ) {
        let mut frame = members_in_order(&members).into_bytes();
        for (at, byte, kind) in damage {
            let at = at.index(frame.len());
            match kind {
                0 => frame[at] = byte,
                1 => frame.insert(at, byte),
                _ => frame.truncate(at.max(1)),
            }
        }
        // Whoever accepts it must agree with a plain reading of the same bytes.
        match parse(&frame) {
            Err(malformed) if malformed.code == ErrorCode::PARSE_ERROR => {}
            _ => prop_assert!(serde_json::from_slice::<Value>(&frame).is_ok()),
        }
    }

    // JR-02, JR-16
    #[test]
    fn a_request_echoes_its_id_byte_for_byte(id in id_text()) {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        match parse(frame.as_bytes()) {
            Ok(Message::Request(request)) => prop_assert_eq!(request.id.as_json(), &id),
            Err(malformed) => prop_assert!(Id::parse(&id).is_none() && malformed.id.is_none()),
            other => prop_assert!(false, "{:?}", other),
        }
    }
}
