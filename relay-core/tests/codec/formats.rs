//! Each format against the referee.

use proptest::prelude::*;
use relay_core::codec::{self, Format, IntoCodec};
use serde_json::json;

use crate::support::{Random, cases, referee};

/// Texts on both sides of each format's boundary.
const SAMPLES: [(Format, &[&str]); 11] = [
    (
        Format::Date,
        &[
            "2026-07-28",
            "2028-02-29",
            "2026-02-29",
            "2000-02-29",
            "1900-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-04-31",
            "2026-1-01",
            "26-01-01",
            "2026-07-28Z",
            "+026-07-28",
            "２026-07-28",
            "2026-07-00",
            "0000-01-01",
            "2026-07-28 ",
            "",
        ],
    ),
    (
        Format::DateTime,
        &[
            "2026-07-28T09:30:00Z",
            "2026-07-28t09:30:00z",
            "2026-07-28T09:30:00.123+02:00",
            "2026-07-28 09:30:00Z",
            "2026-07-28T09:30:00",
            "2026-07-28T09:30Z",
            "2026-02-30T09:30:00Z",
            "2026-07-28TT09:30:00Z",
            "1998-12-31T23:59:60Z",
            "1998-12-31T15:59:60-08:00",
            "1998-12-31T15:58:60-08:00",
        ],
    ),
    (
        Format::Duration,
        &[
            "P1D", "P1Y2M3D", "P1Y2D", "PT1H", "PT1H2M3S", "PT1H3S", "P1DT1S", "P1W", "P1W1D",
            "PT", "P", "P1", "1D", "P1DT", "PT1.5S", "P-1D", "p1d", "P1M1Y", "P1D1D", "PT1S1M",
            "P01D", "P1YT1S", "PT0S", "P1WT1H", "P١D",
        ],
    ),
    (
        Format::Email,
        &[
            "ada@example.org",
            "a+b@c.d",
            "a@localhost",
            "a.b@c",
            ".a@b.c",
            "a.@b.c",
            "a..b@c.d",
            "a@b_c.d",
            "a@-b.c",
            "a@b.c.",
            "a b@c.d",
            "\"a b\"@c.d",
            "\"\"@c.d",
            "\"a\\\"b\"@c.d",
            "\"a\"b\"@c.d",
            "\"a@b\"@c.d",
            "a@b@c.d",
            "a@[127.0.0.1]",
            "a@[IPv6:::1]",
            "a@[1.2]",
            "a@[ipv6:::1]",
            "a@[::1]",
            "@b.c",
            "a@",
            "a",
            "é@b.c",
            "a@é.c",
            "<a@b.c>",
            "\"@b.c",
            "Ada <ada@example.org>",
            "!#$%&'*+-/=?^_`{|}~@b.c",
            "a(b)@c.d",
        ],
    ),
    (
        Format::Hostname,
        &[
            "example.org",
            "a",
            "1.2.3.4",
            "a.b.",
            ".a",
            "a..b",
            "-a",
            "a-",
            "a-b",
            "ab--cd",
            "a_b",
            "é.org",
            "xn--nxasmq6b",
            "xn--X",
            "XN--nxasmq6b",
            "xn--",
            "xn--a-",
            "",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ],
    ),
    (
        Format::Ipv4,
        &[
            "192.0.2.1",
            "0.0.0.0",
            "256.0.0.1",
            "1.2.3",
            "01.2.3.4",
            "1.2.3.4.5",
            " 1.2.3.4",
            "",
        ],
    ),
    (
        Format::Ipv6,
        &[
            "::1",
            "::",
            "2001:db8::1",
            "1::2::3",
            "::ffff:192.0.2.1",
            "::1%lo",
            "12345::",
            "::g",
            "1:2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7:8:9",
            "1:2:3:4:5:6:7",
            "[::1]",
        ],
    ),
    (
        Format::Time,
        &[
            "09:30:00Z",
            "09:30:00z",
            "09:30:00",
            "9:30:00Z",
            "24:00:00Z",
            "23:59:60Z",
            "22:59:60Z",
            "00:29:60+00:30",
            "09:30:00.Z",
            "09:30:00.5Z",
            "09:30:00+24:00",
            "09:30:00+02:60",
            "09:30:00+0200",
            "09:30Z",
            "09:60:00Z",
            "09:30:61Z",
            "09:30:00Zx",
            "09:30:00-08:00",
            "０9:30:00Z",
        ],
    ),
    (
        Format::Uri,
        &[
            "https://example.org/a?b#c",
            "urn:isbn:1",
            "a:",
            "mailto:a@b",
            "//example.org",
            "/a",
            "a",
            "",
            "http://a b",
            "http://a/%zz",
            "http://a/%41",
            "http://é/",
            "1a:b",
            "http://[::1]/",
            "http://[::1",
            "http://a#b#c",
            "http://a:b/",
            "http://a\\b",
            "http://<a>/",
            "http://a:/",
        ],
    ),
    (
        Format::UriReference,
        &[
            "a", "", "#x", "//a", "/a?b", "a b", "a:b", "1a:b", "./1a:b", "%", "^", "?x=[]", "é",
        ],
    ),
    (
        Format::Uuid,
        &[
            "123e4567-e89b-12d3-a456-426614174000",
            "123E4567-E89B-12D3-A456-426614174000",
            "123e4567e89b12d3a456426614174000",
            "{123e4567-e89b-12d3-a456-426614174000}",
            "123e4567-e89b-12d3-a456-42661417400",
            "123e4567-e89b-12d3-a456-42661417400g",
            "123e4567-e89b-12d3-a456_426614174000",
            "00000000-0000-0000-0000-000000000000",
        ],
    ),
];

#[test]
fn a_format_is_what_the_referee_says() {
    for (format, texts) in SAMPLES {
        let codec = codec::string().format(format).into_codec();
        let referee = referee(&codec.decoder().schema().to_value());
        for text in texts {
            let fits = referee.is_valid(&json!(text));
            assert_eq!(
                codec.decode(json!(text)).is_ok(),
                fits,
                "{format:?} {text:?}"
            );
            assert_eq!(
                codec.encode((*text).to_owned()).is_ok(),
                fits,
                "{format:?} {text:?}"
            );
        }
        let fit = texts.iter().filter(|text| format.admits(text)).count();
        assert!(fit > 0 && fit < texts.len(), "{format:?}");
    }
}

// T04
#[test]
fn a_fault_of_a_format_shows_what_is_meant() {
    for (format, texts) in SAMPLES {
        let misfit = texts.iter().find(|text| !format.admits(text)).unwrap();
        let faults = codec::string()
            .format(format)
            .into_codec()
            .decode(json!(misfit))
            .unwrap_err();
        assert!(!faults.to_string().contains("of the format"), "{faults}");
    }
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn a_format_agrees_with_the_referee_on_damaged_texts(seed: u64) {
        let mut random = Random::new(seed);
        let (format, texts) = random.pick(&SAMPLES);
        let mut text: Vec<char> = random.pick(texts).chars().collect();
        for _ in 0..=random.below(3) {
            let place = random.below(text.len() + 1);
            let letters: Vec<char> = "0159aZ-.:/@\"\\[]%#+_ TPWDé".chars().collect();
            let letter = *random.pick(&letters);
            match random.below(3) {
                0 => text.insert(place, letter),
                1 if place < text.len() => { text.remove(place); }
                _ if place < text.len() => text[place] = letter,
                _ => {}
            }
        }
        let text: String = text.into_iter().collect();
        // Of an internationalised label, only the Punycode is checked.
        prop_assume!(!text.to_ascii_lowercase().contains("xn--"));
        let referee = referee(&json!({"type": "string", "format": format.as_str()}));
        prop_assert_eq!(format.admits(&text), referee.is_valid(&json!(text)), "{:?} {:?}", format, text);
    }
}
