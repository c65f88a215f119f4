//! Steady state of a simulation's output: the end of the warm-up, confidence intervals of means, growing
//! backlogs.
//!
//! Consecutive values of one run are correlated, so the textbook's interval for independent values is too
//! narrow. All intervals here therefore use means of batches long enough to be nearly independent. They do not
//! help if a run is shorter than the correlation time of its values: with ten batches that are still
//! correlated, the interval is too narrow.
//!
//! Everything is a function of the values alone. Values are first scaled by a power of two (which is exact), so
//! that no square overflows; if the result is still not finite, it is `None`.

/// Values in a batch of [`mser`] (the 5 of MSER-5).
const MSER_BATCH: usize = 5;
/// The shortest series that [`mser`] and [`grows`] judge.
const LEAST_SERIES: usize = 20;
/// The fewest batches of an interval, and the shortest series of one.
const LEAST_BATCHES: usize = 10;
/// The number of batches before any are merged.
const BATCHES: std::ops::RangeInclusive<usize> = 20..=30;
/// Batches are merged while the correlation of neighbours exceeds this.
const MOST_AUTOCORRELATION: f64 = 0.2;

/// Student's t with `T_FIRST`, `T_FIRST + 1`, … degrees of freedom.
const T_FIRST: usize = 8;
/// 97.5 % of the distribution is below: both tails together are 5 %.
const T_95: [f64; 22] = [
    2.3060, 2.2622, 2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860,
    2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452,
];
/// 99.9 % of the distribution is below: the test for growth is one-sided.
const T_GROWTH: [f64; 22] = [
    4.5008, 4.2968, 4.1437, 4.0247, 3.9296, 3.8520, 3.7874, 3.7328, 3.6862, 3.6458, 3.6105, 3.5794, 3.5518,
    3.5272, 3.5050, 3.4850, 3.4668, 3.4502, 3.4350, 3.4210, 3.4082, 3.3962,
];

/// Growth below this fraction of the mean level is not reported as growth.
const LEAST_GROWTH_SHARE: f64 = 0.1;
/// Growth below this many units is not reported as growth.
const LEAST_GROWTH_UNITS: f64 = 2.0;

/// A mean with its 95 % confidence interval, `mean - half_width` to `mean + half_width`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub mean: f64,
    /// Half the length of the interval.
    pub half_width: f64,
    /// The number of batches behind it.
    pub batches: usize,
}

/// Returns the end of the warm-up of `series`: the index of its first value in steady state, a multiple of 5.
///
/// MSER-5 (White 1997, "An effective truncation heuristic for bias reduction in simulation output"; Franklin
/// and White 2008): it averages every five values and discards means at the start so that the squared standard
/// error of the rest is least. It returns `None` for fewer than 20 values, or if the best choice discards half
/// of them: then the series has not settled.
pub fn mser(series: &[f64]) -> Option<usize> {
    if series.len() < LEAST_SERIES {
        return None;
    }
    let (scaled, _) = scaled(series)?;
    let means: Vec<f64> = scaled.chunks_exact(MSER_BATCH).map(mean).collect();
    let half = means.len() / 2;
    let mut rest = Moments::default();
    let mut best = (f64::INFINITY, half);
    for (left_out, &value) in means.iter().enumerate().rev() {
        rest.add(value);
        let squared_error = rest.squares / (rest.count * rest.count);
        // On a tie, the earliest end of the warm-up wins: it keeps the most values.
        if left_out <= half && squared_error <= best.0 {
            best = (squared_error, left_out);
        }
    }
    (best.1 < half).then_some(best.1 * MSER_BATCH)
}

/// Returns the mean of `series` with its interval by batch means.
///
/// There are 20 to 30 batches of equal size, the number that leaves out the fewest values (the oldest), and
/// fewer, down to 10, while neighbouring means are correlated. It returns `None` below 10 values.
pub fn batch_means(series: &[f64]) -> Option<Interval> {
    let (series, scale) = scaled(series)?;
    let interval = over_batches(series.len(), |count| {
        let means: Vec<f64> = batches(&series, count).map(mean).collect();
        Some((mean(&means), means))
    })?;
    finite(Interval { mean: interval.mean * scale, half_width: interval.half_width * scale, ..interval })
}

/// Returns the ratio of the sum of `numerator` to the sum of `denominator` with its interval, such as the
/// fraction of packets dropped from the drops and arrivals of each step.
///
/// The interval is the jackknife's over the batches of [`batch_means`]: how much the ratio changes when one
/// batch is left out. It returns `None` below 10 values, for series of unequal length, and if the denominator
/// is not positive without one of the batches.
pub fn ratio_of_batches(numerator: &[f64], denominator: &[f64]) -> Option<Interval> {
    if numerator.len() != denominator.len() {
        return None;
    }
    let (numerator, above) = scaled(numerator)?;
    let (denominator, below) = scaled(denominator)?;
    let interval = over_batches(numerator.len(), |count| {
        let sums = |series| batches(series, count).map(|batch| batch.iter().sum()).collect::<Vec<f64>>();
        let (n, d) = (sums(&numerator), sums(&denominator));
        // A new sum each time: a difference of sums would be dominated by rounding if one batch holds nearly
        // everything.
        let ratio_without = |skip: usize| {
            let sum =
                |sums: &[f64]| sums[..skip.min(count)].iter().chain(sums.iter().skip(skip + 1)).sum::<f64>();
            let divisor = sum(&d);
            (divisor > 0.0).then(|| sum(&n) / divisor)
        };
        let ratio = ratio_without(count)?;
        let weight = (count - 1) as f64;
        let pseudo_values = (0..count)
            .map(|skip| Some(ratio + weight * (ratio - ratio_without(skip)?)))
            .collect::<Option<_>>()?;
        Some((ratio, pseudo_values))
    })?;
    finite(Interval {
        mean: interval.mean * above / below,
        half_width: interval.half_width * above / below,
        ..interval
    })
}

/// Returns the growth of the backlog `levels` per step, if it grows.
///
/// A straight line is fitted to the batch means of the second half. The backlog grows if the slope is positive
/// with 99.9 % confidence (with the error widened by the correlation of the residuals), and if the growth over
/// the length of the series exceeds both a tenth of the mean level and two units. It returns `None` otherwise,
/// and below 20 levels.
pub fn grows(levels: &[f64]) -> Option<f64> {
    if levels.len() < LEAST_SERIES {
        return None;
    }
    let (scaled, scale) = scaled(&levels[levels.len() / 2..])?;
    let mut count = first_count(scaled.len());
    let (slope, error, level) = loop {
        let means: Vec<f64> = batches(&scaled, count).map(mean).collect();
        let line = Line::through(&means);
        if line.autocorrelation <= MOST_AUTOCORRELATION || count == LEAST_BATCHES {
            let steps = (scaled.len() / count) as f64;
            break (line.slope / steps, line.error / steps, mean(&means));
        }
        count = fewer(count);
    };
    let growth = slope * levels.len() as f64;
    let certain = slope > error * T_GROWTH[count - 2 - T_FIRST];
    let large = growth > LEAST_GROWTH_SHARE * level.abs() && growth * scale > LEAST_GROWTH_UNITS;
    Some(slope * scale).filter(|slope| certain && large && slope.is_finite())
}

/// A straight line through equally spaced values.
struct Line {
    slope: f64,
    /// Standard error of the slope.
    error: f64,
    /// Correlation of neighbouring residuals.
    autocorrelation: f64,
}

impl Line {
    /// Returns the least-squares line; needs at least [`LEAST_BATCHES`] values.
    fn through(values: &[f64]) -> Self {
        let (count, centre) = (values.len() as f64, mean(values));
        let middle = (count - 1.0) / 2.0;
        let spread = count * (count * count - 1.0) / 12.0;
        let at = |i: usize| i as f64 - middle;
        let slope = values.iter().enumerate().map(|(i, v)| at(i) * (v - centre)).sum::<f64>() / spread;
        let rest: Vec<f64> = values.iter().enumerate().map(|(i, v)| v - centre - slope * at(i)).collect();
        let squares: f64 = rest.iter().map(|r| r * r).sum();
        let autocorrelation = autocorrelation(&rest);
        // Correlation of neighbours (an autoregressive error) reduces the effective number of values.
        let alike = autocorrelation.clamp(0.0, 0.99);
        let error = (squares / (count - 2.0) / spread * (1.0 + alike) / (1.0 - alike)).sqrt();
        Self { slope, error, autocorrelation }
    }
}

/// Returns the interval of an estimate. `values` computes its values over a number of batches, and the estimate
/// itself.
fn over_batches(length: usize, mut values: impl FnMut(usize) -> Option<(f64, Vec<f64>)>) -> Option<Interval> {
    if length < LEAST_BATCHES {
        return None;
    }
    let mut count = first_count(length);
    loop {
        let (mean, values) = values(count)?;
        if autocorrelation(&values) <= MOST_AUTOCORRELATION || count == LEAST_BATCHES {
            let mut moments = Moments::default();
            values.iter().for_each(|&value| moments.add(value));
            let degrees = count - 1;
            let error = (moments.squares / degrees as f64 / moments.count).sqrt();
            return Some(Interval { mean, half_width: T_95[degrees - T_FIRST] * error, batches: count });
        }
        count = fewer(count);
    }
}

/// Returns the initial number of batches: one per value if there are few.
fn first_count(length: usize) -> usize {
    if length <= *BATCHES.end() {
        return length;
    }
    let kept = |&count: &usize| (length / count * count, count);
    BATCHES.max_by_key(kept).unwrap_or(LEAST_BATCHES)
}

/// Returns the next number of batches to try.
fn fewer(count: usize) -> usize {
    (count / 2).max(LEAST_BATCHES)
}

/// Returns the newest values of `series` in `count` batches of equal size.
fn batches(series: &[f64], count: usize) -> impl Iterator<Item = &[f64]> {
    let size = series.len() / count;
    series[series.len() - size * count..].chunks_exact(size)
}

/// Returns the values divided by a power of two that brings them below 2, and that power; `None` if one is not
/// finite.
fn scaled(series: &[f64]) -> Option<(Vec<f64>, f64)> {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    let largest = series.iter().try_fold(0.0f64, |l, v| v.is_finite().then(|| l.max(v.abs())))?;
    let scale = f64::from_bits(largest.to_bits() & EXPONENT).max(f64::MIN_POSITIVE);
    Some((series.iter().map(|v| v / scale).collect(), scale))
}

fn finite(interval: Interval) -> Option<Interval> {
    (interval.mean.is_finite() && interval.half_width.is_finite()).then_some(interval)
}

/// Mean and sum of squared deviations, updated value by value (Welford), exact for equal values.
#[derive(Default)]
struct Moments {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        let distance = value - self.mean;
        self.mean += distance / self.count;
        self.squares += distance * (value - self.mean);
    }
}

fn mean(values: &[f64]) -> f64 {
    let mut moments = Moments::default();
    values.iter().for_each(|&value| moments.add(value));
    moments.mean
}

/// Returns the correlation of neighbours; 0 for equal values.
fn autocorrelation(values: &[f64]) -> f64 {
    let centre = mean(values);
    let squares: f64 = values.iter().map(|v| (v - centre) * (v - centre)).sum();
    let products: f64 = values.windows(2).map(|w| (w[0] - centre) * (w[1] - centre)).sum();
    if squares > 0.0 { products / squares } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Stream, stream};
    use proptest::prelude::*;

    /// Standard normal (Box and Muller).
    fn normal(random: &mut Stream) -> f64 {
        (2.0 * random.exponential()).sqrt() * (std::f64::consts::TAU * random.unit()).cos()
    }

    /// An autoregressive series around 0: each value is `memory` times the one before, plus fresh noise.
    fn autoregressive(random: &mut Stream, memory: f64, length: usize) -> Vec<f64> {
        let mut value = 0.0;
        (0..length)
            .map(|_| {
                value = memory * value + normal(random);
                value
            })
            .collect()
    }

    /// Customers in a single-server queue after each arrival or departure, of which `load` / (1 + `load`) arrive.
    fn queue_levels(random: &mut Stream, load: f64, length: usize) -> Vec<f64> {
        let mut inside = 0.0f64;
        (0..length)
            .map(|_| {
                inside =
                    if random.unit() * (1.0 + load) < load { inside + 1.0 } else { (inside - 1.0).max(0.0) };
                inside
            })
            .collect()
    }

    #[test]
    fn the_end_of_a_decaying_transient_is_found() {
        let mut ends: Vec<usize> = (0..50)
            .map(|seed| {
                let mut series = autoregressive(&mut stream(seed, "transient"), 0.5, 4000);
                series.iter_mut().enumerate().for_each(|(t, v)| *v += 20.0 * (-(t as f64) / 100.0).exp());
                mser(&series).unwrap()
            })
            .collect();
        ends.sort_unstable();
        // The series has a standard deviation of 1.15. The transient is 7.4 after 100 steps and 0.13 after
        // 500.
        assert!(ends[2] > 150 && ends[25] < 600 && ends[47] < 1200, "{ends:?}");
    }

    #[test]
    fn a_series_that_has_not_settled_has_no_end_of_warm_up() {
        let ramp: Vec<f64> = (0..1000).map(f64::from).collect();
        assert_eq!(mser(&ramp), None);
        assert_eq!(mser(&[1.0; 19]), None);
        assert_eq!(mser(&[1.0; 20]), Some(0));
    }

    /// Returns the percentage of 400 intervals that contain `truth`.
    fn coverage_percent(truth: f64, mut interval: impl FnMut(&mut Stream) -> Interval) -> f64 {
        let mut holds = |seed| {
            let i = interval(&mut stream(seed, "coverage"));
            (i.mean - truth).abs() <= i.half_width
        };
        (0..400).filter(|&seed| holds(seed)).count() as f64 / 4.0
    }

    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        for length in [12, 25, 60, 500] {
            let of_normal = coverage_percent(3.0, |random| {
                let series: Vec<f64> = (0..length).map(|_| 3.0 + normal(random)).collect();
                batch_means(&series).unwrap()
            });
            assert!((90.0..=98.0).contains(&of_normal), "{length} values: {of_normal} %");
        }
        let of_correlated =
            coverage_percent(0.0, |random| batch_means(&autoregressive(random, 0.8, 2000)).unwrap());
        assert!((90.0..=98.0).contains(&of_correlated), "{of_correlated} %");
    }

    #[test]
    fn intervals_of_ratios_hold_the_truth_as_often_as_they_say() {
        let of_loss = coverage_percent(0.05, |random| {
            let arrived: Vec<f64> = (0..600).map(|_| f64::from(random.below(21))).collect();
            let drop =
                |&n: &f64, random: &mut Stream| (0..n as u32).filter(|_| random.unit() < 0.05).count() as f64;
            let dropped: Vec<f64> = arrived.iter().map(|n| drop(n, random)).collect();
            ratio_of_batches(&dropped, &arrived).unwrap()
        });
        assert!((90.0..=98.0).contains(&of_loss), "{of_loss} %");
    }

    #[test]
    fn a_ratio_is_that_of_the_sums() {
        let (n, d) = ([1.0, 0.0].repeat(10), [4.0, 6.0].repeat(10));
        let ratio = ratio_of_batches(&n, &d).unwrap();
        assert!((ratio.mean - 0.1).abs() < 1e-12 && ratio.half_width > 0.0, "{ratio:?}");
        assert_eq!(ratio_of_batches(&n, &d[1..]), None);
        assert_eq!(ratio_of_batches(&n, &[0.0; 20]), None);
    }

    #[test]
    fn a_constant_is_certain() {
        for length in [10, 29, 31, 1000] {
            let interval = batch_means(&vec![0.1; length]).unwrap();
            assert_eq!((interval.mean, interval.half_width), (0.1, 0.0));
        }
        assert_eq!(batch_means(&[0.1; 9]), None);
    }

    #[test]
    fn correlated_values_get_fewer_batches() {
        let slow = autoregressive(&mut stream(1, "slow"), 0.99, 1000);
        assert_eq!(batch_means(&slow).unwrap().batches, LEAST_BATCHES);
        assert_eq!(first_count(1000), 25);
        assert_eq!(first_count(59), 29);
    }

    #[test]
    fn a_stable_queue_does_not_grow_and_an_overloaded_one_does() {
        for seed in 0..200 {
            let mut random = stream(seed, "growth");
            for load in [0.3, 0.7, 0.9] {
                let levels = queue_levels(&mut random, load, 20_000);
                assert_eq!(grows(&levels), None, "load {load}, seed {seed}");
            }
            let slope = grows(&queue_levels(&mut random, 1.2, 20_000)).unwrap();
            assert!((slope - 0.2 / 2.2).abs() < 0.06, "{slope}");
        }
    }

    #[test]
    fn a_ramp_grows_unless_it_is_slight() {
        let ramp =
            |start: f64, slope: f64| (0..100).map(|t| start + slope * f64::from(t)).collect::<Vec<_>>();
        assert!((grows(&ramp(0.0, 3.0)).unwrap() - 3.0).abs() < 1e-9);
        assert_eq!(grows(&ramp(0.0, 0.01)), None, "by a unit");
        assert_eq!(grows(&ramp(1000.0, 0.5)), None, "by a twentieth");
        assert_eq!(grows(&ramp(0.0, -3.0)), None, "it shrinks");
        assert_eq!(grows(&[7.0; 100]), None);
    }

    proptest! {
        #[test]
        fn no_answer_is_not_a_number(
            pairs in proptest::collection::vec((any::<f64>(), any::<f64>()), 0..120),
            constant in any::<bool>(),
        ) {
            let pairs: Vec<_> = if constant { vec![pairs.first().copied().unwrap_or_default(); 50] } else { pairs };
            let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let magnitudes: Vec<f64> = b.iter().map(|v| v.abs()).collect();
            prop_assert!(mser(&a).is_none_or(|end| end <= a.len() / 2));
            for interval in [batch_means(&a), ratio_of_batches(&a, &magnitudes)].into_iter().flatten() {
                prop_assert!(interval.mean.is_finite() && interval.half_width >= 0.0);
            }
            prop_assert!(grows(&a).is_none_or(|slope| slope > 0.0));
        }
    }
}
