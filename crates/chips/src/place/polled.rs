//! A unit that is polled: a result is there at the next poll, a whole number of intervals after the start.

use super::table::PlaceTable;
use crate::units::time_ps;
use linecard_chip::config::PlaceKind;
use linecard_chip::place::{Facts, Kind, Served, Serves};
use linecard_program::script::Access;
use linecard_sim::{Ticks, Timebase};
use std::sync::Arc;

pub(super) const KEYS: &[&str] = &["every_ns", "every_cycles"];
pub(super) const HAS_TIMES: bool = false;

pub(super) fn read(asked: &PlaceTable<'_>) -> PlaceKind {
    let (section, hz) = (asked.section, asked.clocks.of(asked.section));
    let every_ps = time_ps(section, "every", hz, "polling interval; 0: completion is detected immediately");
    if every_ps.is_none() && !section.has("every_ns") && !section.has("every_cycles") {
        section.lacks("every_ns", "set the polling interval with every_ns or every_cycles");
    }
    PlaceKind::Of(Arc::new(Polled { every_ps: every_ps.unwrap_or(0) }))
}

/// Numbers of the unit.
#[derive(Clone, Debug)]
struct Polled {
    every_ps: u64,
}

impl Kind for Polled {
    fn wrong(&self) -> Option<String> {
        None
    }

    fn place(&self, timebase: &Timebase) -> Box<dyn Serves> {
        Box::new(Looks { every: timebase.ticks_from_ps(self.every_ps), served: Served::default() })
    }

    fn facts(&self) -> Facts {
        Facts {
            latency_ps: self.every_ps as f64 / 2.0,
            service_ps: 0.0,
            parts: f64::INFINITY,
            bytes: 0,
            formula: "half a polling interval on average".to_owned(),
        }
    }

    fn faster(&self) -> Arc<dyn Kind> {
        Arc::new(Self { every_ps: self.every_ps / 2 })
    }
}

/// The unit during a run.
struct Looks {
    every: Ticks,
    served: Served,
}

impl Serves for Looks {
    fn serve(&mut self, at: Ticks, _: Access, _: u64, bytes: u32) -> Ticks {
        let done = if self.every > 0 { at.next_multiple_of(self.every) } else { at };
        self.served.accesses += 1;
        self.served.bytes += u64::from(bytes);
        self.served.residence += u128::from(done - at);
        done
    }

    fn entered_ahead(&mut self, _: Ticks) {}

    fn restart(&mut self, _: Ticks) {
        self.served = Served::default();
    }

    fn served(&self, _: Ticks) -> Served {
        self.served.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_there_at_the_next_look() {
        let timebase = Timebase::fine(&[1_000_000_000]).unwrap();
        let ticks = |ps: u64| timebase.ticks_from_ps(ps);
        let mut unit = Polled { every_ps: 100_000 }.place(&timebase);
        for (at, seen) in [(0, 0), (1, 100_000), (100_000, 100_000), (100_001, 200_000)] {
            assert_eq!(unit.serve(ticks(at), Access::Read, 0, 4), ticks(seen));
        }
        assert_eq!(unit.served(0).accesses, 4);
        let mut at_once = Polled { every_ps: 0 }.place(&timebase);
        assert_eq!(at_once.serve(7, Access::Read, 0, 4), 7);
    }
}
