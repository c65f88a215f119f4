//! The source of a memory or unit.

use crate::units::Clocks;
use linecard_config::{Document, Section};

/// `[memory.NAME]` or `[unit.NAME]`, and everything to which it may refer.
pub(crate) struct PlaceTable<'a> {
    pub document: &'a Document,
    pub section: &'a Section<'a>,
    pub clocks: &'a Clocks,
    pub seed: u64,
}

impl PlaceTable<'_> {
    /// Returns its capacity, if the file states it.
    pub fn capacity_bytes(&self) -> Option<u64> {
        let meaning = "capacity";
        let bytes = self.section.integer_if("capacity_bytes", 1..=1 << 50, meaning);
        bytes.or_else(|| self.section.integer_if("capacity_mib", 1..=1 << 30, meaning).map(|mib| mib << 20))
    }

    /// Reports a value that is not a power of two.
    pub fn power_of_two(&self, key: &str, value: u64) {
        if !value.is_power_of_two() {
            self.section.fail(key, format!("{value} is not a power of two"));
        }
    }
}
