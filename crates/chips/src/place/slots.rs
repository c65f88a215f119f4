//! DRAM with a fixed number of slots for accesses of any size.

use super::table::PlaceTable;
use linecard_chip::config::{BackPressure, Interleaving, PlaceKind, SlotsConfig};
use linecard_dram::{SlotConfig, Tandem};

pub(super) const HAS_TIMES: bool = false;
pub(super) const KEYS: &[&str] = &[
    "banks",
    "slots",
    "bus_bytes",
    "beats_per_cycle",
    "bus_beat_ns",
    "piece_bytes",
    "activate_cycles",
    "column_cycles",
    "precharge_cycles",
    "turnaround_cycles",
    "refresh_every_cycles",
    "refresh_cycles",
    "interleaving",
    "back_pressure_requests",
    "back_pressure_bytes",
];

pub(super) fn read(asked: &PlaceTable<'_>) -> PlaceKind {
    let section = asked.section;
    // A tenth of a second at 133 MHz: a larger number is a mistake, and its ticks would soon not fit.
    const MOST_CYCLES: u64 = 1 << 24;
    let small = |key: &str, usual: u64, most: u64, meaning: &str| {
        section.integer_or(key, usual, 1..=most, meaning) as u32
    };
    let cycles =
        |key: &str, usual: u64, meaning: &str| section.integer_or(key, usual, 0..=MOST_CYCLES, meaning);
    let banks = small("banks", 4, 64, "number of banks; each bank serves one access at a time");
    let bus_bytes = small("bus_bytes", 8, 4096, "width of the data bus");
    let beats = small("beats_per_cycle", 2, 16, "bus transfers per clock");
    let clock_hz = asked.clocks.of(section);
    let per_cycle = bus_bytes * beats;
    let piece_bytes = small(
        "piece_bytes",
        per_cycle.into(),
        65_536,
        "unit of transfer: an access moves a multiple of this number of bytes",
    );
    let beat_ns = section.number_or(
        "bus_beat_ns",
        0.0,
        0.0..=1e3,
        "time of a bus transfer, if the bus is a separate stage after the banks; 0: a bank stays occupied until its \
         data has moved",
    );
    let tandem = (beat_ns > 0.0).then(|| {
        let cycle_ps = 1e12 / clock_hz.max(1) as f64;
        let piece = f64::from(piece_bytes);
        Tandem {
            cycle_ps: cycle_ps.round().max(1.0) as u64,
            piece_bytes,
            gate_ps: (cycle_ps * piece / f64::from(per_cycle)).round() as u64,
            bus_ps: (beat_ns * 1e3 * piece / f64::from(bus_bytes)).round() as u64,
        }
    });
    let interleavings =
        [("high_order", Interleaving::HighOrder), ("middle_order", Interleaving::MiddleOrder)];
    let requests = section.integer_or(
        "back_pressure_requests",
        0,
        0..=1 << 20,
        "number of outstanding requests at which an engine stalls when it issues another request; 0: engines \
         never stall",
    ) as u32;
    let request_bytes = small(
        "back_pressure_bytes",
        64,
        65_536,
        "number of bytes that count as one request for back pressure",
    );
    let mut capacity = asked.capacity_bytes().unwrap_or(USUAL_SLOTS_BYTES);
    if capacity > MOST_SLOTS_BYTES {
        let key = if section.has("capacity_bytes") { "capacity_bytes" } else { "capacity_mib" };
        section.fail(
            key,
            format!("found {capacity} bytes; a memory with slots holds at most {MOST_SLOTS_BYTES} bytes"),
        );
        capacity = MOST_SLOTS_BYTES;
    }
    PlaceKind::Slots(SlotsConfig {
        clock_hz,
        slots: SlotConfig {
            banks,
            slots: small(
                "slots",
                16,
                1 << 20,
                "number of accesses that the controller handles at the same time",
            ),
            bytes_per_cycle: per_cycle,
            activate: cycles("activate_cycles", 3, "time from the row command to the column command"),
            column: cycles("column_cycles", 3, "time from the column command to the first data"),
            precharge: cycles("precharge_cycles", 3, "time from the end of the data until the bank is free"),
            turnaround: cycles("turnaround_cycles", 1, "turnaround time of the bus between reads and writes"),
            refresh_every: cycles(
                "refresh_every_cycles",
                0,
                "time from one refresh to the next; 0: no refresh",
            ),
            refresh: cycles("refresh_cycles", 0, "time after a refresh during which no bank is activated"),
            tandem,
        },
        interleaving: section.choice_or(
            "interleaving",
            "high_order",
            &interleavings,
            "bits that select the bank: the highest bits of the address, or the lowest bits of the cell number",
        ),
        bank_bytes: (capacity / u64::from(banks)).max(1).next_power_of_two(),
        back_pressure: (requests > 0).then_some(BackPressure { requests, request_bytes }),
    })
}

/// The largest capacity of a memory with slots: 64 GiB.
const MOST_SLOTS_BYTES: u64 = 1 << 36;

/// The default capacity of a memory with slots: room for any packet in each bank.
const USUAL_SLOTS_BYTES: u64 = 64 << 20;
