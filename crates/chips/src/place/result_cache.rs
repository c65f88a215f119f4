//! A cache of lookup results.

use super::server;
use super::table::PlaceTable;
use linecard_chip::config::{PlaceKind, ResultCacheConfig};
use linecard_config::Section;
use linecard_flowcache::{Configuration, Digester, FlowCache, Geometry, Hash, Key, Policy};

pub(super) const KEYS: &[&str] = &["entries", "ways", "policy", "key", "digest_bits", "concurrency"];
pub(super) const HAS_TIMES: bool = true;

/// Returns the entries of a result cache.
pub(crate) fn entries(section: &Section<'_>) -> u32 {
    section.integer(
        "entries",
        0..=1 << 22,
        "number of entries in the result cache, which is searched before the lookup; 0: no cache",
    ) as u32
}

/// Reads a result cache; without entries, returns a unit that is never accessed.
pub(super) fn read(asked: &PlaceTable<'_>) -> PlaceKind {
    let (section, seed, port) = (asked.section, asked.seed, server::several(asked));
    let entries = entries(section);
    if entries == 0 {
        section.leave(&["ways", "policy", "key", "digest_bits"]);
        return PlaceKind::Server(port);
    }
    let ways = section.integer("ways", 1..=1 << 22, "entries per set of the cache") as u32;
    let policy = section
        .text("policy", "replacement policy, as in `linecard flowcache --policy`, except oracle policies");
    let key = section.text("key", "definition of a flow: 5-tuple, 2-tuple, or fields such as dst/24");
    let bits = section.integer(
        "digest_bits",
        1..=32,
        "size in bits of the digest of a flow; the digest consists of the low bits of CRC32C over the flow key",
    ) as u32;
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
