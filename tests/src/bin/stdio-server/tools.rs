//! What a transport has to bear.

use std::{
    io::{self, Write as _},
    process::Command,
    sync::{LazyLock, Mutex, PoisonError},
    thread,
    time::Duration,
};

use relay_core::{
    Call, Error, Prompt, Read, Resource, Server, Tool, codec, prompt,
    resource::{self, Contents},
    tool,
};
use relay_tests::fixture::{self, Guest};
use tokio::{task, time::sleep};

/// The fixture's tools and those here; resources and prompts that panic.
pub(crate) fn server() -> Server<Guest> {
    let bad = [
        prints(),
        stalls(),
        waits(),
        deaf(),
        lingers(),
        locks(),
        whoami(),
    ];
    bad.into_iter()
        .try_fold(fixture::server(), |server, tool| server.register_tool(tool))
        .unwrap_or_else(|_taken| Server::new([]))
        .with_resources([panicking_resource()])
        .with_prompts([panicking_prompt()])
}

/// Says something on stderr, where a test waits for it.
fn say(text: &str) -> Result<(), Error> {
    writeln!(io::stderr(), "{text}").map_err(Error::from)
}

/// Writes to stdout, and has a child that writes there, reads stdin to its end, and says what it
/// has open.
fn prints() -> Tool<Guest> {
    const CHILD: &str = "echo from the child; cat; echo the child read everything
        for fd in /proc/$$/fd/*; do echo open: $(readlink $fd); done";
    #[expect(
        clippy::print_stdout,
        reason = "a stray print is what this tool is for"
    )]
    tool::define("prints", codec::object(()), codec::string()).handle(|()| async {
        println!("from the tool");
        io::stdout().write_all(b"{\"jsonrpc\":\"2.0\",")?;
        io::stdout().flush()?;
        let child = Command::new("sh").args(["-c", CHILD]).status()?;
        Ok(child.to_string())
    })
}

/// Holds up its thread.
#[expect(
    clippy::disallowed_methods,
    reason = "a handler that blocks is what this tool is for"
)]
fn stalls() -> Tool<Guest> {
    let input = codec::object(codec::field("ms", codec::integer::<u32>()));
    tool::define("stalls", input, codec::string()).handle(|ms: u32| async move {
        say("stalling")?;
        thread::sleep(Duration::from_millis(ms.into()));
        Ok("stalled".to_owned())
    })
}

/// Ends when it is cancelled, and says so.
fn waits() -> Tool<Guest> {
    tool::define("waits", codec::object(()), codec::string()).handle_call(
        |call: Call<Guest>, ()| async move {
            say("waiting")?;
            call.cancelled().await;
            say("cancelled")?;
            Ok("cancelled".to_owned())
        },
    )
}

/// Does not care whether it is cancelled; says when it is done.
fn deaf() -> Tool<Guest> {
    let input = codec::object(codec::field("ms", codec::integer::<u32>()));
    tool::define("deaf", input, codec::string()).handle(|ms: u32| async move {
        say("deaf begins")?;
        sleep(Duration::from_millis(ms.into())).await;
        say("deaf ends")?;
        Ok("done".to_owned())
    })
}

/// Leaves a task, a blocked thread and a child process behind. The answer is the child's id.
#[expect(
    clippy::disallowed_methods,
    reason = "what outlives its request is what this tool is for"
)]
fn lingers() -> Tool<Guest> {
    tool::define("lingers", codec::object(()), codec::integer::<u32>()).handle(|()| async {
        let long = Duration::from_secs(600);
        drop(tokio::spawn(sleep(long)));
        drop(task::spawn_blocking(move || thread::sleep(long)));
        let child = Command::new("sleep").arg("600").spawn()?;
        Ok(child.id())
    })
}

static CALLS: LazyLock<Mutex<u32>> = LazyLock::new(Mutex::default);

/// Counts its calls under a lock, and panics under it where asked to.
fn locks() -> Tool<Guest> {
    let input = codec::object(codec::field("panic", codec::boolean()));
    tool::define("locks", input, codec::integer::<u32>()).handle(|panic: bool| async move {
        let mut calls = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
        *calls += 1;
        if panic {
            return panics();
        }
        Ok(*calls)
    })
}

/// Who the peer is.
fn whoami() -> Tool<Guest> {
    tool::define("whoami", codec::object(()), codec::string()).handle_call(
        |call: Call<Guest>, ()| async move {
            let principal = call.principal();
            Ok(principal
                .map_or("nobody", |principal| principal.subject())
                .to_owned())
        },
    )
}

fn panicking_resource() -> Resource<Guest> {
    resource::direct("fixture://panics", "panics")
        .handle(|_: Read<Guest>| async { panics::<Vec<Contents>>() })
}

fn panicking_prompt() -> Prompt<Guest> {
    prompt::define("panics", prompt::optional("topic"))
        .complete("topic", |_: Call<Guest>, _: String| async {
            panics::<Vec<String>>()
        })
        .handle(|_: Option<String>| async { panics::<Vec<prompt::Message>>() })
}

#[expect(clippy::panic, reason = "a panic is what this is for")]
fn panics<T>() -> Result<T, Error> {
    panic!("in /etc/secret")
}
