//! T: arguments as models shape them, and which kind of error is answered.

use relay_core::{Server, Tool, codec, tool};
use relay_tests::fixture::{self, Guest};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{super::support::LEGACY, Everywhere, call, in_era, modern};

#[derive(Deserialize, JsonSchema)]
struct Search {
    q: String,
    limit: Option<u32>,
    tags: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Tree {
    label: Option<String>,
    children: Option<Vec<Self>>,
}

impl Tree {
    fn count(&self) -> usize {
        let labelled = usize::from(self.label.is_some());
        let children = self.children.iter().flatten();
        labelled + children.map(Self::count).sum::<usize>()
    }
}

#[derive(Deserialize, JsonSchema)]
struct Trip {
    from: Stop,
}

#[derive(Deserialize, JsonSchema)]
struct Stop {
    city: String,
}

fn server() -> Server<Guest> {
    let search: Tool<Guest> = tool::define("opt", codec::input::<Search>(), codec::string())
        .handle(|search: Search| async move {
            Ok(format!("{} {:?} {:?}", search.q, search.limit, search.tags))
        });
    let tree = tool::define("tree", codec::input::<Tree>(), codec::integer::<u64>())
        .handle(|tree: Tree| async move { Ok(tree.count() as u64) });
    let trip = tool::define("trip", codec::input::<Trip>(), codec::string())
        .handle(|trip: Trip| async move { Ok(trip.from.city) });
    [search, tree, trip]
        .into_iter()
        .fold(fixture::inspecting(), |server, tool| {
            server.register_tool(tool).expect("a free name")
        })
}

// T07, TOOL-07, LF-04, LF-05
#[tokio::test]
async fn what_does_not_fit_is_told_to_the_model() {
    let mut servers = vec![Everywhere::new(server())];
    for revision in LEGACY {
        servers.push(Everywhere::legacy(server(), revision).await);
    }
    for server in &mut servers {
        for (tool, arguments, said) in [
            ("add", r#"{"a":3.0,"b":1e2}"#, "103"),
            ("opt", r#"{"q":"x","tags":["a"]}"#, r#"x None ["a"]"#),
            ("opt", r#"{"q":"x","tags":[],"limit":null}"#, "x None []"),
            ("opt", r#"{"q":"x","tags":[],"limit":7.0}"#, "x Some(7) []"),
            // A derived type takes what it does not know, unless it says otherwise.
            ("opt", r#"{"q":"x","tags":[],"zz":1}"#, "x None []"),
            (
                "tree",
                r#"{"label":"a","children":[{"label":"b"},{}]}"#,
                "2",
            ),
            ("trip", r#"{"from":{"city":"Köln"}}"#, "Köln"),
        ] {
            let answer = server.ask(in_era(server.revision, tool, arguments)).await;
            assert_eq!(answer.outcome(), (200, 0));
            assert!(!answer.is_error(), "{}", answer.text);
            assert_eq!(answer.said(), said, "{tool} {arguments}");
        }
        for (tool, arguments, field, expected, came) in [
            ("add", r#"{"a":"3","b":4}"#, "/a: ", "integer", "\"3\""),
            ("add", r#"{"a":3.5,"b":1}"#, "/a: ", "integer", "3.5"),
            ("add", r#"{"a":true,"b":1}"#, "/a: ", "integer", "true"),
            ("add", r#"{"a":1}"#, "/b: ", "integer", "missing"),
            ("add", r#"{"a":1,"b":2,"zz":3}"#, "/zz: ", "unknown", ""),
            (
                "opt",
                r#"{"q":"x","tags":"[\"a\"]"}"#,
                "/tags: ",
                "list",
                r#"[\"a\"]"#,
            ),
            ("opt", r#"{"q":"x"}"#, "/tags: ", "list", "missing"),
            (
                "tree",
                r#"{"children":"[{}]"}"#,
                "/children: ",
                "list",
                "[{}]",
            ),
            (
                "trip",
                r#"{"from":"{\"city\":\"x\"}"}"#,
                "/from: ",
                "object",
                "city",
            ),
        ] {
            let answer = server.ask(in_era(server.revision, tool, arguments)).await;
            assert_eq!(answer.outcome(), (200, 0), "{tool} {arguments}");
            assert!(answer.is_error(), "{tool} {arguments}");
            let said = answer.said();
            assert!(said.starts_with(field), "{tool} {arguments}: {said}");
            assert!(said.contains(expected) && said.contains(came), "{said}");
        }
    }
}

// T10, TOOL-05, TOOL-06, TOOL-07, TOOL-08
#[tokio::test]
async fn each_mistake_has_its_kind_of_error() {
    let mut server = Everywhere::new(server());
    for params in [
        r#"{"name":"nothing"}"#,
        r#"{"name":"Ünï"}"#,
        r#"{"name":""}"#,
        r#"{"name":5}"#,
        r#"{"name":null}"#,
        r#"{"arguments":{}}"#,
        r#"{"name":"echo","arguments":[]}"#,
        r#"{"name":"nothing","arguments":[]}"#,
    ] {
        let answer = server.ask(modern("1", "tools/call", params)).await;
        assert_eq!(answer.outcome(), (200, -32602), "{params}");
    }
    for (frame, said) in [
        (call("echo", r#"{"text":5}"#), "/text: "),
        (call("fails", "{}"), "the shop is closed"),
        (call("leaks", "{}"), "The tool failed."),
    ] {
        let answer = server.ask(frame).await;
        assert_eq!(answer.outcome(), (200, 0));
        assert!(
            answer.is_error() && answer.said().starts_with(said),
            "{}",
            answer.text
        );
        assert!(!answer.text.contains("secret"), "{}", answer.text);
    }
}
