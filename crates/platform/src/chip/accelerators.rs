//! `[unit.NAME]` of a special kind: a cache of lookup results, a queue manager.

use linecard_chip::config::{PlaceKind, QueueManagerConfig, ResultCacheConfig, ServerConfig};
use linecard_config::Section;
use linecard_flowcache::{Configuration, Digester, FlowCache, Geometry, Hash, Key, Policy};
use linecard_queueing::{Kind, Settings};

/// Entries of a result cache.
pub(super) fn entries(section: &Section<'_>) -> u32 {
    section.integer("entries", 0..=1 << 22, "entries of the cache in front of the lookup; 0 for none") as u32
}

/// A result cache; without entries a unit that nobody asks.
pub(super) fn results(section: &Section<'_>, port: ServerConfig, seed: u64) -> PlaceKind {
    let entries = entries(section);
    if entries == 0 {
        section.leave(&["ways", "policy", "key", "digest_bits"]);
        return PlaceKind::Server(port);
    }
    let ways = section.integer("ways", 1..=1 << 22, "entries of a set of it") as u32;
    let policy =
        section.text("policy", "its policy, a name that `linecard flowcache --policy` knows; no oracle");
    let key = section.text("key", "what makes a flow to it: 5-tuple, 2-tuple, or fields such as dst/24");
    let bits = section.integer("digest_bits", 1..=32, "digest of a flow, the low bits of CRC32C over the key")
        as u32;
    let said = |key: &str, error: linecard_flowcache::FlowCacheError| section.fail(key, error.to_string());
    let geometry = Geometry::new(entries, ways).map_err(|e| said("entries", e));
    let policy = Policy::parse(&policy).map_err(|e| said("policy", e));
    let key = Key::parse(&key).map_err(|e| said("key", e));
    let digester = Digester::new(Hash::Crc32c, bits, seed).map_err(|e| said("digest_bits", e));
    let (Ok(geometry), Ok(policy), Ok(key), Ok(digester)) = (geometry, policy, key, digester) else {
        return PlaceKind::Server(port);
    };
    let configuration = Configuration::new(geometry, policy);
    if let Err(error) = FlowCache::new(&configuration, seed) {
        said("policy", error);
        return PlaceKind::Server(port);
    }
    PlaceKind::Results(ResultCacheConfig { port, configuration, key, digester, seed })
}

const MANAGERS: [(&str, Option<Kind>); 6] = [
    ("none", None),
    ("nc", Some(Kind::NoCache)),
    ("dc", Some(Kind::DataCache)),
    ("sqc", Some(Kind::SoftwareCache)),
    ("qarray", Some(Kind::QArray)),
    ("qc", Some(Kind::QueuingCache)),
];

/// Which queue manager it is.
pub(super) fn manager(section: &Section<'_>) -> Option<Kind> {
    let meaning = "what enqueues and dequeues; none: programs write and read descriptors";
    section.choice("manager", &MANAGERS, meaning)
}

/// A queue manager; where it is none, a unit that nobody asks.
pub(super) fn queue_manager(section: &Section<'_>) -> PlaceKind {
    let Some(kind) = manager(section) else {
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
    PlaceKind::QueueManager(QueueManagerConfig {
        kind,
        settings: Settings {
            entries: count("entries", "entries of its cache (sqc, qc)"),
            engines: count("engines", "engines that carry operations out (sqc, qarray, qc)"),
            interconnect_ps: ps("interconnect_ns", "from a thread to it and back"),
            memory_ps: ps("memory_ns", "of an access of the memory that holds descriptors and links"),
            // Instructions are the programs': engines carry them out.
            instruction_ps: Default::default(),
            ..Settings::default()
        },
    })
}
