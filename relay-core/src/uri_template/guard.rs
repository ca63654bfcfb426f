//! Values that would lead out of where the author meant them to stay.

/// Whether no step of `path` leads to its parent. The whole URI is judged like this too, since
/// literals and values can make a step together.
pub(super) fn stays_inside(path: &[u8]) -> bool {
    !path.split(|byte| b"/\\?#:".contains(byte)).any(is_parent)
}

/// Whether `value`, decoded, is harmless when joined to a folder's path on any system (RES-06,
/// TPL-04): no parent step, no absolute path, no drive letter, no NUL.
pub(super) fn is_harmless(value: &str) -> bool {
    stays_inside(value.as_bytes())
        && !value.starts_with(['/', '\\'])
        && !value.contains('\0')
        && !has_drive(value)
}

/// `..`, also with the dots and spaces at its end that Windows drops.
fn is_parent(segment: &[u8]) -> bool {
    segment.starts_with(b"..") && segment.iter().all(|byte| b". ".contains(byte))
}

fn has_drive(value: &str) -> bool {
    matches!(value.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    // RES-06, TPL-04
    #[test]
    fn what_leads_elsewhere_is_refused() {
        for value in [
            "..",
            "../a",
            "a/..",
            "a/../b",
            "a\\..\\b",
            "..\\a",
            "...",
            ".. ",
            "a/.. /b",
            "/",
            "/etc",
            "\\a",
            "\\\\host\\share",
            "C:",
            "c:a",
            "C:\\a",
            "C:/a",
            "a\0b",
            "\0",
            "a?../b",
            "..#",
            "ab:..",
        ] {
            assert!(!is_harmless(value), "{value:?}");
        }
        for value in [
            "",
            "a",
            ".",
            "a/b",
            "./a",
            ".a",
            "..a",
            "a..",
            "a..b",
            "a/..b/c",
            ". .",
            "1:2",
            "ab:c",
            "%2e%2e%2f",
            "é/ü",
            "a b",
            "a/",
        ] {
            assert!(is_harmless(value), "{value:?}");
        }
    }
}
