//! The protocol's own examples, read as messages. They are not ours to commit: the directory is
//! `RELAY_SPEC_DIR`, or `../shared/spec` beside the workspace.

use std::{
    env, fs,
    io::{self, Write as _},
    path::PathBuf,
};

use relay_core::protocol::jsonrpc::{Message, Params, Slot, parse};

/// Folders of whole messages that a client sends, and of the parameters of such messages.
const MESSAGES: [(&str, &str); 10] = [
    ("CallToolRequest", "tools/call"),
    ("CancelledNotification", "notifications/cancelled"),
    ("CompleteRequest", "completion/complete"),
    ("DiscoverRequest", "server/discover"),
    ("GetPromptRequest", "prompts/get"),
    ("ListPromptsRequest", "prompts/list"),
    ("ListResourceTemplatesRequest", "resources/templates/list"),
    ("ListResourcesRequest", "resources/list"),
    ("ListToolsRequest", "tools/list"),
    ("ReadResourceRequest", "resources/read"),
];
const PARAMS: [(&str, &str); 5] = [
    ("CallToolRequestParams", "tools/call"),
    ("CancelledNotificationParams", "notifications/cancelled"),
    ("CompleteRequestParams", "completion/complete"),
    ("GetPromptRequestParams", "prompts/get"),
    ("PaginatedRequestParams", "tools/list"),
];

#[test]
fn published_requests_parse() {
    let Some(examples) = examples() else {
        // Straight to the stream: what a passing test prints is not shown.
        writeln!(
            io::stderr(),
            "LEFT OUT: no published examples; set RELAY_SPEC_DIR to a directory with schema/"
        )
        .unwrap();
        return;
    };
    let files = |folder: &str| {
        let files: Vec<_> = fs::read_dir(examples.join(folder))
            .unwrap()
            .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
            .collect();
        assert!(!files.is_empty(), "{folder}");
        files
    };
    for (folder, method) in MESSAGES {
        for frame in files(folder) {
            assert!(fits(&frame, method), "{frame}");
        }
    }
    for (folder, method) in PARAMS {
        for params in files(folder) {
            let id = if method.starts_with("notifications/") {
                ""
            } else {
                r#""id":1,"#
            };
            let frame = format!(r#"{{"params":{params},{id}"method":"{method}","jsonrpc":"2.0"}}"#);
            assert!(fits(&frame, method), "{frame}");
        }
    }
}

fn examples() -> Option<PathBuf> {
    let spec = env::var_os("RELAY_SPEC_DIR").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/spec")),
        PathBuf::from,
    );
    Some(spec.join("schema/2026-07-28/examples")).filter(|examples| examples.is_dir())
}

/// Whether `frame` is a message of `method` whose members are all as they should be.
fn fits(frame: &str, expected: &str) -> bool {
    let (method, params) = match parse(frame.as_bytes()) {
        Ok(Message::Request(request)) => (request.method, request.params),
        Ok(Message::Notification(notification)) => (notification.method, notification.params),
        _ => return false,
    };
    let addressed = method.starts_with("notifications/")
        || params.meta.value().is_some_and(|meta| {
            meta.protocol_version().value().is_some()
                && meta.client_capabilities().value().is_some()
        });
    method == expected && addressed && members_fit(&params)
}

fn members_fit(params: &Params<'_>) -> bool {
    let Params {
        name,
        uri,
        cursor,
        arguments,
        input_responses,
        request_state,
        reference,
        argument,
        context,
        request_id,
        reason,
        ..
    } = params;
    right(name)
        && right(uri)
        && right(cursor)
        && right(arguments)
        && right(input_responses)
        && right(request_state)
        && right(reference)
        && right(argument)
        && right(context)
        && right(request_id)
        && right(reason)
}

fn right<T>(slot: &Slot<T>) -> bool {
    matches!(slot, Slot::Absent | Slot::Value(_))
}
