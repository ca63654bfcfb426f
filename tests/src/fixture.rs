//! The server that protocol tests talk to: small tools with one odd habit each.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use relay_core::{
    Call, ClientCapabilities, Error, LogLevel, Progress, Prompt, Read, Reply, Resource, Server,
    Tool, codec, completion, content, prompt,
    resource::{self, Entry},
    tool,
};
use serde_json::{Map, Value, json};
use tokio::time::sleep;

/// Whom a call is for.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Guest {
    /// Sees and may call everything.
    pub admin: bool,
}

impl Guest {
    /// A guest who sees everything.
    #[must_use]
    pub fn admin() -> Self {
        Self { admin: true }
    }
}

/// The name of the tool, prompt and resource that only an admin can see.
pub const HIDDEN: &str = "ledger";

/// The server, with logging on.
#[must_use]
pub fn server() -> Server<Guest> {
    let mut tools = vec![echo(), add(), rows(), noargs(), picture(), wrong_output()];
    tools.extend([
        pause(),
        boom(),
        fails(),
        leaks(),
        counts(),
        logs(),
        needs_sampling(),
        hidden(),
        denied(),
    ]);
    Server::new(tools)
        .with_info("fixture", "1.2.3")
        .with_instructions("Call echo.")
        .with_logging(true)
        .with_resources([about(), binary(), note(), unreadable(), empty(), secret()])
        .with_prompts([greet(), review(), broken(), hidden_prompt()])
        .with_tool_visibility(|guest: &Guest, tool| guest.admin || tool.name() != HIDDEN)
        .with_tool_callability(|guest: &Guest, tool| guest.admin || tool.name() != "denied")
        .with_resource_access(|guest: &Guest, resource| guest.admin || resource.name() != HIDDEN)
        .with_prompt_access(|guest: &Guest, prompt| guest.admin || prompt.name() != HIDDEN)
}

fn echo() -> Tool<Guest> {
    tool::define(
        "echo",
        codec::object(codec::field("text", codec::string())),
        codec::string(),
    )
    .with_description("Says it again")
    .with_title("Echo")
    .read_only(true)
    .handle(|text: String| async move { Ok(text) })
}

fn add() -> Tool<Guest> {
    let addend = |name| codec::field(name, codec::integer::<i64>());
    tool::define(
        "add",
        codec::object((addend("a"), addend("b"))),
        codec::integer::<i64>(),
    )
    .with_description("Adds")
    .handle(|(a, b): (i64, i64)| async move {
        a.checked_add(b)
            .ok_or_else(|| Error::new("the sum is too large"))
    })
}

fn rows() -> Tool<Guest> {
    tool::define(
        "rows",
        codec::object(()),
        codec::list(codec::integer::<u8>()),
    )
    .handle(|()| async { Ok(vec![1_u8, 2, 3]) })
}

fn noargs() -> Tool<Guest> {
    tool::define("noargs", codec::object(()), codec::string())
        .handle(|()| async { Ok("done".to_owned()) })
}

fn picture() -> Tool<Guest> {
    tool::define("pic", codec::object(()), tool::content()).handle(|()| async {
        Ok(vec![
            content::image([0x89, b'P', b'N', b'G'], "image/png"),
            content::audio([b'R', b'I', b'F', b'F'], "audio/wav"),
            content::link("note://1", "first note"),
            content::resource(
                "note://2",
                resource::text("two").with_mime_type("text/plain"),
            ),
        ])
    })
}

fn wrong_output() -> Tool<Guest> {
    tool::define("nan", codec::object(()), codec::number()).handle(|()| async { Ok(f64::NAN) })
}

/// Reports progress every 10 ms, for as long as it was told.
fn pause() -> Tool<Guest> {
    let input = codec::object(codec::field("ms", codec::integer::<u32>()));
    tool::define("sleep", input, codec::string())
        .with_deadline(Duration::from_secs(3600))
        .handle_call(|call: Call<Guest>, ms: u32| async move {
            for step in 0..ms / 10 {
                call.progress(Progress::new(f64::from(step + 1)).with_total(f64::from(ms / 10)));
                tokio::select! {
                    () = sleep(Duration::from_millis(10)) => {}
                    () = call.cancelled() => return Err(Error::new("cancelled")),
                }
            }
            Ok("slept".to_owned())
        })
}

#[expect(clippy::panic, reason = "the tool that panics")]
fn boom() -> Tool<Guest> {
    tool::define("boom", codec::object(()), codec::string()).handle(|()| async {
        if true {
            panic!("at /etc/secret")
        } else {
            Ok(String::new())
        }
    })
}

fn fails() -> Tool<Guest> {
    tool::define("fails", codec::object(()), codec::string()).handle(|()| async {
        Err::<String, _>(
            Error::new("the shop is closed").with_content([content::text("until nine")]),
        )
    })
}

fn leaks() -> Tool<Guest> {
    tool::define("leaks", codec::object(()), codec::string()).handle(|()| async {
        Err::<String, _>(std::io::Error::other("password in /etc/secret").into())
    })
}

/// Reports what it should not: equal, falling and meaningless values.
fn counts() -> Tool<Guest> {
    tool::define("counts", codec::object(()), codec::string()).handle_call(
        |call: Call<Guest>, ()| async move {
            for value in [1.0, 1.0, 2.0, 1.5, f64::NAN, 3.0] {
                call.progress(
                    Progress::new(value)
                        .with_total(3.0)
                        .with_message("counting"),
                );
                sleep(Duration::from_millis(50)).await;
            }
            Ok("counted".to_owned())
        },
    )
}

fn logs() -> Tool<Guest> {
    tool::define("logs", codec::object(()), codec::string()).handle_call(
        |call: Call<Guest>, ()| async move {
            for level in LogLevel::ALL {
                call.log(level, level.as_str()).await;
            }
            Ok("logged".to_owned())
        },
    )
}

fn needs_sampling() -> Tool<Guest> {
    tool::define("samples", codec::object(()), codec::string())
        .with_required_capabilities(ClientCapabilities::new().with_sampling())
        .handle(|()| async { Ok("sampled".to_owned()) })
}

fn hidden() -> Tool<Guest> {
    tool::define(HIDDEN, codec::object(()), codec::string())
        .handle(|()| async { Ok("gold".to_owned()) })
}

fn denied() -> Tool<Guest> {
    tool::define("denied", codec::object(()), codec::string())
        .handle(|()| async { Ok("allowed".to_owned()) })
}

fn about() -> Resource<Guest> {
    resource::direct("fixture://about", "about")
        .with_mime_type("text/plain")
        .handle(|_: Read<Guest>| async { Ok(vec![resource::text("a server for tests")]) })
}

fn binary() -> Resource<Guest> {
    resource::direct("fixture://binary", "binary")
        .with_mime_type("image/png")
        .with_size(4)
        .handle(|_: Read<Guest>| async { Ok(vec![resource::blob([0x89, b'P', b'N', b'G'])]) })
}

/// Notes 1 to 5.
fn note() -> Resource<Guest> {
    resource::template("note://{id}", "note")
        .with_mime_type("text/markdown")
        .complete("id", |_: Call<Guest>, typed: String| async move {
            Ok((1..=120)
                .map(|id| id.to_string())
                .filter(|id| id.starts_with(&typed))
                .collect::<Vec<_>>())
        })
        .list(
            |_: Call<Guest>, after: Option<String>, limit: usize| async move {
                let all = (1..=5).map(|id| format!("note://{id}"));
                let rest = all.filter(|uri| after.as_ref().is_none_or(|after| uri > after));
                Ok(rest
                    .take(limit)
                    .map(|uri| Entry::new(uri.clone(), uri))
                    .collect())
            },
        )
        .handle(|read: Read<Guest>| async move {
            match read.parse::<u32>("id")? {
                id @ 1..=5 => Ok(vec![resource::text(format!("note {id}"))]),
                _ => Err(Error::not_found()),
            }
        })
}

fn unreadable() -> Resource<Guest> {
    resource::direct("fixture://unreadable", "unreadable").handle(|_: Read<Guest>| async {
        Err::<Vec<resource::Contents>, _>(
            std::io::Error::other("no permission for /etc/secret").into(),
        )
    })
}

fn empty() -> Resource<Guest> {
    resource::direct("fixture://empty", "empty").handle(|_: Read<Guest>| async { Ok(Vec::new()) })
}

fn secret() -> Resource<Guest> {
    resource::direct("fixture://ledger", HIDDEN)
        .handle(|_: Read<Guest>| async { Ok(vec![resource::text("gold")]) })
}

fn greet() -> Prompt<Guest> {
    prompt::define("greet", prompt::optional("name"))
        .with_description("Greets")
        .handle(|name: Option<String>| async move {
            let name = name.unwrap_or_else(|| "nobody".to_owned());
            Ok(vec![
                prompt::user(format!("Say hello to {name}.")),
                prompt::assistant("Hello."),
            ])
        })
}

fn review() -> Prompt<Guest> {
    prompt::define(
        "review",
        (
            prompt::required("code"),
            prompt::defaulted("language", "rust"),
        ),
    )
    .complete("language", |call: Call<Guest>, typed: String| async move {
        let seen = call.completed_arguments().count();
        let languages = ["python", "rust"]
            .into_iter()
            .filter(|language| language.starts_with(&typed));
        Ok(completion::Completion::new(languages).with_total(2 + seen))
    })
    .handle(|(code, language): (String, String)| async move {
        Ok(vec![prompt::user(format!(
            "Review this {language}:\n{code}"
        ))])
    })
}

fn broken() -> Prompt<Guest> {
    prompt::define("broken", ()).handle(|()| async {
        Err::<Vec<prompt::Message>, _>(std::io::Error::other("password in /etc/secret").into())
    })
}

fn hidden_prompt() -> Prompt<Guest> {
    prompt::define(HIDDEN, ()).handle(|()| async { Ok(vec![prompt::user("gold")]) })
}

/// The server, with tools that show what a handler sees of a request, and that send what only the
/// server itself should.
///
/// # Panics
///
/// If a tool's name is taken.
#[must_use]
#[expect(clippy::expect_used, reason = "the names are all here")]
pub fn inspecting() -> Server<Guest> {
    [sees(), big_id(), refuses(), impostor(), asks()]
        .into_iter()
        .fold(server(), |server, tool| {
            server.register_tool(tool).expect("the name is free")
        })
}

/// The server, with a tool named `count`, and how often that has run.
///
/// # Panics
///
/// If the tool's name is taken.
#[must_use]
#[expect(clippy::expect_used, reason = "the names are all here")]
pub fn counting() -> (Server<Guest>, Arc<AtomicUsize>) {
    let runs = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&runs);
    let count =
        tool::define("count", codec::object(()), codec::integer::<u32>()).handle(move |()| {
            let counter = Arc::clone(&counter);
            async move { Ok(u32::try_from(counter.fetch_add(1, Ordering::Relaxed))?) }
        });
    let server = server().register_tool(count).expect("the name is free");
    (server, runs)
}

/// What a handler sees of its request, as JSON.
fn sees() -> Tool<Guest> {
    tool::define("sees", codec::object(()), codec::string()).handle_call(
        |call: Call<Guest>, ()| async move {
            let meta: Map<String, Value> = call
                .meta()
                .iter()
                .map(|(key, value)| (key.to_owned(), value.clone()))
                .collect();
            let seen = json!({
                "id": call.request_id(),
                "revision": call.client().revision(),
                "client": call.client().info(),
                "capabilities": call.client().capabilities(),
                "meta": meta,
                "correlation": call.correlation(),
            });
            Ok(seen.to_string())
        },
    )
}

/// Gives back a number as it came.
fn big_id() -> Tool<Guest> {
    let id = || codec::object(codec::field("id", codec::integer::<u64>()));
    tool::define("bigid", id(), id()).handle(|id: u64| async move { Ok(id) })
}

/// Fails with a code of its choice.
fn refuses() -> Tool<Guest> {
    let input = codec::object(codec::field("code", codec::integer::<i32>()));
    tool::define("refuses", input, codec::string()).handle(|code: i32| async move {
        let data = json!({ "why": "because" });
        Err::<String, _>(Error::protocol(code.into(), "not like this", data))
    })
}

/// Says that another server has answered.
fn impostor() -> Tool<Guest> {
    tool::define("impostor", codec::object(()), codec::string()).handle(|()| async {
        let info = json!({ "name": "another", "version": "9" });
        Ok(Reply::structured("it was not me".to_owned())
            .with_meta("io.modelcontextprotocol/serverInfo", info))
    })
}

fn asks() -> Tool<Guest> {
    tool::define("asks", codec::object(()), codec::string())
        .with_required_capabilities(ClientCapabilities::new().with_elicitation())
        .handle(|()| async { Ok("asked".to_owned()) })
}
