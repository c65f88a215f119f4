//! Models of the policies that give each way a value.

use super::{Model, SEED, Shape};
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
        PolicyKind::Zsp => zsp(shape),
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

/// CLOCK as a queue: an entry that was hit moves to the back with its bit cleared.
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

/// Returns the position of the entry to replace; if the set is full, ages it step by step. `None` if the set has
/// room.
fn place(set: &mut [Predicted], ways: usize) -> Option<usize> {
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
        let leads_static = number.is_multiple_of(period);
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
    /// Digest and position of the last packet; the next use is searched for each time.
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

/// The odd factor of a way's hash: SplitMix64's finalizer.
fn factor(way: usize) -> u32 {
    let mut word = (way as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (word ^ (word >> 31)) as u32 | 1
}

/// ZSP with complete paths: positions by way and row, entries with their priorities.
fn zsp(shape: &Shape) -> Box<dyn Model> {
    type Place = (usize, u64);
    let mut entries: HashMap<Place, (u32, u32)> = HashMap::new();
    let (ways, rows) = (shape.ways, u64::from(shape.sets));
    let most = 52.max(ways).min(shape.entries() as usize);
    let places = move |digest: u32| {
        let row = move |way| (u64::from(digest.wrapping_mul(factor(way))) * rows) >> 32;
        (0..ways).map(move |way| (way, row(way)))
    };
    Box::new(move |_: usize, _: usize, digest: u32| {
        let mut own = places(digest);
        if let Some(found) = own.find(|place| entries.get(place).is_some_and(|entry| entry.0 == digest)) {
            let priority = &mut entries.get_mut(&found).unwrap().1;
            *priority = (*priority + 8).min(15);
            return true;
        }
        // A breadth-first search finds paths from one of the digest's places to a candidate.
        let mut paths: Vec<Vec<Place>> = Vec::new();
        let mut next = 0;
        let mut origin = Some((digest, Vec::new()));
        while let Some((from, path)) = origin {
            for place in places(from) {
                let known = paths.iter().any(|path| path.last() == Some(&place));
                let found_empty =
                    paths.last().is_some_and(|path| !entries.contains_key(path.last().unwrap()));
                if !known && !found_empty && paths.len() < most {
                    paths.push(path.iter().copied().chain([place]).collect());
                }
            }
            let found_empty = !entries.contains_key(paths.last().unwrap().last().unwrap());
            let go_on = !found_empty && paths.len() < most && next < paths.len();
            origin = go_on.then(|| (entries[paths[next].last().unwrap()].0, paths[next].clone()));
            next += 1;
        }
        let end = |path: &Vec<Place>| *path.last().unwrap();
        let path = match paths.iter().find(|path| !entries.contains_key(&end(path))) {
            Some(path) => path.clone(),
            None => {
                let lowest = paths.iter().map(|path| entries[&end(path)].1).min().unwrap();
                let victim = paths.iter().find(|path| entries[&end(path)].1 == lowest).unwrap().clone();
                paths.iter().for_each(|path| entries.get_mut(&end(path)).unwrap().1 -= lowest);
                victim
            }
        };
        for step in path.windows(2).rev() {
            let moved = entries[&step[0]];
            entries.insert(step[1], moved);
        }
        entries.insert(path[0], (digest, 2));
        false
    })
}
