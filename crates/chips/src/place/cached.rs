//! A cache in front of another memory.

use super::server;
use super::table::PlaceTable;
use linecard_chip::config::{CacheConfig, PlaceKind, Replacement};

pub(super) const KEYS: &[&str] =
    &["behind", "line_bytes", "ways", "cache_bytes", "replacement", "port_ways", "concurrency"];
pub(super) const HAS_TIMES: bool = true;

/// The rule that selects which line of a set is replaced.
pub(crate) const REPLACEMENTS: &[(&str, Replacement)] =
    &[("least_recent", Replacement::LeastRecent), ("random", Replacement::Random)];

/// Reads a cache; the memory behind it is set when all memories are known.
pub(super) fn read(asked: &PlaceTable<'_>) -> PlaceKind {
    let section = asked.section;
    let line_bytes = section.integer("line_bytes", 8..=4096, "line size, a power of two");
    let meaning = "lines per set; the set of line n is n + n / sets, rounded down, modulo the number of sets";
    let ways = section.integer("ways", 1..=1 << 16, meaning);
    asked.power_of_two("line_bytes", line_bytes);
    let meaning = "number of ways per set for lines that ports write or read; all if left out";
    let port_ways = section.integer_if("port_ways", 1..=1 << 16, meaning).unwrap_or(ways);
    if port_ways > ways {
        section.fail("port_ways", format!("found {port_ways}, expected at most {ways}, the number of ways of a \
                                           set"));
    }
    let held = section.integer("cache_bytes", 64..=1 << 34, "capacity of the cache itself");
    let sets = held / line_bytes / ways;
    if sets == 0 || sets * line_bytes * ways != held {
        let message = format!(
            "found {held}, expected a multiple of {}: {ways} ways of {line_bytes} bytes",
            ways * line_bytes
        );
        section.fail("cache_bytes", message);
    }
    PlaceKind::Cached(CacheConfig {
        port: server::several(asked),
        line_bytes: line_bytes.next_power_of_two() as u32,
        sets: sets.clamp(1, 1 << 26) as u32,
        ways: ways as u32,
        replacement: section.choice_or(
            "replacement",
            "least_recent",
            REPLACEMENTS,
            "rule that selects which line of a set is replaced",
        ),
        port_ways: port_ways.min(ways) as u32,
        behind: 0,
    })
}
