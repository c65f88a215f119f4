//! Building a machine of parallel threads.

use super::account::{Levels, Running};
use super::config::{BackPressure, ParallelConfig, Ports};
use super::output::{FLOW_CLASSES, Port};
use super::packet::Packets;
use super::{ENGINES, ParallelMachine, SRAM_CHANNELS, Thread};
use crate::engine::Engine;
use crate::machine::TrafficSource;
use crate::thread::State;
use crate::unit::Unit;
use linecard_dram::SlotController;
use linecard_program::{Application, Ctx, Mailbox, Op, PacketId};
use linecard_sim::{Agenda, StateClock, Timebase, stream};
use std::collections::VecDeque;
use std::rc::Rc;

/// Makes ticks short beside any service time, so that rounding one to whole ticks does not matter.
const FINE_HZ: u64 = 100_000_000_000;

impl ParallelMachine {
    /// Build a machine whose threads all run `application`'s input program on `traffic`.
    ///
    /// # Errors
    /// A sentence on what does not fit together.
    pub fn new(
        config: &ParallelConfig,
        application: &dyn Application,
        traffic: TrafficSource,
    ) -> Result<Self, String> {
        check_shape(config)?;
        let timebase = Timebase::from_clocks_hz(&[config.engine_hz, config.dram.clock_hz, FINE_HZ])
            .map_err(|e| e.to_string())?;
        let engine_clock = timebase.clock(config.engine_hz);
        let thread_count = (config.engines * config.threads) as usize;
        let threads = (0..thread_count as u32)
            .map(|number| {
                let mailbox = Rc::new(Mailbox::default());
                Thread {
                    program: application.input(Ctx::new(Rc::clone(&mailbox))),
                    mailbox,
                    engine: (number / config.threads) as u16,
                    op: Op::Join,
                    clock: StateClock::new(State::WaitThreadSlot as usize),
                    packet: PacketId(0),
                }
            })
            .collect();
        let unit = |c| Unit::new(c, &timebase, thread_count);
        let mut units: Vec<Unit> = (0..SRAM_CHANNELS).map(|_| unit(&config.sram)).collect();
        units.extend([unit(&config.scratch), unit(&config.hash), unit(&config.direct)]);
        let (paced, ports, port_bps) = match config.ports {
            Ports::Ready => (None, 1, 1),
            Ports::Paced(p) => (Some(p), p.ports, p.port_bps),
        };
        let mut machine = Self {
            agenda: Agenda::new(ENGINES + config.engines as usize + 1),
            dram_source: ENGINES + config.engines as usize,
            timebase,
            engine_period: engine_clock.period(),
            switch: engine_clock.ticks(u64::from(config.switch_cycles)),
            engines: (0..config.engines).map(|i| Engine::new(i * config.threads, config.threads)).collect(),
            threads,
            units,
            sram_channels: config.sram_channels as usize,
            next_channel: 0,
            dram: SlotController::new(config.dram.slots)?,
            dram_clock: timebase.clock(config.dram.clock_hz),
            back_pressure: config
                .dram
                .back_pressure
                .unwrap_or(BackPressure { requests: u32::MAX, request_bytes: u32::MAX }),
            requests: 0,
            stalled: VecDeque::with_capacity(thread_count),
            moved: Vec::with_capacity(thread_count),
            interleaving: config.dram.interleaving,
            banks: config.dram.slots.banks,
            placement: stream(config.seed, "placement of packets in banks"),
            paced,
            free_threads: VecDeque::with_capacity(thread_count),
            arrived_packets: VecDeque::with_capacity(256),
            rbuf_cells: 0,
            tbuf_cells: 0,
            tbuf_waiters: VecDeque::with_capacity(thread_count),
            place_waiters: Vec::with_capacity(thread_count),
            unplaced: vec![None; thread_count],
            stored_flows: vec![0; FLOW_CLASSES],
            output: (0..ports).map(|_| Port::new()).collect(),
            bit_ticks_64k: u128::from(timebase.ticks_per_second()) * (1 << 16) / u128::from(port_bps),
            packets: Packets::default(),
            traffic,
            next_arrival: None,
            traffic_ended: false,
            departures: None,
            numbered: 0,
            gone: 0,
            measuring_since: 0,
            inside_at_start: 0,
            measuring: None,
            levels: Levels::default(),
            counts: Running::new(0),
        };
        for thread in 0..thread_count as u32 {
            machine.make_ready(thread, 0);
        }
        if machine.paced.is_some() {
            machine.fetch_arrival();
        }
        Ok(machine)
    }
}

/// What no machine can be built from.
fn check_shape(config: &ParallelConfig) -> Result<(), String> {
    let refuse = |wrong: bool, message: String| if wrong { Err(message) } else { Ok(()) };
    let (engines, threads) = (config.engines, config.threads);
    refuse(engines == 0, "at least one engine".into())?;
    refuse(!(1..=64).contains(&threads), format!("an engine has 1 to 64 threads, not {threads}"))?;
    let channels = config.sram_channels;
    refuse(
        !(1..=SRAM_CHANNELS as u32).contains(&channels),
        format!("1 to {SRAM_CHANNELS} SRAM channels, not {channels}"),
    )?;
    refuse(
        config.dram.back_pressure.is_some_and(|b| b.requests == 0 || b.request_bytes == 0),
        "a back-pressure threshold of 0 lets no access through".into(),
    )?;
    if let Ports::Paced(p) = config.ports {
        refuse(!(1..=64).contains(&p.ports), format!("1 to 64 output ports, not {}", p.ports))?;
        refuse(p.port_bps == 0, "an output port needs a rate".into())?;
        refuse(
            p.tbuf_cells <= p.ports,
            format!(
                "a transmit buffer of {} cells for {} ports: it needs more cells than ports",
                p.tbuf_cells, p.ports
            ),
        )?;
        refuse(
            p.watermarks.is_some_and(|w| w.low_bytes > w.high_bytes),
            "the low watermark lies above the high one".into(),
        )?;
    }
    Ok(())
}
