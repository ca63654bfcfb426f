//! The mirrored headers as they arrived, decoded for the core to compare.

use base64::{Engine, prelude::BASE64_STANDARD};
use http::{HeaderMap, HeaderName, HeaderValue};
use relay_core::protocol::headers::{Headers, Mirrored};

static VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
static METHOD: HeaderName = HeaderName::from_static("mcp-method");
static NAME: HeaderName = HeaderName::from_static("mcp-name");
/// What the names of the headers of parameters begin with.
pub(crate) const PARAMETER: &str = "mcp-param-";

/// What stands around a value that no plain header can carry (HDR-10).
const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";

/// Reads the mirrored headers among `headers`.
pub(crate) fn read(headers: &HeaderMap) -> Headers {
    let mut mirrored = Headers::new()
        .with_version(only(headers, &VERSION, literal))
        .with_method(only(headers, &METHOD, literal))
        .with_name(only(headers, &NAME, decoded));
    for name in headers.keys() {
        if let Some(parameter) = name.as_str().strip_prefix(PARAMETER) {
            mirrored = mirrored.with_parameter(parameter, only(headers, name, decoded));
        }
    }
    mirrored
}

/// The header's one value (HDR-15).
fn only(headers: &HeaderMap, name: &HeaderName, read: fn(&str) -> Mirrored) -> Mirrored {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Mirrored::Absent,
        (Some(value), None) => text(value).map_or_else(Mirrored::Unusable, read),
        (Some(_), Some(_)) => Mirrored::Unusable("was sent twice"),
    }
}

/// The value in visible ASCII and spaces, without white space around it (HDR-09, HDR-14).
fn text(value: &HeaderValue) -> Result<&str, &'static str> {
    let blank = |c: char| c == ' ' || c == '\t';
    let visible = |text: &&str| text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    str::from_utf8(value.as_bytes())
        .ok()
        .map(|text| text.trim_matches(blank))
        .filter(visible)
        .ok_or("holds characters that a header must not; send it as =?base64?...?=")
}

/// HDR-16
fn literal(text: &str) -> Mirrored {
    Mirrored::Text(text.to_owned())
}

/// HDR-10, HDR-11, HDR-12
fn decoded(text: &str) -> Mirrored {
    let inner = text
        .strip_prefix(PREFIX)
        .and_then(|text| text.strip_suffix(SUFFIX));
    let Some(inner) = inner else {
        return literal(text);
    };
    let bytes = BASE64_STANDARD.decode(inner).ok();
    match bytes.and_then(|bytes| String::from_utf8(bytes).ok()) {
        Some(text) => Mirrored::Text(text),
        None => Mirrored::Unusable("is not UTF-8 in padded standard base64 inside =?base64?...?="),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read_name(values: &[&[u8]]) -> Mirrored {
        let headers: HeaderMap = values
            .iter()
            .map(|value| (NAME.clone(), HeaderValue::from_bytes(value).unwrap()))
            .collect();
        only(&headers, &NAME, decoded)
    }

    fn is(text: &str) -> Mirrored {
        Mirrored::Text(text.to_owned())
    }

    // HDR-09, HDR-10, HDR-12, HDR-13
    #[test]
    fn values_are_trimmed_and_decoded() {
        for (value, expected) in [
            (&b"echo"[..], "echo"),
            (b" \t echo \t", "echo"),
            (b"", ""),
            (b"a b", "a b"),
            (b"=?base64?SGVsbG8=?=", "Hello"),
            (b"  =?base64?SGVsbG8=?=", "Hello"),
            (b"=?base64?w6k=?=", "\u{e9}"),
            (b"=?base64?PT9iYXNlNjQ/eD89?=", "=?base64?x?="),
            (b"=?base64?IGEg?=", " a "),
            (b"=?base64??=", ""),
            (b"=?base64?SGVsbG8=", "=?base64?SGVsbG8="),
            (b"SGVsbG8=?=", "SGVsbG8=?="),
            (b"=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="),
            (b"=?base64?=", "=?base64?="),
        ] {
            assert_eq!(read_name(&[value]), is(expected), "{expected}");
        }
    }

    // HDR-11, HDR-14, HDR-15
    #[test]
    fn what_can_not_be_read_is_unusable() {
        for value in [
            &b"=?base64?SGVsbG8?="[..],
            b"=?base64?SGVs bG8=?=",
            b"=?base64?SGVsbG8*?=",
            b"=?base64?_-8=?=",
            b"=?base64?/w==?=",
            b"=?base64?SGVsbG9=?=",
            b"caf\xc3\xa9",
            b"\xff",
            b"a\tb",
        ] {
            assert!(
                matches!(read_name(&[value]), Mirrored::Unusable(_)),
                "{}",
                String::from_utf8_lossy(value)
            );
        }
        assert!(matches!(
            read_name(&[b"echo", b"echo"]),
            Mirrored::Unusable("was sent twice")
        ));
    }

    // HDR-08, HDR-16, XMH-15
    #[test]
    fn each_header_is_found_and_two_are_literal() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            (&b"MCP-PROTOCOL-version"[..], "=?base64?YQ==?="),
            (b"mcp-METHOD", "=?base64?YQ==?="),
            (b"Mcp-Name", "=?base64?YQ==?="),
            (b"Mcp-Param-Region", "=?base64?YQ==?="),
            (b"Mcp-Parameter", "x"),
        ] {
            let name = HeaderName::from_bytes(name).unwrap();
            headers.insert(name, value.parse().unwrap());
        }
        let expected = Headers::new()
            .with_version(is("=?base64?YQ==?="))
            .with_method(is("=?base64?YQ==?="))
            .with_name(is("a"))
            .with_parameter("region", is("a"));
        assert_eq!(read(&headers), expected);
        assert_eq!(read(&HeaderMap::new()), Headers::new());
    }

    proptest! {
        // HDR-10, HDR-13
        #[test]
        fn whatever_is_encoded_is_decoded(text in any::<String>()) {
            let value = format!("{PREFIX}{}{SUFFIX}", BASE64_STANDARD.encode(&text));
            prop_assert_eq!(read_name(&[value.as_bytes()]), is(&text));
        }

        #[test]
        fn any_value_is_survived(value in proptest::collection::vec(any::<u8>(), 0..60)) {
            if HeaderValue::from_bytes(&value).is_ok() {
                let _read = read_name(&[&value]);
            }
        }
    }
}
