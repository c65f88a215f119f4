//! Numbers at least 0 of any magnitude: products of rates and of probabilities exceed the range of `f64`.

use std::cmp::Ordering;
use std::iter::Sum;
use std::ops::{Add, Div, Mul};

/// Bits of the scale. The product and the quotient of two values within the square root of the scale are in the range
/// of `f64`, and what is two scales smaller than a sum is lost to rounding.
const BITS: u64 = 256;
const UP: f64 = power_of_two(BITS);
const DOWN: f64 = 1.0 / UP;
const HIGH: f64 = power_of_two(BITS / 2);
const LOW: f64 = 1.0 / HIGH;

/// Returns 2 to the power of `bits`.
const fn power_of_two(bits: u64) -> f64 {
    f64::from_bits((1023 + bits) << 52)
}

/// A number: `value` · 2^(256 · `scale`). The value is 0, or at least 2^-128 and below 2^128, so that most numbers
/// have the scale 0 and cost little more than a bare `f64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wide {
    value: f64,
    scale: i32,
}

impl Wide {
    pub const ZERO: Self = Self { value: 0.0, scale: 0 };
    pub const ONE: Self = Self { value: 1.0, scale: 0 };

    #[inline]
    fn of(value: f64, scale: i32) -> Self {
        if (LOW..HIGH).contains(&value) { Self { value, scale } } else { Self::scaled(value, scale) }
    }

    #[cold]
    fn scaled(mut value: f64, mut scale: i32) -> Self {
        if value <= 0.0 || !value.is_finite() {
            return Self { value, scale: 0 };
        }
        while value >= HIGH {
            (value, scale) = (value * DOWN, scale + 1);
        }
        while value < LOW {
            (value, scale) = (value * UP, scale - 1);
        }
        Self { value, scale }
    }

    pub fn is_zero(self) -> bool {
        self.value == 0.0
    }

    /// Returns the nearest `f64`: infinity or 0 beyond its range.
    pub fn number(self) -> f64 {
        // Beyond five scales, every value is out of range.
        let factor = if self.scale > 0 { UP } else { DOWN };
        (0..self.scale.unsigned_abs().min(5)).fold(self.value, |value, _| value * factor)
    }
}

/// Numbers at least 0 to calculate with: `f64`, which is fast, or [`Wide`], which has any magnitude.
pub(super) trait Number:
    Copy + Add<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Into<Wide>
{
    const ZERO: Self;
    fn of(wide: Wide) -> Self;
    fn is_zero(self) -> bool;
    /// Whether a result other than 0 has all its digits.
    fn in_range(self) -> bool;
}

impl Number for f64 {
    const ZERO: Self = 0.0;

    fn of(wide: Wide) -> Self {
        wide.number()
    }

    #[inline]
    fn is_zero(self) -> bool {
        self == 0.0
    }

    #[inline]
    fn in_range(self) -> bool {
        (Self::MIN_POSITIVE..=Self::MAX).contains(&self)
    }
}

impl Number for Wide {
    const ZERO: Self = Self::ZERO;

    fn of(wide: Wide) -> Self {
        wide
    }

    #[inline]
    fn is_zero(self) -> bool {
        self.is_zero()
    }

    #[inline]
    fn in_range(self) -> bool {
        true
    }
}

impl From<f64> for Wide {
    #[inline]
    fn from(value: f64) -> Self {
        Self::of(value, 0)
    }
}

impl Mul for Wide {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        Self::of(self.value * other.value, self.scale + other.scale)
    }
}

impl Div for Wide {
    type Output = Self;

    #[inline]
    fn div(self, other: Self) -> Self {
        Self::of(self.value / other.value, self.scale - other.scale)
    }
}

impl Add for Wide {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        if self.scale == other.scale {
            return Self::of(self.value + other.value, self.scale);
        }
        // The scale of 0 says nothing about its magnitude.
        if self.is_zero() || other.is_zero() {
            return if self.is_zero() { other } else { self };
        }
        let (small, large) = if self.scale < other.scale { (self, other) } else { (other, self) };
        if large.scale - small.scale == 1 {
            Self::of(large.value + small.value * DOWN, large.scale)
        } else {
            large
        }
    }
}

impl Sum for Wide {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::ZERO, Add::add)
    }
}

impl PartialOrd for Wide {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if self.is_zero() || other.is_zero() || self.scale == other.scale {
            let of = |wide: &Self| if wide.is_zero() { 0.0 } else { wide.value };
            of(self).partial_cmp(&of(other))
        } else {
            Some(self.scale.cmp(&other.scale))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_the_range_are_those_of_f64() {
        let numbers = [0.0, 5e-324, 1e-300, 3e-80, 0.1, 1.0, 7.5, 2e40, 1e80, 1e300, f64::MAX];
        for a in numbers {
            assert_eq!(Wide::from(a).number(), a);
            for b in numbers {
                let (x, y) = (Wide::from(a), Wide::from(b));
                assert_eq!(x.partial_cmp(&y), a.partial_cmp(&b), "{a} {b}");
                assert_eq!((x + y).number(), a + b, "{a} {b}");
                assert_eq!((x * y).number(), a * b, "{a} {b}");
                if b > 0.0 && a > 1e-200 {
                    assert_eq!((x / y).number(), a / b, "{a} {b}");
                }
            }
        }
    }

    #[test]
    fn numbers_beyond_the_range_keep_their_digits() {
        let big = (0..1000).fold(Wide::ONE, |product, _| product * Wide::from(1e300));
        assert_eq!(big.number(), f64::INFINITY);
        let back = (0..1000).fold(big, |quotient, _| quotient / Wide::from(1e300));
        assert!((back.number() - 1.0).abs() < 1e-12);
        assert_eq!((Wide::ONE / big).number(), 0.0);
        assert_eq!(big + Wide::ONE, big);
    }
}
