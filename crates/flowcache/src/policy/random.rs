//! RANDOM: a random entry is evicted.
//! Source: textbook policy; a seeded random stream selects the victims.

use super::build::Build;
use super::info::{Cost, Info};
use crate::cache::{Access, Cache, Replay};
use crate::ways::Ways;
use linecard_sim::{Stream, stream};

pub(super) const INFO: Info = Info {
    name: "RANDOM",
    aliases: &["RAND"],
    parameter: None,
    cost: Cost::Bits(|_, _| 0),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    let ways = Ways::new(build.geometry);
    build.boxed(Random { ways, draws: stream(build.seed, "cache victims") })
}

struct Random {
    ways: Ways,
    draws: Stream,
}

impl Cache for Random {
    #[inline]
    fn lookup(&mut self, access: Access) -> bool {
        self.ways.find(access).is_some()
    }

    #[inline]
    fn insert(&mut self, access: Access) {
        let filled = self.ways.filled(access.set);
        let way = self.ways.vacancy(access.set);
        let way = way.unwrap_or_else(|| filled.start + self.draws.below(filled.len() as u32) as usize);
        self.ways.put(way, access);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Geometry;

    /// Of many victims, each way has its share.
    #[test]
    fn every_way_is_drawn_alike() {
        let ways = Ways::new(Geometry::new(4, 4).unwrap());
        let mut random = Random { ways, draws: stream(1, "cache victims") };
        let mut evicted = [0; 4];
        for at in 0..40_004 {
            let before: Vec<u32> = random.ways.filled(0).map(|way| random.ways.digest(way)).collect();
            assert!(!random.access(Access { at, set: 0, digest: at }));
            if before.len() == 4 {
                let way = (0..4).find(|&way| random.ways.digest(way) != before[way]).unwrap();
                evicted[way] += 1;
            }
        }
        assert!(evicted.iter().all(|&count| (9_500..10_500).contains(&count)), "{evicted:?}");
    }
}
