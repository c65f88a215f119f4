//! A coloured net as a place/transition net: a place for each colour, a transition for each binding whose guard holds.

use super::code::Code;
use super::colour::Colour;
use super::fault::Fault;
use super::net::{Choice, ColouredNet, ColouredTransition, TimingCode};
use crate::PetriError;
use crate::net::{Net, NetBuilder, Timing};
use linecard_sim::{Stream, stream};
use std::ops::ControlFlow;

/// Most places, and most bindings that are tried.
const MOST_PLACES: u64 = 1_000_000;
const MOST_BINDINGS: u64 = 5_000_000;
/// Bindings tried between two calls of the watch.
const BINDINGS_PER_LOOK: u64 = 1 << 12;

/// An unfolded net.
#[derive(Clone, Debug)]
pub struct Unfolded {
    /// The place/transition net. Names are those of the coloured net, with `@` and the colour.
    pub net: Net,
    /// For each place the coloured one; `None` for one that only counts the tokens of a place.
    pub place_of: Vec<Option<u32>>,
    /// For each transition the coloured one.
    pub transition_of: Vec<u32>,
}

impl ColouredNet {
    /// Returns the place/transition net with the same behaviour.
    ///
    /// # Errors
    ///
    /// If a place is a queue or has too many colours, a transition has too many bindings, or the tokens put are
    /// random.
    pub fn unfold(&self) -> Result<Unfolded, PetriError> {
        // No watch stops it.
        self.unfold_until(&mut || ControlFlow::Continue(()))
    }

    /// As `unfold`; `watch` is called periodically and returns whether to continue.
    ///
    /// # Errors
    ///
    /// As [`ColouredNet::unfold`], and if `watch` ended it.
    pub fn unfold_until(&self, watch: &mut dyn FnMut() -> ControlFlow<()>) -> Result<Unfolded, PetriError> {
        Unfolder::new(self, watch)?.unfold()
    }
}

struct Unfolder<'a, 'w> {
    net: &'a ColouredNet,
    builder: NetBuilder,
    /// Where the colours of each place begin.
    first: Vec<u32>,
    /// The place that counts all tokens of a place, if an arc needs the count.
    counter: Vec<Option<u32>>,
    place_of: Vec<Option<u32>>,
    transition_of: Vec<u32>,
    random: Stream,
    watch: &'w mut dyn FnMut() -> ControlFlow<()>,
}

impl<'a, 'w> Unfolder<'a, 'w> {
    fn new(net: &'a ColouredNet, watch: &'w mut dyn FnMut() -> ControlFlow<()>) -> Result<Self, PetriError> {
        let mut unfolder = Self {
            net,
            builder: NetBuilder::new(&net.name),
            first: Vec::new(),
            counter: vec![None; net.places.len()],
            place_of: Vec::new(),
            transition_of: Vec::new(),
            random: stream(0, "unfold"),
            watch,
        };
        let mut all = 0u64;
        for (number, place) in (0u32..).zip(&net.places) {
            if place.choice == Choice::Fifo {
                let expected = "choice = \"random\", because a marking does not record the order of tokens";
                return Err(PetriError::part("place", &place.name, "a fifo place", expected));
            }
            let size = place.colour.size();
            all = all.saturating_add(size.unwrap_or(u64::MAX));
            let Some(size) = size.filter(|_| all <= MOST_PLACES) else {
                let expected = "colours with at most a million values in total; a net with more values can only be simulated";
                return Err(PetriError::part("place", &place.name, "too many colours", expected));
            };
            let mut held = vec![0u64; size as usize];
            for (words, count) in &place.tokens {
                if let Some(colour) = place.colour.number_of(words) {
                    held[colour as usize] += u64::from(*count);
                }
            }
            unfolder.first.push(unfolder.place_of.len() as u32);
            for (colour, tokens) in (0..).zip(held) {
                let name = match place.colour {
                    Colour::Dot => place.name.clone(),
                    _ => format!("{}@{}", place.name, place.colour.text(&place.colour.nth(colour))),
                };
                unfolder.builder.place(&name, count(&place.name, tokens)?)?;
                unfolder.place_of.push(Some(number));
            }
        }
        for inhibitor in net.transitions.iter().flat_map(|transition| &transition.inhibitors) {
            let place = &net.places[inhibitor.place as usize];
            let at = inhibitor.place as usize;
            if inhibitor.colour.is_none() && place.colour != Colour::Dot && unfolder.counter[at].is_none() {
                let tokens = count(&place.name, place.count())?;
                unfolder.counter[at] = Some(unfolder.builder.place(&format!("{}@*", place.name), tokens)?);
                unfolder.place_of.push(None);
            }
        }
        Ok(unfolder)
    }

    fn unfold(mut self) -> Result<Unfolded, PetriError> {
        for (number, transition) in (0u32..).zip(&self.net.transitions) {
            self.transition(number, transition)?;
        }
        Ok(Unfolded {
            net: self.builder.build()?,
            place_of: self.place_of,
            transition_of: self.transition_of,
        })
    }

    fn transition(&mut self, number: u32, transition: &ColouredTransition) -> Result<(), PetriError> {
        if transition.time_slot.is_some() {
            let found = "a delay that depends on the simulated time";
            return Err(PetriError::part(
                "transition",
                &transition.name,
                found,
                "a delay that does not contain `time`",
            ));
        }
        // Slots that are used, with the values that all their places have.
        let mut ranges: Vec<Option<(i64, i64)>> = vec![None; transition.slots];
        for take in &transition.takes {
            let words = self.net.places[take.place as usize].colour.ranges();
            for (&slot, (low, high)) in take.slots.iter().zip(words) {
                let range = &mut ranges[slot as usize];
                *range = Some(range.map_or((low, high), |(l, h)| (l.max(low), h.min(high))));
            }
        }
        let used: Vec<(usize, (i64, i64))> =
            ranges.iter().enumerate().filter_map(|(slot, range)| range.map(|range| (slot, range))).collect();
        // A condition is evaluated as soon as its slots are known.
        let mut conditions: Vec<Vec<&Code>> = vec![Vec::new(); used.len() + 1];
        for code in &transition.guard {
            let last = code.slots().max().map_or(0, |last| {
                used.iter().position(|(slot, _)| *slot == last as usize).map_or(0, |at| at + 1)
            });
            conditions[last].push(code);
        }
        let mut frame = vec![0i64; transition.slots];
        let mut tried = 0;
        self.bind(number, transition, &used, &conditions, 0, &mut frame, &mut tried)
    }

    #[expect(clippy::too_many_arguments, reason = "a recursion over one binding")]
    fn bind(
        &mut self,
        number: u32,
        transition: &ColouredTransition,
        used: &[(usize, (i64, i64))],
        conditions: &[Vec<&Code>],
        depth: usize,
        frame: &mut [i64],
        tried: &mut u64,
    ) -> Result<(), PetriError> {
        *tried += 1;
        if *tried > MOST_BINDINGS {
            let found = format!("more than {MOST_BINDINGS} bindings");
            return Err(PetriError::part(
                "transition",
                &transition.name,
                found,
                "fewer bindings; or simulate the net without unfolding",
            ));
        }
        if tried.is_multiple_of(BINDINGS_PER_LOOK) && (self.watch)().is_break() {
            return Err(PetriError::Interrupted);
        }
        for code in &conditions[depth] {
            let holds = code.run(frame, &mut self.random);
            if holds.map_err(|fault| failed(transition, frame, "the guard", &transition.name, fault))? == 0 {
                return Ok(());
            }
        }
        let Some(&(slot, (low, high))) = used.get(depth) else {
            return self.bound(number, transition, used, frame);
        };
        for value in low..=high {
            frame[slot] = value;
            self.bind(number, transition, used, conditions, depth + 1, frame, tried)?;
        }
        frame[slot] = 0;
        Ok(())
    }

    fn bound(
        &mut self,
        number: u32,
        transition: &ColouredTransition,
        used: &[(usize, (i64, i64))],
        frame: &[i64],
    ) -> Result<(), PetriError> {
        let name = if used.is_empty() {
            transition.name.clone()
        } else {
            let values: Vec<String> = transition
                .variables
                .iter()
                .map(|(_, colour, slots)| {
                    let words: Vec<i64> = slots.iter().map(|&slot| frame[slot as usize]).collect();
                    colour.text(&words)
                })
                .collect();
            // Slots that no variable names also distinguish bindings.
            let named: Vec<usize> = transition
                .variables
                .iter()
                .flat_map(|(.., slots)| slots)
                .map(|&slot| slot as usize)
                .collect();
            let rest = used
                .iter()
                .filter(|(slot, _)| !named.contains(slot))
                .map(|(slot, _)| frame[*slot].to_string());
            format!("{}@{}", transition.name, values.into_iter().chain(rest).collect::<Vec<_>>().join("."))
        };
        let timing = self.timing(transition, frame)?;
        let added = self.builder.transition(&name, timing, transition.servers)?;
        self.transition_of.push(number);
        for take in &transition.takes {
            let words: Vec<i64> = take.slots.iter().map(|&slot| frame[slot as usize]).collect();
            self.join(transition, take.place, &words, frame, |builder, place| {
                builder.input(place, added, take.weight)?;
                if take.read { builder.output(added, place, take.weight) } else { Ok(()) }
            })?;
        }
        for need in &transition.needs {
            let weight = self.weight(transition, &need.weight, need.place, frame)?;
            if weight > 0 {
                self.builder.input(self.first[need.place as usize], added, weight)?;
            }
        }
        for inhibitor in &transition.inhibitors {
            let weight = self.weight(transition, &inhibitor.weight, inhibitor.place, frame)?;
            if weight == 0 {
                let found = "an inhibitor arc of weight 0";
                return Err(PetriError::part("transition", &transition.name, found, "1 or more"));
            }
            let at = inhibitor.place as usize;
            match (&inhibitor.colour, self.counter[at]) {
                (Some(colour), _) => {
                    let words = self.words(transition, colour, inhibitor.place, frame)?;
                    let colour = self.colour(transition, inhibitor.place, &words, frame)?;
                    self.builder.inhibitor(self.first[at] + colour, added, weight)?;
                }
                (None, counter) => {
                    self.builder.inhibitor(counter.unwrap_or(self.first[at]), added, weight)?
                }
            }
        }
        for &place in &transition.resets {
            let colours = self.net.places[place as usize].colour.size().unwrap_or(0) as u32;
            for colour in 0..colours {
                self.builder.reset(self.first[place as usize] + colour, added)?;
            }
            if let Some(counter) = self.counter[place as usize] {
                self.builder.reset(counter, added)?;
            }
        }
        for put in &transition.puts {
            let weight = self.weight(transition, &put.weight, put.place, frame)?;
            let words = self.words(transition, &put.parts, put.place, frame)?;
            if weight > 0 {
                self.join(transition, put.place, &words, frame, |builder, place| {
                    builder.output(added, place, weight)
                })?;
            }
        }
        Ok(())
    }

    /// Joins the place of a colour, and the place that counts.
    fn join(
        &mut self,
        transition: &ColouredTransition,
        place: u32,
        words: &[i64],
        frame: &[i64],
        arc: impl Fn(&mut NetBuilder, u32) -> Result<(), PetriError>,
    ) -> Result<(), PetriError> {
        let colour = self.colour(transition, place, words, frame)?;
        arc(&mut self.builder, self.first[place as usize] + colour)?;
        match self.counter[place as usize] {
            Some(counter) => arc(&mut self.builder, counter),
            None => Ok(()),
        }
    }

    fn colour(
        &self,
        transition: &ColouredTransition,
        place: u32,
        words: &[i64],
        frame: &[i64],
    ) -> Result<u32, PetriError> {
        let place = &self.net.places[place as usize];
        let wrong =
            words.iter().zip(place.colour.ranges()).find(|(word, (low, high))| *word < low || *word > high);
        match (place.colour.number_of(words), wrong) {
            (Some(number), _) => Ok(number as u32),
            (None, found) => {
                let value = found.map_or(0, |(word, _)| *word);
                Err(failed(transition, frame, "a token", &place.name, Fault::OutOfRange(0, value)))
            }
        }
    }

    fn words(
        &mut self,
        transition: &ColouredTransition,
        parts: &[Code],
        place: u32,
        frame: &[i64],
    ) -> Result<Vec<i64>, PetriError> {
        let name = &self.net.places[place as usize].name;
        if parts.iter().any(Code::is_random) {
            let found = format!("random() or pick() in the tokens that the transition produces in {name}");
            return Err(PetriError::part(
                "transition",
                &transition.name,
                found,
                "an expression without random() and pick()",
            ));
        }
        let random = &mut self.random;
        let words: Result<Vec<i64>, Fault> = parts.iter().map(|part| part.run(frame, random)).collect();
        words.map_err(|fault| failed(transition, frame, "a token", name, fault))
    }

    fn weight(
        &mut self,
        transition: &ColouredTransition,
        code: &Code,
        place: u32,
        frame: &[i64],
    ) -> Result<u32, PetriError> {
        let name = &self.net.places[place as usize].name;
        if code.is_random() {
            let found =
                format!("random() or pick() in the number of tokens that the transition produces in {name}");
            return Err(PetriError::part(
                "transition",
                &transition.name,
                found,
                "an expression without random() and pick()",
            ));
        }
        let weight = code.run(frame, &mut self.random);
        let weight = weight.and_then(|weight| u32::try_from(weight).map_err(|_| Fault::NoWeight(weight)));
        weight.map_err(|fault| failed(transition, frame, "the weight", name, fault))
    }

    fn timing(&mut self, transition: &ColouredTransition, frame: &[i64]) -> Result<Timing, PetriError> {
        let random = &mut self.random;
        let mut number = |code: &Code| {
            let found = code.run(frame, random).map(|bits| f64::from_bits(bits as u64));
            found.map_err(|fault| failed(transition, frame, "the time", &transition.name, fault))
        };
        Ok(match &transition.timing {
            TimingCode::Untimed => Timing::Untimed,
            TimingCode::Immediate { weight, priority } => {
                Timing::Immediate { weight: number(weight)?, priority: *priority }
            }
            TimingCode::Exponential { rate } => Timing::Exponential { rate: number(rate)? },
            TimingCode::Deterministic { delay } => Timing::Deterministic { delay: number(delay)? },
            TimingCode::Uniform { low, high } => Timing::Uniform { low: number(low)?, high: number(high)? },
            TimingCode::Erlang { stages, rate } => Timing::Erlang { stages: *stages, rate: number(rate)? },
            TimingCode::Empirical { values, upto } => {
                Timing::Empirical { values: values.as_slice().into(), upto: upto.as_slice().into() }
            }
        })
    }
}

fn count(place: &str, tokens: u64) -> Result<u32, PetriError> {
    let most = "at most 4294967295";
    u32::try_from(tokens).map_err(|_| PetriError::part("place", place, format!("{tokens} tokens"), most))
}

/// An expression had no value.
pub(super) fn failed(
    transition: &ColouredTransition,
    frame: &[i64],
    what: &'static str,
    place: &str,
    fault: Fault,
) -> PetriError {
    PetriError::Evaluation {
        transition: transition.name.clone(),
        binding: transition.words(frame),
        what,
        place: if place == transition.name { "it".to_owned() } else { format!("place {place:?}") },
        found: fault.text(),
    }
}
