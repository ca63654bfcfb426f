//! The units a URI is matched by: characters as they stand, and percent-encoded bytes.
//!
//! Keeping the two apart until the end means that an encoded separator never separates, an escape
//! is never cut in half, and nothing is decoded twice.

use crate::uri::is_unreserved;

/// One character of a URI, or one escape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Raw(u8),
    Encoded(u8),
}

impl Unit {
    pub(super) fn byte(self) -> u8 {
        match self {
            Self::Raw(byte) | Self::Encoded(byte) => byte,
        }
    }
}

/// Cuts `text` into units; `Err` has the place of a `%` that begins no escape.
pub(super) fn units(text: &str) -> Result<Vec<Unit>, usize> {
    let mut units = Vec::with_capacity(text.len());
    let mut bytes = text.bytes().enumerate();
    while let Some((position, byte)) = bytes.next() {
        units.push(match byte {
            b'%' => {
                let mut digit = || hex(bytes.next()?.1);
                let escaped = digit().zip(digit()).ok_or(position)?;
                Unit::Encoded(escaped.0 << 4 | escaped.1)
            }
            0x80.. => Unit::Encoded(byte),
            _ => Unit::Raw(byte),
        });
    }
    Ok(units)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

/// The text behind a run of units, decoded once; `None` unless it is UTF-8.
pub(super) fn decode(units: &[Unit]) -> Option<String> {
    String::from_utf8(units.iter().map(|unit| unit.byte()).collect()).ok()
}

/// The characters a value may have as they stand. Any escape may be part of any value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class(u128);

impl Class {
    /// What RFC 3986 allows in a path segment.
    pub(super) fn segment() -> Self {
        Self::of(is_unreserved).with(b"!$&'()*+,;=:@")
    }

    /// What RFC 3986 allows in a query.
    pub(super) fn query() -> Self {
        Self::segment().with(b"/?")
    }

    /// What RFC 6570 leaves as it is under `+` and `#`.
    pub(super) fn reserved() -> Self {
        Self::query().with(b"#[]")
    }

    pub(super) fn with(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |set, byte| set | bit(*byte)))
    }

    pub(super) fn without(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |set, byte| set & !bit(*byte)))
    }

    pub(super) fn has(self, byte: u8) -> bool {
        self.0 & bit(byte) != 0
    }

    pub(super) fn accepts(self, unit: Unit) -> bool {
        match unit {
            Unit::Raw(byte) => self.has(byte),
            Unit::Encoded(_) => true,
        }
    }

    fn of(belongs: impl Fn(u8) -> bool) -> Self {
        Self(
            (0..128)
                .filter(|byte| belongs(*byte))
                .fold(0, |set, byte| set | bit(byte)),
        )
    }
}

fn bit(byte: u8) -> u128 {
    1_u128.checked_shl(byte.into()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_units_of_their_own() {
        use Unit::{Encoded, Raw};
        assert_eq!(
            units("a%2Fb%2f/"),
            Ok(vec![
                Raw(b'a'),
                Encoded(b'/'),
                Raw(b'b'),
                Encoded(b'/'),
                Raw(b'/')
            ])
        );
        assert_eq!(units("é"), units("%C3%A9"));
        for (text, position) in [
            ("a%", 1),
            ("%4", 0),
            ("%4g", 0),
            ("ab%%41", 2),
            ("%+1", 0),
            ("%é", 0),
        ] {
            assert_eq!(units(text), Err(position), "{text}");
        }
    }

    // TPL-03
    #[test]
    fn only_utf8_decodes() {
        let decoded = |text| decode(&units(text).unwrap());
        assert_eq!(decoded("a%20%C3%A9%252F").as_deref(), Some("a é%2F"));
        // A lone continuation, a cut sequence, overlong `/`, a surrogate, beyond Unicode.
        for text in [
            "%80",
            "%C3",
            "%C0%AF",
            "%E0%80%AF",
            "%ED%A0%80",
            "%F4%90%80%80",
            "%FF",
        ] {
            assert_eq!(decoded(text), None, "{text}");
        }
    }

    #[test]
    fn classes_hold_what_they_are_given() {
        let class = Class::segment().without(b"@").with(b"/");
        assert!(class.has(b'a') && class.has(b'/') && !class.has(b'@') && !class.has(b'?'));
        assert!(!class.has(0) && !class.has(200) && !class.has(b'%'));
        assert!(class.accepts(Unit::Encoded(b'@')) && !class.accepts(Unit::Raw(b'@')));
    }
}
