//! Does the memory of `presets/dram/hasan2003_sdr100.toml` have the bandwidths and the row-miss costs of closed
//! formulas?
//!
//! 64 bits at 100 MHz are 6.4 Gbit/s. The other numbers are from Hasan 2003, section 1 (the first 8 bytes of a closed
//! row in 5 cycles, then 8 bytes per cycle).

use crate::kit;

use kit::{LAZY_BASE, REFERENCE, at_once, read, run, sdr100, sdr100_organization, write};
use linecard_dram::packet_buffer::{Policy, Precharge, Queues, Request};
use linecard_dram::{Cycle, Location};

const CLOCK_HZ: f64 = 100e6;

/// Returns the Gbit/s over a whole run, and the fraction of row hits.
fn bandwidth(banks: u32, policy: Policy, requests: impl IntoIterator<Item = Request>) -> (f64, f64) {
    let requests = at_once(requests);
    let bits: u64 = requests.iter().map(|(_, r)| u64::from(r.bytes) * 8).sum();
    let ran = run(sdr100_organization(banks), sdr100(), policy, &requests);
    (bits as f64 * CLOCK_HZ / ran.end() as f64 / 1e9, ran.controller.statistics().row_hit_rate())
}

/// Returns the cycles of an access after the accesses `before`: from the end of the previous data to the start of its
/// own, and of its data.
fn cost(policy: Policy, before: &[Request], access: Request) -> (Cycle, Cycle) {
    let mut requests = at_once(before.iter().copied());
    requests.push((0, access));
    let mut ran = run(sdr100_organization(4), sdr100(), policy, &requests);
    let moved = &ran.log().transfers;
    let last = moved[moved.len() - 1];
    assert_eq!(last.request.tag, access.tag);
    let free = if moved.len() > 1 { moved[moved.len() - 2].end } else { 0 };
    (last.start - free, last.end - last.start)
}

#[track_caller]
fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 2e-3, "{found} instead of {expected}");
}

/// Accesses of `bytes` to closed rows, with no data that hide the activate: two banks alternate, each precharged as
/// soon as its data have moved, and closed long before its next access.
fn closed_rows(bytes: u32) -> (f64, f64) {
    let eager = Policy { precharge: Precharge::Eager, ..LAZY_BASE };
    bandwidth(4, eager, (0..4000).map(|n| Request { bytes, ..read(n, n % 2, n / 2 % 512) }))
}

#[test]
fn all_row_hits_reach_the_peak_of_the_bus() {
    for bytes in [8, 32, 64] {
        let one_row = |n: u32| Request { bytes, ..read(n, 0, 3) };
        let (gbps, hits) = bandwidth(4, LAZY_BASE, (0..4000).map(one_row));
        close(gbps, 6.4);
        close(hits, 1.0);
    }
}

#[test]
fn ideal_memory_reaches_the_peak_of_the_bus_whatever_the_rows() {
    for (policy, banks) in [(LAZY_BASE, 2), (REFERENCE, 4)] {
        let ideal = Policy { ideal: true, ..policy };
        let scattered =
            |n: u32| if n.is_multiple_of(3) { write(n, n % banks, n % 7) } else { read(n, n % banks, n % 5) };
        let (gbps, hits) = bandwidth(banks, ideal, (0..4000).map(scattered));
        close(gbps, 6.4);
        assert_eq!(hits, 1.0);
    }
}

#[test]
fn closed_rows_cost_8_bytes_in_5_cycles() {
    let (gbps, hits) = closed_rows(8);
    close(gbps, 1.28);
    assert_eq!(hits, 0.0);
}

#[test]
fn closed_rows_cost_64_bytes_in_12_cycles() {
    let (gbps, hits) = closed_rows(64);
    close(gbps, 6.4 * 8.0 / 12.0);
    close(gbps, 4.27);
    assert_eq!(hits, 0.0);
}

#[test]
fn the_formula_of_closed_rows_holds_for_every_size() {
    for bytes in (8..=256).step_by(8) {
        let data = f64::from(bytes) / 8.0;
        close(closed_rows(bytes).0, 6.4 * data / (data + 4.0));
    }
}

#[test]
fn a_conflict_waits_6_cycles_a_closed_row_4_and_a_hit_none() {
    let elsewhere = write(1, 2, 9);
    assert_eq!(cost(LAZY_BASE, &[write(0, 0, 1)], write(2, 0, 1)), (0, 8), "hit");
    assert_eq!(cost(LAZY_BASE, &[write(0, 0, 1)], write(2, 1, 1)), (4, 8), "closed row");
    assert_eq!(cost(LAZY_BASE, &[write(0, 0, 1)], write(2, 0, 5)), (6, 8), "conflict in the bank in use");
    assert_eq!(cost(LAZY_BASE, &[], read(2, 0, 5)), (4, 8), "closed row of an idle memory");
    // With lazy precharge, the bank of the next access is precharged while the previous access moves its data.
    assert_eq!(cost(LAZY_BASE, &[write(0, 0, 1), elsewhere], write(2, 0, 5)), (4, 8), "conflict elsewhere");
    // Prefetching hides the activate as well; nothing hides a conflict in the bank in use.
    let prefetch = Policy { prefetch: true, ..LAZY_BASE };
    assert_eq!(cost(prefetch, &[write(0, 0, 1), elsewhere], write(2, 0, 5)), (0, 8), "prefetched");
    assert_eq!(cost(prefetch, &[write(0, 0, 1)], write(2, 0, 5)), (6, 8), "nothing to prefetch behind");
}

/// 8 bytes of data, one cycle, hide one of the 6 cycles of a conflict; 64 bytes hide all of them.
#[test]
fn prefetching_hides_a_conflict_behind_as_many_cycles_as_there_are_data() {
    let prefetch = Policy { prefetch: true, ..LAZY_BASE };
    for bytes in (8..=64).step_by(8) {
        let data = Cycle::from(bytes / 8);
        // The previous access is itself a prefetched hit; the controller observes the next access when it accepts the
        // previous one.
        let before = [write(0, 0, 1), Request { bytes, ..write(1, 2, 9) }];
        assert_eq!(cost(prefetch, &before, write(2, 0, 5)).0, 6u64.saturating_sub(data), "{bytes} bytes");
    }
}

#[test]
fn rows_in_turn_over_banks_with_prefetching_reach_the_peak() {
    let prefetch = Policy { prefetch: true, ..LAZY_BASE };
    for banks in [2, 4] {
        let rows = |n: u32| write(n, n % banks, n / banks % 512);
        close(bandwidth(banks, prefetch, (0..4000).map(rows)).0, 6.4);
        // Without prefetching, each access waits for its activate; the precharge is hidden.
        close(bandwidth(banks, LAZY_BASE, (0..4000).map(rows)).0, 6.4 * 8.0 / 12.0);
    }
}

#[test]
fn one_bank_with_a_new_row_each_time_pays_the_whole_conflict() {
    for queues in [Queues::ReadWrite, Queues::OddEven] {
        let policy = Policy { queues, ..LAZY_BASE };
        let row = |n: u32| Request { location: Location { bank: 1, row: n % 512 }, ..write(n, 0, 0) };
        close(bandwidth(4, policy, (0..4000).map(row)).0, 6.4 * 8.0 / 14.0);
    }
}
