//! What is hidden where something that is seen answers in its place.

use relay_core::{
    Call, Error, Read, Resource, Revision, Server,
    completion::{Reference, Request},
    prompt,
    resource::{self, Contents},
    uri_template::Variables,
};
use serde_json::{Value, json};

use super::{ADMIN, Caller, GUEST, HIDDEN, admits, bytes};
use crate::eras::connect;

/// What is hidden, and first in every order.
fn hidden() -> [Resource<Caller>; 3] {
    // A matcher of the author's own is compared with no other template.
    let greedy = resource::template("greedy://{id}", "ledger of all")
        .with_matcher(|uri| {
            let known = uri.starts_with("note://") || uri.starts_with("greedy://");
            known.then(|| Variables::from_iter([("id", HIDDEN)]))
        })
        .complete("id", |_: Call<Caller>, _: String| async {
            Ok(vec![HIDDEN])
        })
        .handle(told);
    let direct = resource::direct("note://7", HIDDEN).handle(told);
    let bare = resource::template("plain://it", HIDDEN).handle(told);
    [greedy, direct, bare]
}

fn shown() -> [Resource<Caller>; 2] {
    let note = resource::template("note://{id}", "note")
        .complete("id", |_: Call<Caller>, _: String| async {
            Ok(vec!["note"])
        })
        .handle(told);
    let plain = resource::direct("plain://it", "plain").handle(told);
    [note, plain]
}

/// Tells a template's reader from another's, and from a direct resource's.
async fn told(read: Read<Caller>) -> Result<Vec<Contents>, Error> {
    Ok(vec![resource::text(
        read.variable("id").unwrap_or("direct"),
    )])
}

fn server(with_hidden: bool) -> Server<Caller> {
    let hidden = hidden().into_iter().filter(|_| with_hidden);
    let prompts = [HIDDEN, "alpha"].map(|name| prompt::define(name, prompt::required("x")));
    let prompts = prompts.map(|prompt| prompt.handle(|_| async { Ok(Vec::new()) }));
    Server::new([])
        .with_resources(hidden.chain(shown()))
        .with_prompts(prompts.into_iter().skip(usize::from(!with_hidden)))
        .with_completion(|_: Call<Caller>, request: Request| async move {
            Ok(match request.reference {
                Reference::Prompt(of) | Reference::Resource(of) => vec![of.to_string()],
                _ => Vec::new(),
            })
        })
        .with_resource_access(|caller: &Caller, resource| admits(*caller, resource.name()))
        .with_prompt_access(|caller: &Caller, prompt| admits(*caller, prompt.name()))
}

/// Reads and completions of what is hidden, of what is beside it, and of what is not there.
fn requests() -> Vec<(&'static str, Value)> {
    let uris = [
        "note://7",
        "note://8",
        "note://{id}",
        "greedy://7",
        "greedy://{id}",
        "plain://it",
        "nothing://7",
    ];
    let reads = uris.map(|uri| ("resources/read", json!({ "uri": uri })));
    let resources = uris.map(|uri| json!({ "type": "ref/resource", "uri": uri }));
    let prompts = [HIDDEN, "alpha", "nothing"];
    let prompts = prompts.map(|name| json!({ "type": "ref/prompt", "name": name }));
    let completions = resources.into_iter().chain(prompts).flat_map(|reference| {
        ["id", "x"].map(|name| {
            let argument = json!({ "name": name, "value": "" });
            let params = json!({ "ref": reference, "argument": argument });
            ("completion/complete", params)
        })
    });
    reads.into_iter().chain(completions).collect()
}

// RES-07, COMP-03, TPL-02
#[tokio::test]
async fn what_is_seen_answers_as_if_nothing_hidden_were_beside_it() {
    let (with, without) = (server(true), server(false));
    for revision in Revision::ALL {
        let mut admins = 0;
        for (method, params) in requests() {
            let mut wire = connect(&with, GUEST, revision).await;
            let request = wire.request(method, &params);
            let sent = wire.send(&request).await;
            let own = bytes(&with, revision, &request).await;
            let absent = bytes(&without, revision, &request).await;
            assert_eq!(
                String::from_utf8_lossy(&own),
                String::from_utf8_lossy(&absent),
                "{revision} {request}"
            );
            let mut admin = connect(&with, ADMIN, revision).await;
            let request = admin.request(method, &params);
            admins += usize::from(admin.send(&request).await != sent);
        }
        assert!(admins > 0, "an admin sees what is hidden");
    }
}

// RES-07, COMP-03, TPL-02
#[tokio::test]
async fn a_template_answers_for_a_uri_that_is_hidden() {
    for revision in Revision::ALL {
        let mut guest = connect(&server(true), GUEST, revision).await;
        let mut admin = connect(&server(true), ADMIN, revision).await;
        for (uri, seen, all) in [
            ("note://7", "7", "direct"),
            ("note://8", "8", HIDDEN),
            ("plain://it", "direct", "direct"),
        ] {
            for (wire, text) in [(&mut guest, seen), (&mut admin, all)] {
                let read = wire.result("resources/read", json!({ "uri": uri })).await;
                assert_eq!(read["contents"][0]["text"], text, "{revision} {uri}");
            }
        }
        let params = json!({
            "ref": { "type": "ref/resource", "uri": "note://7" },
            "argument": { "name": "id", "value": "" },
        });
        let completed = guest.result("completion/complete", params).await;
        assert_eq!(completed["completion"]["values"], json!(["note"]));
    }
}
