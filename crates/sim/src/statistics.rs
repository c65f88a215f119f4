//! A log-linear histogram, which costs a few instructions per value.

const SUB_BITS: u32 = 6;
const SUB: usize = 1 << SUB_BITS;

/// Histogram of whole numbers with 64 bins per octave: a quantile is within 1.6 % of the value. It has memory for
/// the octaves with values.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    /// The bins of whole octaves, from bin number `first` on.
    bins: Vec<u64>,
    first: usize,
    sum: u128,
    max: u64,
}

impl Histogram {
    /// Counts one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        let bin = Self::bin(value);
        match self.bins.get_mut(bin.wrapping_sub(self.first)) {
            Some(count) => *count += 1,
            None => *self.new_bin(bin) += 1,
        }
        self.sum += u128::from(value);
        self.max = self.max.max(value);
    }

    /// Returns a bin for which there was no memory.
    #[cold]
    fn new_bin(&mut self, bin: usize) -> &mut u64 {
        let octave = bin / SUB * SUB;
        if self.bins.is_empty() {
            self.first = octave;
        }
        let before = self.first.saturating_sub(octave);
        self.bins.splice(..0, std::iter::repeat_n(0, before));
        self.first -= before;
        let len = self.bins.len().max(octave + SUB - self.first);
        self.bins.resize(len, 0);
        &mut self.bins[bin - self.first]
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Self) {
        for (bin, &count) in (other.first..).zip(&other.bins).filter(|&(_, &count)| count > 0) {
            match self.bins.get_mut(bin.wrapping_sub(self.first)) {
                Some(sum) => *sum += count,
                None => *self.new_bin(bin) += count,
            }
        }
        self.sum += other.sum;
        self.max = self.max.max(other.max);
    }

    /// Returns the number of values counted.
    pub fn count(&self) -> u64 {
        self.bins.iter().sum()
    }

    /// Returns the sum of the values (exact).
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// Returns the arithmetic mean (exact); 0 when empty.
    pub fn mean(&self) -> f64 {
        let count = self.count();
        if count == 0 { 0.0 } else { self.sum as f64 / count as f64 }
    }

    /// Returns the largest value (exact).
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Returns the smallest upper edge of a bin below which at least a fraction `q` of the values are; 0 when
    /// empty.
    pub fn quantile(&self, q: f64) -> u64 {
        let wanted = (q * self.count() as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (bin, &n) in (self.first..).zip(&self.bins) {
            seen += n;
            if n > 0 && seen >= wanted {
                return Self::upper(bin).min(self.max);
            }
        }
        self.max
    }

    /// Returns the bins with values: the upper edge of each (the largest value in the last one), and its count.
    pub fn bins(&self) -> impl Iterator<Item = (u64, u64)> {
        let counted = (self.first..).zip(&self.bins).filter(|&(_, &n)| n > 0);
        counted.map(|(bin, &n)| (Self::upper(bin).min(self.max), n))
    }

    #[inline]
    fn bin(value: u64) -> usize {
        let octave = (value | SUB as u64).ilog2() - SUB_BITS;
        ((octave as usize) << SUB_BITS) + (value >> octave) as usize
    }

    fn upper(bin: usize) -> u64 {
        if bin < SUB {
            return bin as u64;
        }
        let octave = (bin >> SUB_BITS) as u32 - 1;
        let low = ((SUB + (bin & (SUB - 1))) as u64) << octave;
        low + ((1u64 << octave) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn quantiles_are_within_a_bin_of_the_sorted_values(
            mut values in proptest::collection::vec(0u64..1_000_000_000, 1..300),
            q in 0.0f64..1.0,
        ) {
            let mut h = Histogram::default();
            values.iter().for_each(|&v| h.record(v));
            values.sort_unstable();
            let rank = ((q * values.len() as f64).ceil().max(1.0) as usize) - 1;
            let exact = values[rank] as f64;
            let got = h.quantile(q) as f64;
            prop_assert!(got >= exact && got <= exact * (1.0 + 1.0 / 64.0) + 1.0, "{} for {}", got, exact);
            prop_assert_eq!(h.max(), *values.last().unwrap());
        }
    }

    proptest! {
        #[test]
        fn bins_are_those_of_all_values_in_any_order_and_division(
            values in proptest::collection::vec((0u32..64, any::<u64>(), any::<bool>()), 0..100),
        ) {
            let values = values.into_iter().map(|(shift, bits, side)| (bits >> shift, side));
            let (mut all, mut parts) = (Histogram::default(), [Histogram::default(), Histogram::default()]);
            let mut counts = std::collections::BTreeMap::<usize, u64>::new();
            for (value, side) in values {
                all.record(value);
                parts[usize::from(side)].record(value);
                *counts.entry(Histogram::bin(value)).or_default() += 1;
            }
            let [mut merged, other] = parts;
            merged.merge(&other);
            let expected: Vec<_> =
                counts.iter().map(|(&bin, &n)| (Histogram::upper(bin).min(all.max()), n)).collect();
            prop_assert_eq!(all.bins().collect::<Vec<_>>(), expected.clone());
            prop_assert_eq!(merged.bins().collect::<Vec<_>>(), expected);
            prop_assert_eq!((merged.count(), merged.max(), merged.mean()), (all.count(), all.max(), all.mean()));
        }
    }
}
