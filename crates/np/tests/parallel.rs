//! Does the machine of parallel threads do what a packet's way, worked by hand, says; and is every packet that comes
//! sent or dropped exactly once, in the order of its flow, by one port?
//!
//! The programs are written here: they ask for what `ipv4_forward` asks for.

use linecard_dram::SlotConfig;
use linecard_np::parallel::{
    BackPressure, DramConfig, Interleaving, PacedPorts, ParallelConfig, ParallelCounts, ParallelMachine,
    Ports, Release, Watermarks,
};
use linecard_np::{Arrival, Departure, Outcome, RunLimit, UnitConfig};
use linecard_program::{Application, Ctx, DropReason, Move, NetworkKind, PacketHead, Program, Unit};
use linecard_sim::{Stream, stream};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;

fn unit(latency_ns: u64, word_ns: u64, access_ns: u64) -> UnitConfig {
    let ps = |ns: u64| ns * 1000;
    UnitConfig { latency_ps: ps(latency_ns), word_ps: ps(word_ns), access_ps: ps(access_ns), transit_ps: 0 }
}

/// 1 GHz engines: a cycle is a nanosecond. The DRAM is that of Girish 2008, 10 ns a cycle.
fn machine(engines: u32, threads: u32, ports: Ports) -> ParallelConfig {
    ParallelConfig {
        engine_hz: 1_000_000_000,
        engines,
        threads,
        switch_cycles: 0,
        sram: unit(150, 5, 0),
        sram_channels: 2,
        scratch: unit(100, 4, 0),
        hash: unit(0, 0, 148),
        direct: unit(0, 1, 0),
        dram: DramConfig {
            clock_hz: 100_000_000,
            slots: SlotConfig {
                banks: 4,
                slots: 16,
                bytes_per_cycle: 16,
                activate: 3,
                column: 3,
                precharge: 3,
                turnaround: 1,
                refresh_every: 0,
                refresh: 0,
            },
            interleaving: Interleaving::HighOrder,
            back_pressure: None,
        },
        ports,
        seed: 1,
    }
}

fn head(flow: u32, bytes: u32, number: u32) -> PacketHead {
    PacketHead {
        bytes,
        source: number,
        destination: flow,
        source_port: 0,
        destination_port: 0,
        checksum: 0,
        protocol: 17,
        tcp_flags: 0,
        ttl: 64,
        network: NetworkKind::Ipv4,
    }
}

/// The program as a function, for applications of one program.
struct Each<F>(F);

impl<F: Fn(Ctx) -> Program> Application for Each<F> {
    fn name(&self) -> &'static str {
        "test"
    }
    fn locks(&self) -> u32 {
        0
    }
    fn input(&self, ctx: Ctx) -> Program {
        (self.0)(ctx)
    }
    fn output(&self, ctx: Ctx) -> Program {
        (self.0)(ctx)
    }
    fn restart_counters(&self) {}
    fn counters(&self) -> Vec<(&'static str, &'static str, f64)> {
        Vec::new()
    }
}

fn cell_bytes(bytes: u32, cell: u16) -> u16 {
    (bytes - u32::from(cell) * 64).min(64) as u16
}

/// BASE: all cells to DRAM, header, hash, table, header back, all cells out.
async fn base(ctx: Ctx, ports: u16) {
    loop {
        let packet = ctx.receive().await;
        let (bytes, cells) = (ctx.head().bytes, ctx.head().cells() as u16);
        for cell in 0..cells {
            ctx.compute(15);
            ctx.move_cell(Move::RbufToDram, cell, cell_bytes(bytes, cell), true).await;
        }
        ctx.move_cell(Move::DramToRegisters, 0, 24, false).await;
        ctx.compute(30);
        ctx.read(Unit::Hash, 1).await;
        ctx.read(Unit::Sram, 4).await;
        if ctx.head().destination.is_multiple_of(13) {
            ctx.discard(packet, DropReason::NoRoute).await;
            continue;
        }
        ctx.move_cell(Move::RegistersToDram, 0, 24, false).await;
        ctx.place(ctx.head().destination as u16 % ports).await;
        for cell in 0..cells {
            ctx.compute(14);
            ctx.move_cell(Move::DramToTbuf, cell, cell_bytes(bytes, cell), true).await;
        }
        ctx.depart(packet).await;
    }
}

/// Dynamic buffering: lookup first, then from buffer to buffer or by DRAM.
async fn dynamic(ctx: Ctx, ports: u16) {
    loop {
        let (packet, stored) = ctx.receive_or_send().await;
        let (bytes, cells) = (ctx.head().bytes, ctx.head().cells() as u16);
        if !stored {
            ctx.compute(20);
            ctx.read(Unit::Hash, 1).await;
            if ctx.head().destination.is_multiple_of(13) {
                ctx.discard(packet, DropReason::NoRoute).await;
                continue;
            }
            let keep = ctx.place(ctx.head().destination as u16 % ports).await;
            for cell in 0..cells {
                ctx.compute(10);
                let what = if keep { Move::RbufToDram } else { Move::RbufToTbuf };
                ctx.move_cell(what, cell, cell_bytes(bytes, cell), true).await;
            }
            if keep {
                ctx.store().await;
                continue;
            }
        } else {
            for cell in 0..cells {
                ctx.compute(10);
                ctx.move_cell(Move::DramToTbuf, cell, cell_bytes(bytes, cell), true).await;
            }
        }
        ctx.depart(packet).await;
    }
}

struct Ended {
    outcome: Outcome,
    counts: ParallelCounts,
    departures: Vec<Departure>,
    ns: f64,
}

fn run(config: &ParallelConfig, application: &dyn Application, arrivals: Vec<Arrival>) -> Ended {
    let mut list = arrivals.into_iter();
    let mut machine = ParallelMachine::new(config, application, Box::new(move || list.next())).unwrap();
    let seen: Rc<RefCell<Vec<Departure>>> = Rc::default();
    let sink = Rc::clone(&seen);
    machine.on_departure(Box::new(move |d| sink.borrow_mut().push(*d)));
    let limit = RunLimit { warmup_packets: 0, packets: u64::MAX };
    let outcome = machine.run(limit, &mut |_| ControlFlow::Continue(()));
    let ns = machine.timebase().nanoseconds(1);
    let counts = machine.counts();
    let departures = seen.borrow().clone();
    Ended { outcome, counts, departures, ns }
}

fn paced(rbuf_cells: u32, tbuf_cells: u32, ports: u32, watermarks: Option<Watermarks>) -> Ports {
    let release = if rbuf_cells.is_multiple_of(2) { Release::Cell } else { Release::Packet };
    Ports::Paced(PacedPorts { rbuf_cells, release, tbuf_cells, ports, port_bps: 1_000_000_000, watermarks })
}

/// One packet of 64 bytes through an idle machine, BASE, in ns:
/// 0 received; 15 write asked for, begun in cycle 2 (20), data 80 to 120, bank free at 150;
/// 120 header read asked for, begun at 150, data 210 to 230 (24 bytes are two cycles), bank free at 260;
/// 260 hash asked for after 30 cycles, 408 there; 558 table read there;
/// 558 header write asked for, begun at 560, data 620 to 640, bank free at 670;
/// 654 read asked for after 14 cycles, begun at 670, data 730 to 770: the packet leaves.
#[test]
fn one_packet_through_base_takes_as_long_as_worked_by_hand() {
    let ended = run(
        &machine(1, 1, Ports::Ready),
        &Each(|ctx| Box::pin(base(ctx, 1)) as Program),
        vec![Arrival { at_ns: 0, flow_hash: 0, head: head(1, 64, 0) }],
    );
    assert_eq!(ended.outcome, Outcome::TrafficEnded);
    assert_eq!(ended.departures.len(), 1);
    assert!((ended.departures[0].at as f64 * ended.ns - 770.0).abs() < 0.01);
    let d = ended.counts.dram;
    assert_eq!((d.data_cycles, d.accesses, d.narrow_accesses, d.bytes), (4 + 2 + 2 + 4, 4, 2, 176));
    assert_eq!(d.bank_cycles, (9 + 4) * 2 + (9 + 2) * 2);
}

/// The same by dynamic buffering with a port of 1 Gbit/s: 20 cycles, 148 of the hash unit, 10 cycles, then 16 words of
/// 1 ns: at 194 the cell is in the transmit buffer, and 512 ns later sent.
#[test]
fn one_packet_from_buffer_to_buffer_takes_as_long_as_worked_by_hand() {
    let marks = Some(Watermarks { high_bytes: 1000, low_bytes: 500 });
    let ended = run(
        &machine(1, 1, paced(128, 128, 1, marks)),
        &Each(|ctx| Box::pin(dynamic(ctx, 1)) as Program),
        vec![Arrival { at_ns: 1000, flow_hash: 0, head: head(1, 64, 0) }],
    );
    assert!((ended.departures[0].at as f64 * ended.ns - (1000.0 + 194.0 + 512.0)).abs() < 0.1);
    assert_eq!(ended.counts.dram.accesses, 0);
    assert_eq!(ended.counts.direct.1, 1);
}

#[test]
fn many_threads_are_bound_by_the_hash_unit() {
    let mut config = machine(4, 8, Ports::Ready);
    config.dram.slots.banks = 16;
    config.dram.slots.bytes_per_cycle = 64;
    let packets = (0..20_000).map(|n| Arrival { at_ns: 0, flow_hash: n, head: head(1, 64, n) }).collect();
    let ended = run(&config, &Each(|ctx| Box::pin(base(ctx, 1)) as Program), packets);
    let each_ns = ended.counts.duration as f64 * ended.ns / 20_000.0;
    assert!((148.0..148.5).contains(&each_ns), "{each_ns} ns a packet");
}

/// With a threshold, an engine stands still instead of doing other work: never faster, and the same packets.
#[test]
fn back_pressure_slows_down_and_loses_nothing() {
    let packets = || (0..5000).map(|n| Arrival { at_ns: 0, flow_hash: n, head: head(1, 64, n) }).collect();
    let time = |threshold: Option<u32>| {
        let mut config = machine(4, 8, Ports::Ready);
        config.dram.back_pressure = threshold.map(|requests| BackPressure { requests, request_bytes: 64 });
        let ended = run(&config, &Each(|ctx| Box::pin(base(ctx, 1)) as Program), packets());
        assert_eq!((ended.outcome, ended.departures.len()), (Outcome::TrafficEnded, 5000));
        ended.counts.duration
    };
    let (free, threshold_10, threshold_2) = (time(None), time(Some(10)), time(Some(2)));
    assert!(free < threshold_10 && threshold_10 < threshold_2, "{free} {threshold_10} {threshold_2}");
    assert_eq!(free, time(Some(1000)), "a threshold that is never reached changes nothing");
}

fn random_packets(random: &mut Stream, count: u32, gap_ns: u32, flows: u32) -> Vec<Arrival> {
    let mut at_ns = 0;
    (0..count)
        .map(|number| {
            at_ns += u64::from(random.below(2 * gap_ns + 1));
            let flow = random.below(flows);
            let bytes = [40, 64, 65, 128, 576, 1500][random.below(6) as usize];
            Arrival { at_ns, flow_hash: flow, head: head(flow, bytes, number) }
        })
        .collect()
}

/// Packets in are packets out, dropped or inside; nobody twice; flows in order and by one port; all buffers empty at
/// the end. Over machines of random shape, buffers of few cells, watermarks from 0 on, slots from 1 on.
#[test]
fn nothing_is_lost_or_doubled_and_flows_keep_their_order() {
    let mut random = stream(5, "machines");
    for case in 0..60 {
        let ports = 1 + random.below(4);
        let rbuf = 24 + random.below(105);
        let tbuf = ports + 1 + random.below(100);
        let is_dynamic = case % 2 == 0;
        let marks = is_dynamic.then(|| {
            let high_bytes = random.below(4000);
            Watermarks { high_bytes, low_bytes: random.below(high_bytes + 1) }
        });
        let mut config = machine(1 + random.below(4), 1 + random.below(8), paced(rbuf, tbuf, ports, marks));
        config.dram.slots.slots = 1 + random.below(16);
        config.dram.slots.refresh_every = u64::from(random.below(2)) * 300;
        config.dram.slots.refresh = 15;
        config.dram.back_pressure = (random.below(3) == 0)
            .then(|| BackPressure { requests: 1 + random.below(12), request_bytes: 1 + random.below(64) });
        if random.below(2) == 0 {
            config.dram.interleaving = Interleaving::MiddleOrder;
        }
        let gap_ns = [100, 700, 3000][random.below(3) as usize];
        let packets = random_packets(&mut random, 1500, gap_ns, 30);
        let sent: HashMap<u64, PacketHead> =
            packets.iter().map(|a| (u64::from(a.head.source), a.head)).collect();
        let ended = match is_dynamic {
            true => run(&config, &Each(|ctx| Box::pin(dynamic(ctx, ports as u16)) as Program), packets),
            false => run(&config, &Each(|ctx| Box::pin(base(ctx, ports as u16)) as Program), packets),
        };
        let c = &ended.counts;
        assert_eq!(ended.outcome, Outcome::TrafficEnded, "case {case}");
        assert_eq!(c.packets_in, 1500, "case {case}");
        assert_eq!(c.packets_out + c.drops.iter().sum::<u64>(), 1500, "case {case}");
        assert_eq!((c.inside_at_end, c.bytes_in), (0, c.bytes_out + c.dropped_bytes), "case {case}");
        let mut last_of_flow: HashMap<u32, (u64, u16)> = HashMap::new();
        let mut numbers: Vec<u64> = Vec::new();
        for d in &ended.departures {
            assert_eq!(sent[&d.number].bytes, d.head.bytes);
            assert_eq!(u64::from(d.head.source), d.number, "case {case}");
            let flow = d.head.destination;
            if let Some((number, port)) = last_of_flow.insert(flow, (d.number, d.output_port)) {
                assert!(number < d.number, "case {case}: flow {flow} out of order");
                assert_eq!(port, d.output_port, "case {case}");
            }
            numbers.push(d.number);
        }
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len() as u64, c.packets_out, "case {case}");
        if is_dynamic && gap_ns == 100 {
            assert!(c.drops[DropReason::ReceiveBufferFull as usize] > 0, "case {case}: no overload");
        }
    }
}

#[test]
fn what_no_machine_can_be_built_from_is_said() {
    let application = Each(|ctx| Box::pin(base(ctx, 1)) as Program);
    let refused = |config: &ParallelConfig| {
        ParallelMachine::new(config, &application, Box::new(|| None)).err().expect("refused")
    };
    assert!(refused(&machine(0, 1, Ports::Ready)).contains("at least one engine"));
    assert!(refused(&machine(1, 65, Ports::Ready)).contains("threads"));
    assert!(refused(&machine(1, 1, paced(8, 2, 2, None))).contains("more cells than ports"));
    let upside_down = Some(Watermarks { high_bytes: 1, low_bytes: 2 });
    assert!(refused(&machine(1, 1, paced(8, 8, 2, upside_down))).contains("watermark"));
}
