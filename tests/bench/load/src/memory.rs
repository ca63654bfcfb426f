//! What the contenders hold.

use std::{net::TcpStream, path::PathBuf, time::Duration};

use bench_shared::frame;

use crate::{
    Failure, Plan,
    client::{Script, Turn, ask, load, probe},
    contender::{Contender, start},
    figures::{Figures, bytes, short},
    server::Server,
    table::Table,
    tell,
    verdict::{Goal, Verdict},
    work::{Post, Work},
};

const FEW: u64 = 10_000;
const MANY: u64 = 1_000_000;

/// How long the many may take; what is slower does fewer.
const BOUND: Duration = Duration::from_secs(40);

const ECHO: Work = Work::Echo(30);

pub(crate) fn measure(plan: &Plan, verdict: &mut Verdict) -> Result<String, Failure> {
    let mut table = Table::new([
        "Memory",
        "at rest",
        "after 10,000 calls",
        "after more",
        "calls",
        "most during 64 calls of 1 MiB at a time",
        "start to first answer, ms",
    ]);
    for contender in [
        Contender::Relay,
        Contender::RelayInAxum,
        Contender::RmcpFast,
        Contender::HyperTyped,
    ] {
        tell(&format!("memory of {}", contender.name()));
        table.row(row(plan, contender)?);
    }
    tell("counted memory");
    let (few, many) = counted(plan)?;
    verdict.note(Goal::MemoryGrowth, many as f64 / few as f64);
    Ok(format!(
        "### Memory and start\n\n{table}\n\
         Counted by its allocator, Relay holds {} after {} calls and {} after {}: {:.4} times as much.\n",
        bytes(few),
        short(FEW as f64),
        bytes(many),
        short((FEW + MANY) as f64),
        many as f64 / few as f64,
    ))
}

fn row(plan: &Plan, contender: Contender) -> Result<[String; 7], Failure> {
    let starts: Figures = (0..9)
        .map(|_| first_answer(plan, contender))
        .collect::<Result<_, _>>()?;
    let mut server = contender.start(plan, &ECHO.options())?;
    let address = server.address()?;
    let rest = server.memory("VmRSS")?;
    let script = Script::of(ECHO, &address.to_string());
    load(&server, address, &script, 64, Turn::counted(FEW, BOUND))?;
    let few = server.memory("VmRSS")?;
    let sample = load(&server, address, &script, 64, Turn::counted(MANY, BOUND))?;
    let many = server.memory("VmRSS")?;
    let calls = (sample.rate * BOUND.as_secs_f64()).min(MANY as f64);
    drop(server);

    let large = Work::Echo(1024 * 1024);
    let mut server = contender.start(plan, &large.options())?;
    let address = server.address()?;
    let script = Script::of(large, &address.to_string());
    load(&server, address, &script, 64, Turn::counted(640, BOUND))?;
    let most = server.memory("VmHWM")?;
    Ok([
        contender.name().to_owned(),
        bytes(rest),
        bytes(few),
        bytes(many),
        short(calls),
        bytes(most),
        starts.to_string(),
    ])
}

fn first_answer(plan: &Plan, contender: Contender) -> Result<f64, Failure> {
    let mut server = contender.start(plan, "")?;
    let address = server.address()?;
    if contender.is_floor() {
        ask(
            &mut TcpStream::connect(address)?,
            &ECHO.first(&address.to_string()),
        )?;
    } else {
        probe(address, ECHO)?;
    }
    Ok(server.started.elapsed().as_secs_f64() * 1e3)
}

/// What a Relay that counts says it holds, after few and after many calls.
fn counted(plan: &Plan) -> Result<(u64, u64), Failure> {
    let binary: PathBuf = plan.binaries.join("bench-relay-counted");
    let mut server = start(&binary, "http", "")?;
    let address = server.address()?;
    let host = address.to_string();
    let script = Script::of(ECHO, &host);
    let mut stream = TcpStream::connect(address)?;
    let held = |server: &Server, stream: &mut TcpStream, most| -> Result<u64, Failure> {
        load(server, address, &script, 64, Turn::counted(most, BOUND * 2))?;
        // The connections of the load are gone in a moment.
        std::thread::sleep(Duration::from_millis(300));
        let head = Post {
            host: &host,
            revision: Some(bench_shared::REVISION),
            token: None,
        };
        let body = frame("allocated", 1).ok_or("a kind of work")?;
        let answer: serde_json::Value =
            serde_json::from_slice(&ask(stream, &head.call("allocated", &body))?)?;
        let text = answer.pointer("/result/content/0/text");
        let text = text.and_then(serde_json::Value::as_str);
        Ok(text.ok_or("a text")?.parse()?)
    };
    let few = held(&server, &mut stream, FEW)?;
    let many = held(&server, &mut stream, MANY)?;
    Ok((few, many))
}
