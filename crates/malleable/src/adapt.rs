//! Adapts the number of threads while packets flow (Mudigonda 2007, section 5, Algorithm 1).

use crate::MalleableError;
use crate::core::{Core, Counts};
use crate::registers::Registers;
use schemars::JsonSchema;
use serde::Serialize;

/// When and how a core adapts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Adaptation {
    /// Packets from one adaptation to the next.
    pub period_packets: u64,
    /// Packets of a trial.
    pub trial_packets: u64,
    /// Most threads.
    pub most_threads: u32,
}

/// An interval with a constant number of threads: a trial, or the time between two adaptations.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Stretch {
    /// Number of packets that were processed before this interval.
    pub from_packet: u64,
    /// Number of threads.
    pub threads: u32,
    /// Throughput in packets per million cycles.
    pub packets_per_mcycle: f64,
    /// Whether the interval was a trial.
    pub trial: bool,
}

/// Results of a malleable core, which adapts its number of threads at run time.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Adapted {
    /// Number of threads at the end of the simulation.
    pub threads: u32,
    /// Throughput in packets per million cycles, excluding all trials; `None` if every packet was part of a trial.
    pub steady_packets_per_mcycle: Option<f64>,
    /// Throughput in packets per million cycles, including all trials.
    pub packets_per_mcycle: f64,
    /// The intervals in chronological order; the number of threads is constant within each interval.
    pub history: Vec<Stretch>,
    /// Number of adaptations that had not finished when the packet stream ended. After such an adaptation, the core has
    /// the number of threads from before it.
    pub unsuccessful: u32,
}

/// The stream stops before its packets are done.
struct Stopped;

struct Search<'c, 'w, R> {
    core: &'c mut Core<'w, R>,
    adaptation: Adaptation,
    left: u64,
    history: Vec<Stretch>,
}

impl<R: Registers> Search<'_, '_, R> {
    /// Returns the throughput with `threads` threads over a trial; an error if the stream stops first.
    fn trial(&mut self, threads: u32) -> Result<Result<f64, Stopped>, MalleableError> {
        self.core.set_threads(threads);
        if self.left < self.adaptation.trial_packets {
            return Ok(Err(Stopped));
        }
        self.stretch(self.adaptation.trial_packets, true).map(Ok)
    }

    fn stretch(&mut self, packets: u64, trial: bool) -> Result<f64, MalleableError> {
        let before = self.core.counts();
        self.core.run(packets)?;
        self.left -= packets;
        let packets_per_mcycle = (self.core.counts() - before).packets_per_mcycle(self.core.work());
        let threads = self.core.threads();
        self.history.push(Stretch { from_packet: before.packets, threads, packets_per_mcycle, trial });
        Ok(packets_per_mcycle)
    }

    /// Algorithm 1: up by one while it helps, else down by two, then the skipped number.
    fn adapt(&mut self) -> Result<Result<u32, Stopped>, MalleableError> {
        let current = self.core.threads();
        macro_rules! trial {
            ($threads:expr) => {
                match self.trial($threads)? {
                    Ok(rate) => rate,
                    Err(stopped) => return Ok(Err(stopped)),
                }
            };
        }
        let here = trial!(current);
        let mut best = (current, here);
        for threads in current + 1..=self.adaptation.most_threads {
            let rate = trial!(threads);
            if rate < best.1 {
                break;
            }
            best = (threads, rate);
        }
        if best.0 > current {
            return Ok(Ok(best.0));
        }
        let mut kept = (current, here);
        let mut threads = current;
        while threads > 2 {
            threads -= 2;
            let rate = trial!(threads);
            if rate < kept.1 {
                break;
            }
            kept = (threads, rate);
        }
        // The number of threads that the last step skipped.
        let skipped = if threads < kept.0 { threads + 1 } else { kept.0.saturating_sub(1) };
        if skipped >= 1 && skipped < kept.0 {
            let rate = trial!(skipped);
            if rate > kept.1 {
                return Ok(Ok(skipped));
            }
        }
        Ok(Ok(kept.0))
    }
}

/// Sends packets through a core that adapts at the start and then every period.
///
/// # Errors
///
/// As [`Core::run`].
pub fn adapt<R: Registers>(
    core: &mut Core<'_, R>,
    adaptation: Adaptation,
    packets: u64,
) -> Result<Adapted, MalleableError> {
    let before = core.counts();
    let mut search = Search { core, adaptation, left: packets, history: Vec::new() };
    let mut unsuccessful = 0;
    let (mut steady_packets, mut steady_cycles) = (0.0, 0.0);
    while search.left > 0 {
        let began = search.left;
        let current = search.core.threads();
        match search.adapt()? {
            Ok(threads) => search.core.set_threads(threads),
            Err(Stopped) => {
                search.core.set_threads(current);
                unsuccessful += 1;
            }
        }
        let used = began - search.left;
        let rest = adaptation.period_packets.saturating_sub(used).min(search.left);
        if rest > 0 {
            let rate = search.stretch(rest, false)?;
            steady_packets += rest as f64;
            steady_cycles += rest as f64 / rate;
        }
    }
    let history = search.history;
    Ok(Adapted {
        threads: core.threads(),
        steady_packets_per_mcycle: (steady_cycles > 0.0).then(|| steady_packets / steady_cycles),
        packets_per_mcycle: (core.counts() - before).packets_per_mcycle(core.work()),
        history,
        unsuccessful,
    })
}

/// The cost of terminating a thread: the additional time of the packets right after it, compared with packets
/// once lines are pinned again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Termination {
    /// Threads before.
    pub threads: u32,
    /// Packets that count as right after it, fewest first.
    pub packets: Vec<u64>,
    /// Number of terminations.
    pub times: u32,
    /// For each number of packets, the additional time, in per cent of the time of a packet with one thread
    /// less.
    pub longer_percent: Vec<f64>,
}

/// Terminates a thread repeatedly, and compares the packets right after it (as many as each of `packets`, in
/// ascending order) with those of the settled core.
///
/// # Errors
///
/// As [`Core::run`].
pub fn terminate<R: Registers>(
    core: &mut Core<'_, R>,
    packets: &[u64],
    settled: u64,
    times: u32,
) -> Result<Termination, MalleableError> {
    let threads = core.threads();
    let cycles_per_instruction =
        |core: &Core<'_, R>, since: Counts| 1.0 / (core.counts() - since).instructions_per_cycle();
    let (mut after, mut later) = (vec![0.0; packets.len()], 0.0);
    for _ in 0..times {
        core.set_threads(threads);
        core.run(settled)?;
        core.set_threads(threads.saturating_sub(1).max(1));
        let terminated = core.counts();
        for (sum, &count) in after.iter_mut().zip(packets) {
            let done = core.counts().packets - terminated.packets;
            core.run(count.saturating_sub(done))?;
            *sum += cycles_per_instruction(core, terminated);
        }
        let settling = core.counts();
        core.run(settled)?;
        later += cycles_per_instruction(core, settling);
    }
    let longer = |after: f64| if later > 0.0 { (after / later - 1.0) * 100.0 } else { 0.0 };
    let longer_percent = after.into_iter().map(longer).collect();
    Ok(Termination { threads, packets: packets.to_vec(), times, longer_percent })
}
