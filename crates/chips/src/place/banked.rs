//! Banks, each of which serves one access at a time.

use super::table::PlaceTable;
use super::server;
use linecard_chip::config::PlaceKind;
use linecard_chip::place::{BankBy, Banked};

pub(super) const KEYS: &[&str] = &["banks", "by", "interleave_bytes"];
pub(super) const HAS_TIMES: bool = true;

pub(super) fn read(asked: &PlaceTable<'_>) -> PlaceKind {
    let section = asked.section;
    let count = section.integer("banks", 1..=1 << 16, "number of banks; each bank serves one access at a time");
    let by = [("address", false), ("turn", true)];
    let by = match section.choice_or("by", "address", &by, "rule that selects the bank of an access") {
        true => {
            let why = "with by = \"turn\", accesses take the banks in turn, at any address; set by = \"address\"";
            section.idle(&["interleave_bytes"], section.is_set("by"), why);
            BankBy::Turn
        }
        false => {
            let bytes = section.integer_or(
                "interleave_bytes",
                64,
                1..=1 << 30,
                "number of consecutive bytes in one bank, a power of two",
            );
            asked.power_of_two("interleave_bytes", bytes);
            BankBy::Address { interleave_bytes: bytes.next_power_of_two() as u32 }
        }
    };
    PlaceKind::Banked(Banked { bank: server::one(asked), count: count as u32, by })
}
