//! Does a planner return the same ends and counts as the controller that chooses one access at a time?

use crate::kit::{constraint, from, sdr100, sdr100_organization};
use linecard_dram::packet_buffer::{
    BatchBreak, Controller, Planner, Policy, Precharge, Queues, Request, Silent,
};
use linecard_dram::{Command, Cycle, Device, Edge, Level, Location, Timing};
use proptest::prelude::*;

fn policy(batch: u32, prefetch: bool) -> Policy {
    Policy {
        queues: Queues::ReadWrite,
        precharge: Precharge::Lazy,
        batch,
        batch_break: BatchBreak::SameBankMiss,
        prefetch,
        ideal: false,
    }
}

/// A table with a different distance for every pair that a planner distinguishes.
fn timing(latency: [Cycle; 2], distances: [Cycle; 7]) -> Timing {
    use Command::{Activate, Precharge as Pre, Read, Write};
    let [precharge, activate, row, to_read, to_write, recovery, turn] = distances;
    let column = |name, before, after, cycles| {
        from(Edge::ColumnEnd, constraint(name, Level::Rank, &[before], &[after], cycles))
    };
    Timing {
        read_latency: latency[0],
        write_latency: latency[1],
        constraints: vec![
            constraint("tRP", Level::Bank, &[Pre], &[Activate], precharge),
            constraint("tRAS", Level::Bank, &[Activate], &[Pre], activate + row),
            constraint("tRCDR", Level::Bank, &[Activate], &[Read], to_read),
            constraint("tRCDW", Level::Bank, &[Activate], &[Write], to_write),
            from(Edge::DataEnd, constraint("tWR", Level::Bank, &[Write], &[Pre], recovery)),
            from(Edge::DataEnd, constraint("tRTP", Level::Bank, &[Read], &[Pre], 0)),
            column("tCCD", Read, Read, 0),
            column("tCCDW", Write, Write, 0),
            column("tRTW", Read, Write, turn),
            column("tWTR", Write, Read, turn + 1),
        ],
    }
}

/// A run of requests: its cycle, whether it is submitted after the accesses that begin in that cycle, the request,
/// how many follow each other, and the bytes of the last one; the others equal the first.
type Drawn = (Cycle, bool, Request, u16, u32);

/// The requests of an engine: a cell, a cell in two halves of one turn, or the cells of a block.
fn arrivals() -> impl Strategy<Value = Vec<Drawn>> {
    let gap = prop_oneof![4 => Just(0), 4 => 1..12_u64, 1 => 12..200_u64];
    let shape = (prop::bool::weighted(0.2), prop_oneof![2 => Just(1_u16), 1 => 2..7_u16], 1..200_u32);
    let one = (gap, any::<bool>(), 0..4_u32, 0..3_u32, 1..200_u32, any::<bool>(), shape);
    prop::collection::vec(one, 1..120).prop_map(|drawn| {
        let (mut now, mut tag, mut requests) = (0, 0, Vec::<Drawn>::new());
        for (gap, after, bank, row, bytes, write, (split, count, last_bytes)) in drawn {
            now += gap;
            // Within a cycle, a later request stays later.
            let after = after || requests.last().is_some_and(|&(at, after, ..)| at == now && after);
            let location = Location { bank, row };
            for more in if split { &[true, false][..] } else { &[false] } {
                let (count, last_bytes) = if split { (1, bytes) } else { (count, last_bytes) };
                requests.push((
                    now,
                    after,
                    Request { location, bytes, write, more: *more, tag },
                    count,
                    last_bytes,
                ));
                tag += 1;
            }
        }
        requests
    })
}

/// The results of either one: ends with tags, and counters at each restart and at the end.
type Seen = (Vec<(Cycle, u32)>, Vec<String>);

/// A controller or planner under test: requests, wake-ups, and restarts.
trait Driven {
    fn next_wake(&self) -> Option<Cycle>;
    fn submit(&mut self, now: Cycle, request: Request, count: u16, last_bytes: u32);
    fn wake(&mut self, now: Cycle, ends: &mut Vec<(Cycle, u32)>);
    fn restart(&mut self, now: Cycle) -> String;
}

impl Driven for Controller<Silent> {
    fn next_wake(&self) -> Option<Cycle> {
        self.next_wake()
    }
    fn submit(&mut self, now: Cycle, request: Request, count: u16, last_bytes: u32) {
        (1..count).for_each(|_| self.submit(now, request));
        self.submit(now, Request { bytes: last_bytes, ..request });
    }
    fn wake(&mut self, now: Cycle, ends: &mut Vec<(Cycle, u32)>) {
        ends.extend(self.wake(now).map(|done| (now, done.tag)));
    }
    fn restart(&mut self, _now: Cycle) -> String {
        let seen = format!("{:?}", self.statistics());
        self.restart_statistics();
        seen
    }
}

impl Driven for Planner {
    fn next_wake(&self) -> Option<Cycle> {
        self.next_wake()
    }
    fn submit(&mut self, now: Cycle, request: Request, count: u16, last_bytes: u32) {
        let _ = self.submit_run(now, request, count, last_bytes, 0);
    }
    fn wake(&mut self, _now: Cycle, ends: &mut Vec<(Cycle, u32)>) {
        ends.extend(self.wake().iter().map(|begun| (begun.end, begun.tag)));
    }
    fn restart(&mut self, now: Cycle) -> String {
        let seen = format!("{:?}", self.statistics(now));
        self.restart_statistics(now);
        seen
    }
}

/// Submits requests in order of cycle, restarts the counters at the start of the cycles `restarts`, and runs until
/// all are done.
fn drive(driven: &mut impl Driven, requests: &[Drawn], restarts: &[Cycle]) -> Seen {
    let (mut ends, mut counted) = (Vec::new(), Vec::new());
    let (mut requests, mut restarts) = (requests.iter().peekable(), restarts.iter().peekable());
    loop {
        let wake = driven.next_wake().unwrap_or(Cycle::MAX);
        let arrival = requests.peek().map_or((Cycle::MAX, false), |&&(at, after, ..)| (at, after));
        let restart = restarts.peek().map_or(Cycle::MAX, |&&at| at);
        if restart != Cycle::MAX && restart <= wake.min(arrival.0) {
            counted.push(driven.restart(restart));
            restarts.next();
        } else if arrival.0 != Cycle::MAX && (arrival.0 < wake || (arrival.0 == wake && !arrival.1)) {
            let &(at, _, request, count, last_bytes) = requests.next().unwrap();
            driven.submit(at, request, count, last_bytes);
        } else if wake != Cycle::MAX {
            driven.wake(wake, &mut ends);
        } else {
            counted.push(driven.restart(Cycle::MAX));
            return (ends, counted);
        }
    }
}

fn both(device: &Device, policy: Policy, requests: &[Drawn], restarts: &[Cycle]) -> (Seen, Seen) {
    let mut planner = Planner::new(device, &policy, false).expect("it serves such a device");
    let mut controller = Controller::new(device.clone(), policy, Silent);
    (drive(&mut planner, requests, restarts), drive(&mut controller, requests, restarts))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ends_and_counters_are_those_of_the_controller(
        requests in arrivals(),
        mut restarts in prop::collection::vec(0..2_000_u64, 0..4),
        batch in 1..6_u32,
        prefetch in any::<bool>(),
        latency in prop::array::uniform2(0..6_u64),
        distances in prop::array::uniform7(0..7_u64),
    ) {
        restarts.sort_unstable();
        let device = Device::new(sdr100_organization(4), timing(latency, distances));
        let (planned, controlled) = both(&device, policy(batch, prefetch), &requests, &restarts);
        prop_assert_eq!(planned, controlled);
    }
}

/// Writes to one row, all present at once, begin in a single call; their ends follow from the table by hand.
#[test]
fn a_batch_that_is_there_is_begun_in_one_call() {
    let device = Device::new(sdr100_organization(2), sdr100());
    let mut planner = Planner::new(&device, &policy(4, true), false).unwrap();
    let cell =
        |tag| Request { location: Location { bank: 0, row: 7 }, bytes: 64, write: true, more: false, tag };
    assert_eq!(
        [0, 1, 2, 3].map(|tag| planner.submit(10, cell(tag), u64::from(tag) + 5)),
        [Some(10), None, None, None]
    );
    let ends: Vec<_> = planner.wake().iter().map(|begun| (begun.end, begun.tag, begun.entered)).collect();
    // Activate at 10, columns from 12, data from 14, eight cycles of eight bytes each. The turn after the third
    // access is not final: a read may arrive.
    assert_eq!(ends, [(22, 0, 5), (30, 1, 6), (38, 2, 7)]);
    assert_eq!(
        [10, 22, 23, 31].map(|now| planner.statistics(now).accesses),
        [[0, 1], [0, 1], [0, 2], [0, 3]]
    );
    planner.restart_statistics(30);
    assert_eq!(planner.statistics(38).accesses, [0, 1]);
    assert_eq!(planner.next_wake(), Some(38));
}

#[test]
fn other_rules_and_parts_are_left_to_the_controller() {
    let plain = Device::new(sdr100_organization(4), sdr100());
    let usual = policy(4, true);
    assert!(Planner::new(&plain, &usual, false).is_some());
    assert!(Planner::new(&plain, &usual, true).is_none());
    for other in [
        Policy { queues: Queues::OddEven, ..usual },
        Policy { precharge: Precharge::Eager, ..usual },
        Policy { batch: 0, ..usual },
        Policy { batch_break: BatchBreak::AnyMiss, ..usual },
        Policy { ideal: true, ..usual },
    ] {
        assert!(Planner::new(&plain, &other, false).is_none(), "{other:?}");
    }
    let groups = Device::new(crate::kit::groups_organization(), crate::kit::groups());
    assert!(Planner::new(&groups, &usual, false).is_none());
}
