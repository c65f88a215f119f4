//! CLOCK: FIFO with a second chance. A hit sets the entry's bit; the hand clears bits until it finds one clear.
//! Source: Corbato, MIT Project MAC 1968.

use super::build::{Build, log2_ceil};
use super::info::{Cost, Info};
use crate::cache::{Access, Cache, Replay};
use crate::geometry::Geometry;
use crate::ways::Ways;

pub(super) const INFO: Info = Info {
    name: "CLOCK",
    aliases: &["SECONDCHANCE"],
    parameter: None,
    cost: Cost::Bits(|geometry, _| {
        u64::from(geometry.entries()) + u64::from(geometry.sets()) * log2_ceil(geometry.ways())
    }),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.boxed(Clock::new(build.geometry))
}

struct Clock {
    ways: Ways,
    referenced: Vec<bool>,
    /// Per set, the way the hand points at.
    hands: Vec<u32>,
}

impl Clock {
    fn new(geometry: Geometry) -> Self {
        Self {
            ways: Ways::new(geometry),
            referenced: vec![false; geometry.entries() as usize],
            hands: vec![0; geometry.sets() as usize],
        }
    }

    /// Turns the hand to the next entry without a bit and past it.
    fn turn(&mut self, set: u32) -> usize {
        let filled = self.ways.filled(set);
        let hand = &mut self.hands[set as usize];
        loop {
            let way = filled.start + *hand as usize;
            *hand = (*hand + 1) % filled.len() as u32;
            if !std::mem::replace(&mut self.referenced[way], false) {
                return way;
            }
        }
    }
}

impl Cache for Clock {
    #[inline]
    fn lookup(&mut self, access: Access) -> bool {
        let found = self.ways.find(access);
        if let Some(way) = found {
            self.referenced[way] = true;
        }
        found.is_some()
    }

    #[inline]
    fn insert(&mut self, access: Access) {
        let way = self.ways.vacancy(access.set).unwrap_or_else(|| self.turn(access.set));
        self.ways.put(way, access);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::hand::{letters, replay};

    #[test]
    fn by_hand() {
        let show = |clock: &Clock| {
            let mark = |way: usize| if clock.referenced[way] { "'" } else { "" };
            let entry = |way| letters([Some(clock.ways.digest(way))]) + mark(way);
            clock.ways.filled(0).map(entry).collect::<String>() + &clock.hands[0].to_string()
        };
        let mut clock = Clock::new(Geometry::new(3, 3).unwrap());
        replay(&mut clock, "a:a0 b:ab0 c:abc0 a+a'bc0 d:adc2 b:adb0 a+a'db0 d+a'd'b0 e:ade0 f:fde1", show);
    }
}
