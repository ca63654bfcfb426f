//! A template as a small automaton, and the choices that make its matches the natural ones.
//!
//! A node comes after every node it leads to without reading, so that one sweep in order settles
//! a whole position; `matcher` relies on it.

use super::parse::{Expression, Operator, Piece, Variable};
use super::unit::{Class, Unit};

pub(super) type NodeId = usize;

#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    /// The end of the URI.
    Accept,
    /// Reads this unit.
    Unit(Unit, NodeId),
    /// Reads one unit of a value.
    Class(Class, NodeId),
    /// Goes to the first if the rest matches from there, else to the second.
    Fork(NodeId, NodeId),
    /// A value of the variable with this number begins.
    Open(usize, NodeId),
    /// It ends.
    Close(NodeId),
}

#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) nodes: Vec<Node>,
    pub(super) start: NodeId,
}

/// Where to go on after a piece.
#[derive(Clone, Copy)]
struct Next {
    /// Whatever follows.
    entry: NodeId,
    /// If an optional expression follows: its first character, and the way in when it is there.
    present: Option<(u8, NodeId)>,
    /// The way past it when it is not.
    absent: NodeId,
}

impl Program {
    pub(super) fn compile(pieces: &[Piece]) -> Self {
        let mut program = Self {
            nodes: vec![Node::Accept],
            start: 0,
        };
        let mut next = Next {
            entry: 0,
            present: None,
            absent: 0,
        };
        let mut number = pieces.iter().map(variables_in).sum();
        for (index, piece) in pieces.iter().enumerate().rev() {
            next = match piece {
                Piece::Literal(units) => {
                    let entry = program.literal(units, next.entry);
                    Next {
                        entry,
                        present: None,
                        absent: entry,
                    }
                }
                Piece::Expression(expression) => {
                    number -= expression.variables.len();
                    let class = class(pieces, index, expression);
                    program.optional(expression, number, class, next)
                }
            };
        }
        program.start = next.entry;
        program
    }

    /// An expression and the ways past it. Where the last value could swallow what the next
    /// expression begins with, the reading in which that expression is there comes first:
    /// `{name}{.type}` reads `a.b.c` as `a.b` and `c`.
    fn optional(
        &mut self,
        expression: &Expression,
        number: usize,
        class: Class,
        next: Next,
    ) -> Next {
        let body = match next.present {
            Some((opening, present)) if class.has(opening) => {
                let with = self.expression(expression, number, class, present);
                let without = self.expression(expression, number, class, next.absent);
                self.push(Node::Fork(with, without))
            }
            _ => self.expression(expression, number, class, next.entry),
        };
        match expression.operator.opening() {
            None => Next {
                entry: body,
                present: None,
                absent: body,
            },
            Some(opening) => {
                let entry = self.push(Node::Fork(body, next.entry));
                Next {
                    entry,
                    present: Some((opening, body)),
                    absent: next.entry,
                }
            }
        }
    }

    /// An expression that is there.
    fn expression(
        &mut self,
        expression: &Expression,
        number: usize,
        class: Class,
        next: NodeId,
    ) -> NodeId {
        let values = if expression.operator.is_named() {
            self.named(expression, number, class, next)
        } else {
            self.by_place(expression, number, class, next)
        };
        match expression.operator.opening() {
            Some(opening) => self.push(Node::Unit(Unit::Raw(opening), values)),
            None => values,
        }
    }

    /// Values in the order of their variables, of which the last ones may be missing.
    fn by_place(
        &mut self,
        expression: &Expression,
        number: usize,
        class: Class,
        next: NodeId,
    ) -> NodeId {
        let separator = Unit::Raw(expression.operator.separator());
        let is_required = expression.operator.opening().is_none();
        let mut entry = next;
        for (place, variable) in expression.variables.iter().enumerate().rev() {
            if variable.explodes() {
                let (more, again) = self.again(separator, entry);
                let value = self.value(number + place, class, false, again);
                self.aim(more, value);
                entry = again;
            }
            let is_first = place == 0;
            let value = self.value(number + place, class, is_first && is_required, entry);
            if is_first {
                return value;
            }
            let separated = self.push(Node::Unit(separator, value));
            // The skipped variable and all after it are missing.
            entry = self.push(Node::Fork(separated, next));
        }
        entry
    }

    /// `name=value` pairs in any order; that none repeats is for the caller to check.
    fn named(
        &mut self,
        expression: &Expression,
        number: usize,
        class: Class,
        next: NodeId,
    ) -> NodeId {
        let separator = Unit::Raw(expression.operator.separator());
        let (more, again) = self.again(separator, next);
        let mut pair = None;
        for (place, variable) in expression.variables.iter().enumerate().rev() {
            let one = self.pair(variable, number + place, class, again);
            pair = Some(match pair {
                Some(others) => self.push(Node::Fork(one, others)),
                None => one,
            });
        }
        let pair = pair.unwrap_or(again);
        self.aim(more, pair);
        pair
    }

    /// `name=value`, or the name alone for an empty value.
    fn pair(&mut self, variable: &Variable, number: usize, class: Class, next: NodeId) -> NodeId {
        let value = self.value(number, class, false, next);
        let given = self.push(Node::Unit(Unit::Raw(b'='), value));
        let close = self.push(Node::Close(next));
        let bare = self.push(Node::Open(number, close));
        let after_name = self.push(Node::Fork(given, bare));
        self.literal(&variable.name_units, after_name)
    }

    /// One value, as long as it can be.
    fn value(&mut self, number: usize, class: Class, is_required: bool, next: NodeId) -> NodeId {
        let close = self.push(Node::Close(next));
        let read = self.push(Node::Class(class, self.nodes.len() + 1));
        let more = self.push(Node::Fork(read, close));
        self.push(Node::Open(number, if is_required { read } else { more }))
    }

    /// A separator that leads to another value, if there is one. Where it leads is not known
    /// yet: the first id is for [`Program::aim`], the second is where a value ends.
    fn again(&mut self, separator: Unit, next: NodeId) -> (NodeId, NodeId) {
        let more = self.push(Node::Unit(separator, next));
        (more, self.push(Node::Fork(more, next)))
    }

    fn aim(&mut self, unit: NodeId, at: NodeId) {
        if let Some(Node::Unit(_, next)) = self.nodes.get_mut(unit) {
            *next = at;
        }
    }

    fn literal(&mut self, units: &[Unit], next: NodeId) -> NodeId {
        units
            .iter()
            .rev()
            .fold(next, |next, unit| self.push(Node::Unit(*unit, next)))
    }

    fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }
}

fn variables_in(piece: &Piece) -> usize {
    match piece {
        Piece::Literal(_) => 0,
        Piece::Expression(expression) => expression.variables.len(),
    }
}

/// What a value of this expression may hold unencoded. More than RFC 6570 would leave so, since
/// people and other encoders do, but never what the template itself separates with.
fn class(pieces: &[Piece], index: usize, expression: &Expression) -> Class {
    let later = pieces.get(index + 1..).unwrap_or_default();
    let separator = [expression.operator.separator()];
    let is_list = expression.variables.len() > 1
        || expression.variables.iter().any(Variable::explodes)
        || expression.operator.is_named();
    let own: &[u8] = if is_list { &separator } else { &[] };
    match expression.operator {
        Operator::Reserved | Operator::Fragment => {
            let ends: Vec<u8> = separators(later)
                .filter(|byte| b"?#&;".contains(byte))
                .collect();
            Class::reserved().without(own).without(&ends)
        }
        Operator::Query | Operator::Continuation => Class::query()
            .without(own)
            .without(&separators(later).collect::<Vec<_>>()),
        _ => Class::segment()
            .without(own)
            .without(&separators(pieces).collect::<Vec<_>>()),
    }
}

/// The reserved characters that `pieces` put between values; a scheme's colon is none.
fn separators(pieces: &[Piece]) -> impl Iterator<Item = u8> {
    pieces
        .iter()
        .enumerate()
        .flat_map(|(index, piece)| match piece {
            Piece::Literal(units) => {
                let scheme = if index == 0 {
                    units
                        .iter()
                        .take_while(|unit| **unit != Unit::Raw(b':'))
                        .count()
                        + 1
                } else {
                    0
                };
                let raw = units.iter().skip(scheme).filter_map(|unit| match unit {
                    Unit::Raw(byte) => Some(*byte),
                    Unit::Encoded(_) => None,
                });
                raw.filter(|byte| !crate::uri::is_unreserved(*byte))
                    .collect::<Vec<u8>>()
            }
            Piece::Expression(expression) => expression
                .operator
                .opening()
                .into_iter()
                .filter(|byte| *byte != b'.')
                .collect(),
        })
}
