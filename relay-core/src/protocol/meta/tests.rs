use serde_json::json;

use super::*;
use crate::protocol::jsonrpc::{Message, parse};

#[track_caller]
fn slot(meta: &str) -> Slot<Meta> {
    let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"_meta":{meta}}}}}"#);
    match parse(frame.as_bytes()) {
        Ok(Message::Request(request)) => request.params.meta,
        other => panic!("{frame}: {other:?}"),
    }
}

#[track_caller]
fn meta(members: &str) -> Meta {
    slot(&format!("{{{members}}}")).into_value().unwrap()
}

// META-01, J05
#[test]
fn meta_itself_may_be_wrong() {
    assert_eq!(slot("null"), Slot::Null);
    assert_eq!(slot("[]"), Slot::Wrong("an array"));
    assert_eq!(slot("5"), Slot::Wrong("a number"));
    assert_eq!(slot("{}"), Slot::Value(Meta::default()));
}

// META-02, META-03, META-04, META-05
#[test]
fn what_is_missing_or_wrong_is_told_apart() {
    let none = meta("");
    assert!(none.protocol_version().is_absent());
    assert!(none.client_capabilities().is_absent());
    assert!(none.client_info().is_absent());
    let wrong = meta(
        r#""io.modelcontextprotocol/protocolVersion":5,
        "io.modelcontextprotocol/clientCapabilities":[]"#,
    );
    assert_eq!(*wrong.protocol_version(), Slot::Wrong("a number"));
    assert_eq!(*wrong.client_capabilities(), Slot::Wrong("an array"));
    let known = meta(r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#);
    assert!(matches!(
        known.protocol_version(),
        Slot::Value(Cow::Borrowed("2026-07-28"))
    ));
    let unknown = meta(r#""io.modelcontextprotocol/protocolVersion":"v999""#);
    assert_eq!(*unknown.protocol_version(), Slot::Value("v999".into()));
}

// META-06, J09
#[test]
fn client_info_needs_a_name_and_a_version() {
    let info = |given: &str| {
        meta(&format!(r#""io.modelcontextprotocol/clientInfo":{given}"#))
            .client_info()
            .clone()
    };
    assert_eq!(
        info(r#"{"name":"c","version":"1","zzz":{"a":1},"title":5,"icons":"x"}"#),
        Slot::Value(Implementation::new("c", "1"))
    );
    assert_eq!(
        info(
            r#"{"version":"1","name":"c","title":"C","description":"d","websiteUrl":"https://c",
            "icons":[{"src":"data:,","theme":"dark"},{"sizes":[]},7]}"#
        ),
        Slot::Value(
            Implementation::new("c", "1")
                .with_title("C")
                .with_description("d")
                .with_website_url("https://c")
                .with_icons([Icon::new("data:,").with_theme(crate::content::Theme::Dark)])
        )
    );
    for bad in [
        "{}",
        r#"{"name":"c"}"#,
        r#"{"version":"1"}"#,
        r#"{"name":5,"version":"1"}"#,
        r#"{"name":"c","version":null}"#,
        "[]",
        r#""c""#,
    ] {
        assert!(matches!(info(bad), Slot::Wrong(_)), "{bad}");
    }
    assert_eq!(info("null"), Slot::Null);
}

// META-12, J09
#[test]
fn client_capabilities_are_an_open_set() {
    let given = r#"{"roots":{"listChanged":true},"sampling":{"tools":{}},
        "extensions":{"com.acme/x":{}},"future":[1]}"#;
    let meta = meta(&format!(
        r#""io.modelcontextprotocol/clientCapabilities":{given}"#
    ));
    let capabilities = meta.client_capabilities().value().unwrap();
    assert!(capabilities.has_extension("com.acme/x"));
    assert_eq!(
        Value::Object(capabilities.as_map().clone()),
        serde_json::from_str::<Value>(given).unwrap()
    );
}

// LOG-04, N04
#[test]
fn a_log_level_is_one_of_eight_names() {
    let level = |given: &str| {
        meta(&format!(r#""io.modelcontextprotocol/logLevel":{given}"#))
            .log_level()
            .clone()
    };
    assert_eq!(level(r#""warning""#), Slot::Value(LogLevel::Warning));
    assert_eq!(level(r#""warn""#), Slot::Wrong("an unknown level"));
    assert_eq!(level(r#""TRACE""#), Slot::Wrong("an unknown level"));
    assert_eq!(level("5"), Slot::Wrong("a number"));
    assert_eq!(level("null"), Slot::Null);
}

// PROG-01, PROG-07, N01
#[test]
fn a_progress_token_is_kept_as_written() {
    let token = |given: &str| {
        meta(&format!(r#""progressToken":{given}"#))
            .progress_token()
            .clone()
    };
    for given in [
        "0",
        r#""""#,
        r#""abc""#,
        "9007199254740993",
        r#""\u0061\/""#,
    ] {
        let token = token(given).into_value().unwrap();
        assert_eq!(token.as_json(), given);
        assert_eq!(serde_json::to_string(&token).unwrap(), given);
    }
    assert_eq!(token("null"), Slot::Null);
    for bad in ["1.5", "1.0", "true", "[]", "{}"] {
        assert!(matches!(token(bad), Slot::Wrong(_)), "{bad}");
    }
}

#[test]
fn an_idempotency_key_is_short_visible_ascii() {
    let key = |given: &Value| {
        meta(&format!(r#""idempotencyKey":{given}"#))
            .idempotency_key()
            .clone()
    };
    for good in ["a", "!~", &"k".repeat(256)] {
        assert_eq!(key(&json!(good)), Slot::Value(good.to_owned()));
    }
    for bad in [
        json!(""),
        json!("a b"),
        json!("\u{7f}"),
        json!("é"),
        json!("a\n"),
        json!(5),
    ] {
        assert!(matches!(key(&bad), Slot::Wrong(_)), "{bad}");
    }
    assert!(matches!(key(&json!("k".repeat(257))), Slot::Wrong(_)));
}

// META-10, META-13, J09
#[test]
fn other_members_stay_untouched() {
    let meta = meta(r#""traceparent":"00-x","com.acme/x":{"a":[null,1.5]},"progressToken":1"#);
    assert_eq!(meta.get("traceparent"), Some(&json!("00-x")));
    assert_eq!(meta.get("progressToken"), None);
    let all: Vec<_> = meta
        .iter()
        .map(|(key, value)| (key, value.clone()))
        .collect();
    assert_eq!(
        all,
        [
            ("com.acme/x", json!({"a": [null, 1.5]})),
            ("traceparent", json!("00-x"))
        ]
    );
}
