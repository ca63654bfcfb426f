//! What a caller writes has to infer, and halves have to behave as one.

use serde_json::json;

use super::*;

/// Takes what a tool's definition takes, and gives what its handler gets.
fn defined<I: IntoDecoder, O: Output>(
    input: I,
    output: O,
) -> (Decoder<I::Value>, Encoder<O::Value>) {
    let OutputCodec::Structured(encoder) = output.into_output().unwrap() else {
        panic!("not structured");
    };
    (input.into_decoder().unwrap(), encoder)
}

#[test]
fn a_definition_needs_no_annotation() {
    let (input, output) = defined(
        object((
            field("text", string().max_length(200).describe("What to say")),
            defaulted("times", integer::<i64>().range(1..=9), 1),
        )),
        string(),
    );
    let (text, times) = input.decode(json!({"text": "ab", "times": 2.0})).unwrap();
    let repeated = text.repeat(usize::try_from(times).unwrap());
    assert_eq!(output.encode(repeated).unwrap(), json!("abab"));
}

#[test]
fn halves_and_codecs_define_as_well() {
    let weeks = integer::<u8>().range(1..=52).into_codec();
    let input = object((field("weeks", weeks.clone()),)).into_codec();
    let (input, output) = defined(input.decoder().clone(), weeks.encoder().clone());
    let (read,) = input.decode(json!({"weeks": 52})).unwrap();
    assert_eq!(output.encode(read).unwrap(), json!(52));
}

#[test]
fn every_mistake_of_a_definition_comes_out_at_once() {
    let item = object((
        field("a", string().min_length(2).max_length(1)),
        defaulted("b", integer::<u8>().range(1..=9), 0),
    ));
    let faults = list(item)
        .min_items(2)
        .max_items(1)
        .into_decoder()
        .unwrap_err();
    let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        faults,
        [
            "no list has at least 2 and at most 1 items",
            "/*/a: no string has at least 2 and at most 1 characters",
            "/*/b: the default does not fit: (root): expected an integer from 1 to 9, got 0",
            "a tool's input is an object: use `codec::object`, or a type that is a struct with \
             named fields, and `codec::object(())` for a tool without arguments",
        ]
    );
}

#[test]
fn mapping_goes_both_ways_and_refusals_are_faults() {
    #[derive(Debug, PartialEq)]
    struct Even(u8);
    let even = integer::<u8>().try_map(
        |number| {
            if number % 2 == 0 {
                Ok(Even(number))
            } else {
                Err("an odd number")
            }
        },
        |even: Even| even.0,
    );
    let codec = object((field("n", even),)).map(|(even,)| even, |even| (even,));
    assert_eq!(codec.decode(json!({"n": 4})).unwrap(), Even(4));
    assert_eq!(codec.encode(Even(4)).unwrap(), json!({"n": 4}));
    let faults = codec.decode(json!({"n": 3})).unwrap_err();
    assert_eq!(faults.to_string(), "/n: an odd number, got 3");
}

#[test]
fn codecs_are_shared_between_threads() {
    fn shared<T: Clone + Send + Sync + fmt::Debug>(_: &T) {}
    shared(&string().into_codec());
    shared(object(()).into_codec().decoder());
    shared(object(()).into_codec().encoder());
}

// T07
#[test]
fn what_a_model_sends_is_read_or_explained() {
    let add = object((field("a", integer::<i64>()), field("b", integer::<i64>()))).into_codec();
    assert_eq!(add.decode(json!({"a": 3.0, "b": 1e2})).unwrap(), (3, 100));
    for (arguments, faults) in [
        (
            json!({"a": "3", "b": 4}),
            "/a: expected an integer, got the string \"3\"",
        ),
        (
            json!({"a": 3.5, "b": 1}),
            "/a: expected an integer, got 3.5",
        ),
        (
            json!({"a": true, "b": 1}),
            "/a: expected an integer, got true",
        ),
        (json!({"a": 1}), "/b: missing, expected an integer"),
        (
            json!({"a": 1, "b": 2, "zz": 3}),
            "/zz: expected only the fields `a` and `b`, got an unknown field",
        ),
    ] {
        assert_eq!(add.decode(arguments).unwrap_err().to_string(), faults);
    }
}
