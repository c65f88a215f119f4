//! A core on work whose times are worked out by hand.

use linecard_malleable::{
    Adaptation, Arrivals, Core, CoreConfig, Counts, Event, Kind, LINE_BYTES, MalleableError, Mrc, PacketWork,
    Prediction, Segment, Separate, TICKS, Window, Work, adapt, run,
};

/// A loaded register.
const VALUE: u32 = 1 << 5;

fn segment(instructions: u32, kind: Kind) -> Segment {
    Segment {
        instructions,
        cycles: instructions,
        reads: 0,
        writes: 0,
        resume: 0,
        early_reads: [0; 4],
        loads: 0,
        kind,
    }
}

/// Packets of `accesses` loads, with `gap` instructions before each; no two loads access the same line.
fn streaming(packets: u32, accesses: u32, gap: u32) -> Work {
    let mut work =
        Work { segments: vec![segment(gap, Kind::Load), segment(gap, Kind::End)], ..Work::default() };
    for packet in 0..packets {
        let first = work.events.len() as u32;
        for access in 0..accesses {
            work.events.push(Event { segment: 0, operand: packet * accesses + access });
        }
        work.events.push(Event { segment: 1, operand: 0 });
        let end = work.events.len() as u32;
        work.packets.push(PacketWork { first, end, time_us: packet });
        work.instructions += u64::from((accesses + 1) * gap);
    }
    work
}

fn core(threads: u32) -> CoreConfig {
    CoreConfig {
        threads,
        cache_lines: 0,
        cache_ways: 2,
        cache_latency_cycles: 1,
        switch_cycles: 2,
        memory_latency_cycles: 100,
        memory_refs_per_cycle: 2.56,
        slower_percent: 0,
    }
}

const WINDOW: Window = Window { warmup_packets: 200, packets: 2000 };

fn counted(work: &Work, config: CoreConfig) -> Counts {
    run(work, config, Arrivals::BackToBack, Separate, WINDOW).expect("a run")
}

fn cycles_per_packet(counts: &Counts) -> f64 {
    counts.ticks.sum() as f64 / TICKS as f64 / counts.packets as f64
}

#[test]
fn one_thread_without_a_cache_waits_for_every_access() {
    // 4 loads take 100 cycles and a reference of 0.390625 each, and 5 gaps have 10 instructions each.
    let counts = counted(&streaming(500, 4, 10), core(1));
    assert!(
        (cycles_per_packet(&counts) - (50.0 + 4.0 * 100.390_625)).abs() < 0.5,
        "{}",
        cycles_per_packet(&counts)
    );
    assert_eq!(counts.misses, counts.accesses);
}

#[test]
fn an_atomic_operation_is_waited_for_like_a_load_and_written_back_like_a_store() {
    // Each packet accesses a line twice: a miss, and a hit whose value is used at once.
    let of = |kind| {
        let mut work = streaming(500, 2, 10);
        work.segments[0].kind = kind;
        work.segments[0].loads = if kind == Kind::Store { 0 } else { VALUE };
        work.segments[1].early_reads[0] = VALUE;
        for pair in work.events.chunks_mut(3) {
            pair[1].operand = pair[0].operand;
        }
        counted(&work, CoreConfig { cache_lines: 4, cache_latency_cycles: 3, ..core(1) })
    };
    let [load, store, atomic] = [Kind::Load, Kind::Store, Kind::Atomic].map(of);
    assert_eq!((load.misses, atomic.misses), (store.misses, store.misses));
    // Either way the thread waits for the miss; it waits for the hit when it uses the value.
    assert_eq!(load.ticks.load_use, atomic.ticks.load_use);
    assert!(atomic.ticks.load_use > store.ticks.load_use);
    // A dirty line is written back when another line replaces it.
    assert_eq!(atomic.references, store.references);
    assert!(load.references < store.references);
}

#[test]
fn enough_threads_leave_instructions_and_switches_alone() {
    // With runs of 10 cycles and switches of 2, 10 threads or more hide 100 cycles.
    let counts = counted(&streaming(500, 4, 10), core(12));
    assert!((cycles_per_packet(&counts) - (50.0 + 4.0 * 2.0)).abs() < 0.5, "{}", cycles_per_packet(&counts));
    // Half as many threads hide half of the latency: the number of packets in progress equals the number of threads.
    let five = counted(&streaming(500, 4, 10), core(5));
    let expected = (50.0 + 4.0 * 100.390_625) / 5.0;
    assert!((cycles_per_packet(&five) / expected - 1.0).abs() < 0.03, "{}", cycles_per_packet(&five));
}

#[test]
fn memory_serves_no_more_than_its_bandwidth() {
    let config = CoreConfig { memory_refs_per_cycle: 0.04, ..core(32) };
    let counts = counted(&streaming(500, 4, 10), config);
    // There is a reference every 25 cycles for any number of threads; packets are in progress at both ends of the
    // window.
    assert!((cycles_per_packet(&counts) - 100.0).abs() < 1.6, "{}", cycles_per_packet(&counts));
    assert!(counts.queueing_ticks > 0);
}

#[test]
fn a_working_set_that_fits_is_fetched_once() {
    let mut work = streaming(500, 4, 10);
    for event in &mut work.events {
        event.operand %= 64;
    }
    let config = CoreConfig { cache_lines: 128, ..core(1) };
    let counts = counted(&work, config);
    assert_eq!(counts.misses, 0, "the warm-up fetched all 64 lines");
    assert!((cycles_per_packet(&counts) - 50.0).abs() < 0.01);
    assert_eq!(LINE_BYTES, 16);
}

#[test]
fn a_load_that_hits_costs_its_latency_less_the_distance_of_its_use() {
    let mut work = streaming(500, 4, 10);
    work.events.iter_mut().for_each(|event| event.operand %= 64);
    work.segments[0].loads = VALUE;
    for (first_use, latency, stall) in [(1, 1, 1), (1, 2, 2), (2, 2, 1), (3, 2, 0), (1, 4, 4), (8, 4, 0)] {
        for segment in &mut work.segments {
            segment.early_reads = [1, 2, 3, 4].map(|distance| if distance == first_use { VALUE } else { 0 });
        }
        let config = CoreConfig { cache_lines: 128, cache_latency_cycles: latency, ..core(1) };
        let cycles = cycles_per_packet(&counted(&work, config));
        assert!(
            (cycles - 50.0 - f64::from(4 * stall)).abs() < 0.01,
            "use at {first_use}, latency {latency}: {cycles}"
        );
    }
}

#[test]
fn a_value_is_waited_for_when_it_is_used_whatever_is_loaded_in_between() {
    // Two loads, one after the other, and then 10 instructions, of which the first two use a value each, or one does.
    let stalls = |uses: [u32; 2], latency| {
        let (first, second) = (1 << 5, 1 << 6);
        let load = |loads| Segment { loads, ..segment(1, Kind::Load) };
        let rest = Segment { early_reads: [uses[0], uses[1], 0, 0], ..segment(10, Kind::End) };
        let events = [0, 1, 2].map(|number| Event { segment: number, operand: number % 2 }).to_vec();
        let work = Work {
            segments: vec![load(first), load(second), rest],
            events,
            packets: vec![PacketWork { first: 0, end: 3, time_us: 0 }],
            locks: 0,
            instructions: 12,
        };
        let config = CoreConfig { cache_lines: 128, cache_latency_cycles: latency, ..core(1) };
        let counts = counted(&work, config);
        assert_eq!(counts.misses, 0);
        cycles_per_packet(&counts).round() as u64 - 12
    };
    let (first, second) = (1 << 5, 1 << 6);
    // The first load ends at 1 and its value is there at 5, the second one's at 6; the rest begins at 2.
    assert_eq!(stalls([first, 0], 4), 3);
    assert_eq!(stalls([second, 0], 4), 4);
    assert_eq!(stalls([0, first], 4), 2);
    // The waits do not add up: the second use begins at 6 at the earliest.
    assert_eq!(stalls([first, second], 4), 3);
    assert_eq!(stalls([second, first], 4), 4);
    assert_eq!(stalls([first | second, 0], 4), 4);
    assert_eq!(stalls([first, 0], 1), 0);
    assert_eq!(stalls([0, 0], 4), 0);
}

/// A packet that holds one lock during a load.
fn locking(packets: u32, locks: u32) -> Work {
    let kinds = [Kind::Lock, Kind::Load, Kind::Unlock, Kind::End];
    let mut work = Work { segments: kinds.map(|kind| segment(10, kind)).to_vec(), locks, ..Work::default() };
    for packet in 0..packets {
        let first = work.events.len() as u32;
        for (number, kind) in (0u32..).zip(kinds) {
            let operand = match kind {
                Kind::Load => packet,
                Kind::End => 0,
                _ => packet % locks,
            };
            work.events.push(Event { segment: number, operand });
        }
        work.packets.push(PacketWork { first, end: work.events.len() as u32, time_us: packet });
        work.instructions += 40;
    }
    work
}

#[test]
fn what_one_lock_guards_happens_one_at_a_time() {
    // Between lock and unlock are two gaps and an access; other threads execute the rest meanwhile.
    let counts = counted(&locking(500, 1), core(8));
    let held = 20.0 + 100.390_625;
    let cycles = cycles_per_packet(&counts);
    assert!(cycles >= held && cycles < held + 30.0, "{cycles}");
    assert!(counts.lock_waits > 0);
    let many = counted(&locking(500, 500), core(16));
    assert_eq!(many.lock_waits, 0, "different locks exclude nobody");
}

#[test]
fn threads_that_wait_for_each_other_are_an_error() {
    // Two threads take two locks in opposite order, with an access in between.
    let kinds = [Kind::Lock, Kind::Load, Kind::Lock, Kind::Unlock, Kind::Unlock, Kind::End];
    let mut work =
        Work { segments: kinds.map(|kind| segment(1, kind)).to_vec(), locks: 2, ..Work::default() };
    for order in [[0, 9, 1, 1, 0, 0], [1, 8, 0, 0, 1, 0]] {
        let first = work.events.len() as u32;
        for (number, operand) in (0u32..).zip(order) {
            work.events.push(Event { segment: number, operand });
        }
        work.packets.push(PacketWork { first, end: work.events.len() as u32, time_us: 0 });
        work.instructions += 6;
    }
    let error = run(&work, core(2), Arrivals::BackToBack, Separate, WINDOW).expect_err("a deadlock");
    assert_eq!(error, MalleableError::Deadlock { threads: 2 });
}

#[test]
fn every_tick_is_counted_once_and_every_packet_done() {
    for threads in [1, 3, 8, 64] {
        let work = locking(300, 7);
        let config = CoreConfig { cache_lines: 64, cache_ways: 4, ..core(threads) };
        let mut core =
            Core::new(&work, config, Arrivals::BackToBack, Mrc::new(Prediction::ResumePc)).expect("a core");
        core.run(5000).expect("a run");
        let counts = core.counts();
        assert!(counts.packets >= 5000 && counts.packets < 5000 + 64);
        assert!(counts.instructions >= counts.packets * 40);
        assert!(counts.instructions <= (counts.packets + 64) * 40);
        assert_eq!(counts.ticks.instructions % TICKS, 0);
    }
}

#[test]
fn every_register_that_is_needed_was_fetched_ahead_or_missed() {
    // A thread that holds the lock over its load resumes itself while the others wait for the lock.
    for threads in 1..=4 {
        let mut work = locking(300, 1);
        for (number, segment) in (0u32..).zip(&mut work.segments) {
            (segment.reads, segment.writes) = (0b110 << number | 1 << 20, 1 << (10 + number));
            segment.resume = number;
        }
        let config = CoreConfig { cache_lines: 64, cache_ways: 4, ..core(threads) };
        let counted = |prediction| {
            let mut core =
                Core::new(&work, config, Arrivals::BackToBack, Mrc::new(prediction)).expect("a core");
            core.run(5000).expect("a run");
            (core.counts().switches, core.registers().counts().clone())
        };
        for prediction in [Prediction::ResumePc, Prediction::Hot(1 << 20 | 1 << 31), Prediction::All] {
            let (switches, found) = counted(prediction);
            assert!(found.switches < switches, "some thread resumed itself");
            assert!(
                found.needed <= found.prefetched + found.missed,
                "{threads} threads, {prediction:?}: {found:?}"
            );
            // The last thread is still active: its misses are counted, but not yet all that it needed.
            assert!(found.missed <= found.needed + 32, "{threads} threads, {prediction:?}: {found:?}");
        }
        let (_, oracle) = counted(Prediction::Oracle);
        assert_eq!(
            oracle.prefetched, oracle.needed,
            "perfect knowledge fetches what is needed and nothing else"
        );
        assert_eq!(oracle.missed, 0);
    }
}

#[test]
fn packets_come_when_the_capture_has_them() {
    // One packet arrives per microsecond of 1000 cycles: a packet of 460 cycles leaves the core idle.
    let work = streaming(500, 4, 10);
    let arrivals = Arrivals::Timed { cycles_per_us: 1000 };
    let counts =
        run(&work, core(4), arrivals, Separate, Window { warmup_packets: 20, packets: 400 }).expect("a run");
    assert!((cycles_per_packet(&counts) - 1000.0).abs() < 30.0, "{}", cycles_per_packet(&counts));
    assert!(counts.ticks.idle_other > 0);
}

#[test]
fn adaptation_finds_the_best_number_of_threads() {
    // Eleven threads hide 100 cycles behind runs of 10: throughput rises up to eleven threads and then stays
    // constant.
    let work = streaming(3000, 4, 10);
    let config = CoreConfig { cache_lines: 512, ..core(1) };
    let mut core = Core::new(&work, config, Arrivals::BackToBack, Separate).expect("a core");
    let adaptation = Adaptation { period_packets: 60_000, trial_packets: 2000, most_threads: 26 };
    let found = adapt(&mut core, adaptation, 200_000).expect("a stream");
    assert!((9..=13).contains(&found.threads), "{}", found.threads);
    let best = (1..=26).map(|threads| {
        let config = CoreConfig { threads, ..config };
        run(&work, config, Arrivals::BackToBack, Separate, WINDOW).expect("a run").packets_per_mcycle(&work)
    });
    let best = best.fold(0.0, f64::max);
    assert!(found.steady_packets_per_mcycle.is_some_and(|steady| steady > 0.97 * best));
    assert_eq!(found.unsuccessful, 0);
    // The number of threads rises by one while this helps: trials have 1, 2, 3, … threads.
    let first: Vec<u32> =
        found.history.iter().take_while(|stretch| stretch.trial).map(|stretch| stretch.threads).collect();
    assert!(first.windows(2).take(8).all(|pair| pair[1] == pair[0] + 1), "{first:?}");
}

#[test]
fn a_stream_that_stops_in_a_trial_leaves_the_threads_as_they_were() {
    let work = streaming(3000, 4, 10);
    let mut core = Core::new(&work, core(3), Arrivals::BackToBack, Separate).expect("a core");
    let adaptation = Adaptation { period_packets: 60_000, trial_packets: 2000, most_threads: 26 };
    let found = adapt(&mut core, adaptation, 5000).expect("a stream");
    assert_eq!((found.threads, found.unsuccessful), (3, 1));
    // Of 5,000 packets, the two trials leave 1,000; of 4,000, they leave none.
    assert!(found.steady_packets_per_mcycle.is_some());
    let mut core = Core::new(&work, self::core(3), Arrivals::BackToBack, Separate).expect("a core");
    let found = adapt(&mut core, adaptation, 4000).expect("a stream");
    assert!(found.history.iter().all(|stretch| stretch.trial));
    assert_eq!((found.steady_packets_per_mcycle, found.unsuccessful), (None, 1));
}

#[test]
fn cores_that_cannot_be_are_told() {
    let work = streaming(10, 1, 1);
    for config in [
        CoreConfig { threads: 0, ..core(1) },
        CoreConfig { threads: 65, ..core(1) },
        CoreConfig { cache_ways: 3, ..core(1) },
        CoreConfig { cache_lines: 3, ..core(1) },
        CoreConfig { cache_latency_cycles: 5, ..core(1) },
        CoreConfig { memory_latency_cycles: 0, ..core(1) },
        CoreConfig { memory_refs_per_cycle: f64::NAN, ..core(1) },
    ] {
        let error = run(&work, config, Arrivals::BackToBack, Separate, WINDOW).expect_err("no core");
        assert!(error.to_string().contains("expected"), "{error}");
    }
    let error =
        run(&Work::default(), core(1), Arrivals::BackToBack, Separate, WINDOW).expect_err("no packets");
    assert_eq!(error, MalleableError::NoPackets);
}
