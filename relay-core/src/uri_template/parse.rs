//! From the text of a template to its pieces.

use super::error::{TemplateError, TemplateProblem};
use super::unit::{self, Unit};
use crate::uri::is_scheme;

/// A run of literal characters, or one `{…}`.
#[derive(Debug)]
pub(super) enum Piece {
    Literal(Vec<Unit>),
    Expression(Expression),
}

#[derive(Debug)]
pub(super) struct Expression {
    pub(super) operator: Operator,
    pub(super) variables: Vec<Variable>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Simple,
    Reserved,
    Fragment,
    Label,
    Segment,
    Parameter,
    Query,
    Continuation,
}

impl Operator {
    /// What an expression begins with if any of its variables has a value.
    pub(super) fn opening(self) -> Option<u8> {
        match self {
            Self::Simple | Self::Reserved => None,
            Self::Fragment => Some(b'#'),
            Self::Label => Some(b'.'),
            Self::Segment => Some(b'/'),
            Self::Parameter => Some(b';'),
            Self::Query => Some(b'?'),
            Self::Continuation => Some(b'&'),
        }
    }

    /// What stands between two values.
    pub(super) fn separator(self) -> u8 {
        match self {
            Self::Simple | Self::Reserved | Self::Fragment => b',',
            Self::Label => b'.',
            Self::Segment => b'/',
            Self::Parameter => b';',
            Self::Query | Self::Continuation => b'&',
        }
    }

    /// Whether values come with their variable's name.
    pub(super) fn is_named(self) -> bool {
        matches!(self, Self::Parameter | Self::Query | Self::Continuation)
    }

    /// Whether reserved characters stand for themselves in a value.
    pub(super) fn keeps_reserved(self) -> bool {
        matches!(self, Self::Reserved | Self::Fragment)
    }
}

/// A variable and how it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) name_units: Vec<Unit>,
    pub(super) modifier: Modifier,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Modifier {
    None,
    Explode,
    Prefix(usize),
}

impl Variable {
    pub(super) fn explodes(&self) -> bool {
        self.modifier == Modifier::Explode
    }
}

pub(super) fn parse(template: &str) -> Result<Vec<Piece>, TemplateError> {
    check_scheme(template)?;
    let mut pieces = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let (mut rest, mut position) = (template, 0);
    while !rest.is_empty() {
        let (text, tail) = rest.split_at(rest.find('{').unwrap_or(rest.len()));
        if !text.is_empty() {
            pieces.push(Piece::Literal(literal(text, position)?));
        }
        position += text.len();
        let Some(inside) = tail.strip_prefix('{') else {
            break;
        };
        let (inside, after) = inside
            .split_once('}')
            .ok_or_else(|| TemplateError::new(position, TemplateProblem::Unclosed))?;
        let expression = expression(inside, position + 1, &mut names)?;
        if expression.operator.opening().is_none()
            && matches!(pieces.last(), Some(Piece::Expression(_)))
        {
            return Err(TemplateError::new(position, TemplateProblem::Adjacent));
        }
        pieces.push(Piece::Expression(expression));
        position += inside.len() + 2;
        rest = after;
    }
    Ok(pieces)
}

fn check_scheme(template: &str) -> Result<(), TemplateError> {
    match template.split_once(':') {
        Some((scheme, _)) if is_scheme(scheme) => Ok(()),
        _ => Err(TemplateError::new(0, TemplateProblem::Scheme)),
    }
}

fn literal(text: &str, start: usize) -> Result<Vec<Unit>, TemplateError> {
    if let Some((offset, character)) = text.char_indices().find(|(_, c)| !is_literal(*c)) {
        let problem = match character {
            '}' => TemplateProblem::StrayBrace,
            other => TemplateProblem::Literal(other),
        };
        return Err(TemplateError::new(start + offset, problem));
    }
    unit::units(text).map_err(|offset| TemplateError::new(start + offset, TemplateProblem::Percent))
}

/// RFC 6570, section 2.1, with erratum 6937 (the apostrophe), and the percent sign.
fn is_literal(character: char) -> bool {
    match character {
        '\0'..=' '
        | '"'
        | '<'
        | '>'
        | '\\'
        | '^'
        | '`'
        | '{'
        | '|'
        | '}'
        | '\u{7f}'..='\u{9f}'
        | '\u{fdd0}'..='\u{fdef}'
        | '\u{fff0}'..='\u{ffff}'
        | '\u{e0000}'..='\u{e0fff}' => false,
        other => u32::from(other) & 0xfffe != 0xfffe,
    }
}

fn expression(
    inside: &str,
    start: usize,
    names: &mut Vec<String>,
) -> Result<Expression, TemplateError> {
    let (operator, list) = operator(inside).map_err(|p| TemplateError::new(start, p))?;
    let mut position = start + inside.len() - list.len();
    let mut variables: Vec<Variable> = Vec::new();
    for text in list.split(',') {
        let fail = |problem| TemplateError::new(position, problem);
        if let Some(last) = variables.last()
            && last.explodes()
            && !operator.is_named()
        {
            return Err(fail(TemplateProblem::ExplodeNotLast(last.name.clone())));
        }
        let variable = variable(text).map_err(fail)?;
        if names.contains(&variable.name) {
            return Err(fail(TemplateProblem::Duplicate(variable.name)));
        }
        names.push(variable.name.clone());
        variables.push(variable);
        position += text.len() + 1;
    }
    Ok(Expression {
        operator,
        variables,
    })
}

fn operator(inside: &str) -> Result<(Operator, &str), TemplateProblem> {
    let mut characters = inside.chars();
    let operator = match characters.next() {
        Some('+') => Operator::Reserved,
        Some('#') => Operator::Fragment,
        Some('.') => Operator::Label,
        Some('/') => Operator::Segment,
        Some(';') => Operator::Parameter,
        Some('?') => Operator::Query,
        Some('&') => Operator::Continuation,
        Some(other @ ('=' | ',' | '!' | '@' | '|')) => {
            return Err(TemplateProblem::Operator(other));
        }
        _ => return Ok((Operator::Simple, inside)),
    };
    Ok((operator, characters.as_str()))
}

fn variable(text: &str) -> Result<Variable, TemplateProblem> {
    let (name, modifier) = text.split_at(text.find([':', '*']).unwrap_or(text.len()));
    let name_units = variable_name(name).ok_or_else(|| TemplateProblem::Name(name.into()))?;
    let parsed = match modifier.strip_prefix(':') {
        Some(length) => prefix_length(length).map(Modifier::Prefix),
        None if modifier.is_empty() => Some(Modifier::None),
        None => (modifier == "*").then_some(Modifier::Explode),
    };
    let modifier = parsed.ok_or_else(|| TemplateProblem::Modifier(modifier.into()))?;
    Ok(Variable {
        name: name.into(),
        name_units,
        modifier,
    })
}

/// The name as it stands in an expansion, if it is one.
fn variable_name(name: &str) -> Option<Vec<Unit>> {
    let units = unit::units(name).ok()?;
    let fits = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_%".contains(&byte))
    };
    name.split('.').all(fits).then_some(units)
}

fn prefix_length(text: &str) -> Option<usize> {
    let fits = text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| fits && !text.starts_with('0'))
}

#[cfg(test)]
mod tests {
    use iri_string::template::UriTemplateStr;
    use proptest::prelude::*;

    use super::*;

    fn problem(template: &str) -> (usize, TemplateProblem) {
        let error = parse(template).unwrap_err();
        (error.position(), error.problem().clone())
    }

    // TPL-01
    #[test]
    fn a_mistake_is_named_with_its_place() {
        use TemplateProblem::{
            Adjacent, Duplicate, ExplodeNotLast, Literal, Modifier, Name, Operator, Percent,
            Scheme, StrayBrace, Unclosed,
        };
        for (template, expected) in [
            ("", (0, Scheme)),
            ("notes/{id}", (0, Scheme)),
            ("{scheme}://x", (0, Scheme)),
            ("1a:{id}", (0, Scheme)),
            ("x:{id", (2, Unclosed)),
            ("x:{a}/{", (6, Unclosed)),
            ("x:a}", (3, StrayBrace)),
            ("x:a b", (3, Literal(' '))),
            ("x:é`", (4, Literal('`'))),
            ("x:\u{fffe}", (2, Literal('\u{fffe}'))),
            ("x:\u{80}", (2, Literal('\u{80}'))),
            ("x:a\\b", (3, Literal('\\'))),
            ("x:a%2", (3, Percent)),
            ("x:{}", (3, Name(String::new()))),
            ("x:{+}", (4, Name(String::new()))),
            ("x:{a,}", (5, Name(String::new()))),
            ("x:{a-b}", (3, Name("a-b".into()))),
            ("x:{a..b}", (3, Name("a..b".into()))),
            ("x:{a%2}", (3, Name("a%2".into()))),
            ("x:{{a}}", (3, Name("{a".into()))),
            ("x:{ a}", (3, Name(" a".into()))),
            ("x:{é}", (3, Name("é".into()))),
            ("x:{=a}", (3, Operator('='))),
            ("x:{|a}", (3, Operator('|'))),
            ("x:{a:0}", (3, Modifier(":0".into()))),
            ("x:{a:10000}", (3, Modifier(":10000".into()))),
            ("x:{a:+1}", (3, Modifier(":+1".into()))),
            ("x:{a:}", (3, Modifier(":".into()))),
            ("x:{a*:3}", (3, Modifier("*:3".into()))),
            ("x:{b,a**}", (5, Modifier("**".into()))),
            ("x:{a}/{b,a}", (9, Duplicate("a".into()))),
            ("x:{a}{b}", (5, Adjacent)),
            ("x:{?a}{+b}", (6, Adjacent)),
            ("x:{a*,b}", (6, ExplodeNotLast("a".into()))),
            ("x:{/a*,b}", (7, ExplodeNotLast("a".into()))),
        ] {
            assert_eq!(problem(template), expected, "{template}");
        }
    }

    // TPL-03
    #[test]
    fn every_operator_and_modifier_is_read() {
        use Operator::{
            Continuation, Fragment, Label, Parameter, Query, Reserved, Segment, Simple,
        };
        let template = "x:{a}/{+b}{#c}{.d}{/e*}{;f,f2}{?g:3,g2*}{&h.i_J%20}";
        let pieces = parse(template).unwrap();
        let operators: Vec<Operator> = pieces
            .iter()
            .filter_map(|piece| match piece {
                Piece::Expression(expression) => Some(expression.operator),
                Piece::Literal(_) => None,
            })
            .collect();
        assert_eq!(
            operators,
            [
                Simple,
                Reserved,
                Fragment,
                Label,
                Segment,
                Parameter,
                Query,
                Continuation
            ]
        );
    }

    proptest! {
        // TPL-01; theirs (0.7) knows no literals beyond ASCII.
        #[test]
        fn agrees_with_another_reading_of_the_grammar(
            tail in prop_oneof![
                "[ab{}+#./;?&,:*%21'|=^]{0,16}",
                "(/?\\{[+#./;?&=]?[abc_.]{0,3}(:[0-9]{0,5}|\\*)?(,[def%]{1,2}(:[0-9]|\\*)?)?\\}){0,3}",
            ]
        ) {
            let template = format!("x:{tail}");
            let theirs = UriTemplateStr::new(&template).is_ok();
            match parse(&template) {
                Ok(_) => prop_assert!(theirs, "{} is no template", template),
                Err(error) => {
                    let stricter = match error.problem() {
                        TemplateProblem::Adjacent
                        | TemplateProblem::Duplicate(_)
                        | TemplateProblem::ExplodeNotLast(_) => true,
                        // Theirs takes `{a.}`, `{a:0}` and `{a:10000}`; the grammar does not.
                        TemplateProblem::Name(name) => name.contains('.'),
                        TemplateProblem::Modifier(modifier) => modifier.starts_with(':'),
                        _ => false,
                    };
                    prop_assert!(stricter || !theirs, "{}: {}", template, error);
                    prop_assert!(template.is_char_boundary(error.position()));
                }
            }
        }
    }
}
