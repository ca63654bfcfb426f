//! Every contender over HTTP.

use std::{env, fs, net::SocketAddr, process};

use crate::{
    Failure, Plan,
    client::{Script, Turn, load, probe},
    contender::Contender,
    rounds::{Figure, Row},
    server::Server,
    table::Table,
    tell,
    verdict::{Goal, Verdict},
    work::Work,
};

const KIB: usize = 1024;

/// What is measured at how many connections.
fn rows(quick: bool) -> Vec<(Work, Vec<usize>)> {
    let one = |work| (work, vec![64]);
    if quick {
        return [Work::Echo(30), Work::List, Work::Book].map(one).into();
    }
    let four = |work| (work, vec![1, 16, 64, 256]);
    vec![
        four(Work::Echo(30)),
        one(Work::Echo(10 * KIB)),
        (Work::Echo(KIB * KIB), vec![1, 16]),
        four(Work::Book),
        one(Work::BookBuilt),
        one(Work::Count),
        four(Work::List),
        one(Work::Page(10_000)),
        one(Work::Walk),
        one(Work::Discover),
        one(Work::Legacy),
    ]
}

/// Where a contender can't do the same work: its lists have no pages, or it wants a session.
fn is_able(contender: Contender, work: Work) -> bool {
    match contender {
        Contender::RmcpFast => !matches!(work, Work::Page(_) | Work::Walk),
        Contender::RmcpDefault => !matches!(work, Work::Page(_) | Work::Walk | Work::Legacy),
        Contender::HyperTyped | Contender::HyperNothing => !work.is_chain(),
        Contender::Relay | Contender::RelayInAxum => true,
    }
}

pub(crate) fn measure(plan: &Plan, verdict: &mut Verdict) -> Result<String, Failure> {
    let names = Contender::ALL.map(Contender::name);
    let head = || ["Work", "Connections"].into_iter().chain(names);
    let (mut cpu, mut rate) = (Table::new(head()), Table::new(head()));
    let mut ratios = Table::new([
        "CPU time per request of Relay over",
        "Connections",
        "hyper, typed",
        "hyper, nothing",
        "rmcp, fastest",
        "rmcp, defaults",
        "in axum over `serve`",
    ]);
    for (work, connections) in rows(plan.quick) {
        tell(&work.to_string());
        let mut servers = start(plan, work)?;
        for count in connections {
            let row = Row::measure(work.to_string(), &mut servers, plan.rounds, |server| {
                let script = Script::of(work, &server.address.to_string());
                load(
                    &server.process,
                    server.address,
                    &script,
                    count,
                    Turn::of(plan),
                )
            })?;
            let lead = [row.title.clone(), count.to_string()];
            cpu.row(lead.clone().into_iter().chain(row.cells(Figure::Cpu)));
            rate.row(lead.clone().into_iter().chain(row.cells(Figure::Rate)));
            let ratio = |one, other| {
                row.ratio(one, other, Figure::Cpu)
                    .map_or_else(|| "—".to_owned(), |ratio| ratio.to_string())
            };
            let pairs = [(0, 4), (0, 5), (0, 2), (0, 3), (1, 0)];
            let pairs = pairs.map(|(one, other)| ratio(one, other));
            ratios.row(lead.into_iter().chain(pairs));
            judge(work, count, &row, verdict);
        }
    }
    Ok(format!(
        "### HTTP: CPU time per request, µs, user and system\n\n{cpu}\n\
         ### HTTP: how that compares\n\n{ratios}\n\
         ### HTTP: requests per second\n\n{rate}"
    ))
}

fn judge(work: Work, connections: usize, row: &Row, verdict: &mut Verdict) {
    let over = |other| {
        let ratio = row.ratio(0, other, Figure::Cpu);
        ratio.map_or(f64::NAN, |ratio| ratio.median())
    };
    const TYPED: usize = 4;
    const NOTHING: usize = 5;
    const RMCP: usize = 2;
    match (work, connections) {
        (Work::Echo(30), 64) => {
            verdict.note(Goal::EchoOverTyped, over(TYPED));
            verdict.note(Goal::EchoOverRmcp, over(RMCP));
        }
        (Work::List, 64) => {
            verdict.note(Goal::ListOverCanned, over(NOTHING));
            verdict.note(Goal::ListOverRmcp, over(RMCP));
        }
        (Work::Book, 64) => verdict.note(Goal::NestedOverTyped, over(TYPED)),
        _ => {}
    }
}

struct Running {
    process: Server,
    address: SocketAddr,
}

/// Starts those who can do it, and looks at one answer of each. The floors answer what Relay did.
fn start(plan: &Plan, work: Work) -> Result<Vec<Option<Running>>, Failure> {
    let options = work.options();
    let canned = env::temp_dir().join(format!("bench-answer-{}", process::id()));
    let mut servers = Vec::new();
    for contender in Contender::ALL {
        if !is_able(contender, work) {
            servers.push(None);
            continue;
        }
        let options = if contender.is_floor() {
            format!("{options} --answer {}", canned.display())
        } else {
            options.clone()
        };
        let mut process = contender.start(plan, &options)?;
        let address = process.address()?;
        let answer =
            probe(address, work).map_err(|error| format!("{}: {error}", contender.name()))?;
        if contender == Contender::Relay {
            fs::write(&canned, answer)?;
        }
        servers.push(Some(Running { process, address }));
    }
    fs::remove_file(canned)?;
    Ok(servers)
}
