use serde_json::json;

use super::*;
use crate::protocol::jsonrpc::{Message, parse};

/// Reads the parameters with `method` before them and after them.
#[track_caller]
fn check(method: &str, params: &str, verify: impl Fn(Params<'_>)) {
    for frame in [
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#),
        format!(r#"{{"params":{params},"method":"{method}","id":1,"jsonrpc":"2.0"}}"#),
    ] {
        match parse(frame.as_bytes()) {
            Ok(Message::Request(request)) => verify(request.params),
            other => panic!("{frame}: {other:?}"),
        }
    }
}

// J05, JR-14
#[test]
fn the_shape_of_params_is_told() {
    for (params, shape) in [
        ("null", Shape::Null),
        ("{}", Shape::Object),
        ("[]", Shape::Array { empty: true }),
        ("[1]", Shape::Array { empty: false }),
        (r#""x""#, Shape::Other),
        ("42", Shape::Other),
    ] {
        check("tools/list", params, |params| {
            assert_eq!(params.shape, shape);
        });
    }
}

// J05
#[test]
fn arguments_are_an_object_and_null_counts_as_absent() {
    for method in ["tools/call", "prompts/get"] {
        let arguments = |given: &str, expected: Slot<Arguments>| {
            let params = format!(r#"{{"name":"a","arguments":{given}}}"#);
            check(method, &params, |params| {
                assert_eq!(params.arguments, expected);
            });
        };
        arguments("null", Slot::Absent);
        arguments("{}", Slot::Value(Arguments::default()));
        arguments("[]", Slot::Wrong("an array"));
        arguments(r#""{}""#, Slot::Wrong("a string"));
        arguments("5", Slot::Wrong("a number"));
    }
    check("tools/list", r#"{"arguments":{"a":1}}"#, |params| {
        assert_eq!(params.arguments, Slot::Absent);
    });
}

#[test]
fn duplicates_in_arguments_are_recorded_not_refused() {
    check(
        "tools/call",
        r#"{"arguments":{"a":{"b":1,"b":2},"a":3}}"#,
        |params| {
            let arguments = params.arguments.into_value().unwrap();
            assert_eq!(arguments.duplicates, ["/a/b", "/a"]);
            assert_eq!(arguments.values["a"], 3);
        },
    );
}

// JR-15
#[test]
fn a_method_reads_its_own_members_only() {
    let all = r#"{"name":5,"uri":5,"cursor":5,"level":5,"reason":5,"protocolVersion":5,
        "requestId":true,"ref":5,"argument":5,"context":5,"capabilities":5,"clientInfo":5}"#;
    let wrong = |method: &str, expected: &[&str]| {
        check(method, all, |params| {
            let given = [
                ("name", params.name.found()),
                ("uri", params.uri.found()),
                ("cursor", params.cursor.found()),
                ("level", params.level.found()),
                ("reason", params.reason.found()),
                ("protocolVersion", params.protocol_version.found()),
                ("requestId", params.request_id.found()),
                ("ref", params.reference.found()),
                ("argument", params.argument.found()),
                ("context", params.context.found()),
                ("capabilities", params.capabilities.found()),
                ("clientInfo", params.client_info.found()),
            ];
            let read: Vec<_> = given
                .into_iter()
                .filter(|(_, found)| *found != Some("nothing"))
                .map(|(name, _)| name)
                .collect();
            assert_eq!(read, expected, "{method}");
        });
    };
    wrong("tools/call", &["name"]);
    wrong("prompts/get", &["name"]);
    wrong("resources/read", &["uri"]);
    wrong("resources/subscribe", &["uri"]);
    wrong("resources/unsubscribe", &["uri"]);
    wrong("tools/list", &["cursor"]);
    wrong("prompts/list", &["cursor"]);
    wrong("resources/list", &["cursor"]);
    wrong("resources/templates/list", &["cursor"]);
    wrong("completion/complete", &["ref", "argument", "context"]);
    wrong("logging/setLevel", &["level"]);
    wrong("notifications/cancelled", &["reason", "requestId"]);
    wrong(
        "initialize",
        &["protocolVersion", "capabilities", "clientInfo"],
    );
    wrong("server/discover", &[]);
}

// P03
#[test]
fn a_cursor_tells_null_and_empty_apart() {
    let cursor = |given: &str, expected: Slot<Cow<'_, str>>| {
        check(
            "tools/list",
            &format!(r#"{{"cursor":{given}}}"#),
            |params| {
                assert_eq!(params.cursor, expected);
            },
        );
    };
    cursor("null", Slot::Null);
    cursor(r#""""#, Slot::Value("".into()));
    cursor("5", Slot::Wrong("a number"));
    cursor(r#""\u0061""#, Slot::Value("a".into()));
}

// P02
#[test]
fn a_completion_request_is_read_whole() {
    let params = r#"{"ref":{"type":"ref/prompt","name":"greet","title":"x"},
        "argument":{"name":"who","value":""},"context":{"arguments":{"a":"b"}}}"#;
    check("completion/complete", params, |params| {
        let name = "greet".to_owned();
        assert_eq!(params.reference, Slot::Value(Reference::Prompt { name }));
        let argument = params.argument.into_value().unwrap();
        assert_eq!(
            (argument.name.as_str(), argument.value.as_str()),
            ("who", "")
        );
        assert_eq!(
            Value::Object(params.context.into_value().unwrap()),
            json!({"a": "b"})
        );
    });
    let reference = |given: &str, verify: &dyn Fn(Slot<Reference>)| {
        check(
            "completion/complete",
            &format!(r#"{{"ref":{given}}}"#),
            |params| {
                verify(params.reference);
            },
        );
    };
    reference(r#"{"type":"ref/resource","uri":"note://{id}"}"#, &|given| {
        let uri = "note://{id}".to_owned();
        assert_eq!(given, Slot::Value(Reference::Resource { uri }));
    });
    for bad in [
        r#"{"type":"ref/other","name":"a"}"#,
        r#"{"name":"a"}"#,
        r#"{"type":"ref/prompt"}"#,
        r#"{"type":"ref/resource","name":"a"}"#,
        r#""ref/prompt""#,
        r#"{"type":5}"#,
    ] {
        reference(bad, &|given| {
            assert!(matches!(given, Slot::Wrong(_)), "{bad}");
        });
    }
    for (bad, expected) in [
        ("{}", Slot::Absent),
        (r#"{"arguments":null}"#, Slot::Absent),
        (
            r#"{"arguments":{"a":5}}"#,
            Slot::Wrong("`arguments` that are not all strings"),
        ),
        (
            r#"{"arguments":[]}"#,
            Slot::Wrong("`arguments` that are not an object"),
        ),
        ("5", Slot::Wrong("a number")),
    ] {
        check(
            "completion/complete",
            &format!(r#"{{"context":{bad}}}"#),
            |params| {
                assert_eq!(params.context, expected, "{bad}");
            },
        );
    }
    check(
        "completion/complete",
        r#"{"argument":{"name":"a","value":5}}"#,
        |params| {
            assert!(matches!(params.argument, Slot::Wrong(_)));
        },
    );
}

// J09, LC-03
#[test]
fn initialize_tolerates_unknown_members() {
    let params = r#"{"protocolVersion":"2025-11-25",
        "capabilities":{"elicitation":{"form":{},"url":{}},"tasks":{"x":1},"future":{"y":[]}},
        "clientInfo":{"name":"c","version":"1","icons":[],"zzz":1},"foo":1}"#;
    check("initialize", params, |params| {
        assert_eq!(params.protocol_version, Slot::Value("2025-11-25".into()));
        let capabilities = params.capabilities.into_value().unwrap();
        assert!(capabilities.can_elicit() && capabilities.can_elicit_url());
        assert!(capabilities.as_map().contains_key("future"));
        assert_eq!(
            params.client_info,
            Slot::Value(Implementation::new("c", "1"))
        );
    });
    check("initialize", "{}", |params| {
        assert!(params.protocol_version.is_absent() && params.client_info.is_absent());
    });
}

// CAN-03, J01
#[test]
fn a_cancellation_names_its_request_exactly() {
    let params = r#"{"requestId":18446744073709551616,"reason":"because"}"#;
    check("notifications/cancelled", params, |params| {
        assert_eq!(
            params.request_id.value().unwrap().as_json(),
            "18446744073709551616"
        );
        assert_eq!(params.reason, Slot::Value("because".into()));
    });
    for (bad, expected) in [
        ("null", Slot::Null),
        (
            "1.0",
            Slot::Wrong("a number with a fraction or an exponent"),
        ),
        ("[1]", Slot::Wrong("an array")),
        ("{}", Slot::Wrong("an object")),
        ("false", Slot::Wrong("a boolean")),
    ] {
        let params = format!(r#"{{"requestId":{bad}}}"#);
        check("notifications/cancelled", &params, |params| {
            assert_eq!(params.request_id, expected);
        });
    }
}
