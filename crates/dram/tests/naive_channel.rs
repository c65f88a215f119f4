//! Does the controller, which skips clocks and keeps the needs of its queues in bit sets, obey its rules?
//!
//! A naive controller runs every clock and searches every request in the simplest way, with timing of its own: last
//! commands by bank and by rank, no table. Random requests, few addresses (so that they merge, forward and wait for
//! one another), few rows and banks, frequent refreshes.

use linecard_dram::channel::{Observer, Outcome, Page, Policy, RefreshMode, RowHitCap, Scheduler, Writes};
use linecard_dram::{
    Access, AutoPrecharge, Command, Constraint, Device, Edge, Field, FieldMap, Level, Organization, System,
    Timing, widths,
};
use proptest::prelude::*;
use std::ops::ControlFlow;

const RCD: i64 = 5;
const RP: i64 = 4;
const RAS: i64 = 9;
const RRD: i64 = 2;
const RRD_L: i64 = 3;
const FAW: i64 = 13;
const CCD_L: i64 = 5;
const RTP: i64 = 3;
const WR: i64 = 6;
const WTR: i64 = 3;
const WTR_L: i64 = 5;
const TURN: i64 = 1;
const RFC: i64 = 30;
const RL: i64 = 6;
const WL: i64 = 4;
const BURST: i64 = 4;
const INTERVAL: i64 = 400;
const BANKS: usize = 4;
const PER_GROUP: usize = 2;

fn device() -> Device {
    use Command::{Activate, Precharge, Read, Refresh, Write};
    let row = |level, before, after, cycles: i64, from| Constraint {
        name: String::new(),
        level,
        before: vec![before],
        after: vec![after],
        cycles: cycles as u64,
        from,
        window: 1,
    };
    let mut constraints = vec![
        row(Level::Bank, Precharge, Activate, RP, Edge::Issue),
        row(Level::Rank, Precharge, Refresh, RP, Edge::Issue),
        row(Level::Bank, Activate, Precharge, RAS, Edge::Issue),
        row(Level::Bank, Activate, Activate, RAS + RP, Edge::Issue),
        row(Level::Rank, Activate, Activate, RRD, Edge::Issue),
        row(Level::Group, Activate, Activate, RRD_L, Edge::Issue),
        row(Level::Rank, Read, Read, 0, Edge::ColumnEnd),
        row(Level::Rank, Write, Write, 0, Edge::ColumnEnd),
        row(Level::Group, Read, Read, CCD_L, Edge::Issue),
        row(Level::Group, Write, Write, CCD_L, Edge::Issue),
        row(Level::Rank, Read, Write, RL - WL + TURN, Edge::ColumnEnd),
        row(Level::Rank, Write, Read, WTR, Edge::DataEnd),
        row(Level::Group, Write, Read, WTR_L, Edge::DataEnd),
        row(Level::Bank, Read, Precharge, RTP, Edge::Issue),
        row(Level::Bank, Write, Precharge, WR, Edge::DataEnd),
        row(Level::Rank, Refresh, Activate, RFC, Edge::Issue),
        row(Level::Rank, Refresh, Refresh, RFC, Edge::Issue),
    ];
    constraints.extend([Read, Write].map(|c| row(Level::Bank, Activate, c, RCD, Edge::Issue)));
    constraints.push(Constraint { window: 4, ..row(Level::Rank, Activate, Activate, FAW, Edge::Issue) });
    Device::new(organization(), Timing { read_latency: RL as u64, write_latency: WL as u64, constraints })
        .with_auto_precharge(AutoPrecharge::DramSim3)
}

fn organization() -> Organization {
    Organization {
        ranks: 1,
        groups: 2,
        banks: BANKS as u32,
        row_bytes: 256,
        rows: 8,
        beat_bytes: 8,
        beats_per_cycle: 2,
    }
}

fn map() -> FieldMap {
    let order = [Field::Row, Field::Bank, Field::Group, Field::Column];
    FieldMap::in_order(&order, widths(&organization(), 1, 64), 64).unwrap()
}

// ---- the naive controller ----

#[derive(Clone, Debug)]
struct Request {
    index: usize,
    address: u64,
    write: bool,
    bank: usize,
    row: u32,
    merged: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Bank {
    open: Option<u32>,
    served: u32,
    activated: i64,
    /// Earliest precharge after reads and writes, and earliest activate and refresh.
    precharge: i64,
    activate: i64,
    refresh: i64,
}

const NEVER: i64 = i64::MIN / 2;

struct Naive {
    policy: Policy,
    unified: bool,
    banks: Vec<Bank>,
    activates: Vec<(i64, usize)>,
    columns: Vec<(i64, usize, bool)>,
    refreshed: i64,
    transactions: [Vec<Request>; 2],
    queues: Vec<Vec<Request>>,
    pointer: usize,
    due: u32,
    draining: u32,
    result: Vec<(i64, i64)>,
}

impl Naive {
    fn legal(&self, command: Command, b: usize, now: i64) -> bool {
        let bank = &self.banks[b];
        let same_group = |other: usize| other / PER_GROUP == b / PER_GROUP;
        match command {
            Command::Activate => {
                let window = self.activates.len().checked_sub(4).map_or(NEVER, |n| self.activates[n].0 + FAW);
                bank.activate <= now
                    && bank.activated + RAS + RP <= now
                    && self.refreshed + RFC <= now
                    && window <= now
                    && self
                        .activates
                        .iter()
                        .all(|&(at, other)| at + RRD <= now && (!same_group(other) || at + RRD_L <= now))
            }
            Command::Precharge => bank.activated + RAS <= now && bank.precharge <= now,
            _ => {
                let write = command == Command::Write;
                bank.activated + RCD <= now
                    && self.columns.iter().all(|&(at, other, wrote)| {
                        let (any, group) = match (wrote, write) {
                            (false, true) => (RL + BURST - WL + TURN, 0),
                            (true, false) => (WL + BURST + WTR, WL + BURST + WTR_L),
                            _ => (BURST, CCD_L),
                        };
                        at + any <= now && (!same_group(other) || at + group <= now)
                    })
            }
        }
    }

    /// Returns the command that a request needs, if it is legal now.
    fn ready(&self, r: &Request, now: i64) -> Option<Command> {
        let command = match self.banks[r.bank].open {
            None => Command::Activate,
            Some(row) if row != r.row => Command::Precharge,
            Some(_) if r.write => Command::Write,
            Some(_) => Command::Read,
        };
        self.legal(command, r.bank, now).then_some(command)
    }

    fn close(&mut self, b: usize, now: i64) {
        self.banks[b].open = None;
        self.banks[b].activate = now + RP;
        self.banks[b].refresh = now + RP;
    }

    /// Returns the oldest request of a queue whose command is legal.
    fn pick(&self, queue: &[Request], now: i64) -> Option<(usize, Command)> {
        for (n, r) in queue.iter().enumerate() {
            let Some(command) = self.ready(r, now) else { continue };
            let open = self.banks[r.bank].open;
            let cap = self.policy.row_hit_cap.filter(|cap| self.banks[r.bank].served >= cap.accesses);
            if command == Command::Precharge {
                let older = queue[..n].iter().any(|o| o.bank == r.bank);
                let hits = queue[n..].iter().any(|o| o.bank == r.bank && Some(o.row) == open);
                if older || (hits && cap.is_none()) {
                    continue;
                }
            }
            // Beyond a strict cap, a row hit does not pass an older request that misses.
            let oldest = queue.iter().find(|o| o.bank == r.bank);
            if open == Some(r.row)
                && cap.is_some_and(|cap| cap.strict)
                && oldest.is_some_and(|o| o.row != r.row)
            {
                continue;
            }
            if command == Command::Write && queue[..n].iter().any(|o| !o.write && o.address == r.address) {
                continue;
            }
            return Some((n, command));
        }
        None
    }

    fn issue_one(&mut self, now: i64) {
        if self.due > 0 {
            let ready =
                (0..BANKS).find(|&b| self.banks[b].open.is_some() && self.legal(Command::Precharge, b, now));
            if let Some(b) = ready {
                self.close(b, now);
            } else if self.banks.iter().all(|b| b.open.is_none() && b.refresh <= now)
                && self.refreshed + RFC <= now
            {
                self.refreshed = now;
                self.due -= 1;
            }
            return;
        }
        for step in 1..=self.queues.len() {
            let q = (self.pointer + step) % self.queues.len();
            let Some((n, command)) = self.pick(&self.queues[q], now) else { continue };
            self.pointer = q;
            let r = self.queues[q][n].clone();
            match command {
                Command::Activate => {
                    self.activates.push((now, r.bank));
                    let bank = &mut self.banks[r.bank];
                    (bank.open, bank.served, bank.activated) = (Some(r.row), 0, now);
                    bank.precharge = NEVER;
                }
                Command::Precharge => self.close(r.bank, now),
                _ => {
                    self.queues[q].remove(n);
                    self.columns.push((now, r.bank, r.write));
                    let complete = now + BURST + if r.write { WL } else { RL };
                    for &index in r.merged.iter().chain([&r.index]) {
                        self.result[index].1 = complete;
                    }
                    let own = now + if r.write { WL + BURST + WR } else { RTP };
                    let late = if r.write { own } else { own + BURST };
                    let others = !self.queues[q].is_empty() && !self.queues[q].iter().any(|o| o.row == r.row);
                    let bank = &mut self.banks[r.bank];
                    bank.served += 1;
                    bank.precharge = bank.precharge.max(own);
                    if self.policy.page == Page::Closed || (self.policy.page == Page::Adaptive && others) {
                        let by_itself = bank.precharge.max(bank.activated + RAS).max(late);
                        bank.open = None;
                        bank.activate = by_itself + RP;
                        bank.refresh = own + RP;
                    }
                }
            }
            return;
        }
    }

    fn move_one(&mut self) {
        let depth = self.policy.command_queue as usize;
        let room = |queues: &[Vec<Request>], r: &Request| {
            queues[if queues.len() == 1 { 0 } else { r.bank }].len() < depth
        };
        let empty = self.queues.iter().all(Vec::is_empty);
        let mut kind = 0;
        if let Writes::Split { high, low, idle } = self.policy.writes {
            let writes = self.transactions[1].len() as u32;
            if self.draining == 0 && (writes >= high || (writes > idle && empty)) {
                self.draining = if writes >= high && writes > low { writes - low } else { writes };
            }
            kind = usize::from(self.draining > 0);
        }
        let found = self.transactions[kind].iter().position(|r| room(&self.queues, r));
        let Some(mut place) = found else { return };
        if kind == 1 {
            let address = self.transactions[1][place].address;
            let same = |r: &Request| !r.write && r.address == address;
            if self.transactions[0].iter().any(same) || self.queues.iter().flatten().any(same) {
                self.draining = 0;
                // Without this exit, nothing would ever move.
                if !empty || self.transactions[0].is_empty() {
                    return;
                }
                (kind, place) = (0, 0);
            } else {
                self.draining -= 1;
            }
        }
        let r = self.transactions[kind].remove(place);
        let q = if self.queues.len() == 1 { 0 } else { r.bank };
        self.queues[q].push(r);
    }

    fn accept(&mut self, r: Request, at: i64) {
        self.result[r.index] = (at, -1);
        let pending = |r: &&mut Request, address, write| r.address == address && r.write == write;
        let all = self.transactions.iter().flatten().chain(self.queues.iter().flatten());
        if all.clone().any(|o| o.address == r.address && o.write) {
            self.result[r.index].1 = if r.write { -1 } else { at + 1 };
            return;
        }
        if !r.write {
            let mut all = self.transactions.iter_mut().flatten().chain(self.queues.iter_mut().flatten());
            if let Some(earlier) = all.find(|o| pending(o, r.address, false)) {
                earlier.merged.push(r.index);
                return;
            }
        }
        let kind = usize::from(r.write && !self.unified);
        self.transactions[kind].push(r);
    }
}

fn naive(policy: Policy, accesses: &[Access]) -> Vec<(i64, i64)> {
    let queues = if policy.scheduler == Scheduler::Fcfs { 1 } else { BANKS };
    let bank =
        Bank { open: None, served: 0, activated: NEVER, precharge: NEVER, activate: NEVER, refresh: NEVER };
    let mut n = Naive {
        policy,
        unified: policy.writes == Writes::Unified,
        banks: vec![bank; BANKS],
        activates: Vec::new(),
        columns: Vec::new(),
        refreshed: NEVER,
        transactions: Default::default(),
        queues: vec![Vec::new(); queues],
        pointer: 0,
        due: 0,
        draining: 0,
        result: vec![(0, -1); accesses.len()],
    };
    let refresh = policy.refresh != RefreshMode::None;
    let (map, mut next) = (map(), 0);
    // The run is long enough for every request that can be sent.
    let end = accesses.last().map_or(0, |a| a.arrival as i64) + accesses.len() as i64 * 120 + 2000;
    for now in 0..end {
        n.due += u32::from(refresh && now > 0 && now % INTERVAL == 0);
        n.issue_one(now);
        n.move_one();
        if let Some(access) = accesses.get(next) {
            let kind = usize::from(access.write && !n.unified);
            let room = n.transactions[kind].len() < policy.transaction_queue as usize;
            if access.arrival as i64 <= now && room {
                let place = map.locate(access.address);
                let request = Request {
                    index: next,
                    address: access.address / 64,
                    write: access.write,
                    bank: place.bank as usize,
                    row: place.row,
                    merged: Vec::new(),
                };
                n.accept(request, now + 1);
                next += 1;
            }
        }
    }
    assert_eq!(next, accesses.len(), "the naive controller did not finish");
    n.result
}

// ---- the controller ----

struct Outcomes(Vec<(i64, i64)>);

impl Observer for Outcomes {
    fn outcome(&mut self, index: u64, o: &Outcome) {
        let complete = o.complete.map_or(-1, |at| at as i64);
        assert_eq!(self.0[index as usize], (0, -2), "request {index} is told of twice");
        self.0[index as usize] = (o.accept as i64, complete);
        assert_eq!(o.complete.map_or(0, |at| at - o.accept), o.queue + o.bank + o.bus + o.refresh);
    }
}

fn fast(policy: Policy, accesses: &[Access], skip_idle: bool) -> Vec<(i64, i64)> {
    let mut system = System::new(&device(), policy, map(), 64, None);
    let mut outcomes = Outcomes(vec![(0, -2); accesses.len()]);
    let mut requests = accesses.iter();
    let source = || Ok::<_, ()>(requests.next().copied());
    system.run(source, &mut outcomes, skip_idle, &mut |_| ControlFlow::Continue(())).unwrap();
    outcomes.0
}

fn policies() -> Vec<Policy> {
    let base = Policy {
        scheduler: Scheduler::FrFcfs,
        page: Page::Open,
        row_hit_cap: Some(RowHitCap { accesses: 2, strict: false }),
        command_queue: 3,
        transaction_queue: 6,
        writes: Writes::Unified,
        refresh: RefreshMode::AllBank { interval: INTERVAL as u64 },
        dual_issue: false,
    };
    let mut all = Vec::new();
    for page in [Page::Open, Page::Closed, Page::Adaptive] {
        for writes in [
            Writes::Unified,
            Writes::Split { high: 6, low: 0, idle: 2 },
            Writes::Split { high: 5, low: 2, idle: 0 },
        ] {
            all.push(Policy { page, writes, ..base });
            all.push(Policy {
                page,
                writes,
                row_hit_cap: Some(RowHitCap { accesses: 2, strict: true }),
                ..base
            });
            all.push(Policy { page, writes, row_hit_cap: None, refresh: RefreshMode::None, ..base });
        }
        all.push(Policy { page, scheduler: Scheduler::Fcfs, command_queue: 1, ..base });
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_policy_does_what_the_naive_controller_does(
        drawn in proptest::collection::vec(
            (prop_oneof![4 => Just(0u64), 2 => 1u64..12, 1 => 12u64..300], 0u64..4, 0u64..3, 0u64..2, any::<bool>()),
            1..90,
        ),
    ) {
        let map = map();
        let mut arrival = 0;
        let accesses: Vec<Access> = drawn
            .iter()
            .map(|&(gap, bank, row, column, write)| {
                arrival += gap;
                let place = linecard_dram::Place {
                    channel: 0, bank: bank as u32, row: row as u32, column: column as u32,
                };
                Access { arrival, address: map.address(place), bytes: 64, write }
            })
            .collect();
        for policy in policies() {
            let expected = naive(policy, &accesses);
            prop_assert_eq!(&fast(policy, &accesses, true), &expected, "{:?}", policy);
            prop_assert_eq!(&fast(policy, &accesses, false), &expected, "every clock, {:?}", policy);
        }
    }
}
