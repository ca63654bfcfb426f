//! Codecs of every kind, nested at random, against the referee.

use proptest::prelude::*;
use serde_json::Value;

use crate::plan::{build, plan};
use crate::support::{Random, cases, referee, without_absent};
use crate::values::{data, plain, value};

proptest! {
    #![proptest_config(cases(1500))]

    /// Reading accepts exactly what the published schema accepts (TOOL-07, SCH-04).
    #[test]
    fn reading_accepts_what_is_published(seed: u64) {
        let mut random = Random::new(seed);
        let plan = plan(&mut random, 3);
        let codec = build(&plan);
        let schema = codec.decoder().schema().to_value();
        let referee = referee(&schema);
        for damages in [0, 0, 0, 1, 1, 2, 3] {
            let mut value = value(&mut random, &plan);
            for _ in 0..damages {
                random.damage(&mut value);
            }
            let fits = referee.is_valid(&without_absent(&schema, &value));
            let read = codec.decode(value.clone());
            prop_assert_eq!(read.is_ok(), fits, "{} against {}: {:?}", value, schema, read);
            if let Err(faults) = read {
                prop_assert!(faults.iter().count() > 0);
                for fault in &faults {
                    prop_assert!(leads_to_something(&value, fault.pointer()), "{}: {}", value, fault);
                }
            }
        }
    }

    /// Writing produces exactly what the published schema accepts, and refuses the rest (TOOL-13).
    #[test]
    fn writing_produces_what_is_published(seed: u64) {
        let mut random = Random::new(seed);
        let plan = plan(&mut random, 3);
        let codec = build(&plan);
        let schema = codec.encoder().schema().to_value();
        let referee = referee(&schema);
        for _ in 0..5 {
            let data = data(&mut random, &plan);
            let plain = plain(&plan, &data);
            let fits = referee.is_valid(&plain);
            match codec.encode(data) {
                Ok(written) => {
                    prop_assert!(fits, "{} against {}", written, schema);
                    prop_assert_eq!(written, plain);
                }
                Err(faults) => prop_assert!(!fits, "{} against {}: {}", plain, schema, faults),
            }
        }
    }

    /// What was written reads as it was.
    #[test]
    fn what_is_written_can_be_read(seed: u64) {
        let mut random = Random::new(seed);
        let plan = plan(&mut random, 3);
        let codec = build(&plan);
        let data = data(&mut random, &plan);
        if let Ok(written) = codec.encode(data) {
            let read = codec.decode(written.clone()).unwrap();
            prop_assert_eq!(codec.encode(read).unwrap(), written);
        }
    }
}

/// A pointer leads into the value, or to a member that it does not have.
fn leads_to_something(value: &Value, pointer: &str) -> bool {
    let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
    value.pointer(pointer).is_some() || value.pointer(parent).is_some_and(Value::is_object)
}
/// The generator makes what fits and what does not, so that neither side of a property is empty.
#[test]
fn both_kinds_of_values_are_generated() {
    let (mut reads, mut writes) = ([0, 0], [0, 0]);
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let plan = plan(&mut random, 3);
        let codec = build(&plan);
        reads[usize::from(codec.decode(value(&mut random, &plan)).is_ok())] += 1;
        writes[usize::from(codec.encode(data(&mut random, &plan)).is_ok())] += 1;
    }
    assert!(
        reads.iter().chain(&writes).all(|count| *count > 60),
        "{reads:?} {writes:?}"
    );
}
