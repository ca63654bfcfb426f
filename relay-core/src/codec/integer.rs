//! Whole numbers.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};

use serde_json::{Number, Value};

use super::about::About;
use super::annotation::Annotation;
use super::combine::{combinators, mirrored};
use super::decoder::Decode;
use super::encoder::Encode;
use super::fault::{Location, Report};
use super::{Codec, DefinitionFault, IntoCodec, wording};
use crate::schema::{Node, Schema};

/// A builder of integer codecs: see [`integer`].
#[derive(Clone, Debug)]
#[must_use]
pub struct IntegerCodec<N> {
    annotation: Annotation,
    minimum: i128,
    maximum: i128,
    divisor: Option<i128>,
    choices: Option<Vec<i128>>,
    kind: PhantomData<fn() -> N>,
}

/// An integer that fits `N`, whose bounds the schema says.
///
/// `3.0` and `1e2` are integers, as JSON Schema has it. An integer arrives bit for bit or is
/// refused; but many clients hold numbers as doubles, so declare identifiers beyond 2⁵³ as strings.
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
/// use serde_json::json;
///
/// let codec = codec::integer::<u8>().into_codec();
/// assert_eq!(codec.decode(json!(3.0)).unwrap(), 3);
/// assert_eq!(
///     codec.decode(json!(256)).unwrap_err().to_string(),
///     "(root): expected an integer from 0 to 255, got 256",
/// );
/// ```
pub fn integer<N: Integer>() -> IntegerCodec<N> {
    IntegerCodec {
        annotation: Annotation::default(),
        minimum: N::MIN.widen(),
        maximum: N::MAX.widen(),
        divisor: None,
        choices: None,
        kind: PhantomData,
    }
}

impl<N: Integer> IntegerCodec<N> {
    /// The only integers that fit are those in `range`: `1..=9`, `0..`, `..10`.
    ///
    /// ```
    /// use relay_core::codec::{self, IntoCodec};
    ///
    /// let schema = codec::integer::<i64>().range(1..10).into_codec().decoder().schema().to_value();
    /// assert_eq!(schema, serde_json::json!({"type": "integer", "minimum": 1, "maximum": 9}));
    /// ```
    pub fn range(mut self, range: impl RangeBounds<N>) -> Self {
        self.minimum = match range.start_bound() {
            Bound::Included(bound) => bound.widen(),
            Bound::Excluded(bound) => bound.widen() + 1,
            Bound::Unbounded => N::MIN.widen(),
        };
        self.maximum = match range.end_bound() {
            Bound::Included(bound) => bound.widen(),
            Bound::Excluded(bound) => bound.widen() - 1,
            Bound::Unbounded => N::MAX.widen(),
        };
        self
    }

    /// The only integers that fit are multiples of `divisor`, which has to be positive.
    ///
    /// ```
    /// use relay_core::codec::{self, IntoCodec};
    /// use serde_json::json;
    ///
    /// let codec = codec::integer::<u8>().range(..=60).multiple_of(15).into_codec();
    /// codec.decode(json!(45)).unwrap();
    /// assert_eq!(
    ///     codec.decode(json!(50)).unwrap_err().to_string(),
    ///     "(root): expected an integer from 0 to 60 that is a multiple of 15, got 50",
    /// );
    /// ```
    pub fn multiple_of(mut self, divisor: N) -> Self {
        self.divisor = Some(divisor.widen());
        self
    }

    /// The only integers that fit.
    ///
    /// ```
    /// use relay_core::codec::{self, IntoCodec};
    /// use serde_json::json;
    ///
    /// let codec = codec::integer::<u32>().choices([90, 180, 270]).into_codec();
    /// assert_eq!(
    ///     codec.decode(json!(45)).unwrap_err().to_string(),
    ///     "(root): expected 90, 180 or 270, got 45",
    /// );
    /// ```
    pub fn choices(mut self, choices: impl IntoIterator<Item = N>) -> Self {
        self.choices = Some(choices.into_iter().map(N::widen).collect());
        self
    }

    fn faults(&self) -> Vec<DefinitionFault> {
        let mut faults = Vec::new();
        if N::MIN.widen() < i64::MIN.into() || N::MAX.widen() > u64::MAX.into() {
            faults.push(DefinitionFault::new("an integer has 64 bits at most"));
        }
        if self.minimum > self.maximum {
            faults.push(DefinitionFault::new(format!(
                "the range from {} to {} is empty",
                self.minimum, self.maximum
            )));
        }
        if let Some(divisor) = self.divisor.filter(|divisor| *divisor <= 0) {
            faults.push(DefinitionFault::new(format!(
                "{divisor} has no multiples to speak of: a divisor is positive"
            )));
        }
        let Some(choices) = &self.choices else {
            return faults;
        };
        if choices.is_empty() {
            faults.push(DefinitionFault::new("there are no choices"));
        }
        for (index, choice) in choices.iter().enumerate() {
            if choices.iter().take(index).any(|earlier| earlier == choice) {
                faults.push(DefinitionFault::new(format!(
                    "the choice {choice} is there twice"
                )));
            }
            let divided = self.divisor.is_none_or(|divisor| divides(divisor, *choice));
            if !(self.minimum..=self.maximum).contains(choice) || !divided {
                faults.push(DefinitionFault::new(format!(
                    "the choice {choice} breaks another rule of the integer"
                )));
            }
        }
        faults
    }

    fn schema(&self) -> Schema {
        let mut members = self.annotation.members("integer");
        for (keyword, bound) in [("minimum", self.minimum), ("maximum", self.maximum)] {
            // An empty range may end outside the type; it is a fault of the definition by then.
            if let Some(bound) = N::narrow(bound) {
                members.insert(keyword.to_owned(), Node::Number(bound.to_number()));
            }
        }
        if let Some(divisor) = self.divisor.and_then(N::narrow) {
            members.insert("multipleOf".to_owned(), Node::Number(divisor.to_number()));
        }
        if let Some(choices) = &self.choices {
            let choices: Vec<Node> = choices
                .iter()
                .filter_map(|choice| Some(Node::Number(N::narrow(*choice)?.to_number())))
                .collect();
            members.insert("enum".to_owned(), Node::Array(choices));
        }
        Schema::new(members)
    }

    fn expectation(&self) -> Cow<'static, str> {
        if let Some(choices) = &self.choices {
            return Cow::Owned(wording::listed(choices, " or "));
        }
        // The bounds of 64 bits are noise to a reader, unless they are what was broken.
        let free = self.minimum == i64::MIN.into() && self.maximum == i64::MAX.into();
        match (free, self.divisor) {
            (true, None) => Cow::Borrowed("an integer"),
            (true, Some(divisor)) => {
                Cow::Owned(format!("an integer that is {}", multiple(divisor)))
            }
            (false, _) => Cow::Owned(within(self.minimum, self.maximum, self.divisor)),
        }
    }
}

fn within(minimum: i128, maximum: i128, divisor: Option<i128>) -> String {
    let range = format!("an integer from {minimum} to {maximum}");
    match divisor {
        None => range,
        Some(divisor) => format!("{range} that is {}", multiple(divisor)),
    }
}

fn multiple(divisor: i128) -> String {
    format!("a multiple of {divisor}")
}

fn divides(divisor: i128, value: i128) -> bool {
    value.checked_rem(divisor) == Some(0)
}

combinators!([N: Integer] IntegerCodec<N>);
mirrored!([N: Integer] IntegerCodec<N>);

impl<N: Integer> IntoCodec for IntegerCodec<N> {
    type Value = N;

    fn into_codec(self) -> Codec<N> {
        let about = About::new(self.schema(), self.expectation(), self.faults());
        let whole = Whole {
            expectation: about.expectation.clone(),
            minimum: self.minimum,
            maximum: self.maximum,
            divisor: self.divisor,
            choices: self.choices,
        };
        Codec::of(about, whole)
    }
}

/// An integer type of up to 64 bits: those of the language, and newtypes of your own.
///
/// ```
/// use relay_core::codec::{self, Integer, IntoCodec};
/// use serde_json::{Number, json};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
/// struct Row(u8);
///
/// impl Integer for Row {
///     const MIN: Self = Row(1);
///     const MAX: Self = Row(60);
///     fn widen(self) -> i128 {
///         self.0.into()
///     }
///     fn narrow(value: i128) -> Option<Self> {
///         value.try_into().ok().map(Row)
///     }
///     fn to_number(self) -> Number {
///         self.0.into()
///     }
/// }
///
/// let codec = codec::integer::<Row>().into_codec();
/// assert_eq!(codec.decode(json!(60)).unwrap(), Row(60));
/// assert!(codec.decode(json!(61)).is_err());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an integer of up to 64 bits",
    note = "JSON readers in the field hold no integer beyond 64 bits; use `codec::string` for those"
)]
pub trait Integer: Copy + Ord + Send + Sync + 'static {
    /// The smallest value.
    const MIN: Self;
    /// The largest value.
    const MAX: Self;

    /// The value in a type that holds every integer of this trait.
    fn widen(self) -> i128;

    /// The value, if this type holds it.
    fn narrow(value: i128) -> Option<Self>;

    /// The value as JSON.
    fn to_number(self) -> Number;
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl Integer for $integer {
            const MIN: Self = Self::MIN;
            const MAX: Self = Self::MAX;

            fn widen(self) -> i128 {
                // `From` is not there for `isize` and `usize`, though they have 64 bits at most.
                i128::try_from(self).unwrap_or_default()
            }

            fn narrow(value: i128) -> Option<Self> {
                Self::try_from(value).ok()
            }

            fn to_number(self) -> Number {
                Number::from(self)
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

/// The integer that a JSON number is, if it is one that any [`Integer`] type could hold.
pub(crate) fn integral(number: &Number) -> Option<i128> {
    /// 2⁶⁴, the first magnitude beyond every type here.
    const BEYOND: f64 = 18_446_744_073_709_551_616.0;

    if let Some(integer) = number.as_i64() {
        return Some(integer.into());
    }
    if let Some(integer) = number.as_u64() {
        return Some(integer.into());
    }
    let float = number.as_f64()?;
    if float.fract() != 0.0 || float.abs() >= BEYOND {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "without a fraction and below 2^64, so the conversion is exact"
    )]
    let integer = float as i128;
    Some(integer)
}

struct Whole {
    expectation: Cow<'static, str>,
    minimum: i128,
    maximum: i128,
    divisor: Option<i128>,
    choices: Option<Vec<i128>>,
}

impl Whole {
    fn admits(&self, value: i128) -> bool {
        (self.minimum..=self.maximum).contains(&value)
            && self.divisor.is_none_or(|divisor| divides(divisor, value))
            && self
                .choices
                .as_ref()
                .is_none_or(|choices| choices.contains(&value))
    }

    /// What to say of a value that was not admitted.
    fn expectation_of(&self, value: &Value) -> Cow<'static, str> {
        let whole = value.as_f64().is_some_and(|float| float.fract() == 0.0);
        if whole && self.choices.is_none() {
            return Cow::Owned(within(self.minimum, self.maximum, self.divisor));
        }
        self.expectation.clone()
    }
}

impl<N: Integer> Decode<N> for Whole {
    fn decode(&self, value: Value, at: &Location<'_>, report: &mut Report) -> Option<N> {
        let integer = match &value {
            Value::Number(number) => integral(number),
            _ => None,
        };
        let admitted = integer
            .filter(|integer| self.admits(*integer))
            .and_then(N::narrow);
        if admitted.is_none() {
            report.expected(at, self.expectation_of(&value), &value);
        }
        admitted
    }
}

impl<N: Integer> Encode<N> for Whole {
    fn encode(&self, value: N, at: &Location<'_>, report: &mut Report) -> Option<Value> {
        let number = Value::Number(value.to_number());
        if self.admits(value.widen()) {
            return Some(number);
        }
        report.expected(at, self.expectation.clone(), &number);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    // J10, T07
    #[test]
    fn integers_are_exact_or_refused() {
        let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let unsigned = integer::<u64>().into_codec();
        for (text, read) in [
            ("725653563933458432", Some(725_653_563_933_458_432)),
            ("9007199254740993", Some(9_007_199_254_740_993)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("1e19", Some(10_000_000_000_000_000_000)),
            ("1e20", None),
            ("-1", None),
            ("-0", Some(0)),
            ("-0.0", Some(0)),
            ("3.0", Some(3)),
            ("1e2", Some(100)),
            ("3.5", None),
            ("\"3\"", None),
            ("true", None),
            ("null", None),
        ] {
            assert_eq!(unsigned.decode(parse(text)).ok(), read, "{text}");
        }
        let signed = integer::<i64>().into_codec();
        for (text, read) in [
            ("9223372036854775807", Some(i64::MAX)),
            ("9223372036854775808", None),
            ("9223372036854775808.0", None),
            ("-9223372036854775808", Some(i64::MIN)),
            ("-9223372036854775808.0", Some(i64::MIN)),
            ("-9223372036854777856.0", None),
        ] {
            assert_eq!(signed.decode(parse(text)).ok(), read, "{text}");
        }
    }

    // T04
    #[test]
    fn the_bounds_of_the_type_are_published() {
        let schema = |codec: Codec<_>| codec.decoder().schema().to_value();
        assert_eq!(
            schema(integer::<u8>().into_codec()),
            json!({"type": "integer", "minimum": 0, "maximum": 255})
        );
        assert_eq!(
            integer::<u64>().into_codec().decoder().schema().to_value(),
            json!({"type": "integer", "minimum": 0, "maximum": 18_446_744_073_709_551_615_u64})
        );
    }

    #[test]
    fn definition_mistakes_are_all_named() {
        let faults = integer::<u8>().range(3..3).choices([3, 3]).faults();
        let problems: Vec<_> = faults.iter().map(DefinitionFault::problem).collect();
        assert_eq!(
            problems,
            [
                "the range from 3 to 2 is empty",
                "the choice 3 breaks another rule of the integer",
                "the choice 3 is there twice",
                "the choice 3 breaks another rule of the integer",
            ]
        );
        let edge = integer::<u8>().range(..0);
        assert_eq!(edge.faults().len(), 1);
        assert_eq!(
            edge.schema().to_value(),
            json!({"type": "integer", "minimum": 0})
        );
    }

    // J10, TOOL-07
    #[test]
    fn an_integer_too_large_is_told_the_bounds() {
        let faults = integer::<i64>()
            .into_codec()
            .decode(json!(u64::MAX))
            .unwrap_err();
        assert_eq!(
            faults.to_string(),
            "(root): expected an integer from -9223372036854775808 to 9223372036854775807, \
             got 18446744073709551615"
        );
    }

    proptest! {
        // J10
        #[test]
        fn every_integer_survives(value: i64, wide: u64) {
            let codec = integer::<i64>().into_codec();
            prop_assert_eq!(codec.decode(codec.encode(value).unwrap()).unwrap(), value);
            let codec = integer::<u64>().into_codec();
            prop_assert_eq!(codec.decode(codec.encode(wide).unwrap()).unwrap(), wide);
        }
    }
}
