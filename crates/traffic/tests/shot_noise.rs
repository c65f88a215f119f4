//! Does shot noise have the moments of Campbell's theorem and of its autocovariance, and does every flow keep its
//! addresses?

use linecard_traffic::PacketSource;
use linecard_traffic::generators::{EmpiricalSizes, ShotNoise, ShotNoiseConfig, Sizes};
use std::collections::HashMap;

fn config(seed: u64) -> ShotNoiseConfig {
    ShotNoiseConfig {
        seed,
        bits_per_second: 50_000_000,
        sizes: Sizes::Empirical(EmpiricalSizes::new(&[(40, 0.5), (1500, 0.5)]).unwrap()),
        slowest_bps: 10_000,
        fastest_bps: 1_000_000,
        shortest_ns: 1_000_000,
        longest_ns: 100_000_000,
    }
}

/// Mean and standard deviation.
fn moments(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let square = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (values.len() - 1) as f64;
    (mean, square.sqrt())
}

/// Returns the load of each window, and the sum of rates and the active flows at its last packet.
fn windows(config: &ShotNoiseConfig, window_ns: u64, count: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let mut stream = ShotNoise::new(config).unwrap();
    let (mut loads, mut rates, mut flows) = (vec![0.0; count], vec![0.0; count], vec![0.0; count]);
    loop {
        let packet = stream.next_packet().unwrap().unwrap();
        let Some(load) = loads.get_mut((packet.time_ns / window_ns) as usize) else {
            return (loads, rates, flows);
        };
        *load += f64::from(packet.wire_bytes) * 8e9 / window_ns as f64;
        rates[(packet.time_ns / window_ns) as usize] = stream.rate_bps() as f64;
        flows[(packet.time_ns / window_ns) as usize] = stream.flows_under_way() as f64;
    }
}

/// Windows of 200 ms are twice as long as any flow, so that every other one is independent. With 4000 windows, the
/// mean is known to 0.15 %, a standard deviation to 1.2 %.
#[test]
fn mean_and_variance_are_those_of_the_closed_forms() {
    let config = config(3);
    let (loads, rates, flows) = windows(&config, 200_000_000, 4000);
    let (mean, deviation) = moments(&loads);
    assert!((mean / 50e6 - 1.0).abs() < 0.005, "mean load {mean}");
    let expected = config.variation(0.2);
    assert!((deviation / mean / expected - 1.0).abs() < 0.05, "{} against {expected}", deviation / mean);
    let (mean, deviation) = moments(&rates);
    assert!((mean / 50e6 - 1.0).abs() < 0.01, "mean rate {mean}");
    let expected = config.rate_deviation_bps();
    assert!((deviation / expected - 1.0).abs() < 0.05, "{deviation} against {expected}");
    // The number of active flows is Poisson distributed: its variance equals its mean.
    let (mean, deviation) = moments(&flows);
    assert!((mean / config.active_flows() - 1.0).abs() < 0.01, "{mean} flows");
    assert!((deviation * deviation / mean - 1.0).abs() < 0.1, "variance {}", deviation * deviation);
}

/// Short windows show the instantaneous rate and the noise of packets; long windows average flows out.
#[test]
fn the_closed_form_follows_the_window() {
    let config = config(4);
    for (window_ns, count) in [(1_000_000, 200_000), (20_000_000, 20_000)] {
        let (loads, ..) = windows(&config, window_ns, count);
        let (mean, deviation) = moments(&loads);
        let expected = config.variation(window_ns as f64 * 1e-9);
        let found = deviation / mean;
        assert!((found / expected - 1.0).abs() < 0.05, "{window_ns} ns: {found} against {expected}");
    }
}

/// One rate and one duration: the number of flows is that of an M/D/∞ queue, whose closed forms need no integral.
#[test]
fn equal_flows_are_a_queue_with_infinitely_many_servers() {
    let equal = ShotNoiseConfig {
        slowest_bps: 100_000,
        fastest_bps: 100_000,
        shortest_ns: 10_000_000,
        longest_ns: 10_000_000,
        ..config(5)
    };
    assert!((equal.active_flows() - 500.0).abs() < 1e-9);
    assert!((equal.rate_deviation_bps() - 100_000.0 * 500f64.sqrt()).abs() < 1e-3);
    let (_, rates, _) = windows(&equal, 20_000_000, 5000);
    let (mean, deviation) = moments(&rates);
    assert!((mean / 50e6 - 1.0).abs() < 0.005);
    assert!((deviation / equal.rate_deviation_bps() - 1.0).abs() < 0.05);
}

#[test]
fn packets_repeat_with_the_seed_and_flows_keep_their_rates() {
    let first = |seed| {
        let mut stream = ShotNoise::new(&config(seed)).unwrap();
        (0..20_000).map(|_| stream.next_packet().unwrap().unwrap()).collect::<Vec<_>>()
    };
    let packets = first(1);
    assert_eq!(packets, first(1));
    assert_ne!(packets, first(2));
    assert!(packets.windows(2).all(|p| p[0].time_ns <= p[1].time_ns));
    let mut by_flow: HashMap<_, u32> = HashMap::new();
    packets.iter().for_each(|p| *by_flow.entry(p.flow).or_default() += 1);
    assert!(by_flow.len() > 500, "{} flows", by_flow.len());
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |config: ShotNoiseConfig| ShotNoise::new(&config).unwrap_err().to_string();
    assert!(refused(ShotNoiseConfig { bits_per_second: 0, ..config(1) }).contains("at least 1"));
    assert!(refused(ShotNoiseConfig { slowest_bps: 2_000_000, ..config(1) }).contains("highest"));
    assert!(refused(ShotNoiseConfig { shortest_ns: 0, ..config(1) }).contains("longest"));
    assert!(refused(ShotNoiseConfig { bits_per_second: u64::MAX, ..config(1) }).contains("10 million"));
}
