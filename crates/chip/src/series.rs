//! What happened from slice to slice of the time: the material from which a run judges whether it is steady, and how
//! sure its results are.
//!
//! Slices are short at first; whenever there are too many, two become one. So memory is bounded, whatever the length.

use linecard_sim::Ticks;

const MOST_SLICES: usize = 1024;

/// A slice of the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// Packets that came, dropped ones included.
    pub packets_in: u64,
    /// Packets that left, and their bytes.
    pub packets_out: u64,
    /// See `packets_out`.
    pub bytes_out: u64,
    /// Packets dropped.
    pub dropped: u64,
    /// Latencies of those that left, summed; ticks.
    pub latency: u128,
    /// Packets inside at its end.
    pub inside: u64,
}

/// Slices of equal length.
#[derive(Clone, Debug)]
pub struct Series {
    slice: Ticks,
    ends: Ticks,
    open: Slice,
    list: Vec<Slice>,
}

impl Series {
    pub(crate) fn new(now: Ticks, slice: Ticks) -> Self {
        let slice = slice.max(1);
        Self { slice, ends: now + slice, open: Slice::default(), list: Vec::with_capacity(MOST_SLICES) }
    }

    /// Begins anew at `now`, with slices as long as they have become.
    pub(crate) fn restart(&mut self, now: Ticks, inside: u64) {
        (self.ends, self.open) = (now + self.slice, Slice { inside, ..Slice::default() });
        self.list.clear();
    }

    /// The open slice, at `now`; those that ended before are put away.
    #[inline]
    pub(crate) fn at(&mut self, now: Ticks) -> &mut Slice {
        while now >= self.ends {
            self.put_away();
        }
        &mut self.open
    }

    fn put_away(&mut self) {
        self.list.push(self.open);
        self.open = Slice { inside: self.open.inside, ..Slice::default() };
        if self.list.len() == MOST_SLICES {
            for pair in 0..MOST_SLICES / 2 {
                let (a, b) = (self.list[2 * pair], self.list[2 * pair + 1]);
                self.list[pair] = Slice {
                    packets_in: a.packets_in + b.packets_in,
                    packets_out: a.packets_out + b.packets_out,
                    bytes_out: a.bytes_out + b.bytes_out,
                    dropped: a.dropped + b.dropped,
                    latency: a.latency + b.latency,
                    inside: b.inside,
                };
            }
            self.list.truncate(MOST_SLICES / 2);
            self.slice *= 2;
        }
        self.ends += self.slice;
    }

    /// The slices that are over, in order.
    pub fn slices(&self) -> &[Slice] {
        &self.list
    }

    /// Length of a slice.
    pub fn slice_ticks(&self) -> Ticks {
        self.slice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_when_slices_are_joined() {
        let mut series = Series::new(0, 1);
        for now in 0..5000 {
            series.at(now).packets_out += 1;
        }
        series.at(8192);
        let sum: u64 = series.slices().iter().map(|s| s.packets_out).sum();
        assert_eq!((sum, series.slice_ticks()), (5000, 16));
        assert!(series.slices().len() < MOST_SLICES);
    }
}
