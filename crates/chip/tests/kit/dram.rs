//! A small DRAM of no real part: four banks in two groups, bursts of 64 bytes in 4 clocks, open rows.

use linecard_chip::config::{DramConfig, PacketBufferConfig};
use linecard_dram::channel::{Page, Policy, RefreshMode, Scheduler, Writes};
use linecard_dram::packet_buffer::{BatchBreak, Policy as Rules, Precharge, Queues};
use linecard_dram::{
    AutoPrecharge, Command, Constraint, Device, Edge, Field, FieldMap, Level, Organization, RowMap, Timing,
    widths,
};

/// Clocks from a read to its data, from an activate to a read, and of the data themselves.
pub const READ_LATENCY: u64 = 6;
pub const ACTIVATE_TO_READ: u64 = 5;
pub const BURST: u64 = 4;
/// Clocks between refreshes, and of one refresh.
pub const REFRESH_INTERVAL: u64 = 800;
pub const REFRESH: u64 = 30;

fn organization() -> Organization {
    Organization {
        ranks: 1,
        groups: 2,
        banks: 4,
        row_bytes: 1024,
        rows: 64,
        beat_bytes: 8,
        beats_per_cycle: 2,
    }
}

fn device() -> Device {
    use Command::{Activate, Precharge, Read, Refresh, Write};
    let row = |level, before, after, cycles, from| Constraint {
        name: String::new(),
        level,
        before: vec![before],
        after: vec![after],
        cycles,
        from,
        window: 1,
    };
    let constraints = vec![
        row(Level::Bank, Precharge, Activate, 4, Edge::Issue),
        row(Level::Rank, Precharge, Refresh, 4, Edge::Issue),
        row(Level::Bank, Activate, Precharge, 9, Edge::Issue),
        row(Level::Bank, Activate, Activate, 13, Edge::Issue),
        row(Level::Rank, Activate, Activate, 2, Edge::Issue),
        row(Level::Bank, Activate, Read, ACTIVATE_TO_READ, Edge::Issue),
        row(Level::Bank, Activate, Write, ACTIVATE_TO_READ, Edge::Issue),
        row(Level::Rank, Read, Read, 0, Edge::ColumnEnd),
        row(Level::Rank, Write, Write, 0, Edge::ColumnEnd),
        row(Level::Rank, Read, Write, 3, Edge::ColumnEnd),
        row(Level::Rank, Write, Read, 3, Edge::DataEnd),
        row(Level::Bank, Read, Precharge, 3, Edge::Issue),
        row(Level::Bank, Write, Precharge, 6, Edge::DataEnd),
        row(Level::Rank, Refresh, Activate, REFRESH, Edge::Issue),
        row(Level::Rank, Refresh, Refresh, REFRESH, Edge::Issue),
    ];
    Device::new(organization(), Timing { read_latency: READ_LATENCY, write_latency: 4, constraints })
        .with_auto_precharge(AutoPrecharge::DramSim3)
}

/// The part behind a controller, with this number of parallel channels, with or without refreshes and a separate
/// write queue.
pub fn dram(clock_hz: u64, channels: u32, refreshed: bool, split: bool) -> DramConfig {
    let order = [Field::Row, Field::Bank, Field::Group, Field::Column];
    DramConfig {
        clock_hz,
        device: device(),
        policy: Policy {
            scheduler: Scheduler::FrFcfs,
            page: Page::Open,
            row_hit_cap: None,
            command_queue: 8,
            transaction_queue: 16,
            writes: if split { Writes::Split { high: 8, low: 2, idle: 4 } } else { Writes::Unified },
            refresh: match refreshed {
                true => RefreshMode::AllBank { interval: REFRESH_INTERVAL },
                false => RefreshMode::None,
            },
            dual_issue: false,
        },
        map: FieldMap::in_order(&order, widths(&organization(), 1, 64), 64)
            .expect("the fields have all bits"),
        access_bytes: 64,
        channels,
        interleave_bytes: 128,
        latency_ps: 20_000,
    }
}

/// The part behind packet-buffer controllers, with this number of parallel channels.
pub fn packet_buffer(clock_hz: u64, channels: u32, rules: Rules) -> PacketBufferConfig {
    PacketBufferConfig {
        clock_hz,
        device: device(),
        rules,
        refresh: RefreshMode::None,
        rows: RowMap::RoundRobin,
        halves_apart: false,
        halves_from_bytes: 1,
        channels,
        interleave_bytes: 1024,
        latency_ps: 20_000,
    }
}

/// Reads and writes alternate, one at a time.
pub const IN_TURN: Rules = Rules {
    queues: Queues::ReadWrite,
    precharge: Precharge::Lazy,
    batch: 1,
    batch_break: BatchBreak::SameBankMiss,
    prefetch: false,
    ideal: false,
};
