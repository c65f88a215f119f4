//! Replays traces that were worked out by hand, with the state after each step.
//!
//! A trace is a sequence of steps such as `d+bdca`: the digest, `+` for a hit or `:` for a miss, then the
//! state.

use crate::cache::{Access, Cache};
use crate::chain::Chain;
use crate::geometry::Geometry;
use crate::lists::Lists;
use crate::order::{Order, Ordered, Rule};
use crate::rows::Rows;

/// Returns the digest of a letter: even, so that it belongs to set 0 of 2.
fn digest(letter: char) -> u32 {
    u32::from(letter) * 2
}

/// Returns letters for digests; a dot for an empty way.
pub(crate) fn letters(row: impl IntoIterator<Item = Option<u32>>) -> String {
    row.into_iter().map(|way| way.map_or('.', |digest| char::from((digest / 2) as u8))).collect()
}

/// Replays `steps` in set 0 and compares the output of `show` after each.
pub(crate) fn replay<C: Cache>(cache: &mut C, steps: &str, show: impl Fn(&C) -> String) {
    for (at, step) in (0..).zip(steps.split_whitespace()) {
        let mut parts = step.chars();
        let letter = parts.next().expect("a digest");
        let outcome = parts.next().expect("+ or :");
        let hit = cache.access(Access { at, set: 0, digest: digest(letter) });
        let found = format!("{letter}{}{}", if hit { '+' } else { ':' }, show(cache));
        assert_eq!(found, step, "step {at}, {letter}{outcome}");
    }
}

/// Replays `steps` under a rule in 4 ways, in both forms of an order, in one call and in two.
pub(crate) fn check<R: Rule + Clone + 'static>(rule: R, steps: &str) {
    let chain = || Chain::new(Geometry::new(8, 4).unwrap(), R::BLANKS);
    check_order(rule.clone(), Rows::<4>::new(2), steps);
    check_order(rule.clone(), chain(), steps);
    check_parts(rule.clone(), Rows::<4>::new(2), steps);
    check_parts(rule, chain(), steps);
}

fn check_order<R: Rule, O: Order>(rule: R, order: O, steps: &str) {
    replay(&mut Ordered { order, rule }, steps, |cache| letters(cache.order.row(0)));
}

fn check_parts<R: Rule, O: Order>(rule: R, order: O, steps: &str) {
    replay(&mut Parts(Ordered { order, rule }), steps, |cache| letters(cache.0.order.row(0)));
}

/// Looks up and inserts in two calls, as under an admission filter.
struct Parts<C>(C);

impl<C: Cache> Cache for Parts<C> {
    fn lookup(&mut self, access: Access) -> bool {
        self.0.lookup(access)
    }

    fn insert(&mut self, access: Access) {
        self.0.insert(access);
    }
}

/// Returns the lists of set 0, front first, such as `ab|c
///
/// `.
pub(crate) fn lists(lists: &impl Lists, numbers: std::ops::Range<u32>) -> String {
    numbers.map(|list| letters(lists.digests(0, list).into_iter().map(Some))).collect::<Vec<_>>().join("|")
}
