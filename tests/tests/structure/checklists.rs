use std::collections::BTreeMap;
use std::fs;

use relay_tests::claims::{Claims, rows};
use relay_tests::workspace::root;

#[test]
fn every_row_of_a_claimed_group_is_claimed_or_left_for_later() {
    let protocol = root().join("docs/protocol");
    let mut checklists = BTreeMap::new();
    for (name, least) in [("modern.md", 200), ("legacy.md", 80)] {
        let rows = rows(&fs::read_to_string(protocol.join(name)).unwrap());
        assert!(rows.len() > least, "{name} has {} rows", rows.len());
        checklists.extend(rows);
    }
    let claims = Claims::read(&fs::read_to_string(protocol.join("claimed.txt")).unwrap());
    assert_eq!(claims.mistakes(&checklists), [""; 0]);
}
