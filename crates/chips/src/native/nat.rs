//! `nat`: addresses and ports are translated (Hasan 2003, section 5.2).

use super::loops::{self, Named};
use crate::read_program::ReadProgram;
use crate::reading::{MILLION, Reading};
use linecard_apps::{Nat, NatConfig, NatRoles};
use linecard_config::Section;

/// Table of a chip's file that only this program reads.
pub(super) const SECTION: &str = "nat";
pub(super) const NEEDS: (&str, &str) = loops::NEEDS;
pub(super) const COSTS: &[&str] = loops::COSTS;

/// Reads the costs of `nat`.
pub(super) fn read(root: &Section<'_>, section: &Section<'_>, reading: &mut Reading<'_>) -> ReadProgram {
    section.leave(&["routes", "digest_hashes"]);
    let ports = reading.ports.max(1);
    if reading.results {
        section.fail(
            "run",
            "nat keeps its translations in its own table; only l3fwd16 and firewall use a result cache. Set \
             cache.entries to 0",
        );
    }
    let not_ip = reading.not_ip(section);
    let mut named = Named { reading, place: section.place(), used: Vec::new() };
    let io = loops::io(section, not_ip, &mut named);
    let own = root.section("nat");
    if own.is_none() {
        root.lacks("nat", "the costs and sizes of nat must be in [nat]");
    }
    let integer = |key: &str, range: std::ops::RangeInclusive<u64>, meaning: &str| match &own {
        Some(own) => own.integer(key, range, meaning) as u32,
        None => *range.start() as u32,
    };
    let mut buckets = integer("buckets", 1..=1 << 24, "number of buckets of the translation table, a power of \
                                                       two");
    if !buckets.is_power_of_two() {
        if let Some(own) = &own {
            own.fail("buckets", format!("{buckets} is not a power of two"));
        }
        buckets = buckets.next_power_of_two();
    }
    let config = NatConfig {
        buckets,
        entries: integer("entries", 1..=1 << 24, "number of entries of the translation table"),
        ports,
        translate_cycles: integer(
            "translate_cycles",
            0..=MILLION,
            "cycles to load the header into registers, to translate it, and to update the checksums",
        ),
        update_cycles: integer("update_cycles", 0..=MILLION, "cycles to insert or remove an entry"),
        // 198.18.0.0/15, set aside for benchmarking network devices (RFC 2544).
        address: 0xc612_0000,
    };
    let roles = NatRoles { table: named.role("table", 0), hash: named.role("hash", 0) };
    loops::read_program("nat", Nat::new(io, config, roles), named.used)
}
