//! Many configurations over one array of digests, on all cores.

use crate::trace::Trace;
use crate::{Configuration, FlowCacheError, Options, Row, simulate};
use rayon::prelude::*;

/// Simulates every configuration. Returns rows in the order of the configurations, for any number of threads.
///
/// `threads` of 0 uses all cores. Data common to all configurations (previous and next packets, distances) is
/// computed once.
///
/// # Errors
///
/// The first configuration, in order, that does not fit its shape.
pub fn sweep(
    trace: &Trace,
    configurations: &[Configuration],
    options: &Options,
    threads: usize,
) -> Result<Vec<Row>, FlowCacheError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.min(configurations.len())).build();
    // Configurations differ in run time: each is a separate task.
    let one = |configuration| simulate(trace, configuration, options);
    let rows: Vec<_> = pool
        .expect("a system that starts threads")
        .install(|| configurations.par_iter().with_max_len(1).map(one).collect());
    rows.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Geometry, Policy, PolicyKind};

    #[test]
    fn rows_do_not_depend_on_the_number_of_threads() {
        let mut draws = linecard_sim::stream(3, "sweep");
        let digests: Vec<u32> = (0..20_000).map(|_| draws.below(500) * draws.below(500)).collect();
        let trace = Trace::new(&digests).unwrap();
        let shapes =
            [(64, 4), (128, 8), (66, 6)].map(|(entries, ways)| Geometry::new(entries, ways).unwrap());
        let policies =
            PolicyKind::ALL.iter().flat_map(|&kind| shapes.map(|g| Configuration::new(g, Policy::new(kind))));
        let configurations: Vec<_> = policies.collect();
        let run = |threads| sweep(&trace, &configurations, &Options::default(), threads).unwrap();
        let alone = run(1);
        assert_eq!(alone.len(), configurations.len());
        assert_eq!((run(3), run(0)), (alone.clone(), alone.clone()));
        for row in &alone {
            assert_eq!(row.cold + row.capacity + row.conflict, row.misses, "{row:?}");
        }
        assert_eq!(sweep(&trace, &[], &Options::default(), 0), Ok(Vec::new()));
    }

    #[test]
    fn the_first_misfit_is_reported() {
        let trace = Trace::new(&[1, 2]).unwrap();
        let full = Geometry::new(8, 8).unwrap();
        let configurations =
            ["LRU", "DIP", "DRRIP"].map(|name| Configuration::new(full, Policy::parse(name).unwrap()));
        let error = sweep(&trace, &configurations, &Options::default(), 2).unwrap_err().to_string();
        assert!(error.starts_with("DIP: found 1 set, expected at least 2"), "{error}");
    }
}
