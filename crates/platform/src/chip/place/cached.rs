//! A cache in front of another place.

use super::reading::Reading;
use super::server;
use linecard_chip::config::{CacheConfig, PlaceKind};

pub(super) const KEYS: &[&str] = &["behind", "line_bytes", "ways", "cache_bytes", "concurrency"];
pub(super) const HAS_TIMES: bool = true;

/// The place behind it is put in when all are known.
pub(super) fn read(asked: &Reading<'_>) -> PlaceKind {
    let section = asked.section;
    let line_bytes = section.integer("line_bytes", 8..=4096, "bytes of a line, a power of two");
    let ways = section.integer("ways", 1..=1 << 16, "lines of a set");
    asked.power_of_two("line_bytes", line_bytes);
    let held = section.integer("cache_bytes", 64..=1 << 34, "how much the cache itself holds");
    let sets = held / line_bytes / ways;
    if sets == 0 || !sets.is_power_of_two() || sets * line_bytes * ways != held {
        let message = format!(
            "{held} bytes do not divide into a power of two of sets of {ways} lines of {line_bytes} bytes"
        );
        section.fail("cache_bytes", message);
    }
    PlaceKind::Cached(CacheConfig {
        port: server::several(asked),
        line_bytes: line_bytes.next_power_of_two() as u32,
        sets: sets.max(1).next_power_of_two().min(1 << 26) as u32,
        ways: ways as u32,
        behind: 0,
    })
}
