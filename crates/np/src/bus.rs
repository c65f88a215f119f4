//! The bus between MACs and the chip: cells cross it one after another, in and out.

use linecard_sim::Ticks;

pub(crate) struct Bus {
    cell: Ticks,
    free: Ticks,
    pub busy: Ticks,
}

impl Bus {
    /// A bus that a cell occupies for so long; 0 is a bus without a limit.
    pub fn new(cell: Ticks) -> Self {
        Self { cell, free: 0, busy: 0 }
    }

    /// When so many cells are across.
    #[inline]
    pub fn cross(&mut self, cells: u32, now: Ticks) -> Ticks {
        let service = self.cell * Ticks::from(cells);
        if service == 0 {
            return now;
        }
        self.free = self.free.max(now) + service;
        self.busy += service;
        self.free
    }
}
