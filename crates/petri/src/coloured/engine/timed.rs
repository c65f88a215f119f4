//! Timed transitions: their bindings, how often each is enabled, and when their timers end.

use super::super::code::Code;
use super::super::fault::Fault;
use super::super::net::TimingCode;
use super::agenda::NO_TIMER;
use super::failure::{Done, Failure, as_weight, guard_failed};
use super::fixed::{VaryingNeed, together};
use super::search::Search;
use super::state::Engine;
use crate::net::{erlang, one_of};

impl Engine<'_> {
    /// Returns whether the dots suffice and no arc inhibits, for the conditions that do not depend on the
    /// binding.
    #[inline]
    pub(super) fn is_open(&self, transition: usize) -> bool {
        let fixed = &self.fixed[transition];
        fixed.needs.iter().all(|&(place, weight)| self.tokens[place as usize] >= weight)
            && fixed.inhibitors.iter().all(|&(place, weight)| self.tokens[place as usize] < weight)
    }

    /// Returns how often dots permit the binding in the frame, at most `degree`.
    #[inline]
    pub(super) fn limited_by_dots(&mut self, transition: usize, mut degree: u32) -> Done<u32> {
        let fixed = &self.fixed[transition];
        for &(place, weight) in &fixed.inhibitors {
            if self.tokens[place as usize] >= weight {
                return Ok(0);
            }
        }
        for &(place, weight) in &fixed.needs {
            let held = self.tokens[place as usize];
            degree = degree.min(if weight == 1 { held } else { held / weight });
        }
        if fixed.varying_needs.is_empty() && fixed.varying_inhibitors.is_empty() {
            return Ok(degree);
        }
        self.limited_by_binding(transition, degree)
    }

    fn limited_by_binding(&mut self, transition: usize, mut degree: u32) -> Done<u32> {
        let fixed = &self.fixed[transition];
        let wrong = |place: u32, what: &'static str| {
            move |fault| Box::new(Failure { transition: transition as u32, what, place: Some(place), fault })
        };
        self.fire.needed.clear();
        for VaryingNeed { place, weight, .. } in &fixed.varying_needs {
            let weight = weight.run(&self.scratch.frame, &mut self.random);
            self.fire.needed.push(weight.and_then(as_weight).map_err(wrong(*place, "the weight"))?);
        }
        for (place, weight) in together(&fixed.varying_needs, &self.fire.needed) {
            if let Some(times) = self.tokens[place as usize].checked_div(weight) {
                degree = degree.min(times);
            }
        }
        for &number in &fixed.varying_inhibitors {
            let inhibitor = &self.net.transitions[transition].inhibitors[number];
            let weight = inhibitor.weight.run(&self.scratch.frame, &mut self.random);
            let weight = weight.and_then(as_weight).map_err(wrong(inhibitor.place, "the weight"))?;
            let held = match (&inhibitor.colour, self.stores[inhibitor.place as usize]) {
                (Some(colour), Some(store)) => {
                    self.fire.words.clear();
                    for part in colour {
                        let word = part.run(&self.scratch.frame, &mut self.random);
                        self.fire.words.push(word.map_err(wrong(inhibitor.place, "a token"))?);
                    }
                    self.coloured[store as usize].held(&self.fire.words)
                }
                _ => self.tokens[inhibitor.place as usize],
            };
            if held >= weight {
                return Ok(0);
            }
        }
        Ok(degree)
    }

    /// Loads a binding of a timed transition into the frame.
    #[inline]
    pub(super) fn load(&mut self, transition: usize, binding: u32) {
        let entries = self.bindings[transition].entries(binding);
        for (offer, &entry) in self.plans[transition].offers.iter().zip(entries) {
            offer.bind(self.coloured[offer.place as usize].words(entry), &mut self.scratch.frame);
        }
    }

    /// Returns how often a binding is enabled.
    fn degree(&mut self, transition: usize, binding: u32) -> Done<u32> {
        let fixed = &self.fixed[transition];
        if !fixed.varying_needs.is_empty() || !fixed.varying_inhibitors.is_empty() {
            self.load(transition, binding);
        }
        let offers = &self.plans[transition].offers;
        let entries = self.bindings[transition].entries(binding);
        let mut degree = u32::MAX;
        for (arc, offer) in offers.iter().enumerate() {
            let held = self.coloured[offer.place as usize].count[entries[arc] as usize];
            let mut needed = offer.weight;
            for (other, &entry) in offers.iter().zip(entries).take(arc) {
                if other.place == offer.place && entry == entries[arc] {
                    needed += other.weight;
                }
            }
            degree = degree.min(if needed == 1 { held } else { held / needed });
        }
        let degree = self.limited_by_dots(transition, degree)?;
        // A transition without inputs is enabled once.
        Ok(if degree == u32::MAX { 1 } else { degree })
    }

    /// Updates the timers of a binding whose enabling may have changed. `fired` is whether its own timer has
    /// ended.
    pub(super) fn renew(&mut self, transition: u32, binding: u32, fired: bool) -> Done<()> {
        let number = transition as usize;
        let busy = self.fixed[number].servers.busy(self.degree(number, binding)?);
        let before = self.bindings[number].busy[binding as usize];
        if busy == before && !fired {
            return Ok(());
        }
        self.busy_changes(number, before, busy);
        self.bindings[number].busy[binding as usize] = busy;
        if let TimingCode::Exponential { .. } = self.net.transitions[number].timing {
            return self.renew_exponential(transition, binding, busy);
        }
        // A binding that is no longer enabled loses the timers that began last.
        let mut running = if fired { before - 1 } else { before };
        while running > busy {
            let timer = self.bindings[number].timer[binding as usize];
            self.bindings[number].timer[binding as usize] = self.agenda.timer(timer).below;
            self.agenda.stop(timer);
            running -= 1;
        }
        if running < busy {
            self.load(number, binding);
            if let Some(slot) = self.net.transitions[number].time_slot {
                self.scratch.frame[slot as usize] = self.now.to_bits() as i64;
            }
            while running < busy {
                let time = self.draw(number)?;
                let below = self.bindings[number].timer[binding as usize];
                let timer = self.agenda.start(self.now + time, transition, binding, below);
                self.bindings[number].timer[binding as usize] = timer;
                running += 1;
            }
        }
        Ok(())
    }

    /// Exponential times have no memory: one timer for all servers, at the sum of their rates.
    fn renew_exponential(&mut self, transition: u32, binding: u32, busy: u32) -> Done<()> {
        let number = transition as usize;
        let timer = self.bindings[number].timer[binding as usize];
        if busy == 0 {
            if timer != NO_TIMER {
                self.agenda.stop(timer);
                self.bindings[number].timer[binding as usize] = NO_TIMER;
            }
            return Ok(());
        }
        let TimingCode::Exponential { rate } = &self.net.transitions[number].timing else { return Ok(()) };
        let rate = match rate.constant() {
            Some(bits) => f64::from_bits(bits as u64),
            None => {
                self.load(number, binding);
                self.number(number, rate, false)?
            }
        };
        let at = self.now + self.random.exponential() / (rate * f64::from(busy));
        if timer == NO_TIMER {
            self.bindings[number].timer[binding as usize] =
                self.agenda.start(at, transition, binding, NO_TIMER);
        } else {
            self.agenda.restart(timer, at);
        }
        Ok(())
    }

    /// Evaluates a parameter of a time, for the binding in the frame.
    #[inline]
    pub(super) fn number(&mut self, transition: usize, code: &Code, or_zero: bool) -> Done<f64> {
        let bits = code.run(&self.scratch.frame, &mut self.random);
        let value = bits.and_then(|bits| {
            let value = f64::from_bits(bits as u64);
            let fine = value.is_finite() && (value > 0.0 || or_zero && value == 0.0);
            if fine { Ok(value) } else { Err(Fault::NoTime(bits as u64)) }
        });
        let transition = transition as u32;
        value.map_err(|fault| Box::new(Failure { transition, what: "the time", place: None, fault }))
    }

    /// Draws a time for the binding in the frame.
    fn draw(&mut self, transition: usize) -> Done<f64> {
        let net = self.net;
        match &net.transitions[transition].timing {
            TimingCode::Deterministic { delay } => self.number(transition, delay, true),
            TimingCode::Uniform { low, high } => {
                let (low, high) = (self.number(transition, low, true)?, self.number(transition, high, true)?);
                if low > high {
                    let fault = Fault::EmptyRange;
                    let transition = transition as u32;
                    return Err(Box::new(Failure { transition, what: "the time", place: None, fault }));
                }
                Ok(low + (high - low) * self.random.unit())
            }
            TimingCode::Erlang { stages, rate } => {
                let rate = self.number(transition, rate, false)?;
                Ok(erlang(*stages, rate, &mut self.random))
            }
            TimingCode::Empirical { values, upto } => Ok(one_of(values, upto, &mut self.random)),
            TimingCode::Untimed | TimingCode::Immediate { .. } | TimingCode::Exponential { .. } => Ok(0.0),
        }
    }

    /// Changes the number of a binding's busy servers.
    #[inline]
    pub(super) fn busy_changes(&mut self, transition: usize, before: u32, after: u32) {
        self.busy_time[transition] +=
            f64::from(self.busy[transition]) * (self.now - self.busy_since[transition]);
        self.busy_since[transition] = self.now;
        self.busy[transition] = self.busy[transition] - before + after;
    }

    /// Removes a binding and its timers.
    pub(super) fn drop_binding(&mut self, transition: u32, binding: u32) {
        let number = transition as usize;
        let mut timer = std::mem::replace(&mut self.bindings[number].timer[binding as usize], NO_TIMER);
        while timer != NO_TIMER {
            let below = self.agenda.timer(timer).below;
            self.agenda.stop(timer);
            timer = below;
        }
        let busy = std::mem::take(&mut self.bindings[number].busy[binding as usize]);
        self.busy_changes(number, busy, 0);
        self.bindings[number].remove(binding);
    }

    /// Finds the bindings of a timed transition that a new entry makes possible.
    pub(super) fn bind(&mut self, transition: u32, arc: usize, entry: u32) -> Done<()> {
        let number = transition as usize;
        if self.plans[number].is_single() {
            let binding = self.bindings[number].add(&[entry]);
            return self.renew(transition, binding, false);
        }
        self.fire.found.clear();
        let found = &mut self.fire.found;
        let search = Search {
            stores: &self.coloured,
            plans: &self.plans[number],
            fixed: Some((arc, entry)),
            counted: false,
            is_out: &|_, _| false,
        };
        let takes = search.plans.offers.len();
        let ended = search.run(&mut self.scratch, &mut self.random, &mut |scratch, _| {
            found.extend_from_slice(&scratch.entries[..takes]);
            Ok(false)
        });
        ended.map_err(|fault| guard_failed(transition, fault))?;
        let mut found = std::mem::take(&mut self.fire.found);
        for entries in found.chunks(takes) {
            let binding = self.bindings[number].add(entries);
            self.renew(transition, binding, false)?;
        }
        found.clear();
        self.fire.found = found;
        Ok(())
    }

    /// A transition that takes from queues has as many bindings as servers, the first that fit.
    pub(super) fn refill(&mut self, transition: u32) -> Done<()> {
        let number = transition as usize;
        while self.bindings[number].count < self.fixed[number].most_bindings {
            let (bindings, plans) = (&self.bindings[number], &self.plans[number]);
            if plans.is_single() {
                let index = &plans.offers[0].indices[0];
                let mut walk = index.walk(std::iter::empty());
                let next = std::iter::from_fn(|| index.next(&mut walk))
                    .find(|&entry| bindings.at(0, entry).is_none());
                let Some(entry) = next else { break };
                let binding = self.bindings[number].add(&[entry]);
                self.renew(transition, binding, false)?;
                continue;
            }
            let search = Search {
                stores: &self.coloured,
                plans,
                fixed: None,
                counted: false,
                is_out: &|arc, entry| plans.offers[arc].queue && bindings.at(arc, entry).is_some(),
            };
            let found = search.run(&mut self.scratch, &mut self.random, &mut |_, _| Ok(true));
            if !found.map_err(|fault| guard_failed(transition, fault))? {
                break;
            }
            let takes = plans.offers.len();
            let binding = self.bindings[number].add(&self.scratch.entries[..takes]);
            self.renew(transition, binding, false)?;
        }
        Ok(())
    }
}
