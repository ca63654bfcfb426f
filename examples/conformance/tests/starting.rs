//! What the program says that can't start.

use relay_tests::starting::fails_in_one_sentence;

#[test]
fn what_can_not_be_served_is_one_sentence() {
    fails_in_one_sentence("conformance", env!("CARGO_BIN_EXE_conformance")).unwrap();
}
