//! Some drawn requests: the part of the campaign that each change goes through.

use linecard_fuzz::{Case, Cases, Chips, tally};

/// `make campaign` runs as many as are asked for.
const CASES: usize = 400;
const SEED: u64 = 15;

/// Chips put together from nothing.
const CHIPS: usize = 200;

#[test]
fn drawn_requests_break_no_law() {
    hold(Cases::new(SEED).take(CASES));
}

#[test]
fn drawn_chips_break_no_law() {
    hold(Chips::new(SEED).take(CHIPS));
}

fn hold(cases: impl Iterator<Item = Case>) {
    let broken: Vec<String> = cases
        .filter_map(|case| {
            let words = case.run().err()?;
            Some(format!("{}: {words}\n{}", case.target.name, String::from_utf8_lossy(&case.bytes)))
        })
        .collect();
    assert!(broken.is_empty(), "{} broken laws:\n{}", broken.len(), broken.join("\n"));
    // Most that is drawn should get as far as a result; a campaign of refusals would say nothing.
    let (results, refused) = tally();
    assert!(results * 4 > refused, "{results} results, {refused} refused");
}
