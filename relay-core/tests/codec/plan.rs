//! Codecs of every kind, made at random.

use std::collections::BTreeMap;

use relay_core::codec::{self, Codec, Format, IntoCodec, Variant};
use serde_json::{Value, json};

use crate::support::Random;

/// What a codec is to be made like.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    Text {
        min: usize,
        max: Option<usize>,
        pattern: Option<&'static str>,
        format: Option<Format>,
        choices: Option<Vec<String>>,
    },
    Small {
        low: i8,
        high: i8,
        multiple: Option<i8>,
    },
    Whole {
        choices: Option<Vec<i64>>,
        multiple: Option<i64>,
    },
    Natural,
    Real {
        low: Option<f64>,
        high: Option<f64>,
        below: bool,
        multiple: Option<f64>,
    },
    Boolean,
    Any,
    Unit,
    Bytes,
    List {
        item: Box<Self>,
        min: usize,
        max: Option<usize>,
        unique: bool,
    },
    Dictionary {
        value: Box<Self>,
        min: usize,
        max: Option<usize>,
    },
    Nullable(Box<Self>),
    Object {
        fields: Fields,
        open: bool,
    },
    Tagged(Vec<(String, Fields)>),
    Derived,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Presence {
    Required,
    Optional,
}

/// The members of an object, each with how it is there.
pub(crate) type Fields = Vec<(String, Presence, Plan)>;

/// What any of these codecs holds, in one type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Data {
    Json(Value),
    Text(String),
    Small(i8),
    Whole(i64),
    Natural(u64),
    Real(f64),
    Bytes(Vec<u8>),
    List(Vec<Self>),
    Dictionary(BTreeMap<String, Self>),
    Maybe(Option<Box<Self>>),
    Variant(usize, Box<Self>),
    Derived(Point),
}

#[derive(Clone, Debug, PartialEq, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct Point {
    pub(crate) x: i16,
    pub(crate) label: Option<String>,
}

/// The way out of `Data` for one variant of it.
macro_rules! way_out {
    ($variant:ident) => {
        |data| match data {
            Data::$variant(value) => value,
            other => panic!("{other:?} is of another codec"),
        }
    };
}

pub(crate) fn plan(random: &mut Random, depth: usize) -> Plan {
    match random.below(if depth == 0 { 9 } else { 15 }) {
        0 => text_plan(random),
        1 => {
            let low = i8::try_from(random.below(10)).unwrap() - 5;
            let high = low + i8::try_from(random.below(10)).unwrap();
            let multiple = random.chance(3).then_some(*random.pick(&[1, 2, 3]));
            Plan::Small {
                low,
                high,
                multiple,
            }
        }
        2 => {
            let choices = random.chance(3).then(|| vec![0, 3, 6]);
            let multiple = random.chance(3).then_some(3);
            Plan::Whole { choices, multiple }
        }
        3 => Plan::Natural,
        4 => Plan::Real {
            low: random
                .chance(2)
                .then_some(*random.pick(&[0.0, 0.5, -3.0, 9e15])),
            high: random
                .chance(2)
                .then_some(*random.pick(&[9e15, 1e16, 1e19])),
            below: random.chance(2),
            multiple: random.chance(3).then_some(*random.pick(&[0.1, 0.25, 2.0])),
        },
        5 => Plan::Boolean,
        6 => Plan::Any,
        7 => Plan::Unit,
        8 => Plan::Bytes,
        9 => Plan::List {
            item: Box::new(plan(random, depth - 1)),
            min: random.below(2),
            max: random.chance(2).then_some(1 + random.below(3)),
            unique: random.chance(2),
        },
        10 => Plan::Dictionary {
            value: Box::new(plan(random, depth - 1)),
            min: random.below(2),
            max: random.chance(2).then_some(1 + random.below(3)),
        },
        11 => Plan::Nullable(Box::new(plan(random, depth - 1))),
        12 => Plan::Tagged(
            ["one", "two", "three"]
                .iter()
                .take(1 + random.below(3))
                .map(|name| ((*name).to_owned(), field_plans(random, depth - 1)))
                .collect(),
        ),
        13 => Plan::Derived,
        _ => Plan::Object {
            fields: field_plans(random, depth - 1),
            open: random.chance(4),
        },
    }
}

fn text_plan(random: &mut Random) -> Plan {
    let min = random.below(3);
    let choices = random
        .chance(5)
        .then(|| vec!["abc".to_owned(), "hello world".to_owned()]);
    Plan::Text {
        min,
        max: random
            .chance(2)
            .then(|| min + random.below(12))
            .filter(|_| choices.is_none()),
        pattern: (random.chance(4) && choices.is_none())
            .then_some(*random.pick(&["^[a-z]+$", "\\d", "^\\w*$", "b|é", "^.{2}$", "\\s"])),
        format: (random.chance(3) && choices.is_none()).then(|| *random.pick(&Format::ALL)),
        choices,
    }
}

fn field_plans(random: &mut Random, depth: usize) -> Fields {
    ["zeta", "a", "b/~"]
        .iter()
        .take(random.below(4))
        .map(|name| {
            let presence = *random.pick(&[Presence::Required, Presence::Optional]);
            ((*name).to_owned(), presence, plan(random, depth))
        })
        .collect()
}

pub(crate) fn build(plan: &Plan) -> Codec<Data> {
    match plan.clone() {
        Plan::Text {
            min,
            max,
            pattern,
            format,
            choices,
        } => {
            let mut text = codec::string().min_length(min);
            if let Some(max) = max {
                text = text.max_length(max);
            }
            if let Some(pattern) = pattern {
                text = text.pattern(pattern);
            }
            if let Some(format) = format {
                text = text.format(format);
            }
            if let Some(choices) = choices {
                text = text.choices(choices);
            }
            text.map(Data::Text, way_out!(Text))
        }
        Plan::Small {
            low,
            high,
            multiple,
        } => {
            let mut small = codec::integer::<i8>().range(low..=high);
            if let Some(multiple) = multiple {
                small = small.multiple_of(multiple);
            }
            small.map(Data::Small, way_out!(Small))
        }
        Plan::Whole { choices, multiple } => {
            let mut whole = codec::integer::<i64>();
            if let Some(choices) = choices {
                whole = whole.choices(choices);
            }
            if let Some(multiple) = multiple {
                whole = whole.multiple_of(multiple);
            }
            whole.map(Data::Whole, way_out!(Whole))
        }
        Plan::Natural => codec::integer::<u64>().map(Data::Natural, way_out!(Natural)),
        Plan::Real {
            low,
            high,
            below,
            multiple,
        } => real(low, high, below, multiple),
        Plan::Boolean => {
            codec::boolean().map(|flag| Data::Json(json!(flag)), |data| data.json() == true)
        }
        Plan::Any => codec::any().map(Data::Json, way_out!(Json)),
        Plan::Unit => codec::unit().map(|()| Data::Json(Value::Null), |_| ()),
        Plan::Bytes => codec::bytes().map(Data::Bytes, way_out!(Bytes)),
        structure => build_structure(structure),
    }
}

fn build_structure(plan: Plan) -> Codec<Data> {
    match plan {
        Plan::List {
            item,
            min,
            max,
            unique,
        } => {
            let mut list = codec::list(build(&item)).min_items(min);
            if let Some(max) = max {
                list = list.max_items(max);
            }
            if unique {
                list = list.unique();
            }
            list.map(Data::List, way_out!(List))
        }
        Plan::Dictionary { value, min, max } => {
            let mut dictionary = codec::dictionary(build(&value)).min_entries(min);
            if let Some(max) = max {
                dictionary = dictionary.max_entries(max);
            }
            dictionary.map(Data::Dictionary, way_out!(Dictionary))
        }
        Plan::Nullable(value) => codec::nullable(build(&value)).map(
            |value| Data::Maybe(value.map(Box::new)),
            |data| match data {
                Data::Maybe(value) => value.map(|value| *value),
                other => panic!("{other:?} is of another codec"),
            },
        ),
        Plan::Object { fields, open } => object(&fields, open),
        Plan::Tagged(variants) => codec::tagged("kind", tagged_variants(&variants)).into_codec(),
        Plan::Derived => codec::derived::<Point>().map(Data::Derived, way_out!(Derived)),
        scalar => panic!("{scalar:?} is no structure"),
    }
}

impl Data {
    fn json(&self) -> Value {
        match self {
            Self::Json(value) => value.clone(),
            other => panic!("{other:?} is of another codec"),
        }
    }
}

fn real(low: Option<f64>, high: Option<f64>, below: bool, multiple: Option<f64>) -> Codec<Data> {
    let mut real = match (low, high) {
        (None, None) => codec::number(),
        (Some(low), None) => codec::number().range(low..),
        (None, Some(high)) if below => codec::number().range(..high),
        (None, Some(high)) => codec::number().range(..=high),
        (Some(low), Some(high)) if low >= high => codec::number().range(low..),
        (Some(low), Some(high)) if below => codec::number().range(low..high),
        (Some(low), Some(high)) => codec::number().range(low..=high),
    };
    if let Some(multiple) = multiple {
        real = real.multiple_of(multiple);
    }
    real.map(Data::Real, way_out!(Real))
}

fn object(fields: &Fields, open: bool) -> Codec<Data> {
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, presence, plan)| match presence {
            Presence::Required => codec::field(name.as_str(), build(plan)).map(
                |value| Data::Maybe(Some(Box::new(value))),
                |data| data.unwrapped().unwrap(),
            ),
            Presence::Optional => codec::optional(name.as_str(), build(plan))
                .map(|value| Data::Maybe(value.map(Box::new)), Data::unwrapped),
        })
        .collect();
    let object = codec::object(fields);
    let object = if open { object.open() } else { object };
    object.map(Data::List, way_out!(List))
}

impl Data {
    fn unwrapped(self) -> Option<Self> {
        match self {
            Self::Maybe(value) => value.map(|value| *value),
            other => panic!("{other:?} is of another codec"),
        }
    }
}

fn tagged_variants(variants: &[(String, Fields)]) -> Vec<Variant<Data>> {
    variants
        .iter()
        .enumerate()
        .map(|(index, (name, fields))| {
            codec::variant(
                name.as_str(),
                object(fields, false),
                move |data| Data::Variant(index, Box::new(data)),
                move |data| match data {
                    Data::Variant(own, data) if own == index => Ok(*data),
                    other => Err(other),
                },
            )
        })
        .collect()
}
