//! Running a program over a URI, and over another program.

use super::program::{Node, NodeId, Program};
use super::unit::Unit;

/// A value found: the variable's number and where in the URI's units it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Capture {
    pub(super) variable: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// From which nodes the rest of a URI matches, for each position in it.
struct Reach {
    words: usize,
    bits: Vec<u64>,
}

impl Reach {
    fn has(&self, position: usize, node: NodeId) -> bool {
        let word = self.bits.get(position * self.words + node / 64);
        word.is_some_and(|word| word >> (node % 64) & 1 == 1)
    }

    fn add(&mut self, position: usize, node: NodeId) {
        if let Some(word) = self.bits.get_mut(position * self.words + node / 64) {
            *word |= 1 << (node % 64);
        }
    }
}

impl Program {
    /// The values with which `units` as a whole matches, in the order they stand.
    ///
    /// One sweep from the end tells from where the rest matches, one walk from the beginning then
    /// always knows which way to go: time and memory are the length of the URI times the size of
    /// the template, whatever either holds (TPL-03).
    pub(super) fn captures(&self, units: &[Unit]) -> Option<Vec<Capture>> {
        let reach = self.reach(units);
        if !reach.has(0, self.start) {
            return None;
        }
        let mut captures: Vec<Capture> = Vec::new();
        let (mut node, mut position) = (self.start, 0);
        loop {
            node = match *self.nodes.get(node)? {
                Node::Accept => return Some(captures),
                Node::Unit(_, next) | Node::Class(_, next) => {
                    position += 1;
                    next
                }
                Node::Fork(first, _) if reach.has(position, first) => first,
                Node::Fork(_, second) => second,
                Node::Open(variable, next) => {
                    captures.push(Capture {
                        variable,
                        start: position,
                        end: position,
                    });
                    next
                }
                Node::Close(next) => {
                    if let Some(open) = captures.last_mut() {
                        open.end = position;
                    }
                    next
                }
            };
        }
    }

    fn reach(&self, units: &[Unit]) -> Reach {
        let words = self.nodes.len().div_ceil(64);
        let mut reach = Reach {
            words,
            bits: vec![0; words * (units.len() + 1)],
        };
        for position in (0..=units.len()).rev() {
            let unit = units.get(position);
            for (id, node) in self.nodes.iter().enumerate() {
                let matches = match *node {
                    Node::Accept => unit.is_none(),
                    Node::Unit(wanted, next) => {
                        unit == Some(&wanted) && reach.has(position + 1, next)
                    }
                    Node::Class(class, next) => {
                        unit.is_some_and(|unit| class.accepts(*unit))
                            && reach.has(position + 1, next)
                    }
                    Node::Fork(first, second) => {
                        reach.has(position, first) || reach.has(position, second)
                    }
                    Node::Open(_, next) | Node::Close(next) => reach.has(position, next),
                };
                if matches {
                    reach.add(position, id);
                }
            }
        }
        reach
    }

    /// Whether some text matches both programs: a search through the pairs of nodes they can be
    /// in at the same time.
    pub(super) fn meets(&self, other: &Self) -> bool {
        let mut seen = vec![false; self.nodes.len() * other.nodes.len()];
        let mut pending = vec![(self.start, other.start)];
        while let Some((mine, theirs)) = pending.pop() {
            match seen.get_mut(mine * other.nodes.len() + theirs) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            let (Some(a), Some(b)) = (self.nodes.get(mine), other.nodes.get(theirs)) else {
                continue;
            };
            match (step(a), step(b)) {
                (Step::Silent(nexts), _) => {
                    pending.extend(nexts.into_iter().flatten().map(|next| (next, theirs)));
                }
                (_, Step::Silent(nexts)) => {
                    pending.extend(nexts.into_iter().flatten().map(|next| (mine, next)));
                }
                (Step::Stop, Step::Stop) => return true,
                (Step::Read(next_a), Step::Read(next_b)) if share(a, b) => {
                    pending.push((next_a, next_b));
                }
                _ => {}
            }
        }
        false
    }
}

/// What a node does to the position.
enum Step {
    Stop,
    Read(NodeId),
    Silent([Option<NodeId>; 2]),
}

fn step(node: &Node) -> Step {
    match *node {
        Node::Accept => Step::Stop,
        Node::Unit(_, next) | Node::Class(_, next) => Step::Read(next),
        Node::Fork(first, second) => Step::Silent([Some(first), Some(second)]),
        Node::Open(_, next) | Node::Close(next) => Step::Silent([Some(next), None]),
    }
}

/// Whether two reading nodes have a unit in common.
fn share(a: &Node, b: &Node) -> bool {
    match (a, b) {
        (Node::Unit(a, _), Node::Unit(b, _)) => a == b,
        (Node::Unit(unit, _), Node::Class(class, _))
        | (Node::Class(class, _), Node::Unit(unit, _)) => class.accepts(*unit),
        // Any value may hold any escape.
        (Node::Class(..), Node::Class(..)) => true,
        _ => false,
    }
}
