//! Operations on registers of 32 and of 64 bits, written once for both.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitXor};

/// Width of registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Width {
    /// 32 bits: RV32.
    #[default]
    Rv32,
    /// 64 bits: RV64. Code and data are nevertheless below 4 GiB.
    Rv64,
}

/// The value of a register. Arithmetic wraps; shifts use the lowest bits of their distance.
pub trait Word:
    Copy
    + Debug
    + Default
    + Ord
    + Into<u64>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + sealed::Sealed
{
    /// The width.
    const WIDTH: Width;

    /// A signed number.
    fn signed(value: i32) -> Self;
    /// An unsigned number.
    fn unsigned(value: u32) -> Self;
    /// The lowest bits of 64.
    fn cut(value: u64) -> Self;
    /// The lowest 32 bits.
    fn low(self) -> u32;
    /// Returns the distance from an address below 4 GiB; larger distances saturate slightly below 4 GiB.
    fn offset(self, from: u32) -> usize;
    /// Sum.
    fn plus(self, other: Self) -> Self;
    /// Difference.
    fn minus(self, other: Self) -> Self;
    /// Shifted left.
    fn left(self, by: u32) -> Self;
    /// Shifted right, zeros from the left.
    fn right(self, by: u32) -> Self;
    /// Shifted right, the sign from the left.
    fn signed_right(self, by: u32) -> Self;
    /// Returns whether one is less than the other, both signed.
    fn is_below(self, other: Self) -> bool;
    /// Low half of the product.
    fn times(self, other: Self) -> Self;
    /// High half of the product: both signed.
    fn high_signed(self, other: Self) -> Self;
    /// High half of the product: the first signed, the second not.
    fn high_mixed(self, other: Self) -> Self;
    /// High half of the product: neither signed.
    fn high_unsigned(self, other: Self) -> Self;
    /// Quotient as chapter 7 of the unprivileged specification defines it: no traps.
    fn quotient(self, by: Self) -> Self;
    /// Unsigned quotient, likewise.
    fn unsigned_quotient(self, by: Self) -> Self;
    /// Remainder, likewise.
    fn remainder(self, by: Self) -> Self;
    /// Unsigned remainder, likewise.
    fn unsigned_remainder(self, by: Self) -> Self;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
}

/// Both widths differ in types alone.
macro_rules! word {
    ($word:ty, $signed:ty, $double:ty, $signed_double:ty, $width:expr) => {
        impl Word for $word {
            const WIDTH: Width = $width;

            #[inline(always)]
            fn signed(value: i32) -> Self {
                value as Self
            }

            #[inline(always)]
            fn unsigned(value: u32) -> Self {
                Self::from(value)
            }

            #[inline(always)]
            fn cut(value: u64) -> Self {
                value as Self
            }

            #[inline(always)]
            fn low(self) -> u32 {
                self as u32
            }

            #[inline(always)]
            fn offset(self, from: u32) -> usize {
                self.wrapping_sub(from as Self).min(u32::MAX as Self) as usize
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn left(self, by: u32) -> Self {
                self.wrapping_shl(by)
            }

            #[inline(always)]
            fn right(self, by: u32) -> Self {
                self.wrapping_shr(by)
            }

            #[inline(always)]
            fn signed_right(self, by: u32) -> Self {
                (self as $signed).wrapping_shr(by) as Self
            }

            #[inline(always)]
            fn is_below(self, other: Self) -> bool {
                (self as $signed) < other as $signed
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            // A separate function: otherwise the signs of all operands would be computed for it.
            #[inline(never)]
            fn high_signed(self, other: Self) -> Self {
                let product =
                    <$signed_double>::from(self as $signed) * <$signed_double>::from(other as $signed);
                (product >> Self::BITS) as Self
            }

            // A separate function: otherwise the signs of all operands would be computed for it.
            #[inline(never)]
            fn high_mixed(self, other: Self) -> Self {
                let product = <$signed_double>::from(self as $signed) * <$signed_double>::from(other);
                (product >> Self::BITS) as Self
            }

            #[inline(always)]
            fn high_unsigned(self, other: Self) -> Self {
                ((<$double>::from(self) * <$double>::from(other)) >> Self::BITS) as Self
            }

            #[inline(always)]
            fn quotient(self, by: Self) -> Self {
                if by == 0 { Self::MAX } else { (self as $signed).wrapping_div(by as $signed) as Self }
            }

            #[inline(always)]
            fn unsigned_quotient(self, by: Self) -> Self {
                self.checked_div(by).unwrap_or(Self::MAX)
            }

            #[inline(always)]
            fn remainder(self, by: Self) -> Self {
                if by == 0 { self } else { (self as $signed).wrapping_rem(by as $signed) as Self }
            }

            #[inline(always)]
            fn unsigned_remainder(self, by: Self) -> Self {
                self.checked_rem(by).unwrap_or(self)
            }
        }
    };
}

word!(u32, i32, u64, i64, Width::Rv32);
word!(u64, i64, u128, i128, Width::Rv64);
