//! Where packets begin in their memory: at the start of a page of the allocator, and by default in every channel.

use linecard_config::{Document, Section};
use linecard_program::CELL_BYTES;
use std::collections::BTreeSet;

/// The default number of bytes after which an address continues in the next part.
const USUAL_INTERLEAVE: u64 = 256;

/// Returns the page size of the allocator of a memory for packets.
pub(super) fn page_bytes(memory: &Section<'_>) -> u32 {
    memory.integer_or("page_bytes", 2048, 64..=4_194_240, "size of a buffer or page of the allocator") as u32
}

/// Returns the number of bytes after which an address continues in the next of several parts. It is a page if ports
/// keep packets in the memory and packets would otherwise begin in only some of the parts.
pub(super) fn usual_interleave(document: &Document, memory: &Section<'_>, parts: u64) -> u64 {
    if parts < 2 || !ports_keep_packets(document, memory.name()) {
        return USUAL_INTERLEAVE;
    }
    let page = u64::from(page_bytes(memory));
    // Pages are whole cells, so the parts repeat after this number of pages.
    let pages = parts * USUAL_INTERLEAVE / u64::from(CELL_BYTES);
    let begins: BTreeSet<u64> = (0..pages).map(|number| number * page / USUAL_INTERLEAVE % parts).collect();
    match begins.len() as u64 == parts {
        true => USUAL_INTERLEAVE,
        false => page.next_power_of_two(),
    }
}

/// Returns whether a port writes packets to a memory or reads them from it, by the memory's name or by a name in
/// `[bind]`.
fn ports_keep_packets(document: &Document, memory: &str) -> bool {
    let root = document.root();
    let bind = root.section("bind");
    let bound = bind.as_ref().map(Section::keys).unwrap_or_default();
    let means = |role: &str| match &bind {
        Some(bind) if bound.iter().any(|key| key == role) => bind.says(role, memory),
        _ => role == memory,
    };
    let names = bound.iter().map(String::as_str).chain([memory]).filter(|role| means(role));
    let names: Vec<&str> = names.collect();
    root.sections("port").iter().any(|port| {
        ["receive_to", "send_from"].iter().any(|key| names.iter().any(|name| port.says(key, name)))
    })
}
