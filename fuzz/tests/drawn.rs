//! Some drawn requests: the part of the campaign that each change goes through.

use linecard_fuzz::{Cases, tally};

/// `make campaign` runs as many as are asked for.
const CASES: usize = 400;
const SEED: u64 = 15;

#[test]
fn drawn_requests_break_no_law() {
    let broken: Vec<String> = Cases::new(SEED)
        .take(CASES)
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
