//! Numbers that may have a fraction.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::{Bound, RangeBounds};

use serde_json::{Number, Value};

use super::about::About;
use super::annotation::Annotation;
use super::combine::combinators;
use super::decoder::Decode;
use super::encoder::Encode;
use super::fault::{Location, Report};
use super::multiple::Decimal;
use super::{Codec, DefinitionFault, IntoCodec};
use crate::schema::{Node, Schema};

/// A builder of number codecs: see [`number`].
#[derive(Clone, Debug)]
#[must_use]
pub struct NumberCodec {
    annotation: Annotation,
    minimum: Bound<f64>,
    maximum: Bound<f64>,
    divisor: Option<f64>,
}

/// A number, read as the nearest `f64`.
///
/// What JSON does not have, NaN and the infinities, cannot be written.
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
/// use serde_json::json;
///
/// let codec = codec::number().range(0.0..1.0).into_codec();
/// assert_eq!(codec.decode(json!(0)).unwrap(), 0.0);
/// assert_eq!(
///     codec.decode(json!(1)).unwrap_err().to_string(),
///     "(root): expected a number of at least 0 and less than 1, got 1",
/// );
/// ```
pub fn number() -> NumberCodec {
    NumberCodec {
        annotation: Annotation::default(),
        minimum: Bound::Unbounded,
        maximum: Bound::Unbounded,
        divisor: None,
    }
}

impl NumberCodec {
    /// The only numbers that fit are those in `range`: `0.0..=1.0`, `0.0..`, `..100.0`.
    pub fn range(mut self, range: impl RangeBounds<f64>) -> Self {
        self.minimum = range.start_bound().cloned();
        self.maximum = range.end_bound().cloned();
        self
    }

    /// The only numbers that fit are multiples of `divisor`, which has to be positive.
    ///
    /// Multiples are decimal, as JSON shows them: `0.3` is one of `0.1`.
    ///
    /// ```
    /// use relay_core::codec::{self, IntoCodec};
    /// use serde_json::json;
    ///
    /// let price = codec::number().range(0.0..).multiple_of(0.01).into_codec();
    /// price.decode(json!(4.35)).unwrap();
    /// assert_eq!(
    ///     price.decode(json!(4.355)).unwrap_err().to_string(),
    ///     "(root): expected a number of at least 0 that is a multiple of 0.01, got 4.355",
    /// );
    /// ```
    pub fn multiple_of(mut self, divisor: f64) -> Self {
        self.divisor = Some(divisor);
        self
    }

    fn faults(&self) -> Vec<DefinitionFault> {
        let mut faults = Vec::new();
        for (_, bound) in self.bounds() {
            if !bound.is_finite() {
                faults.push(DefinitionFault::new(format!("{bound} cannot be a bound")));
            }
        }
        let empty = match (self.minimum, self.maximum) {
            (Bound::Included(low), Bound::Included(high)) => low > high,
            (Bound::Included(low) | Bound::Excluded(low), Bound::Excluded(high))
            | (Bound::Excluded(low), Bound::Included(high)) => low >= high,
            (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
        };
        if let Some(divisor) = self.divisor.filter(|divisor| !usable(*divisor)) {
            faults.push(DefinitionFault::new(format!(
                "{divisor} has no multiples to speak of: a divisor is positive"
            )));
        }
        if empty {
            faults.push(DefinitionFault::new("the range is empty"));
        }
        faults
    }

    fn bounds(&self) -> impl Iterator<Item = (&'static str, f64)> + use<> {
        let minimum = match self.minimum {
            Bound::Included(bound) => Some(("minimum", bound)),
            Bound::Excluded(bound) => Some(("exclusiveMinimum", bound)),
            Bound::Unbounded => None,
        };
        let maximum = match self.maximum {
            Bound::Included(bound) => Some(("maximum", bound)),
            Bound::Excluded(bound) => Some(("exclusiveMaximum", bound)),
            Bound::Unbounded => None,
        };
        minimum.into_iter().chain(maximum)
    }

    fn schema(&self) -> Schema {
        let mut members = self.annotation.members("number");
        for (keyword, bound) in self.bounds() {
            if let Some(bound) = Number::from_f64(bound) {
                members.insert(keyword.to_owned(), Node::Number(bound));
            }
        }
        if let Some(divisor) = self.divisor.and_then(Number::from_f64) {
            members.insert("multipleOf".to_owned(), Node::Number(divisor));
        }
        Schema::new(members)
    }

    fn expectation(&self) -> Cow<'static, str> {
        let minimum = match self.minimum {
            Bound::Included(bound) => Some(format!("of at least {bound}")),
            Bound::Excluded(bound) => Some(format!("greater than {bound}")),
            Bound::Unbounded => None,
        };
        let maximum = match self.maximum {
            Bound::Included(bound) => Some(format!("at most {bound}")),
            Bound::Excluded(bound) => Some(format!("less than {bound}")),
            Bound::Unbounded => None,
        };
        let divisor = self
            .divisor
            .map(|divisor| format!(" that is a multiple of {divisor}"))
            .unwrap_or_default();
        match (minimum, maximum) {
            (None, None) if divisor.is_empty() => Cow::Borrowed("a number"),
            (None, None) => Cow::Owned(format!("a number{divisor}")),
            (Some(minimum), None) => Cow::Owned(format!("a number {minimum}{divisor}")),
            (None, Some(maximum)) => Cow::Owned(format!("a number of {maximum}{divisor}")),
            (Some(minimum), Some(maximum)) => {
                Cow::Owned(format!("a number {minimum} and {maximum}{divisor}"))
            }
        }
    }
}

fn usable(divisor: f64) -> bool {
    divisor.is_finite() && divisor > 0.0
}

combinators!([] NumberCodec);

impl IntoCodec for NumberCodec {
    type Value = f64;

    fn into_codec(self) -> Codec<f64> {
        let about = About::new(self.schema(), self.expectation(), self.faults());
        let real = Real {
            expectation: about.expectation.clone(),
            minimum: self.minimum,
            maximum: self.maximum,
            divisor: self
                .divisor
                .filter(|divisor| usable(*divisor))
                .and_then(Decimal::of_float),
        };
        Codec::of(about, real)
    }
}

struct Real {
    expectation: Cow<'static, str>,
    minimum: Bound<f64>,
    maximum: Bound<f64>,
    divisor: Option<Decimal>,
}

impl Real {
    fn admits(&self, number: &Number) -> bool {
        let above = match self.minimum {
            Bound::Included(bound) => compare(number, bound).is_ge(),
            Bound::Excluded(bound) => compare(number, bound).is_gt(),
            Bound::Unbounded => true,
        };
        let below = match self.maximum {
            Bound::Included(bound) => compare(number, bound).is_le(),
            Bound::Excluded(bound) => compare(number, bound).is_lt(),
            Bound::Unbounded => true,
        };
        let divided = self.divisor.is_none_or(|divisor| {
            Decimal::of(number).is_some_and(|number| number.is_multiple_of(divisor))
        });
        above && below && divided
    }
}

/// The order of a JSON number and a finite bound, by their exact values: a large integer that
/// rounds to the bound is not equal to it.
fn compare(number: &Number, bound: f64) -> Ordering {
    /// 2⁶⁴: beyond it no integer of a [`Number`] can be.
    const BEYOND: f64 = 18_446_744_073_709_551_616.0;

    let integer = number
        .as_i64()
        .map(i128::from)
        .or_else(|| number.as_u64().map(i128::from));
    let Some(integer) = integer else {
        let float = number.as_f64().unwrap_or_default();
        return float.partial_cmp(&bound).unwrap_or(Ordering::Equal);
    };
    if bound.abs() >= BEYOND {
        return if bound > 0.0 {
            Ordering::Less
        } else {
            Ordering::Greater
        };
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the fraction is compared below, and the rest is below 2^64"
    )]
    let whole = bound.trunc() as i128;
    integer.cmp(&whole).then_with(|| {
        0.0_f64
            .partial_cmp(&bound.fract())
            .unwrap_or(Ordering::Equal)
    })
}

impl Decode<f64> for Real {
    fn decode(&self, value: Value, at: &Location<'_>, report: &mut Report) -> Option<f64> {
        let number = match &value {
            Value::Number(number) if self.admits(number) => number.as_f64(),
            _ => None,
        };
        if number.is_none() {
            report.expected(at, self.expectation.clone(), &value);
        }
        number
    }
}

impl Encode<f64> for Real {
    fn encode(&self, value: f64, at: &Location<'_>, report: &mut Report) -> Option<Value> {
        let number = Number::from_f64(value);
        if let Some(number) = number.filter(|number| self.admits(number)) {
            return Some(Value::Number(number));
        }
        report.expected_but(at, self.expectation.clone(), value.to_string());
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn bounds_are_kept_to_the_last_bit() {
        let half = number().range(0.5..=1.5).into_codec();
        for (value, fits) in [
            (json!(0), false),
            (json!(0.5), true),
            (json!(1), true),
            (json!(1.5), true),
            (json!(2), false),
            (json!(1.500_000_000_000_000_2), false),
        ] {
            assert_eq!(half.decode(value.clone()).is_ok(), fits, "{value}");
        }
        let large = number().range(..=9_007_199_254_740_992.0).into_codec();
        assert!(large.decode(json!(9_007_199_254_740_992_u64)).is_ok());
        assert!(large.decode(json!(9_007_199_254_740_993_u64)).is_err());
        let negative = number().range(-1.5..).into_codec();
        assert!(negative.decode(json!(-1)).is_ok());
        assert!(negative.decode(json!(-2)).is_err());
        let huge = number().range(1e300..).into_codec();
        assert!(huge.decode(json!(u64::MAX)).is_err());
    }

    #[test]
    fn what_json_does_not_have_is_not_written() {
        let codec = number().into_codec();
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(codec.encode(value).is_err(), "{value}");
        }
        assert_eq!(codec.encode(0.25).unwrap(), json!(0.25));
    }

    #[test]
    fn bounds_that_admit_nothing_are_mistakes() {
        assert_eq!(number().range(1.0..1.0).faults().len(), 1);
        assert_eq!(number().range(f64::NAN..).faults().len(), 1);
        assert_eq!(number().range(..=f64::INFINITY).faults().len(), 1);
        assert_eq!(number().range(1.0..=1.0).faults().len(), 0);
    }
}
