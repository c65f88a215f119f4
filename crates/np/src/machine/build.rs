//! Building a machine: its shape is checked, its programs are started.

use super::account::Running;
use super::queue_manager::service;
use super::{ENGINES, Machine, TrafficSource};
use crate::bus::Bus;
use crate::config::{BufferPath, MachineConfig, ReceiveMode};
use crate::engine::Engine;
use crate::lock::Lock;
use crate::memory::Memory;
use crate::output::TransmitPort;
use crate::packet::Packets;
use crate::paths::Paths;
use crate::receive::{Lane, OutputQueue};
use crate::result_cache::ResultCache;
use crate::thread::{Role, State, Thread, Transfer};
use crate::unit::Unit;
use crate::watch::Watch;
use crate::wide::WideCaches;
use linecard_buffers::{Allocator, AllocatorKind};
use linecard_program::{Application, Ctx, Mailbox, Op, PacketId};
use linecard_sim::{Agenda, Branches, Ticks, Timebase, TimebaseError};
use std::collections::VecDeque;
use std::rc::Rc;

impl<O: Watch> Machine<O> {
    /// Build a machine that runs `application` on `traffic`.
    ///
    /// # Errors
    /// A sentence on what does not fit together.
    pub fn new(
        config: &MachineConfig,
        application: &dyn Application,
        traffic: TrafficSource,
        observer: O,
    ) -> Result<Self, String> {
        let mut clocks = vec![config.engine.clock_hz, config.memory.clock_hz];
        if config.queue_manager.is_some() {
            clocks.extend(linecard_queueing::CLOCKS_HZ);
        }
        let timebase = Timebase::from_clocks_hz(&clocks).map_err(|e: TimebaseError| e.to_string())?;
        let engine_clock = timebase.clock(config.engine.clock_hz);
        let e = &config.engine;
        let input_threads = e.input_engines * e.threads;
        let output_threads = e.output_engines * e.threads;
        check_shape(config, input_threads, output_threads)?;
        let allocator = Allocator::new(&config.memory.allocator)?;

        let (ports, queues) = (config.output.ports, config.output.ports as usize);
        let engine_count = (e.input_engines + e.output_engines) as usize;
        let thread_count = (input_threads + output_threads) as usize;
        let mut threads = Vec::with_capacity(thread_count);
        let mut port_pollers = vec![0u64; queues];
        for number in 0..input_threads + output_threads {
            let mailbox = Rc::new(Mailbox::default());
            let ctx = Ctx::new(Rc::clone(&mailbox));
            let (program, role) = if number < input_threads {
                (application.input(ctx), Role::Input)
            } else {
                let index = number - input_threads;
                let mine = |port: u32| {
                    if output_threads >= ports {
                        index % ports == port
                    } else {
                        port % output_threads == index
                    }
                };
                let mask = (0..ports).filter(|&p| mine(p)).fold(0u64, |m, p| m | 1 << p);
                for port in (0..ports).filter(|&p| mine(p)) {
                    port_pollers[port as usize] |= 1 << index;
                }
                (application.output(ctx), Role::Output { ports: mask, last_port: 63 })
            };
            threads.push(Thread {
                program,
                mailbox,
                engine: (number / e.threads) as u16,
                role,
                op: Op::Join,
                clock: linecard_sim::StateClock::new(State::WaitThreadSlot as usize),
                at_receive: [0; State::COUNT],
                under_way: 0,
                returning: VecDeque::with_capacity(e.posted_writes as usize),
                transfer: Transfer::None,
                packet: PacketId(0),
            });
        }
        let wide = match config.memory.path {
            BufferPath::Direct => None,
            BufferPath::Wide { block_cells, blocks, .. } => {
                Some(WideCaches::new(ports, config.memory.allocator.cells / ports, block_cells, blocks))
            }
        };
        let unit = |i: usize| Unit::new(&config.units[i], &timebase, thread_count);
        let result_cache =
            config.result_cache.as_ref().map(ResultCache::new).transpose().map_err(|e| e.to_string())?;
        let queue_manager = config
            .queue_manager
            .as_ref()
            .map(|manager| service(manager, thread_count as u32, ports, timebase))
            .transpose()
            .map_err(|e| e.to_string())?;
        let slots = config.output.slots as usize;
        let handshake = timebase.ticks_from_ps(config.output.handshake_ps);
        let paced = config.receive.mode != ReceiveMode::Ready;
        let first_fast = queues - config.output.fast_ports as usize;
        let drain = |port: usize| {
            let fast = port >= first_fast;
            timebase.ticks_from_ps(if fast {
                config.output.fast_drain_cell_ps
            } else {
                config.output.drain_cell_ps
            })
        };
        let mut machine = Self {
            agenda: Agenda::new(ENGINES + engine_count + 1),
            dram_source: ENGINES + engine_count,
            timebase,
            engine_period: engine_clock.period(),
            switch: engine_clock.ticks(u64::from(e.switch_cycles)),
            posted: e.posted_writes,
            memory_latency: timebase.ticks_from_ps(config.memory.latency_ps),
            cache_cell: match config.memory.path {
                BufferPath::Direct => 0,
                BufferPath::Wide { cell_ps, .. } => timebase.ticks_from_ps(cell_ps),
            },
            path: config.memory.path,
            paced_cells: match config.receive.mode {
                ReceiveMode::Ready => None,
                ReceiveMode::Paced { buffer_cells } => Some(buffer_cells),
            },
            block_cells: config.output.block_cells as u16,
            queue_packets: config.output.queue_packets,
            engines: (0..engine_count).map(|i| Engine::new(i as u32 * e.threads, e.threads)).collect(),
            threads,
            units: [unit(0), unit(1), unit(2), unit(3)],
            result_cache,
            bus: Bus::new(if paced { timebase.ticks_from_ps(config.receive.bus_cell_ps) } else { 0 }),
            fast_input_ports: config.receive.fast_ports as usize,
            queue_manager,
            paths: Paths::new(&config.paths, &timebase, thread_count),
            branches: {
                let b = &config.engine.branch;
                Branches::new(b.share, b.lost_cycles, b.seed)
            },
            memory: Memory::new(&config.memory, timebase.clock(config.memory.clock_hz), allocator, observer),
            wide,
            memory_line: VecDeque::with_capacity(1024),
            cache_line: VecDeque::with_capacity(1024),
            locks: (0..application.locks()).map(|_| Lock::default()).collect(),
            lanes: (0..input_threads).map(|_| Lane::default()).collect(),
            port_cells: vec![0; config.receive.ports as usize],
            queues: (0..queues)
                .map(|_| OutputQueue {
                    packets: VecDeque::with_capacity(config.output.queue_packets as usize),
                    in_transit: 0,
                    waiting: VecDeque::with_capacity(thread_count),
                    next_cell: 0,
                })
                .collect(),
            transmit: (0..queues).map(|port| TransmitPort::new(slots, handshake, drain(port))).collect(),
            transmit_free: vec![Ticks::MAX; queues],
            pollers: 0,
            port_pollers,
            first_output_thread: input_threads,
            sendable: 0,
            buffer_waiters: VecDeque::with_capacity(thread_count),
            retry: Vec::with_capacity(thread_count),
            packets: Packets::default(),
            cells_in_use: 0,
            traffic,
            next_arrival: None,
            traffic_ended: false,
            departures: None,
            arrived: 0,
            gone: 0,
            measuring_since: 0,
            inside_at_start: 0,
            measuring: None,
            counts: Running::new(0),
        };
        let dram_cycle_ps = 1e12 / config.memory.clock_hz as f64;
        machine.memory.controller.observer_mut().dram_cycle_ps(dram_cycle_ps);
        for thread in 0..thread_count as u32 {
            machine.make_ready(thread, 0);
        }
        if machine.paced_cells.is_some() {
            machine.fetch_arrival();
        }
        Ok(machine)
    }
}

/// What no machine can be built from.
fn check_shape(config: &MachineConfig, input_threads: u32, output_threads: u32) -> Result<(), String> {
    let o = &config.output;
    let refuse = |wrong: bool, message: String| if wrong { Err(message) } else { Ok(()) };
    let t = config.engine.threads;
    refuse(!(1..=64).contains(&t), format!("an engine has 1 to 64 threads, not {t}"))?;
    refuse(input_threads == 0 || output_threads == 0, "both sides need at least one engine".into())?;
    refuse(output_threads > 64, format!("at most 64 output threads, not {output_threads}"))?;
    refuse(!(1..=64).contains(&o.ports), format!("1 to 64 output ports, not {}", o.ports))?;
    refuse(config.receive.ports == 0, "at least one input port".into())?;
    refuse(
        config.receive.fast_ports > config.receive.ports || o.fast_ports > o.ports,
        "more fast ports than ports".into(),
    )?;
    refuse(
        config.receive.ports > input_threads,
        format!(
            "{} input ports but only {input_threads} input threads: some ports would never be served",
            config.receive.ports
        ),
    )?;
    refuse(!(1..=128).contains(&o.slots), format!("a port has 1 to 128 transmit slots, not {}", o.slots))?;
    refuse(
        o.block_cells == 0 || o.block_cells > 1024,
        format!("a block has 1 to 1024 cells, not {}", o.block_cells),
    )?;
    refuse(config.engine.posted_writes == 0, "a thread needs room for at least one write under way".into())?;
    refuse(o.queue_packets == 0, "an output queue must take at least one packet".into())?;
    if let BufferPath::Wide { block_cells, blocks, .. } = config.memory.path {
        let ring = config.memory.allocator.cells / o.ports;
        refuse(
            !(1..=32).contains(&block_cells),
            format!("a wide block has 1 to 32 cells, not {block_cells}"),
        )?;
        refuse(blocks == 0, "each cache needs room for at least one block".into())?;
        // A block of output need not begin with a wide block, and is read only when all of it is in the cache.
        let touched = if o.block_cells == 1 { 1 } else { (o.block_cells - 2) / block_cells + 2 };
        refuse(
            touched > blocks,
            format!(
                "an output block of {} cells can lie in {touched} wide blocks of {block_cells} cells, but each cache \
                 has room for {blocks}",
                o.block_cells
            ),
        )?;
        refuse(
            !ring.is_multiple_of(block_cells) || config.memory.allocator.queues != o.ports,
            format!("{ring} cells for each of {} queues do not divide into blocks of {block_cells}", o.ports),
        )?;
    }
    refuse(
        config.memory.path == BufferPath::Direct && config.memory.allocator.kind == AllocatorKind::PerQueue,
        "space kept apart by queue must be given back in the order of the queue, which only the wide path sees to".into(),
    )?;
    Ok(())
}
