//! Requests of every kind to the [inspecting](crate::fixture::inspecting) server, for rows that hold
//! whatever is asked and wherever.

use serde_json::{Value, json};

/// Requests that both eras answer with a result.
#[must_use]
pub fn served() -> Vec<(&'static str, Value)> {
    let reference = json!({ "type": "ref/prompt", "name": "review" });
    let argument = json!({ "name": "language", "value": "" });
    vec![
        ("tools/list", json!({})),
        (
            "tools/call",
            json!({ "name": "echo", "arguments": { "text": "hi" } }),
        ),
        ("tools/call", json!({ "name": "rows" })),
        (
            "tools/call",
            json!({ "name": "bigid", "arguments": { "id": 7 } }),
        ),
        ("tools/call", json!({ "name": "pic" })),
        (
            "tools/call",
            json!({ "name": "add", "arguments": { "a": "3" } }),
        ),
        ("tools/call", json!({ "name": "fails" })),
        ("tools/call", json!({ "name": "leaks" })),
        ("tools/call", json!({ "name": "nan" })),
        ("tools/call", json!({ "name": "logs" })),
        ("prompts/list", json!({})),
        ("prompts/get", json!({ "name": "greet" })),
        (
            "prompts/get",
            json!({ "name": "review", "arguments": { "code": "1" } }),
        ),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({ "uri": "fixture://about" })),
        ("resources/read", json!({ "uri": "fixture://binary" })),
        ("resources/read", json!({ "uri": "note://1" })),
        (
            "completion/complete",
            json!({ "ref": reference, "argument": argument }),
        ),
    ]
}

/// Requests that both eras refuse, and the code in the modern one and in the legacy ones.
#[must_use]
pub fn refused() -> Vec<(&'static str, Value, i64, i64)> {
    vec![
        ("no/such/method", json!({}), -32601, -32601),
        ("sampling/createMessage", json!({}), -32601, -32601),
        ("elicitation/create", json!({}), -32601, -32601),
        ("roots/list", json!({}), -32601, -32601),
        (
            "resources/subscribe",
            json!({ "uri": "note://1" }),
            -32601,
            -32601,
        ),
        (
            "resources/unsubscribe",
            json!({ "uri": "note://1" }),
            -32601,
            -32601,
        ),
        ("tasks/list", json!({}), -32601, -32601),
        ("tools/list", json!({ "cursor": "bogus" }), -32602, -32602),
        ("tools/call", json!({}), -32602, -32602),
        ("tools/call", json!({ "name": "nothing" }), -32602, -32602),
        (
            "tools/call",
            json!({ "name": "echo", "arguments": [] }),
            -32602,
            -32602,
        ),
        ("tools/call", json!({ "name": "boom" }), -32603, -32603),
        (
            "tools/call",
            json!({ "name": "refuses", "arguments": { "code": 7 } }),
            7,
            7,
        ),
        (
            "tools/call",
            json!({ "name": "refuses", "arguments": { "code": -32002 } }),
            -32603,
            -32603,
        ),
        ("prompts/get", json!({ "name": "nothing" }), -32602, -32602),
        ("prompts/get", json!({ "name": "review" }), -32602, -32602),
        ("prompts/get", json!({ "name": "broken" }), -32603, -32603),
        ("resources/read", json!({}), -32602, -32602),
        (
            "resources/read",
            json!({ "uri": "note://99" }),
            -32602,
            -32002,
        ),
        (
            "resources/read",
            json!({ "uri": "nothing://here" }),
            -32602,
            -32002,
        ),
        (
            "resources/read",
            json!({ "uri": "fixture://unreadable" }),
            -32603,
            -32603,
        ),
        ("completion/complete", json!({}), -32602, -32602),
    ]
}
