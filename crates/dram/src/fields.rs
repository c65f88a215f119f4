//! Address maps: which bits of an address select channel, rank, bank group, bank, row and column.
//!
//! A map is either an order of the fields, or a list of bits for each field, each the exclusive or of some bits
//! of the address ("permutation-based interleaving", Zhang et al., MICRO 2000). In compiled form, a field of
//! adjacent bits is a shift and a mask.

use crate::Organization;

/// A part of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Field {
    /// Channel.
    Channel,
    /// Rank.
    Rank,
    /// Bank group within the rank.
    Group,
    /// Bank within the group.
    Bank,
    /// Row.
    Row,
    /// Column, in accesses.
    Column,
}

impl Field {
    /// All fields.
    pub const ALL: [Field; 6] =
        [Field::Channel, Field::Rank, Field::Group, Field::Bank, Field::Row, Field::Column];

    /// Returns the name in presets.
    pub fn name(self) -> &'static str {
        ["channel", "rank", "bankgroup", "bank", "row", "column"][self as usize]
    }
}

/// The destination of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Channel.
    pub channel: u32,
    /// Bank, over all ranks and groups of the channel.
    pub bank: u32,
    /// Row.
    pub row: u32,
    /// Column, in accesses.
    pub column: u32,
}

/// Adjacent bits of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    shift: u32,
    mask: u64,
}

impl Run {
    #[inline]
    fn of(self, address: u64) -> u64 {
        (address >> self.shift) & self.mask
    }
}

/// A compiled map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldMap {
    runs: [Run; 6],
    /// Fields that are not adjacent bits; each of their bits is the exclusive or of the stated address bits.
    parities: Vec<(Field, Vec<u64>)>,
    group_shift: u32,
    rank_shift: u32,
    channels: u32,
    capacity: u64,
    /// Each bit of the address, as a mask, and the field bits whose exclusive or it is. The bits of the
    /// fields follow one another.
    inverse: Vec<(u64, u64)>,
    widths: Widths,
}

/// Bits of each field, in the order of [`Field::ALL`].
pub type Widths = [u32; 6];

/// Returns the bits of each field of a device.
///
/// # Panics
///
/// If a count is no power of two.
pub fn widths(organization: &Organization, channels: u32, access_bytes: u32) -> Widths {
    let log2 = |n: u32| {
        assert!(n.is_power_of_two(), "{n} is not a power of two");
        n.ilog2()
    };
    let Organization { ranks, groups, banks, rows, row_bytes, .. } = *organization;
    [
        log2(channels),
        log2(ranks),
        log2(groups / ranks),
        log2(banks / groups),
        log2(rows),
        log2(row_bytes / access_bytes),
    ]
}

impl FieldMap {
    /// Returns the map with the fields in this order, from the highest bits to the lowest; the bytes of an
    /// access are below.
    ///
    /// # Errors
    ///
    /// A field that is missing although it has bits, or that is named twice.
    pub fn in_order(order: &[Field], widths: Widths, access_bytes: u32) -> Result<Self, String> {
        let mut bits: [Vec<u64>; 6] = Default::default();
        let mut low = access_bytes.ilog2();
        let mut seen = [false; 6];
        for &field in order.iter().rev() {
            if std::mem::replace(&mut seen[field as usize], true) {
                return Err(format!("`{}` is named twice", field.name()));
            }
            let width = widths[field as usize];
            bits[field as usize] = (low..low + width).map(|bit| 1 << bit).collect();
            low += width;
        }
        let missing = Field::ALL.into_iter().find(|&f| !seen[f as usize] && widths[f as usize] > 0);
        match missing {
            Some(field) => Err(format!("`{}` is missing", field.name())),
            None => Self::of_bits(bits, widths, access_bytes),
        }
    }

    /// Returns the map whose fields consist of these bits, the lowest of each field first; each is the
    /// exclusive or of the address bits in its mask.
    ///
    /// # Errors
    ///
    /// A field with another number of bits, a bit outside the address, or a map that is not one to one.
    pub fn of_bits(bits: [Vec<u64>; 6], widths: Widths, access_bytes: u32) -> Result<Self, String> {
        let offset = access_bytes.ilog2();
        let address_bits = offset + widths.iter().sum::<u32>();
        let inside = (1u64 << address_bits) - (1 << offset);
        for field in Field::ALL {
            let (found, wanted) = (bits[field as usize].len(), widths[field as usize] as usize);
            if found != wanted {
                return Err(format!("`{}` has {found} bits, expected {wanted}", field.name()));
            }
            if bits[field as usize].iter().any(|mask| mask & !inside != 0) {
                return Err(format!(
                    "`{}` uses a bit outside the range {offset} to {}; lower address bits select a byte \
                     within an access",
                    field.name(),
                    address_bits - 1
                ));
            }
        }
        // The map is one to one if the masks are linearly independent over GF(2). Elimination leaves, for
        // each bit of the address, the field bits that determine it.
        let mut rows: Vec<(u64, u64)> =
            bits.iter().flatten().enumerate().map(|(n, &mask)| (mask, 1 << n)).collect();
        for (done, bit) in (offset..address_bits).enumerate() {
            let Some(pivot) = rows[done..].iter().position(|(mask, _)| mask >> bit & 1 == 1) else {
                return Err(format!(
                    "the address map is not one-to-one: address bit {bit} has no effect, or a field bit \
                     can be computed from other field bits"
                ));
            };
            rows.swap(done, done + pivot);
            let pivot = rows[done];
            for (n, row) in rows.iter_mut().enumerate() {
                if n != done && row.0 >> bit & 1 == 1 {
                    *row = (row.0 ^ pivot.0, row.1 ^ pivot.1);
                }
            }
        }
        let [channel, _, group, bank, _, _] = widths;
        Ok(Self {
            runs: Field::ALL.map(|field| run(&bits[field as usize]).unwrap_or(Run { shift: 0, mask: 0 })),
            parities: Field::ALL
                .into_iter()
                .filter(|&field| run(&bits[field as usize]).is_none())
                .map(|field| (field, bits[field as usize].clone()))
                .collect(),
            group_shift: bank,
            rank_shift: bank + group,
            channels: 1 << channel,
            capacity: 1 << address_bits,
            inverse: rows,
            widths,
        })
    }

    /// Returns the number of channels.
    pub fn channels(&self) -> u32 {
        self.channels
    }

    /// Returns the columns of a row, in accesses.
    pub fn columns(&self) -> u32 {
        1 << self.widths[Field::Column as usize]
    }

    /// Returns the bytes of all channels.
    pub fn capacity_bytes(&self) -> u64 {
        self.capacity
    }

    /// Returns the address of the first byte of a destination: the inverse of [`FieldMap::locate`].
    pub fn address(&self, place: Place) -> u64 {
        let bank = u64::from(place.bank);
        let values = [
            u64::from(place.channel),
            bank >> self.rank_shift,
            bank >> self.group_shift,
            bank,
            u64::from(place.row),
            u64::from(place.column),
        ];
        let (mut fields, mut shift) = (0, 0);
        for (value, width) in values.into_iter().zip(self.widths) {
            fields |= (value & ((1 << width) - 1)) << shift;
            shift += width;
        }
        let of = |&(mask, from): &(u64, u64)| if (fields & from).count_ones() & 1 == 1 { mask } else { 0 };
        self.inverse.iter().map(of).sum()
    }

    /// Returns the destination of a byte address below the capacity.
    #[inline]
    pub fn locate(&self, address: u64) -> Place {
        if self.parities.is_empty() {
            self.place(self.adjacent(address))
        } else {
            self.locate_by_parities(address)
        }
    }

    /// As `locate`, for maps with fields of separate bits. A separate function, because their order is not
    /// known in advance.
    #[inline(never)]
    fn locate_by_parities(&self, address: u64) -> Place {
        let mut fields = self.adjacent(address);
        for (field, masks) in &self.parities {
            fields[*field as usize] = parity(masks, address);
        }
        self.place(fields)
    }

    /// Returns the fields that are adjacent bits; others are 0. Written out, because compilers turn a `map` of the
    /// array into a loop through memory.
    #[inline]
    fn adjacent(&self, address: u64) -> [u64; 6] {
        let [channel, rank, group, bank, row, column] = &self.runs;
        [
            channel.of(address),
            rank.of(address),
            group.of(address),
            bank.of(address),
            row.of(address),
            column.of(address),
        ]
    }

    #[inline]
    fn place(&self, [channel, rank, group, bank, row, column]: [u64; 6]) -> Place {
        let bank = bank | group << self.group_shift | rank << self.rank_shift;
        Place { channel: channel as u32, bank: bank as u32, row: row as u32, column: column as u32 }
    }
}

/// Returns the adjacent bits of a field, if they are adjacent.
fn run(masks: &[u64]) -> Option<Run> {
    let first = masks.first().copied().unwrap_or(1);
    let neighbours = masks.iter().enumerate().all(|(n, &mask)| mask == first << n && mask.is_power_of_two());
    neighbours.then(|| Run { shift: first.trailing_zeros(), mask: (1 << masks.len()) - 1 })
}

/// Returns the value of a field whose bits are each the exclusive or of some bits of the address.
fn parity(masks: &[u64], address: u64) -> u64 {
    let bits = masks.iter().enumerate();
    bits.fold(0, |value, (bit, mask)| value | u64::from((address & mask).count_ones() & 1) << bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WIDTHS: Widths = [1, 1, 1, 2, 4, 3];

    fn in_order(order: &[Field]) -> FieldMap {
        FieldMap::in_order(order, WIDTHS, 64).unwrap()
    }

    #[test]
    fn an_order_puts_its_last_field_lowest() {
        use Field::{Bank, Channel, Column, Group, Rank, Row};
        let map = in_order(&[Row, Rank, Bank, Group, Column, Channel]);
        assert_eq!(map.capacity_bytes(), 64 << 12);
        // Row 1010, rank 1, bank 10, group 1, column 011, channel 1.
        let place = map.locate(0b1010_1101_0111 << 6 | 17);
        assert_eq!(place, Place { channel: 1, bank: 0b1110, row: 0b1010, column: 0b011 });
    }

    #[test]
    fn exclusive_or_spreads_rows_over_banks() {
        let bit = |n: u32| 1u64 << n;
        let bits = [
            vec![bit(6)],
            vec![bit(7)],
            vec![bit(8)],
            vec![bit(9) | bit(14), bit(10) | bit(15)],
            (14..18).map(bit).collect(),
            (11..14).map(bit).collect(),
        ];
        let map = FieldMap::of_bits(bits, WIDTHS, 64).unwrap();
        let bank = |address: u64| map.locate(address).bank & 3;
        assert_eq!([0, 1 << 14, 2 << 14, 3 << 14].map(bank), [0, 1, 2, 3]);
    }

    #[test]
    fn what_is_no_map_is_refused() {
        use Field::{Bank, Channel, Column, Group, Rank, Row};
        let wrong = |order: &[Field]| FieldMap::in_order(order, WIDTHS, 64).unwrap_err();
        assert!(wrong(&[Row, Rank, Bank, Group, Column]).contains("`channel` is missing"));
        assert!(wrong(&[Row, Row, Rank, Bank, Group, Column, Channel]).contains("twice"));
        let mut bits: [Vec<u64>; 6] = Default::default();
        let mut low = 6;
        for (field, width) in WIDTHS.into_iter().enumerate() {
            bits[field] = (low..low + width).map(|n| 1 << n).collect();
            low += width;
        }
        bits[0][0] = bits[1][0];
        assert!(FieldMap::of_bits(bits.clone(), WIDTHS, 64).unwrap_err().contains("not one-to-one"));
        bits[0][0] = 1 << 40;
        assert!(FieldMap::of_bits(bits.clone(), WIDTHS, 64).unwrap_err().contains("outside"));
        bits[0].clear();
        assert!(FieldMap::of_bits(bits, WIDTHS, 64).unwrap_err().contains("expected 1"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn every_map_that_is_accepted_is_one_to_one(
            order in Just(Field::ALL.to_vec()).prop_shuffle(),
            twists in proptest::collection::vec((0usize..12, 0usize..12), 0..8),
            addresses in proptest::collection::vec(0u64..1 << 18, 1..40),
        ) {
            // Adding one row of the matrix of an order to another (exclusive or) keeps the map one to one.
            let mut low = 6;
            let mut bits: [Vec<u64>; 6] = Default::default();
            for &field in order.iter().rev() {
                let width = WIDTHS[field as usize];
                bits[field as usize] = (low..low + width).map(|n| 1 << n).collect();
                low += width;
            }
            let places: Vec<(usize, usize)> =
                bits.iter().enumerate().flat_map(|(f, b)| (0..b.len()).map(move |n| (f, n))).collect();
            for &(to, from) in twists.iter().filter(|(to, from)| to != from) {
                let mask = bits[places[from].0][places[from].1];
                bits[places[to].0][places[to].1] ^= mask;
            }
            let map = FieldMap::of_bits(bits, WIDTHS, 64).unwrap();
            for address in addresses {
                prop_assert_eq!(map.address(map.locate(address)), address & !63);
            }
        }
    }
}
