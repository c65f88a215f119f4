//! Helpers shared by the tests of the DRAM: constraint tables written by hand, a log of everything a controller did,
//! and a driver that feeds a controller requests at given cycles.

use linecard_dram::packet_buffer::{BatchBreak, Controller, Observer, Policy, Precharge, Queues, Request};
use linecard_dram::{Command, Constraint, Cycle, Device, Edge, Level, Location, Organization, Timing};
use std::fmt::Write;

use Command::{Activate, Precharge as Pre, Read, Refresh, Write as Wr};

/// One row of a table, which counts from the issue of the last earlier command only.
pub fn constraint(
    name: &str,
    level: Level,
    before: &[Command],
    after: &[Command],
    cycles: Cycle,
) -> Constraint {
    let (before, after) = (before.to_vec(), after.to_vec());
    Constraint { name: name.into(), level, before, after, cycles, from: Edge::Issue, window: 1 }
}

pub fn from(edge: Edge, constraint: Constraint) -> Constraint {
    Constraint { from: edge, ..constraint }
}

/// The organization of `presets/dram/hasan2003_sdr100.toml`, with few rows.
pub fn sdr100_organization(banks: u32) -> Organization {
    Organization { ranks: 1, groups: 1, banks, row_bytes: 4096, rows: 512, beat_bytes: 8, beats_per_cycle: 1 }
}

/// The table of `presets/dram/hasan2003_sdr100.toml`.
pub fn sdr100() -> Timing {
    Timing {
        read_latency: 2,
        write_latency: 2,
        constraints: vec![
            constraint("tRP", Level::Bank, &[Pre], &[Activate], 2),
            constraint("tRCD", Level::Bank, &[Activate], &[Read, Wr], 2),
            from(Edge::ColumnEnd, constraint("tCCD", Level::Rank, &[Read, Wr], &[Read, Wr], 0)),
            from(Edge::DataEnd, constraint("tRTP", Level::Bank, &[Read, Wr], &[Pre], 0)),
        ],
    }
}

/// A part that is not a real one: bank groups, double data rate, different latencies of reads and writes, a window of
/// activates, and gaps between directions. It has at least one constraint of every kind.
pub fn groups_organization() -> Organization {
    Organization {
        ranks: 1,
        groups: 2,
        banks: 8,
        row_bytes: 2048,
        rows: 512,
        beat_bytes: 4,
        beats_per_cycle: 2,
    }
}

/// The table of the part with bank groups.
pub fn groups() -> Timing {
    Timing {
        read_latency: 6,
        write_latency: 4,
        constraints: vec![
            constraint("tRCD", Level::Bank, &[Activate], &[Read, Wr], 6),
            constraint("tRP", Level::Bank, &[Pre], &[Activate], 6),
            constraint("tRP(REF)", Level::Rank, &[Pre], &[Refresh], 6),
            constraint("tRAS", Level::Bank, &[Activate], &[Pre], 14),
            constraint("tRC", Level::Bank, &[Activate], &[Activate], 20),
            constraint("tRRD_S", Level::Rank, &[Activate], &[Activate], 2),
            constraint("tRRD_L", Level::Group, &[Activate], &[Activate], 3),
            Constraint { window: 4, ..constraint("tFAW", Level::Rank, &[Activate], &[Activate], 16) },
            from(Edge::ColumnEnd, constraint("tCCD_S", Level::Rank, &[Read, Wr], &[Read, Wr], 0)),
            from(Edge::ColumnEnd, constraint("tCCD_L", Level::Group, &[Read, Wr], &[Read, Wr], 1)),
            from(Edge::ColumnEnd, constraint("tRTW", Level::Rank, &[Read], &[Wr], 4)),
            from(Edge::DataEnd, constraint("tWTR", Level::Rank, &[Wr], &[Read], 3)),
            constraint("tRTP", Level::Bank, &[Read], &[Pre], 4),
            from(Edge::DataEnd, constraint("tWR", Level::Bank, &[Wr], &[Pre], 6)),
            constraint("tRFC", Level::Rank, &[Refresh], &[Activate, Refresh], 30),
        ],
    }
}

/// OUR_BASE: reads and writes alternate; lazy precharge, no batches and no prefetching.
pub const LAZY_BASE: Policy = Policy {
    queues: Queues::ReadWrite,
    precharge: Precharge::Lazy,
    batch: 1,
    batch_break: BatchBreak::SameBankMiss,
    prefetch: false,
    ideal: false,
};

/// REF_BASE: odd and even banks alternate; reads first, eager precharge.
pub const REFERENCE: Policy = Policy { queues: Queues::OddEven, precharge: Precharge::Eager, ..LAZY_BASE };

/// A command as it was issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issued {
    pub at: Cycle,
    pub command: Command,
    pub location: Location,
    pub bytes: u32,
}

/// Data on the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    pub start: Cycle,
    pub end: Cycle,
    pub request: Request,
}

/// Everything a controller did.
#[derive(Clone, Debug, Default)]
pub struct Log {
    pub commands: Vec<Issued>,
    pub transfers: Vec<Moved>,
    /// Both, as text for people, in the order in which they were decided.
    pub text: String,
}

impl Observer for Log {
    fn command(&mut self, at: Cycle, command: Command, location: Location, bytes: u32) {
        let Location { bank, row } = location;
        let name = command.name();
        match command {
            Pre => writeln!(self.text, "{at} {name} b{bank}"),
            _ => writeln!(self.text, "{at} {name} b{bank} r{row}"),
        }
        .unwrap();
        self.commands.push(Issued { at, command, location, bytes });
    }

    fn transfer(&mut self, start: Cycle, end: Cycle, request: &Request) {
        writeln!(self.text, "{start}-{end} data {}", request.tag).unwrap();
        self.transfers.push(Moved { start, end, request: *request });
    }
}

/// A request and the cycle in which it is submitted.
pub type Timed = (Cycle, Request);

/// A cell of 64 bytes to be written.
pub fn write(tag: u32, bank: u32, row: u32) -> Request {
    Request { location: Location { bank, row }, bytes: 64, write: true, more: false, tag }
}

/// A cell of 64 bytes to be read.
pub fn read(tag: u32, bank: u32, row: u32) -> Request {
    Request { write: false, ..write(tag, bank, row) }
}

/// The results of a run.
pub struct Ran {
    pub controller: Controller<Log>,
    /// Tags in the order in which their accesses completed, with the cycle.
    pub done: Vec<(Cycle, u32)>,
}

impl Ran {
    pub fn log(&mut self) -> &Log {
        self.controller.observer_mut()
    }

    /// End of the last data.
    pub fn end(&self) -> Cycle {
        self.done.last().map_or(0, |&(at, _)| at)
    }
}

/// Submits `requests`, in order of cycle, to a controller and runs it until it has nothing to do. As in the machine,
/// all requests of a cycle are submitted before the controller wakes in it.
pub fn run(organization: Organization, timing: Timing, policy: Policy, requests: &[Timed]) -> Ran {
    let mut controller = Controller::new(Device::new(organization, timing), policy, Log::default());
    let mut done = Vec::new();
    let mut next = 0;
    loop {
        let arrival = requests.get(next).map(|&(at, _)| at);
        match (arrival, controller.next_wake()) {
            (None, None) => break,
            (Some(at), wake) if wake.is_none_or(|w| at <= w) => {
                controller.submit(at, requests[next].1);
                next += 1;
            }
            (_, Some(at)) => done.extend(controller.wake(at).map(|d| (at, d.tag))),
            (Some(_), None) => unreachable!("the arm above takes it"),
        }
    }
    Ran { controller, done }
}

/// All requests in cycle 0.
pub fn at_once(requests: impl IntoIterator<Item = Request>) -> Vec<Timed> {
    requests.into_iter().map(|r| (0, r)).collect()
}
