//! Whether a decimal number is a multiple of another, by the digits that JSON shows.
//!
//! `0.3` is a multiple of `0.1`, though the binary numbers nearest to them are not.

use serde_json::Number;

/// A non-negative decimal number: `digits × 10^exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    digits: u128,
    exponent: i32,
}

impl Decimal {
    /// The magnitude of a JSON number.
    pub(super) fn of(number: &Number) -> Option<Self> {
        if let Some(integer) = number.as_u64() {
            return Some(Self::whole(integer));
        }
        if let Some(integer) = number.as_i64() {
            return Some(Self::whole(integer.unsigned_abs()));
        }
        Self::of_float(number.as_f64()?)
    }

    /// The magnitude of the shortest decimal that reads as `float`.
    pub(super) fn of_float(float: f64) -> Option<Self> {
        let text = format!("{:e}", float.abs());
        let (mantissa, exponent) = text.split_once('e')?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let places = i32::try_from(fraction.len()).ok()?;
        Some(Self {
            digits: format!("{whole}{fraction}").parse().ok()?,
            exponent: exponent.parse::<i32>().ok()? - places,
        })
    }

    fn whole(integer: u64) -> Self {
        Self {
            digits: integer.into(),
            exponent: 0,
        }
    }

    /// Whether this number divided by `divisor`, which is not zero, is whole.
    pub(super) fn is_multiple_of(self, divisor: Self) -> bool {
        if self.digits == 0 {
            return true;
        }
        match u32::try_from(self.exponent - divisor.exponent) {
            Ok(zeros) => times_power_of_ten(self.digits, zeros, divisor.digits) == 0,
            // The divisor has the smaller digits: it grows instead, beyond anything if need be.
            Err(_) => 10_u128
                .checked_pow((divisor.exponent - self.exponent).unsigned_abs())
                .and_then(|power| divisor.digits.checked_mul(power))
                .is_some_and(|divisor| self.digits.is_multiple_of(divisor)),
        }
    }
}

/// `digits × 10^zeros` modulo `modulus`, which is below 2⁶⁴.
fn times_power_of_ten(digits: u128, zeros: u32, modulus: u128) -> u128 {
    let mut remainder = digits % modulus;
    for _ in 0..zeros {
        remainder = remainder * 10 % modulus;
        if remainder == 0 {
            break;
        }
    }
    remainder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_are_decimal() {
        let decimal = |float| Decimal::of_float(float).unwrap();
        for (value, divisor, multiple) in [
            (0.3, 0.1, true),
            (4.35, 0.01, true),
            (1e20, 0.1, true),
            (1e301, 1e300, true),
            (1e300, 1e301, false),
            (0.35, 0.1, false),
            (-7.5, 2.5, true),
            (0.0, 3.0, true),
            (5e-324, 1e300, false),
            (1e300, 5e-324, true),
        ] {
            assert_eq!(
                decimal(value).is_multiple_of(decimal(divisor)),
                multiple,
                "{value} of {divisor}"
            );
        }
        assert!(
            Decimal::of(&u64::MAX.into())
                .unwrap()
                .is_multiple_of(decimal(5.0))
        );
        assert!(
            Decimal::of(&i64::MIN.into())
                .unwrap()
                .is_multiple_of(decimal(2.0))
        );
    }
}
