//! Clusters in stages with rings between them: who reaches what, and what of it takes no time.

use linecard_platform::{Error, RunReport, RunRequest, check_chip, run};
use std::ops::ControlFlow;

/// A first stage that hands every packet over a ring in memory `s`, and a second one that sends it.
const CHIP: &str = r#"kind = "chip"
title = "two stages"
source = "a test"
[clock]
core_mhz = 1000
[cluster.first]
engines = 2
threads = 4
takes = "work"
[cluster.second]
engines = 1
threads = 1
takes = "q"
[[cluster.second.step]]
cycles = 10
[memory.s]
latency_cycles = 10
access_cycles = 1
[ring.q]
memory = "s"
entries = 16
[buffer.rx]
bytes = "1 MiB"
[inbox.work]
[port.e]
rate_gbps = 1
inbox = "work"
[[program.step]]
op = "read"
at = "s"
[[program.step]]
op = "put"
to = "q"
[traffic]
rate_gbps = 0.8
"#;

/// The chip with parts of its text exchanged, checked and run.
fn stages(changes: &[(&str, &str)], packets: u64) -> Result<RunReport, Error> {
    let mut text = CHIP.to_owned();
    for (old, new) in changes {
        assert!(text.contains(old), "{old}");
        text = text.replacen(old, new, 1);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("chip.toml");
    std::fs::write(&file, text).unwrap();
    let preset = file.to_str().unwrap().to_owned();
    check_chip(&preset, &[])?;
    let request = RunRequest {
        preset,
        app: None,
        program: None,
        bound: linecard_platform::IntervalEnd::Stated,
        trace: None,
        overrides: Vec::new(),
        seed: 1,
        packets,
        warmup_packets: Some(0),
        map_addresses: false,
        strict: false,
        timeline: None,
        timeline_from_us: 0.0,
        timeline_for_us: None,
    };
    run(&request, &mut |_| ControlFlow::Continue(()))
}

fn metric(report: &RunReport, component: &str, metric: &str) -> f64 {
    let found = report.metrics.iter().find(|each| each.component == component && each.metric == metric);
    found.unwrap_or_else(|| panic!("no {component} {metric}")).value
}

/// Whoever takes from a ring reaches its memory, though the program of another cluster alone names that memory.
#[test]
fn a_ring_lives_in_a_memory_that_only_the_first_stage_names() {
    let report = stages(&[], 1000).unwrap();
    assert_eq!(report.summary.packets_dropped, 0);
    // A read of the program, and a write and a read of the ring's entry; those of packets inside come on top.
    let inside = metric(&report, "total", "packets_inside_at_end");
    let accesses = metric(&report, "s", "accesses");
    assert!(
        (3000.0..=3000.0 + 3.0 * inside).contains(&accesses),
        "{accesses} accesses, {inside} packets inside"
    );
}

/// A cluster that neither puts nor takes needs no way to the memory of a ring.
#[test]
fn only_those_beside_a_ring_need_a_way_to_its_memory() {
    let third = "[cluster.third]\nengines = 1\nthreads = 1\ntakes = \"other\"\n[[cluster.third.step]]\ncycles = 1\n[inbox.other]\n\
        [port.f]\nrate_gbps = 1\ninbox = \"other\"\n[unit.u]\nper = \"third\"\n\
        [[route]]\nfrom = \"third\"\nto = \"u\"\n[[route]]\nfrom = [\"first\", \"second\"]\nto = \"s\"\n[memory.s]";
    stages(&[("[memory.s]", third)], 200).unwrap();
    let without = third
        .replace("[\"first\", \"second\"]", "\"first\"")
        .replace("from = \"third\"", "from = \"second\"");
    let refused = stages(&[("[memory.s]", without.as_str())], 200).unwrap_err().to_string();
    assert!(refused.contains("cluster.second"), "{refused}");
}
