//! The goals, and what was measured of them.

use crate::{figures::short, table::Table};

/// What the project wants to reach.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Goal {
    EchoOverTyped,
    EchoOverRmcp,
    ListOverCanned,
    ListOverRmcp,
    NestedOverTyped,
    LinesOverFloor,
    LinesOverRmcp,
    MemoryGrowth,
    InstructionsGrowth,
    Crates,
}

/// Whether less or more is better.
enum Bound {
    AtMost(f64),
    AtLeast(f64),
    Under(f64),
}

impl Goal {
    const ALL: [Self; 10] = [
        Self::EchoOverTyped,
        Self::EchoOverRmcp,
        Self::ListOverCanned,
        Self::ListOverRmcp,
        Self::NestedOverTyped,
        Self::LinesOverFloor,
        Self::LinesOverRmcp,
        Self::MemoryGrowth,
        Self::InstructionsGrowth,
        Self::Crates,
    ];

    fn text(self) -> &'static str {
        match self {
            Self::EchoOverTyped => "echo of 30 B at 64 connections, CPU over hyper parsing typed",
            Self::EchoOverRmcp => "the same over rmcp's fastest",
            Self::ListOverCanned => "`tools/list` of 52, CPU over hyper with canned bytes",
            Self::ListOverRmcp => "the same over rmcp's fastest",
            Self::NestedOverTyped => "validated nested call, CPU over hyper parsing typed",
            Self::LinesOverFloor => "stdio at depth 32, messages a second over the floor",
            Self::LinesOverRmcp => "the same over rmcp's faster transport",
            Self::MemoryGrowth => "counted memory after a million calls over ten thousand",
            Self::InstructionsGrowth => "instructions of a call, 10,000 tools over 10",
            Self::Crates => "crates of a server without `validate` over rmcp's with axum",
        }
    }

    fn bound(self) -> Bound {
        match self {
            Self::EchoOverTyped => Bound::AtMost(1.30),
            Self::EchoOverRmcp => Bound::AtMost(0.30),
            Self::ListOverCanned => Bound::AtMost(1.25),
            Self::ListOverRmcp => Bound::AtMost(0.16),
            Self::NestedOverTyped => Bound::AtMost(1.8),
            Self::LinesOverFloor => Bound::AtLeast(0.4),
            Self::LinesOverRmcp => Bound::AtLeast(3.0),
            Self::MemoryGrowth => Bound::AtMost(1.02),
            Self::InstructionsGrowth => Bound::AtMost(1.05),
            Self::Crates => Bound::Under(1.0),
        }
    }
}

/// What was measured so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verdict(Vec<(Goal, f64)>);

impl Verdict {
    pub(crate) fn note(&mut self, goal: Goal, measured: f64) {
        self.0.push((goal, measured));
    }

    pub(crate) fn table(&self) -> String {
        let mut table = Table::new(["Goal", "Wanted", "Measured", ""]);
        for goal in Goal::ALL {
            let measured = self.0.iter().find(|(of, _)| *of == goal);
            let Some((_, measured)) = measured else {
                continue;
            };
            let (wanted, reached) = match goal.bound() {
                Bound::AtMost(most) => (format!("≤ {most}"), *measured <= most),
                Bound::AtLeast(least) => (format!("≥ {least}"), *measured >= least),
                Bound::Under(most) => (format!("< {most}"), *measured < most),
            };
            let outcome = if reached { "reached" } else { "**missed**" };
            table.row([goal.text(), &wanted, &short_ratio(*measured), outcome]);
        }
        format!("### Goals\n\n{table}")
    }
}

/// Where the second decimal decides, a third is shown.
fn short_ratio(value: f64) -> String {
    if value < 2.0 {
        format!("{value:.3}")
    } else {
        short(value)
    }
}
