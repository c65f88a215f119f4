//! A queue manager. Threads submit operations on its lists ([`Memory::operate`]) instead of accesses.

use super::facts::Facts;
use super::memory::{Memory, Numbers, share};
use crate::config::QueueManagerConfig;
use crate::counts::PlaceCounts;
use linecard_queueing::{CLOCKS_HZ, Operation, Service, Settings};
use linecard_sim::{Ticks, Timebase};

/// Returns an idle queue manager for a number of threads and queues.
///
/// # Errors
///
/// Returns a sentence on what does not fit.
pub(super) fn build(
    config: &QueueManagerConfig,
    timebase: &Timebase,
    threads: u32,
    queues: u32,
) -> Result<Service, String> {
    let settings = Settings { threads, queues, ..config.settings.clone() };
    Service::new(config.kind, &settings, *timebase).map_err(|error| error.to_string())
}

impl Numbers for QueueManagerConfig {
    fn facts(&self) -> Facts {
        Facts {
            latency_ps: self.settings.interconnect_ps as f64 + 2.0 * self.settings.memory_ps as f64,
            service_ps: 0.0,
            parts: 1.0,
            bytes: 0,
            formula: "round trip + two accesses to the memory that stores descriptors and links".to_owned(),
        }
    }

    fn faster(&mut self) {
        let Settings { memory_ps, interconnect_ps, port_ps, slot_ps, cam_ps, cache_ps, clock_ps, .. } =
            &mut self.settings;
        for time in [memory_ps, interconnect_ps, port_ps, slot_ps, cam_ps, cache_ps] {
            *time /= 2;
        }
        *clock_ps = (*clock_ps / 2).max(1);
    }

    fn clocks_hz(&self) -> Vec<u64> {
        CLOCKS_HZ.to_vec()
    }
}

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

    fn operate(&mut self, now: Ticks, thread: u32, operation: Operation) -> bool {
        self.start(now, thread, operation);
        true
    }

    fn next_operation(&self) -> Option<Ticks> {
        self.next_at()
    }

    fn take_complete(&mut self, now: Ticks) -> Result<Option<u32>, String> {
        self.take_complete(now).map_err(|error| error.to_string())
    }
}
