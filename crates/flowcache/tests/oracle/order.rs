//! Models of the policies that keep the entries of a set in order.

use super::{FORESIGHT_PACKETS, Model, SEED, Shape};
use linecard_flowcache::PolicyKind;
use linecard_sim::stream;

/// The entries of each set, best first.
type Sets = Vec<Vec<u32>>;

/// A model defined by the effect of a hit at a position, and of a miss, on a set.
fn of(
    shape: &Shape,
    hit: impl Fn(&mut Vec<u32>, usize) + 'static,
    mut miss: impl FnMut(&mut Vec<u32>, usize, usize, u32) + 'static,
) -> Box<dyn Model> {
    let mut sets: Sets = vec![Vec::new(); shape.sets as usize];
    Box::new(move |at: usize, set: usize, digest: u32| {
        let place = sets[set].iter().position(|&entry| entry == digest);
        match place {
            Some(place) => hit(&mut sets[set], place),
            None => miss(&mut sets[set], at, set, digest),
        }
        place.is_some()
    })
}

fn to_front(set: &mut Vec<u32>, place: usize) {
    let digest = set.remove(place);
    set.insert(0, digest);
}

fn up_by_one(set: &mut [u32], place: usize) {
    if place > 0 {
        set.swap(place, place - 1);
    }
}

fn at_front(set: &mut Vec<u32>, ways: usize, digest: u32) {
    set.insert(0, digest);
    set.truncate(ways);
}

fn at_end(set: &mut Vec<u32>, ways: usize, digest: u32) {
    set.truncate(ways - 1);
    set.push(digest);
}

/// BIP's counter over all insertions: the 32nd, 64th, … go to the front.
fn bimodal(count: &mut u32, set: &mut Vec<u32>, ways: usize, digest: u32) {
    *count += 1;
    if count.is_multiple_of(32) { at_front(set, ways, digest) } else { at_end(set, ways, digest) }
}

pub fn model(kind: PolicyKind, shape: &Shape) -> Box<dyn Model> {
    let ways = shape.ways;
    match kind {
        PolicyKind::Lru => of(shape, to_front, move |set, _, _, digest| at_front(set, ways, digest)),
        PolicyKind::Fifo => of(shape, |_, _| (), move |set, _, _, digest| at_front(set, ways, digest)),
        PolicyKind::Sp => {
            of(shape, |set, place| up_by_one(set, place), move |set, _, _, digest| at_end(set, ways, digest))
        }
        PolicyKind::Lip => of(shape, to_front, move |set, _, _, digest| at_end(set, ways, digest)),
        PolicyKind::Bip => {
            let mut count = 0;
            of(shape, to_front, move |set, _, _, digest| bimodal(&mut count, set, ways, digest))
        }
        PolicyKind::Dip => dip(shape),
        PolicyKind::Prob => {
            let mut draws = stream(SEED, "cache insertions");
            let miss = move |set: &mut Vec<u32>, _, _, digest| {
                if draws.below(4) == 0 {
                    at_front(set, ways, digest);
                }
            };
            of(shape, to_front, miss)
        }
        PolicyKind::Pred => pred(shape, 1),
        _ => unreachable!("modelled elsewhere"),
    }
}

/// Leaders in the first and the middle set of each period; the counter is the difference of their misses.
fn dip(shape: &Shape) -> Box<dyn Model> {
    let (ways, period) = (shape.ways, shape.sets.min(32) as usize);
    let (mut count, mut counter) = (0, 512i32);
    let miss = move |set: &mut Vec<u32>, _, number: usize, digest| {
        let leads_lru = number.is_multiple_of(period);
        let leads_bip = !leads_lru && number % period == period / 2;
        counter = (counter + i32::from(leads_lru) - i32::from(leads_bip)).clamp(0, 1023);
        if leads_bip || (!leads_lru && counter > 512) {
            bimodal(&mut count, set, ways, digest);
        } else {
            at_front(set, ways, digest);
        }
    };
    of(shape, to_front, miss)
}

pub fn pred(shape: &Shape, needed: usize) -> Box<dyn Model> {
    let (ways, digests) = (shape.ways, shape.digests.clone());
    let miss = move |set: &mut Vec<u32>, at: usize, _, digest| {
        let window = digests.iter().skip(at + 1).take(FORESIGHT_PACKETS as usize);
        if window.filter(|&&later| later == digest).count() >= needed {
            at_front(set, ways, digest);
        }
    };
    of(shape, to_front, miss)
}

/// SP in its second interpretation: all ways have an order from the start, even empty ones.
pub fn saturating_priority_from_empty(shape: &Shape) -> Box<dyn Model> {
    let mut sets = vec![vec![None; shape.ways]; shape.sets as usize];
    Box::new(move |_: usize, set: usize, digest: u32| {
        let set = &mut sets[set];
        let place = set.iter().position(|&entry| entry == Some(digest));
        match place {
            Some(0) => (),
            Some(place) => set.swap(place, place - 1),
            None => *set.last_mut().unwrap() = Some(digest),
        }
        place.is_some()
    })
}
