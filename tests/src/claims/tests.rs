use super::*;

const SOURCE: &str = r#"
//! Not on a test: ZZ-01.

// ZZ-02, Z01
#[test]
fn echoes() {
    // ZZ-16
    let uri = "note://Y01";
}

// ZZ-03
fn helper() {
    // ZZ-04
}

mod tests {
    /// ZZ-05
    #[tokio::test(
        start_paused = true
    )]
    async fn waits() {
        if true {
            assert_eq!(1, 1); // ZZ-06
        }
    }

    proptest! {
        #[test]
        fn any_bytes(input in any::<u8>()) {
            // ZZ-07
        }
    }
}
"#;

const OUTPUT: &str = "
     Running unittests src/lib.rs (target/debug/deps/relay_core-0123456789abcdef)

running 3 tests
test wire::echoes ... ok
test wire::tests::waits ... FAILED
test wire::tests::any_bytes - should panic ... ok

   Doc-tests relay_core
test relay-core/src/lib.rs - wire::waits (line 3) ... ok
";

fn named() -> Vec<Proof> {
    proofs(SOURCE, "relay_core", "wire")
}

#[test]
fn an_id_has_a_group_or_a_letter_and_two_digits() {
    let found = ids("ZZ-02,Z01 (ZZZ-10) UTF-8 ZZ-2 ZZ-002 Z1 x01 Z-01 note_Y01 Y01.");
    let expected = ["Y01", "Z01", "ZZ-02", "ZZZ-10"];
    assert_eq!(found, expected.map(ToOwned::to_owned).into());
}

#[test]
fn only_comments_on_tests_count() {
    let found: Vec<_> = named()
        .into_iter()
        .map(|proof| (proof.id, proof.test))
        .collect();
    let expected = [
        ("Z01", "echoes"),
        ("ZZ-02", "echoes"),
        ("ZZ-16", "echoes"),
        ("ZZ-05", "waits"),
        ("ZZ-06", "waits"),
        ("ZZ-07", "any_bytes"),
    ];
    assert_eq!(
        found,
        expected.map(|(id, test)| (id.to_owned(), test.to_owned()))
    );
}

#[test]
fn only_tests_that_passed_count() {
    let passed = passed(OUTPUT);
    let proved: BTreeSet<_> = named()
        .into_iter()
        .filter(|proof| passed.holds(proof))
        .map(|proof| proof.test)
        .collect();
    assert_eq!(
        proved,
        ["any_bytes", "echoes"].map(ToOwned::to_owned).into()
    );

    let elsewhere = proofs(SOURCE, "relay_stdio", "wire");
    assert!(!elsewhere.iter().any(|proof| passed.holds(proof)));
    let elsewhere = proofs(SOURCE, "relay_core", "wir");
    assert!(!elsewhere.iter().any(|proof| passed.holds(proof)));
}

#[test]
fn the_report_names_what_is_missing_and_why() {
    let claims =
        Claims::read("# ZZ-99\nZZ-02 ZZ-05 ZZ-08\nZZ-09\nY01 - blank lines\nlater ZZ-01 - no");
    let rows =
        rows("| ID | L | Trigger | Expected |\n|---|---|---|---|\n| ZZ-08 | M | any | none |");
    let others = ids("ZZ-09");
    let report = missing(&claims, &named(), &passed(OUTPUT), &others, &rows);
    assert_eq!(
        report.as_deref(),
        Some("  Y01  blank lines\n  ZZ-05   [named by waits, which did not pass]\n  ZZ-08  any\n")
    );

    let claims = Claims::read("ZZ-02 Z01");
    assert_eq!(
        missing(&claims, &named(), &passed(OUTPUT), &others, &rows),
        None
    );
}

#[test]
fn the_list_is_measured_by_the_checklists() {
    let rows = rows("| ZZ-01 | M |\n| ZZ-02 | M |\n| ZZ-03 | M |\n| HDR-01 | M |");
    let claims = Claims::read("ZZ-01 ZZ-04 Y01 - a case\nlater ZZ-01 ZZ-02");
    assert_eq!(
        claims.mistakes(&rows),
        [
            "ZZ-01 is both claimed and left for later",
            "ZZ-03 is neither claimed nor left for later"
        ]
    );
    let claims = Claims::read("ZZ-01 ZZ-04\nlater ZZ-02 ZZ-03");
    assert_eq!(claims.mistakes(&rows), ["ZZ-04 is in no checklist"]);
}

#[test]
fn a_slip_in_an_id_is_found() {
    let rows = rows("| ZZ-02 | M |\n| ZZ-03 | M |\n| ZZ-05 | M |\n| ZZ-06 | M |\n| ZZ-07 | M |");
    assert_eq!(unknown(&named(), &rows), ["ZZ-16"].into());
}
