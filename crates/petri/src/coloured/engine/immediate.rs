//! Immediate transitions: selects one of those enabled.
//!
//! Only the highest priority counts. There every binding competes with its weight; a queue offers only the
//! first token that fits.

use super::super::net::TimingCode;
use super::failure::{Done, as_weight, guard_failed};
use super::fixed::together;
use super::search::Search;
use super::state::Engine;

impl Engine<'_> {
    /// Fires one immediate transition; `false` when none is enabled.
    #[inline]
    pub(super) fn fire_immediate(&mut self) -> Done<bool> {
        while let Some(transition) = self.immediate.dirty.pop() {
            self.immediate.is_dirty[transition as usize] = false;
            let enabled = self.is_open(transition as usize) && self.find_first(transition)?;
            self.immediate.set(transition, enabled);
        }
        let Some(first) = self.immediate.next(0) else { return Ok(false) };
        let end = self.immediate.class_end[first as usize];
        let transition = match self.immediate.next(first + 1) {
            Some(second) if second < end => self.compete(first, end)?,
            _ => self.immediate.order[first as usize],
        };
        self.choose(transition)?;
        self.fire_found(transition)?;
        Ok(true)
    }

    /// Finds the first binding of a transition.
    fn find_first(&mut self, transition: u32) -> Done<bool> {
        let number = transition as usize;
        let plans = &self.plans[number];
        if plans.offers.is_empty() && plans.always.is_empty() && self.is_fixed(number) {
            return Ok(true);
        }
        if let Some(entry) = self.only_entry(number) {
            return Ok(entry.inspect(|&entry| self.immediate.first[number][0] = entry).is_some());
        }
        let found = self.each_binding(transition, None, &mut |_, _| true)?;
        if found {
            let takes = self.plans[number].offers.len();
            self.immediate.first[number].copy_from_slice(&self.scratch.entries[..takes]);
        }
        Ok(found)
    }

    /// Returns the first entry that the only arc offers, if nothing else decides; otherwise `None`.
    #[inline]
    fn only_entry(&self, number: usize) -> Option<Option<u32>> {
        let plans = &self.plans[number];
        let TimingCode::Immediate { weight, .. } = &self.net.transitions[number].timing else { return None };
        match plans.offers.as_slice() {
            [offer] if offer.weight == 1 && plans.always.is_empty() && self.is_fixed(number) => {
                weight.constant()?;
                let index = &offer.indices[0];
                Some(index.next(&mut index.walk(std::iter::empty())))
            }
            _ => None,
        }
    }

    #[inline]
    fn is_fixed(&self, number: usize) -> bool {
        self.fixed[number].varying_needs.is_empty() && self.fixed[number].varying_inhibitors.is_empty()
    }

    /// Visits enabled bindings until `visit` returns `true`; if `queues_as` is given, only those that take its
    /// entries from queues.
    fn each_binding(
        &mut self,
        transition: u32,
        queues_as: Option<&[u32]>,
        visit: &mut dyn FnMut(&[u32], f64) -> bool,
    ) -> Done<bool> {
        let number = transition as usize;
        let plans = &self.plans[number];
        let search = Search {
            stores: &self.coloured,
            plans,
            fixed: None,
            counted: true,
            is_out: &|arc, entry| queues_as.is_some_and(|held| plans.offers[arc].queue && held[arc] != entry),
        };
        let fixed = &self.fixed[number];
        let (tokens, net, stores, coloured) = (&self.tokens, self.net, &self.stores, &self.coloured);
        let TimingCode::Immediate { weight, .. } = &net.transitions[number].timing else { return Ok(false) };
        let varying = !self.is_fixed(number);
        let (looked, needed) = (&mut self.fire.words, &mut self.fire.needed);
        let found = search.run(&mut self.scratch, &mut self.random, &mut |scratch, random| {
            if varying {
                needed.clear();
                for need in &fixed.varying_needs {
                    needed.push(need.weight.run(&scratch.frame, random).and_then(as_weight)?);
                }
                let mut sums = together(&fixed.varying_needs, needed);
                if sums.any(|(place, sum)| tokens[place as usize] < sum) {
                    return Ok(false);
                }
                for &inhibitor in &fixed.varying_inhibitors {
                    let inhibitor = &net.transitions[number].inhibitors[inhibitor];
                    let most = inhibitor.weight.run(&scratch.frame, random).and_then(as_weight)?;
                    let place = inhibitor.place as usize;
                    let held = match (&inhibitor.colour, stores[place]) {
                        (Some(colour), Some(store)) => {
                            looked.clear();
                            for part in colour {
                                looked.push(part.run(&scratch.frame, random)?);
                            }
                            coloured[store as usize].held(looked)
                        }
                        _ => tokens[place],
                    };
                    if held >= most {
                        return Ok(false);
                    }
                }
            }
            let weight = f64::from_bits(weight.run(&scratch.frame, random)? as u64);
            if !(weight.is_finite() && weight > 0.0) {
                return Err(super::Fault::NoTime(weight.to_bits()));
            }
            Ok(visit(&scratch.entries, weight))
        });
        found.map_err(|fault| guard_failed(transition, fault))
    }

    /// The weight of all bindings of an enabled transition.
    fn weight(&mut self, transition: u32) -> Done<f64> {
        let number = transition as usize;
        let TimingCode::Immediate { weight, .. } = &self.net.transitions[number].timing else {
            return Ok(0.0);
        };
        if let Some(bits) = weight.constant() {
            let weight = f64::from_bits(bits as u64);
            if self.immediate.decided[number] {
                return Ok(weight);
            }
            if let Some(members) = self.members(number) {
                return Ok(weight * members as f64);
            }
        }
        let mut sum = 0.0;
        let first = self.immediate.first[number].clone();
        self.each_binding(transition, Some(&first), &mut |_, weight| {
            sum += weight;
            false
        })?;
        Ok(sum)
    }

    /// Returns the number of bindings, if one arc of weight 1 takes tokens in any order and nothing else decides.
    fn members(&self, number: usize) -> Option<usize> {
        match self.plans[number].offers.as_slice() {
            [offer] if offer.weight == 1 && !offer.queue && self.is_fixed(number) => {
                Some(offer.indices[0].members().len())
            }
            _ => None,
        }
    }

    /// Draws one of the enabled transitions of a priority.
    fn compete(&mut self, first: u32, end: u32) -> Done<u32> {
        let mut weights = std::mem::take(&mut self.immediate.weights);
        weights.clear();
        let (mut sum, mut at) = (0.0, Some(first));
        while let Some(rank) = at.filter(|&rank| rank < end) {
            let transition = self.immediate.order[rank as usize];
            let weight = self.weight(transition)?;
            weights.push((transition, weight));
            sum += weight;
            at = self.immediate.next(rank + 1);
        }
        let mut drawn = self.random.unit() * sum;
        let mut chosen = weights[0].0;
        for &(transition, weight) in &weights {
            chosen = transition;
            if drawn < weight {
                break;
            }
            drawn -= weight;
        }
        self.immediate.weights = weights;
        Ok(chosen)
    }

    /// Binds an enabled transition.
    #[inline]
    fn choose(&mut self, transition: u32) -> Done<()> {
        let number = transition as usize;
        let TimingCode::Immediate { weight, .. } = &self.net.transitions[number].timing else {
            return Ok(());
        };
        let takes = self.plans[number].offers.len();
        let decided = self.immediate.decided[number];
        let members = if decided || weight.constant().is_none() { None } else { self.members(number) };
        if decided {
            self.scratch.entries[..takes].copy_from_slice(&self.immediate.first[number]);
        } else if let Some(members) = members {
            let at = if members == 1 { 0 } else { self.random.below(members as u32) as usize };
            self.scratch.entries[0] = self.plans[number].offers[0].indices[0].members()[at];
        } else {
            self.draw_binding(transition)?;
        }
        for (offer, &entry) in self.plans[number].offers.iter().zip(&self.scratch.entries) {
            offer.bind(self.coloured[offer.place as usize].words(entry), &mut self.scratch.frame);
        }
        Ok(())
    }

    /// Draws one of many bindings, each by its weight.
    fn draw_binding(&mut self, transition: u32) -> Done<()> {
        let number = transition as usize;
        let takes = self.plans[number].offers.len();
        let drawn = self.random.unit() * self.weight(transition)?;
        let first = self.immediate.first[number].clone();
        let (mut upto, mut chosen) = (0.0, first.clone());
        self.each_binding(transition, Some(&first), &mut |entries, weight| {
            upto += weight;
            chosen.copy_from_slice(&entries[..takes]);
            drawn < upto
        })?;
        self.scratch.entries[..takes].copy_from_slice(&chosen);
        Ok(())
    }
}
