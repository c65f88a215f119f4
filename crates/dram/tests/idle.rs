//! Do refreshes that are skipped in a long idle time have the same effect as executed ones: the same outcomes, the
//! same counts?

use crate::kit;

use linecard_dram::channel::{Issued, Observer, Outcome, Page, Policy, RefreshMode, Scheduler, Writes};
use linecard_dram::{
    Access, Command, Cycle, Device, Field, FieldMap, Level, Organization, PacketSystem, System, Timing,
    widths,
};
use std::ops::ControlFlow;

/// Records outcomes, and optionally observes commands.
#[derive(Default)]
struct Notes {
    all: bool,
    outcomes: Vec<(u64, Outcome)>,
    refreshes: u64,
}

impl Observer for Notes {
    fn sees_commands(&self) -> bool {
        self.all
    }

    fn command(&mut self, _channel: u32, issued: &Issued) {
        self.refreshes += u64::from(matches!(issued.command, Command::Refresh | Command::RefreshBank));
    }

    fn outcome(&mut self, index: u64, outcome: &Outcome) {
        self.outcomes.push((index, *outcome));
    }
}

/// Two ranks of the part with bank groups, which can refresh banks one by one.
fn device() -> Device {
    let organization = Organization { ranks: 2, groups: 4, banks: 16, ..kit::groups_organization() };
    let mut constraints = kit::groups().constraints;
    let by_bank =
        |name: &str, before, after, cycles| kit::constraint(name, Level::Bank, &[before], &[after], cycles);
    constraints.push(by_bank("tRP(REFB)", Command::Precharge, Command::RefreshBank, 6));
    constraints.push(by_bank("tRFCpb", Command::RefreshBank, Command::Activate, 18));
    Device::new(organization, Timing { constraints, ..kit::groups() })
}

fn accesses(gaps: &[Cycle]) -> Vec<Access> {
    let mut arrival = 0;
    let mut list = Vec::new();
    for (number, gap) in (0u64..).zip(gaps) {
        arrival += gap;
        for more in 0..3 {
            let address = (number * 3 + more) * 7919 * 64 % (1 << 20);
            list.push(Access {
                arrival: arrival + more,
                address,
                bytes: 32,
                write: (number + more) % 3 == 0,
            });
        }
    }
    list
}

/// Returns what a run reports: outcomes, statistics as text, and the number of refreshes observed as commands.
fn run(system: &mut Systems, list: &[Access], all: bool) -> (Vec<(u64, Outcome)>, String, u64) {
    let mut notes = Notes { all, ..Notes::default() };
    let mut left = list.iter().copied();
    let mut source = || Ok::<_, ()>(left.next());
    let watch = &mut |_| ControlFlow::Continue(());
    let statistics = match system {
        Systems::Queued(system) => {
            system.run(&mut source, &mut notes, true, watch).expect("it ends");
            format!("{:?}", system.statistics().collect::<Vec<_>>())
        }
        Systems::Packets(system) => {
            system.run(&mut source, &mut notes, watch).expect("it ends");
            format!("{:?}", system.statistics().collect::<Vec<_>>())
        }
    };
    (notes.outcomes, statistics, notes.refreshes)
}

enum Systems {
    Queued(Box<System>),
    Packets(Box<PacketSystem>),
}

fn map() -> FieldMap {
    use Field::{Bank, Channel, Column, Group, Rank, Row};
    let widths = widths(device().organization(), 1, 32);
    FieldMap::in_order(&[Row, Column, Rank, Bank, Group, Channel], widths, 32).expect("a map")
}

fn queued(refresh: RefreshMode, page: Page) -> Systems {
    let rules = Policy {
        scheduler: Scheduler::FrFcfs,
        page,
        row_hit_cap: None,
        command_queue: 4,
        transaction_queue: 8,
        writes: Writes::Unified,
        refresh,
        dual_issue: false,
    };
    Systems::Queued(Box::new(System::new(&device(), rules, map(), 32, None)))
}

fn packets(refresh: RefreshMode) -> Systems {
    Systems::Packets(Box::new(PacketSystem::new(&device(), kit::LAZY_BASE, refresh, map(), 32, 4)))
}

/// A memory's name, and a function that creates it for each run.
type Made = (&'static str, fn() -> Systems);

fn both() -> Vec<Made> {
    const ALL: RefreshMode = RefreshMode::AllBank { interval: 800 };
    const EACH: RefreshMode = RefreshMode::PerBank { interval: 1601 };
    vec![
        ("all banks, open rows", || queued(ALL, Page::Open)),
        ("all banks, closed rows", || queued(ALL, Page::Closed)),
        ("bank by bank, open rows", || queued(EACH, Page::Open)),
        ("bank by bank, closed rows", || queued(EACH, Page::Closed)),
        ("no refresh", || queued(RefreshMode::None, Page::Open)),
        ("packets, all banks", || packets(ALL)),
        ("packets, bank by bank", || packets(EACH)),
    ]
}

#[test]
fn what_is_left_out_changes_nothing() {
    // The gaps are above and below a long idle time, and end at irregular points of a round.
    let gaps = [5, 1_234_567, 40, 3_000_001, 900, (1 << 20) + 3, 7_777_777, 1 << 20, 12];
    for (name, make) in both() {
        let list = accesses(&gaps);
        let (outcomes, statistics, seen) = run(&mut make(), &list, true);
        let (shorter, of_shorter, fewer) = run(&mut make(), &list, false);
        assert_eq!(outcomes, shorter, "{name}");
        assert_eq!(statistics, of_shorter, "{name}");
        assert!(
            name == "no refresh" || fewer * 4 < seen,
            "{name}: {fewer} of {seen} refreshes were carried out"
        );
    }
}

#[test]
fn an_idle_time_of_weeks_ends() {
    // 10^12 refreshes in 10^15 clocks would take hours, or too much memory for the log.
    for (name, make) in both() {
        let (outcomes, ..) = run(&mut make(), &accesses(&[1, 1_000_000_000_000_000, 10]), false);
        assert_eq!(outcomes.len(), 9, "{name}");
    }
}
