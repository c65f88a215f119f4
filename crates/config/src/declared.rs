//! Numbers whose reader declares the unit, because the key has none: requests, lines, volts.

use crate::section::Section;
use crate::take::Absent;
use crate::units::Measure;
use std::ops::RangeInclusive;

/// A table whose numbers have one unit. A file may state it beside the value, after its number, or not at all.
#[derive(Clone, Copy, Debug)]
pub struct InUnit<'s, 'd> {
    section: &'s Section<'d>,
    measure: Measure,
}

impl<'d> Section<'d> {
    /// Returns the numbers of this table in a unit.
    pub fn in_unit(&self, unit: &'static str) -> InUnit<'_, 'd> {
        InUnit { section: self, measure: Measure::declared(unit) }
    }
}

impl InUnit<'_, '_> {
    /// As [`Section::integer`].
    pub fn integer(&self, key: &str, range: RangeInclusive<u64>, meaning: &str) -> u64 {
        self.section.whole(self.measure, key, &range, meaning, Absent::Problem).unwrap_or(*range.start())
    }

    /// As [`Section::integer_if`].
    pub fn integer_if(&self, key: &str, range: RangeInclusive<u64>, meaning: &str) -> Option<u64> {
        self.section.whole(self.measure, key, &range, meaning, Absent::Nothing)
    }

    /// As [`Section::number`], for a range with a minimum.
    pub fn number(&self, key: &str, range: RangeInclusive<f64>, meaning: &str) -> f64 {
        self.section.real(self.measure, key, &range, meaning, Absent::Problem).unwrap_or(*range.start())
    }

    /// As [`Section::number_if`].
    pub fn number_if(&self, key: &str, range: RangeInclusive<f64>, meaning: &str) -> Option<f64> {
        self.section.real(self.measure, key, &range, meaning, Absent::Nothing)
    }

    /// As [`Section::numbers`].
    pub fn numbers(&self, key: &str, range: RangeInclusive<f64>, meaning: &str) -> Vec<f64> {
        self.section.reals(self.measure, key, &range, meaning)
    }
}
