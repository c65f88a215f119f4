//! A cache of a policy that has a name.

use super::build::{Build, Future};
use super::named::Policy;
use crate::FlowCacheError;
use crate::cache::Replay;
use crate::geometry::Geometry;

/// Returns a cache of `policy`, or why it is impossible.
pub(crate) fn make(
    policy: Policy,
    geometry: Geometry,
    seed: u64,
    future: Option<Future>,
) -> Result<Box<dyn Replay>, FlowCacheError> {
    let unfit = |reason| Err(FlowCacheError::Unfit { policy: policy.to_string(), reason });
    let (sets, least_sets) = (geometry.sets(), policy.kind.info().least_sets);
    if sets < least_sets {
        return unfit(format!(
            "found {sets} set, expected at least {least_sets}, because the sets of this policy compete; \
             use fewer ways to get more sets"
        ));
    }
    if policy.is_oracle() && future.is_none() {
        return unfit(
            "the policy uses future packets; run the policy on a complete trace, or choose another policy"
                .to_owned(),
        );
    }
    let Policy { kind, parameter, admission } = policy;
    Ok(kind.build(&Build { geometry, parameter, admission, seed, future }))
}
