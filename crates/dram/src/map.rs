//! From linear addresses to banks and rows.

use crate::Organization;

/// Where a byte stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Bank.
    pub bank: u32,
    /// Row within the bank.
    pub row: u32,
}

/// How consecutive row-sized pieces of the address space map to banks. Both maps are one to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowMap {
    /// Row r to bank r mod banks (Hasan 2003, section 6.2, OUR_BASE).
    RoundRobin,
    /// The lower half of the rows to the odd banks, the upper half to the even banks (Hasan 2003, section 6.2,
    /// REF_BASE); within a half, round robin over its banks.
    Halves,
}

impl RowMap {
    /// Every map.
    pub const ALL: [RowMap; 2] = [RowMap::RoundRobin, RowMap::Halves];

    /// The name in presets.
    pub fn name(self) -> &'static str {
        match self {
            RowMap::RoundRobin => "round_robin",
            RowMap::Halves => "halves",
        }
    }

    /// The bank and row of a byte address below the device's capacity.
    #[inline]
    pub fn locate(self, organization: &Organization, address: u64) -> Location {
        let row = (address / u64::from(organization.row_bytes)) as u32;
        let banks = organization.banks;
        match self {
            RowMap::RoundRobin => Location { bank: row % banks, row: row / banks },
            RowMap::Halves => {
                let half_rows = organization.rows * banks / 2;
                let half_banks = banks / 2;
                let (row, first) = if row < half_rows { (row, 1) } else { (row - half_rows, 0) };
                Location { bank: first + 2 * (row % half_banks), row: row / half_banks }
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
                groups: 1,
                banks,
                row_bytes: 4096,
                rows: 16,
                beat_bytes: 8,
                beats_per_cycle: 1,
            };
            for map in RowMap::ALL {
                let seen: HashSet<_> = (0..o.capacity_bytes() / 4096)
                    .map(|row| map.locate(&o, row * 4096 + 4095))
                    .map(|l| (l.bank, l.row))
                    .collect();
                assert_eq!(seen.len(), (banks * 16) as usize, "{map:?}");
                assert!(seen.iter().all(|&(b, r)| b < banks && r < 16));
            }
        }
    }

    #[test]
    fn halves_put_the_lower_half_into_odd_banks() {
        let o =
            Organization { groups: 1, banks: 4, row_bytes: 4096, rows: 4, beat_bytes: 8, beats_per_cycle: 1 };
        let bank = |row: u64| RowMap::Halves.locate(&o, row * 4096).bank;
        assert_eq!((0..4).map(bank).collect::<Vec<_>>(), [1, 3, 1, 3]);
        assert_eq!((8..12).map(bank).collect::<Vec<_>>(), [0, 2, 0, 2]);
    }
}
