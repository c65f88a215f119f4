//! A firing: the tokens put and taken, and the transitions that it affects.
//!
//! Tokens are put before others are taken, so that a colour that returns in the same firing was never absent,
//! and the transitions that it enables keep their timers. A reset takes the tokens that were there before.

use super::super::fault::Fault;
use super::super::net::TimingCode;
use super::failure::{Done, Failure, as_weight, guard_failed};
use super::fixed::VaryingNeed;
use super::state::Engine;

impl Engine<'_> {
    /// A timer has ended: its transition fires.
    pub(super) fn end_timer(&mut self, timer: u32) -> Done<()> {
        let ended = self.agenda.timer(timer);
        let (transition, binding) = (ended.transition as usize, ended.binding);
        if !matches!(self.net.transitions[transition].timing, TimingCode::Exponential { .. }) {
            let last = self.bindings[transition].timer[binding as usize];
            if last == timer {
                self.bindings[transition].timer[binding as usize] = ended.below;
            } else {
                let mut above = last;
                while self.agenda.timer(above).below != timer {
                    above = self.agenda.timer(above).below;
                }
                self.agenda.set_below(above, ended.below);
            }
            self.agenda.stop(timer);
        }
        self.load(transition, binding);
        self.fire.entries.clear();
        self.fire.entries.extend_from_slice(self.bindings[transition].entries(binding));
        self.fire_with(ended.transition, Some(binding))
    }

    /// Fires an immediate transition with the binding in the scratch.
    pub(super) fn fire_found(&mut self, transition: u32) -> Done<()> {
        let takes = self.plans[transition as usize].offers.len();
        self.fire.entries.clear();
        self.fire.entries.extend_from_slice(&self.scratch.entries[..takes]);
        self.fire_with(transition, None)
    }

    fn fire_with(&mut self, transition: u32, binding: Option<u32>) -> Done<()> {
        let number = transition as usize;
        self.fire.last = transition;
        self.fire.frame.clear();
        self.fire.frame.extend_from_slice(&self.scratch.frame[..self.net.transitions[number].slots]);
        self.fired[number] += 1;
        self.firings += 1;
        if let Some(reward) = &self.net.transitions[number].reward {
            let value = reward.run(&self.fire.frame, &mut self.random);
            let failed = |fault| Box::new(Failure { transition, what: "the reward", place: None, fault });
            self.rewards[number] += f64::from_bits(value.map_err(failed)? as u64);
        }
        self.compute(number)?;
        let moved = self.apply(number);
        moved.map_err(|(place, fault)| {
            self.scratch.frame[..self.fire.frame.len()].copy_from_slice(&self.fire.frame);
            Box::new(Failure { transition, what: "a token", place: Some(place), fault })
        })?;
        if let Some(binding) = binding {
            // Up to here, no new binding takes the number of a dropped one.
            if self.bindings[number].is_live(binding) {
                self.renew(transition, binding, true)?;
            }
        }
        self.follow()
    }

    /// Computes the tokens that the binding in the frame puts, and the dots whose number depends on it.
    #[inline]
    fn compute(&mut self, number: usize) -> Done<()> {
        let net = self.net;
        let transition = &net.transitions[number];
        let fixed = &self.fixed[number];
        let wrong = |what: &'static str, place: u32| {
            move |fault| Box::new(Failure { transition: number as u32, what, place: Some(place), fault })
        };
        self.fire.words.clear();
        self.fire.puts.clear();
        self.fire.dots.clear();
        let frame = &self.fire.frame;
        for &put in &fixed.puts {
            let put = &transition.puts[put];
            let weight = put.weight.run(frame, &mut self.random).and_then(as_weight);
            let weight = weight.map_err(wrong("the weight", put.place))?;
            if weight == 0 {
                continue;
            }
            let first = self.fire.words.len();
            for part in &put.parts {
                let word = part.run(frame, &mut self.random).map_err(wrong("a token", put.place))?;
                self.fire.words.push(word);
            }
            let store = self.stores[put.place as usize].map_or(0, |store| store as usize);
            if let Some((word, value)) = self.coloured[store].misfit(&self.fire.words[first..]) {
                return Err(wrong("a token", put.place)(Fault::OutOfRange(word, value)));
            }
            self.fire.puts.push((put.place, first as u32, weight));
        }
        for (place, code) in &fixed.varying_puts {
            let weight =
                code.run(frame, &mut self.random).and_then(as_weight).map_err(wrong("the weight", *place))?;
            self.fire.dots.push((*place, i64::from(weight)));
        }
        for VaryingNeed { place, weight, .. } in &fixed.varying_needs {
            let weight = weight
                .run(frame, &mut self.random)
                .and_then(as_weight)
                .map_err(wrong("the weight", *place))?;
            self.fire.dots.push((*place, -i64::from(weight)));
        }
        Ok(())
    }

    /// Moves the tokens.
    fn apply(&mut self, number: usize) -> Result<(), (u32, Fault)> {
        if self.fixed[number].resets {
            self.reset_dots(number);
            self.list_resets(number);
        }
        for at in 0..self.fire.puts.len() {
            let (place, first, count) = self.fire.puts[at];
            let words = std::mem::take(&mut self.fire.words);
            let width = self.stores[place as usize].map_or(0, |store| self.coloured[store as usize].width);
            let put = self.put(place, &words[first as usize..first as usize + width], count);
            self.fire.words = words;
            put.map_err(|fault| (place, fault))?;
        }
        for at in 0..self.fixed[number].changes.len() {
            let (place, by) = self.fixed[number].changes[at];
            self.shift(place, by).map_err(|fault| (place, fault))?;
        }
        for at in 0..self.fire.dots.len() {
            let (place, by) = self.fire.dots[at];
            self.shift(place, by).map_err(|fault| (place, fault))?;
        }
        for arc in 0..self.plans[number].offers.len() {
            let offer = &self.plans[number].offers[arc];
            let place = self.net.transitions[number].takes[arc].place;
            if offer.read || self.fixed[number].resets && self.net.transitions[number].resets.contains(&place)
            {
                continue;
            }
            let (entry, weight) = (self.fire.entries[arc], offer.weight);
            self.take(place, entry, weight);
        }
        for at in 0..self.fire.emptied.len() {
            let (place, entry, count) = self.fire.emptied[at];
            self.take(place, entry, count);
        }
        self.fire.emptied.clear();
        Ok(())
    }

    /// Lists the coloured tokens that resets take once the new ones are put.
    #[cold]
    fn list_resets(&mut self, number: usize) {
        for &place in &self.net.transitions[number].resets {
            let Some(store) = self.stores[place as usize] else { continue };
            let held = (0u32..).zip(&self.coloured[store as usize].count).filter(|(_, count)| **count > 0);
            self.fire.emptied.extend(held.map(|(entry, &count)| (place, entry, count)));
        }
    }

    #[cold]
    fn reset_dots(&mut self, number: usize) {
        for &place in &self.net.transitions[number].resets {
            if self.stores[place as usize].is_some() {
                continue;
            }
            // Tokens taken here are subtracted from the number that the change finds.
            let needs = self.fixed[number].needs.iter().filter(|(other, _)| *other == place);
            let taken: i64 = needs.map(|(_, weight)| i64::from(*weight)).sum();
            let varying = self.fire.dots.iter().filter(|(other, by)| *other == place && *by < 0);
            let taken = taken - varying.map(|(_, by)| by).sum::<i64>();
            // The number fits: the place held it before.
            let _ = self.shift(place, taken - i64::from(self.tokens[place as usize]));
        }
    }

    /// Changes the number of tokens of a place.
    #[inline]
    fn shift(&mut self, place: u32, by: i64) -> Result<(), Fault> {
        let held = &mut self.tokens[place as usize];
        if !std::mem::replace(&mut self.fire.is_changed[place as usize], true) {
            self.fire.changed.push((place, *held));
        }
        *held = u32::try_from(i64::from(*held) + by).map_err(|_| Fault::TooManyTokens)?;
        Ok(())
    }

    /// Puts tokens of a colour, and registers them with the arcs that can take them.
    pub(super) fn put(&mut self, place: u32, words: &[i64], count: u32) -> Result<(), Fault> {
        let Some(store) = self.stores[place as usize] else { return self.shift(place, i64::from(count)) };
        self.shift(place, i64::from(count))?;
        let queue = self.net.places[place as usize].choice == super::super::net::Choice::Fifo;
        let (times, each) = if queue { (count, 1) } else { (1, count) };
        for _ in 0..times {
            let added = self.coloured[store as usize].add(words, each);
            let (entry, new) = added.ok_or(Fault::TooManyTokens)?;
            let list = if new { &mut self.fire.new } else { &mut self.fire.touched };
            list.push((place, entry));
        }
        Ok(())
    }

    /// Takes tokens of an entry.
    fn take(&mut self, place: u32, entry: u32, count: u32) {
        // The place held the tokens that are taken.
        let _ = self.shift(place, -i64::from(count));
        let Some(store) = self.stores[place as usize] else { return };
        if !self.coloured[store as usize].remove(entry, count) {
            self.fire.touched.push((place, entry));
            return;
        }
        for at in 0..self.takers[place as usize].len() {
            let (transition, arc) = self.takers[place as usize][at];
            for index in &mut self.plans[transition as usize].offers[arc as usize].indices {
                index.unlink(entry);
            }
            if self.fixed[transition as usize].is_immediate {
                self.immediate.lost(transition);
            } else {
                while let Some(binding) = self.bindings[transition as usize].at(arc as usize, entry) {
                    self.drop_binding(transition, binding);
                }
                if self.fixed[transition as usize].most_bindings != u32::MAX {
                    self.fire.refill(transition);
                }
            }
        }
        self.coloured[store as usize].release(entry);
    }

    /// Updates every transition that a firing affects.
    pub(super) fn follow(&mut self) -> Done<()> {
        for at in 0..self.fire.changed.len() {
            let (place, before) = self.fire.changed[at];
            self.fire.is_changed[place as usize] = false;
            let after = self.tokens[place as usize];
            if after != before {
                self.occupancy.change(place as usize, before, after, self.now);
            }
            for looker in 0..self.counters[place as usize].len() {
                let (transition, by_colour) = self.counters[place as usize][looker];
                // One colour may have replaced another.
                if after == before && !by_colour {
                    continue;
                }
                if self.fixed[transition as usize].is_immediate {
                    self.immediate.concern(transition);
                } else {
                    self.fire.concern(transition);
                }
            }
        }
        self.fire.changed.clear();
        for at in 0..self.fire.new.len() {
            let (place, entry) = self.fire.new[at];
            self.arrived(place, entry)?;
        }
        self.fire.new.clear();
        for at in 0..self.fire.touched.len() {
            let (place, entry) = self.fire.touched[at];
            self.recount(place, entry)?;
        }
        self.fire.touched.clear();
        for at in 0..self.fire.concerned.len() {
            let transition = self.fire.concerned[at];
            self.fire.is_concerned[transition as usize] = false;
            self.recount_dots(transition)?;
        }
        self.fire.concerned.clear();
        for at in 0..self.fire.refills.len() {
            let transition = self.fire.refills[at];
            self.fire.needs_refill[transition as usize] = false;
            self.refill(transition)?;
        }
        self.fire.refills.clear();
        Ok(())
    }

    /// An entry came: arcs that it fits offer it, and bindings with it are found.
    fn arrived(&mut self, place: u32, entry: u32) -> Done<()> {
        let Some(store) = self.stores[place as usize] else { return Ok(()) };
        // First, all arcs offer the entry: a binding may take it twice.
        self.fire.fits.clear();
        for at in 0..self.takers[place as usize].len() {
            let (transition, arc) = self.takers[place as usize][at];
            let offer = &mut self.plans[transition as usize].offers[arc as usize];
            let store = &self.coloured[store as usize];
            let words = store.words(entry);
            let mut fits = offer.is_consistent(words);
            if fits && !offer.local.is_empty() {
                offer.bind(words, &mut self.scratch.frame);
                for code in &offer.local {
                    let holds = code.run(&self.scratch.frame, &mut self.random);
                    if holds.map_err(|fault| guard_failed(transition, fault))? == 0 {
                        fits = false;
                        break;
                    }
                }
            }
            if fits {
                offer.indices.iter_mut().for_each(|index| index.link(entry, words));
            }
            self.fire.fits.push(fits);
        }
        let count = self.coloured[store as usize].count[entry as usize];
        for at in 0..self.takers[place as usize].len() {
            if !self.fire.fits[at] {
                continue;
            }
            let (transition, arc) = self.takers[place as usize][at];
            let number = transition as usize;
            if self.fixed[number].is_immediate {
                self.immediate.concern(transition);
            } else if self.fixed[number].most_bindings != u32::MAX {
                self.fire.refill(transition);
            } else {
                self.fire.widest[number] = self.fire.widest[number].max(count);
                self.bind(transition, arc as usize, entry)?;
            }
        }
        Ok(())
    }

    /// An entry has another number of tokens.
    fn recount(&mut self, place: u32, entry: u32) -> Done<()> {
        let Some(store) = self.stores[place as usize] else { return Ok(()) };
        let count = self.coloured[store as usize].count[entry as usize];
        for at in 0..self.takers[place as usize].len() {
            let (transition, arc) = self.takers[place as usize][at];
            let number = transition as usize;
            if self.fixed[number].is_immediate {
                self.immediate.concern(transition);
                continue;
            }
            self.fire.widest[number] = self.fire.widest[number].max(count);
            let mut next = self.bindings[number].at(arc as usize, entry);
            while let Some(binding) = next {
                next = self.bindings[number].after(arc as usize, binding);
                self.renew(transition, binding, false)?;
            }
        }
        Ok(())
    }

    /// Dots of a timed transition changed, or tokens that inhibit it.
    fn recount_dots(&mut self, transition: u32) -> Done<()> {
        let number = transition as usize;
        if self.fixed[number].is_immediate {
            self.immediate.concern(transition);
            return Ok(());
        }
        let fixed = &self.fixed[number];
        if fixed.varying_needs.is_empty() && fixed.varying_inhibitors.is_empty() {
            // More than any binding can use is enough.
            let widest =
                if self.plans[number].offers.is_empty() { u32::MAX } else { self.fire.widest[number] };
            let most = fixed.servers.busy(widest);
            let units = self.limited_by_dots(number, most)?;
            if std::mem::replace(&mut self.fire.units[number], units) == units
                && units == most
                && most != u32::MAX
            {
                return Ok(());
            }
        }
        for binding in 0..self.bindings[number].len() {
            if self.bindings[number].is_live(binding) {
                self.renew(transition, binding, false)?;
            }
        }
        Ok(())
    }
}
