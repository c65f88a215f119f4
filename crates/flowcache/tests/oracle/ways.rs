//! Models of the policies that give each way a value.

use crate::{Model, SEED, Shape};
use linecard_flowcache::PolicyKind;
use linecard_sim::{Stream, stream};
use std::collections::{HashMap, VecDeque};

pub fn model(kind: PolicyKind, shape: &Shape) -> Box<dyn Model> {
    match kind {
        PolicyKind::Random => random(shape),
        PolicyKind::Lfu => lfu(shape),
        PolicyKind::Clock => clock(shape),
        PolicyKind::Srrip | PolicyKind::Brrip | PolicyKind::Drrip => rrip(kind, shape),
        PolicyKind::Ship => ship(shape),
        PolicyKind::Opt => opt(shape, false),
        PolicyKind::OptBypass => opt(shape, true),
        _ => unreachable!("modelled elsewhere"),
    }
}

fn random(shape: &Shape) -> Box<dyn Model> {
    let mut sets: Vec<Vec<u32>> = vec![Vec::new(); shape.sets as usize];
    let mut draws: Stream = stream(SEED, "cache victims");
    let ways = shape.ways;
    Box::new(move |_: usize, set: usize, digest: u32| {
        let set = &mut sets[set];
        if set.contains(&digest) {
            return true;
        }
        if set.len() < ways {
            set.push(digest);
        } else {
            set[draws.below(ways as u32) as usize] = digest;
        }
        false
    })
}

fn lfu(shape: &Shape) -> Box<dyn Model> {
    /// Digest, count, last use.
    type Entry = (u32, u32, usize);
    let mut sets: Vec<Vec<Entry>> = vec![Vec::new(); shape.sets as usize];
    let ways = shape.ways;
    Box::new(move |at: usize, set: usize, digest: u32| {
        let set = &mut sets[set];
        if let Some(entry) = set.iter_mut().find(|entry| entry.0 == digest) {
            (entry.1, entry.2) = (entry.1 + 1, at);
            return true;
        }
        if set.len() == ways {
            set.sort_by_key(|&(_, count, last)| (count, last));
            set.remove(0);
        }
        set.push((digest, 1, at));
        false
    })
}

/// CLOCK as a queue: what was hit goes to the back with its bit cleared.
fn clock(shape: &Shape) -> Box<dyn Model> {
    let mut sets: Vec<VecDeque<(u32, bool)>> = vec![VecDeque::new(); shape.sets as usize];
    let ways = shape.ways;
    Box::new(move |_: usize, set: usize, digest: u32| {
        let set = &mut sets[set];
        if let Some(entry) = set.iter_mut().find(|entry| entry.0 == digest) {
            entry.1 = true;
            return true;
        }
        if set.len() == ways {
            while let Some((entry, true)) = set.pop_front() {
                set.push_back((entry, false));
            }
        }
        set.push_back((digest, false));
        false
    })
}

/// A digest with its predicted interval.
type Predicted = (u32, u32);

/// The place for a new digest; ages the set one by one if it is full.
fn place(set: &mut Vec<Predicted>, ways: usize) -> Option<usize> {
    if set.len() < ways {
        return None;
    }
    loop {
        if let Some(way) = set.iter().position(|&(_, interval)| interval == 3) {
            return Some(way);
        }
        set.iter_mut().for_each(|(_, interval)| *interval += 1);
    }
}

fn put(set: &mut Vec<Predicted>, way: Option<usize>, entry: Predicted) {
    match way {
        Some(way) => set[way] = entry,
        None => set.push(entry),
    }
}

fn rrip(kind: PolicyKind, shape: &Shape) -> Box<dyn Model> {
    let mut sets: Vec<Vec<Predicted>> = vec![Vec::new(); shape.sets as usize];
    let (ways, period) = (shape.ways, shape.sets.min(32) as usize);
    let (mut count, mut counter) = (0u32, 512i32);
    Box::new(move |_: usize, number: usize, digest: u32| {
        let set = &mut sets[number];
        if let Some(entry) = set.iter_mut().find(|entry| entry.0 == digest) {
            entry.1 = 0;
            return true;
        }
        let leads_static = number % period == 0;
        let leads_bimodal = !leads_static && number % period == period / 2;
        counter = (counter + i32::from(leads_static) - i32::from(leads_bimodal)).clamp(0, 1023);
        let bimodal = match kind {
            PolicyKind::Srrip => false,
            PolicyKind::Brrip => true,
            _ => leads_bimodal || (!leads_static && counter > 512),
        };
        count += u32::from(bimodal);
        let distant = bimodal && !count.is_multiple_of(32);
        let way = place(set, ways);
        put(set, way, (digest, if distant { 3 } else { 2 }));
        false
    })
}

fn ship(shape: &Shape) -> Box<dyn Model> {
    let mut sets: Vec<Vec<Predicted>> = vec![Vec::new(); shape.sets as usize];
    let mut used_again: HashMap<u32, bool> = HashMap::new();
    let mut table: HashMap<u32, i32> = HashMap::new();
    let ways = shape.ways;
    let bits = (shape.entries() * 4).next_power_of_two().ilog2();
    let signature = move |digest: u32| (u64::from(digest.wrapping_mul(0x9e37_79b1)) >> (32 - bits)) as u32;
    Box::new(move |_: usize, set: usize, digest: u32| {
        let set = &mut sets[set];
        if let Some(entry) = set.iter_mut().find(|entry| entry.0 == digest) {
            entry.1 = 0;
            if !used_again.insert(digest, true).unwrap() {
                let counter = table.entry(signature(digest)).or_insert(1);
                *counter = (*counter + 1).min(3);
            }
            return true;
        }
        let way = place(set, ways);
        if let Some(way) = way
            && !used_again[&set[way].0]
        {
            let counter = table.entry(signature(set[way].0)).or_insert(1);
            *counter = (*counter - 1).max(0);
        }
        let distant = table.get(&signature(digest)).copied().unwrap_or(1) == 0;
        put(set, way, (digest, if distant { 3 } else { 2 }));
        used_again.insert(digest, false);
        false
    })
}

fn opt(shape: &Shape, bypass: bool) -> Box<dyn Model> {
    /// Digest and position of the last packet; the next use is searched for anew each time.
    type Entry = (u32, usize);
    let mut sets: Vec<Vec<Entry>> = vec![Vec::new(); shape.sets as usize];
    let shape = shape.clone();
    Box::new(move |at: usize, set: usize, digest: u32| {
        let set = &mut sets[set];
        if let Some(entry) = set.iter_mut().find(|entry| entry.0 == digest) {
            entry.1 = at;
            return true;
        }
        if set.len() == shape.ways {
            let furthest = set.iter().map(|entry| shape.next_use(entry.1)).max().unwrap();
            if bypass && shape.next_use(at) >= furthest {
                return false;
            }
            let victim = set.iter().position(|entry| shape.next_use(entry.1) == furthest).unwrap();
            set.remove(victim);
        }
        set.push((digest, at));
        false
    })
}
