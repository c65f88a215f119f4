//! The best number of threads.

use linecard_malleable::MalleableError;

/// Throughputs that differ by less are equal. Of equal ones the largest number of threads wins, as Algorithm 1 climbs
/// while throughput does not fall.
const EQUAL_SHARE: f64 = 0.0001;

/// Threads that a search tries first.
const COARSE_THREADS: [u32; 9] = [1, 2, 4, 6, 9, 13, 17, 21, 25];

/// Throughputs by threads, the best of them, and whether they have a single peak.
#[derive(Default)]
pub(super) struct Searched {
    pub(super) rate: f64,
    pub(super) threads: u32,
    pub(super) single_peak: bool,
}

/// Returns the index of the best: the highest or, of equal ones, the one with most threads.
pub(super) fn best(rates: &[f64]) -> usize {
    let most = rates.iter().copied().fold(0.0, f64::max);
    rates.iter().rposition(|&rate| rate >= most * (1.0 - EQUAL_SHARE)).unwrap_or(0)
}

/// Returns whether a curve rises, peaks and falls, except for changes below one per cent.
pub(super) fn single_peak(rates: &[f64]) -> bool {
    let Some(peak) = rates.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map(|(at, _)| at) else {
        return true;
    };
    let rises = rates[..=peak].windows(2).all(|pair| pair[1] >= pair[0] * 0.99);
    rises && rates[peak..].windows(2).all(|pair| pair[1] <= pair[0] * 1.01)
}

/// Tries a few numbers of threads up to `most`, then those around the best.
pub(super) fn search(
    most: u32,
    rate: &dyn Fn(u32) -> Result<f64, MalleableError>,
) -> Result<Searched, MalleableError> {
    let mut tried: Vec<(u32, f64)> = Vec::new();
    for threads in COARSE_THREADS.into_iter().filter(|&threads| threads < most).chain([most]) {
        tried.push((threads, rate(threads)?));
    }
    loop {
        let rates: Vec<f64> = tried.iter().map(|&(_, rate)| rate).collect();
        let peak = best(&rates);
        let around = |at: Option<&(u32, f64)>| at.map(|&(threads, _)| threads);
        let here = tried[peak].0;
        let below = peak.checked_sub(1).and_then(|at| around(tried.get(at)));
        let above = around(tried.get(peak + 1));
        let next = match (below, above) {
            (Some(below), _) if here - below > 1 => here - (here - below) / 2,
            (_, Some(above)) if above - here > 1 => here + (above - here) / 2,
            _ => break,
        };
        let at = tried.partition_point(|&(threads, _)| threads < next);
        tried.insert(at, (next, rate(next)?));
    }
    let rates: Vec<f64> = tried.iter().map(|&(_, rate)| rate).collect();
    let chosen = best(&rates);
    Ok(Searched { rate: rates[chosen], threads: tried[chosen].0, single_peak: single_peak(&rates) })
}
