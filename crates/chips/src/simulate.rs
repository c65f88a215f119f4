//! A run of a chip, from request to report.

use super::design::Design;
use super::executed::{Executable, Shared};
use super::from_counts::{Told, report};
use super::hot_channels;
use super::limits;
use super::pace::Pace;
use super::packets_out::{PacketsOut, copies_sink};
use super::program::ReadProgram;
use super::timeline;
use crate::arrivals::{Notes, Source, Traffic, TrafficNotes, judge_traffic};
use crate::report::{Bottleneck, ExecutedProgram, RunReport};
use crate::request::{Program, ProgramFile, Progress, RunRequest};
use crate::routes::{Routes, routes};
use linecard_apps::RouteTable;
use linecard_chip::config::PlaceKind;
use linecard_chip::place::{BankBy, Banked};
use linecard_chip::{Chip, ChipConfig, Counts, Endless, Loss, Misfit, Outcome, RunLimit, Window};
use linecard_files::{Error, WholeFile, problem};
use linecard_program::script::{
    Access, Action, Block, NOT_USED, PacketInfo, PacketProgram, RoleId, Step, Steps,
};
use linecard_program::{DropReason, PacketHead};
use linecard_sim::Timebase;
use linecard_traffic::remap::{AddressMap, AddressMapOptions};
use std::ops::ControlFlow;
use std::rc::Rc;

/// The most events of a timeline; a Perfetto tab can still open this number.
const MOST_EVENTS: usize = 400_000;

/// Whether a run ends with the search for its bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Found,
    LeftOut,
}

/// A program between rings: before it takes a packet out of a ring, it reads the ring's entry; to put a packet in, it
/// takes an entry that is free and writes it.
struct Ringed {
    inner: Box<dyn PacketProgram>,
    /// By inbox.
    takes: Vec<Option<Ring>>,
    /// See `takes`.
    puts: Vec<Option<Ring>>,
}

/// A ring in its memory: entries are written and read in turn.
#[derive(Clone, Copy)]
struct Ring {
    role: RoleId,
    bytes: u16,
    entries: u32,
    next: u32,
}

impl Ring {
    /// Returns the address of the next entry.
    fn turn(&mut self) -> u32 {
        self.next = if self.next + 1 >= self.entries { 0 } else { self.next + 1 };
        self.next.saturating_mul(u32::from(self.bytes))
    }
}

impl PacketProgram for Ringed {
    fn packet(&mut self, head: &mut PacketHead, info: &PacketInfo, steps: &mut Steps) {
        if let Some(ring) = &mut self.takes[usize::from(info.inbox)] {
            let address = ring.turn();
            steps.access(ring.role, Access::Read, ring.bytes, address);
        }
        self.inner.packet(head, info, steps);
        let mut at = 0;
        while let Some(Step { action, .. }) = steps.get(at) {
            let (Action::Put { inbox } | Action::Offer { inbox } | Action::Lend { inbox }) = action else {
                at += 1;
                continue;
            };
            if let Some(ring) = &mut self.puts[usize::from(inbox)] {
                let address = ring.turn();
                let Ring { role, bytes, .. } = *ring;
                let (kind, used_after) = (Access::Write, NOT_USED);
                let write = Action::Access { role, kind, posted: false, bytes, address, used_after };
                // A packet that finds no room skips the write and the put.
                let is_offer = matches!(action, Action::Offer { .. });
                if is_offer {
                    steps.replace(at, Action::Put { inbox });
                }
                steps.insert(at, write);
                steps.insert(at, Action::Reserve { inbox, else_skips: if is_offer { 2 } else { 0 } });
                at += 2;
            }
            at += 1;
        }
    }

    fn resume(&mut self, head: &PacketHead, steps: &mut Steps) {
        self.inner.resume(head, steps);
    }

    fn fills_transmit_buffer(&self) -> bool {
        self.inner.fills_transmit_buffer()
    }

    fn more(&mut self, part: u8, answer: u32, head: &mut PacketHead, steps: &mut Steps) {
        self.inner.more(part, answer, head, steps);
    }

    fn block(&mut self, block: &Block, steps: &mut Steps) {
        self.inner.block(block, steps);
    }

    fn sends_blocks(&self) -> bool {
        self.inner.sends_blocks()
    }

    fn names_operations(&self) -> bool {
        self.inner.names_operations()
    }

    fn locks(&self) -> u32 {
        self.inner.locks()
    }

    fn rests(&mut self, thread: u32) {
        self.inner.rests(thread);
    }

    fn restart_counters(&mut self) {
        self.inner.restart_counters();
    }

    fn counters(&self) -> Vec<(&'static str, &'static str, f64)> {
        self.inner.counters()
    }
}

/// From this share of accesses on, a word is hot.
const LEAST_HOT: f64 = 0.1;

impl Design {
    /// Returns the bank that serves an address of a role for the chip's program `program`, and the number of banks.
    fn bank(&self, program: usize, role: RoleId, address: u32) -> Option<(u32, u32)> {
        let cluster = self.config.clusters.iter().position(|cluster| cluster.program == program)?;
        let target = self.config.targets[cluster].get(usize::from(role.0))?.as_ref()?;
        match &self.config.places[target.place].kind {
            PlaceKind::Banked(Banked { count, by: BankBy::Address { interleave_bytes }, .. }) => {
                let piece = (target.base + u64::from(address)) / u64::from(*interleave_bytes);
                Some(((piece % u64::from(*count)) as u32, *count))
            }
            _ => None,
        }
    }

    /// Returns programs before their first packet, with their costs of rings.
    fn programs(&self, shared: &Shared) -> Vec<Box<dyn PacketProgram>> {
        let ring = |inbox: usize| {
            let entries = self.config.inboxes[inbox].capacity.unwrap_or(1);
            self.rings[inbox].map(|(role, bytes)| Ring { role: RoleId(role as u8), bytes, entries, next: 0 })
        };
        let puts: Vec<_> = (0..self.rings.len()).map(ring).collect();
        let program = |(number, read): (usize, &ReadProgram)| -> Box<dyn PacketProgram> {
            let inner = read.fresh(number, shared);
            let takes = puts.clone();
            if puts.iter().all(Option::is_none) {
                return inner;
            }
            Box::new(Ringed { inner, takes, puts: puts.clone() })
        };
        self.programs.iter().enumerate().map(program).collect()
    }

    /// Returns the source of the packets.
    fn source(&self, request: &RunRequest) -> Result<Source, Error> {
        let Some(trace) = &request.trace else {
            if request.strict {
                let message = "has no effect without a capture; add --trace, or omit --strict";
                return Err(Error::Config {
                    problems: vec![problem("--strict".into(), "", message.to_owned())],
                });
            }
            return Ok(Source::Generator(self.traffic.generator(request.seed)?));
        };
        // If a packet always waits, a capture that is too short for the run repeats.
        let repeat = self.config.saturated && request.packets > 0;
        // A warm-up whose end the run finds itself may take as long as the measurement.
        let packets = request.packets.saturating_add(request.warmup_packets.unwrap_or(request.packets));
        Source::capture(trace, packets, request.strict, repeat, self.traffic.frames)
    }

    /// Determines how fast the time of the capture passes, once for all runs of the chip.
    fn settle_pace(&mut self, request: &RunRequest) -> Result<(), Error> {
        self.traffic.pace = Pace::Scaled(self.traffic.pace.trillionths(|| self.source(request))?);
        Ok(())
    }

    /// Returns the traffic of the request, with its bytes for an executed program.
    fn traffic(&self, request: &RunRequest, shared: &Shared) -> Result<Traffic, Error> {
        let pace = self.traffic.pace.trillionths(|| self.source(request))?;
        let map = match self.looked_up(request)? {
            Some(routes) => Some(address_map(&routes, request.seed)?),
            None => None,
        };
        let traffic = Traffic::of(self.source(request)?, map, pace);
        let traffic = match self.programs.iter().find_map(ReadProgram::plan) {
            Some(plan) => traffic.with_bytes(plan.bytes_sink(&shared.frames)),
            None => traffic,
        };
        Ok(match shared.keeps_copies {
            true => traffic.with_copies(copies_sink(&shared.copies, request.seed)),
            false => traffic,
        })
    }

    /// Returns the forwarding table into which addresses without a route are moved: that of an executed program that
    /// looks up routes, or if the request asks for it, that of a program of the chip.
    fn looked_up(&self, request: &RunRequest) -> Result<Option<Routes>, Error> {
        if let Some(Program::Executed(ProgramFile { table: Some(table), name, .. })) = &request.program {
            let refuse =
                |message| Error::Config { problems: vec![problem(name.clone(), "control", message)] };
            return routes(table, 1, request.seed).map(Some).map_err(refuse);
        }
        if !request.map_addresses {
            return Ok(None);
        }
        let found = self.programs.iter().find_map(|program| program.routes.clone());
        found.map(Some).ok_or_else(|| {
            let message = "has no effect: no program of the chip looks up routes";
            Error::Config { problems: vec![problem("--map-addresses".into(), "", message.to_owned())] }
        })
    }

    /// Returns a chip that is ready to run, changed by `change`.
    pub(super) fn chip(
        &self,
        request: &RunRequest,
        config: ChipConfig,
        shared: &Shared,
    ) -> Result<(Chip, Notes), Error> {
        let mut traffic = self.traffic(request, shared)?;
        let notes = traffic.notes();
        let source = Box::new(move || traffic.next());
        let mut chip = Chip::new(config, self.programs(shared), source).map_err(|misfit| Error::Config {
            problems: vec![problem(request.chip.clone(), "", what_to_write(&misfit))],
        })?;
        let frames = shared.frames.clone();
        chip.on_lost_bytes(Box::new(move |frame| frames.forget(frame)));
        notes.borrow_mut().ticks_per_second(chip.timebase().ticks_per_second());
        Ok((chip, notes))
    }
}

/// Runs a chip. `progress` is called periodically and may stop the run.
///
/// # Errors
/// All configuration problems at once; a capture that cannot be used; a run that ends without a result.
pub(crate) fn simulate(
    request: &RunRequest,
    verdict: Verdict,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<RunReport, Error> {
    let executable = match &request.program {
        Some(Program::Executed(file)) => Some(Executable::load(file, request.seed)?),
        Some(Program::Listed(_)) | None => None,
    };
    let mut design = Design::of(request, executable.as_ref())?;
    design.settle_pace(request)?;
    let shared = Shared::keeping(request.pcap_out.is_some());
    let config = ChipConfig { seed: request.seed, ..design.config.clone() };
    let (mut chip, notes) = design.chip(request, config, &shared)?;
    let capture = request.pcap_out.as_ref().map(|path| {
        let file = WholeFile::create(path)?;
        PacketsOut::listen(file, &mut chip, shared.copies.clone())
    });
    let capture = capture.transpose()?;
    let file = request.timeline.as_ref().map(|path| WholeFile::create(path)).transpose()?;
    if request.timeline.is_some() {
        chip.record(Window {
            from_ns: (request.timeline_from_us * 1e3) as u64,
            for_ns: request.timeline_for_us.map_or(u64::MAX / 4, |us| (us * 1e3) as u64),
            most_events: MOST_EVENTS,
        });
    }
    let packets = if request.packets == 0 { u64::MAX / 4 } else { request.packets };
    let warmup = request.warmup_packets;
    let come = |gone: u64| {
        let (read, size) = notes.borrow().file_bytes;
        let all = warmup.unwrap_or(0) + packets;
        match request.packets {
            0 => Progress { done: read, total: size },
            _ => Progress { done: gone.min(all), total: all },
        }
    };
    let mut look = |gone| match shared.is_faulty() {
        true => ControlFlow::Break(()),
        false => progress(come(gone)),
    };
    let outcome = chip.run(RunLimit { warmup_packets: warmup, packets }, &mut look);
    if let Some(error) = shared.fault.take() {
        return Err(error);
    }
    judge(&outcome, chip.timebase(), &notes.borrow(), request)?;
    // A capture no longer than the warm-up leaves nothing to measure: run it again without one, and say so.
    let measured = chip.counts();
    let shorter = warmup.is_some() && !chip.was_warm() || measured.packets_out == 0;
    if outcome == Outcome::TrafficEnded && shorter && warmup != Some(0) {
        let whole = RunRequest { warmup_packets: Some(0), ..request.clone() };
        let mut report = simulate(&whole, verdict, progress)?;
        report
            .warnings
            .push("the traffic ended during the warm-up, so the statistics cover the whole run".to_owned());
        return Ok(report);
    }
    fits(&measured)?;
    let (limits, what_if) = match verdict {
        Verdict::Found => {
            limits::judge(&design, request, &chip, &measured, &mut || progress(come(u64::MAX)))?
        }
        Verdict::LeftOut => (limits::left_out(&design.config, &measured), Vec::new()),
    };
    let told =
        Told { design: &design, request, chip: &chip, counts: &measured, outcome: &outcome, notes: &notes };
    let place = |role: RoleId| design.roles[usize::from(role.0)].1.clone();
    let bank = |program: usize, role: RoleId, address: u32| design.bank(program, role, address);
    let programs = shared.reports(|program| chip.stalls(program), place, bank);
    let limits = named(limits, &programs);
    let limits = match hot_channels::felt(&design, &measured) {
        Some(why) if limits.decides() => Bottleneck { why: format!("{} {why}", limits.why), ..limits },
        _ => limits,
    };
    let mut report = RunReport { programs, what_if, ..report(&told, limits) };
    report.warnings.extend(shared.races());
    if let Some(capture) = capture {
        match capture.finish() {
            Ok(note) => report.warnings.extend(note),
            Err(error) => report.lacks(format!("the capture of departing packets was not written: {error}")),
        }
    }
    if let (Some(file), Some(recording)) = (file, chip.recording()) {
        let compressed = request.timeline.as_ref().is_some_and(|path| path.ends_with(".gz"));
        match timeline::write(file, compressed, recording, chip.timebase()) {
            Ok(note) => report.warnings.extend(note),
            Err(error) => report.lacks(format!("the timeline is missing: {error}")),
        }
    }
    Ok(report)
}

/// Returns the map for addresses without a route: it moves them into the prefixes of a forwarding table.
fn address_map(routes: &Routes, seed: u64) -> Result<(Rc<RouteTable>, AddressMap), Error> {
    let prefixes: Vec<(u32, u8)> = routes.v4.iter().map(|r| (r.prefix, r.length)).collect();
    let options = AddressMapOptions { seed, ..AddressMapOptions::default() };
    let map = AddressMap::new(&prefixes, options).map_err(|e| Error::Traffic(e.to_string()))?;
    Ok((Rc::clone(&routes.table), map))
}

/// Returns the bottleneck, with its hot word if executed programs have one.
fn named(limit: Bottleneck, programs: &[ExecutedProgram]) -> Bottleneck {
    let hot = programs.iter().flat_map(|program| &program.hot).filter(|hot| hot.memory == limit.component);
    match hot.max_by(|a, b| a.share.total_cmp(&b.share)).filter(|hot| hot.share >= LEAST_HOT) {
        Some(hot) => Bottleneck { why: format!("{} {}", limit.why, hot.sentence()), ..limit },
        None => limit,
    }
}

/// Returns an error for a run in which no packet fitted.
pub(super) fn fits(measured: &Counts) -> Result<(), Error> {
    let too_large = measured.dropped(Loss::Program(DropReason::TooLarge));
    let others = measured.drops.iter().sum::<u64>() - too_large - measured.dropped(Loss::LineFull);
    match measured.packets_out == 0 && too_large > 0 && others == 0 {
        false => Ok(()),
        true => Err(Error::Run(format!(
            "none of the {too_large} packets fits into a receive buffer or a page of the packet memory; raise cells \
             of the [buffer], or page_bytes"
        ))),
    }
}

/// Returns an error if the outcome is not a result.
pub(super) fn judge(
    outcome: &Outcome,
    timebase: Timebase,
    notes: &TrafficNotes,
    request: &RunRequest,
) -> Result<(), Error> {
    judge_traffic(*outcome == Outcome::TrafficEnded, notes, request)?;
    match outcome {
        Outcome::Completed | Outcome::TrafficEnded => Ok(()),
        Outcome::Interrupted => Err(Error::Interrupted),
        Outcome::Fault(sentence) => Err(Error::Run(sentence.clone())),
        Outcome::Endless(endless) => Err(Error::Run(why_endless(endless, timebase))),
        Outcome::TooLate => Err(Error::Run(
            "the run reached the end of the simulation clock, which counts ticks in 64 bits. Request fewer packets, or \
             shorten the times of the chip or of its traffic"
                .to_owned(),
        )),
        Outcome::Deadlock { packets_inside, waiting } => {
            let parts: Vec<String> = waiting.iter().map(|(what, n)| format!("{n} threads: {what}")).collect();
            Err(Error::Run(format!(
                "the chip is deadlocked with {packets_inside} packets inside ({}): threads wait for each other. Look for \
                 a cycle of full rings, an unreleased lock, or an inbox whose full window blocks the packet for which \
                 others wait ([order])",
                parts.join("; ")
            )))
        }
    }
}

/// Returns a text that names the incompatibility, and the keys of the chip's file or the programs that resolve it.
fn what_to_write(misfit: &Misfit) -> String {
    let change = match misfit {
        Misfit::NobodyFillsTransmitBuffer => {
            "omit [transmit], or run a program that moves packets to the transmit buffer (ipv4_forward)"
        }
        Misfit::SeveralListsOfFreeThreads => "dispatch = \"free_list\"",
        Misfit::OrderBesideBlocks => "[order] kept = \"none\"",
        Misfit::BlocksWithoutMovers(_) => {
            "l3fwd16, nat and firewall send block by block; so do lists of steps with op = \"enqueue\""
        }
        Misfit::SpaceByQueueWithoutCaches => {
            "use allocator = \"per_queue_linear\" and [memory.NAME.caches] together, or neither"
        }
        Misfit::Other(_) => return misfit.to_string(),
    };
    format!("{misfit}: {change}")
}

/// Returns a text that states why a run would never end, and what to change.
fn why_endless(endless: &Endless, timebase: Timebase) -> String {
    match endless {
        Endless::InNoTime { at, packets, cluster, inbox, from_outside } => {
            let us = timebase.seconds(*at) * 1e6;
            let what = match from_outside {
                true => "The threads process each packet in zero time, and the next packet is always waiting",
                false => "Each packet returns to the inbox in zero time",
            };
            format!(
                "the run would never end: at {us:.3} us, threads of `{cluster}` take packets out of `{inbox}` ({packets} so far), and \
                 simulated time does not advance. {what}. Set cycles for the steps of this cluster, a latency for its \
                 memories, or a rate for the traffic (traffic.arrivals)"
            )
        }
        Endless::NoneLeaves { packets, inside } => format!(
            "the run would never end: threads have taken packets {packets} times since the last departure, and {inside} packets \
             are inside. The packets circulate between rings. Look for a cluster that puts packets into the ring from which it \
              takes them"
        ),
        Endless::TooLarge { packets } => format!(
            "the run would never end: none of {packets} consecutive packets fits into a page of the packet memory, \
             and another packet always waits. Raise page_bytes or pool_bytes, or send smaller packets"
        ),
    }
}
