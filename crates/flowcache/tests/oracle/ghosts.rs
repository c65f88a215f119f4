//! Models of the policies with several lists. Lists are vectors, front first.

use super::{Model, Shape};
use linecard_flowcache::PolicyKind;
use std::collections::HashMap;

pub fn model(kind: PolicyKind, shape: &Shape) -> Box<dyn Model> {
    match kind {
        PolicyKind::Slru => slru(shape),
        PolicyKind::TwoQ => two_q(shape),
        PolicyKind::Arc => arc(shape),
        PolicyKind::Lirs => lirs(shape),
        PolicyKind::Sieve => sieve(shape),
        PolicyKind::S3Fifo => s3_fifo(shape),
        PolicyKind::WTinyLfu => w_tiny_lfu(shape),
        _ => unreachable!("modelled elsewhere"),
    }
}

/// A model of independent sets: one state each.
fn per_set<S: Default + Clone + 'static>(
    shape: &Shape,
    mut access: impl FnMut(&mut S, usize, u32) -> bool + 'static,
) -> Box<dyn Model> {
    let mut sets = vec![S::default(); shape.sets as usize];
    let ways = shape.ways;
    Box::new(move |_: usize, set: usize, digest: u32| access(&mut sets[set], ways, digest))
}

/// Removes a digest from a list. Returns whether it was present.
fn take(list: &mut Vec<u32>, digest: u32) -> bool {
    let place = list.iter().position(|&entry| entry == digest);
    place.map(|place| list.remove(place)).is_some()
}

fn slru(shape: &Shape) -> Box<dyn Model> {
    per_set(shape, |lists: &mut [Vec<u32>; 4], ways, digest| {
        let room = |segment| ways / 4 + if segment == 0 { ways % 4 } else { 0 };
        if let Some(segment) = lists.iter().position(|list| list.contains(&digest)) {
            take(&mut lists[segment], digest);
            let upper = if ways < 4 { 0 } else { (segment + 1).min(3) };
            lists[upper].insert(0, digest);
            for upper in (1..4).rev() {
                while lists[upper].len() > room(upper) {
                    let sunk = lists[upper].pop().unwrap();
                    lists[upper - 1].insert(0, sunk);
                }
            }
            return true;
        }
        let free = (0..4).find(|&segment| lists[segment].len() < room(segment));
        if free.is_none() {
            lists.iter_mut().find(|list| !list.is_empty()).unwrap().pop();
        }
        lists[free.unwrap_or(0)].insert(0, digest);
        false
    })
}

fn two_q(shape: &Shape) -> Box<dyn Model> {
    per_set(shape, |[fifo, ghosts, main]: &mut [Vec<u32>; 3], ways, digest| {
        if take(main, digest) {
            main.insert(0, digest);
            return true;
        }
        if fifo.contains(&digest) {
            return true;
        }
        let known = take(ghosts, digest);
        if fifo.len() + main.len() == ways {
            if fifo.len() > (ways / 4).max(1) || main.is_empty() {
                ghosts.insert(0, fifo.pop().unwrap());
                ghosts.truncate((ways / 2).max(1));
            } else {
                main.pop();
            }
        }
        if known {
            main.insert(0, digest)
        } else {
            fifo.insert(0, digest)
        }
        false
    })
}

/// The lists of ARC, named as in the paper, and p in units of 2^-32.
#[derive(Clone, Default)]
struct Arc {
    t1: Vec<u32>,
    t2: Vec<u32>,
    b1: Vec<u32>,
    b2: Vec<u32>,
    p: u64,
}

const ONE: u64 = 1 << 32;

impl Arc {
    fn replace(&mut self, in_b2: bool) {
        let t1 = self.t1.len() as u64 * ONE;
        if !self.t1.is_empty() && (t1 > self.p || (in_b2 && t1 == self.p) || self.t2.is_empty()) {
            self.b1.insert(0, self.t1.pop().unwrap());
        } else {
            self.b2.insert(0, self.t2.pop().unwrap());
        }
    }

    fn access(&mut self, c: usize, digest: u32) -> bool {
        if take(&mut self.t1, digest) || take(&mut self.t2, digest) {
            self.t2.insert(0, digest);
            return true;
        }
        let (b1, b2) = (self.b1.len() as u64, self.b2.len() as u64);
        let full = self.t1.len() + self.t2.len() == c;
        if self.b1.contains(&digest) {
            self.p = (self.p + (b2 * ONE / b1).max(ONE)).min(c as u64 * ONE);
            if full {
                self.replace(false);
            }
            take(&mut self.b1, digest);
            self.t2.insert(0, digest);
        } else if self.b2.contains(&digest) {
            self.p = self.p.saturating_sub((b1 * ONE / b2).max(ONE));
            if full {
                self.replace(true);
            }
            take(&mut self.b2, digest);
            self.t2.insert(0, digest);
        } else {
            self.miss(c, full);
            self.t1.insert(0, digest);
        }
        false
    }

    /// Case IV of the paper.
    fn miss(&mut self, c: usize, full: bool) {
        let total = self.t1.len() + self.t2.len() + self.b1.len() + self.b2.len();
        if self.t1.len() + self.b1.len() == c {
            if self.t1.len() < c {
                self.b1.pop();
                self.replace(false);
            } else {
                self.t1.pop();
            }
        } else if full {
            if total == 2 * c {
                self.b2.pop();
            }
            self.replace(false);
        }
    }
}

fn arc(shape: &Shape) -> Box<dyn Model> {
    per_set(shape, Arc::access)
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Lir,
    Trial,
    Ghost,
}

/// The stack with the role of each digest, the trial queue, and the ghosts in order of leaving.
#[derive(Clone, Default)]
struct Lirs {
    stack: Vec<(u32, Role)>,
    trial: Vec<u32>,
    ghosts: Vec<u32>,
}

impl Lirs {
    fn role(&self, digest: u32) -> Option<Role> {
        self.stack.iter().find(|entry| entry.0 == digest).map(|entry| entry.1)
    }

    fn lir(&self) -> usize {
        self.stack.iter().filter(|entry| entry.1 == Role::Lir).count()
    }

    fn forget(&mut self, digest: u32) {
        self.stack.retain(|entry| entry.0 != digest);
    }

    fn push(&mut self, digest: u32, role: Role) {
        self.forget(digest);
        self.stack.insert(0, (digest, role));
    }

    fn prune(&mut self) {
        while let Some(&(digest, role)) = self.stack.last()
            && role != Role::Lir
        {
            self.stack.pop();
            take(&mut self.ghosts, digest);
        }
    }

    fn settle(&mut self, digest: u32, most: usize) {
        self.push(digest, Role::Lir);
        if self.lir() > most {
            self.prune();
            let (bottom, _) = self.stack.pop().unwrap();
            self.trial.insert(0, bottom);
            self.prune();
        }
    }

    fn evict(&mut self, ways: usize) {
        let Some(victim) = self.trial.pop() else {
            self.stack.pop();
            return self.prune();
        };
        if self.role(victim).is_some() {
            self.stack.iter_mut().filter(|entry| entry.0 == victim).for_each(|entry| entry.1 = Role::Ghost);
            self.ghosts.insert(0, victim);
            if self.ghosts.len() > 2 * ways {
                let forgotten = self.ghosts.pop().unwrap();
                self.forget(forgotten);
            }
        }
    }

    fn access(&mut self, ways: usize, digest: u32) -> bool {
        let most = ways - (ways / 100).max(1);
        let role = self.role(digest);
        if role == Some(Role::Lir) {
            self.push(digest, Role::Lir);
            self.prune();
            return true;
        }
        if take(&mut self.trial, digest) {
            if role.is_some() {
                self.settle(digest, most);
            } else {
                self.trial.insert(0, digest);
                self.push(digest, Role::Trial);
            }
            return true;
        }
        if self.lir() + self.trial.len() == ways {
            self.evict(ways);
        }
        // The eviction may have pushed the digest out of the stack.
        let known = take(&mut self.ghosts, digest);
        if known || self.lir() < most {
            self.settle(digest, most);
        } else {
            self.push(digest, Role::Trial);
            self.trial.insert(0, digest);
        }
        false
    }
}

fn lirs(shape: &Shape) -> Box<dyn Model> {
    per_set(shape, Lirs::access)
}

fn sieve(shape: &Shape) -> Box<dyn Model> {
    /// Entries with visited bits, oldest first, and the position of the hand.
    type Set = (Vec<(u32, bool)>, usize);
    per_set(shape, |(queue, hand): &mut Set, ways, digest| {
        if let Some(entry) = queue.iter_mut().find(|entry| entry.0 == digest) {
            entry.1 = true;
            return true;
        }
        if queue.len() == ways {
            while queue[*hand].1 {
                queue[*hand].1 = false;
                *hand = (*hand + 1) % ways;
            }
            queue.remove(*hand);
            // The hand now points to the next newer entry or, past the newest, to the oldest.
            if *hand == ways - 1 {
                *hand = 0;
            }
        }
        queue.push((digest, false));
        false
    })
}

fn s3_fifo(shape: &Shape) -> Box<dyn Model> {
    #[derive(Clone, Default)]
    struct Set {
        small: Vec<(u32, u32)>,
        main: Vec<(u32, u32)>,
        ghosts: Vec<u32>,
    }
    fn evict_main(main: &mut Vec<(u32, u32)>) {
        while let Some((digest, count)) = main.pop()
            && count > 0
        {
            main.insert(0, (digest, count - 1));
        }
    }
    per_set(shape, |Set { small, main, ghosts }: &mut Set, ways, digest| {
        if let Some(entry) = small.iter_mut().chain(main.iter_mut()).find(|entry| entry.0 == digest) {
            entry.1 = (entry.1 + 1).min(3);
            return true;
        }
        let small_most = (ways / 10).max(1);
        while small.len() + main.len() == ways {
            if small.len() < small_most && !main.is_empty() {
                evict_main(main);
                continue;
            }
            let (oldest, count) = small.pop().unwrap();
            if count > 1 {
                main.insert(0, (oldest, 0));
                if main.len() > ways - small_most {
                    evict_main(main);
                }
            } else {
                ghosts.insert(0, oldest);
                ghosts.truncate(ways - small_most);
            }
        }
        if take(ghosts, digest) {
            main.insert(0, (digest, 0))
        } else {
            small.insert(0, (digest, 0))
        }
        false
    })
}

/// Counters by row and column, halved after a number of counts.
struct Sketch {
    counters: HashMap<(usize, u32), u32>,
    bits: u32,
    counted: u32,
    sample: u32,
}

impl Sketch {
    fn places(&self, digest: u32) -> Vec<(usize, u32)> {
        let spread = [0x9e37_79b1u32, 0x85eb_ca6b, 0xc2b2_ae35, 0x27d4_eb2f];
        spread
            .iter()
            .enumerate()
            .map(|(row, &by)| (row, digest.wrapping_mul(by) >> (32 - self.bits)))
            .collect()
    }

    fn estimate(&self, digest: u32) -> u32 {
        let count = |place| self.counters.get(&place).copied().unwrap_or(0);
        self.places(digest).into_iter().map(count).min().unwrap()
    }

    fn count(&mut self, digest: u32) {
        let least = self.estimate(digest);
        for place in self.places(digest) {
            let counter = self.counters.entry(place).or_default();
            *counter += u32::from(*counter == least && least < 15);
        }
        self.counted += 1;
        if self.counted >= self.sample {
            self.counted /= 2;
            self.counters.values_mut().for_each(|counter| *counter /= 2);
        }
    }
}

fn w_tiny_lfu(shape: &Shape) -> Box<dyn Model> {
    let entries = shape.entries();
    let bits = (entries.max(8).next_power_of_two() * 2).ilog2();
    let mut sketch = Sketch { counters: HashMap::new(), bits, counted: 0, sample: entries * 16 };
    per_set(shape, move |[window, probation, protected]: &mut [Vec<u32>; 3], ways, digest| {
        sketch.count(digest);
        let window_most = (ways / 100).max(1);
        let main_most = ways - window_most;
        if take(window, digest) {
            window.insert(0, digest);
            return true;
        }
        if take(probation, digest) || take(protected, digest) {
            protected.insert(0, digest);
            if protected.len() > main_most * 4 / 5 {
                probation.insert(0, protected.pop().unwrap());
            }
            return true;
        }
        window.insert(0, digest);
        if window.len() > window_most {
            let candidate = window.pop().unwrap();
            if probation.len() + protected.len() < main_most {
                probation.insert(0, candidate);
            } else if let Some(&victim) = probation.last().or(protected.last())
                && sketch.estimate(candidate) > sketch.estimate(victim)
            {
                let _ = probation.pop().or_else(|| protected.pop());
                probation.insert(0, candidate);
            }
        }
        false
    })
}
