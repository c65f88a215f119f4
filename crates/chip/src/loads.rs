//! Loads of a thread that hit a cache and whose values its program has not used yet. The program executes in order:
//! the first instruction that uses a value waits until the value is there.

use linecard_sim::{Clock, Ticks};

/// A load whose value has not been used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// The step that loads.
    pub step: u32,
    /// When the value is there.
    pub there: Ticks,
    /// Cycles of the program from the start of the next step to the first instruction that uses the value.
    pub used_in: u32,
    /// The number of the state of a thread that waits for the value.
    pub state: u16,
}

impl Load {
    /// Returns whether a step of `cycles` uses the value. A use right behind the step is that of the next one, which
    /// follows the action of the step; a value that is used at once delays the action.
    fn is_used_in(&self, cycles: u32) -> bool {
        self.used_in < cycles.max(1)
    }
}

/// The loads of a thread, in the order of their uses.
#[derive(Debug, Default)]
pub(crate) struct Loads(Vec<Load>);

impl Loads {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn add(&mut self, load: Load) {
        let at = self.0.partition_point(|other| other.used_in <= load.used_in);
        self.0.insert(at, load);
    }

    /// Returns the time for which a step that starts at `start` and takes `cycles` waits for loaded values, and the
    /// last load that it waits for. Calls `waits` with each such load and the time that it adds.
    pub fn delay(
        &self,
        start: Ticks,
        cycles: u32,
        clock: &Clock,
        mut waits: impl FnMut(&Load, Ticks),
    ) -> (Ticks, Option<Load>) {
        let (mut delay, mut last) = (0, None);
        for load in self.0.iter().take_while(|load| load.is_used_in(cycles)) {
            let used = start.saturating_add(clock.ticks(load.used_in.into())).saturating_add(delay);
            if load.there > used {
                waits(load, load.there - used);
                delay += load.there - used;
                last = Some(*load);
            }
        }
        (delay, last)
    }

    /// A step of `cycles` has executed.
    pub fn executed(&mut self, cycles: u32) {
        self.0.retain_mut(|load| {
            let is_left = !load.is_used_in(cycles);
            load.used_in = load.used_in.saturating_sub(cycles);
            is_left
        });
    }
}
