//! A server that has everything that some revision does not know.

use relay_core::{
    Reply, Resource, Revision, Server, codec,
    content::{self, Annotations, Icon, Role},
    prompt,
    resource::{self, Entry},
    tool,
};
use relay_tests::{fixture::Guest, wire::Wire};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

const EXTENSION: &str = "com.example/search";

fn icon() -> [Icon; 1] {
    [Icon::new("https://example.com/icon.png").with_mime_type("image/png")]
}

fn dated() -> Annotations {
    Annotations::new()
        .with_audience([Role::User])
        .with_priority(0.5)
        .with_last_modified("2026-07-28T09:30:00Z")
}

/// A tree, whose schema refers to itself.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Node {
    name: String,
    children: Vec<Self>,
}

/// An argument that a proxy may route by.
#[derive(Deserialize, JsonSchema)]
struct Routed {
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
}

pub(crate) fn forest() -> Vec<Node> {
    let leaf = Node {
        name: "leaf".to_owned(),
        children: Vec::new(),
    };
    vec![Node {
        name: "root".to_owned(),
        children: vec![leaf],
    }]
}

/// A server that has everything that some revision does not know.
pub(crate) fn dressed() -> Server<Guest> {
    let blocks = || {
        vec![
            content::text("text")
                .with_annotations(dated())
                .with_meta("com.example/x", 1),
            content::audio(b"RIFF", "audio/wav"),
            content::link("doc://1", "first").with_description("The first"),
            content::resource(
                "doc://2",
                resource::text("two").with_meta("com.example/x", 1),
            ),
        ]
    };
    let show = tool::define("show", codec::object(()), tool::content())
        .with_title("Show")
        .with_icons(icon())
        .with_meta("com.example/x", 1)
        .read_only(true)
        .handle(
            move |()| async move { Ok(Reply::structured(blocks()).with_meta("com.example/x", 1)) },
        );
    let grow = tool::define("grow", codec::object(()), codec::output::<Vec<Node>>())
        .handle(|()| async { Ok(forest()) });
    let plain = tool::define("plain", codec::object(()), codec::list(codec::boolean()))
        .with_text_copy(false)
        .handle(|()| async { Ok(vec![true, false]) });
    let flat = tool::define(
        "flat",
        codec::object(()),
        codec::object(codec::field("n", codec::integer::<u8>())),
    )
    .handle(|()| async { Ok(7) });
    let routed = tool::define("routed", codec::input::<Routed>(), codec::string())
        .handle(|routed: Routed| async move { Ok(routed.region) });
    let ask = prompt::define("ask", prompt::optional("what").with_title("What"))
        .with_title("Ask")
        .with_icons(icon())
        .with_meta("com.example/x", 1)
        .handle(|_: Option<String>| async {
            Ok(vec![prompt::user(
                content::link("doc://1", "first").with_meta("com.example/x", 1),
            )])
        });
    Server::new([show, grow, plain, flat, routed])
        .with_info("dressed", "1")
        .with_title("Dressed")
        .with_description("Has everything")
        .with_website_url("https://example.com")
        .with_icons(icon())
        .with_extension(EXTENSION, Map::new())
        .with_prompts([ask])
        .with_resources([direct(), template()])
}

fn direct() -> Resource<Guest> {
    resource::direct("doc://1", "first")
        .with_title("First")
        .with_icons(icon())
        .with_meta("com.example/x", 1)
        .with_annotations(dated())
        .handle(|_| async { Ok(vec![resource::text("one").with_meta("com.example/x", 1)]) })
}

fn template() -> Resource<Guest> {
    resource::template("page://{n}", "page")
        .with_title("Page")
        .with_icons(icon())
        .with_meta("com.example/x", 1)
        .with_annotations(dated())
        .list(|_, after, _| async move {
            let entry = Entry::new("page://1", "page 1")
                .with_title("Page 1")
                .with_annotations(dated());
            Ok(after
                .is_none()
                .then(|| entry.with_meta("com.example/x", 1))
                .into_iter()
                .collect())
        })
        .handle(|_| async { Ok(vec![resource::text("a page")]) })
}

const REQUESTS: [(&str, &str); 10] = [
    ("tools/list", "{}"),
    ("tools/call", r#"{"name":"show"}"#),
    ("tools/call", r#"{"name":"grow"}"#),
    ("tools/call", r#"{"name":"plain"}"#),
    ("tools/call", r#"{"name":"flat"}"#),
    ("prompts/list", "{}"),
    ("prompts/get", r#"{"name":"ask"}"#),
    ("resources/list", "{}"),
    ("resources/templates/list", "{}"),
    ("resources/read", r#"{"uri":"doc://1"}"#),
];

/// Everything that a revision's client sees of the server, its greeting first.
pub(crate) async fn seen(revision: Revision) -> Vec<Value> {
    let mut wire = Wire::new(dressed(), Guest::default()).speaking(revision);
    let greeting = if revision.is_modern() {
        wire.result("server/discover", json!({})).await
    } else {
        let client = json!({ "name": "c", "version": "1" });
        let params =
            json!({ "protocolVersion": revision, "capabilities": {}, "clientInfo": client });
        wire.result("initialize", params).await
    };
    let mut seen = vec![greeting];
    for (method, params) in REQUESTS {
        let params = serde_json::from_str(params).unwrap_or_default();
        seen.push(wire.result(method, params).await);
    }
    seen
}
