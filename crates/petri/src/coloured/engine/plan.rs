//! The order in which a transition's arcs are searched, and the known words at each.

use super::super::code::Code;
use super::super::net::{Choice, ColouredNet, ColouredTransition};
use super::offer::Index;

/// An arc in the order of a search.
pub(super) struct Step {
    /// Number of the arc among the arcs that take coloured tokens.
    pub take: usize,
    /// The number of the index.
    pub index: usize,
    /// Slots that hold the words of the key.
    pub key: Vec<u16>,
    /// Words that must equal a slot that is set, and words that set a slot.
    pub tests: Vec<(u16, u16)>,
    pub binds: Vec<(u16, u16)>,
    /// Conditions that are known from here on.
    pub conditions: Vec<Code>,
}

/// The entries that an arc alone accepts.
pub(super) struct Offer {
    pub place: u32,
    pub weight: u32,
    pub read: bool,
    pub queue: bool,
    /// Words that must be equal to each other.
    same: Vec<(u16, u16)>,
    /// Word and slot, for conditions on this arc alone.
    words: Vec<(u16, u16)>,
    pub local: Vec<Code>,
    pub indices: Vec<Index>,
}

impl Offer {
    /// Binds the words of an entry.
    #[inline]
    pub fn bind(&self, words: &[i64], frame: &mut [i64]) {
        for &(word, slot) in &self.words {
            frame[slot as usize] = words[word as usize];
        }
    }

    /// Returns whether the words that must be equal are equal.
    #[inline]
    pub fn is_consistent(&self, words: &[i64]) -> bool {
        self.same.iter().all(|&(a, b)| words[a as usize] == words[b as usize])
    }
}

/// Arcs of a transition, the search through all, and the searches that begin with each arc.
pub(super) struct Plans {
    pub offers: Vec<Offer>,
    pub full: Vec<Step>,
    pub from: Vec<Vec<Step>>,
    /// Conditions without any variable.
    pub always: Vec<Code>,
}

impl Plans {
    pub fn new(net: &ColouredNet, transition: &ColouredTransition) -> Self {
        let mut offers: Vec<Offer> = Vec::with_capacity(transition.takes.len());
        let mut shared: Vec<&Code> = Vec::new();
        for take in &transition.takes {
            let (mut same, mut words) = (Vec::new(), Vec::<(u16, u16)>::new());
            for (word, &slot) in (0u16..).zip(&take.slots) {
                match words.iter().find(|(_, other)| *other == slot) {
                    Some(&(first, _)) => same.push((first, word)),
                    None => words.push((word, slot)),
                }
            }
            offers.push(Offer {
                place: take.place,
                weight: take.weight,
                read: take.read,
                queue: net.places[take.place as usize].choice == Choice::Fifo,
                same,
                words,
                local: Vec::new(),
                indices: Vec::new(),
            });
        }
        let mut always = Vec::new();
        for code in &transition.guard {
            let inside =
                |offer: &Offer| code.slots().all(|slot| offer.words.iter().any(|(_, own)| *own == slot));
            if code.slots().next().is_none() {
                always.push(code.clone());
            } else if let Some(offer) = offers.iter_mut().find(|offer| inside(offer)) {
                offer.local.push(code.clone());
            } else {
                shared.push(code);
            }
        }
        let mut plans = Self { offers, full: Vec::new(), from: Vec::new(), always };
        // The order of a queue matters: the search through all entries begins with a queue.
        let first = plans.offers.iter().position(|offer| offer.queue).unwrap_or(0);
        plans.full = plans.plan(first, &shared);
        plans.from = (0..plans.offers.len()).map(|first| plans.plan(first, &shared)).collect();
        plans
    }

    /// Returns whether each entry that fits the only arc is a binding.
    #[inline]
    pub fn is_single(&self) -> bool {
        self.offers.len() == 1 && self.always.is_empty()
    }

    /// Arcs in the order of a search that begins with one of them; arcs with the most known words go next.
    fn plan(&mut self, first: usize, shared: &[&Code]) -> Vec<Step> {
        let mut left: Vec<usize> = (0..self.offers.len()).collect();
        let (mut known, mut steps): (Vec<u16>, Vec<Step>) = (Vec::new(), Vec::new());
        let mut next = Some(first);
        let mut conditions: Vec<&Code> = shared.to_vec();
        while !left.is_empty() {
            let take = next.take().unwrap_or_else(|| {
                let known_of = |take: usize| {
                    let words = &self.offers[take].words;
                    words.iter().filter(|(_, slot)| known.contains(slot)).count()
                };
                // Of the arcs with most known words, the first one named.
                left.iter().copied().rev().max_by_key(|&take| known_of(take)).unwrap_or(0)
            });
            left.retain(|&other| other != take);
            let offer = &mut self.offers[take];
            let (key, binds): (Vec<_>, Vec<_>) =
                offer.words.iter().partition(|(_, slot)| known.contains(slot));
            let words: Vec<u16> = key.iter().map(|(word, _)| *word).collect();
            let index = offer.indices.iter().position(|index| index.key == words).unwrap_or_else(|| {
                offer.indices.push(Index::new(words, offer.queue));
                offer.indices.len() - 1
            });
            known.extend(binds.iter().map(|(_, slot)| *slot));
            let (now, later): (Vec<_>, Vec<_>) =
                conditions.into_iter().partition(|code| code.slots().all(|slot| known.contains(&slot)));
            conditions = later;
            steps.push(Step {
                take,
                index,
                key: key.iter().map(|(_, slot)| *slot).collect(),
                tests: key,
                binds,
                conditions: now.into_iter().cloned().collect(),
            });
        }
        steps
    }
}
