//! Simulates a coloured net, firing by firing, on its tokens.
//!
//! Invariants: a timed transition has a timer for each binding that its coloured tokens permit (k for k
//! servers, if tokens suffice); a queue offers only its first fitting tokens. Bindings of a timed transition
//! are kept and updated with each change of a token; those of an immediate one are searched for when it may
//! fire. The engine allocates nothing once all lists have their working size.

mod agenda;
mod bindings;
mod buffers;
#[cfg(test)]
mod by_definition;
mod failure;
mod fire;
mod fixed;
mod immediate;
mod immediates;
mod offer;
mod plan;
mod search;
mod state;
mod store;
mod timed;

use super::fault::Fault;
use super::net::{ColouredNet, TimingCode};
use super::unfold::failed;
use crate::PetriError;
use crate::occupancy::Occupancy;
use crate::simulate::{FIRINGS_PER_LOOK, MOST_IMMEDIATE, Run, Simulated};
use agenda::Agenda;
use bindings::Bindings;
use buffers::Buffers;
use failure::{Done, Ended, Failure, guard_failed};
use fixed::Fixed;
use immediates::Immediates;
use linecard_sim::stream;
use plan::Plans;
use search::Scratch;
use state::Engine;
use std::ops::ControlFlow;
use store::Store;

/// A firing, as an observer receives it.
pub struct Firing<'a> {
    /// The time of the firing.
    pub time: f64,
    /// Number of the transition.
    pub transition: u32,
    /// Variables.
    pub binding: &'a dyn Fn() -> String,
    /// Tokens of each place after it.
    pub tokens: &'a [u32],
}

/// Simulates a coloured net once.
///
/// # Errors
///
/// If a transition has no time, an expression has no value, or immediate transitions fire forever.
pub fn simulate_coloured(
    net: &ColouredNet,
    run: &Run,
    progress: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<Simulated, PetriError> {
    let mut engine = Engine::new(net, run.seed)?;
    engine.until(run.warmup, progress, &mut |_| ControlFlow::Continue(()))?;
    engine.restart();
    engine.until(run.warmup + run.time, progress, &mut |_| ControlFlow::Continue(()))?;
    Ok(engine.measured())
}

impl ColouredNet {
    /// Simulates until a time, and calls an observer with each firing; it may end the run.
    ///
    /// # Errors
    ///
    /// As [`simulate_coloured`].
    pub fn watch(
        &self,
        run: &Run,
        watcher: &mut dyn FnMut(&Firing<'_>) -> ControlFlow<()>,
    ) -> Result<(), PetriError> {
        let mut engine = Engine::new(self, run.seed)?;
        engine.until(run.warmup + run.time, &mut |_| ControlFlow::Continue(()), watcher)
    }
}

impl<'a> Engine<'a> {
    fn new(net: &'a ColouredNet, seed: u64) -> Result<Self, PetriError> {
        if let Some(untimed) = net.transitions.iter().find(|t| t.timing == TimingCode::Untimed) {
            return Err(PetriError::part(
                "transition",
                &untimed.name,
                "no time",
                "a timing such as exp, det or imm",
            ));
        }
        let (places, transitions) = (net.places.len(), net.transitions.len());
        let mut stores = vec![None; places];
        let mut coloured = Vec::new();
        for (number, place) in net.places.iter().enumerate() {
            // Dots have no words: if nothing refers to them individually, they are stored as numbers.
            if place.colour.width() > 0 {
                stores[number] = Some(coloured.len() as u32);
                coloured.push(Store::new(place));
            }
        }
        let mut engine = Self {
            net,
            fixed: net.transitions.iter().map(|transition| Fixed::new(net, transition)).collect(),
            plans: net.transitions.iter().map(|transition| Plans::new(net, transition)).collect(),
            takers: vec![Vec::new(); places],
            counters: vec![Vec::new(); places],
            stores,
            coloured,
            tokens: vec![0; places],
            bindings: net
                .transitions
                .iter()
                .map(|transition| Bindings::new(transition.takes.len()))
                .collect(),
            agenda: Agenda::default(),
            random: stream(seed, "petri"),
            now: 0.0,
            scratch: Scratch::default(),
            fire: Buffers::new(places, transitions),
            immediate: Immediates::new(net),
            occupancy: Occupancy::new(&vec![0; places], 0.0),
            busy: vec![0; transitions],
            busy_since: vec![0.0; transitions],
            busy_time: vec![0.0; transitions],
            fired: vec![0; transitions],
            rewards: vec![0.0; transitions],
            firings: 0,
            started: 0.0,
            dead: false,
        };
        let slots = net.transitions.iter().map(|transition| transition.slots).max().unwrap_or(0);
        let takes = net.transitions.iter().map(|transition| transition.takes.len()).max().unwrap_or(0);
        engine.scratch = Scratch { frame: vec![0; slots], entries: vec![0; takes] };
        for (number, transition) in (0u32..).zip(&net.transitions) {
            for (arc, take) in (0u32..).zip(&transition.takes) {
                engine.takers[take.place as usize].push((number, arc));
            }
            let needs = transition.needs.iter().map(|need| (need.place, false));
            let inhibitors = transition.inhibitors.iter();
            let looks = needs.chain(inhibitors.map(|arc| (arc.place, arc.colour.is_some())));
            for (place, by_colour) in looks {
                let counters = &mut engine.counters[place as usize];
                match counters.iter_mut().find(|(other, _)| *other == number) {
                    Some((_, known)) => *known |= by_colour,
                    None => counters.push((number, by_colour)),
                }
            }
        }
        // Plans search stores by their number, not the place's.
        for plans in &mut engine.plans {
            for offer in &mut plans.offers {
                offer.place = engine.stores[offer.place as usize].unwrap_or(0);
            }
        }
        let begun = engine.begin();
        begun.map_err(|failure| engine.explain(*failure))?;
        Ok(engine)
    }

    /// Puts the initial tokens, and starts the timed transitions that they enable.
    fn begin(&mut self) -> Done<()> {
        for (number, place) in (0u32..).zip(&self.net.places) {
            for (words, count) in &place.tokens {
                self.put(number, words, *count).map_err(|fault| {
                    Box::new(Failure { transition: 0, what: "an initial token", place: Some(number), fault })
                })?;
            }
        }
        let first = self.tokens.clone();
        self.occupancy = Occupancy::new(&first, 0.0);
        for transition in 0..self.net.transitions.len() as u32 {
            self.fire.concern(transition);
            if self.plans[transition as usize].offers.is_empty()
                && !self.fixed[transition as usize].is_immediate
            {
                let always = self.always(transition)?;
                if always {
                    self.bindings[transition as usize].add(&[]);
                }
            }
        }
        self.follow()
    }

    /// Returns whether the conditions without variables hold.
    fn always(&mut self, transition: u32) -> Done<bool> {
        for code in &self.plans[transition as usize].always {
            let holds = code.run(&[], &mut self.random);
            if holds.map_err(|fault| guard_failed(transition, fault))? == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    #[cold]
    fn explain(&self, failure: Failure) -> PetriError {
        let transition = &self.net.transitions[failure.transition as usize];
        if failure.fault == Fault::Endless {
            let name = &transition.name;
            return PetriError::Unsolvable(format!(
                "immediate transitions fire forever, so simulated time does not advance; the last one to fire was {name:?}"
            ));
        }
        let place = failure.place.map_or(&transition.name, |place| &self.net.places[place as usize].name);
        failed(transition, &self.scratch.frame, failure.what, place, failure.fault)
    }

    /// Runs until a time. Returns whether the run was stopped.
    fn until(
        &mut self,
        end: f64,
        progress: &mut dyn FnMut(f64) -> ControlFlow<()>,
        watcher: &mut dyn FnMut(&Firing<'_>) -> ControlFlow<()>,
    ) -> Result<(), PetriError> {
        let result = self.run(end, progress, watcher);
        result.map_err(|ended| self.ended(ended))
    }

    fn ended(&self, ended: Ended) -> PetriError {
        match ended {
            Ended::Failed(failure) => self.explain(*failure),
            Ended::Interrupted => PetriError::Interrupted,
        }
    }

    fn run(
        &mut self,
        end: f64,
        progress: &mut dyn FnMut(f64) -> ControlFlow<()>,
        watcher: &mut dyn FnMut(&Firing<'_>) -> ControlFlow<()>,
    ) -> Result<(), Ended> {
        // The initial tokens may enable immediate transitions.
        if self.settle(progress, watcher)?.is_none() {
            return Ok(());
        }
        let mut look = FIRINGS_PER_LOOK;
        loop {
            let Some((next, timer)) = self.agenda.first().filter(|(next, _)| *next <= end) else {
                self.dead = self.agenda.first().is_none();
                if !self.dead || end.is_finite() {
                    self.now = end;
                }
                return Ok(());
            };
            self.now = next;
            self.end_timer(timer)?;
            if self.watched(watcher).is_break() {
                return Ok(());
            }
            let Some(row) = self.settle(progress, watcher)? else { return Ok(()) };
            look = look.saturating_sub(row + 1);
            if look == 0 {
                look = FIRINGS_PER_LOOK;
                if progress(self.now).is_break() {
                    return Err(Ended::Interrupted);
                }
            }
        }
    }

    #[inline]
    fn watched(&self, watcher: &mut dyn FnMut(&Firing<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        let transition = self.fire.last;
        let binding = || self.net.transitions[transition as usize].words(&self.fire.frame);
        watcher(&Firing { time: self.now, transition, binding: &binding, tokens: &self.tokens })
    }

    /// Fires immediate transitions until none is enabled. Returns their number, or `None` if the watcher stopped.
    #[inline]
    fn settle(
        &mut self,
        progress: &mut dyn FnMut(f64) -> ControlFlow<()>,
        watcher: &mut dyn FnMut(&Firing<'_>) -> ControlFlow<()>,
    ) -> Result<Option<u64>, Ended> {
        let mut row = 0u64;
        while self.fire_immediate()? {
            if self.watched(watcher).is_break() {
                return Ok(None);
            }
            row += 1;
            if row == MOST_IMMEDIATE {
                let (transition, fault) = (self.fire.last, Fault::Endless);
                let what = "the last immediate firing";
                return Err(Box::new(Failure { transition, what, place: None, fault }).into());
            }
            if row.is_multiple_of(FIRINGS_PER_LOOK) && progress(self.now).is_break() {
                return Err(Ended::Interrupted);
            }
        }
        Ok(Some(row))
    }

    /// Discards the counters.
    fn restart(&mut self) {
        self.started = self.now;
        self.occupancy = Occupancy::new(&self.tokens, self.now);
        self.busy_since.fill(self.now);
        self.busy_time.fill(0.0);
        self.fired.fill(0);
        self.rewards.fill(0.0);
        self.firings = 0;
    }

    fn measured(mut self) -> Simulated {
        for place in 0..self.tokens.len() {
            self.occupancy.change(place, self.tokens[place], self.tokens[place], self.now);
        }
        for transition in 0..self.busy.len() {
            self.busy_changes(transition, 0, 0);
        }
        let time = self.now - self.started;
        let per_time = |sum: f64| if time > 0.0 { sum / time } else { 0.0 };
        Simulated {
            throughput: self.fired.iter().map(|&count| per_time(count as f64)).collect(),
            mean_tokens: self.occupancy.means(time),
            rewards: self.rewards.iter().map(|&sum| per_time(sum)).collect(),
            busy_servers: self.busy_time.iter().map(|&sum| per_time(sum)).collect(),
            occupancy: self.occupancy.shares(time),
            most_tokens: self.occupancy.most(),
            firings: self.firings,
            time,
            dead: self.dead,
        }
    }
}
