//! Core and host above the engines, as clusters of a chip: the time of a message, the load of the link, and that
//! packets do not synchronize with what they wait for.

use linecard_chips::{HierarchyReport, HierarchyRequest, hierarchy};

/// Runs `ixp1200_host` with packets of one size that are sent up whole.
fn run(rate_pps: f64, bytes: u32, packets: u64, seed: u64, overrides: &[&str]) -> HierarchyReport {
    let request = HierarchyRequest {
        chip: "ixp1200_host".to_owned(),
        overrides: overrides.iter().map(|&text| text.to_owned()).collect(),
        rate_pps,
        packet_bytes: bytes,
        message_bytes: bytes,
        one_in: 1,
        packets,
        seed,
    };
    hierarchy(&request).unwrap()
}

/// The link of Spalink 2000, Table 2; nothing else takes time.
const RAW: [&str; 10] = [
    "pci.write_times=\"64:1871.96, 1500:56915\"",
    "handling.access_ns=0",
    "handling.byte_ns=0",
    "attention.every_ns=0",
    "signal.latency_ns=0",
    "clock.dram_mhz=100000",
    "route[core_to_dram].issue_ns=0",
    "route[core_to_dram].back_ns=0",
    "route[5].issue_ns=0",
    "route[5].back_ns=0",
];

/// Table 3: half the harmonic mean of both rates, and the host is idle while the card pushes.
#[test]
fn without_overheads_the_rates_of_table_3_come_out() {
    let small = run(1.128e6, 64, 20_000, 1, &RAW);
    assert!((small.messages_per_second / 356.6e3 - 1.0).abs() < 0.002, "{small:?}");
    assert!((small.host_cycles_per_message / 1372.0 - 1.0).abs() < 0.005, "{small:?}");
    let large = run(48.1e3, 1500, 3_000, 1, &RAW);
    assert!((large.messages_per_second / 12.6e3 - 1.0).abs() < 0.005, "{large:?}");
}

/// Worked out by hand: infrequent messages, with every part of their path.
#[test]
fn a_message_takes_the_sum_of_its_parts() {
    let changes = [
        "pci.write_times=\"0:100, 100:200\"",
        "pci.read_times=\"0:0, 128:256\"",
        "handling.access_ns=40",
        "handling.byte_ns=3",
    ];
    let found = run(1_000.0, 128, 4_000, 1, &changes);
    let per_message = 1e9 / found.messages_per_second;
    let busy = |idle_cycles: f64, mhz: f64| per_message - idle_cycles * 1e3 / mhz;
    assert!((found.reach_percent - 100.0).abs() < 0.1);
    // The work takes 40 + 128 x 3 ns; the host is also busy for the push of 256 ns.
    let host = busy(found.host_cycles_per_message, 733.0);
    assert!((host - (40.0 + 384.0 + 256.0)).abs() < 0.5, "{host}");
    // The core waits from the first of two pieces until the second has arrived, 128 ns later, and its two transfers
    // are stored: 5 cycles of 88 MHz each, and a round trip of 169.2 ns. The transfers of the first piece end sooner
    // only if they take less.
    let (service, transit): (f64, f64) = (5e3 / 88.0, 169.155);
    let first = 2.0 * service + transit;
    let core = busy(found.core_cycles_per_message, 177.0);
    assert!((core - (first.max(128.0) + 2.0 * service + transit)).abs() < 0.5, "{core}");
    let link = found.link_utilization * per_message;
    assert!((link - (228.0 + 256.0)).abs() < 0.5, "{link}");
    // Each of the two pieces is fetched and stored by two transfers each, and the engines forward it in 32 cycles.
    let dram = found.dram_utilization * per_message;
    assert!((dram - (8.0 * service + 2.0 * 32e3 / 88.0)).abs() < 1.0, "{dram}");
}

/// With equal gaps between arrivals, the reach used to be exactly a half or a quarter over wide ranges of rates, and
/// more packets brought fewer messages.
#[test]
fn more_packets_bring_no_fewer_messages() {
    let rates = |seed: u64| -> Vec<f64> {
        let rate = |step: u32| run(f64::from(step) * 40e3, 64, 6_000, seed, &[]).messages_per_second;
        (1..=28).map(rate).collect()
    };
    let found = rates(1);
    assert!(found.windows(2).all(|pair| pair[1] > 0.985 * pair[0]), "{found:?}");
    assert!(found[0] < 41e3 && *found.last().unwrap() > 175e3, "{found:?}");
    let others = rates(2);
    assert_ne!(found, others);
    let apart = found.iter().zip(&others).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max);
    assert!(apart < 0.04, "{apart}");
}

#[test]
fn more_under_way_bring_more_and_the_engines_wait_for_them() {
    let one = run(1.128e6, 64, 10_000, 1, &[]);
    let eight = run(1.128e6, 64, 10_000, 1, &["up.window=8", "up.entries=16"]);
    // The host does one thing after another: it waits with its push for the link that it shares with the card.
    assert!(eight.messages_per_second > 1.15 * one.messages_per_second, "{one:?} {eight:?}");
    assert!(eight.host_utilization > 0.99 && eight.link_utilization > one.link_utilization, "{eight:?}");
    assert!(one.engine_wait_ns > one.engine_wait_alone_ns, "{one:?}");
    assert!(eight.engine_wait_ns > one.engine_wait_ns, "{eight:?}");
}
