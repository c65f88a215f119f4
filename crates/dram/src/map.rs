//! From linear addresses to banks and rows.

use crate::Organization;

/// The bank and the row of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Bank.
    pub bank: u32,
    /// Row within the bank.
    pub row: u32,
}

/// How consecutive row-sized blocks of the address space map to banks. Both maps are one to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowMap {
    /// Row r to bank r mod banks (Hasan 2003, section 6.2, OUR_BASE).
    RoundRobin,
    /// The lower half of the rows to the odd banks, the upper half to the even banks (Hasan 2003, section 6.2,
    /// REF_BASE); within a half, round robin over its banks.
    Halves,
}

impl RowMap {
    /// All maps.
    pub const ALL: [RowMap; 2] = [RowMap::RoundRobin, RowMap::Halves];

    /// Returns the name in presets.
    pub fn name(self) -> &'static str {
        match self {
            RowMap::RoundRobin => "round_robin",
            RowMap::Halves => "halves",
        }
    }
}

/// A row map compiled for a device: shifts and masks.
#[derive(Clone, Copy, Debug)]
pub struct AddressMap {
    map: RowMap,
    row_shift: u32,
    bank_shift: u32,
    half_rows: u32,
}

impl AddressMap {
    /// Compiles `map` for a device.
    ///
    /// # Panics
    ///
    /// If its banks or the bytes of its rows are not powers of two.
    pub fn new(map: RowMap, organization: &Organization) -> Self {
        let Organization { banks, row_bytes, rows, .. } = *organization;
        assert!(
            banks.is_power_of_two() && row_bytes.is_power_of_two(),
            "banks and row bytes must be powers of two"
        );
        Self { map, row_shift: row_bytes.ilog2(), bank_shift: banks.ilog2(), half_rows: rows * banks / 2 }
    }

    /// Returns the bank and row of a byte address below the device's capacity.
    #[inline]
    pub fn locate(&self, address: u64) -> Location {
        let row = (address >> self.row_shift) as u32;
        match self.map {
            RowMap::RoundRobin => {
                Location { bank: row & ((1 << self.bank_shift) - 1), row: row >> self.bank_shift }
            }
            RowMap::Halves => {
                let half_shift = self.bank_shift - 1;
                let (row, first) = if row < self.half_rows { (row, 1) } else { (row - self.half_rows, 0) };
                Location { bank: first + 2 * (row & ((1 << half_shift) - 1)), row: row >> half_shift }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_row_of_every_bank_is_mapped_to_once() {
        for banks in [2, 4, 8] {
            let o = Organization {
                ranks: 1,
                groups: 1,
                banks,
                row_bytes: 4096,
                rows: 16,
                beat_bytes: 8,
                beats_per_cycle: 1,
            };
            for map in RowMap::ALL {
                let seen: HashSet<_> = (0..o.capacity_bytes() / 4096)
                    .map(|row| AddressMap::new(map, &o).locate(row * 4096 + 4095))
                    .map(|l| (l.bank, l.row))
                    .collect();
                assert_eq!(seen.len(), (banks * 16) as usize, "{map:?}");
                assert!(seen.iter().all(|&(b, r)| b < banks && r < 16));
            }
        }
    }

    #[test]
    fn halves_put_the_lower_half_into_odd_banks() {
        let o = Organization {
            ranks: 1,
            groups: 1,
            banks: 4,
            row_bytes: 4096,
            rows: 4,
            beat_bytes: 8,
            beats_per_cycle: 1,
        };
        let bank = |row: u64| AddressMap::new(RowMap::Halves, &o).locate(row * 4096).bank;
        assert_eq!((0..4).map(bank).collect::<Vec<_>>(), [1, 3, 1, 3]);
        assert_eq!((8..12).map(bank).collect::<Vec<_>>(), [0, 2, 0, 2]);
    }
}
