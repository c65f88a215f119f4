//! Helpers shared by the tests of the network processor: a small machine, applications written for the tests, and
//! traffic from lists. The engine clock of the small machine is 1 GHz and its DRAM clock 100 MHz, so that a tick and
//! an engine cycle are a nanosecond.

#![allow(dead_code, reason = "each test binary uses some of these")]

use linecard_buffers::{AllocatorConfig, AllocatorKind, PoolOrder};
use linecard_dram::packet_buffer::{BatchBreak, Policy, Precharge, Queues};
use linecard_dram::{Command, Constraint, Edge, Level, Organization, RowMap, Timing};
use linecard_np::{
    Arrival, BranchConfig, BufferPath, Counts, Departure, EngineConfig, Machine, MachineConfig, MemoryConfig,
    OutputConfig, PathsConfig, ReceiveConfig, ReceiveMode, RunLimit, UnitConfig, Watch,
};
use linecard_program::{Application, Ctx, NetworkKind, PacketHead, Program};
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::rc::Rc;

/// Everything there is: for runs that end with the traffic.
pub const TO_THE_END: RunLimit = RunLimit { warmup_packets: 0, packets: u64::MAX };

/// The DRAM of `presets/dram/hasan2003_sdr100.toml`: tRP 2, tRCD 2, 2 cycles to the data, 8 bytes a cycle.
pub fn sdr100() -> Timing {
    use Command::{Activate, Precharge as Pre, Read, Write};
    let row = |name: &str, level, before: &[Command], after: &[Command], cycles, from| Constraint {
        name: name.into(),
        level,
        before: before.to_vec(),
        after: after.to_vec(),
        cycles,
        from,
        window: 1,
    };
    Timing {
        read_latency: 2,
        write_latency: 2,
        constraints: vec![
            row("tRP", Level::Bank, &[Pre], &[Activate], 2, Edge::Issue),
            row("tRCD", Level::Bank, &[Activate], &[Read, Write], 2, Edge::Issue),
            row("tCCD", Level::Rank, &[Read, Write], &[Read, Write], 0, Edge::ColumnEnd),
            row("tRTP", Level::Bank, &[Read, Write], &[Pre], 0, Edge::DataEnd),
        ],
    }
}

/// One input and one output engine of one thread, one port each way, and nothing that waits longer than it must.
pub fn small() -> MachineConfig {
    let unit = |latency_ns: u64, word_ns: u64| UnitConfig {
        latency_ps: latency_ns * 1000,
        word_ps: word_ns * 1000,
        access_ps: 0,
        transit_ps: 0,
    };
    MachineConfig {
        engine: EngineConfig {
            clock_hz: 1_000_000_000,
            input_engines: 1,
            output_engines: 1,
            threads: 1,
            switch_cycles: 0,
            branch: BranchConfig { share: 0.0, lost_cycles: 0, seed: 1 },
            posted_writes: 1,
        },
        units: [unit(100, 10), unit(50, 5), unit(30, 30), unit(20, 20)],
        // A transfer takes 5 to its unit and 5 back; the DRAM takes 20 and 1 for each byte.
        paths: PathsConfig {
            issue_ps: 5_000,
            return_ps: 5_000,
            pull_engine_ps: 25_000,
            push_engine_ps: 15_000,
            pull_fifo_ps: 20_000,
            push_fifo_ps: 30_000,
            fifo_ps: 2_000,
            dram_access_ps: 20_000,
            dram_bytes_per_second: 1_000_000_000,
        },
        result_cache: None,
        queue_manager: None,
        memory: MemoryConfig {
            clock_hz: 100_000_000,
            organization: Organization {
                ranks: 1,
                groups: 1,
                banks: 4,
                row_bytes: 4096,
                rows: 512,
                beat_bytes: 8,
                beats_per_cycle: 1,
            },
            timing: sdr100(),
            row_map: RowMap::RoundRobin,
            policy: Policy {
                queues: Queues::ReadWrite,
                precharge: Precharge::Lazy,
                batch: 1,
                batch_break: BatchBreak::SameBankMiss,
                prefetch: false,
                ideal: false,
            },
            halves_apart: false,
            allocator: AllocatorConfig {
                kind: AllocatorKind::Fixed,
                cells: 1024,
                page_cells: 32,
                pools: 1,
                order: PoolOrder::Lifo,
                queues: 1,
                seed: 1,
            },
            latency_ps: 50_000,
            path: BufferPath::Direct,
        },
        receive: ReceiveConfig { ports: 1, fast_ports: 0, bus_cell_ps: 0, mode: ReceiveMode::Ready },
        output: OutputConfig {
            ports: 1,
            block_cells: 1,
            slots: 1,
            handshake_ps: 100_000,
            drain_cell_ps: 30_000,
            fast_ports: 0,
            fast_drain_cell_ps: 0,
            queue_packets: 16,
        },
    }
}

/// An IPv4 packet that carries a number.
pub fn head(bytes: u32, number: u32) -> PacketHead {
    PacketHead { bytes, source: number, ttl: 64, network: NetworkKind::Ipv4, ..PacketHead::default() }
}

/// A packet of `bytes` bytes at `at_ns`.
pub fn arrival(at_ns: u64, bytes: u32, number: u32) -> Arrival {
    Arrival { at_ns, flow_hash: 0, head: head(bytes, number) }
}

/// Traffic from a list.
pub fn traffic(arrivals: Vec<Arrival>) -> Box<dyn FnMut() -> Option<Arrival>> {
    let mut arrivals = arrivals.into_iter();
    Box::new(move || arrivals.next())
}

type Script = Box<dyn Fn(Ctx, u32) -> Program>;

/// An application made of two functions; each gets the number of its thread among those of its side.
pub struct Scripted {
    locks: u32,
    input: Script,
    output: Script,
    made: Cell<[u32; 2]>,
}

impl Scripted {
    pub fn new(
        locks: u32,
        input: impl Fn(Ctx, u32) -> Program + 'static,
        output: impl Fn(Ctx, u32) -> Program + 'static,
    ) -> Self {
        Self { locks, input: Box::new(input), output: Box::new(output), made: Cell::default() }
    }

    fn number(&self, side: usize) -> u32 {
        let mut made = self.made.get();
        made[side] += 1;
        self.made.set(made);
        made[side] - 1
    }
}

impl Application for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn locks(&self) -> u32 {
        self.locks
    }

    fn input(&self, ctx: Ctx) -> Program {
        (self.input)(ctx, self.number(0))
    }

    fn output(&self, ctx: Ctx) -> Program {
        (self.output)(ctx, self.number(1))
    }

    fn restart_counters(&self) {}

    fn counters(&self) -> Vec<(&'static str, &'static str, f64)> {
        Vec::new()
    }
}

/// An output thread that spends `cycles` on each block.
pub async fn send(ctx: Ctx, cycles: u32) {
    loop {
        let block = ctx.next_block().await;
        ctx.compute(cycles);
        ctx.read_block(block).await;
        ctx.transmit(block).await;
    }
}

/// For programs whose work is done.
pub async fn rest(ctx: Ctx) {
    loop {
        let _ = ctx.receive().await;
    }
}

/// Collect what leaves.
pub fn departures<O: Watch>(machine: &mut Machine<O>) -> Rc<RefCell<Vec<Departure>>> {
    let left = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&left);
    machine.on_departure(Box::new(move |d| sink.borrow_mut().push(*d)));
    left
}

/// Never asks to stop.
pub fn on(_: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

pub fn dropped(counts: &Counts) -> u64 {
    counts.drops.iter().sum()
}
