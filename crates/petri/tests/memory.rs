//! How much memory does a state space take that has as many places as markings? The test has a file and therefore a
//! process of its own.

use linecard_petri::{NetBuilder, Servers, Timing, explore};

/// Returns the most bytes that the process has held, if the system reports them.
fn most_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// 32,801 markings of 33,681 places, more than a gigabyte at a byte per place: a token on a ring, and 880 places that
/// always hold one.
#[test]
fn markings_of_many_places_take_the_bits_that_they_need() {
    const RING: u32 = 32_801;
    let mut net = NetBuilder::new("wide");
    for place in 0..RING {
        net.place(&format!("p{place}"), u32::from(place == 0)).unwrap();
        net.transition(&format!("t{place}"), Timing::Untimed, Servers::Count(1)).unwrap();
    }
    for place in 0..RING {
        net.input(place, place, 1).unwrap();
        net.output(place, (place + 1) % RING, 1).unwrap();
    }
    for place in 0..880 {
        net.place(&format!("full{place}"), 1).unwrap();
    }
    let found = explore(&net.build().unwrap(), u64::MAX);
    assert_eq!((found.reachable_markings, found.bounds.len()), (RING.into(), 33_681));
    match most_bytes() {
        Some(bytes) => assert!(bytes < 300_000_000, "{bytes} bytes"),
        None => eprintln!("skipped: this system does not tell how much memory a process held"),
    }
}
