//! How Relay's cost of a request grows.

use std::{net::TcpStream, rc::Rc};

use bench_shared::REVISION;

use crate::{
    Failure, Plan,
    client::{Sample, Script, Turn, ask, load, probe},
    contender::Contender,
    figures::{Figures, bytes, short, slope},
    table::Table,
    tell,
    work::{Post, Work},
};

pub(crate) fn measure(plan: &Plan) -> Result<String, Failure> {
    tell("growth");
    let mut table = Table::new(["Growing", "µs per request", "", "", "", "Slope"]);
    let echo = Work::Echo(30);
    table.row(series("tools, echo", [10, 100, 1_000, 10_000], |tools| {
        once(plan, &format!("--tools {tools}"), echo, 64)
    })?);
    table.row(series(
        "connections, echo",
        [1, 10, 100, 1_000],
        |connections| once(plan, "", echo, connections),
    )?);
    table.row(series(
        "bytes of text, echo",
        [100, 10_240, 1 << 20, 10 << 20],
        |size| once(plan, "--body 33554432", Work::Echo(size), 4),
    )?);
    table.row(series("principals, echo", [1, 10, 100, 1_000], |count| {
        of_principals(plan, count, |post| post.echo(30))
    })?);
    table.row(series(
        "principals, `tools/list` of 52 with a visibility policy",
        [1, 10, 100, 1_000],
        |count| {
            let body = bench_shared::frame("list", 1).unwrap_or_default();
            of_principals(plan, count, |post| post.post("tools/list", None, &body))
        },
    )?);
    Ok(format!(
        "### Growth of Relay's CPU time per request\n\n\
         The slope is the exponent: 0 where the cost stays, 1 where it doubles with what grows.\n\n{table}"
    ))
}

fn series(
    title: &str,
    points: [usize; 4],
    mut measure: impl FnMut(usize) -> Result<f64, Failure>,
) -> Result<Vec<String>, Failure> {
    let mut cells = vec![title.to_owned()];
    let mut measured = Vec::new();
    for point in points {
        tell(&format!("  {title}: {point}"));
        let cost = measure(point)?;
        measured.push((point as f64, cost));
        let shown = if title.starts_with("bytes") {
            bytes(point as u64)
        } else {
            short(point as f64)
        };
        cells.push(format!("{shown}: {}", short(cost)));
    }
    cells.push(format!("{:.3}", slope(&measured)));
    Ok(cells)
}

fn once(plan: &Plan, options: &str, work: Work, connections: usize) -> Result<f64, Failure> {
    let mut server = Contender::Relay.start(plan, options)?;
    let address = server.address()?;
    probe(address, work)?;
    let script = Script::of(work, &address.to_string());
    let turn = || load(&server, address, &script, connections, Turn::of(plan));
    median(plan, turn)
}

fn of_principals(
    plan: &Plan,
    count: usize,
    request: impl Fn(Post<'_>) -> Vec<u8>,
) -> Result<f64, Failure> {
    let mut server = Contender::Relay.start(plan, &format!("--principals {count}"))?;
    let address = server.address()?;
    let host = address.to_string();
    let requests = (0..count).map(|number| {
        let token = format!("Bearer token-{number:05}");
        Rc::from(request(Post {
            host: &host,
            revision: Some(REVISION),
            token: Some(&token),
        }))
    });
    let requests: Vec<Rc<[u8]>> = requests.collect();
    let first = requests.first().ok_or("a principal")?;
    let answer = ask(&mut TcpStream::connect(address)?, first)?;
    if !answer.windows(9).any(|bytes| bytes == b"\"result\":") {
        return Err(String::from_utf8_lossy(&answer).into());
    }
    // Enough connections that every principal asks.
    let script = Script::Fixed(requests);
    median(plan, || {
        load(&server, address, &script, count.max(64), Turn::of(plan))
    })
}

fn median(plan: &Plan, turn: impl Fn() -> Result<Sample, Failure>) -> Result<f64, Failure> {
    let costs: Figures = (0..plan.rounds.min(3))
        .map(|_| Ok::<_, Failure>(turn()?.cpu))
        .collect::<Result<_, _>>()?;
    Ok(costs.median())
}
