//! Does a run end in the way it should, and say why; are impossible machines refused with a reason; does the same run
//! come out the same?

mod kit;

use kit::{TO_THE_END, arrival, departures, dropped, on, rest, send, small, traffic};
use linecard_buffers::AllocatorKind;
use linecard_dram::packet_buffer::Silent;
use linecard_np::{
    Arrival, BufferPath, Counts, Departure, Machine, MachineConfig, Outcome, ReceiveMode, RunLimit,
};
use linecard_program::{Ctx, DropReason, Source, Unit};
use linecard_sim::stream;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

/// Store and forward on port 0; packets that fit nowhere are dropped.
async fn store(ctx: Ctx) {
    loop {
        let packet = ctx.receive().await;
        ctx.compute(10);
        ctx.admit(0).await;
        if !ctx.allocate(packet, 0).await {
            ctx.discard(packet, DropReason::TooLarge).await;
            continue;
        }
        for cell in 0..ctx.head().cells() as u16 {
            ctx.write_cell(packet, cell, Source::ReceiveBuffer).await;
        }
        ctx.join().await;
        ctx.enqueue(packet, 0).await;
    }
}

fn forwarding() -> kit::Scripted {
    kit::Scripted::new(0, |ctx, _| Box::pin(store(ctx)), |ctx, _| Box::pin(send(ctx, 20)))
}

/// The machine with the forwarding programs and `arrivals`.
fn build(config: &MachineConfig, arrivals: Vec<Arrival>) -> Machine {
    Machine::new(config, &forwarding(), traffic(arrivals), Silent).unwrap()
}

fn packets(count: u32, bytes: u32) -> Vec<Arrival> {
    (0..count).map(|n| arrival(u64::from(n) * 100, bytes, n)).collect()
}

/// One bit of text for each kind of wait that a deadlock names, with its number of threads.
#[track_caller]
fn deadlock(outcome: Outcome) -> (usize, Vec<String>) {
    let Outcome::Deadlock { packets_inside, waiting } = outcome else { panic!("{outcome:?}") };
    let mut waiting: Vec<String> = waiting.into_iter().map(|(what, n)| format!("{n} {what}")).collect();
    waiting.sort();
    (packets_inside, waiting)
}

// ---- the ways a run can end ----

#[test]
fn completed_when_as_many_packets_as_asked_for_have_left() {
    let mut machine = build(&small(), packets(50, 100));
    let left = departures(&mut machine);
    assert_eq!(machine.run(RunLimit { warmup_packets: 0, packets: 20 }, &mut on), Outcome::Completed);
    assert_eq!(left.borrow().len(), 20);
    assert_eq!(machine.counts().packets_out, 20);
    // A run that is complete can be taken up again.
    assert_eq!(machine.run(RunLimit { warmup_packets: 0, packets: 30 }, &mut on), Outcome::Completed);
    assert_eq!(left.borrow().len(), 30);
    assert_eq!(machine.run(TO_THE_END, &mut on), Outcome::TrafficEnded);
    assert_eq!(left.borrow().len(), 50);
}

#[test]
fn completed_counts_drops_and_warmup() {
    let mut config = small();
    config.receive.mode = ReceiveMode::Paced { buffer_cells: 0 };
    let mut machine = build(&config, packets(50, 100));
    assert_eq!(machine.run(RunLimit { warmup_packets: 5, packets: 10 }, &mut on), Outcome::Completed);
    assert_eq!(dropped(&machine.counts()), 10);
}

#[test]
fn traffic_ended_when_every_packet_has_left() {
    for mode in [ReceiveMode::Ready, ReceiveMode::Paced { buffer_cells: 1000 }] {
        let mut config = small();
        config.receive.mode = mode;
        let mut machine = build(&config, packets(30, 200));
        assert_eq!(machine.run(TO_THE_END, &mut on), Outcome::TrafficEnded, "{mode:?}");
        assert_eq!(machine.packets_inside(), 0);
        assert_eq!(machine.counts().packets_out, 30);
    }
}

#[test]
fn traffic_ended_at_once_without_any_packet() {
    for mode in [ReceiveMode::Ready, ReceiveMode::Paced { buffer_cells: 10 }] {
        let mut config = small();
        config.receive.mode = mode;
        let mut machine = build(&config, vec![]);
        assert_eq!(machine.run(TO_THE_END, &mut on), Outcome::TrafficEnded, "{mode:?}");
        let counts = machine.counts();
        assert_eq!((counts.packets_in, counts.packets_out, counts.duration), (0, 0, 0));
        assert_eq!(counts.transmit_use, [0.0], "no share of no time is not a number");
    }
}

#[test]
fn interrupted_when_the_caller_asks_to_stop() {
    let mut endless = 0;
    let source = Box::new(move || {
        endless += 1;
        Some(arrival(0, 64, endless))
    });
    let mut machine = Machine::new(&small(), &forwarding(), source, Silent).unwrap();
    let mut told = Vec::new();
    let mut stop_at_the_second = |gone| {
        told.push(gone);
        if told.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    assert_eq!(machine.run(TO_THE_END, &mut stop_at_the_second), Outcome::Interrupted);
    assert!(told[0] > 0 && told[1] > told[0], "{told:?}");
    assert_eq!(machine.counts().packets_out, told[1], "what was counted so far stands");
}

#[test]
fn deadlock_when_a_buffer_is_too_small_names_what_threads_wait_for() {
    // One page of 4 cells: it is the frontier's own, so it never goes back to the pool, and the second packet does not
    // fit behind the first.
    let mut config = small();
    config.engine.threads = 2;
    config.memory.allocator.kind = AllocatorKind::Piecewise;
    (config.memory.allocator.cells, config.memory.allocator.page_cells) = (4, 4);
    let mut machine = build(&config, packets(10, 192));
    let left = departures(&mut machine);
    let (inside, waiting) = deadlock(machine.run(TO_THE_END, &mut on));
    assert_eq!((inside, left.borrow().len()), (2, 1));
    assert_eq!(waiting, ["2 wait block", "2 wait buffer space"]);
}

#[test]
fn deadlock_when_a_lock_is_never_given_back() {
    let holds_on = |ctx: Ctx| async move {
        let packet = ctx.receive().await;
        // Time for the other threads to take a packet.
        ctx.read(Unit::Scratch, 1).await;
        ctx.lock(0).await;
        ctx.discard(packet, DropReason::NoRoute).await;
        rest(ctx).await;
    };
    let program =
        kit::Scripted::new(1, move |ctx, _| Box::pin(holds_on(ctx)), |ctx, _| Box::pin(send(ctx, 20)));
    let mut config = small();
    config.engine.threads = 3;
    let mut machine = Machine::new(&config, &program, traffic(packets(3, 64)), Silent).unwrap();
    let (inside, waiting) = deadlock(machine.run(TO_THE_END, &mut on));
    // One thread took the lock and rests, with no packet left to come.
    assert_eq!(inside, 2);
    assert_eq!(waiting, ["1 wait packet", "2 wait lock", "3 wait block"]);
}

#[test]
fn deadlock_when_a_packet_is_neither_sent_nor_dropped() {
    let forgets = |ctx: Ctx| async move {
        let _ = ctx.receive().await;
        ctx.read(Unit::Sram, 1).await;
        rest(ctx).await;
    };
    let program =
        kit::Scripted::new(0, move |ctx, _| Box::pin(forgets(ctx)), |ctx, _| Box::pin(send(ctx, 20)));
    let mut machine = Machine::new(&small(), &program, traffic(packets(1, 64)), Silent).unwrap();
    let (inside, waiting) = deadlock(machine.run(TO_THE_END, &mut on));
    assert_eq!(inside, 1);
    assert_eq!(waiting, ["1 wait block", "1 wait packet"]);
}

// ---- packets that fit nowhere ----

#[test]
fn a_packet_larger_than_any_buffer_is_dropped_with_a_reason_and_the_rest_goes_on() {
    for kind in AllocatorKind::ALL {
        let mut config = small();
        config.memory.allocator.kind = kind;
        (config.memory.allocator.cells, config.memory.allocator.page_cells) = (64, 32);
        if kind == AllocatorKind::PerQueue {
            config.memory.path = BufferPath::Wide { block_cells: 4, blocks: 2, cell_ps: 20_000 };
        }
        let arrivals = vec![arrival(0, 64, 0), arrival(0, 65 * 64, 1), arrival(0, 64, 2)];
        let mut machine = build(&config, arrivals);
        let left = departures(&mut machine);
        // The only queue's own space is all of it, and so is the only pool of single cells.
        assert_eq!(machine.run(TO_THE_END, &mut on), Outcome::TrafficEnded, "{kind:?}");
        assert_eq!(machine.counts().drops[DropReason::TooLarge as usize], 1, "{kind:?}");
        assert_eq!(left.borrow().iter().map(|d| d.number).collect::<Vec<_>>(), [0, 2], "{kind:?}");
    }
}

// ---- machines that cannot be built ----

#[test]
fn impossible_shapes_are_refused_with_a_reason() {
    let wide = |c: &mut MachineConfig, block_cells, blocks| {
        c.memory.allocator.kind = AllocatorKind::PerQueue;
        c.memory.path = BufferPath::Wide { block_cells, blocks, cell_ps: 0 };
    };
    type Change<'a> = &'a dyn Fn(&mut MachineConfig);
    let refused: [(&str, Change); 23] = [
        ("1 to 64 threads, not 0", &|c| c.engine.threads = 0),
        ("1 to 64 threads, not 65", &|c| c.engine.threads = 65),
        ("both sides need at least one engine", &|c| c.engine.input_engines = 0),
        ("both sides need at least one engine", &|c| c.engine.output_engines = 0),
        ("at most 64 output threads, not 96", &|c| (c.engine.output_engines, c.engine.threads) = (3, 32)),
        ("room for at least one write", &|c| c.engine.posted_writes = 0),
        ("0 MHz", &|c| c.engine.clock_hz = 0),
        ("0 MHz", &|c| c.memory.clock_hz = 0),
        ("no common multiple", &|c| c.engine.clock_hz = 999_999_937),
        ("1 to 64 output ports, not 0", &|c| c.output.ports = 0),
        ("1 to 64 output ports, not 65", &|c| c.output.ports = 65),
        ("1 to 128 transmit slots, not 0", &|c| c.output.slots = 0),
        ("1 to 128 transmit slots, not 129", &|c| c.output.slots = 129),
        ("1 to 1024 cells, not 0", &|c| c.output.block_cells = 0),
        ("at least one packet", &|c| c.output.queue_packets = 0),
        ("at least one input port", &|c| c.receive.ports = 0),
        ("some ports would never be served", &|c| c.receive.ports = 2),
        ("pages of 0 cells", &|c| c.memory.allocator.page_cells = 0),
        ("1 to 32 cells, not 33", &|c| wide(c, 33, 2)),
        ("room for at least one block", &|c| wide(c, 4, 0)),
        ("do not divide into blocks of 3", &|c| wide(c, 3, 2)),
        ("6 cells can lie in 3 wide blocks of 4 cells, but each cache has room for 2", &|c| {
            wide(c, 4, 2);
            c.output.block_cells = 6;
        }),
        ("only the wide path sees to", &|c| c.memory.allocator.kind = AllocatorKind::PerQueue),
    ];
    for (reason, change) in refused {
        let mut config = small();
        change(&mut config);
        let found = Machine::new(&config, &forwarding(), traffic(vec![]), Silent).err();
        let said = found.unwrap_or_else(|| panic!("accepted, though: {reason}"));
        assert!(said.contains(reason), "`{said}` does not say `{reason}`");
    }
}

#[test]
fn the_largest_shapes_run() {
    let mut config = small();
    (config.engine.input_engines, config.engine.threads) = (1, 64);
    (config.receive.ports, config.output.ports, config.output.slots) = (64, 64, 128);
    let mut machine = build(&config, packets(200, 300));
    assert_eq!(machine.run(TO_THE_END, &mut on), Outcome::TrafficEnded);
}

// ---- the same run twice ----

type Result = (String, Vec<Departure>);

/// A machine with some contention on seeded traffic.
fn seeded(seed: u64) -> (Machine, Rc<RefCell<Vec<Departure>>>) {
    let mut random = stream(seed, "traffic");
    let arrivals = (0..300).map(|n| arrival(u64::from(n) * 150, 40 + random.below(1400), n)).collect();
    let mut config = small();
    (config.engine.input_engines, config.engine.threads) = (2, 4);
    config.memory.allocator.kind = AllocatorKind::FineGrain;
    config.memory.allocator.seed = seed;
    let mut machine = build(&config, arrivals);
    let left = departures(&mut machine);
    (machine, left)
}

fn result((machine, left): &mut (Machine, Rc<RefCell<Vec<Departure>>>)) -> Result {
    assert_eq!(machine.run(TO_THE_END, &mut on), Outcome::TrafficEnded);
    let counts: Counts = machine.counts();
    (format!("{counts:?}"), left.borrow().clone())
}

#[track_caller]
fn same(a: &Result, b: &Result) {
    assert_eq!(a.0, b.0);
    assert_eq!(format!("{:?}", a.1), format!("{:?}", b.1));
}

#[test]
fn the_same_seed_gives_the_same_counts_and_departures() {
    let (first, second) = (result(&mut seeded(3)), result(&mut seeded(3)));
    same(&first, &second);
    assert_ne!(first.0, result(&mut seeded(4)).0, "another seed is another run");
}

#[test]
fn machines_built_and_run_in_any_order_do_not_know_of_each_other() {
    let (alone_a, alone_b) = (result(&mut seeded(1)), result(&mut seeded(2)));
    let (mut b, mut a) = (seeded(2), seeded(1));
    same(&result(&mut a), &alone_a);
    same(&result(&mut b), &alone_b);
    // In turns, a few packets at a time.
    let (mut a, mut b) = (seeded(1), seeded(2));
    for packets in (10..200).step_by(10) {
        for machine in [&mut b.0, &mut a.0] {
            let limit = RunLimit { warmup_packets: 0, packets };
            assert_eq!(machine.run(limit, &mut on), Outcome::Completed);
        }
    }
    same(&result(&mut b), &alone_b);
    same(&result(&mut a), &alone_a);
}
