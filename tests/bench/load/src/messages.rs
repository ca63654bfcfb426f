//! Every contender over standard input and output.

use crate::{
    Failure, Plan,
    contender::start,
    lines::Lines,
    rounds::{Figure, Row},
    table::Table,
    tell,
    verdict::{Goal, Verdict},
};

/// The contenders: what they are called, what they are started with.
const CONTENDERS: [(&str, &str, &str); 4] = [
    ("Relay", "bench-relay", "stdio"),
    ("rmcp, `stdio()`", "bench-rmcp", "stdio"),
    ("rmcp, `stdio_pipes()`", "bench-rmcp", "pipes"),
    ("floor", "bench-floor", "lines"),
];

pub(crate) fn measure(plan: &Plan, verdict: &mut Verdict) -> Result<String, Failure> {
    tell("stdio");
    let names = CONTENDERS.map(|(name, ..)| name);
    let head = || ["Depth"].into_iter().chain(names);
    let (mut rate, mut cpu) = (Table::new(head()), Table::new(head()));
    let mut servers = Vec::new();
    for (name, binary, mode) in CONTENDERS {
        let server = start(&plan.binaries.join(binary), mode, "")?;
        let lines = Lines::open(server).map_err(|error| format!("{name}: {error}"))?;
        servers.push(Some(lines));
    }
    let depths: &[usize] = if plan.quick { &[32] } else { &[1, 32, 256] };
    for depth in depths {
        let row = Row::measure(depth.to_string(), &mut servers, plan.rounds, |lines| {
            lines.load(*depth, plan.warm_up, plan.window)
        })?;
        rate.row(
            [row.title.clone()]
                .into_iter()
                .chain(row.cells(Figure::Rate)),
        );
        cpu.row(
            [row.title.clone()]
                .into_iter()
                .chain(row.cells(Figure::Cpu)),
        );
        if *depth == 32 {
            let over = |other| {
                let ratio = row.ratio(0, other, Figure::Rate);
                ratio.map_or(f64::NAN, |ratio| ratio.median())
            };
            verdict.note(Goal::LinesOverFloor, over(3));
            verdict.note(Goal::LinesOverRmcp, over(1).min(over(2)));
        }
    }
    Ok(format!(
        "### stdio: messages per second, echo of 30 B\n\n{rate}\n\
         ### stdio: CPU time per message, µs\n\n{cpu}"
    ))
}
