//! A net as it is built: places, transitions, arcs, by name.
//!
//! ```
//! use linecard_petri::{NetBuilder, Servers, Timing};
//!
//! let mut net = NetBuilder::new("M/M/1/10");
//! let (free, busy) = (net.place("free", 10)?, net.place("busy", 0)?);
//! let arrive = net.transition("arrive", Timing::Exponential { rate: 0.9 }, Servers::Count(1))?;
//! let serve = net.transition("serve", Timing::Exponential { rate: 1.0 }, Servers::Count(1))?;
//! net.input(free, arrive, 1)?;
//! net.output(arrive, busy, 1)?;
//! net.input(busy, serve, 1)?;
//! net.output(serve, free, 1)?;
//! let solved = linecard_petri::solve(&net.build()?, 1000)?;
//! assert!((solved.throughput[1] - 0.854268).abs() < 1e-6);
//! # Ok::<(), linecard_petri::PetriError>(())
//! ```

use crate::PetriError;
use linecard_sim::Stream;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc as Shared;

/// The time from the enabling of a transition to its firing.
#[derive(Clone, Debug, PartialEq)]
pub enum Timing {
    /// No time: the net can be explored, not simulated.
    Untimed,
    /// None; among the enabled ones of the highest priority, one is drawn by weight.
    Immediate {
        /// Weight among competing transitions.
        weight: f64,
        /// The higher priority fires first.
        priority: u32,
    },
    /// Exponential.
    Exponential {
        /// Firings per unit of time, for each server.
        rate: f64,
    },
    /// A constant time.
    Deterministic {
        /// Units of time.
        delay: f64,
    },
    /// Uniformly distributed between two times.
    Uniform {
        /// The shortest.
        low: f64,
        /// The longest.
        high: f64,
    },
    /// The sum of exponential stages.
    Erlang {
        /// Number of stages.
        stages: u32,
        /// Rate of each.
        rate: f64,
    },
    /// One of these times.
    Empirical {
        /// Times.
        values: Shared<[f64]>,
        /// Cumulative probabilities.
        upto: Shared<[f64]>,
    },
}

impl Timing {
    /// Draws a time of a timed transition.
    #[inline]
    pub(crate) fn draw(&self, random: &mut Stream) -> f64 {
        match self {
            Self::Untimed | Self::Immediate { .. } => 0.0,
            Self::Exponential { rate } => random.exponential() / rate,
            Self::Deterministic { delay } => *delay,
            Self::Uniform { low, high } => low + (high - low) * random.unit(),
            Self::Erlang { stages, rate } => erlang(*stages, *rate, random),
            Self::Empirical { values, upto } => one_of(values, upto, random),
        }
    }

    /// Returns its name in files.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Untimed => "untimed",
            Self::Immediate { .. } => "imm",
            Self::Exponential { .. } => "exp",
            Self::Deterministic { .. } => "det",
            Self::Uniform { .. } => "uniform",
            Self::Erlang { .. } => "erlang",
            Self::Empirical { .. } => "empirical",
        }
    }
}

/// The sum of exponential stages.
#[inline]
pub(crate) fn erlang(stages: u32, rate: f64, random: &mut Stream) -> f64 {
    (0..stages).map(|_| random.exponential()).sum::<f64>() / rate
}

/// Draws one of these values by probability.
#[inline]
pub(crate) fn one_of(values: &[f64], upto: &[f64], random: &mut Stream) -> f64 {
    let drawn = random.unit();
    let at = upto.partition_point(|&upto| upto <= drawn);
    values[at.min(values.len() - 1)]
}

/// The most concurrent firings of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Servers {
    /// At most this number, at least one.
    Count(u32),
    /// One per degree of enabling.
    Infinite,
}

impl Servers {
    /// Returns the busy servers when the transition is enabled `degree` times.
    #[inline]
    #[must_use]
    pub fn busy(self, degree: u32) -> u32 {
        match self {
            Self::Count(count) => degree.min(count),
            Self::Infinite => degree,
        }
    }
}

/// The effect of an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArcKind {
    /// Takes tokens.
    Input,
    /// Puts tokens.
    Output,
    /// Disables the transition while the place holds at least as many tokens as the weight.
    Inhibitor,
    /// Empties the place, before tokens are put.
    Reset,
}

/// A place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Name.
    pub name: String,
    /// Initial tokens.
    pub tokens: u32,
}

/// A transition.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// Name.
    pub name: String,
    /// Time.
    pub timing: Timing,
    /// Servers.
    pub servers: Servers,
}

/// An arc between a place and a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    /// Number of the place.
    pub place: u32,
    /// Number of the transition.
    pub transition: u32,
    /// Effect.
    pub kind: ArcKind,
    /// Tokens.
    pub weight: u32,
}

/// A checked net.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Net {
    /// Name.
    pub name: String,
    /// Places, in the order of their definition.
    pub places: Vec<Place>,
    /// Transitions, likewise.
    pub transitions: Vec<Transition>,
    /// Arcs; each place and transition have at most one of a kind: the weights of parallel ones are added.
    pub arcs: Vec<Arc>,
}

/// Builds a net.
#[derive(Clone, Debug, Default)]
pub struct NetBuilder {
    net: Net,
    names: FxHashSet<String>,
    joined: FxHashMap<(u32, u32, u8), usize>,
}

impl NetBuilder {
    /// Returns an empty net.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { net: Net { name: name.to_owned(), ..Net::default() }, ..Self::default() }
    }

    fn take_name(&mut self, part: &'static str, name: &str) -> Result<(), PetriError> {
        if name.is_empty() || !self.names.insert(name.to_owned()) {
            let found = if name.is_empty() { "no name" } else { "a name that is already used" };
            return Err(PetriError::part(part, name, found, "a unique name"));
        }
        Ok(())
    }

    /// Adds a place and returns its number.
    ///
    /// # Errors
    ///
    /// If the name is empty or taken.
    pub fn place(&mut self, name: &str, tokens: u32) -> Result<u32, PetriError> {
        self.take_name("place", name)?;
        let places = &mut self.net.places;
        places.push(Place { name: name.to_owned(), tokens });
        Ok(places.len() as u32 - 1)
    }

    /// Adds a transition and returns its number.
    ///
    /// # Errors
    ///
    /// If the name is empty or taken, or its time, weight or servers are invalid.
    pub fn transition(&mut self, name: &str, timing: Timing, servers: Servers) -> Result<u32, PetriError> {
        self.take_name("transition", name)?;
        let number = match timing {
            Timing::Untimed => 1.0,
            Timing::Immediate { weight, .. } => weight,
            Timing::Exponential { rate } => rate,
            Timing::Deterministic { delay } => delay,
            Timing::Uniform { low, high } if (0.0..=high).contains(&low) => high,
            Timing::Uniform { low, .. } => {
                return Err(PetriError::part("transition", name, low, "0 <= low <= high"));
            }
            Timing::Erlang { stages: 0, .. } => 0.0,
            Timing::Erlang { rate, .. } => rate,
            Timing::Empirical { ref values, .. } if !values.is_empty() => 1.0,
            Timing::Empirical { .. } => 0.0,
        };
        if !(number > 0.0 && number.is_finite()) {
            let what = "a rate, delay or weight above 0";
            return Err(PetriError::part("transition", name, number, what));
        }
        if servers == Servers::Count(0) {
            return Err(PetriError::part("transition", name, "0 servers", "1 or more servers, or inf"));
        }
        let transitions = &mut self.net.transitions;
        transitions.push(Transition { name: name.to_owned(), timing, servers });
        Ok(transitions.len() as u32 - 1)
    }

    fn arc(&mut self, place: u32, transition: u32, kind: ArcKind, weight: u32) -> Result<(), PetriError> {
        let net = &mut self.net;
        let known = (place as usize) < net.places.len() && (transition as usize) < net.transitions.len();
        if !known || weight == 0 {
            let found = if known { "weight 0" } else { "a place or transition that does not exist" };
            return Err(PetriError::part(
                "arc",
                "",
                found,
                "an existing place, an existing transition, and a weight of at least 1",
            ));
        }
        let key = (place, transition, kind as u8);
        if let Some(&at) = self.joined.get(&key) {
            let arc = &mut net.arcs[at];
            match kind {
                ArcKind::Input | ArcKind::Output => {
                    let sum = arc.weight.checked_add(weight);
                    arc.weight = sum.ok_or_else(|| {
                        PetriError::part(
                            "arc",
                            "",
                            "parallel arcs with more than 4294967295 tokens in total",
                            "fewer",
                        )
                    })?;
                }
                ArcKind::Inhibitor => arc.weight = arc.weight.min(weight),
                ArcKind::Reset => (),
            }
            return Ok(());
        }
        net.arcs.push(Arc { place, transition, kind, weight });
        let at = net.arcs.len() - 1;
        self.joined.insert(key, at);
        Ok(())
    }

    /// Adds an arc that takes tokens.
    ///
    /// # Errors
    ///
    /// If place or transition do not exist, or the weight is 0.
    pub fn input(&mut self, place: u32, transition: u32, weight: u32) -> Result<(), PetriError> {
        self.arc(place, transition, ArcKind::Input, weight)
    }

    /// Adds an arc that puts tokens.
    ///
    /// # Errors
    ///
    /// As [`NetBuilder::input`].
    pub fn output(&mut self, transition: u32, place: u32, weight: u32) -> Result<(), PetriError> {
        self.arc(place, transition, ArcKind::Output, weight)
    }

    /// Adds an arc that disables the transition while the place holds `weight` tokens or more.
    ///
    /// # Errors
    ///
    /// As [`NetBuilder::input`].
    pub fn inhibitor(&mut self, place: u32, transition: u32, weight: u32) -> Result<(), PetriError> {
        self.arc(place, transition, ArcKind::Inhibitor, weight)
    }

    /// Adds an arc that empties the place when the transition fires.
    ///
    /// # Errors
    ///
    /// As [`NetBuilder::input`].
    pub fn reset(&mut self, place: u32, transition: u32) -> Result<(), PetriError> {
        self.arc(place, transition, ArcKind::Reset, 1)
    }

    /// Returns the net.
    ///
    /// # Errors
    ///
    /// If it has no transitions, or one with infinitely many servers has no inputs.
    pub fn build(self) -> Result<Net, PetriError> {
        let net = self.net;
        if net.transitions.is_empty() {
            return Err(PetriError::part("net", &net.name, "no transition", "at least one"));
        }
        let mut takes = vec![false; net.transitions.len()];
        for arc in net.arcs.iter().filter(|arc| arc.kind == ArcKind::Input) {
            takes[arc.transition as usize] = true;
        }
        for (transition, takes) in net.transitions.iter().zip(takes) {
            if transition.servers == Servers::Infinite && !takes {
                let found = "infinitely many servers and no input place";
                return Err(PetriError::part("transition", &transition.name, found, "a number of servers"));
            }
        }
        Ok(net)
    }
}
