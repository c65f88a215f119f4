//! A server, or several side by side with one queue in front.

use super::table::PlaceTable;
use crate::units::{byte_fs, time_ps, time_up_to};
use linecard_chip::config::{PlaceKind, ServerConfig};
use linecard_program::script::Access;

pub(super) const KEYS: &[&str] = &["concurrency"];
pub(super) const HAS_TIMES: bool = true;

/// Keys of the time of an access.
pub(crate) const TIMES: &[&str] = &[
    "access_ns",
    "access_cycles",
    "word_ns",
    "word_cycles",
    "word_bytes",
    "rate_gbps",
    "byte_ns",
    "atomics",
];

pub(super) fn read(asked: &PlaceTable<'_>) -> PlaceKind {
    PlaceKind::Server(several(asked))
}

/// Reads parallel servers.
pub(super) fn several(asked: &PlaceTable<'_>) -> ServerConfig {
    let concurrency = asked.section.integer_or(
        "concurrency",
        1,
        1..=1 << 16,
        "number of accesses that are served in parallel",
    );
    ServerConfig { concurrency: concurrency as u32, ..one(asked) }
}

/// Returns a server that takes no time except its latency.
pub(super) fn server_of(latency_ps: u64) -> ServerConfig {
    ServerConfig {
        latency_ps,
        access_ps: [0; Access::ALL.len()],
        word_ps: 0,
        word_bytes: 4,
        byte_fs: 0,
        concurrency: 1,
    }
}

/// The longest time of a word, a millisecond: the words of a packet add up.
const MOST_WORD_NS: f64 = 1e6;

/// Reads the times of a server.
pub(super) fn one(asked: &PlaceTable<'_>) -> ServerConfig {
    let section = asked.section;
    let hz = asked.clocks.of(section);
    let time = |stem: &str, meaning: &str| time_ps(section, stem, hz, meaning).unwrap_or(0);
    let mut server = server_of(time("latency", "minimum time from the start of the service to the result"));
    server.access_ps = [time("access", "service time of an access"); Access::ALL.len()];
    let word = time_up_to(MOST_WORD_NS, section, "word", hz, "additional service time per word");
    server.word_ps = word.unwrap_or(0);
    if server.word_ps > 0 {
        server.word_bytes = section.integer_or("word_bytes", 4, 1..=4096, "bytes of a word") as u32;
    } else if word.is_some() {
        let is_set = section.is_set("word_cycles") || section.is_set("word_ns");
        section.idle(&["word_bytes"], is_set, "words take no additional service time");
    }
    if let Some(gbps) = section.number_if(
        "rate_gbps",
        1e-6..=1e9,
        "additional service time for the bytes of an access, stated as a data rate",
    ) {
        server.byte_fs = byte_fs(gbps);
    }
    if let Some(ns) = section.number_if("byte_ns", 0.0..=1e6, "additional service time per byte") {
        server.byte_fs += (ns * 1e6).round() as u64;
    }
    if let Some(atomics) = section.section("atomics") {
        for kind in [Access::Write, Access::Add, Access::TestAndSet, Access::Swap, Access::Continue] {
            let meaning = "service time of this kind of access";
            if let Some(ps) = time_ps(&atomics, kind.name(), hz, meaning) {
                server.access_ps[kind as usize] = ps;
            }
        }
    }
    server
}
