//! Which cursors open, for whom and how long, and what they tell.

use std::time::{Duration, SystemTime};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use proptest::{prelude::*, sample::Index};
use relay_core::{Clock, KeyRing, Principal, Revision, Server};
use relay_tests::wire::Wire;
use serde_json::{Value, json};

use super::{KEY, cursor, server};
use crate::{
    eras::{connect, runtime},
    lists::{LISTS, List, RESOURCES, TOOLS},
};

/// The one answer to a cursor that does not open; it says nothing of why.
async fn assert_refused<C: Send + Sync + 'static>(list: List, wire: &mut Wire<C>, cursor: &Value) {
    let refused = wire.error(list.method, json!({ "cursor": cursor })).await;
    let message = "the cursor is not one of this list, or has expired".to_owned();
    assert_eq!(
        refused,
        (-32602, message, Value::Null),
        "{} {cursor}",
        list.method
    );
}

// PAGE-01, PAGE-04, PAGE-05, P03, LU-10
#[tokio::test]
async fn a_cursor_that_was_not_minted_here_is_refused() {
    for revision in Revision::ALL {
        let mut wire = connect(&server(5), (), revision).await;
        for list in LISTS {
            let good = cursor(list, &mut wire).await;
            let odd = [
                json!(""),
                json!(" "),
                json!("bogus"),
                json!("0"),
                json!("null"),
                json!("n1"),
                json!(URL_SAFE_NO_PAD.encode("n1")),
                json!(format!("{good}=")),
                json!(format!("{good} ")),
                json!(format!("{good}A")),
                json!(format!(" {good}")),
                json!(format!("{good}{good}")),
                json!(good.to_lowercase()),
                json!("ü".repeat(40)),
                json!("A".repeat(100_000)),
                json!(5),
                json!(-1),
                json!(true),
                json!([good]),
                json!({ "cursor": good }),
            ];
            for cursor in &odd {
                assert_refused(list, &mut wire, cursor).await;
            }
            list.page(&mut wire, Some(&good)).await;
        }
    }
}

// PAGE-01, PAGE-07
#[tokio::test]
async fn a_cursor_with_any_character_changed_or_lost_is_refused() {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut wire = Wire::new(server(3), ());
    let good = cursor(TOOLS, &mut wire).await;
    for at in 0..good.len() {
        let digit = ALPHABET
            .iter()
            .position(|&b| b == good.as_bytes()[at])
            .expect("a digit");
        for bit in [1, 2, 4, 8, 16, 32] {
            let mut altered = good.clone().into_bytes();
            altered[at] = ALPHABET[digit ^ bit];
            let altered = String::from_utf8(altered).expect("ASCII");
            assert_refused(TOOLS, &mut wire, &json!(altered)).await;
        }
        let mut shorter = good.clone();
        shorter.remove(at);
        assert_refused(TOOLS, &mut wire, &json!(shorter)).await;
        assert_refused(TOOLS, &mut wire, &json!(good.get(..at))).await;
        assert_refused(TOOLS, &mut wire, &json!(good.get(at + 1..))).await;
    }
}

// PAGE-01, PAGE-05, LU-10
#[tokio::test]
async fn a_cursor_expires_after_a_day() {
    let noon = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    let day = Duration::from_secs(24 * 60 * 60);
    let second = Duration::from_secs(1);
    let hands = Clock::manual(noon);
    let server = server(5).with_clock(&hands);
    for revision in Revision::ALL {
        for list in LISTS {
            hands.set(noon);
            let mut wire = connect(&server, (), revision).await;
            let good = cursor(list, &mut wire).await;
            for time in [noon, noon + day - second] {
                hands.set(time);
                list.page(&mut wire, Some(&good)).await;
            }
            let much_too_early = noon - Duration::from_secs(61);
            for time in [
                noon + day,
                noon + day + second,
                noon + 365 * day,
                much_too_early,
            ] {
                hands.set(time);
                assert_refused(list, &mut wire, &json!(good)).await;
            }
        }
    }
}

// PAGE-06, P03
#[tokio::test]
async fn a_cursor_is_good_for_one_list_of_one_principal_at_one_server_only() {
    let ada = || Principal::new("https://id.example", "ada").with_client("desktop");
    let others = [
        None,
        Some(Principal::new("https://id.example", "ada")),
        Some(ada().with_client("phone")),
        Some(Principal::new("https://id.example", "bob").with_client("desktop")),
        Some(Principal::new("https://other.example", "ada").with_client("desktop")),
        Some(Principal::new("https://id.example/ada", "").with_client("desktop")),
    ];
    let other_keys = KeyRing::new(&[8; 32]).expect("a key");
    let strangers = [
        server(5).with_audience("elsewhere"),
        server(5).with_info("elsewhere", "1"),
        server(5).with_keys(other_keys),
        server(5).with_keys(KeyRing::random()),
    ];
    for revision in Revision::ALL {
        for list in LISTS {
            let wire = |server: Server<()>, principal: Option<Principal>| async move {
                let wire = connect(&server, (), revision).await;
                match principal {
                    Some(principal) => wire.with_principal(principal),
                    None => wire,
                }
            };
            let good = cursor(list, &mut wire(server(5), Some(ada())).await).await;
            let anonymous = cursor(list, &mut wire(server(5), None).await).await;
            for other in &others {
                let mut wire = wire(server(5), other.clone()).await;
                assert_refused(list, &mut wire, &json!(good)).await;
            }
            let renewed = ada()
                .with_scopes(["new"])
                .with_expiry(SystemTime::UNIX_EPOCH);
            let mut adas = wire(server(5), Some(renewed)).await;
            assert_refused(list, &mut adas, &json!(anonymous)).await;
            for other in LISTS.iter().filter(|other| other.method != list.method) {
                assert_refused(*other, &mut adas, &json!(good)).await;
            }
            list.page(&mut adas, Some(&good)).await;
            for stranger in &strangers {
                let mut wire = wire(stranger.clone(), Some(ada())).await;
                assert_refused(list, &mut wire, &json!(good)).await;
            }
        }
    }
}

// PAGE-07
#[tokio::test]
async fn a_cursor_holds_nothing_but_what_was_shown() {
    let ada = Principal::new("https://id.example", "ada").with_client("desktop");
    for list in LISTS {
        let mut wire = Wire::new(server(5), ()).with_principal(ada.clone());
        let first = list.page(&mut wire, None).await;
        let all = list.keys(&mut wire).await;
        let bytes = URL_SAFE_NO_PAD
            .decode(first.next.expect("a cursor"))
            .expect("base64");
        let text = String::from_utf8_lossy(&bytes);
        for private in ["id.example", "ada", "desktop", "pages", list.method] {
            assert!(!text.contains(private), "{private} in {text:?}");
        }
        assert!(bytes.windows(KEY.len()).all(|window| window != KEY));
        for key in all.iter().filter(|key| !first.keys.contains(key)) {
            assert!(!text.contains(key.as_str()), "{key} in {text:?}");
        }
        if list.method != RESOURCES.method {
            assert!(text.contains(first.keys[1].as_str()), "{text:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    // PAGE-01, PAGE-05, PAGE-07
    #[test]
    fn a_cursor_altered_anywhere_never_opens(
        list in prop::sample::select(&LISTS[..]),
        revision in prop::sample::select(&Revision::ALL[..]),
        edits in prop::collection::vec((any::<Index>(), "[A-Za-z0-9_=+/ -]{0,3}", 0..3_usize), 1..4),
    ) {
        runtime().expect("a runtime").block_on(async {
            let mut wire = connect(&server(5), (), revision).await;
            let good = cursor(list, &mut wire).await;
            let mut altered = good.clone();
            for (at, text, cut) in edits {
                let at = at.index(altered.len() + 1);
                let end = altered.len().min(at + cut);
                altered.replace_range(at..end, &text);
            }
            if altered != good {
                assert_refused(list, &mut wire, &json!(altered)).await;
            }
        });
    }
}
