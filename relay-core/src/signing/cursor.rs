//! Cursors: where a list was left off, in a form only this server could have written.
//!
//! A cursor is unpadded base64url over the key's id, the second it was sealed, the key of the
//! last item shown, and an HMAC-SHA256 over all of that and its [`Binding`]. It is readable by
//! whoever holds it, and names only what that client was shown (PAGE-07).

use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::key::KeyId;
use super::shared::{SKEW, identity, length, seconds};
use super::{KeyRing, Purpose};
use crate::principal::Principal;

/// How long a cursor opens.
const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);
/// The longest cursor, in characters.
const MAX_LENGTH: usize = 8 * 1024;

/// What a cursor is good for, and nothing else (PAGE-06, AUTH-19).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding<'a> {
    /// The list's method.
    pub(crate) method: &'a str,
    /// Whose list it is; `None` for an anonymous peer.
    pub(crate) principal: Option<&'a Principal>,
    /// The server, as configured.
    pub(crate) audience: &'a str,
}

/// The key of an item is too long for the cursor after it to be accepted again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the cursor would be longer than {MAX_LENGTH} characters; the item's key is too long")]
pub(crate) struct Oversized;

/// Seals `key`, the one or more strings that place the last item shown in its list.
///
/// # Errors
///
/// [`Oversized`], if [`open`] would refuse the cursor for its length.
pub(crate) fn seal(
    ring: &KeyRing,
    binding: &Binding<'_>,
    key: &[&str],
    now: SystemTime,
) -> Result<String, Oversized> {
    let subkey = ring.sealing(Purpose::CURSOR);
    let mut token = Vec::from(subkey.id());
    token.extend(seconds(now).to_be_bytes());
    for part in key {
        token.extend(length(part.as_bytes()));
        token.extend(part.as_bytes());
    }
    let tag = authenticate(subkey.mac(), binding, &token)
        .finalize()
        .into_bytes();
    token.extend(tag);
    Some(URL_SAFE_NO_PAD.encode(token))
        .filter(|text| text.len() <= MAX_LENGTH)
        .ok_or(Oversized)
}

/// The strings that [`seal`] was given, if `text` is what it returned for this binding with a key
/// of this ring in the last 24 hours. There is no second spelling of a cursor that opens.
pub(crate) fn open(
    ring: &KeyRing,
    binding: &Binding<'_>,
    text: &str,
    now: SystemTime,
) -> Option<Vec<String>> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    let token = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (body, tag) = token.split_last_chunk::<32>()?;
    let (id, rest) = body.split_first_chunk::<{ size_of::<KeyId>() }>()?;
    ring.opening(Purpose::CURSOR, *id).find(|subkey| {
        authenticate(subkey.mac(), binding, body)
            .verify(tag.into())
            .is_ok()
    })?;
    let (sealed, parts) = rest.split_first_chunk::<8>()?;
    current(u64::from_be_bytes(*sealed), seconds(now)).then_some(())?;
    read(parts)
}

/// The MAC over what a cursor is bound to and what it says, each part preceded by its length so
/// that no two different bindings give the same bytes.
fn authenticate(mut mac: Hmac<Sha256>, binding: &Binding<'_>, body: &[u8]) -> Hmac<Sha256> {
    let mut part = |text: &str| {
        mac.update(&length(text.as_bytes()));
        mac.update(text.as_bytes());
    };
    part(binding.method);
    part(binding.audience);
    identity(binding.principal, part);
    mac.update(body);
    mac
}

fn read(mut parts: &[u8]) -> Option<Vec<String>> {
    let mut key = Vec::new();
    while !parts.is_empty() {
        let (length, rest) = parts.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_be_bytes(*length)).ok()?;
        let (part, rest) = rest.split_at_checked(length)?;
        key.push(String::from_utf8(part.to_vec()).ok()?);
        parts = rest;
    }
    Some(key)
}

fn current(sealed: u64, now: u64) -> bool {
    let age = now.saturating_sub(sealed);
    let ahead = sealed.saturating_sub(now);
    age < LIFETIME.as_secs() && ahead <= SKEW.as_secs()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::Index;

    use std::time::UNIX_EPOCH;

    use super::*;

    const METHODS: [&str; 4] = [
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
    ];

    fn start() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_800_000_000)
    }

    fn ring() -> KeyRing {
        KeyRing::new(&[1; 32]).unwrap()
    }

    fn binding(principal: Option<&Principal>) -> Binding<'_> {
        Binding {
            method: "tools/list",
            principal,
            audience: "notes",
        }
    }

    fn ada() -> Principal {
        Principal::new("https://login.example", "ada").with_client("desktop")
    }

    fn sealed() -> String {
        seal(&ring(), &binding(None), &["add"], start()).unwrap()
    }

    fn opens(text: &str) -> bool {
        open(&ring(), &binding(None), text, start()).is_some()
    }

    // PAGE-01, PAGE-04, P03
    #[test]
    fn what_was_never_minted_does_not_open() {
        for text in [
            "",
            "bogus",
            "5",
            "null",
            "=",
            "AAAA",
            "é",
            "\0",
            &"A".repeat(64),
        ] {
            assert!(!opens(text), "{text:?}");
        }
        assert!(opens(&sealed()));
    }

    // PAGE-01, P03
    #[test]
    fn a_cursor_has_one_spelling() {
        let text = sealed();
        for other in [
            format!("{text}="),
            format!("{text}=="),
            format!(" {text}"),
            format!("{text}\n"),
            format!("{text}A"),
            text.replace(['-', '_'], "+"),
            text.to_lowercase(),
        ] {
            assert!(other == text || !opens(&other), "{other}");
        }
        // Each length modulo 3, so that some spellings have spare bits at the end.
        for key in ["a", "ab", "abc"] {
            let text = seal(&ring(), &binding(None), &[key], start()).unwrap();
            let (head, last) = text.split_at(text.len() - 1);
            for character in ('A'..='Z')
                .chain('a'..='z')
                .chain('0'..='9')
                .chain(['-', '_'])
            {
                assert_eq!(
                    opens(&format!("{head}{character}")),
                    last == character.to_string()
                );
            }
        }
    }

    // PAGE-01
    #[test]
    fn a_cursor_lives_for_a_day() {
        let text = sealed();
        let at = |time| open(&ring(), &binding(None), &text, time).is_some();
        assert!(at(start() + LIFETIME - Duration::from_secs(1)));
        assert!(!at(start() + LIFETIME));
        assert!(!at(start() + LIFETIME * 1000));
        assert!(at(start() - SKEW), "replicas' clocks differ");
        assert!(!at(start() - SKEW - Duration::from_secs(1)));
        assert!(!at(UNIX_EPOCH));
    }

    // PAGE-06, AUTH-19, P03
    #[test]
    fn a_cursor_serves_what_it_was_made_for_and_nothing_else() {
        let ada = ada();
        let others = [
            Principal::new("https://login.example", "ada"),
            Principal::new("https://login.example", "bob").with_client("desktop"),
            Principal::new("https://evil.example", "ada").with_client("desktop"),
            Principal::new("https://login.example", "ada").with_client("phone"),
            Principal::new("https://login.example", "ada").with_client(""),
            // The same text, cut differently.
            Principal::new("https://login.examplea", "da").with_client("desktop"),
            Principal::new("https://login.example", "adad").with_client("esktop"),
        ];
        let mut bindings = vec![binding(Some(&ada)), binding(None)];
        bindings.extend(others.iter().map(|other| binding(Some(other))));
        bindings.extend(METHODS.map(|method| Binding {
            method,
            ..binding(Some(&ada))
        }));
        bindings.extend(["", "note", "notess"].map(|audience| Binding {
            audience,
            ..binding(None)
        }));
        bindings.push(Binding {
            method: "tools/listn",
            audience: "otes",
            principal: None,
        });
        for (made, making) in bindings.iter().enumerate() {
            let text = seal(&ring(), making, &["add"], start()).unwrap();
            for (used, using) in bindings.iter().enumerate() {
                let same = made == used || format!("{making:?}") == format!("{using:?}");
                assert_eq!(
                    open(&ring(), using, &text, start()).is_some(),
                    same,
                    "{making:?} {using:?}"
                );
            }
        }
    }

    // AUTH-19
    #[test]
    fn a_renewed_credential_goes_on_with_the_same_cursor() {
        let ada = ada();
        let text = seal(&ring(), &binding(Some(&ada)), &["add"], start()).unwrap();
        let renewed = ada.with_scopes(["more"]).with_expiry(start() + LIFETIME);
        assert!(open(&ring(), &binding(Some(&renewed)), &text, start()).is_some());
    }

    // PAGE-03
    #[test]
    fn rotation_fails_no_request() {
        let (old, new) = ([1; 32], [2; 32]);
        let rings = [
            KeyRing::new(&old).unwrap(),
            KeyRing::new(&old).unwrap().with_opening(&new).unwrap(),
            KeyRing::new(&new).unwrap().with_opening(&old).unwrap(),
            KeyRing::new(&new).unwrap(),
        ];
        let opens = |sealing: &KeyRing, opening: &KeyRing| {
            let text = seal(sealing, &binding(None), &["add"], start()).unwrap();
            open(opening, &binding(None), &text, start()).is_some()
        };
        for pair in rings.windows(2) {
            // Replicas on both sides of each step run at the same time.
            assert!(opens(&pair[0], &pair[1]) && opens(&pair[1], &pair[0]));
        }
        assert!(!opens(&rings[0], &rings[3]) && !opens(&rings[3], &rings[0]));
    }

    // PAGE-06
    #[test]
    fn another_purposes_token_is_no_cursor() {
        let ring = ring();
        let text = sealed();
        let token = URL_SAFE_NO_PAD.decode(&text).unwrap();
        let body = &token[..token.len() - 32];
        for purpose in [Purpose::for_test("relay/state/v1"), Purpose::for_test("")] {
            let tag = authenticate(ring.sealing(purpose).mac(), &binding(None), body).finalize();
            let forged = URL_SAFE_NO_PAD.encode([body, tag.into_bytes().as_slice()].concat());
            assert!(!opens(&forged));
        }
    }

    #[test]
    fn what_would_not_open_is_not_sealed() {
        let longest = "k".repeat(MAX_LENGTH / 4 * 3 - 4 - 8 - 8 - 32);
        let text = seal(&ring(), &binding(None), &[&longest], start()).unwrap();
        assert_eq!(text.len(), MAX_LENGTH);
        assert!(opens(&text));
        let longer = format!("{longest}k");
        assert_eq!(
            seal(&ring(), &binding(None), &[&longer], start()),
            Err(Oversized)
        );
    }

    #[test]
    fn a_long_text_is_refused_unread() {
        // Authentic, were it not for its length.
        let subkey = ring().sealing(Purpose::CURSOR);
        let mut token = Vec::from(subkey.id());
        token.extend(seconds(start()).to_be_bytes());
        let part = "k".repeat(MAX_LENGTH);
        token.extend(length(part.as_bytes()));
        token.extend(part.as_bytes());
        let tag = authenticate(subkey.mac(), &binding(None), &token)
            .finalize()
            .into_bytes();
        token.extend(tag);
        assert!(!opens(&URL_SAFE_NO_PAD.encode(token)));
    }

    fn keys() -> impl Strategy<Value = Vec<String>> {
        proptest::collection::vec(any::<String>(), 1..4)
    }

    fn seal_all(key: &[String]) -> String {
        let key: Vec<&str> = key.iter().map(String::as_str).collect();
        seal(&ring(), &binding(None), &key, start()).unwrap()
    }

    proptest! {
        // PAGE-03
        #[test]
        fn what_was_sealed_opens(key in keys(), age in 0..LIFETIME.as_secs()) {
            let text = seal_all(&key);
            prop_assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)));
            let now = start() + Duration::from_secs(age);
            prop_assert_eq!(open(&ring(), &binding(None), &text, now), Some(key));
        }

        // PAGE-07, P03
        #[test]
        fn no_flipped_bit_opens(key in keys(), at in any::<Index>(), bit in 0..8) {
            let mut token = URL_SAFE_NO_PAD.decode(seal_all(&key)).unwrap();
            let at = at.index(token.len());
            token[at] ^= 1_u8 << bit;
            prop_assert!(!opens(&URL_SAFE_NO_PAD.encode(token)));
        }

        // PAGE-07, P03
        #[test]
        fn no_other_character_opens(key in keys(), at in any::<Index>(), with in any::<char>()) {
            let text = seal_all(&key);
            let at = at.index(text.len());
            let mut altered: Vec<char> = text.chars().collect();
            altered[at] = with;
            let altered = String::from_iter(altered);
            prop_assert_eq!(opens(&altered), altered == text);
        }

        // PAGE-07, P03
        #[test]
        fn no_shorter_or_longer_text_opens(
            key in keys(), cut in any::<Index>(), extra in proptest::collection::vec(any::<u8>(), 1..40)
        ) {
            let text = seal_all(&key);
            let cut = cut.index(text.len());
            let (head, tail) = text.split_at(cut);
            prop_assert!(!opens(head));
            prop_assert!(!opens(tail) || cut == 0);
            let token = URL_SAFE_NO_PAD.decode(&text).unwrap();
            prop_assert!(!opens(&URL_SAFE_NO_PAD.encode([&token[..], &extra].concat())));
            prop_assert!(!opens(&URL_SAFE_NO_PAD.encode([&extra, &token[..]].concat())));
        }

        // PAGE-07, P03
        #[test]
        fn no_splice_of_two_opens(one in keys(), two in keys(), at in any::<Index>(), from in any::<Index>()) {
            let one = URL_SAFE_NO_PAD.decode(seal_all(&one)).unwrap();
            let two = URL_SAFE_NO_PAD.decode(seal_all(&two)).unwrap();
            let spliced = [&one[..at.index(one.len())], &two[from.index(two.len())..]].concat();
            let whole = spliced == one || spliced == two;
            prop_assert_eq!(opens(&URL_SAFE_NO_PAD.encode(spliced)), whole);
        }

        // PAGE-06, AUTH-19
        #[test]
        fn no_other_binding_or_ring_opens(
            made in ("[a/]{0,3}", "[a/]{0,3}", proptest::option::of(("[ab]{0,2}", "[ab]{0,2}", proptest::option::of("[ab]{0,2}")))),
            used in ("[a/]{0,3}", "[a/]{0,3}", proptest::option::of(("[ab]{0,2}", "[ab]{0,2}", proptest::option::of("[ab]{0,2}")))),
            other_ring in any::<bool>(),
        ) {
            type Parts = (String, String, Option<(String, String, Option<String>)>);
            let principal = |parts: &Parts| parts.2.clone().map(|(issuer, subject, client)| {
                let principal = Principal::new(issuer, subject);
                match client {
                    Some(client) => principal.with_client(client),
                    None => principal,
                }
            });
            let (maker, user) = (principal(&made), principal(&used));
            let making = Binding { method: &made.0, audience: &made.1, principal: maker.as_ref() };
            let using = Binding { method: &used.0, audience: &used.1, principal: user.as_ref() };
            let text = seal(&ring(), &making, &["k"], start()).unwrap();
            let ring = if other_ring { KeyRing::new(&[9; 32]).unwrap() } else { ring() };
            prop_assert_eq!(open(&ring, &using, &text, start()).is_some(), made == used && !other_ring);
        }

        // PAGE-01
        #[test]
        fn any_text_is_survived(text in any::<String>(), bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(!opens(&text));
            prop_assert!(!opens(&URL_SAFE_NO_PAD.encode(bytes)));
        }
    }
}
