//! The boundaries of each keyword, for the codec that publishes it, for a schema that the author
//! wrote and for the referee.

use relay_core::codec::{self, Codec, IntoCodec};
use serde_json::{Value, json};

use crate::support::referee;

/// Judges values by the codec, by its published schema over JSON, and by the referee.
fn boundary<C: IntoCodec>(codec: C, fitting: &[Value], others: &[Value]) {
    let codec: Codec<C::Value> = codec.into_codec();
    let schema = codec.decoder().schema().to_value();
    let referee = referee(&schema);
    let handwritten = codec::schema(schema.clone());
    for (values, fits) in [(fitting, true), (others, false)] {
        for value in values {
            assert_eq!(
                referee.is_valid(value),
                fits,
                "referee: {value} against {schema}"
            );
            assert_eq!(
                codec.decode(value.clone()).is_ok(),
                fits,
                "{value} against {schema}"
            );
            assert_eq!(
                handwritten.decode(value.clone()).is_ok(),
                fits,
                "{value} against {schema}"
            );
        }
    }
}

#[test]
fn types() {
    let all = [
        json!(null),
        json!(true),
        json!(1),
        json!(1.5),
        json!("a"),
        json!([]),
        json!({}),
    ];
    let others = |fitting: &[usize]| -> Vec<Value> {
        let other = all
            .iter()
            .enumerate()
            .filter(|(index, _)| !fitting.contains(index));
        other.map(|(_, value)| value.clone()).collect()
    };
    let fitting = |places: &[usize]| -> Vec<Value> {
        places.iter().map(|place| all[*place].clone()).collect()
    };
    boundary(codec::unit(), &fitting(&[0]), &others(&[0]));
    boundary(codec::boolean(), &fitting(&[1]), &others(&[1]));
    boundary(codec::integer::<i64>(), &fitting(&[2]), &others(&[2]));
    boundary(codec::number(), &fitting(&[2, 3]), &others(&[2, 3]));
    boundary(codec::string(), &fitting(&[4]), &others(&[4]));
    boundary(codec::list(codec::any()), &fitting(&[5]), &others(&[5]));
    boundary(codec::object(()), &fitting(&[6]), &others(&[6]));
    boundary(codec::any(), &all, &[]);
    boundary(
        codec::nullable(codec::string()),
        &fitting(&[0, 4]),
        &others(&[0, 4]),
    );
}

// T07, J10
#[test]
fn integer() {
    boundary(
        codec::integer::<i64>(),
        &[
            json!(3.0),
            json!(1e2),
            json!(-0.0),
            json!(i64::MAX),
            json!(i64::MIN),
            json!(1e18),
        ],
        &[
            json!(3.5),
            json!(9_223_372_036_854_775_808_u64),
            json!(1e19),
            json!("3"),
            json!(1e300),
        ],
    );
    boundary(
        codec::integer::<u64>(),
        &[json!(u64::MAX), json!(0), json!(1e19)],
        &[
            json!(-1),
            json!(18_446_744_073_709_551_616_f64),
            json!(-0.5),
        ],
    );
    boundary(
        codec::integer::<i8>(),
        &[json!(-128), json!(127)],
        &[json!(-129), json!(128)],
    );
    boundary(
        codec::integer::<u16>(),
        &[json!(0), json!(65_535)],
        &[json!(-1), json!(65_536)],
    );
    boundary(
        codec::integer::<i32>().range(2..=4),
        &[json!(2), json!(4)],
        &[json!(1), json!(5)],
    );
    boundary(
        codec::integer::<i32>().range(2..4),
        &[json!(2), json!(3)],
        &[json!(1), json!(4)],
    );
    boundary(
        codec::integer::<i64>().multiple_of(3),
        &[
            json!(0),
            json!(-3),
            json!(9.0),
            json!(9_007_199_254_740_993_i64),
        ],
        &[json!(1), json!(-4), json!(9_007_199_254_740_994_i64)],
    );
    boundary(
        codec::integer::<u8>().choices([1, 5]),
        &[json!(1), json!(5.0)],
        &[json!(2)],
    );
}

#[test]
fn number() {
    boundary(
        codec::number().range(1.5..=2.5),
        &[json!(1.5), json!(2.5), json!(2)],
        &[json!(1.4), json!(2.6)],
    );
    boundary(
        codec::number().range(1.5..2.5),
        &[json!(1.5), json!(2.4)],
        &[json!(2.5)],
    );
    boundary(
        codec::number().multiple_of(0.01),
        &[json!(4.35), json!(0), json!(1e20), json!(-0.07)],
        &[json!(4.351), json!(0.005)],
    );
    boundary(
        codec::number().multiple_of(2.5),
        &[json!(5), json!(7.5)],
        &[json!(6)],
    );
    boundary(
        codec::number().range(..=9_007_199_254_740_992.0),
        &[json!(9_007_199_254_740_992_u64)],
        &[json!(9_007_199_254_740_993_u64)],
    );
}

#[test]
fn string() {
    boundary(
        codec::string().min_length(2).max_length(3),
        &[json!("ab"), json!("é🎉"), json!("🎉🎉🎉")],
        &[json!("🎉"), json!("abcd"), json!("")],
    );
    boundary(
        codec::string().choices(["a", "B"]),
        &[json!("a"), json!("B")],
        &[json!("b"), json!("")],
    );
    boundary(
        codec::string().pattern("b+"),
        &[json!("abba"), json!("b")],
        &[json!("a"), json!("")],
    );
    boundary(
        codec::string().pattern("^b+$"),
        &[json!("bb")],
        &[json!("abb"), json!("b\n")],
    );
    // ECMA-262: digits and word characters are ASCII, white space is not.
    boundary(
        codec::string().pattern("^\\d$"),
        &[json!("7")],
        &[json!("٣")],
    );
    boundary(
        codec::string().pattern("^\\w$"),
        &[json!("_")],
        &[json!("é")],
    );
    boundary(
        codec::string().pattern("^\\s$"),
        &[json!("\u{feff}"), json!("\u{a0}")],
        &[json!("x")],
    );
    boundary(
        codec::string().pattern("^.$"),
        &[json!("🎉")],
        &[json!("\n"), json!("ab")],
    );
}

#[test]
fn bytes() {
    boundary(
        codec::bytes(),
        &[
            json!(""),
            json!("AA=="),
            json!("AAA="),
            json!("AAAA"),
            json!("+/+/"),
        ],
        &[
            json!("A"),
            json!("AA"),
            json!("AAA"),
            json!("AB=="),
            json!("AAB="),
            json!("-_-_"),
            json!("AA=A"),
            json!("AAAA\n"),
            json!("===="),
        ],
    );
}

#[test]
fn array() {
    let item = codec::integer::<u8>;
    boundary(
        codec::list(item()).min_items(1).max_items(2),
        &[json!([1]), json!([1, 2])],
        &[json!([]), json!([1, 2, 3]), json!(["1"]), json!([1, null])],
    );
    boundary(
        codec::list(codec::any()).unique(),
        &[
            json!([]),
            json!([1, true, "1"]),
            json!([[1], [2]]),
            json!([{"a": 1}, {"a": 2}]),
        ],
        &[
            json!([1, 1.0]),
            json!([{"a": 1, "b": 2}, {"b": 2, "a": 1}]),
            json!([null, null]),
        ],
    );
}

#[test]
fn object() {
    boundary(
        codec::object((
            codec::field("a", codec::string()),
            codec::optional("b", codec::string()),
            codec::optional("n", codec::nullable(codec::string())),
        )),
        &[
            json!({"a": "x"}),
            json!({"a": "x", "b": "y"}),
            json!({"a": "x", "n": null}),
        ],
        &[
            json!({}),
            json!({"b": "y"}),
            json!({"a": "x", "c": 1}),
            json!({"a": 1}),
        ],
    );
    boundary(
        codec::object(codec::field("a", codec::string())).open(),
        &[json!({"a": "x", "c": 1})],
        &[json!({"c": 1})],
    );
    boundary(
        codec::dictionary(codec::boolean())
            .min_entries(1)
            .max_entries(2),
        &[json!({"": true}), json!({"a": true, "b": false})],
        &[
            json!({}),
            json!({"a": 1}),
            json!({"a": true, "b": true, "c": true}),
        ],
    );
}

#[test]
fn union() {
    let tagged = codec::tagged(
        "k",
        [
            codec::variant(
                "a",
                codec::object(codec::field("v", codec::string())),
                Ok,
                |v| v.map_err(Err),
            ),
            codec::variant(
                "b",
                codec::object(codec::field("v", codec::boolean())),
                Err,
                |v| match v {
                    Err(flag) => Ok(flag),
                    other => Err(other),
                },
            ),
        ],
    );
    boundary::<codec::TaggedCodec<Result<String, bool>>>(
        tagged,
        &[json!({"k": "a", "v": "x"}), json!({"k": "b", "v": true})],
        &[
            json!({"k": "a", "v": true}),
            json!({"v": "x"}),
            json!({"k": "c", "v": 1}),
            json!({"k": "a"}),
            json!({"k": "a", "v": "x", "z": 1}),
            json!("a"),
        ],
    );
}

/// Judges values by a hand-written schema and by the referee.
fn handwritten(table: Vec<(Value, Vec<Value>, Vec<Value>)>) {
    for (schema, fitting, others) in table {
        let referee = referee(&schema);
        let codec = codec::schema(schema.clone());
        for (values, fits) in [(fitting, true), (others, false)] {
            for value in values {
                assert_eq!(referee.is_valid(&value), fits, "{value} against {schema}");
                let read = codec.decode(value.clone());
                assert_eq!(read.is_ok(), fits, "{value} against {schema}");
                assert_eq!(codec.encode(value).is_ok(), fits);
                if let Err(faults) = read {
                    assert!(!faults.to_string().is_empty());
                }
            }
        }
    }
}

#[test]
fn composition() {
    handwritten(vec![
        (
            json!({"const": 1}),
            vec![json!(1), json!(1.0)],
            vec![json!(true), json!("1")],
        ),
        (
            json!({"not": {"type": "string"}}),
            vec![json!(1)],
            vec![json!("a")],
        ),
        (
            json!({"allOf": [{"minimum": 1}, {"maximum": 2}]}),
            vec![json!(1), json!("x")],
            vec![json!(3)],
        ),
        (
            json!({"anyOf": [{"type": "string"}, {"minimum": 5}]}),
            vec![json!("a"), json!(5), json!([])],
            vec![json!(4)],
        ),
        (
            json!({"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]}),
            vec![json!(2), json!(3)],
            vec![json!(6), json!(1)],
        ),
        (
            json!({"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"type": "null"}}),
            vec![json!("ab"), json!(null)],
            vec![json!("a"), json!(1)],
        ),
        (
            json!({"prefixItems": [{"type": "string"}], "items": false}),
            vec![json!([]), json!(["a"])],
            vec![json!([1]), json!(["a", 1])],
        ),
    ]);
}

#[test]
fn what_no_builder_says() {
    handwritten(vec![
        (
            json!({"contains": {"const": 1}, "minContains": 2}),
            vec![json!([1, 1, 2])],
            vec![json!([1]), json!([])],
        ),
        (
            json!({"patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": false}),
            vec![json!({}), json!({"x-a": "b"})],
            vec![json!({"x-a": 1}), json!({"a": "b"})],
        ),
        (
            json!({"propertyNames": {"maxLength": 1}}),
            vec![json!({"a": 1})],
            vec![json!({"ab": 1})],
        ),
        (
            json!({"dependentRequired": {"a": ["b"]}}),
            vec![json!({"b": 1}), json!({"a": 1, "b": 1})],
            vec![json!({"a": 1})],
        ),
        (
            json!({"properties": {"a": true}, "unevaluatedProperties": false}),
            vec![json!({"a": 1})],
            vec![json!({"b": 1})],
        ),
        (
            json!({"$ref": "#/$defs/s", "$defs": {"s": {"type": "string"}}}),
            vec![json!("a")],
            vec![json!(1)],
        ),
        (
            json!({"format": "ipv4"}),
            vec![json!("192.0.2.1"), json!(1)],
            vec![json!("home")],
        ),
    ]);
}
