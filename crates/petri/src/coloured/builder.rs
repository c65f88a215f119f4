//! Builds a coloured net from its parts; expressions are text.
//!
//! ```
//! use linecard_petri::{Colour, ColouredBuilder, Servers, TimingText, Choice, Run};
//!
//! let mut net = ColouredBuilder::new("two speeds");
//! let size = Colour::Int { low: 1, high: 100 };
//! let waiting = net.place("waiting", &size, Choice::Fifo)?;
//! let idle = net.place("idle", &Colour::Dot, Choice::Random)?;
//! net.tokens(waiting, "7", 1)?;
//! net.dots(idle, 1);
//! let send = net.transition("send", TimingText::Deterministic { delay: "x * 0.5".into() }, Servers::Count(1), "x > 1")?;
//! net.take(waiting, send, "x", "1");
//! net.take(idle, send, "", "1");
//! net.put(send, waiting, "if x == 7 then 3 else 7", "1");
//! net.put(send, idle, "", "1");
//! let found = linecard_petri::simulate_coloured(&net.build()?, &Run { warmup: 0.0, time: 50.0, seed: 1 },
//!     &mut |_| std::ops::ControlFlow::Continue(()))?;
//! assert_eq!(found.firings, 20); // 3.5 and 1.5, ten times each
//! # Ok::<(), linecard_petri::PetriError>(())
//! ```

use super::colour::Colour;
use super::compile::{Constant, Names, Scope};
use super::fault::Misread;
use super::net::{ArcText, Choice, ColouredNet, ColouredPlace};
use super::parse::{is_name, parse};
use super::raw::{RawArc, RawTransition, TimingText};
use crate::PetriError;
use crate::net::{ArcKind, Servers};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Builds a coloured net. Modules are scopes: the names of their places and transitions have the module's name
/// as prefix, and their parameters and words are separate.
#[derive(Clone, Debug)]
pub struct ColouredBuilder {
    name: String,
    places: Vec<ColouredPlace>,
    transitions: Vec<RawTransition>,
    taken: FxHashMap<String, ()>,
    scopes: Vec<(String, Names)>,
    scope: usize,
}

impl ColouredBuilder {
    /// Returns an empty net.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            places: Vec::new(),
            transitions: Vec::new(),
            taken: FxHashMap::default(),
            scopes: vec![(String::new(), Names::default())],
            scope: 0,
        }
    }

    /// Begins a module inside the present one; [`ColouredBuilder::leave`] with the returned value ends it.
    pub fn enter(&mut self, name: &str) -> usize {
        let prefix = format!("{}{name}.", self.scopes[self.scope].0);
        self.scopes.push((prefix, Names::default()));
        std::mem::replace(&mut self.scope, self.scopes.len() - 1)
    }

    /// Ends a module.
    pub fn leave(&mut self, outer: usize) {
        self.scope = outer;
    }

    fn take_name(&mut self, part: &'static str, name: &str) -> Result<String, PetriError> {
        let full = format!("{}{name}", self.scopes[self.scope].0);
        if name.is_empty() || self.taken.insert(full.clone(), ()).is_some() {
            let found = if name.is_empty() { "no name" } else { "a name that is already used" };
            return Err(PetriError::part(part, &full, found, "a unique name"));
        }
        Ok(full)
    }

    fn free_word(&self, part: &'static str, word: &str) -> Result<(), PetriError> {
        let names = &self.scopes[self.scope].1;
        if !is_name(word) {
            let expected = "letters, digits and _, without a leading digit; keywords are not permitted";
            return Err(PetriError::part(part, word, "this name", expected));
        }
        if names.constants.contains_key(word) || names.words.contains_key(word) {
            return Err(PetriError::part(part, word, "a name that is already used", "a unique name"));
        }
        Ok(())
    }

    /// Names a value for all expressions of this module.
    ///
    /// # Errors
    ///
    /// If the name is invalid or taken; if there are no weights, or they are negative or all 0.
    pub fn constant(&mut self, name: &str, value: Constant) -> Result<(), PetriError> {
        self.free_word("parameter", name)?;
        if let Constant::Shares(shares) = &value {
            let weights: Vec<f64> = shares.iter().map(|(_, weight)| *weight).collect();
            check_weights("parameter", name, &weights)?;
        }
        self.scopes[self.scope].1.constants.insert(name.to_owned(), value);
        Ok(())
    }

    /// Defines an enumeration, whose words are values in all expressions of this module.
    ///
    /// # Errors
    ///
    /// If there is no word, or one of them is invalid or taken.
    pub fn enumeration(&mut self, words: &[&str]) -> Result<Colour, PetriError> {
        if words.is_empty() {
            return Err(PetriError::part("colour", "", "no word", "at least one"));
        }
        let colour = Colour::Enum(words.iter().map(|word| (*word).to_owned()).collect());
        for (number, word) in words.iter().enumerate() {
            self.free_word("colour", word)?;
            let names = &mut self.scopes[self.scope].1;
            names.words.insert((*word).to_owned(), (colour.clone(), number as i64));
        }
        Ok(colour)
    }

    fn misread(part: &'static str, name: &str, text: &str, wrong: Misread) -> PetriError {
        PetriError::Expression {
            part,
            name: name.to_owned(),
            text: text.to_owned(),
            column: text[..wrong.at.min(text.len())].chars().count() as u32 + 1,
            found: wrong.found,
            expected: wrong.expected,
        }
    }

    /// Returns the value of an expression of this module's parameters: an integer if it is one.
    ///
    /// # Errors
    ///
    /// If it cannot be read or evaluated, or depends on more than parameters.
    pub fn value(&self, text: &str) -> Result<Constant, PetriError> {
        let variables = BTreeMap::new();
        let mut scope =
            Scope { names: &self.scopes[self.scope].1, variables: &variables, picks: Vec::new(), time: None };
        let result = parse(text).and_then(|expr| {
            let code = match scope.whole(&expr) {
                Ok(code) => code.constant().map(Constant::Int),
                Err(_) => {
                    scope.real(&expr)?.constant().map(|bits| Constant::Real(f64::from_bits(bits as u64)))
                }
            };
            code.ok_or_else(|| Misread::new(0, "no number", "a number that depends only on parameters"))
        });
        result.map_err(|wrong| Self::misread("expression", "", text, wrong))
    }

    /// Adds a place and returns its number.
    ///
    /// # Errors
    ///
    /// If the name is empty or taken, or the colour has no values.
    pub fn place(&mut self, name: &str, colour: &Colour, choice: Choice) -> Result<u32, PetriError> {
        let name = self.take_name("place", name)?;
        if let Some((low, high)) = colour.ranges().into_iter().find(|(low, high)| low > high) {
            return Err(PetriError::part(
                "place",
                &name,
                format!("the empty range {low}..{high}"),
                "at least one number",
            ));
        }
        let choice = if *colour == Colour::Dot { Choice::Random } else { choice };
        self.places.push(ColouredPlace { name, colour: colour.clone(), choice, tokens: Vec::new() });
        Ok(self.places.len() as u32 - 1)
    }

    /// Returns the colour of a place.
    #[must_use]
    pub fn colour_of(&self, place: u32) -> &Colour {
        &self.places[place as usize].colour
    }

    /// Adds initial dots to a place.
    pub fn dots(&mut self, place: u32, count: u32) {
        if count > 0 {
            self.places[place as usize].tokens.push((Vec::new(), count));
        }
    }

    /// Adds initial coloured tokens to a place.
    ///
    /// # Errors
    ///
    /// If the text is no token of the place's colour.
    pub fn tokens(&mut self, place: u32, text: &str, count: u32) -> Result<(), PetriError> {
        let (name, colour) = (self.places[place as usize].name.clone(), self.colour_of(place).clone());
        let variables = BTreeMap::new();
        let mut scope =
            Scope { names: &self.scopes[self.scope].1, variables: &variables, picks: Vec::new(), time: None };
        let words = parse(text).and_then(|expr| {
            let parts = scope.token(&expr, &colour)?;
            let values: Option<Vec<i64>> = parts.iter().map(super::code::Code::constant).collect();
            let values = values
                .ok_or_else(|| Misread::new(0, "no token", "a token that depends only on parameters"))?;
            if colour.holds(&values) {
                Ok(values)
            } else {
                Err(Misread::new(expr.at, format!("`{text}`"), colour.describe()))
            }
        });
        let words = words.map_err(|wrong| Self::misread("place", &name, text, wrong))?;
        if count > 0 {
            self.places[place as usize].tokens.push((words, count));
        }
        Ok(())
    }

    /// Adds one initial token of each colour to a place.
    ///
    /// # Errors
    ///
    /// If there are more than a million.
    pub fn all_tokens(&mut self, place: u32) -> Result<(), PetriError> {
        let colour = self.colour_of(place).clone();
        let Some(size) = colour.size().filter(|&size| size <= 1_000_000) else {
            let name = &self.places[place as usize].name;
            return Err(PetriError::part(
                "place",
                name,
                "one initial token for each of more than a million colours",
                "at most a million colours",
            ));
        };
        self.places[place as usize].tokens.extend((0..size).map(|number| (colour.nth(number), 1)));
        Ok(())
    }

    /// Adds a transition and returns its number. An empty guard is always true.
    ///
    /// # Errors
    ///
    /// If the name is empty or taken, or there are no servers, stages or weights.
    pub fn transition(
        &mut self,
        name: &str,
        timing: TimingText,
        servers: Servers,
        guard: &str,
    ) -> Result<u32, PetriError> {
        let name = self.take_name("transition", name)?;
        match &timing {
            _ if servers == Servers::Count(0) => {
                return Err(PetriError::part("transition", &name, "0 servers", "1 or more servers, or inf"));
            }
            TimingText::Erlang { stages, .. } if !(1..=10_000).contains(stages) => {
                return Err(PetriError::part("transition", &name, format!("{stages} stages"), "1 to 10000"));
            }
            TimingText::Empirical { values, weights } => {
                check_weights("transition", &name, weights)?;
                let bad = values.iter().find(|value| !(value.is_finite() && **value >= 0.0));
                if let Some(bad) = bad {
                    return Err(PetriError::part(
                        "transition",
                        &name,
                        format!("the value {bad}"),
                        "a time of at least 0",
                    ));
                }
                if values.len() != weights.len() {
                    let found = format!("{} values and {} weights", values.len(), weights.len());
                    return Err(PetriError::part("transition", &name, found, "as many weights as values"));
                }
            }
            _ => (),
        }
        let (guard, scope) = (guard.to_owned(), self.scope);
        let (reward, arcs) = (String::new(), Vec::new());
        self.transitions.push(RawTransition { name, timing, servers, guard, reward, arcs, scope });
        Ok(self.transitions.len() as u32 - 1)
    }

    /// Sets the reward of each firing: a number computed from its binding, summed over a run.
    ///
    /// # Panics
    ///
    /// If the transition is not of this net.
    pub fn reward(&mut self, transition: u32, value: &str) {
        value.clone_into(&mut self.transitions[transition as usize].reward);
    }

    fn arc(&mut self, place: u32, transition: u32, kind: ArcKind, tokens: &str, weight: &str) {
        let (tokens, weight) = (tokens.to_owned(), weight.to_owned());
        let arc = RawArc { place, kind, tokens, weight, read: false };
        self.transitions[transition as usize].arcs.push(arc);
    }

    /// Adds an arc that takes tokens matching a pattern (empty for dots), `weight` of each.
    ///
    /// # Panics
    ///
    /// If place or transition are not of this net; the same holds for the other arcs.
    pub fn take(&mut self, place: u32, transition: u32, pattern: &str, weight: &str) {
        self.arc(place, transition, ArcKind::Input, pattern, weight);
    }

    /// Adds an arc that puts a token (empty for dots), as often as its weight.
    pub fn put(&mut self, transition: u32, place: u32, token: &str, weight: &str) {
        self.arc(place, transition, ArcKind::Output, token, weight);
    }

    /// Adds an arc that requires tokens matching a pattern (empty for dots), `weight` of each, and leaves them in
    /// the place.
    pub fn read(&mut self, place: u32, transition: u32, pattern: &str, weight: &str) {
        self.take(place, transition, pattern, weight);
        self.put(transition, place, pattern, weight);
        self.transitions[transition as usize].arcs.iter_mut().rev().take(2).for_each(|arc| arc.read = true);
    }

    /// Adds an arc that disables the transition while the place holds at least the stated number of tokens: of
    /// a colour, or of any colour if it is empty.
    pub fn inhibit(&mut self, place: u32, transition: u32, token: &str, weight: &str) {
        self.arc(place, transition, ArcKind::Inhibitor, token, weight);
    }

    /// Adds an arc that empties the place, before tokens are put.
    pub fn reset(&mut self, place: u32, transition: u32) {
        self.arc(place, transition, ArcKind::Reset, "", "1");
    }

    /// Returns the net.
    ///
    /// # Errors
    ///
    /// The first error of the net.
    pub fn build(&self) -> Result<ColouredNet, PetriError> {
        self.build_all().map_err(|mut wrong| wrong.swap_remove(0))
    }

    /// Returns the net.
    ///
    /// # Errors
    ///
    /// All errors of the net; at least one.
    pub fn build_all(&self) -> Result<ColouredNet, Vec<PetriError>> {
        let (mut wrong, mut transitions, mut arcs) = (Vec::new(), Vec::new(), Vec::new());
        if self.transitions.is_empty() {
            return Err(vec![PetriError::part("net", &self.name, "no transition", "at least one")]);
        }
        for (number, raw) in (0u32..).zip(&self.transitions) {
            match super::assemble::transition(raw, &self.scopes[raw.scope].1, &self.places) {
                Ok(transition) => transitions.push(transition),
                Err((text, misread)) if text.is_empty() => {
                    wrong.push(PetriError::part("transition", &raw.name, misread.found, &misread.expected));
                }
                Err((text, misread)) => wrong.push(Self::misread("transition", &raw.name, &text, misread)),
            }
            arcs.extend(raw.arcs.iter().map(|arc| {
                let text = match (arc.weight.as_str(), arc.tokens.as_str()) {
                    ("1", tokens) => tokens.to_owned(),
                    (weight, "") => weight.to_owned(),
                    (weight, tokens) => format!("{weight} of {tokens}"),
                };
                ArcText { place: arc.place, transition: number, kind: arc.kind, text }
            }));
        }
        if wrong.is_empty() {
            Ok(ColouredNet { name: self.name.clone(), places: self.places.clone(), transitions, arcs })
        } else {
            Err(wrong)
        }
    }
}

fn check_weights(part: &'static str, name: &str, weights: &[f64]) -> Result<(), PetriError> {
    let fine = |weight: &f64| weight.is_finite() && *weight >= 0.0;
    if let Some(bad) = weights.iter().find(|weight| !fine(weight)) {
        return Err(PetriError::part(part, name, format!("the weight {bad}"), "weights of at least 0"));
    }
    if weights.iter().sum::<f64>() <= 0.0 {
        return Err(PetriError::part(part, name, "weights that sum to 0", "at least one weight above 0"));
    }
    Ok(())
}
