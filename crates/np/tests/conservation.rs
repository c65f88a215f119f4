//! Does every packet that comes leave exactly once or get dropped exactly once, with the header that the program gave
//! it, and does the machine end empty?
//!
//! Random traffic over every allocator, both ways to the packet buffer and both ways of arriving, with buffers of a few
//! packets, on machines of random shape.

mod kit;

use kit::{TO_THE_END, departures, dropped, head, on, send, small, traffic};
use linecard_buffers::{AllocatorKind, PoolOrder};
use linecard_dram::RowMap;
use linecard_dram::packet_buffer::{BatchBreak, Precharge, Queues, Silent};
use linecard_np::{
    Arrival, BufferPath, Counts, Departure, Machine, MachineConfig, Outcome, QueueManagerConfig, ReceiveMode,
    RunLimit,
};
use linecard_program::{Application, Ctx, DropReason, PacketHead, Program, Source, Unit, cells_of};
use linecard_queueing::{Kind, Settings};
use linecard_sim::{Stream, stream};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

// ---- an application that does a bit of everything ----

/// Forwards by flow, drops some packets, and leaves a mark in the header. Its drops are noted by number and reason.
#[derive(Default)]
struct Marking {
    ports: u16,
    /// Whether it asks a queue manager.
    managed: bool,
    drops: Rc<RefCell<Vec<(u32, DropReason)>>>,
}

/// What [`Marking`] makes of a header.
fn marked(head: PacketHead) -> PacketHead {
    PacketHead { ttl: head.ttl - 1, checksum: head.checksum ^ head.source as u16, source_port: 7, ..head }
}

/// Every tenth flow or so is dropped, whatever its packets.
fn unwanted(head: &PacketHead) -> bool {
    head.destination.is_multiple_of(11)
}

async fn mark(ctx: Ctx, ports: u16, managed: bool, drops: Rc<RefCell<Vec<(u32, DropReason)>>>) {
    loop {
        let packet = ctx.receive().await;
        let head = ctx.head();
        let drop = |reason| drops.borrow_mut().push((head.source, reason));
        ctx.compute(5 + head.source % 90);
        ctx.read(Unit::Hash, 1).await;
        if unwanted(&head) {
            drop(DropReason::FirewallRule);
            ctx.discard(packet, DropReason::FirewallRule).await;
            continue;
        }
        let lock = head.destination % 2;
        ctx.lock(lock).await;
        ctx.read(Unit::Sram, 1 + head.source % 7).await;
        ctx.unlock(lock).await;
        ctx.set_head(marked(head));
        let queue = (head.destination % u32::from(ports)) as u16;
        ctx.admit(queue).await;
        if !ctx.allocate(packet, queue).await {
            drop(DropReason::TooLarge);
            ctx.discard(packet, DropReason::TooLarge).await;
            continue;
        }
        let first = [Source::ReceiveBuffer, Source::HeaderAndReceiveBuffer, Source::Registers];
        ctx.write_cell(packet, 0, first[head.source as usize % 3]).await;
        for cell in 1..head.cells() as u16 {
            ctx.compute(3);
            ctx.write_cell(packet, cell, Source::ReceiveBuffer).await;
        }
        ctx.join().await;
        ctx.write(Unit::Scratch, 2).await;
        if managed {
            ctx.link(queue).await;
        }
        ctx.enqueue(packet, queue).await;
    }
}

/// As [`send`], with a dequeue before each packet's first block.
async fn unlink_and_send(ctx: Ctx) {
    loop {
        let block = ctx.next_block().await;
        ctx.compute(30);
        if block.first_cell == 0 {
            ctx.unlink(block.port).await;
        }
        ctx.read_block(block).await;
        ctx.transmit(block).await;
    }
}

impl Application for Marking {
    fn name(&self) -> &'static str {
        "marking"
    }

    fn locks(&self) -> u32 {
        2
    }

    fn input(&self, ctx: Ctx) -> Program {
        Box::pin(mark(ctx, self.ports, self.managed, Rc::clone(&self.drops)))
    }

    fn output(&self, ctx: Ctx) -> Program {
        if self.managed { Box::pin(unlink_and_send(ctx)) } else { Box::pin(send(ctx, 30)) }
    }

    fn restart_counters(&self) {}

    fn counters(&self) -> Vec<(&'static str, &'static str, f64)> {
        Vec::new()
    }
}

// ---- traffic and machines ----

/// Packets of random sizes and flows; the number of each is its source address, its flow the destination.
fn arrivals(random: &mut Stream, packets: u32, gap_ns: u32) -> Vec<Arrival> {
    let mut at_ns = 0;
    let mut next = |number| {
        let bytes = match random.below(8) {
            0..3 => 40,
            3 => 1 + random.below(64),
            4..7 => 64 + random.below(1500),
            // Larger than some allocators' buffers.
            _ => 2000 + random.below(6000),
        };
        let flow = random.below(40);
        at_ns += u64::from(random.below(2 * gap_ns));
        let head = PacketHead { destination: flow, checksum: 0x5a5a, ..head(bytes, number) };
        Arrival { at_ns, flow_hash: flow.wrapping_mul(0x9e37_79b1) >> 7, head }
    };
    (0..packets).map(&mut next).collect()
}

/// A machine of random shape whose packet buffer holds few packets.
fn machine(random: &mut Stream, kind: AllocatorKind, wide: bool, paced: bool) -> MachineConfig {
    let mut pick = |choices: &[u32]| choices[random.below(choices.len() as u32) as usize];
    let mut config = small();
    let e = &mut config.engine;
    (e.input_engines, e.output_engines, e.threads) = (pick(&[1, 2, 4]), pick(&[1, 2]), pick(&[1, 2, 4]));
    (e.switch_cycles, e.posted_writes) = (pick(&[0, 2]), pick(&[1, 2, 5]));
    let ports = pick(&[1, 2, 3, 8]);
    config.receive.ports = pick(&[1, 2, 16]).min(e.input_engines * e.threads);
    config.receive.mode = match paced {
        true => ReceiveMode::Paced { buffer_cells: pick(&[30, 60, 200]) },
        false => ReceiveMode::Ready,
    };
    config.output.ports = ports;
    config.output.block_cells = pick(&[1, 2, 4]);
    config.output.slots = pick(&[1, 2, 16]);
    config.output.queue_packets = pick(&[1, 2, 16]);
    let m = &mut config.memory;
    m.allocator.kind = kind;
    m.allocator.pools = pick(&[1, 2]);
    m.allocator.order = [PoolOrder::Lifo, PoolOrder::Fifo][pick(&[0, 1]) as usize];
    m.allocator.queues = ports;
    m.allocator.cells = match kind {
        AllocatorKind::PerQueue => ports * pick(&[40, 64]),
        _ => pick(&[128, 256, 1024]),
    };
    if wide {
        let block_cells = pick(&[2, 4]);
        // Room for what one block of output can touch, and now and then for one more.
        let touched = match config.output.block_cells {
            1 => 1,
            t => (t - 2) / block_cells + 2,
        };
        m.path = BufferPath::Wide { block_cells, blocks: touched + pick(&[0, 0, 1]), cell_ps: 20_000 };
    }
    let p = &mut m.policy;
    p.queues = [Queues::OddEven, Queues::ReadWrite][pick(&[0, 1]) as usize];
    p.precharge = [Precharge::Eager, Precharge::Lazy][pick(&[0, 1]) as usize];
    p.batch_break = [BatchBreak::SameBankMiss, BatchBreak::AnyMiss][pick(&[0, 1]) as usize];
    (p.batch, p.prefetch, p.ideal) = (pick(&[1, 4]), pick(&[0, 1]) == 1, pick(&[0, 0, 0, 1]) == 1);
    m.row_map = RowMap::ALL[pick(&[0, 1]) as usize];
    config
}

// ---- what must hold ----

struct Ran {
    outcome: Outcome,
    left: Vec<Departure>,
    counts: Counts,
    drops: Vec<(u32, DropReason)>,
    inside: usize,
}

fn run(config: &MachineConfig, arrivals: &[Arrival], limit: RunLimit) -> Ran {
    let managed = config.queue_manager.is_some();
    let application = Marking { ports: config.output.ports as u16, managed, ..Marking::default() };
    let drops = Rc::clone(&application.drops);
    let mut machine = Machine::new(config, &application, traffic(arrivals.to_vec()), Silent)
        .unwrap_or_else(|e| panic!("{e}: {config:?}"));
    let left = departures(&mut machine);
    let outcome = machine.run(limit, &mut on);
    let (counts, inside) = (machine.counts(), machine.packets_inside());
    let (left, drops) = (left.borrow().clone(), drops.borrow().clone());
    Ran { outcome, left, counts, drops, inside }
}

#[track_caller]
fn check(config: &MachineConfig, arrivals: &[Arrival]) {
    let ran = run(config, arrivals, TO_THE_END);
    let Ran { left, counts, drops, .. } = &ran;
    assert_eq!(ran.outcome, Outcome::TrafficEnded, "{config:?}");
    assert_eq!(ran.inside, 0);

    // Everything that came left or was dropped, once.
    // A packet that no receive buffer holds is dropped before any program sees it, one that no buffer holds by the program.
    let by_program = drops.iter().filter(|&&(_, reason)| reason == DropReason::TooLarge).count() as u64;
    let too_large = counts.drops[DropReason::TooLarge as usize] - by_program;
    let full = counts.drops[DropReason::ReceiveBufferFull as usize] + too_large;
    let gone: HashSet<u32> =
        left.iter().map(|d| d.head.source).chain(drops.iter().map(|&(number, _)| number)).collect();
    assert_eq!(gone.len(), left.len() + drops.len(), "a packet was there twice: {config:?}");
    assert_eq!(gone.len() as u64 + full, arrivals.len() as u64, "a packet is missing: {config:?}");
    assert!(full == 0 || config.receive.mode != ReceiveMode::Ready);
    let noted = drops.iter().filter(|(_, r)| *r == DropReason::FirewallRule).count() as u64;
    assert_eq!(noted, counts.drops[DropReason::FirewallRule as usize]);

    // Every packet is the one that came, with the header that the program gave it, on the port of its flow.
    for d in left {
        let came = &arrivals[d.number as usize];
        assert_eq!(d.head, marked(came.head));
        assert!(!unwanted(&came.head));
        assert_eq!(u32::from(d.output_port), came.head.destination % config.output.ports);
        assert!(u32::from(d.input_thread) < config.engine.input_engines * config.engine.threads);
    }
    assert!(left.windows(2).all(|d| d[0].at <= d[1].at));

    // The statistics are those of the packets.
    let bytes = |heads: &mut dyn Iterator<Item = u32>| heads.map(u64::from).sum::<u64>();
    assert_eq!(counts.packets_in, arrivals.len() as u64);
    assert_eq!(counts.packets_out, left.len() as u64);
    assert_eq!(counts.packets_in, counts.packets_out + dropped(counts));
    assert_eq!(counts.bytes_in, bytes(&mut arrivals.iter().map(|a| a.head.bytes)));
    assert_eq!(counts.bytes_out, bytes(&mut left.iter().map(|d| d.head.bytes)));
    assert_eq!(counts.latency.count(), left.len() as u64);
    for (engine, spent) in counts.engines.iter().enumerate() {
        assert_eq!(spent.iter().sum::<u64>(), counts.duration, "engine {engine}");
    }

    // Every cell was written and read once, but for blocks that stayed on the chip.
    let dram = &counts.dram;
    let shares = [dram.data_cycles[0] + dram.data_cycles[1], dram.row_wait_cycles, dram.turnaround_cycles];
    assert!(shares.iter().sum::<u64>() + dram.idle_cycles <= counts.dram_cycles);
    match config.memory.path {
        BufferPath::Direct => {
            assert_eq!(dram.bytes, [counts.bytes_out, counts.bytes_out]);
            let cells: u64 = left.iter().map(|d| u64::from(cells_of(d.head.bytes))).sum();
            assert_eq!(dram.accesses[0], cells);
        }
        BufferPath::Wide { .. } => {
            assert_eq!(dram.bytes[0], dram.bytes[1], "what is written is read");
            let (_, written) = counts.wide_blocks.unwrap();
            assert_eq!(dram.accesses, [written, written]);
        }
    }
}

/// Packets of one flow leave in the order in which they came.
#[track_caller]
fn check_order(config: &MachineConfig, arrivals: &[Arrival]) {
    let mut last: HashMap<u32, u64> = HashMap::new();
    for d in run(config, arrivals, TO_THE_END).left {
        let before = last.insert(d.head.destination, d.number);
        assert!(before.is_none_or(|b| b < d.number), "{} after {before:?}: {config:?}", d.number);
    }
}

const PACKETS: u32 = 400;
const SHAPES: u64 = 80;

fn over_random_machines(
    kinds: &[AllocatorKind],
    wide: bool,
    paced: bool,
    check: fn(&MachineConfig, &[Arrival]),
) {
    for &kind in kinds {
        for seed in 0..SHAPES {
            let mut random = stream(seed, kind.name());
            let config = machine(&mut random, kind, wide, paced);
            let gap_ns = [100, 400, 3000][random.below(3) as usize];
            check(&config, &arrivals(&mut random, PACKETS, gap_ns));
        }
    }
}

/// Allocators for the direct path; space kept apart by queue is refused there.
const DIRECT: [AllocatorKind; 4] =
    [AllocatorKind::Fixed, AllocatorKind::FineGrain, AllocatorKind::Linear, AllocatorKind::Piecewise];

#[test]
fn ports_that_always_have_a_packet_lose_none() {
    over_random_machines(&DIRECT, false, false, check);
}

#[test]
fn ports_with_their_own_pace_lose_none_but_those_counted_as_dropped() {
    over_random_machines(&DIRECT, false, true, check);
}

#[test]
fn the_wide_path_loses_none() {
    over_random_machines(&[AllocatorKind::PerQueue], true, false, check);
    over_random_machines(&[AllocatorKind::PerQueue], true, true, check);
}

#[test]
fn packets_of_a_flow_keep_their_order() {
    over_random_machines(&DIRECT, false, true, check_order);
    over_random_machines(&[AllocatorKind::PerQueue], true, true, check_order);
}

/// What [`check`] and [`check_order`] hold, and that each forwarded packet was put into a list and taken out of it.
fn check_managed(config: &MachineConfig, arrivals: &[Arrival]) {
    check(config, arrivals);
    check_order(config, arrivals);
    let ran = run(config, arrivals, TO_THE_END);
    let usage = ran.counts.queue_manager.unwrap();
    assert_eq!(usage.operations, 2 * ran.left.len() as u64, "{config:?}");
    assert_eq!((usage.empty_dequeues, usage.inside), (0, 0), "{config:?}");
    assert!(usage.hits <= usage.lookups && usage.lookups <= usage.operations, "{usage:?}: {config:?}");
}

/// A queue manager of small caches for any machine.
fn manage(config: &mut MachineConfig, kind: Kind, random: &mut Stream) {
    let mut pick = |key: &str, values: &[&str]| {
        let value = values[random.below(values.len() as u32) as usize];
        format!("{key}={value}")
    };
    let changes = [
        pick("entries", &["1", "3", "32"]),
        pick("engines", &["1", "2", "32"]),
        pick("entry", &["pointer", "descriptor"]),
        pick("requests", &["1", "32"]),
        pick("locking", &["end", "queue"]),
        pick("words", &["4", "128"]),
        pick("mshrs", &["1", "32"]),
    ];
    let settings = Settings::with(&changes).unwrap();
    config.queue_manager = Some(QueueManagerConfig { kind, settings });
    if kind == Kind::QArray {
        (config.engine.input_engines, config.engine.output_engines) = (1, 1);
        config.receive.ports = config.receive.ports.min(config.engine.threads);
    }
}

#[test]
fn every_queue_manager_loses_none_and_keeps_their_order() {
    for kind in Kind::ALL {
        for seed in 0..SHAPES {
            let mut random = stream(seed, kind.name());
            let wide = seed % 4 == 0;
            let allocator = if wide { AllocatorKind::PerQueue } else { DIRECT[seed as usize % DIRECT.len()] };
            let mut config = machine(&mut random, allocator, wide, true);
            manage(&mut config, kind, &mut random);
            let gap_ns = [100, 400, 3000][random.below(3) as usize];
            check_managed(&config, &arrivals(&mut random, PACKETS / 2, gap_ns));
        }
    }
}

#[test]
fn a_run_cut_short_accounts_for_what_is_inside() {
    for seed in 0..SHAPES {
        let mut random = stream(seed, "cut short");
        let kind = DIRECT[seed as usize % DIRECT.len()];
        let config = machine(&mut random, kind, false, false);
        let arrivals = arrivals(&mut random, PACKETS, 100);
        let ran = run(&config, &arrivals, RunLimit { warmup_packets: 0, packets: 150 });
        assert_eq!(ran.outcome, Outcome::Completed);
        let counts = &ran.counts;
        assert_eq!(counts.packets_in, counts.packets_out + dropped(counts) + ran.inside as u64);
        assert!(counts.packets_out + dropped(counts) >= 150);
        for spent in &counts.engines {
            assert_eq!(spent.iter().sum::<u64>(), counts.duration);
        }
    }
}

#[test]
fn a_warmup_is_left_out_of_every_count() {
    for seed in 0..SHAPES {
        let mut random = stream(seed, "warm-up");
        let kind = DIRECT[seed as usize % DIRECT.len()];
        let config = machine(&mut random, kind, false, false);
        let arrivals = arrivals(&mut random, PACKETS, 100);
        let whole = run(&config, &arrivals, TO_THE_END);
        let rest = run(&config, &arrivals, RunLimit { warmup_packets: 150, packets: u64::MAX - 150 });
        assert_eq!(rest.left.len(), whole.left.len(), "statistics change nothing");
        assert!(rest.counts.duration < whole.counts.duration);
        let gone = |c: &Counts| c.packets_out + dropped(c);
        let warmup = gone(&whole.counts) - gone(&rest.counts);
        assert!((150..160).contains(&warmup), "{warmup} packets of warm-up");
        let left_later = rest.left.len() - rest.counts.packets_out as usize;
        let bytes: u64 = rest.left[left_later..].iter().map(|d| u64::from(d.head.bytes)).sum();
        assert_eq!(rest.counts.bytes_out, bytes);
        for spent in &rest.counts.engines {
            assert_eq!(spent.iter().sum::<u64>(), rest.counts.duration);
        }
    }
}
