//! The wake-ups of an engine's threads: at most one of each thread.

use crate::thread::NEVER;
use linecard_sim::Ticks;

/// Wake-ups that are part of the engine itself; most engines have no more threads.
const FEW: usize = 8;

/// Pending wake-ups by thread, counted from the engine's first.
#[derive(Debug)]
pub(crate) struct Wakes {
    /// The wake-ups of the first threads.
    few: [Ticks; FEW],
    /// The wake-ups of further threads in groups of the same size, and the first of each group; mostly empty.
    more: Box<[[Ticks; FEW]]>,
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
        let more = threads.saturating_sub(FEW).div_ceil(FEW);
        Self {
            few: [NEVER; FEW],
            more: vec![[NEVER; FEW]; more].into(),
            firsts: vec![NEVER; more].into(),
            next: NEVER,
            entered: Box::default(),
            count: 0,
        }
    }

    /// At one time, the wake-up that was entered first comes first.
    pub fn in_order_of_entry(mut self) -> Self {
        self.entered = vec![0; (1 + self.more.len()) * FEW].into();
        self
    }

    /// Returns the wake-up of a thread, or [`NEVER`].
    #[inline(always)]
    pub fn of(&self, thread: usize) -> Ticks {
        if thread < FEW { self.few[thread] } else { self.more[thread / FEW - 1][thread % FEW] }
    }

    /// Enters the wake-up of a thread, in place of a later one.
    #[inline(always)]
    pub fn set(&mut self, thread: usize, at: Ticks) {
        debug_assert!(at <= self.of(thread), "a wake-up is replaced by a later one");
        self.next = self.next.min(at);
        if thread < FEW {
            self.few[thread] = at;
        } else {
            let group = thread / FEW - 1;
            self.more[group][thread % FEW] = at;
            self.firsts[group] = self.firsts[group].min(at);
        }
    }

    /// As `set`; remembers the order of entry.
    pub fn set_in_order(&mut self, thread: usize, at: Ticks) {
        self.set(thread, at);
        self.entered[thread] = self.count;
        self.count += 1;
    }

    /// Returns the thread of the first wake-up, which is [`Wakes::next`].
    #[inline(always)]
    pub fn first(&self) -> usize {
        match self.few.iter().position(|&at| at == self.next) {
            Some(thread) => thread,
            None => self.first_of_more(),
        }
    }

    /// Removes the first wake-up, that of `thread`, if no other thread has one at the same time. Returns whether it
    /// did. It never does if there are many threads.
    #[inline(always)]
    pub fn remove_only(&mut self, thread: usize) -> bool {
        if !self.more.is_empty() || thread >= FEW {
            return false;
        }
        let at = std::mem::replace(&mut self.few[thread], NEVER);
        let next = first(&self.few);
        if next == at {
            self.few[thread] = at;
            return false;
        }
        self.next = next;
        true
    }

    /// Removes the first wake-up, which is [`Wakes::next`]. Returns its thread.
    #[inline(always)]
    pub fn pop(&mut self) -> usize {
        let thread = self.first();
        self.remove(thread);
        thread
    }

    /// Returns the first thread beyond the few whose wake-up is the next.
    fn first_of_more(&self) -> usize {
        let group = self.firsts.iter().position(|&first| first == self.next).unwrap_or(0);
        let within = self.more[group].iter().position(|&at| at == self.next).unwrap_or(0);
        (group + 1) * FEW + within
    }

    /// As `pop`, in the order of entry.
    pub fn pop_in_order(&mut self) -> usize {
        let all = self.few.iter().chain(self.more.as_flattened());
        let due = all.zip(&self.entered).enumerate().filter(|(_, (at, _))| **at == self.next);
        let thread = due.min_by_key(|(_, (_, entered))| **entered).map_or(0, |(thread, _)| thread);
        self.remove(thread);
        thread
    }

    /// Removes the wake-up of a thread.
    #[inline(always)]
    pub fn remove(&mut self, thread: usize) {
        if thread < FEW {
            self.few[thread] = NEVER;
        } else {
            let group = thread / FEW - 1;
            self.more[group][thread % FEW] = NEVER;
            self.firsts[group] = first(&self.more[group]);
        }
        self.next = self.firsts.iter().fold(first(&self.few), |next, &first| next.min(first));
    }
}

/// Returns the first of a group.
#[inline(always)]
fn first(group: &[Ticks; FEW]) -> Ticks {
    let [a, b, c, d, e, f, g, h] = *group;
    a.min(b).min(c.min(d)).min(e.min(f).min(g.min(h)))
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
