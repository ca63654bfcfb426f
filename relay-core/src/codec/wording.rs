//! Phrases that several codecs share.

use std::fmt::{Display, Write as _};

/// How many alternatives a fault lists.
const LISTED: usize = 20;

/// `a`, `a and b`, `a, b and c`, and so on, cut short.
pub(super) fn listed<T: Display>(items: &[T], conjunction: &str) -> String {
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

/// How many of `unit` a length rule asks for: `of at least 1 character`, say.
pub(super) fn length(minimum: usize, maximum: Option<usize>, unit: &str) -> Option<String> {
    let counted = |count: usize| {
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} {unit}{plural}")
    };
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
