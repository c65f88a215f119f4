//! Does any policy ever violate the table, lose or repeat a request, or lose a cycle from its statistics?
//!
//! Every run's log is replayed by a checker that shares nothing with the device: it compares every pair of commands
//! with every row of the table. Random requests and streams of cells, on the memory of
//! `presets/dram/hasan2003_sdr100.toml` and on a part with bank groups, under every policy.

use crate::kit;

use kit::{
    Issued, LAZY_BASE, Log, Timed, at_once, groups, groups_organization, read, run, sdr100,
    sdr100_organization, write,
};
use linecard_dram::packet_buffer::{BatchBreak, Policy, Precharge, Queues, Request};
use linecard_dram::{Command, Constraint, Cycle, Edge, Level, Location, Organization, Timing};
use proptest::prelude::*;
use std::collections::HashMap;

// ---- the checker ----

/// Returns whether two banks are in the same part of the device.
fn together(organization: &Organization, level: Level, a: u32, b: u32) -> bool {
    let per_group = organization.banks / organization.groups;
    match level {
        Level::Rank => true,
        Level::Group => a / per_group == b / per_group,
        Level::Bank => a == b,
        Level::OtherRanks => organization.rank(a) != organization.rank(b),
    }
}

/// Returns the cycle from which a constraint counts after an earlier command.
fn moment(organization: &Organization, timing: &Timing, from: Edge, earlier: &Issued) -> Cycle {
    let bytes_per_cycle = organization.beat_bytes * organization.beats_per_cycle;
    let columns = Cycle::from(earlier.bytes.div_ceil(bytes_per_cycle));
    match from {
        Edge::Issue => earlier.at,
        Edge::ColumnEnd => earlier.at + columns,
        Edge::DataEnd => earlier.at + latency(timing, earlier.command) + columns,
    }
}

fn latency(timing: &Timing, command: Command) -> Cycle {
    match command {
        Command::Write => timing.write_latency,
        _ => timing.read_latency,
    }
}

/// Describes the first violation of one row of the table.
fn breach(
    organization: &Organization,
    timing: &Timing,
    c: &Constraint,
    commands: &[Issued],
) -> Option<String> {
    for (j, later) in commands.iter().enumerate().filter(|(_, l)| c.after.contains(&l.command)) {
        let concerned = |e: &&Issued| {
            c.before.contains(&e.command)
                && together(organization, c.level, e.location.bank, later.location.bank)
        };
        // All earlier commands count; of a window, only the one that bounds it.
        let earlier = commands[..j].iter().rev().filter(concerned);
        let bounding: Vec<&Issued> = match c.window {
            1 => earlier.collect(),
            window => earlier.skip(window - 1).take(1).collect(),
        };
        for e in bounding {
            if moment(organization, timing, c.from, e) + c.cycles > later.at {
                return Some(format!("{}: {later:?} too soon after {e:?}", c.name));
            }
        }
    }
    None
}

/// Replays a log: checks the whole table, the state of the rows, and the bus.
fn check_log(organization: &Organization, timing: &Timing, ideal: bool, log: &Log) -> Result<(), String> {
    let mut commands = log.commands.clone();
    // The sort is stable: commands of one cycle stay in the order in which they were decided.
    commands.sort_by_key(|c| c.at);
    if let Some(breach) = timing.constraints.iter().find_map(|c| breach(organization, timing, c, &commands)) {
        return Err(breach);
    }
    let mut open: HashMap<u32, u32> = HashMap::new();
    for c in &commands {
        let Location { bank, row } = c.location;
        let fits = match c.command {
            Command::Activate => open.insert(bank, row).is_none(),
            Command::Precharge => open.remove(&bank).is_some(),
            Command::Read | Command::Write => open.get(&bank) == Some(&row),
            Command::Refresh => open.is_empty(),
            other => unreachable!("the packet-buffer controller issues no {}", other.name()),
        };
        if !fits {
            return Err(format!("{c:?} does not fit the open rows {open:?}"));
        }
    }
    let columns = commands.iter().filter(|c| matches!(c.command, Command::Read | Command::Write));
    let from_commands: Vec<_> = columns
        .map(|c| (c.at + latency(timing, c.command), c.command == Command::Write, c.location))
        .collect();
    let from_bus: Vec<_> =
        log.transfers.iter().map(|t| (t.start, t.request.write, t.request.location)).collect();
    if !ideal && from_commands != from_bus {
        return Err("the data on the bus are not those of the column commands".into());
    }
    if let Some(pair) = log.transfers.windows(2).find(|pair| pair[0].end > pair[1].start) {
        return Err(format!("data overlap: {pair:?}"));
    }
    Ok(())
}

// ---- what every run must satisfy ----

fn queue(policy: Policy, request: &Request) -> u32 {
    match policy.queues {
        // Requests are served in the order of arrival, whatever they are.
        Queues::ReadWrite if policy.batch == 0 => 0,
        Queues::ReadWrite => u32::from(request.write),
        Queues::OddEven if !request.write => 2,
        Queues::OddEven => request.location.bank % 2,
    }
}

fn check_run(
    (organization, timing): &(Organization, Timing),
    policy: Policy,
    requests: &[Timed],
) -> Result<(), String> {
    let mut ran = run(*organization, timing.clone(), policy, requests);
    let end = ran.end();
    let statistics = ran.controller.statistics().clone();
    let log = ran.log().clone();
    check_log(organization, timing, policy.ideal, &log)?;

    // Every request finishes exactly once, and in order within its queue.
    for number in 0..3 {
        let of_queue = |r: &Request| queue(policy, r) == number;
        let submitted: Vec<u32> = requests.iter().filter(|(_, r)| of_queue(r)).map(|(_, r)| r.tag).collect();
        let by_tag: HashMap<u32, Request> = requests.iter().map(|&(_, r)| (r.tag, r)).collect();
        let done: Vec<u32> =
            ran.done.iter().map(|&(_, tag)| tag).filter(|tag| of_queue(&by_tag[tag])).collect();
        if done != submitted {
            return Err(format!("queue {number}: submitted {submitted:?}, done {done:?}"));
        }
    }
    // No request is served before it arrived, and the two halves of a cell follow one another.
    for (moved, next) in log.transfers.iter().zip(log.transfers.iter().skip(1).map(Some).chain([None])) {
        let arrival = requests.iter().find(|(_, r)| r.tag == moved.request.tag).map(|&(at, _)| at);
        if arrival.is_none_or(|at| at > moved.start) {
            return Err(format!("{moved:?} arrived at {arrival:?}"));
        }
        if moved.request.more && next.is_none_or(|n| n.request.tag != moved.request.tag + 1) {
            return Err(format!("{moved:?} is followed by {next:?}"));
        }
    }
    // The account contains every cycle until the end of the last data exactly once.
    let s = &statistics;
    let data: Cycle = log.transfers.iter().map(|t| t.end - t.start).sum();
    let account =
        [s.data_cycles[0] + s.data_cycles[1], s.row_wait_cycles, s.turnaround_cycles, s.idle_cycles];
    if account[0] != data || account.iter().sum::<Cycle>() != end {
        return Err(format!(
            "data, row wait, turnaround, idle {account:?} of {end} cycles, {data} with data"
        ));
    }
    // The counters equal the counts of the log.
    let count = |command| log.commands.iter().filter(|c| c.command == command).count() as u64;
    for (write, command) in [(false, Command::Read), (true, Command::Write)] {
        let side = usize::from(write);
        let mine = requests.iter().filter(|(_, r)| r.write == write);
        let (accesses, bytes) = mine.fold((0, 0), |(n, b), (_, r)| (n + 1, b + u64::from(r.bytes)));
        if (s.accesses[side], s.bytes[side]) != (accesses, bytes) {
            return Err(format!("{:?} accesses, {:?} bytes", s.accesses, s.bytes));
        }
        if !policy.ideal && count(command) != accesses {
            return Err(format!("{} {} commands for {accesses} accesses", count(command), command.name()));
        }
    }
    if (s.activates, s.precharges) != (count(Command::Activate), count(Command::Precharge)) {
        return Err("activates or precharges".into());
    }
    if s.bank_data_cycles.iter().sum::<Cycle>() != data {
        return Err("data cycles by bank".into());
    }
    Ok(())
}

/// Every combination of a policy's settings.
fn policies() -> Vec<Policy> {
    let mut all = Vec::new();
    for queues in [Queues::OddEven, Queues::ReadWrite] {
        for precharge in [Precharge::Eager, Precharge::Lazy] {
            for batch in [0, 1, 4, 8] {
                for batch_break in [BatchBreak::SameBankMiss, BatchBreak::AnyMiss] {
                    for prefetch in [false, true] {
                        let policy = Policy { queues, precharge, batch, batch_break, prefetch, ideal: false };
                        all.push(policy);
                    }
                }
            }
        }
        all.push(Policy { queues, ideal: true, ..LAZY_BASE });
    }
    all
}

fn devices() -> Vec<(Organization, Timing)> {
    vec![
        (sdr100_organization(2), sdr100()),
        (sdr100_organization(4), sdr100()),
        (groups_organization(), groups()),
    ]
}

#[track_caller]
fn check_every_policy(requests_for: impl Fn(u32) -> Vec<Timed>) {
    for device in devices() {
        let requests = requests_for(device.0.banks);
        for policy in policies() {
            if let Err(wrong) = check_run(&device, policy, &requests) {
                panic!("{policy:?} on {} banks: {wrong}", device.0.banks);
            }
        }
    }
}

// ---- patterns ----

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_requests_keep_every_rule_under_every_policy(
        drawn in proptest::collection::vec(
            (prop_oneof![3 => Just(0u64), 1 => 1u64..40], 0u32..8, 0u32..3, 1u32..9, any::<bool>(), 0u32..4),
            1..70,
        ),
    ) {
        check_every_policy(|banks| {
            let mut at = 0;
            let mut requests = Vec::new();
            for &(gap, bank, row, words, is_write, kind) in &drawn {
                at += gap;
                let request = |tag, bytes, more| {
                    let r = if is_write { write(tag, bank % banks, row) } else { read(tag, bank % banks, row) };
                    (at, Request { bytes, more, ..r })
                };
                let tag = requests.len() as u32;
                match kind {
                    // The two halves of a cell arrive together.
                    0 => requests.extend([request(tag, 32, true), request(tag + 1, words * 4, false)]),
                    1 => requests.push(request(tag, words * 8, false)),
                    _ => requests.push(request(tag, 64, false)),
                }
            }
            requests
        });
    }
}

/// Packets written cell after cell by several threads while others are read, as a network processor does.
fn cell_stream(seed: u64, banks: u32, packets: u32) -> Vec<Timed> {
    let mut state = seed;
    let mut draw = |bound: u32| {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((x >> 33) * u64::from(bound)) >> 31) as u32
    };
    let mut timed: Vec<(Cycle, bool, u32, bool)> = Vec::new();
    let (mut cell, mut start) = (0, 0);
    for _ in 0..packets {
        let cells = [1, 1, 2, 9, 24][draw(5) as usize];
        let pace = Cycle::from(4 + draw(30));
        let delay = Cycle::from(draw(2000));
        for n in 0..cells {
            let at = start + Cycle::from(n) * pace;
            timed.push((at, true, cell + n, n == 0));
            timed.push((
                start + Cycle::from(cells) * pace + delay + Cycle::from(n / 4) * 40,
                false,
                cell + n,
                false,
            ));
        }
        cell += cells;
        start += Cycle::from(draw(150));
    }
    timed.sort_by_key(|&(at, ..)| at);
    let mut requests = Vec::new();
    for (at, is_write, cell, halves) in timed {
        let (bank, row) = (cell / 64 % banks, cell / 64 / banks);
        let tag = requests.len() as u32;
        let request = |tag| if is_write { write(tag, bank, row) } else { read(tag, bank, row) };
        if halves {
            requests.push((at, Request { bytes: 32, more: true, ..request(tag) }));
            requests.push((at, Request { bytes: 32, ..request(tag + 1) }));
        } else {
            requests.push((at, request(tag)));
        }
    }
    requests
}

#[test]
fn streams_of_cells_keep_every_rule_under_every_policy() {
    for seed in 0..3 {
        check_every_policy(|banks| cell_stream(seed, banks, 40));
    }
}

// ---- the checker itself ----

#[test]
fn the_checker_finds_what_is_wrong() {
    let (organization, timing) = (groups_organization(), groups());
    // Two banks of the eight, so that rows conflict.
    let requests = cell_stream(7, 2, 60);
    let prefetch = Policy { prefetch: true, batch: 4, ..LAZY_BASE };
    let log = run(organization, timing.clone(), prefetch, &requests).log().clone();
    assert_eq!(check_log(&organization, &timing, false, &log), Ok(()));

    // If a row of the table that such a run exercises asks for one more cycle, the checker finds a breach.
    let breached = |name: &str| {
        let mut stricter = timing.clone();
        stricter.constraints.iter_mut().filter(|c| c.name == name).for_each(|c| c.cycles += 1);
        check_log(&organization, &stricter, false, &log).is_err_and(|found| found.starts_with(name))
    };
    let met: Vec<&str> = timing.constraints.iter().map(|c| c.name.as_str()).filter(|n| breached(n)).collect();
    assert_eq!(met, ["tRCD", "tRP", "tCCD_L", "tRTW", "tWTR", "tWR"]);
    // A missing command, an early command, and overlapping data.
    let first = log.commands.iter().position(|c| c.command == Command::Activate).unwrap();
    let mut missing = log.clone();
    missing.commands.remove(first);
    assert!(check_log(&organization, &timing, false, &missing).unwrap_err().contains("open rows"));
    let mut overlapping = log.clone();
    overlapping.transfers[3].end += 1000;
    assert!(check_log(&organization, &timing, false, &overlapping).unwrap_err().contains("overlap"));
}

#[test]
fn a_change_of_direction_is_turnaround_and_a_closed_row_is_row_wait() {
    let (organization, timing) = (groups_organization(), groups());
    // The first two accesses open rows; then a write, a read and a write access open rows.
    let mut requests = at_once([write(0, 0, 0), write(1, 4, 0)]);
    requests.extend([(200, write(2, 0, 0)), (201, read(3, 4, 0)), (201, write(4, 0, 0))]);
    let ran = run(organization, timing, LAZY_BASE, &requests);
    let s = ran.controller.statistics();
    // A closed row takes tRCD 6 and 4 cycles to the data, twice; the third access finds an idle bus and waits for its
    // latency of 4. A read after a write waits for tWTR 3 from the end of the data, then 6. A write after a read
    // waits for 4 from the last column, whose data end 6 later, and 4 to the data: 2.
    assert_eq!(s.row_wait_cycles, 10 + 10 + 4);
    assert_eq!(s.turnaround_cycles, 9 + 2);
    assert_eq!(s.batches, [1, 3], "without batching every access is a batch");
}
