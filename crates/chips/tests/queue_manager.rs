//! Do the managers of `linecard queueing` serve a machine's queues, and is a machine without one unchanged?

use linecard_chips::{Program, RunReport, RunRequest, run};
use linecard_files::Error;
use std::ops::ControlFlow;

fn with(app: &str, overrides: &[&str]) -> Result<RunReport, Error> {
    let request = RunRequest {
        chip: "ixp1200".to_owned(),
        program: Some(Program::Listed(app.to_owned())),
        overrides: overrides.iter().map(|&o| o.to_owned()).collect(),
        seed: 1,
        packets: 3_000,
        warmup_packets: Some(0),
        ..RunRequest::default()
    };
    run(&request, &mut |_| ControlFlow::Continue(()))
}

fn find(report: &RunReport, component: &str, metric: &str) -> Option<f64> {
    let wanted = (component, metric);
    report.metrics.iter().find(|m| (m.component.as_str(), m.metric.as_str()) == wanted).map(|m| m.value)
}

fn value(report: &RunReport, component: &str, metric: &str) -> f64 {
    find(report, component, metric).unwrap_or_else(|| panic!("no {component} {metric}"))
}

const FEW_THREADS: [&str; 4] = ["input.engines=1", "output.engines=1", "input.threads=4", "in.count=4"];

#[test]
fn every_manager_serves_every_application_that_has_queues() {
    for manager in ["nc", "dc", "sqc", "qarray", "qc"] {
        for app in ["l3fwd16", "nat", "firewall"] {
            let chosen = format!("queues.manager={manager}");
            let mut overrides = vec![chosen.as_str(), "traffic.arrivals=saturated"];
            overrides.extend(FEW_THREADS);
            let report = with(app, &overrides).unwrap();
            let packets = report.summary.packets_out as f64;
            let operations = value(&report, "queues", "accesses");
            // Each packet is enqueued and dequeued; those inside at the end are enqueued only.
            let inside = value(&report, "total", "packets_inside_at_end");
            assert!((2.0 * packets..=2.0 * (packets + inside)).contains(&operations), "{manager} {app}");
            assert!(value(&report, "packet", "time_wait_queues") > 0.0, "{manager} {app}");
            let hit_rate = find(&report, "queues", "hit_rate").unwrap_or(0.0);
            assert_eq!(hit_rate > 0.5, manager != "nc", "{manager} {app}: {hit_rate}");
            assert!((0.0..=1.0).contains(&value(&report, "queues", "utilization")));
            assert!(report.warnings.is_empty(), "{:?}", report.warnings);
        }
    }
}

#[test]
fn without_a_manager_descriptors_are_in_sram() {
    let without = with("l3fwd16", &[]).unwrap();
    assert_eq!(find(&without, "queues", "accesses"), Some(0.0));
    let refused = with("l3fwd16", &["queues.entries=1", "queues.memory_ns=1000"]).unwrap_err().to_string();
    assert_eq!(refused.matches("has no effect").count(), 2, "{refused}");
    // Per packet, a descriptor is written once and read once, with one access each.
    let managed = with("l3fwd16", &["queues.manager=qc"]).unwrap();
    let accesses = |report| value(report, "sram", "accesses");
    let fewer = (accesses(&without) - accesses(&managed)) / without.summary.packets_out as f64;
    assert!((fewer - 2.0).abs() < 0.1, "{fewer} accesses of SRAM fewer for a packet");
}

#[test]
fn slower_memory_and_fewer_entries_take_longer() {
    let wait = |overrides: &[&str]| {
        let overrides: Vec<&str> = [&["queues.manager=qc", "traffic.arrivals=saturated"], overrides].concat();
        value(&with("l3fwd16", &overrides).unwrap(), "packet", "time_wait_queues")
    };
    let whole = wait(&[]);
    assert!(wait(&["queues.entries=2"]) > whole + 40.0, "misses read a descriptor");
    assert!(wait(&["queues.memory_ns=200"]) > whole + 300.0, "each operation touches a link in memory");
    assert!(wait(&["queues.interconnect_ns=0"]) < whole - 70.0, "each operation goes there and back");
}

#[test]
fn what_makes_no_manager_is_refused_with_its_key() {
    let error = |app: &str, overrides: &[&str]| with(app, overrides).unwrap_err().to_string();
    let odd = error("l3fwd16", &["queues.manager=qcc"]);
    assert!(odd.contains("queues.manager") && odd.contains("did you mean `qc`"), "{odd}");
    let odd = error("l3fwd16", &["queues.manager=qc", "queues.entries=0", "queues.engines=70000"]);
    for part in ["queues.entries", "queues.engines", "from 1 to 16384"] {
        assert!(odd.contains(part), "{odd}");
    }
    let threads = error("l3fwd16", &["queues.manager=qarray"]);
    assert!(threads.contains("queues.manager") && threads.contains("24"), "{threads}");
    let few =
        ["queues.manager=qarray", "queues.entries=64"].into_iter().chain(FEW_THREADS).collect::<Vec<_>>();
    let fixed = error("l3fwd16", &few);
    assert!(fixed.contains("queues.entries") && fixed.contains("has no effect"), "{fixed}");
    for app in ["vanilla_ip", "probe"] {
        let own = error(app, &["queues.manager=sqc"]);
        assert!(own.contains("queues.manager") && own.contains(app), "{own}");
    }
}

#[test]
fn a_queue_manager_that_threads_wait_for_is_the_bottleneck() {
    // Operations on a queue exclude each other, and each takes three accesses of 20 µs in a row. The ports of the memory
    // take an access every 8 ns, so that the manager is busy for less than 1 % of the time.
    let report =
        with("l3fwd16", &["queues.manager=nc", "queues.memory_ns=20000", "traffic.arrivals=saturated"])
            .unwrap();
    let bottleneck = &report.bottleneck;
    assert_eq!(bottleneck.component, "queues", "{}", bottleneck.why);
    assert!(bottleneck.utilization.is_some_and(|busy| busy < 0.01), "{bottleneck:?}");
}
