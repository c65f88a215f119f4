//! The wake-ups of an engine's threads: at most one of each thread.

use crate::thread::NEVER;
use linecard_sim::Ticks;

/// Threads whose first wake-up is kept.
const GROUP: usize = 4;

/// Pending wake-ups by thread, counted from the engine's first.
#[derive(Debug)]
pub(crate) struct Wakes {
    at: Box<[[Ticks; GROUP]]>,
    /// The first of each group.
    firsts: Box<[Ticks]>,
    /// The first of all, or [`NEVER`].
    pub next: Ticks,
    /// By thread, the number of wake-ups entered before its own. Empty if wake-ups of the same time come in
    /// the order of their threads and not of their entry.
    entered: Box<[u64]>,
    count: u64,
}

impl Wakes {
    /// Returns no wake-ups of `threads` threads. At one time, the lower thread comes first.
    pub fn new(threads: usize) -> Self {
        let groups = threads.div_ceil(GROUP).max(1);
        Self {
            at: vec![[NEVER; GROUP]; groups].into(),
            firsts: vec![NEVER; groups].into(),
            next: NEVER,
            entered: Box::default(),
            count: 0,
        }
    }

    /// At one time, the wake-up that was entered first comes first.
    pub fn in_order_of_entry(mut self) -> Self {
        self.entered = vec![0; self.at.len() * GROUP].into();
        self
    }

    /// Returns the wake-up of a thread, or [`NEVER`].
    #[inline(always)]
    pub fn of(&self, thread: usize) -> Ticks {
        self.at[thread / GROUP][thread % GROUP]
    }

    /// Enters the wake-up of a thread, in place of a later one.
    #[inline(always)]
    pub fn set(&mut self, thread: usize, at: Ticks) {
        debug_assert!(at <= self.of(thread), "a wake-up is replaced by a later one");
        let group = thread / GROUP;
        self.at[group][thread % GROUP] = at;
        if at < self.firsts[group] {
            self.firsts[group] = at;
            self.next = self.next.min(at);
        }
    }

    /// As `set`; remembers the order of entry.
    pub fn set_in_order(&mut self, thread: usize, at: Ticks) {
        self.set(thread, at);
        self.entered[thread] = self.count;
        self.count += 1;
    }

    /// Removes the first wake-up, which is [`Wakes::next`]. Returns its thread.
    #[inline(always)]
    pub fn pop(&mut self) -> usize {
        let next = self.next;
        let group = match self.firsts.len() {
            1 => 0,
            _ => self.firsts.iter().position(|&first| first == next).unwrap_or(0),
        };
        let within = self.at[group].iter().position(|&at| at == next).unwrap_or(0);
        self.remove(group, within);
        group * GROUP + within
    }

    /// As `pop`, in the order of entry.
    pub fn pop_in_order(&mut self) -> usize {
        let due = self.at.as_flattened().iter().zip(&self.entered).enumerate();
        let due = due.filter(|(_, (at, _))| **at == self.next);
        let thread = due.min_by_key(|(_, (_, entered))| **entered).map_or(0, |(thread, _)| thread);
        self.remove(thread / GROUP, thread % GROUP);
        thread
    }

    #[inline(always)]
    fn remove(&mut self, group: usize, within: usize) {
        let quad = &mut self.at[group];
        quad[within] = NEVER;
        let first = quad[0].min(quad[1]).min(quad[2].min(quad[3]));
        self.firsts[group] = first;
        self.next = match &*self.firsts {
            [_] => first,
            [one, other] => *one.min(other),
            firsts => firsts.iter().fold(NEVER, |next, &first| next.min(first)),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn come_in_the_order_of_a_sorted_list(
            threads in 1usize..20,
            in_order in proptest::bool::ANY,
            steps in proptest::collection::vec((0u64..20, 0usize..20, proptest::bool::weighted(0.4)), 1..200),
        ) {
            // Of wake-ups at the same time, that of the lower thread comes first, or the one entered first.
            let mut wakes = Wakes::new(threads);
            if in_order {
                wakes = wakes.in_order_of_entry();
            }
            let mut list = Vec::<(Ticks, usize)>::new();
            for (at, thread, takes) in steps {
                let thread = thread % threads;
                let at = at.min(wakes.of(thread));
                if takes && !list.is_empty() {
                    let popped = if in_order { wakes.pop_in_order() } else { wakes.pop() };
                    prop_assert_eq!(popped, list.remove(0).1);
                } else {
                    if in_order { wakes.set_in_order(thread, at) } else { wakes.set(thread, at) }
                    list.retain(|&(_, other)| other != thread);
                    list.push((at, thread));
                    list.sort_by_key(|&(at, thread)| (at, if in_order { 0 } else { thread }));
                }
                prop_assert_eq!(wakes.next, list.first().map_or(NEVER, |wake| wake.0));
            }
        }
    }
}
