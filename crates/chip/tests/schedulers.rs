//! Schedulers are checked against their definitions: shares of deficit round robin, strict priority, both of them
//! nested, token buckets, and a wire that is never idle without a reason.

use crate::kit;

use kit::{ALL, each, run_with, small, without_wires};
use linecard_chip::SchedulerRule::{self, Deficit, RoundRobin, Strict};
use linecard_chip::config::{GroupConfig, Member, SchedulerConfig, ShaperConfig, ShareConfig};
use linecard_program::script::Action;
use proptest::prelude::*;

/// Bytes of the frame that holds the wire while others arrive.
const FIRST: u32 = 9_000;

/// A packet: its arrival in ns, its class, and its bytes.
type Coming = (u64, u8, u32);

/// A packet that was sent: its arrival, the start of its transmission (both in ns, which are also bytes), class,
/// bytes.
#[derive(Clone, Copy, Debug)]
struct Sent {
    came: u64,
    start: u64,
    class: usize,
    bytes: u32,
}

/// Sends packets through a port whose wire takes a nanosecond per byte. Returns them in the order of transmission.
fn sent(scheduler: SchedulerConfig, packets: &[Coming]) -> Vec<Sent> {
    let mut config = without_wires(small(1, 1));
    let t = config.ports[0].transmit.as_mut().unwrap();
    (t.bits_per_second, t.queue_packets, t.scheduler) = (8_000_000_000, 1 << 20, scheduler);
    let steps = packets.iter().map(|&(_, class, _)| vec![(0, Action::Send { port: 0, class })]);
    let coming = packets.iter().map(|&(at, _, bytes)| (at, 1, bytes)).collect();
    let ran = run_with(config, vec![each(steps.collect())], coming, ALL);
    let of = |(number, ends): (u64, u64)| {
        let (came, class, bytes) = packets[number as usize];
        Sent { came, start: ends - u64::from(bytes), class: usize::from(class), bytes }
    };
    let all: Vec<Sent> = ran.left().into_iter().map(of).collect();
    assert_eq!(all.len(), packets.len(), "every packet is sent");
    all
}

/// Packets that all wait behind a first one of class 0.
fn backlog(packets: &[(u8, u32)]) -> Vec<Coming> {
    std::iter::once((0, 0, FIRST)).chain(packets.iter().map(|&(class, bytes)| (1, class, bytes))).collect()
}

/// Two groups, of classes 0 and 1 and of classes 2 and 3.
fn two_groups(
    outer: SchedulerRule,
    groups: [u32; 2],
    inner: SchedulerRule,
    quanta: &[u32; 4],
) -> SchedulerConfig {
    let mut scheduler = SchedulerConfig::flat(outer, quanta);
    scheduler.groups[0].members = vec![Member::Group(1), Member::Group(2)];
    for (number, quantum_bytes) in groups.into_iter().enumerate() {
        let members = vec![Member::Class(2 * number), Member::Class(2 * number + 1)];
        let share = ShareConfig::weight(quantum_bytes);
        scheduler.groups.push(GroupConfig { name: number.to_string(), rule: inner, members, share });
    }
    scheduler
}

fn with_shaper(mut scheduler: SchedulerConfig, class: usize, gbps: f64, burst_bytes: u32) -> SchedulerConfig {
    let bits_per_second = (gbps * 1e9) as u64;
    scheduler.classes[class].share.shaper = Some(ShaperConfig { bits_per_second, burst_bytes });
    scheduler
}

/// Returns the largest difference between two queues in turns, over every interval in which both have packets, minus
/// the bound in Lemma 2 of Shreedhar and Varghese (one turn and the largest packet of each). Not positive if the
/// bound holds.
fn beyond_the_bound(all: &[Sent], queue: impl Fn(usize) -> usize, of: [usize; 2], quanta: [u32; 2]) -> f64 {
    let last = of.map(|q| all.iter().rposition(|s| queue(s.class) == q).unwrap_or(0));
    let both = &all[1..=last[0].min(last[1])];
    let most = of
        .map(|q| f64::from(all[1..].iter().filter(|s| queue(s.class) == q).map(|s| s.bytes).max().unwrap()));
    let quanta = quanta.map(f64::from);
    let bound = 1.0 + most[0] / quanta[0] + most[1] / quanta[1];
    let mut worst = f64::NEG_INFINITY;
    for from in 0..both.len() {
        let mut turns = [0.0; 2];
        for s in &both[from..] {
            if let Some(one) = of.iter().position(|&q| q == queue(s.class)) {
                turns[one] += f64::from(s.bytes) / quanta[one];
            }
            worst = worst.max((turns[0] - turns[1]).abs() - bound);
        }
    }
    worst
}

/// Returns a packet that was sent while one with precedence waited, if there is one.
fn overtaken(all: &[Sent], before: impl Fn(usize, usize) -> bool) -> Option<(Sent, Sent)> {
    let waits =
        |s: &Sent| all.iter().find(|w| before(w.class, s.class) && w.came < s.start && w.start > s.start);
    all.iter().find_map(|s| Some((*s, *waits(s)?)))
}

/// Returns the bytes by which the worst interval between starts of packets exceeds a token bucket; the last packet of
/// an interval may leave the bucket in debt.
fn beyond_the_bucket(all: &[Sent], of: impl Fn(usize) -> bool, gbps: f64, burst_bytes: u32) -> f64 {
    let mine: Vec<Sent> = all.iter().filter(|s| of(s.class)).copied().collect();
    let mut worst = f64::NEG_INFINITY;
    for from in 0..mine.len() {
        let mut bytes = 0.0;
        for s in &mine[from..] {
            let filled = f64::from(burst_bytes) + gbps / 8.0 * (s.start - mine[from].start) as f64;
            worst = worst.max(bytes - filled);
            bytes += f64::from(s.bytes);
        }
    }
    worst
}

/// Returns whether the wire was idle while a packet of these classes waited.
fn idles(all: &[Sent], of: impl Fn(usize) -> bool) -> bool {
    let mut free = 0;
    for (number, s) in all.iter().enumerate() {
        let waited = all[number..].iter().filter(|w| of(w.class)).map(|w| w.came).min();
        if waited.is_some_and(|came| s.start > free.max(came)) {
            return true;
        }
        free = s.start + u64::from(s.bytes);
    }
    false
}

fn sizes() -> impl Strategy<Value = u32> {
    prop_oneof![Just(64), Just(1500), 64u32..=1500]
}

fn packets(classes: u8, count: usize) -> impl Strategy<Value = Vec<(u8, u32)>> {
    proptest::collection::vec((0..classes, sizes()), count)
}

/// Packets that arrive over time, at about the rate of the wire.
fn coming(classes: u8, count: usize) -> impl Strategy<Value = Vec<Coming>> {
    let one = (prop_oneof![Just(0u64), 0u64..3_000], 0..classes, sizes());
    proptest::collection::vec(one, count).prop_map(|list| {
        let mut at = 0;
        let later = |(gap, class, bytes)| {
            at += gap;
            (at, class, bytes)
        };
        list.into_iter().map(later).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn deficit_round_robin_shares_by_weight_within_a_turn_and_a_packet(
        quanta in proptest::collection::vec(40u32..6_000, 3),
        list in packets(3, 150),
    ) {
        let all = sent(SchedulerConfig::flat(Deficit, &quanta), &backlog(&list));
        for of in [[0, 1], [0, 2], [1, 2]].into_iter().filter(|of| of.iter().all(|&c| list.iter().any(|p| usize::from(p.0) == c))) {
            let beyond = beyond_the_bound(&all, |class| class, of, of.map(|class| quanta[class]));
            prop_assert!(beyond <= 1e-9, "classes {:?} of quanta {:?}: {}", of, quanta, beyond);
        }
        prop_assert!(!idles(&all, |_| true));
    }

    #[test]
    fn a_lower_class_never_starts_while_a_higher_one_waits(list in coming(4, 200)) {
        let all = sent(SchedulerConfig::flat(Strict, &[1; 4]), &list);
        let found = overtaken(&all, |first, second| first < second);
        prop_assert!(found.is_none(), "{:?}", found);
        prop_assert!(!idles(&all, |_| true));
    }

    #[test]
    fn strict_over_deficit_keeps_both_at_their_level(
        quanta in [40u32..6_000, 40u32..6_000, 40u32..6_000, 40u32..6_000],
        urgent in coming(2, 100),
        rest in packets(2, 120),
    ) {
        // Packets of classes 2 and 3 all wait from the beginning on; packets of 0 and 1 arrive in between.
        let mut list = backlog(&rest.iter().map(|&(class, bytes)| (2 + class, bytes)).collect::<Vec<_>>());
        list.extend(urgent.iter().map(|&(at, class, bytes)| (2 + at, class, bytes)));
        let all = sent(two_groups(Strict, [1, 1], Deficit, &quanta), &list);
        let found = overtaken(&all, |first, second| first < 2 && second >= 2);
        prop_assert!(found.is_none(), "{:?}", found);
        prop_assume!([0, 1].iter().all(|&class| rest.iter().any(|p| p.0 == class)));
        let beyond = beyond_the_bound(&all, |class| class, [2, 3], [quanta[2], quanta[3]]);
        prop_assert!(beyond <= 1e-9, "quanta {:?}: {}", quanta, beyond);
        prop_assert!(!idles(&all, |_| true));
    }

    #[test]
    fn deficit_over_strict_keeps_both_at_their_level(
        groups in [40u32..6_000, 40u32..6_000],
        list in packets(4, 200),
    ) {
        let all = sent(two_groups(Deficit, groups, Strict, &[1; 4]), &backlog(&list));
        prop_assume!([0, 1].iter().all(|&half| list.iter().any(|p| p.0 / 2 == half)));
        let beyond = beyond_the_bound(&all, |class| class / 2, [0, 1], groups);
        prop_assert!(beyond <= 1e-9, "groups of {:?}: {}", groups, beyond);
        let found = overtaken(&all, |first, second| first / 2 == second / 2 && first < second);
        prop_assert!(found.is_none(), "{:?}", found);
    }

    #[test]
    fn no_interval_has_more_than_the_burst_the_rate_and_one_packet(
        gbps in 0.2f64..8.0,
        burst in 0u32..20_000,
        rule in prop_oneof![Just(RoundRobin), Just(Deficit), Just(Strict)],
        list in coming(3, 150),
    ) {
        let flat = SchedulerConfig::flat(rule, &[1500; 3]);
        let all = sent(with_shaper(flat, 1, gbps, burst), &list);
        // The starts are whole nanoseconds here, but picoseconds on the chip.
        let beyond = beyond_the_bucket(&all, |class| class == 1, gbps, burst);
        prop_assert!(beyond <= 2.0, "{} Gbit/s, burst of {}: {} bytes", gbps, burst, beyond);
        prop_assert!(!idles(&all, |class| class != 1), "others are not held");
    }

    #[test]
    fn a_shaper_of_a_group_holds_all_of_its_classes(
        gbps in 0.2f64..8.0,
        burst in 0u32..20_000,
        list in packets(4, 150),
    ) {
        let mut scheduler = two_groups(Strict, [1, 1], Deficit, &[1500; 4]);
        let bits_per_second = (gbps * 1e9) as u64;
        scheduler.groups[1].share.shaper = Some(ShaperConfig { bits_per_second, burst_bytes: burst });
        let list = backlog(&list);
        let all = sent(scheduler, &list);
        let beyond = beyond_the_bucket(&all, |class| class < 2, gbps, burst);
        prop_assert!(beyond <= 2.0, "{} Gbit/s, burst of {}: {} bytes", gbps, burst, beyond);
        prop_assert!(!idles(&all, |class| class >= 2), "the other group is not held");
    }
}

#[test]
fn what_does_not_keep_a_definition_is_found_out() {
    let list: Vec<Coming> = (0..60).map(|n| (0, (n % 2) as u8, 1000)).collect();
    let flat = SchedulerConfig::flat(RoundRobin, &[1; 2]);
    let in_turn = sent(flat.clone(), &list);
    assert!(overtaken(&in_turn, |first, second| first < second).is_some());
    assert!(
        !idles(&in_turn, |_| true) && beyond_the_bucket(&in_turn, |class| class == 0, 2.0, 3_000) > 1_000.0
    );
    assert!(idles(&sent(with_shaper(flat, 0, 1.0, 0), &list), |_| true));
}

#[test]
fn the_bound_of_deficit_round_robin_is_broken_by_what_does_not_share_by_weight() {
    let list: Vec<(u8, u32)> = (0..200).map(|n| ((n % 2) as u8, 1500)).collect();
    let quanta = [8_000, 1_000];
    let beyond = |rule| {
        let all = sent(SchedulerConfig::flat(rule, &quanta), &backlog(&list));
        beyond_the_bound(&all, |class| class, [0, 1], quanta)
    };
    assert!(beyond(Deficit) <= 1e-9);
    assert!(beyond(RoundRobin) > 1.0 && beyond(Strict) > 1.0);
}

#[test]
fn a_shaped_class_that_is_alone_gets_its_rate_and_its_burst_first() {
    // At 2 Gbit/s a byte takes 4 ns, and a burst of 3,000 bytes takes 12,000 ns. The packet at 4,000 is the fifth, and
    // all five are paid for at 20,000. The sixth may start 12,000 ns before that, at 8,000; further packets start at
    // the rate of the bucket.
    let flat = with_shaper(SchedulerConfig::flat(Strict, &[1; 2]), 0, 2.0, 3_000);
    let list: Vec<Coming> = (0..101).map(|_| (0, 0, 1_000)).collect();
    let starts: Vec<u64> = sent(flat, &list).iter().map(|s| s.start).collect();
    assert_eq!(starts[..6], [0, 1_000, 2_000, 3_000, 4_000, 8_000]);
    assert_eq!(starts[100] - starts[50], 50 * 4_000, "exactly 2 Gbit/s");
}

#[test]
fn a_class_that_is_held_lets_others_go_and_saves_nothing_up() {
    // Class 0 has 1 Gbit/s, 8 ns per byte, and half of all turns; class 1 gets the rest.
    let flat = with_shaper(SchedulerConfig::flat(Deficit, &[6_000, 1_000]), 0, 1.0, 0);
    let list: Vec<Coming> = (0..400).map(|n| (0, (n % 2) as u8, 1_000)).collect();
    let all = sent(flat, &list);
    let both: Vec<usize> = all.iter().map(|s| s.class).take(160).collect();
    assert_eq!(both.iter().filter(|&&class| class == 0).count(), 20, "{both:?}");
    assert!(both.windows(2).all(|pair| pair != [0, 0]), "{both:?}");
}
