//! What drives a machine: event after event until enough packets have gone, the traffic has ended, or nothing moves.

use crate::machine::{Outcome, RunLimit};
use linecard_sim::Ticks;
use std::ops::ControlFlow;

const EVENTS_BETWEEN_REPORTS: u32 = 1 << 18;

/// A machine that can be driven.
pub(crate) trait Driven {
    /// Packets that have left or been dropped.
    fn gone(&self) -> u64;

    /// Statistics begin here.
    fn start_measuring(&mut self);

    /// The next event: when, and whose.
    fn take_next(&mut self) -> Option<(Ticks, usize)>;

    /// Serves an event.
    fn handle(&mut self, source: usize, now: Ticks);

    /// Packets inside, and whether no more will come.
    fn inside(&self) -> (usize, bool);

    /// What each thread waits for.
    fn states(&self) -> impl Iterator<Item = &'static str>;
}

/// Runs until `limit`; `progress` is told from time to time how many packets have left or been dropped.
pub(crate) fn run<M: Driven>(
    machine: &mut M,
    limit: RunLimit,
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Outcome {
    let total = limit.warmup_packets + limit.packets;
    let mut warming = limit.warmup_packets > 0;
    let mut mark = if warming { limit.warmup_packets } else { total };
    let mut countdown = EVENTS_BETWEEN_REPORTS;
    loop {
        if machine.gone() >= mark {
            if !warming {
                return Outcome::Completed;
            }
            (warming, mark) = (false, total);
            machine.start_measuring();
        }
        let Some((now, source)) = machine.take_next() else {
            return nothing_left(machine);
        };
        machine.handle(source, now);
        countdown -= 1;
        if countdown == 0 {
            countdown = EVENTS_BETWEEN_REPORTS;
            if progress(machine.gone()).is_break() {
                return Outcome::Interrupted;
            }
        }
    }
}

fn nothing_left<M: Driven>(machine: &M) -> Outcome {
    let (packets_inside, ended) = machine.inside();
    if ended && packets_inside == 0 {
        return Outcome::TrafficEnded;
    }
    let mut waiting: Vec<(String, usize)> = Vec::new();
    for state in machine.states() {
        match waiting.iter_mut().find(|(name, _)| name == state) {
            Some((_, count)) => *count += 1,
            None => waiting.push((state.to_owned(), 1)),
        }
    }
    Outcome::Deadlock { packets_inside, waiting }
}
