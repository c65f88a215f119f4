//! A timed net, event by event.
//!
//! Semantics: immediate transitions first, of those the highest priority, among them by weight; then the timed transition
//! whose time comes first (ties: the transition named first). An enabled transition keeps its time while it stays enabled
//! and loses it when it does not (race with enabling memory). With k servers, min(k, degree) times run at once.
//! Exponential times have no memory: a transition has one, at the sum of its servers' rates, drawn anew when that sum
//! changes. Deterministic ones run one by one; what stops being enabled loses those that began last.
//!
//! Time is a floating-point number here, unlike in the machines: units are the modeller's.

use crate::PetriError;
use crate::compiled::Compiled;
use crate::net::{Net, Timing};
use linecard_sim::{Stream, stream};
use serde::Serialize;
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// Firings between two looks at whether to stop.
const FIRINGS_PER_LOOK: u64 = 1 << 16;
/// Immediate firings in a row after which time will not pass any more.
const MOST_IMMEDIATE: u64 = 10_000_000;

/// How long to simulate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Time before statistics start.
    pub warmup: f64,
    /// Time with statistics.
    pub time: f64,
    /// Seed of the run.
    pub seed: u64,
}

/// What a run measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Simulated {
    /// Firings in a unit of time, by transition.
    pub throughput: Vec<f64>,
    /// Tokens averaged over time, by place.
    pub mean_tokens: Vec<f64>,
    /// Most tokens seen, by place.
    pub most_tokens: Vec<u32>,
    /// Firings in all.
    pub firings: u64,
    /// Time with statistics; less than asked for when nothing was enabled any more.
    pub time: f64,
    /// Whether nothing was enabled any more.
    pub dead: bool,
}

/// Simulates a net once.
///
/// # Errors
/// When a transition has no time, or immediate transitions fire for ever.
pub fn simulate(
    net: &Net,
    run: &Run,
    progress: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<Simulated, PetriError> {
    if let Some(untimed) = net.transitions.iter().find(|t| t.timing == Timing::Untimed) {
        return Err(PetriError::part("transition", &untimed.name, "no time", "exp, det or imm"));
    }
    let mut state = State::new(net, run.seed);
    state.settle()?;
    state.until(run.warmup, progress)?;
    state.restart();
    state.until(run.warmup + run.time, progress)?;
    Ok(state.measured())
}

/// The times of a transition.
struct Timer {
    /// When it fires next; infinite if it does not.
    at: f64,
    /// Servers that work.
    busy: u32,
}

struct State<'a> {
    net: &'a Net,
    compiled: Compiled,
    random: Stream,
    now: f64,
    tokens: Vec<u32>,
    timers: Vec<Timer>,
    /// When each deterministic time ends, the first first; other transitions have none.
    ends: Vec<VecDeque<f64>>,
    immediates: Vec<u32>,
    since: Vec<f64>,
    integral: Vec<f64>,
    most: Vec<u32>,
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
        let mut state = Self {
            net,
            compiled: Compiled::new(net),
            random: stream(seed, "petri"),
            now: 0.0,
            tokens: net.places.iter().map(|place| place.tokens).collect(),
            timers: (0..transitions).map(|_| Timer { at: f64::INFINITY, busy: 0 }).collect(),
            ends: vec![VecDeque::new(); transitions],
            immediates: immediates.collect(),
            since: vec![0.0; net.places.len()],
            integral: vec![0.0; net.places.len()],
            most: net.places.iter().map(|place| place.tokens).collect(),
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

    #[inline]
    fn degree(&self, transition: usize) -> u32 {
        self.compiled.degree(transition, |place| self.tokens[place as usize])
    }

    /// A transition's enabling may have changed: its times follow.
    #[inline]
    fn renew(&mut self, transition: usize) {
        let kind = &self.net.transitions[transition];
        match kind.timing {
            Timing::Exponential { rate } => {
                let busy = kind.servers.busy(self.degree(transition));
                if busy != self.timers[transition].busy {
                    self.draw(transition, rate, busy);
                }
            }
            Timing::Deterministic { delay } => {
                let busy = kind.servers.busy(self.degree(transition));
                let ends = &mut self.ends[transition];
                while (ends.len() as u32) < busy {
                    ends.push_back(self.now + delay);
                }
                ends.truncate(busy as usize);
                self.timers[transition] = Timer { at: ends.front().copied().unwrap_or(f64::INFINITY), busy };
            }
            Timing::Immediate { .. } | Timing::Untimed => (),
        }
    }

    #[inline]
    fn draw(&mut self, transition: usize, rate: f64, busy: u32) {
        let at = match busy {
            0 => f64::INFINITY,
            _ => self.now + self.random.exponential() / (rate * f64::from(busy)),
        };
        self.timers[transition] = Timer { at, busy };
    }

    #[inline]
    fn put(&mut self, place: u32, tokens: u32) {
        let place = place as usize;
        self.integral[place] += f64::from(self.tokens[place]) * (self.now - self.since[place]);
        self.since[place] = self.now;
        self.tokens[place] = tokens;
        self.most[place] = self.most[place].max(tokens);
    }

    /// Fires a transition and renews the times of those whom that concerns.
    #[inline]
    fn fire(&mut self, transition: usize) {
        self.fired[transition] += 1;
        self.firings += 1;
        if self.compiled.resets.of_transition(transition).is_empty() {
            for change in 0..self.compiled.changes[transition].len() {
                let (place, by) = self.compiled.changes[transition][change];
                self.put(place, (i64::from(self.tokens[place as usize]) + by) as u32);
            }
        } else {
            self.fire_with_resets(transition);
        }
        // Its own time is over.
        match self.net.transitions[transition].timing {
            Timing::Exponential { .. } => self.timers[transition].busy = u32::MAX,
            Timing::Deterministic { .. } => {
                self.ends[transition].pop_front();
            }
            Timing::Immediate { .. } | Timing::Untimed => (),
        }
        for at in 0..self.compiled.concerned[transition].len() {
            self.renew(self.compiled.concerned[transition][at] as usize);
        }
    }

    #[cold]
    fn fire_with_resets(&mut self, transition: usize) {
        let mut after = self.tokens.clone();
        for &(place, weight) in self.compiled.inputs.of_transition(transition) {
            after[place as usize] -= weight;
        }
        for &(place, _) in self.compiled.resets.of_transition(transition) {
            after[place as usize] = 0;
        }
        for &(place, weight) in self.compiled.outputs.of_transition(transition) {
            after[place as usize] += weight;
        }
        for (place, tokens) in (0u32..).zip(after) {
            if self.tokens[place as usize] != tokens {
                self.put(place, tokens);
            }
        }
    }

    /// Fires immediate transitions until none is enabled.
    fn settle(&mut self) -> Result<(), PetriError> {
        if self.immediates.is_empty() {
            return Ok(());
        }
        for _ in 0..MOST_IMMEDIATE {
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
            }
        }
        Err(PetriError::Unsolvable("immediate transitions fire for ever without time passing".to_owned()))
    }

    /// Runs until a time.
    fn until(
        &mut self,
        end: f64,
        progress: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<(), PetriError> {
        let mut look = FIRINGS_PER_LOOK;
        loop {
            let mut next = f64::INFINITY;
            let mut transition = usize::MAX;
            for (number, timer) in self.timers.iter().enumerate() {
                if timer.at < next {
                    (next, transition) = (timer.at, number);
                }
            }
            if next > end {
                self.dead = transition == usize::MAX;
                if !self.dead || end.is_finite() {
                    self.now = end;
                }
                return Ok(());
            }
            self.now = next;
            self.fire(transition);
            if !self.immediates.is_empty() {
                self.settle()?;
            }
            look -= 1;
            if look == 0 {
                look = FIRINGS_PER_LOOK;
                if progress(self.now).is_break() {
                    return Ok(());
                }
            }
        }
    }

    /// Forgets what was counted.
    fn restart(&mut self) {
        self.started = self.now;
        self.since.fill(self.now);
        self.integral.fill(0.0);
        self.fired.fill(0);
        self.firings = 0;
        self.most.copy_from_slice(&self.tokens);
    }

    fn measured(mut self) -> Simulated {
        for place in 0..self.tokens.len() {
            self.put(place as u32, self.tokens[place]);
        }
        let time = self.now - self.started;
        let per_time = |sum: f64| if time > 0.0 { sum / time } else { 0.0 };
        Simulated {
            throughput: self.fired.iter().map(|&count| per_time(count as f64)).collect(),
            mean_tokens: self.integral.iter().map(|&sum| per_time(sum)).collect(),
            most_tokens: self.most,
            firings: self.firings,
            time,
            dead: self.dead,
        }
    }
}
