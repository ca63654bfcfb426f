//! Whether a text is a URI.

use std::net::Ipv6Addr;

/// Whether `text` is a URI as RFC 3986 has it: with a scheme, fully percent-encoded, in ASCII
/// (RES-05, RES-10). Nothing is normalised and no scheme is treated specially, so the opaque
/// schemes of MCP servers pass.
pub(crate) fn is_valid(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = match rest.strip_prefix("//") {
        None => rest,
        Some(rest) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            if !is_authority(authority) {
                return false;
            }
            path
        }
    };
    is_scheme(scheme)
        && consists_of(path, b":@/")
        && consists_of(query, b":@/?")
        && consists_of(fragment, b":@/?")
}

/// Whether `text` is a scheme, without its colon.
pub(crate) fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// A letter, digit or mark that a URI never needs to encode.
pub(crate) fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

fn is_authority(text: &str) -> bool {
    let (user, host) = text.split_once('@').unwrap_or(("", text));
    let (host_is_valid, after) = if let Some(literal) = host.strip_prefix('[') {
        let (address, after) = literal.split_once(']').unwrap_or_default();
        (is_address(address), after)
    } else {
        let (name, after) = host.split_at(host.find(':').unwrap_or(host.len()));
        (consists_of(name, b""), after)
    };
    let port_is_valid = after.is_empty()
        || after
            .strip_prefix(':')
            .is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()));
    host_is_valid && port_is_valid && consists_of(user, b":")
}

/// What may stand between the brackets of a host.
fn is_address(text: &str) -> bool {
    let Some(future) = text.strip_prefix(['v', 'V']) else {
        return text.parse::<Ipv6Addr>().is_ok();
    };
    future.split_once('.').is_some_and(|(version, address)| {
        let is_hex = version.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_plain = !address.contains('%') && consists_of(address, b":");
        is_hex && is_plain && !version.is_empty() && !address.is_empty()
    })
}

/// Whether `text` has only unreserved characters, sub-delimiters, escapes, and those of `more`.
fn consists_of(text: &str, more: &[u8]) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let fits = match byte {
            b'%' => (0..2).all(|_| bytes.next().is_some_and(|digit| digit.is_ascii_hexdigit())),
            _ => is_unreserved(byte) || b"!$&'()*+,;=".contains(&byte) || more.contains(&byte),
        };
        if !fits {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use iri_string::types::UriStr;
    use proptest::prelude::*;

    use super::*;

    // RES-05, RES-10
    #[test]
    fn uris_of_any_scheme_are_told_from_other_text() {
        for uri in [
            "note://7",
            "notes://tag/a%20b",
            "urn:isbn:0451450523",
            "file:///a/b.txt",
            "x:",
            "x-y.z+1://u:p@h:80/a;b=1?c=d/e?f#g/h?i",
            "https://[::1]:8080/",
            "https://[v1.a:b]/",
            "https://h:/",
            "note:///",
        ] {
            assert!(is_valid(uri), "{uri}");
        }
        for text in [
            "",
            "note",
            "/a/b",
            "//h/a",
            ":a",
            "1x:a",
            "n te:a",
            "note://a b",
            "note://é",
            "note://%",
            "note://%4",
            "note://%zz",
            "note://a#b#c",
            "note://[",
            "note://a]",
            "https://[::1",
            "https://[::1]x",
            "https://[::g]/",
            "https://h:8x/",
            "https://a@b@c/",
            "note://\\a",
            "note://{id}",
            "note://a\n",
            "note://a\0",
            "https://[v.a]/",
        ] {
            assert!(!is_valid(text), "{text}");
        }
    }

    proptest! {
        // RES-05, RES-10
        #[test]
        fn agrees_with_another_reading_of_the_grammar(
            text in prop_oneof![
                "[a-c1:/?#\\[\\]@!%2F.v]{0,14}",
                "[a-z]{1,3}://[a-c1:\\[\\]@%2F.]{0,10}(/[a-c/?#:%2F]{0,8})?",
                "x://\\[[0-9a-f:.v]{0,12}\\](:[0-9]{0,3})?",
            ]
        ) {
            prop_assert_eq!(is_valid(&text), UriStr::new(&text).is_ok(), "{}", text);
        }
    }
}
