//! What a codec costs beside serde alone and beside the validator alone.
//!
//! `cargo bench -p relay-core --bench codec` prints the times and the allocations of each, and then
//! the ratios, all measured in the one run.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use divan::{AllocProfiler, Bencher};
use relay_core::codec::{self, Codec, IntoCodec, Variant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
    ratios();
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
struct Note {
    title: String,
    text: String,
    week: Option<u8>,
    tags: Vec<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    Circle { radius: f64 },
    Square { side: f64 },
}

fn note_value() -> Value {
    json!({
        "title": "Tea",
        "text": "Leaves, water, and time to wait; more of each for more people.",
        "week": 31,
        "tags": ["kitchen", "slow", "warm"],
    })
}

fn built_note() -> Codec<Note> {
    codec::object((
        codec::field("title", codec::string().min_length(1).max_length(200)),
        codec::field("text", codec::string().max_length(100_000)),
        codec::optional("week", codec::integer::<u8>().range(1..=52)),
        codec::field(
            "tags",
            codec::list(codec::string().max_length(50)).max_items(20),
        ),
    ))
    .map(
        |(title, text, week, tags)| Note {
            title,
            text,
            week,
            tags,
        },
        |note| (note.title, note.text, note.week, note.tags),
    )
}

fn built_shape() -> Codec<Shape> {
    let circle: Variant<Shape> = codec::variant(
        "circle",
        codec::object(codec::field("radius", codec::number())),
        |radius| Shape::Circle { radius },
        |shape| match shape {
            Shape::Circle { radius } => Ok(radius),
            square @ Shape::Square { .. } => Err(square),
        },
    );
    let square = codec::variant(
        "square",
        codec::object(codec::field("side", codec::number())),
        |side| Shape::Square { side },
        |shape| match shape {
            Shape::Square { side } => Ok(side),
            circle @ Shape::Circle { .. } => Err(circle),
        },
    );
    codec::tagged("kind", [circle, square]).into_codec()
}

/// A list of a hundred small objects.
fn many(value: &Value) -> Value {
    Value::Array(vec![value.clone(); 100])
}

/// One codec, a value of it, and the type that serde reads and writes alone.
macro_rules! cases {
    ($($name:ident: $type:ty, $codec:expr, $value:expr;)+) => {
        $(
            mod $name {
                use super::*;

                pub(super) fn codec() -> Codec<$type> {
                    IntoCodec::into_codec($codec)
                }

                pub(super) fn value() -> Value {
                    $value
                }

                #[divan::bench]
                fn decode(bencher: Bencher<'_, '_>) {
                    let (codec, value) = (codec(), value());
                    bencher
                        .with_inputs(|| value.clone())
                        .bench_values(|value| codec.decode(value));
                }

                #[divan::bench]
                fn decode_serde_alone(bencher: Bencher<'_, '_>) {
                    let value = value();
                    bencher
                        .with_inputs(|| value.clone())
                        .bench_values(serde_json::from_value::<$type>);
                }

                #[divan::bench]
                fn judge_jsonschema_alone(bencher: Bencher<'_, '_>) {
                    let (validator, value) = (validator(&codec()), value());
                    bencher.bench(|| validator.as_ref().map(|known| known.is_valid(&value)));
                }

                #[divan::bench]
                fn encode(bencher: Bencher<'_, '_>) {
                    let codec = codec();
                    let read = codec.decode(value()).ok();
                    bencher
                        .with_inputs(|| read.clone())
                        .bench_values(|read| read.map(|read| codec.encode(read)));
                }

                #[divan::bench]
                fn encode_serde_alone(bencher: Bencher<'_, '_>) {
                    let read = codec().decode(value()).ok();
                    bencher
                        .with_inputs(|| read.clone())
                        .bench_values(|read| read.map(serde_json::to_value));
                }
            }
        )+

        fn ratios() {
            let mut table = vec![[
                "codec", "decode/serde", "decode/jsonschema", "encode/serde", "encode/jsonschema",
            ].map(ToOwned::to_owned)];
            $(table.extend(ratio::<$type>(stringify!($name), &$name::codec(), &$name::value()));)+
            show(&table);
        }
    };
}

cases! {
    string: String, codec::string().max_length(200), json!("What to say, in a few words");
    choice: String, codec::string().choices(["bullets", "prose"]), json!("prose");
    pattern: String, codec::string().pattern("^[A-Z]{2}-[0-9]+$"), json!("AB-1234");
    integer: i64, codec::integer::<i64>().range(1..=52), json!(31);
    number: f64, codec::number().range(0.0..=1.0), json!(0.5);
    boolean: bool, codec::boolean(), json!(true);
    any: Value, codec::any(), note_value();
    list: Vec<i64>, codec::list(codec::integer::<i64>()).max_items(100), json!([1, 2, 3, 4, 5]);
    dictionary: BTreeMap<String, i64>, codec::dictionary(codec::integer::<i64>()), json!({"a": 1, "b": 2});
    nullable: Option<i64>, codec::nullable(codec::integer::<i64>()), json!(1);
    tagged: Shape, built_shape(), json!({"kind": "square", "side": 2.0});
    object: Note, built_note(), note_value();
    objects: Vec<Note>, codec::list(built_note()), many(&note_value());
    derived: Note, codec::derived::<Note>(), note_value();
    derived_objects: Vec<Note>, codec::derived::<Vec<Note>>(), many(&note_value());
    derived_tagged: Shape, codec::derived::<Shape>(), json!({"kind": "square", "side": 2.0});
    handwritten: Value, codec::schema(built_note().decoder().schema().to_value()), note_value();
}

fn validator<T>(codec: &Codec<T>) -> Option<jsonschema::Validator> {
    jsonschema::options()
        .should_validate_formats(true)
        .with_pattern_options(jsonschema::PatternOptions::regex())
        .build(&codec.decoder().schema().to_value())
        .ok()
}

/// `None` where the codec and the value do not go together.
fn ratio<T>(name: &str, codec: &Codec<T>, value: &Value) -> Option<[String; 5]>
where
    T: Clone + for<'de> Deserialize<'de> + Serialize,
{
    let validator = validator(codec)?;
    let read = codec.decode(value.clone()).ok()?;
    let decode = time(value, |value| codec.decode(value));
    let serde_decode = time(value, serde_json::from_value::<T>);
    let judge = time(value, |value| validator.is_valid(&value));
    let encode = time(&read, |read| codec.encode(read));
    let serde_encode = time(&read, serde_json::to_value);
    Some([
        name.to_owned(),
        format!("{:.2}", decode / serde_decode),
        format!("{:.2}", decode / judge),
        format!("{:.2}", encode / serde_encode),
        format!("{:.2}", encode / judge),
    ])
}

/// The shortest time of one call, in nanoseconds, over many rounds. What it takes to make the input
/// does not count; what it takes to drop it does.
fn time<I: Clone, O>(input: &I, call: impl Fn(I) -> O) -> f64 {
    const BATCH: u32 = 64;
    let mut shortest = f64::INFINITY;
    for _ in 0..200 {
        let inputs: Vec<I> = (0..BATCH).map(|_| input.clone()).collect();
        let start = Instant::now();
        for input in inputs {
            black_box(call(black_box(input)));
        }
        let nanoseconds = start.elapsed().as_secs_f64() * 1e9 / f64::from(BATCH);
        shortest = shortest.min(nanoseconds);
    }
    shortest
}

#[expect(clippy::print_stdout, reason = "printing is what a benchmark is for")]
fn show(table: &[[String; 5]]) {
    println!("\nratios of the shortest times");
    for [name, decode_serde, decode_judge, encode_serde, encode_judge] in table {
        println!(
            "{name:16} {decode_serde:>13} {decode_judge:>18} {encode_serde:>13} {encode_judge:>18}"
        );
    }
}
