//! Does the controller with slots agree with a trace worked out by hand, with closed forms, and with a controller
//! that simulates every cycle?

use linecard_dram::{SlotConfig, SlotController, SlotRequest, Tandem};
use proptest::prelude::*;

fn config() -> SlotConfig {
    SlotConfig {
        banks: 4,
        slots: 16,
        bytes_per_cycle: 16,
        activate: 3,
        column: 3,
        precharge: 3,
        turnaround: 1,
        refresh_every: 0,
        refresh: 0,
        tandem: None,
    }
}

/// Submits accesses at their cycles. Returns the cycle in which each was done, by tag.
fn run(config: SlotConfig, requests: &[(u64, SlotRequest)]) -> (Vec<u64>, SlotController) {
    let mut dram = SlotController::new(config).unwrap();
    let mut done = vec![0; requests.len()];
    let (mut next, mut wake) = (0, None);
    loop {
        let arrives = requests.get(next).map(|&(at, _)| at);
        let Some(now) = arrives.into_iter().chain(wake).min() else { return (done, dram) };
        while let Some(&(at, request)) = requests.get(next)
            && at == now
        {
            dram.submit(request);
            next += 1;
        }
        dram.wake(now, |tag| done[tag as usize] = now);
        wake = dram.next_wake(now);
    }
}

fn request(tag: u32, bank: u32, bytes: u32, write: bool) -> SlotRequest {
    SlotRequest { bank, bytes, write, tag }
}

/// 0: a read of 64 bytes, bank 0: activated in 0, data 6 to 10, bank free at 13.
/// 1: a write of 24 to bank 1 in cycle 1: ready at 7, the bus free at 10 and turned at 11: data 11 to 13, bank free 16.
/// 2: a read of bank 0 in cycle 2: activated at 13, ready 19, data 19 to 23: the turn was over long before.
/// 3: a read of bank 1 in cycle 2: activated at 16, ready 22, bus free 23: data 23 to 24 (16 bytes), no turn.
#[test]
fn four_accesses_take_as_long_as_worked_by_hand() {
    let requests = [
        (0, request(0, 0, 64, false)),
        (1, request(1, 1, 24, true)),
        (2, request(2, 0, 64, false)),
        (2, request(3, 1, 16, false)),
    ];
    let (done, dram) = run(config(), &requests);
    assert_eq!(done, [10, 13, 23, 24]);
    let s = dram.statistics();
    assert_eq!((s.data_cycles, s.turnaround_cycles), (4 + 2 + 4 + 1, 1));
    assert_eq!(s.bank_cycles, 13 + 15 + 13 + 11);
    assert_eq!((s.accesses, s.narrow_accesses, s.bytes), (4, 2, 168));
}

/// A cycle of 10 ns, 10 ns at the gate and 12 on the bus for 16 bytes.
/// 0: a read of 64 bytes, bank 0: ready in 60, gate until 100, bus until 148: done in cycle 15, bank free at 13.
/// 1: a write of 24 to bank 1 in cycle 1: ready in 70, gate 100 to 120, bus 148 to 172: cycle 18, bank free at 15.
/// 2: a read of bank 0 in cycle 2: activated at 13, ready in 190, gate until 230, bus until 278: cycle 28, free at 26.
/// 3: a read of bank 1 in cycle 2: activated at 15, ready in 210, gate 230 to 240, bus 278 to 290: cycle 29, free at 27.
#[test]
fn a_bus_behind_the_gate_holds_no_bank() {
    let tandem = Tandem { cycle_ps: 10_000, piece_bytes: 16, gate_ps: 10_000, bus_ps: 12_000 };
    let requests = [
        (0, request(0, 0, 64, false)),
        (1, request(1, 1, 24, true)),
        (2, request(2, 0, 64, false)),
        (2, request(3, 1, 16, false)),
    ];
    let (done, dram) = run(SlotConfig { tandem: Some(tandem), turnaround: 0, ..config() }, &requests);
    assert_eq!(done, [15, 18, 28, 29]);
    let s = dram.statistics();
    assert_eq!((s.data_cycles, s.turnaround_cycles), ((4 + 2 + 4 + 1) * 12 / 10, 0));
    assert_eq!(s.bank_cycles, 13 + 14 + 13 + 12);
    let empty = Tandem { piece_bytes: 0, ..tandem };
    assert!(SlotController::new(SlotConfig { tandem: Some(empty), ..config() }).is_err());
}

#[test]
fn one_bank_serves_one_access_at_a_time_and_four_fill_the_bus() {
    let many = |banks: u32| -> Vec<_> { (0..400).map(|n| (0, request(n, n % banks, 64, false))).collect() };
    // An access takes activate, column access, four cycles of data, and precharge.
    let (done, _) = run(config(), &many(1));
    assert_eq!(done[399], 399 * 13 + 10);
    // Four banks have 16 cycles of data in the 13 cycles of a bank, so that the bus never stops.
    let (done, _) = run(config(), &many(4));
    assert_eq!(done[399], 6 + 400 * 4);
}

#[test]
fn with_one_slot_nothing_overlaps_but_the_precharge() {
    let requests: Vec<_> = (0..100).map(|n| (0, request(n, n % 4, 64, false))).collect();
    let (done, _) = run(SlotConfig { slots: 1, ..config() }, &requests);
    assert_eq!(done[99], 100 * 10);
}

#[test]
fn a_refresh_keeps_banks_from_being_activated() {
    let refreshed = SlotConfig { refresh_every: 100, refresh: 15, ..config() };
    let requests =
        [(90, request(0, 0, 64, false)), (102, request(1, 1, 64, false)), (115, request(2, 2, 64, false))];
    let (done, _) = run(refreshed, &requests);
    // The first access was activated before the refresh; the others wait until 115 and share the bus.
    assert_eq!(done, [100, 125, 129]);
}

#[test]
fn what_is_no_dram_is_refused() {
    for wrong in [SlotConfig { banks: 0, ..config() }, SlotConfig { banks: 65, ..config() }] {
        assert!(SlotController::new(wrong).is_err());
    }
    assert!(SlotController::new(SlotConfig { slots: 0, ..config() }).is_err());
}

/// The same rules, cycle by cycle.
fn naive(config: SlotConfig, requests: &[(u64, SlotRequest)]) -> Vec<u64> {
    let mut done = vec![0; requests.len()];
    let mut outside: Vec<SlotRequest> = Vec::new();
    let mut inside: Vec<SlotRequest> = Vec::new();
    let mut moving: Vec<(u64, u32)> = Vec::new();
    let mut bank_free = vec![0; config.banks as usize];
    let (mut bus_free, mut last_write, mut finished, mut now) = (0, false, 0, 0);
    while finished < requests.len() {
        outside.extend(requests.iter().filter(|&&(at, _)| at == now).map(|&(_, r)| r));
        for &(end, tag) in moving.iter().filter(|&&(end, _)| end == now) {
            done[tag as usize] = end;
            finished += 1;
        }
        moving.retain(|&(end, _)| end > now);
        while inside.len() + moving.len() < config.slots as usize && !outside.is_empty() {
            inside.push(outside.remove(0));
        }
        let every = config.refresh_every;
        let refreshing = every > 0 && now >= every && now % every < config.refresh;
        while let Some(at) = inside.iter().position(|r| bank_free[r.bank as usize] <= now)
            && !refreshing
        {
            let r = inside.remove(at);
            let turn = if r.write == last_write { 0 } else { config.turnaround };
            let start = (now + config.activate + config.column).max(bus_free + turn);
            let end = start + u64::from(r.bytes.div_ceil(config.bytes_per_cycle));
            bank_free[r.bank as usize] = end + config.precharge;
            (bus_free, last_write) = (end, r.write);
            moving.push((end, r.tag));
        }
        now += 1;
    }
    done
}

proptest! {
    #[test]
    fn it_agrees_with_looking_at_every_cycle(
        accesses in proptest::collection::vec((0u64..30, 0u32..8, 1u32..130, any::<bool>()), 1..80),
        banks in 1u32..9,
        slots in 1u32..20,
        activate in 1u64..6,
        precharge in 0u64..6,
        turnaround in 0u64..3,
        refresh_every in prop_oneof![Just(0u64), 40u64..90],
    ) {
        let config = SlotConfig { banks, slots, activate, precharge, turnaround, refresh_every, refresh: 15, ..config() };
        let mut at = 0;
        let requests: Vec<(u64, SlotRequest)> = accesses
            .iter()
            .enumerate()
            .map(|(tag, &(gap, bank, bytes, write))| {
                at += gap;
                (at, request(tag as u32, bank % banks, bytes, write))
            })
            .collect();
        let (done, _) = run(config, &requests);
        prop_assert_eq!(done, naive(config, &requests));
    }
}
