//! Phrases that several codecs share.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};

/// How many alternatives a fault lists.
const LISTED: usize = 20;

/// `a`, `a and b`, `a, b and c`, and so on, cut short.
pub(crate) fn listed<T: Display>(items: &[T], conjunction: &str) -> String {
    let mut text = String::new();
    for (index, item) in items.iter().take(LISTED).enumerate() {
        let separator = match index {
            0 => "",
            _ if index + 1 == items.len() => conjunction,
            _ => ", ",
        };
        // Writing to a `String` does not fail.
        let _infallible = write!(text, "{separator}{item}");
    }
    if items.len() > LISTED {
        let _infallible = write!(text, " and {} others", items.len() - LISTED);
    }
    text
}

/// `1 item`, `2 items`.
pub(crate) fn counted(count: usize, unit: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
}

/// What to say of a member that is none of these, which are quoted already.
pub(crate) fn closed(names: &[String]) -> Cow<'static, str> {
    match names {
        [] => Cow::Borrowed("no fields at all"),
        [name] => Cow::Owned(format!("only the field {name}")),
        names => Cow::Owned(format!("only the fields {}", listed(names, " and "))),
    }
}

/// What a pattern asks for, cut short.
pub(crate) fn pattern(pattern: &str) -> String {
    let mut short: String = pattern.chars().take(200).collect();
    if short.len() < pattern.len() {
        short.push('…');
    }
    format!("a string that matches the pattern {short}")
}

/// What a format of JSON Schema is called.
pub(crate) fn format(name: &str) -> Cow<'static, str> {
    Cow::Borrowed(match name {
        "date" => "a date such as 2026-07-28",
        "date-time" => "a date and time such as 2026-07-28T09:30:00Z",
        "duration" => "an ISO 8601 duration such as PT1H30M",
        "email" => "an e-mail address",
        "hostname" => "a host name",
        "ipv4" => "an IPv4 address",
        "ipv6" => "an IPv6 address",
        "time" => "a time with an offset such as 09:30:00Z",
        "uri" => "a URI with a scheme",
        "uri-reference" => "a URI or a relative reference",
        "uuid" => "a UUID such as 123e4567-e89b-12d3-a456-426614174000",
        name => return Cow::Owned(format!("a string of the format {name}")),
    })
}

/// How many of `unit` a length rule asks for: `of at least 1 character`, say.
pub(crate) fn length(minimum: usize, maximum: Option<usize>, unit: &str) -> Option<String> {
    let counted = |count: usize| counted(count, unit);
    match (minimum, maximum) {
        (0, None) => None,
        (0, Some(maximum)) => Some(format!("of at most {}", counted(maximum))),
        (minimum, None) => Some(format!("of at least {}", counted(minimum))),
        (minimum, Some(maximum)) if minimum == maximum => {
            Some(format!("of exactly {}", counted(minimum)))
        }
        (minimum, Some(maximum)) => Some(format!("of {minimum} to {}", counted(maximum))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_english() {
        assert_eq!(listed(&["a"], " or "), "a");
        assert_eq!(listed(&["a", "b"], " or "), "a or b");
        assert_eq!(listed(&["a", "b", "c"], " and "), "a, b and c");
        let many: Vec<usize> = (0..23).collect();
        assert!(listed(&many, " or ").ends_with("18, 19 and 3 others"));
    }

    #[test]
    fn lengths_read_as_english() {
        assert_eq!(length(0, None, "item"), None);
        assert_eq!(length(1, None, "item").unwrap(), "of at least 1 item");
        assert_eq!(length(2, Some(2), "item").unwrap(), "of exactly 2 items");
        assert_eq!(length(0, Some(1), "item").unwrap(), "of at most 1 item");
        assert_eq!(length(1, Some(5), "item").unwrap(), "of 1 to 5 items");
    }
}
