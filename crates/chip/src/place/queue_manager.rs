//! A queue manager, which is asked for operations on its lists ([`Memory::as_queue_manager`]) and not for accesses.

use super::memory::{Memory, share};
use crate::counts::PlaceCounts;
use linecard_queueing::Service;
use linecard_sim::Ticks;

impl Memory for Service {
    fn restart(&mut self, now: Ticks) {
        self.restart(now);
    }

    fn counts(&self, now: Ticks, _since: Ticks) -> PlaceCounts {
        let usage = self.usage(now);
        let hit_rate = (usage.lookups > 0).then(|| share(usage.hits as f64, usage.lookups as f64));
        PlaceCounts {
            utilization: Some(usage.utilization),
            utilization_most: Some(usage.utilization),
            accesses: usage.operations,
            hit_rate,
            queue_manager: Some(usage),
            ..PlaceCounts::default()
        }
    }

    fn as_queue_manager(&mut self) -> Option<&mut Service> {
        Some(self)
    }
}
