//! Finds channels or banks of the packet memory in which no packet begins: headers fall on the others, and small
//! packets consist of headers only.

use super::design::Design;
use linecard_buffers::AllocatorKind;
use linecard_chip::Counts;
use linecard_chip::config::{PlaceKind, PlacementRule};
use linecard_chip::place::{BankBy, Banked};
use linecard_program::CELL_BYTES;
use std::collections::BTreeSet;

/// The most pages that are examined; their pattern repeats long before.
const MOST_PAGES: u64 = 1 << 16;
/// The busiest channel moves this many times the mean if the others are idle.
const UNEVEN: f64 = 1.5;

/// Returns how few channels hold headers, and the setting that decides it; `None` if all do.
pub(super) fn headers(design: &Design) -> Option<String> {
    let packets = design.config.packets.as_ref()?;
    let PlacementRule::Allocator(allocator) = &packets.placement else { return None };
    if allocator.kind != AllocatorKind::Fixed {
        // Other allocators let packets begin at any cell.
        return None;
    }
    let target = design.config.targets.iter().find_map(|targets| targets.get(packets.role)?.as_ref())?;
    let place = &design.config.places[target.place];
    type Channel<'c> = Box<dyn Fn(u64) -> u64 + 'c>;
    let (what, count, interleave, channel): (&str, u32, u32, Channel<'_>) = match &place.kind {
        PlaceKind::Dram(dram) => {
            let channel = |address| u64::from(dram.channel(address));
            ("channels", dram.channels * dram.map.channels(), dram.interleave_bytes, Box::new(channel))
        }
        PlaceKind::PacketBuffer(buffer) => {
            let (bytes, count) = (buffer.interleave_bytes, buffer.channels);
            ("channels", count, bytes, Box::new(move |at| at / u64::from(bytes) % u64::from(count)))
        }
        PlaceKind::Banked(Banked { count, by: BankBy::Address { interleave_bytes }, .. }) => {
            let (bytes, count) = (*interleave_bytes, *count);
            ("banks", count, bytes, Box::new(move |at| at / u64::from(bytes) % u64::from(count)))
        }
        _ => return None,
    };
    let page = u64::from(allocator.page_cells) * u64::from(CELL_BYTES);
    let pages = u64::from(allocator.cells / allocator.page_cells.max(1));
    let begins: BTreeSet<u64> =
        (0..pages.min(MOST_PAGES)).map(|number| channel(target.base + number * page)).collect();
    let (hit, name) = (begins.len(), &place.group);
    (hit < count as usize).then(|| match pages < u64::from(count) {
        true => format!(
            "packet headers lie in only {hit} of {count} {what} of {name}, because {name} holds {pages} \
             packets; raise memory.{name}.pool_bytes"
        ),
        false => format!(
            "packet headers lie in only {hit} of {count} {what} of {name}: packets begin every {page} bytes \
             (page_bytes), and {what} are interleaved every {interleave} bytes (interleave_bytes). Set \
             memory.{name}.interleave_bytes={}, or another page_bytes",
            page.next_power_of_two()
        ),
    })
}

/// Returns the same as a sentence, if the busiest channel was much busier than the mean.
pub(super) fn felt(design: &Design, counts: &Counts) -> Option<String> {
    let packets = design.config.packets.as_ref()?;
    let target = design.config.targets.iter().find_map(|targets| targets.get(packets.role)?.as_ref())?;
    let place = counts.places.get(target.place)?;
    let (mean, most) = (place.utilization?, place.utilization_most?);
    let said = headers(design).filter(|_| most > UNEVEN * mean)?;
    Some(format!("{}{}.", said[..1].to_uppercase(), &said[1..]))
}
