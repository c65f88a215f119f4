//! The smallest queuing cache that reaches a throughput under a workload.

use crate::machine::{Window, run};
use crate::operation::Operation;
use crate::settings::Settings;
use crate::{Kind, QueueingError};
use schemars::JsonSchema;
use serde::Serialize;

/// Sizes to try: entries and engines.
const ENTRIES: [u32; 7] = [4, 8, 16, 32, 64, 128, 256];
const ENGINES: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Most threads to try.
pub const MOST_DESIGN_THREADS: u32 = 64;

/// A queuing cache with a given number of entries and engines.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "QueueDesign")]
pub struct Design {
    /// Entries.
    pub entries: u32,
    /// Engines.
    pub engines: u32,
    /// Smallest number of threads that reaches the target; `None` if no simulated number reaches the target.
    pub threads: Option<u32>,
    /// Throughput at `threads` threads, or at the largest simulated number of threads if `threads` is `None`.
    pub throughput_mops: f64,
    /// `entries × engines × threads`.
    pub product: Option<u32>,
}

/// Returns, for each size, the fewest threads that reach `target_mops`; sizes with more engines than entries
/// are left out, since each busy engine occupies an entry.
///
/// `go_on` is called periodically with the sizes done and the sizes in all; it returns whether to continue.
///
/// # Errors
///
/// If the stream or the settings cannot be used.
pub fn design(
    settings: &Settings,
    operations: &[Operation],
    window: Window,
    target_mops: f64,
    go_on: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Vec<Design>, QueueingError> {
    if !(target_mops > 0.0 && target_mops.is_finite()) {
        return Err(QueueingError::bad("target_mops", target_mops, "a number above 0"));
    }
    let sizes: Vec<(u32, u32)> = ENTRIES
        .into_iter()
        .flat_map(|entries| ENGINES.into_iter().map(move |engines| (entries, engines)))
        .filter(|(entries, engines)| engines <= entries)
        .collect();
    let mut designs = Vec::with_capacity(sizes.len());
    for (done, &(entries, engines)) in sizes.iter().enumerate() {
        let mut going = true;
        let mut throughput = |threads: u32| {
            let sized = Settings { entries, engines, threads, requests: threads, ..settings.clone() };
            let report = run(Kind::QueuingCache, &sized, operations, window, &mut |_| {
                going = go_on(done as u64, sizes.len() as u64);
                going
            });
            report.map(|report| report.throughput_mops)
        };
        let most = throughput(MOST_DESIGN_THREADS)?;
        let mut best = Design { entries, engines, threads: None, throughput_mops: most, product: None };
        if most >= target_mops {
            // More threads never reduce the throughput here, except for a small noise that the search ignores.
            let (mut too_few, mut enough, mut reached) = (0, MOST_DESIGN_THREADS, most);
            while enough - too_few > 1 {
                let middle = (enough + too_few) / 2;
                let found = throughput(middle)?;
                if found >= target_mops {
                    (enough, reached) = (middle, found);
                } else {
                    too_few = middle;
                }
            }
            best.threads = Some(enough);
            best.throughput_mops = reached;
            best.product = Some(entries * engines * enough);
        }
        if !going {
            break;
        }
        designs.push(best);
    }
    Ok(designs)
}

/// Returns the smallest of these designs that reaches the target: by product, then entries, then engines.
pub fn smallest(designs: &[Design]) -> Option<Design> {
    designs
        .iter()
        .filter(|design| design.threads.is_some())
        .copied()
        .min_by_key(|design| (design.product, design.entries, design.engines))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Workload;
    use crate::kit::table_1;

    #[test]
    fn the_smallest_design_reaches_the_target_and_one_thread_less_does_not() {
        let settings = table_1();
        let window = Window { warmup: 1_000, measured: 6_000 };
        let operations = Workload::parse("SD16_90").unwrap().operations(&settings, 8_000, 1).unwrap();
        let designs = design(&settings, &operations, window, 60.0, &mut |_, _| true).unwrap();
        let best = smallest(&designs).unwrap();
        let rate = |threads| {
            let requests = threads;
            let sized = Settings {
                entries: best.entries,
                engines: best.engines,
                threads,
                requests,
                ..settings.clone()
            };
            run(Kind::QueuingCache, &sized, &operations, window, &mut |_| true).unwrap().throughput_mops
        };
        let threads = best.threads.unwrap();
        assert!(rate(threads) >= 60.0 && rate(threads - 1) < 60.0, "{best:?}");
        assert!(
            designs
                .iter()
                .all(|design| design.product.is_none_or(|product| product >= best.product.unwrap()))
        );
        // One engine performs the link references of 40 ns one after another.
        assert!(designs.iter().filter(|design| design.engines == 1).all(|design| design.threads.is_none()));
        assert!(design(&settings, &operations, window, f64::NAN, &mut |_, _| true).is_err());
    }
}
