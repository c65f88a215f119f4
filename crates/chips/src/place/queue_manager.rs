//! A queue manager.

use super::table::PlaceTable;
use linecard_chip::config::{PlaceKind, QueueManagerConfig, ServerConfig};
use linecard_config::Section;
use linecard_queueing::{Kind, Q_ARRAY_ENTRIES, Settings};
use linecard_queues::table_1;

pub(super) const KEYS: &[&str] = &["manager", "entries", "engines", "interconnect_ns", "memory_ns"];
pub(super) const HAS_TIMES: bool = false;

const MANAGERS: [(&str, Option<Kind>); 6] = [
    ("none", None),
    ("nc", Some(Kind::NoCache)),
    ("dc", Some(Kind::DataCache)),
    ("sqc", Some(Kind::SoftwareCache)),
    ("qarray", Some(Kind::QArray)),
    ("qc", Some(Kind::QueuingCache)),
];

/// Reads the queue manager, on the machine of Table 1.
pub(crate) fn manager(section: &Section<'_>) -> Option<QueueManagerConfig> {
    let meaning = "queue manager; with `none`, programs write and read descriptors themselves";
    let kind = section.choice("manager", &MANAGERS, meaning)?;
    let settings = table_1().map_err(|error| section.fail("manager", error.to_string()));
    Some(QueueManagerConfig { kind, settings: settings.ok()? })
}

/// Reads a queue manager; with none, returns a unit that is never accessed.
pub(super) fn read(asked: &PlaceTable<'_>) -> PlaceKind {
    let section = asked.section;
    let Some(QueueManagerConfig { kind, settings }) = manager(section) else {
        section.leave(&["entries", "engines", "interconnect_ns", "memory_ns"]);
        return PlaceKind::Server(ServerConfig {
            latency_ps: 0,
            access_ps: Default::default(),
            word_ps: 0,
            word_bytes: 4,
            byte_fs: 0,
            concurrency: 0,
        });
    };
    let ps = |key: &str, meaning: &str| (section.number(key, 0.0..=1e6, meaning) * 1e3).round() as u64;
    let count = |key: &str, meaning: &str| section.integer(key, 1..=1 << 14, meaning) as u32;
    let entries = if kind == Kind::QArray {
        section.leave(&["entries"]);
        Q_ARRAY_ENTRIES
    } else {
        count("entries", "number of entries in the manager's cache (sqc, qc)")
    };
    PlaceKind::QueueManager(QueueManagerConfig {
        kind,
        settings: Settings {
            entries,
            engines: count("engines", "number of engines that execute operations (sqc, qarray, qc)"),
            interconnect_ps: ps("interconnect_ns", "round-trip time between a thread and the manager"),
            memory_ps: ps("memory_ns", "access time of the memory that holds descriptors and links"),
            // Instructions belong to programs: engines execute them.
            instruction_ps: Default::default(),
            ..settings
        },
    })
}
