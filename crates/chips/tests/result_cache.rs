//! Does a result cache in front of a lookup have the effect on the machine that `linecard flowcache` reports for the
//! traffic?

use linecard_chips::{Program, RunReport, RunRequest, run};
use linecard_files::Error;
use linecard_flowcache::{Configuration, Digester, FlowCache, Geometry, Hash, Key, Policy};
use linecard_traffic::{OpenOptions, PacketSource};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

fn capture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/captures/edge-mix.pcap.gz")
}

fn with(app: &str, overrides: &[&str]) -> Result<RunReport, Error> {
    let request = RunRequest {
        chip: "ixp1200".to_owned(),
        program: Some(Program::Listed(app.to_owned())),
        trace: Some(capture().to_string_lossy().into_owned()),
        overrides: overrides.iter().map(|&o| o.to_owned()).collect(),
        seed: 1,
        packets: 0,
        warmup_packets: Some(0),
        ..RunRequest::default()
    };
    run(&request, &mut |_| ControlFlow::Continue(()))
}

fn value(report: &RunReport, component: &str, metric: &str) -> f64 {
    let row =
        report.metrics.iter().find(|m| (m.component.as_str(), m.metric.as_str()) == (component, metric));
    row.unwrap_or_else(|| panic!("no {component} {metric}")).value
}

/// Returns the hit rate of the same cache over the packets of the capture in their order.
fn hit_rate_of_the_capture(policy: &str) -> f64 {
    let geometry = Geometry::new(256, 4).unwrap();
    let configuration = Configuration::new(geometry, Policy::parse(policy).unwrap());
    let mut cache = FlowCache::new(&configuration, 1).unwrap();
    let (key, digester) = (Key::five_tuple(), Digester::new(Hash::Crc32c, 32, 1).unwrap());
    let mut capture = linecard_traffic::open(&capture(), &OpenOptions::default()).unwrap();
    let (mut hits, mut packets) = (0, 0);
    while let Some(packet) = capture.next_packet().unwrap() {
        if let Some(key) = key.of(&packet) {
            hits += u32::from(cache.access(digester.digest(&key)));
            packets += 1;
        }
    }
    f64::from(hits) / f64::from(packets)
}

#[test]
fn the_hit_rate_is_that_of_the_capture() {
    for policy in ["lru", "sp"] {
        let overrides =
            ["traffic.arrivals=saturated", "cache.entries=256", &format!("cache.policy={policy}")];
        let report = with("firewall", &overrides).unwrap();
        let (machine, alone) = (value(&report, "cache", "hit_rate"), hit_rate_of_the_capture(policy));
        // Threads look packets up in nearly the order of their arrival.
        assert!((machine - alone).abs() < 0.01, "{policy}: {machine} in the machine, {alone} alone");
        let lookups = value(&report, "cache", "lookups");
        let matched = value(&report, "program", "packets_matched");
        assert_eq!(matched, lookups - value(&report, "cache", "hits"));
    }
}

#[test]
fn hits_become_packets_per_second() {
    let ready = "traffic.arrivals=saturated";
    let mpps = |overrides: &[&str]| with("firewall", overrides).unwrap().summary.throughput_mpps;
    let (without, small, large) =
        (mpps(&[ready]), mpps(&[ready, "cache.entries=64"]), mpps(&[ready, "cache.entries=2048"]));
    assert!(without < small && small < large, "{without} {small} {large}");
    // The number of dropped packets does not depend on the cache.
    let dropped = |overrides: &[&str]| with("firewall", overrides).unwrap().summary.packets_dropped;
    assert_eq!(dropped(&[ready]), dropped(&[ready, "cache.entries=2048"]));
}

#[test]
fn what_makes_no_cache_is_refused_with_its_key() {
    let error = |app: &str, overrides: &[&str]| with(app, overrides).unwrap_err().to_string();
    let odd = error("firewall", &["cache.entries=1022", "cache.policy=spp", "cache.key=dst_prot"]);
    for part in ["cache.entries", "cache.policy", "cache.key", "did you mean"] {
        assert!(odd.contains(part), "{odd}");
    }
    let oracle = error("l3fwd16", &["cache.entries=1024", "cache.policy=opt"]);
    assert!(oracle.contains("cache.policy") && oracle.contains("uses future packets"), "{oracle}");
    assert!(error("nat", &["cache.entries=1024"]).contains("nat keeps its translations in its own table"));
    assert!(error("l3fwd16", &["cache.ways=8"]).contains("cache.ways: has no effect here"));
}
