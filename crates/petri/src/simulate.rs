//! Simulates a timed net, event by event.
//!
//! Semantics: immediate transitions come first, those of the highest priority, among them by weight; then the
//! timed transition with the earliest time (on a tie the one defined first). An enabled transition keeps its
//! time while it stays enabled and loses it otherwise (race with enabling memory). With k servers, min(k,
//! degree) timers run in parallel. Exponential times have no memory: a transition has one timer, at the sum of
//! its servers' rates, drawn anew when that sum changes. Others run separately; a decrease of the degree
//! cancels the most recent ones.
//!
//! Unlike in the machines, time is a floating-point number; its unit is the modeller's.

use crate::PetriError;
use crate::compiled::Compiled;
use crate::net::{Net, Timing};
use crate::occupancy::Occupancy;
use linecard_sim::{Stream, stream};
use serde::Serialize;
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// Firings between two calls of the watch.
pub(crate) const FIRINGS_PER_LOOK: u64 = 1 << 16;
/// Most parallel timers of one transition: 128 MB.
const MOST_TIMES: u32 = 1 << 24;
/// Consecutive immediate firings after which time counts as stopped.
pub(crate) const MOST_IMMEDIATE: u64 = 10_000_000;

/// The length of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Time before statistics start.
    pub warmup: f64,
    /// Time with statistics.
    pub time: f64,
    /// Seed of the run.
    pub seed: u64,
}

/// The results of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Simulated {
    /// Firings per time unit, by transition.
    pub throughput: Vec<f64>,
    /// Mean tokens over time, by place.
    pub mean_tokens: Vec<f64>,
    /// Rewards per unit of time, by transition; 0 without a reward.
    pub rewards: Vec<f64>,
    /// Mean busy servers over time, by transition; 0 for immediate ones.
    pub busy_servers: Vec<f64>,
    /// For each place the fractions of time with 0, 1, 2, ... tokens; the 65th is for 64 and more.
    pub occupancy: Vec<Vec<f64>>,
    /// Most tokens, by place.
    pub most_tokens: Vec<u32>,
    /// Total firings.
    pub firings: u64,
    /// Time with statistics; shorter than requested if no transition was enabled any more.
    pub time: f64,
    /// Whether no transition was enabled any more.
    pub dead: bool,
}

/// Simulates a net once.
///
/// # Errors
///
/// If a transition has no time, immediate transitions fire forever, a place gets more than 4294967295 tokens,
/// or `progress` ends the run.
pub fn simulate(
    net: &Net,
    run: &Run,
    progress: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<Simulated, PetriError> {
    if let Some(untimed) = net.transitions.iter().find(|t| t.timing == Timing::Untimed) {
        return Err(PetriError::part(
            "transition",
            &untimed.name,
            "no time",
            "a timing such as exp, det or imm",
        ));
    }
    let mut state = State::new(net, run.seed);
    state.check()?;
    state.settle(progress)?;
    state.until(run.warmup, progress)?;
    state.restart();
    state.until(run.warmup + run.time, progress)?;
    Ok(state.measured())
}

/// The server statistics of a transition.
struct Timer {
    /// Busy servers.
    busy: u32,
    /// Whether an exponential time was used up.
    used: bool,
    /// Busy servers multiplied by time, until `since`.
    busy_time: f64,
    since: f64,
}

/// The timing of a transition.
#[derive(Clone, Copy)]
enum Kind {
    Exponential {
        rate: f64,
    },
    Immediate,
    /// Each server has its own timer.
    Each,
}

/// The condition that enables a transition.
#[derive(Clone, Copy)]
enum Takes {
    /// One token of each of these places, which may be the same one, and nothing else.
    Tokens([u32; 2]),
    /// All of its arcs must be checked.
    Arcs,
}

/// The data of a transition that a firing needs, in one place.
#[derive(Clone, Copy)]
struct Step {
    kind: Kind,
    takes: Takes,
    /// The largest number if there is no limit.
    servers: u32,
    resets: bool,
    /// Ranges of its changes of places, and of the affected transitions, in the shared lists.
    changes: (u32, u32),
    concerned: (u32, u32),
}

/// Appends a list to a shared list. Returns its range.
fn append<T>(all: &mut Vec<T>, list: impl IntoIterator<Item = T>) -> (u32, u32) {
    let start = all.len() as u32;
    all.extend(list);
    (start, all.len() as u32)
}

/// All transitions, with the shared lists in which their steps have ranges.
#[derive(Default)]
struct Steps {
    steps: Vec<Step>,
    changes: Vec<(u32, i64)>,
    /// Transitions whose enabling a firing may change.
    concerned: Vec<u32>,
}

impl Steps {
    fn new(net: &Net, compiled: &Compiled) -> Self {
        let mut all = Self::default();
        for ((number, transition), concerned) in
            net.transitions.iter().enumerate().zip(compiled.concerned(net))
        {
            let alone = compiled.inhibitors.of_transition(number).is_empty();
            let step = Step {
                kind: match transition.timing {
                    Timing::Exponential { rate } => Kind::Exponential { rate },
                    Timing::Immediate { .. } | Timing::Untimed => Kind::Immediate,
                    _ => Kind::Each,
                },
                takes: match *compiled.inputs.of_transition(number) {
                    [(place, 1)] if alone => Takes::Tokens([place; 2]),
                    [(one, 1), (other, 1)] if alone => Takes::Tokens([one, other]),
                    _ => Takes::Arcs,
                },
                servers: transition.servers.busy(u32::MAX),
                resets: !compiled.resets.of_transition(number).is_empty(),
                changes: append(&mut all.changes, compiled.changes[number].iter().copied()),
                concerned: append(&mut all.concerned, concerned),
            };
            all.steps.push(step);
        }
        all
    }
}

struct State<'a> {
    net: &'a Net,
    compiled: Compiled,
    steps: Steps,
    random: Stream,
    now: f64,
    tokens: Vec<u32>,
    /// The time at which each transition fires next; infinite if it does not.
    at: Vec<f64>,
    timers: Vec<Timer>,
    /// The end of each timer of a transition with deterministic times, earliest first; empty for other transitions.
    ends: Vec<VecDeque<f64>>,
    immediates: Vec<u32>,
    occupancy: Occupancy,
    /// A place with too many tokens, and a transition with too many timers.
    overfull: Option<usize>,
    too_busy: Option<usize>,
    fired: Vec<u64>,
    started: f64,
    firings: u64,
    dead: bool,
}

impl<'a> State<'a> {
    fn new(net: &'a Net, seed: u64) -> Self {
        let transitions = net.transitions.len();
        let immediates = (0u32..)
            .zip(&net.transitions)
            .filter(|(_, t)| matches!(t.timing, Timing::Immediate { .. }))
            .map(|(number, _)| number);
        let tokens: Vec<u32> = net.places.iter().map(|place| place.tokens).collect();
        let compiled = Compiled::new(net);
        let mut state = Self {
            net,
            steps: Steps::new(net, &compiled),
            compiled,
            random: stream(seed, "petri"),
            now: 0.0,
            occupancy: Occupancy::new(&tokens, 0.0),
            overfull: None,
            too_busy: None,
            tokens,
            at: vec![f64::INFINITY; transitions],
            timers: (0..transitions)
                .map(|_| Timer { busy: 0, used: false, busy_time: 0.0, since: 0.0 })
                .collect(),
            ends: vec![VecDeque::new(); transitions],
            immediates: immediates.collect(),
            fired: vec![0; transitions],
            started: 0.0,
            firings: 0,
            dead: false,
        };
        for transition in 0..transitions {
            state.renew(transition);
        }
        state
    }

    #[inline(always)]
    fn degree(&self, transition: usize) -> u32 {
        match self.steps.steps[transition].takes {
            Takes::Tokens([one, other]) => self.tokens[one as usize].min(self.tokens[other as usize]),
            Takes::Arcs => self.compiled.degree(transition, |place| self.tokens[place as usize]),
        }
    }

    /// Updates the timers of a transition whose enabling may have changed.
    #[inline(always)]
    fn renew(&mut self, transition: usize) {
        let Step { kind, servers, .. } = self.steps.steps[transition];
        match kind {
            Kind::Exponential { rate } => {
                let busy = servers.min(self.degree(transition));
                let timer = &self.timers[transition];
                if busy != timer.busy || timer.used {
                    self.draw(transition, rate, busy);
                }
            }
            Kind::Immediate => (),
            Kind::Each => self.renew_each(transition),
        }
    }

    /// Updates the timers of a transition whose servers have one each.
    #[inline(never)]
    fn renew_each(&mut self, transition: usize) {
        let kind = &self.net.transitions[transition];
        let busy = kind.servers.busy(self.degree(transition));
        if busy > MOST_TIMES {
            self.too_busy = Some(transition);
            return;
        }
        let ends = &mut self.ends[transition];
        while (ends.len() as u32) < busy {
            ends.push_back(self.now + kind.timing.draw(&mut self.random));
        }
        ends.truncate(busy as usize);
        let first = if let Timing::Deterministic { .. } = kind.timing {
            ends.front().copied().unwrap_or(f64::INFINITY)
        } else {
            ends.iter().copied().fold(f64::INFINITY, f64::min)
        };
        self.account(transition, busy);
        self.at[transition] = first;
    }

    #[inline(always)]
    fn draw(&mut self, transition: usize, rate: f64, busy: u32) {
        let at = match busy {
            0 => f64::INFINITY,
            _ => self.now + self.random.exponential() / (rate * f64::from(busy)),
        };
        self.account(transition, busy);
        self.at[transition] = at;
    }

    /// Sets the number of busy servers from now on.
    #[inline]
    fn account(&mut self, transition: usize, busy: u32) {
        let timer = &mut self.timers[transition];
        timer.used = false;
        if timer.busy != busy {
            timer.busy_time += f64::from(timer.busy) * (self.now - timer.since);
            timer.since = self.now;
            timer.busy = busy;
        }
    }

    #[inline]
    fn put(&mut self, place: u32, tokens: i64) {
        let place = place as usize;
        let Ok(tokens) = u32::try_from(tokens) else {
            self.overfull = Some(place);
            return;
        };
        self.occupancy.change(place, self.tokens[place], tokens, self.now);
        self.tokens[place] = tokens;
    }

    /// Fires a transition, and updates the timers of the affected transitions.
    #[inline]
    fn fire(&mut self, transition: usize) {
        self.fired[transition] += 1;
        self.firings += 1;
        let Step { kind, resets, changes, concerned, .. } = self.steps.steps[transition];
        if resets {
            self.fire_with_resets(transition);
        } else {
            for change in changes.0 as usize..changes.1 as usize {
                let (place, by) = self.steps.changes[change];
                self.put(place, i64::from(self.tokens[place as usize]) + by);
            }
        }
        // The timer of the fired transition is used up.
        match kind {
            Kind::Exponential { .. } => self.timers[transition].used = true,
            Kind::Immediate => (),
            Kind::Each => self.end_one(transition),
        }
        for at in concerned.0 as usize..concerned.1 as usize {
            self.renew(self.steps.concerned[at] as usize);
        }
    }

    /// Ends one timer of a transition whose servers have one each.
    #[inline(never)]
    fn end_one(&mut self, transition: usize) {
        let first = self.ends[transition].iter().position(|&end| end <= self.now).unwrap_or(0);
        self.ends[transition].remove(first);
    }

    #[cold]
    fn fire_with_resets(&mut self, transition: usize) {
        let mut after: Vec<i64> = self.tokens.iter().map(|&tokens| i64::from(tokens)).collect();
        for &(place, weight) in self.compiled.inputs.of_transition(transition) {
            after[place as usize] -= i64::from(weight);
        }
        for &(place, _) in self.compiled.resets.of_transition(transition) {
            after[place as usize] = 0;
        }
        for &(place, weight) in self.compiled.outputs.of_transition(transition) {
            after[place as usize] += i64::from(weight);
        }
        for (place, tokens) in (0u32..).zip(after) {
            if i64::from(self.tokens[place as usize]) != tokens {
                self.put(place, tokens);
            }
        }
    }

    /// Fires immediate transitions until none is enabled.
    fn settle(&mut self, progress: &mut dyn FnMut(f64) -> ControlFlow<()>) -> Result<(), PetriError> {
        if self.immediates.is_empty() {
            return Ok(());
        }
        for row in 1..=MOST_IMMEDIATE {
            if row.is_multiple_of(FIRINGS_PER_LOOK) && progress(self.now).is_break() {
                return Err(PetriError::Interrupted);
            }
            let (mut best, mut sum) = (0, 0.0);
            for &number in &self.immediates {
                let Timing::Immediate { weight, priority } = self.net.transitions[number as usize].timing
                else {
                    continue;
                };
                if self.degree(number as usize) > 0 {
                    if sum == 0.0 || priority > best {
                        (best, sum) = (priority, weight);
                    } else if priority == best {
                        sum += weight;
                    }
                }
            }
            if sum == 0.0 {
                return Ok(());
            }
            let mut drawn = self.random.unit() * sum;
            let mut chosen = None;
            for &number in &self.immediates {
                let Timing::Immediate { weight, priority } = self.net.transitions[number as usize].timing
                else {
                    continue;
                };
                if priority == best && self.degree(number as usize) > 0 {
                    chosen = Some(number);
                    if drawn < weight {
                        break;
                    }
                    drawn -= weight;
                }
            }
            if let Some(number) = chosen {
                self.fire(number as usize);
                self.check()?;
            }
        }
        Err(PetriError::Unsolvable(
            "immediate transitions fire forever, so simulated time does not advance".to_owned(),
        ))
    }

    /// Returns whether every place can still count its tokens.
    #[inline]
    fn check(&self) -> Result<(), PetriError> {
        if self.overfull.is_none() && self.too_busy.is_none() { Ok(()) } else { Err(self.failure()) }
    }

    #[cold]
    fn failure(&self) -> PetriError {
        if let Some(transition) = self.too_busy {
            let transition = &self.net.transitions[transition];
            let found = format!("more than {MOST_TIMES} busy servers");
            return PetriError::part("transition", &transition.name, found, "fewer servers or tokens");
        }
        let name = self.overfull.map_or("", |place| &self.net.places[place].name);
        PetriError::part("place", name, "more tokens than can be counted", "at most 4294967295")
    }

    /// Runs until a time.
    fn until(
        &mut self,
        end: f64,
        progress: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<(), PetriError> {
        let mut look = FIRINGS_PER_LOOK;
        loop {
            let (transition, next) = first(&self.at);
            if next > end {
                self.dead = next == f64::INFINITY;
                if !self.dead || end.is_finite() {
                    self.now = end;
                }
                return Ok(());
            }
            self.now = next;
            self.fire(transition);
            self.check()?;
            if !self.immediates.is_empty() {
                self.settle(progress)?;
            }
            look -= 1;
            if look == 0 {
                look = FIRINGS_PER_LOOK;
                if progress(self.now).is_break() {
                    return Err(PetriError::Interrupted);
                }
            }
        }
    }

    /// Restarts the statistics.
    fn restart(&mut self) {
        self.started = self.now;
        self.occupancy = Occupancy::new(&self.tokens, self.now);
        self.timers.iter_mut().for_each(|timer| (timer.busy_time, timer.since) = (0.0, self.now));
        self.fired.fill(0);
        self.firings = 0;
    }

    fn measured(mut self) -> Simulated {
        for (place, &tokens) in self.tokens.iter().enumerate() {
            self.occupancy.change(place, tokens, tokens, self.now);
        }
        let time = self.now - self.started;
        let per_time = |sum: f64| if time > 0.0 { sum / time } else { 0.0 };
        let busy =
            |timer: &Timer| per_time(timer.busy_time + f64::from(timer.busy) * (self.now - timer.since));
        Simulated {
            throughput: self.fired.iter().map(|&count| per_time(count as f64)).collect(),
            mean_tokens: self.occupancy.means(time),
            rewards: vec![0.0; self.fired.len()],
            busy_servers: self.timers.iter().map(busy).collect(),
            occupancy: self.occupancy.shares(time),
            most_tokens: self.occupancy.most(),
            firings: self.firings,
            time,
            dead: self.dead,
        }
    }
}

/// Returns the first position with the earliest of these times, and that time.
#[inline]
fn first(times: &[f64]) -> (usize, f64) {
    const LANES: usize = 4;
    let earlier = |one: f64, other: f64| if other < one { other } else { one };
    if times.len() < 2 * LANES {
        let later = |best: (usize, f64), (number, &time)| if time < best.1 { (number, time) } else { best };
        return times.iter().enumerate().fold((0, f64::INFINITY), later);
    }
    // Written in lanes, which the compiler turns into vectors.
    let mut lanes = [f64::INFINITY; LANES];
    let (fours, rest) = times.as_chunks::<LANES>();
    for four in fours {
        for lane in 0..LANES {
            lanes[lane] = earlier(lanes[lane], four[lane]);
        }
    }
    let least = lanes.iter().chain(rest).fold(f64::INFINITY, |best, &time| earlier(best, time));
    (times.iter().position(|&time| time == least).unwrap_or(0), least)
}
