//! Values for random codecs, that fit or do not.

use relay_core::codec::{self, IntoCodec};
use serde_json::{Map, Value, json};

use crate::plan::{Data, Fields, Plan, Point, Presence};
use crate::support::Random;

/// A value that is meant to fit, though it need not.
pub(crate) fn value(random: &mut Random, plan: &Plan) -> Value {
    match plan {
        Plan::Text {
            choices: Some(choices),
            ..
        } => json!(random.pick(choices)),
        Plan::Text { .. } => json!(random.text()),
        Plan::Small { .. } | Plan::Whole { .. } | Plan::Natural | Plan::Real { .. } => {
            random.number()
        }
        Plan::Boolean => json!(random.chance(2)),
        Plan::Any => random.json(2),
        Plan::Unit => Value::Null,
        Plan::Bytes => {
            json!(*random.pick(&["", "SGVsbG8=", "AA==", "AB==", "AAA", "AAAA", "A-A="]))
        }
        Plan::List { item, .. } => (0..random.below(4)).map(|_| value(random, item)).collect(),
        Plan::Dictionary { value: inner, .. } => Value::Object(
            (0..random.below(4))
                .map(|_| (random.text(), value(random, inner)))
                .collect(),
        ),
        Plan::Nullable(inner) => {
            if random.chance(3) {
                Value::Null
            } else {
                value(random, inner)
            }
        }
        Plan::Object { fields, .. } => Value::Object(members(random, fields)),
        Plan::Tagged(variants) => {
            let (name, fields) = random.pick(variants).clone();
            let mut members = members(random, &fields);
            members.insert("kind".to_owned(), json!(name));
            Value::Object(members)
        }
        Plan::Derived => json!({"x": random.number(), "label": random.text()}),
    }
}

fn members(random: &mut Random, fields: &Fields) -> Map<String, Value> {
    let mut members = Map::new();
    for (name, presence, plan) in fields {
        if *presence == Presence::Required || !random.chance(3) {
            members.insert(name.clone(), value(random, plan));
        }
    }
    members
}

/// What a handler could return for this codec, within bounds or not.
pub(crate) fn data(random: &mut Random, plan: &Plan) -> Data {
    match plan {
        Plan::Text {
            choices: Some(choices),
            ..
        } if !random.chance(3) => Data::Text(random.pick(choices).clone()),
        Plan::Text { .. } => Data::Text(random.text()),
        Plan::Small { .. } => Data::Small(i8::try_from(random.below(30)).unwrap() - 15),
        Plan::Whole { .. } => Data::Whole(i64::try_from(random.below(10)).unwrap()),
        Plan::Natural => Data::Natural(random.next()),
        Plan::Real { .. } => Data::Real(random.number().as_f64().unwrap()),
        Plan::Boolean => Data::Json(json!(random.chance(2))),
        Plan::Any => Data::Json(random.json(2)),
        Plan::Unit => Data::Json(Value::Null),
        Plan::Bytes => Data::Bytes(random.text().into_bytes()),
        Plan::List { item, .. } => {
            Data::List((0..random.below(4)).map(|_| data(random, item)).collect())
        }
        Plan::Dictionary { value, .. } => Data::Dictionary(
            (0..random.below(4))
                .map(|_| (random.text(), data(random, value)))
                .collect(),
        ),
        Plan::Nullable(value) => {
            Data::Maybe((!random.chance(3)).then(|| Box::new(data(random, value))))
        }
        Plan::Object { fields, .. } => Data::List(field_data(random, fields)),
        Plan::Tagged(variants) => {
            let index = random.below(variants.len());
            let fields = field_data(random, &variants[index].1);
            Data::Variant(index, Box::new(Data::List(fields)))
        }
        Plan::Derived => Data::Derived(Point {
            x: i16::try_from(random.below(9)).unwrap(),
            label: random.chance(2).then(|| random.text()),
        }),
    }
}

fn field_data(random: &mut Random, fields: &Fields) -> Vec<Data> {
    let mut values = Vec::new();
    for (_, presence, plan) in fields {
        let there = *presence == Presence::Required || !random.chance(3);
        values.push(Data::Maybe(there.then(|| Box::new(data(random, plan)))));
    }
    values
}

/// The JSON of `data` with no rule but its form.
pub(crate) fn plain(plan: &Plan, data: &Data) -> Value {
    match (plan, data) {
        (_, Data::Json(value)) => value.clone(),
        (_, Data::Text(text)) => json!(text),
        (_, Data::Small(number)) => json!(number),
        (_, Data::Whole(number)) => json!(number),
        (_, Data::Natural(number)) => json!(number),
        (_, Data::Real(number)) => json!(number),
        (_, Data::Bytes(bytes)) => codec::bytes().into_codec().encode(bytes.clone()).unwrap(),
        (Plan::List { item, .. }, Data::List(items)) => {
            items.iter().map(|data| plain(item, data)).collect()
        }
        (Plan::Dictionary { value, .. }, Data::Dictionary(entries)) => Value::Object(
            entries
                .iter()
                .map(|(name, data)| (name.clone(), plain(value, data)))
                .collect(),
        ),
        (Plan::Nullable(value), Data::Maybe(data)) => {
            data.as_ref().map_or(Value::Null, |data| plain(value, data))
        }
        (Plan::Object { fields, .. }, Data::List(values)) => {
            Value::Object(plain_members(fields, values))
        }
        (Plan::Tagged(variants), Data::Variant(index, data)) => {
            let (name, fields) = &variants[*index];
            let Data::List(values) = &**data else {
                panic!("{data:?}")
            };
            let mut members = plain_members(fields, values);
            members.insert("kind".to_owned(), json!(name));
            Value::Object(members)
        }
        (_, Data::Derived(point)) => match &point.label {
            Some(label) => json!({"x": point.x, "label": label}),
            None => json!({"x": point.x}),
        },
        (plan, data) => panic!("{data:?} is not of {plan:?}"),
    }
}

fn plain_members(fields: &Fields, values: &[Data]) -> Map<String, Value> {
    fields
        .iter()
        .zip(values)
        .filter_map(|((name, _, plan), data)| match data {
            Data::Maybe(data) => Some((name.clone(), plain(plan, data.as_ref()?))),
            other => panic!("{other:?} is of another codec"),
        })
        .collect()
}
