//! Measurements per time slice: from them a run judges whether it is steady, and computes confidence intervals.
//!
//! Slices are short at first; when there are too many, each two become one. So memory is bounded for any length
//! of run.

use linecard_sim::Ticks;

const MOST_SLICES: usize = 1024;

/// A time slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// Packets that arrived, dropped ones included.
    pub packets_in: u64,
    /// Packets that left, and their bytes.
    pub packets_out: u64,
    /// See `packets_out`.
    pub bytes_out: u64,
    /// Packets dropped.
    pub dropped: u64,
    /// Sum of the latencies of those that left; ticks.
    pub latency: u128,
    /// Packets inside at its end, and frames that wait for the wire of their receiving port.
    pub inside: u64,
    /// See `inside`.
    pub before_lines: u64,
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

    /// Restarts at `now`, with the present length of slices.
    pub(crate) fn restart(&mut self, now: Ticks, inside: u64, before_lines: u64) {
        (self.ends, self.open) = (now + self.slice, Slice { inside, before_lines, ..Slice::default() });
        self.list.clear();
    }

    /// Returns the open slice at `now`, after it has stored those that ended before.
    #[inline]
    pub(crate) fn at(&mut self, now: Ticks) -> &mut Slice {
        while now >= self.ends {
            self.put_away();
        }
        &mut self.open
    }

    fn put_away(&mut self) {
        self.list.push(self.open);
        let Slice { inside, before_lines, .. } = self.open;
        self.open = Slice { inside, before_lines, ..Slice::default() };
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
                    before_lines: b.before_lines,
                };
            }
            self.list.truncate(MOST_SLICES / 2);
            self.slice *= 2;
        }
        self.ends += self.slice;
    }

    /// Returns the slices that have ended, in order.
    pub fn slices(&self) -> &[Slice] {
        &self.list
    }

    /// Returns the length of a slice.
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
