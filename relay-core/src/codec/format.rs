//! Formats of strings, asserted.

use std::net::{Ipv4Addr, Ipv6Addr};

use fluent_uri::{Uri, UriRef};

/// A format of JSON Schema 2020-12, for [`StringCodec::format`](super::StringCodec::format).
///
/// JSON Schema leaves it open whether a format is more than a hint. Here it is enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// `2026-07-28` (RFC 3339).
    Date,
    /// `2026-07-28T09:30:00Z` (RFC 3339).
    DateTime,
    /// `P1DT12H` (RFC 3339, appendix A).
    Duration,
    /// `ada@example.org` (RFC 5321, a mailbox without a display name).
    Email,
    /// `example.org` (RFC 1123). Of an internationalised label only its Punycode is checked.
    Hostname,
    /// `192.0.2.1`.
    Ipv4,
    /// `2001:db8::1`.
    Ipv6,
    /// `09:30:00Z` (RFC 3339, with an offset).
    Time,
    /// `https://example.org/a` (RFC 3986, with a scheme).
    Uri,
    /// `../a?b` (RFC 3986).
    UriReference,
    /// `123e4567-e89b-12d3-a456-426614174000` (RFC 4122).
    Uuid,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 11] = [
        Self::Date,
        Self::DateTime,
        Self::Duration,
        Self::Email,
        Self::Hostname,
        Self::Ipv4,
        Self::Ipv6,
        Self::Time,
        Self::Uri,
        Self::UriReference,
        Self::Uuid,
    ];

    /// The name that JSON Schema has for it.
    ///
    /// ```
    /// use relay_core::codec::Format;
    ///
    /// assert_eq!(Format::UriReference.as_str(), "uri-reference");
    /// ```
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Date => "date",
            Self::DateTime => "date-time",
            Self::Duration => "duration",
            Self::Email => "email",
            Self::Hostname => "hostname",
            Self::Ipv4 => "ipv4",
            Self::Ipv6 => "ipv6",
            Self::Time => "time",
            Self::Uri => "uri",
            Self::UriReference => "uri-reference",
            Self::Uuid => "uuid",
        }
    }

    /// Whether a text has this format.
    ///
    /// ```
    /// use relay_core::codec::Format;
    ///
    /// assert!(Format::Date.admits("2028-02-29"));
    /// assert!(!Format::Date.admits("2026-02-29"));
    /// ```
    #[must_use]
    pub fn admits(self, text: &str) -> bool {
        match self {
            Self::Date => is_date(text),
            Self::DateTime => is_date_time(text),
            Self::Duration => is_duration(text),
            Self::Email => is_email(text),
            Self::Hostname => is_hostname(text),
            Self::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
            Self::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
            Self::Time => is_time(text),
            Self::Uri => Uri::parse(text).is_ok(),
            Self::UriReference => UriRef::parse(text).is_ok(),
            Self::Uuid => is_uuid(text),
        }
    }
}

/// A number of exactly `digits` ASCII digits.
fn number(text: &str, digits: usize) -> Option<u32> {
    let plain = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

fn is_date(text: &str) -> bool {
    let parsed = || {
        let (year, rest) = text.split_once('-')?;
        let (month, day) = rest.split_once('-')?;
        let (year, month, day) = (number(year, 4)?, number(month, 2)?, number(day, 2)?);
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if leap => 29,
            2 => 28,
            _ => return None,
        };
        Some((1..=days).contains(&day))
    };
    parsed().unwrap_or(false)
}

fn is_date_time(text: &str) -> bool {
    text.split_once(['T', 't'])
        .is_some_and(|(date, time)| is_date(date) && is_time(time))
}

fn is_time(text: &str) -> bool {
    let parsed = || {
        let (clock, rest) = text.split_at_checked(8)?;
        let (hour, minute, second) = clock_time(clock)?;
        let offset = match rest.strip_prefix('.') {
            None => rest,
            Some(fraction) => {
                let offset = fraction.trim_start_matches(|digit: char| digit.is_ascii_digit());
                (offset.len() < fraction.len()).then_some(offset)?
            }
        };
        let offset = offset_minutes(offset)?;
        // A leap second is the last of a day in UTC, wherever the clock hangs.
        let utc = (hour * 60 + minute - offset).rem_euclid(24 * 60);
        Some(second < 60 || utc == 23 * 60 + 59)
    };
    parsed().unwrap_or(false)
}

fn clock_time(text: &str) -> Option<(i32, i32, i32)> {
    let mut parts = text.split(':').map(|part| number(part, 2));
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    let fits = parts.next().is_none() && hour <= 23 && minute <= 59 && second <= 60;
    let whole = |part: u32| i32::try_from(part).ok();
    fits.then_some((whole(hour)?, whole(minute)?, whole(second)?))
}

fn offset_minutes(text: &str) -> Option<i32> {
    let sign = match text.split_at_checked(1)? {
        ("Z" | "z", "") => return Some(0),
        ("+", _) => 1,
        ("-", _) => -1,
        _ => return None,
    };
    let (hours, minutes) = text.get(1..)?.split_once(':')?;
    let (hours, minutes) = (number(hours, 2)?, number(minutes, 2)?);
    let offset = i32::try_from(hours * 60 + minutes).ok()?;
    (hours <= 23 && minutes <= 59).then_some(sign * offset)
}

fn is_duration(text: &str) -> bool {
    let Some(text) = text.strip_prefix('P') else {
        return false;
    };
    match text.split_once('T') {
        Some((date, time)) => (date.is_empty() || is_run(date, b"YMD")) && is_run(time, b"HMS"),
        None => is_run(text, b"YMD") || is_run(text, b"W"),
    }
}

/// One or more numbers, each with its unit: units that follow each other in `units`, without a gap.
fn is_run(text: &str, units: &[u8]) -> bool {
    let mut rest = text;
    let mut place: Option<usize> = None;
    while !rest.is_empty() {
        let after = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
        let Some(unit) = after.bytes().next() else {
            return false;
        };
        let found = units.iter().position(|known| *known == unit);
        let follows = found.is_some_and(|found| place.is_none_or(|place| found == place + 1));
        if after.len() == rest.len() || !follows {
            return false;
        }
        place = found;
        rest = after.get(1..).unwrap_or_default();
    }
    place.is_some()
}

fn is_email(text: &str) -> bool {
    // An unquoted `@` cannot be in a domain, so the last one divides.
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    if local.is_empty() || local.len() > 64 || domain.len() > 254 {
        return false;
    }
    let quoted = local
        .strip_prefix('"')
        .and_then(|local| local.strip_suffix('"'))
        .filter(|_| local.len() > 1);
    let local = match quoted {
        Some(content) => is_quoted_content(content),
        None => local
            .split('.')
            .all(|atom| !atom.is_empty() && atom.bytes().all(is_atom_byte)),
    };
    local && is_mail_domain(domain)
}

fn is_atom_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte)
}

fn is_quoted_content(content: &str) -> bool {
    let visible = |byte: u8| matches!(byte, b'\t' | b' '..=b'~');
    let mut bytes = content.bytes();
    while let Some(byte) = bytes.next() {
        let fits = match byte {
            b'\\' => bytes.next().is_some_and(visible),
            b'"' => false,
            byte => visible(byte),
        };
        if !fits {
            return false;
        }
    }
    true
}

fn is_mail_domain(domain: &str) -> bool {
    let literal = domain
        .strip_prefix('[')
        .and_then(|domain| domain.strip_suffix(']'));
    match literal {
        None => is_hostname(domain),
        Some(literal) => match literal.split_at_checked(5) {
            Some((tag, address)) if tag.eq_ignore_ascii_case("IPv6:") => {
                address.parse::<Ipv6Addr>().is_ok()
            }
            _ => literal.parse::<Ipv4Addr>().is_ok(),
        },
    }
}

fn is_hostname(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_label)
}

fn is_label(label: &str) -> bool {
    let plain = (1..=63).contains(&label.len())
        && label
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-');
    // Hyphens in the third and fourth place are kept for encoded labels (RFC 5891 §4.2.3.1).
    plain
        && match label.split_at_checked(4) {
            Some((prefix, encoded)) if prefix.ends_with("--") => {
                prefix == "xn--" && is_punycode(encoded)
            }
            _ => true,
        }
}

/// Whether a text is the Punycode of something (RFC 3492 §6.2).
fn is_punycode(encoded: &str) -> bool {
    let (basic, digits) = match encoded.rsplit_once('-') {
        Some(("", _)) => return false,
        Some(parts) => parts,
        None => ("", encoded),
    };
    let decoded = || {
        let mut length = u32::try_from(basic.len()).ok()?;
        let (mut point, mut index, mut bias) = (128_u32, 0_u32, 72_u32);
        let mut digits = digits.bytes().peekable();
        while digits.peek().is_some() {
            let before = index;
            index = index.checked_add(variable_length(&mut digits, bias)?)?;
            length += 1;
            bias = adapt(index - before, length, before == 0);
            point = point.checked_add(index / length)?;
            char::from_u32(point)?;
            index = index % length + 1;
        }
        Some(length)
    };
    decoded().is_some_and(|length| length > 0)
}

fn variable_length(digits: &mut impl Iterator<Item = u8>, bias: u32) -> Option<u32> {
    let (mut value, mut weight, mut position) = (0_u32, 1_u32, 36_u32);
    loop {
        let digit = match digits.next()? {
            byte @ b'a'..=b'z' => byte - b'a',
            byte @ b'A'..=b'Z' => byte - b'A',
            byte @ b'0'..=b'9' => byte - b'0' + 26,
            _ => return None,
        };
        let digit = u32::from(digit);
        value = value.checked_add(digit.checked_mul(weight)?)?;
        let threshold = position.saturating_sub(bias).clamp(1, 26);
        if digit < threshold {
            return Some(value);
        }
        weight = weight.checked_mul(36 - threshold)?;
        position += 36;
    }
}

fn adapt(delta: u32, length: u32, first: bool) -> u32 {
    let mut delta = if first { delta / 700 } else { delta / 2 };
    delta += delta / length;
    let mut steps = 0;
    while delta > 455 {
        delta /= 35;
        steps += 36;
    }
    steps + 36 * delta / (delta + 38)
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(place, byte)| match place {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
