//! Does the engine offer the bindings and reach the markings that the definition of a net gives?

use super::super::by_chance::{Marking, Plan, Values};
use super::super::net::ColouredNet;
use super::state::Engine;
use std::collections::BTreeMap;

/// Most firings of a net.
const FIRINGS: usize = 40;

fn values(net: &ColouredNet, transition: usize, frame: &[i64]) -> Values {
    let variables = &net.transitions[transition].variables;
    let of = |name: &str| {
        variables.iter().find(|(other, ..)| other == name).map_or(0, |(.., slots)| frame[slots[0] as usize])
    };
    [of("x"), of("y")]
}

impl Engine<'_> {
    fn marking(&self) -> Marking {
        let mut marking = Marking::new();
        for (place, &tokens) in (0u32..).zip(&self.tokens) {
            let Some(store) = self.stores[place as usize] else {
                marking.insert((place, 0), tokens);
                continue;
            };
            let store = &self.coloured[store as usize];
            for (entry, &count) in (0u32..).zip(&store.count) {
                marking.insert((place, store.words(entry)[0]), count);
            }
        }
        marking.retain(|_, count| *count > 0);
        marking
    }

    /// Returns the busy servers of each binding.
    fn at_work(&mut self, transition: usize) -> BTreeMap<Values, u32> {
        let mut all = BTreeMap::new();
        for binding in 0..self.bindings[transition].len() {
            let busy = self.bindings[transition].busy[binding as usize];
            if self.bindings[transition].is_live(binding) && busy > 0 {
                self.load(transition, binding);
                *all.entry(values(self.net, transition, &self.scratch.frame)).or_default() += busy;
            }
        }
        all
    }

    fn is_as_planned(&mut self, plan: &Plan, marking: &Marking, said: &str) {
        assert_eq!(&self.marking(), marking, "{said}");
        for (number, transition) in plan.transitions.iter().enumerate().filter(|(_, t)| !t.is_immediate) {
            let busy = |(values, degree)| (values, transition.servers.busy(degree));
            let expected: BTreeMap<Values, u32> = transition.enabled(marking).into_iter().map(busy).collect();
            assert_eq!(self.at_work(number), expected, "{said}, transition {number} in {marking:?}");
        }
    }

    /// Fires a transition and returns its number, if one is enabled.
    fn fire_next(&mut self, plan: &Plan, marking: &Marking, said: &str) -> Option<usize> {
        if self.fire_immediate().is_ok_and(|fired| fired) {
            return Some(self.fire.last as usize);
        }
        let mut immediate = plan.transitions.iter().filter(|transition| transition.is_immediate);
        assert!(immediate.all(|transition| transition.enabled(marking).is_empty()), "{said}: {marking:?}");
        let (now, timer) = self.agenda.first()?;
        self.now = now;
        assert!(self.end_timer(timer).is_ok(), "{said}");
        Some(self.fire.last as usize)
    }
}

#[test]
fn bindings_and_markings_are_those_of_the_definition() {
    let mut firings = 0;
    for seed in 0..2_000 {
        let mut plan = Plan::by_chance(seed);
        plan.transitions[0].is_immediate = seed % 2 == 1;
        let net = plan.net();
        let mut engine = Engine::new(&net, seed).unwrap();
        let mut marking = plan.first.clone();
        for step in 0..FIRINGS {
            let said = format!("seed {seed}, step {step}");
            engine.is_as_planned(&plan, &marking, &said);
            let Some(fired) = engine.fire_next(&plan, &marking, &said) else { break };
            let values = values(&net, fired, &engine.fire.frame);
            let transition = &plan.transitions[fired];
            assert!(transition.enabled(&marking).contains_key(&values), "{said}: {fired} in {marking:?}");
            marking = transition.fired(&marking, values);
            firings += 1;
        }
    }
    assert!(firings > 20_000, "{firings}");
}
