//! The use of memories and units over time, and the parts of the time of DRAM.

use crate::report::DramTime;
use crate::summary::share;
use linecard_chip::{Counts, DramShares, PacketBufferCounts, PlaceCounts, SlotShares};
use linecard_dram::packet_buffer::Statistics;

/// Returns the use of the buses of a packet buffer over time. In the rest of the time there was no request.
pub(super) fn of_packet_buffer(buffer: &PacketBufferCounts) -> DramShares {
    let count = buffer.channels.len() as f64;
    let mean = |of: fn(&Statistics) -> u64| {
        buffer.channels.iter().map(|s| share(of(s) as f64, s.period(buffer.cycles) as f64)).sum::<f64>()
            / count
    };
    DramShares {
        data: mean(|s| s.data_cycles[0] + s.data_cycles[1]),
        row_miss: mean(|s| s.row_wait_cycles),
        turnaround: mean(|s| s.turnaround_cycles),
        row_hit_rate: buffer.channels.iter().map(Statistics::row_hit_rate).sum::<f64>() / count,
        ..DramShares::default()
    }
}

/// Returns the use of the bus of a DRAM over time; `None` for other memories.
fn dram_shares(place: &PlaceCounts) -> Option<DramShares> {
    let of_slots = |slots: SlotShares| DramShares {
        data: slots.data,
        turnaround: slots.turnaround,
        refresh: slots.refresh,
        ..DramShares::default()
    };
    let buffer = place.packet_buffer.as_ref().map(of_packet_buffer);
    place.dram.or(place.slots.map(of_slots)).or(buffer)
}

/// Returns the use of the buses of all DRAM of the chip over time.
pub(super) fn dram(counts: &Counts) -> DramTime {
    let all: Vec<_> = counts.places.iter().filter_map(dram_shares).collect();
    let mean = |of: fn(&DramShares) -> f64| share(all.iter().map(of).sum(), all.len() as f64);
    let (data, row_miss, turnaround, refresh, spacing) = (
        mean(|d| d.data),
        mean(|d| d.row_miss),
        mean(|d| d.turnaround),
        mean(|d| d.refresh),
        mean(|d| d.spacing),
    );
    DramTime {
        data,
        row_miss,
        turnaround,
        refresh,
        spacing,
        idle: if all.is_empty() {
            0.0
        } else {
            (1.0 - data - row_miss - turnaround - refresh - spacing).max(0.0)
        },
        row_hit_rate: mean(|d| d.row_hit_rate),
    }
}

/// Returns the share of the time in which a memory or unit may delay other work. For DRAM this is all time with a
/// request, because activates and bus turnarounds keep it from moving data.
pub(super) fn taken_up(place: &PlaceCounts) -> f64 {
    place.utilization_most.unwrap_or(0.0).max(dram_shares(place).map_or(0.0, |shares| shares.busy()))
}

/// Returns the utilisation of a memory or unit. A DRAM that opens rows of several banks at once can serve others
/// meanwhile.
pub(super) fn utilization(place: &PlaceCounts) -> f64 {
    match &place.dram {
        Some(shares) => place.utilization_most.unwrap_or(0.0).max(shares.busy_in_parallel()),
        None => taken_up(place),
    }
}

/// Returns, of each group of DRAM that opens rows of several banks at once, its name, and the utilisation by activates
/// and the whole utilisation of its busiest memory.
pub(super) fn parallel_dram(counts: &Counts) -> Vec<(&str, f64, f64)> {
    let mut groups: Vec<(&str, f64, f64)> = Vec::new();
    for place in &counts.places {
        let Some(shares) = place.dram.filter(|shares| shares.opening > 0.0) else { continue };
        let (activates, whole) = (shares.activates(), utilization(place));
        match groups.iter_mut().find(|(name, ..)| *name == place.group) {
            Some(found) => (found.1, found.2) = (found.1.max(activates), found.2.max(whole)),
            None => groups.push((&place.group, activates, whole)),
        }
    }
    groups
}
