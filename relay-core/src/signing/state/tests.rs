use std::time::UNIX_EPOCH;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use super::*;

const LIMIT: usize = 64 * 1024;

fn start() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

fn ring() -> KeyRing {
    KeyRing::new(&[1; 32]).unwrap()
}

fn arguments(value: &Value) -> Digest {
    Digest::of(value.as_object().unwrap())
}

fn binding(principal: Option<&Principal>) -> Binding<'_> {
    Binding {
        method: "tools/call",
        target: "book",
        arguments: arguments(&json!({"flight": "RL 7", "seats": 2})),
        principal,
        audience: "travel",
    }
}

fn ada() -> Principal {
    Principal::new("https://login.example", "ada").with_client("desktop")
}

fn raw(value: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap()
}

/// Two of three questions answered, the third asked.
fn typical() -> State {
    let answer = |content: Value| Answered {
        question: Fingerprint::new(Kind::Form, "{}"),
        given: raw(&json!({"action": "accept", "content": content})),
    };
    State {
        answers: BTreeMap::from([
            ("meal".to_owned(), answer(json!({"choice": "vegetarian"}))),
            ("seat".to_owned(), answer(json!({"seat": "12A"}))),
        ]),
        recorded: BTreeMap::from([("hold".to_owned(), raw(&json!("H-20177")))]),
        handler: None,
        asked: BTreeMap::from([(
            "pay".to_owned(),
            Fingerprint::new(Kind::Url, "https://pay.example/7"),
        )]),
        round: 2,
    }
}

fn sealed() -> String {
    seal(&ring(), &binding(None), &typical(), start(), LIMIT).unwrap()
}

fn opened(text: &str) -> Option<Opened> {
    open(&ring(), &binding(None), text, start(), LIMIT).ok()
}

fn opens(text: &str) -> bool {
    opened(text).is_some()
}

/// `RawValue` has no equality of its own.
fn told(state: &State) -> String {
    format!("{state:?}")
}

// RS-01, RS-12
#[test]
fn what_a_client_holds_is_short_and_tells_it_nothing() {
    let text = sealed();
    assert!(text.len() <= 280, "{} characters", text.len());
    let bytes = URL_SAFE_NO_PAD.decode(&text).unwrap();
    for word in ["seat", "12A", "hold", "H-20177"] {
        let found = bytes
            .windows(word.len())
            .any(|window| window == word.as_bytes());
        assert!(!found, "{word}");
    }
    assert_ne!(
        text,
        sealed(),
        "two tokens of the same state have nothing in common"
    );
}

// RS-02
#[test]
fn what_was_never_minted_does_not_open() {
    for text in [
        "",
        "bogus",
        "null",
        "=",
        "AAAA",
        "é",
        "\0",
        &"A".repeat(60),
        &"A".repeat(262),
    ] {
        assert!(!opens(text), "{text:?}");
    }
    assert!(opens(&sealed()));
}

// RS-02
#[test]
fn state_has_one_spelling() {
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
        let state = State {
            asked: BTreeMap::from([(key.to_owned(), Fingerprint::new(Kind::Form, "{}"))]),
            ..State::default()
        };
        let text = seal(&ring(), &binding(None), &state, start(), LIMIT).unwrap();
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

// RS-04, RS-13
#[test]
fn state_lives_for_ten_minutes() {
    let text = sealed();
    let at = |time| open(&ring(), &binding(None), &text, time, LIMIT).is_ok();
    assert!(at(start() + LIFETIME - Duration::from_secs(1)));
    assert!(!at(start() + LIFETIME));
    assert!(!at(start() + LIFETIME * 1000));
    assert!(at(start() - SKEW), "replicas' clocks differ");
    assert!(!at(start() - SKEW - Duration::from_secs(1)));
    assert!(!at(UNIX_EPOCH));
}

// RS-08
#[test]
fn the_operator_can_tell_why() {
    let text = sealed();
    let why = |ring: &KeyRing, binding: &Binding<'_>, text: &str, now| {
        open(ring, binding, text, now, LIMIT).map(drop).unwrap_err()
    };
    let (ring, here) = (ring(), binding(None));
    let (elsewhere, rotated) = (binding(None), KeyRing::new(&[2; 32]).unwrap());
    let elsewhere = Binding {
        target: "rebook",
        ..elsewhere
    };
    let mut altered = URL_SAFE_NO_PAD.decode(&text).unwrap();
    altered[40] ^= 1;
    let altered = URL_SAFE_NO_PAD.encode(altered);
    let early = start() - SKEW * 2;
    for (found, expected) in [
        (why(&ring, &elsewhere, &text, start()), Refused::Alien),
        (why(&ring, &here, &altered, start()), Refused::Alien),
        (why(&ring, &here, &text, early), Refused::Early),
        (
            why(&ring, &here, &text, start() + LIFETIME),
            Refused::Expired,
        ),
        (why(&ring, &here, &text.repeat(300), start()), Refused::Long),
        (why(&ring, &here, "", start()), Refused::Malformed),
        (why(&ring, &here, "AAAA", start()), Refused::Malformed),
        (
            why(&ring, &here, &format!("{text}="), start()),
            Refused::Malformed,
        ),
        (why(&rotated, &here, &text, start()), Refused::UnknownKey),
    ] {
        assert_eq!(found, expected);
    }
}

// RS-06: the use of a token is remembered as long as some replica opens it.
#[test]
fn a_token_says_how_long_its_use_matters() {
    let text = sealed();
    let at = |time| open(&ring(), &binding(None), &text, time, LIMIT).unwrap();
    for now in [start() - SKEW, start(), start() + Duration::from_secs(599)] {
        let remaining = at(now).remaining;
        // A replica whose clock is a minute behind this one's, when the store forgets.
        let theirs = now + remaining - SKEW;
        assert!(open(&ring(), &binding(None), &text, theirs, LIMIT).is_err());
        assert!(remaining <= LIFETIME + SKEW * 2);
    }
    assert_eq!(at(start()).name, at(start() + SKEW).name);
    assert_ne!(at(start()).name, opened(&sealed()).unwrap().name);
}

// RS-03, RS-05, RS-11
#[test]
fn state_serves_what_it_was_made_for_and_nothing_else() {
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
    for (method, target) in [
        ("tools/call", "boo"),
        ("tools/callb", "ook"),
        ("tools/cal", "lbook"),
        ("prompts/get", "book"),
        ("resources/read", "book"),
        ("resources/read", "note://7"),
        ("", "tools/callbook"),
    ] {
        bindings.push(Binding {
            method,
            target,
            ..binding(Some(&ada))
        });
    }
    for other in [
        json!({}),
        json!({"flight": "RL 7"}),
        json!({"flight": "RL 7", "seats": 3}),
        json!({"flight": "RL 7", "seats": "2"}),
        json!({"flight": "RL 7", "seats": 2, "extra": null}),
    ] {
        bindings.push(Binding {
            arguments: arguments(&other),
            ..binding(None)
        });
    }
    bindings.extend(["", "trave", "travels"].map(|audience| Binding {
        audience,
        ..binding(None)
    }));
    for (made, making) in bindings.iter().enumerate() {
        let text = seal(&ring(), making, &typical(), start(), LIMIT).unwrap();
        for (used, using) in bindings.iter().enumerate() {
            assert_eq!(
                open(&ring(), using, &text, start(), LIMIT).is_ok(),
                made == used,
                "{making:?} {using:?}"
            );
        }
    }
}

// RS-03, AUTH-19
#[test]
fn a_renewed_credential_goes_on_with_the_same_state() {
    let ada = ada();
    let text = seal(&ring(), &binding(Some(&ada)), &typical(), start(), LIMIT).unwrap();
    let renewed = ada.with_scopes(["more"]).with_expiry(start() + LIFETIME);
    assert!(open(&ring(), &binding(Some(&renewed)), &text, start(), LIMIT).is_ok());
}

// RS-09
#[test]
fn rotation_fails_no_retry() {
    let (old, new) = ([1; 32], [2; 32]);
    let rings = [
        KeyRing::new(&old).unwrap(),
        KeyRing::new(&old).unwrap().with_opening(&new).unwrap(),
        KeyRing::new(&new).unwrap().with_opening(&old).unwrap(),
        KeyRing::new(&new).unwrap(),
    ];
    let opens = |sealing: &KeyRing, opening: &KeyRing| {
        let text = seal(sealing, &binding(None), &typical(), start(), LIMIT).unwrap();
        open(opening, &binding(None), &text, start(), LIMIT).is_ok()
    };
    for pair in rings.windows(2) {
        // Replicas on both sides of each step run at the same time.
        assert!(opens(&pair[0], &pair[1]) && opens(&pair[1], &pair[0]));
    }
    assert!(
        !opens(&rings[0], &rings[3]) && !opens(&rings[3], &rings[0]),
        "a removed key"
    );
}

/// The parts of [`typical`] sealed as state is, under the key of another purpose.
fn sealed_for(purpose: Purpose) -> String {
    let subkey = ring().sealing(purpose);
    let nonce = [7; NONCE_LENGTH];
    let mut body = dense::write(&typical(), seconds(start()));
    let tag = subkey
        .cipher()
        .encrypt_inout_detached(
            &XNonce::from(nonce),
            &associated(&binding(None)),
            body.as_mut_slice().into(),
        )
        .unwrap();
    URL_SAFE_NO_PAD.encode([subkey.id().as_slice(), &nonce, &body, &tag].concat())
}

// RS-09: replicas of two builds run side by side, so a change here wants a purpose of a new version.
#[test]
fn what_an_earlier_build_sealed_opens() {
    let text = concat!(
        "KW-r9QcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBxp20B7aACNKhBeeO_xHHB5YxzqpbHoDfp2Q3uvvf6KkmVMuEy",
        "2EYtxc9wfmit84S6F8WII8Lf-5rj9gzxsxDI1FFK0m0-FCLFo67j9QaG-n9UNw1LcyYjtFF14Qu5VFna7WELQ7",
        "4jO4qHhjv1MUNAoz0fHjZKU2B9_JuhODgdGSaZU_fAFlEe6emH1PjDHN1d2bdsM3T3m6tIHk9eYAk2q_jC8YMP",
        "HByeYIZEBhAlOCNNxVWHE",
    );
    assert_eq!(sealed_for(Purpose::STATE), text);
    assert_eq!(
        opened(text).map(|opened| told(&opened.state)),
        Some(told(&typical()))
    );
}

// RS-01
#[test]
fn another_purposes_token_is_no_state_nor_state_a_cursor() {
    use super::super::cursor;

    assert!(
        opens(&sealed_for(Purpose::STATE)),
        "what the rest of this test alters"
    );
    for purpose in [
        Purpose::CURSOR,
        Purpose::for_test(""),
        Purpose::for_test("relay/state/v2"),
    ] {
        assert!(!opens(&sealed_for(purpose)));
    }
    let lists = cursor::Binding {
        method: "tools/call",
        principal: None,
        audience: "travel",
    };
    let text = cursor::seal(&ring(), &lists, &["book"], start()).unwrap();
    assert!(cursor::open(&ring(), &lists, &text, start()).is_some() && !opens(&text));
    assert!(cursor::open(&ring(), &lists, &sealed(), start()).is_none());
}

// RS-12
#[test]
fn what_would_not_open_is_not_sealed() {
    let holding = |length: usize| State {
        handler: Some(raw(&Value::String("x".repeat(length)))),
        ..State::default()
    };
    let limit = 1000;
    let sealed = |length| seal(&ring(), &binding(None), &holding(length), start(), limit);
    let longest = (0..limit)
        .take_while(|length| sealed(*length).is_ok())
        .last()
        .unwrap();
    let text = sealed(longest).unwrap();
    assert!(text.len() > limit - 4 && text.len() <= limit);
    assert!(open(&ring(), &binding(None), &text, start(), limit).is_ok());
    assert!(open(&ring(), &binding(None), &text, start(), text.len() - 1).is_err());
    let error = sealed(longest + 1).unwrap_err();
    assert!(
        error.length > limit && error.to_string().contains("may be 1000;"),
        "{error}"
    );
    assert!(sealed(100_000).is_err());
}

/// Each of them has all of [`typical`]'s kinds of content.
fn states() -> impl Strategy<Value = State> {
    let values = || {
        let value = prop_oneof![
            any::<String>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            Just(Value::Null),
            Just(json!({"action": "decline"})),
        ];
        let values = proptest::collection::btree_map(any::<String>(), value, 0..4);
        values.prop_map(|values| {
            values
                .into_iter()
                .map(|(key, value)| (key, raw(&value)))
                .collect()
        })
    };
    let kind = prop_oneof![
        Just(Kind::Form),
        Just(Kind::Roots),
        Just(Kind::Sample),
        Just(Kind::Url)
    ];
    let question = (kind, any::<String>())
        .prop_map(|(kind, subject)| Fingerprint::new(kind, &subject))
        .boxed();
    let asked = proptest::collection::btree_map(any::<String>(), question.clone(), 0..4);
    let answer = (question, any::<i64>()).prop_map(|(question, given)| Answered {
        question,
        given: raw(&given.into()),
    });
    let answers = proptest::collection::btree_map(any::<String>(), answer, 0..4);
    let handler = proptest::option::of(any::<String>());
    (answers, values(), handler, asked, any::<u8>()).prop_map(
        |(answers, recorded, handler, asked, round)| State {
            answers,
            recorded,
            handler: handler.map(|text| raw(&text.into())),
            asked,
            round,
        },
    )
}

fn seal_one(state: &State) -> String {
    seal(&ring(), &binding(None), state, start(), LIMIT).unwrap()
}

proptest! {
    // RS-09
    #[test]
    fn what_was_sealed_opens(state in states(), age in 0..LIFETIME.as_secs()) {
        let text = seal_one(&state);
        prop_assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)));
        let now = start() + Duration::from_secs(age);
        let opened = open(&ring(), &binding(None), &text, now, LIMIT);
        prop_assert_eq!(opened.map(|opened| told(&opened.state)), Ok(told(&state)));
    }

    // RS-02
    #[test]
    fn no_flipped_bit_opens(state in states(), at in any::<Index>(), bit in 0..8) {
        let mut token = URL_SAFE_NO_PAD.decode(seal_one(&state)).unwrap();
        let at = at.index(token.len());
        token[at] ^= 1_u8 << bit;
        prop_assert!(!opens(&URL_SAFE_NO_PAD.encode(token)));
    }

    // RS-02
    #[test]
    fn no_other_character_opens(state in states(), at in any::<Index>(), with in any::<char>()) {
        let text = seal_one(&state);
        let at = at.index(text.len());
        let mut altered: Vec<char> = text.chars().collect();
        altered[at] = with;
        let altered = String::from_iter(altered);
        prop_assert_eq!(opens(&altered), altered == text);
    }

    // RS-02
    #[test]
    fn no_shorter_or_longer_text_opens(
        state in states(), cut in any::<Index>(), extra in proptest::collection::vec(any::<u8>(), 1..40)
    ) {
        let text = seal_one(&state);
        let cut = cut.index(text.len());
        let (head, tail) = text.split_at(cut);
        prop_assert!(!opens(head));
        prop_assert!(!opens(tail) || cut == 0);
        let token = URL_SAFE_NO_PAD.decode(&text).unwrap();
        prop_assert!(!opens(&URL_SAFE_NO_PAD.encode([&token[..], &extra].concat())));
        prop_assert!(!opens(&URL_SAFE_NO_PAD.encode([&extra, &token[..]].concat())));
    }

    // RS-02: also where one token's nonce meets the other's body, or its body the other's tag.
    #[test]
    fn no_splice_of_two_opens(one in states(), two in states(), at in any::<Index>(), from in any::<Index>()) {
        let one = URL_SAFE_NO_PAD.decode(seal_one(&one)).unwrap();
        let two = URL_SAFE_NO_PAD.decode(seal_one(&two)).unwrap();
        let cuts = [(at.index(one.len()), from.index(two.len()))]
            .into_iter()
            // The key's id is the same in both.
            .chain([(28, 28), (one.len() - TAG_LENGTH, two.len() - TAG_LENGTH)])
            .filter(|(at, from)| *at > 4 || from != at);
        for (at, from) in cuts {
            let spliced = [&one[..at], &two[from..]].concat();
            let same = spliced == one || spliced == two;
            prop_assert_eq!(opens(&URL_SAFE_NO_PAD.encode(spliced)), same);
        }
    }

    // RS-02: whatever arrives, in whatever length, comes to an end.
    #[test]
    fn no_text_panics(text in any::<String>(), bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(!opens(&text));
        prop_assert!(!opens(&URL_SAFE_NO_PAD.encode(&bytes)));
        // Nor what a key of ours would have sealed.
        dense::read(&bytes);
    }

}
