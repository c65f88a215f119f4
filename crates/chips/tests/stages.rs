//! Clusters in stages with rings between them: which clusters reach which memories, and which steps take no time.

use linecard_chips::{RunReport, RunRequest, check_chip, run};
use linecard_files::Error;
use std::ops::ControlFlow;

/// A first stage that passes every packet through a ring in memory `s`, and a second one that sends it.
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

fn request(preset: String, packets: u64) -> RunRequest {
    RunRequest { chip: preset, seed: 1, packets, warmup_packets: Some(0), ..RunRequest::default() }
}

/// Checks and runs the chip with parts of its text replaced; expects `check` to warn of the error with which a run
/// fails.
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
    let warnings = check_chip(&preset, &[])?.warnings;
    let request = request(preset, packets);
    let ran = run(&request, &mut |_| ControlFlow::Continue(()));
    assert_eq!(warnings, ran.as_ref().err().map(ToString::to_string).into_iter().collect::<Vec<_>>());
    ran
}

/// Returns the error of a run that would never end.
fn endless(changes: &[(&str, &str)]) -> String {
    let said = stages(changes, 200).unwrap_err().to_string();
    assert!(said.starts_with("the run would never end: "), "{said}");
    said
}

fn metric(report: &RunReport, component: &str, metric: &str) -> f64 {
    let found = report.metrics.iter().find(|each| each.component == component && each.metric == metric);
    found.unwrap_or_else(|| panic!("no {component} {metric}")).value
}

/// A cluster that takes from a ring reaches its memory, even if only another cluster's program names that memory.
#[test]
fn a_ring_lives_in_a_memory_that_only_the_first_stage_names() {
    let report = stages(&[], 1000).unwrap();
    assert_eq!(report.summary.packets_dropped, 0);
    // The program reads once, and an entry of the ring is written and read; packets inside add to these.
    let inside = metric(&report, "total", "packets_inside_at_end");
    let accesses = metric(&report, "s", "accesses");
    assert!(
        (3000.0..=3000.0 + 3.0 * inside).contains(&accesses),
        "{accesses} accesses, {inside} packets inside"
    );
}

/// A cluster that neither puts into a ring nor takes from it needs no route to its memory.
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

/// A packet that finds the ring full goes past it without an access.
#[test]
fn a_refused_packet_does_not_write_the_ring() {
    let offers =
        ("to = \"q\"\n[traffic]", "to = \"q\"\nif_room = true\n[[program.step]]\nop = \"send\"\n[traffic]");
    let changes = [offers, ("entries = 16", "entries = 1"), ("cycles = 10\n", "cycles = 100000\n")];
    let report = stages(&changes, 1000).unwrap();
    let [offered, refused] = ["offered", "refused"].map(|each| metric(&report, "q", each));
    assert!(offered >= 1000.0 && refused > 0.9 * offered, "{refused} of {offered}");
    // Every packet reads once. The others write an entry, and all but one or two are taken and read it.
    let entries = metric(&report, "s", "accesses") - offered;
    let taken = offered - refused;
    assert!((2.0 * taken - 4.0..=2.0 * taken).contains(&entries), "{entries} accesses for {taken} packets");
}

const SATURATED: (&str, &str) = ("rate_gbps = 0.8", "arrivals = \"saturated\"");
/// The first program sends in no time, and the second stage never gets a packet.
const SENDS: (&str, &str) = (
    "[[program.step]]\nop = \"read\"\nat = \"s\"\n[[program.step]]\nop = \"put\"\nto = \"q\"",
    "[[program.step]]\nop = \"send\"",
);
const NEVER_BUSY: (&str, &str) = ("rate_gbps = 1", "rate_gbps = 0");
/// Packets are kept in a memory of 32 pages.
const MEMORY: (&str, &str) = (
    "[buffer.rx]",
    "[memory.d]\nkind = \"dram\"\npart = \"ddr4_3200\"\npool_bytes = \"64 KiB\"\n[buffer.rx]",
);
const MOVED: (&str, &str) = ("rate_gbps = 1\n", "rate_gbps = 1\nreceive_to = \"d\"\nsend_from = \"d\"\n");

#[test]
fn a_program_of_no_time_where_a_packet_always_waits_is_refused() {
    let said = endless(&[SENDS, NEVER_BUSY, SATURATED]);
    assert!(said.contains("at 0.000 us, threads of `first` take packets out of `work` ("), "{said}");
    // With one cycle, the run is ordinary; at a busy port, the packet waits.
    let cycle = (SENDS.0, "[[program.step]]\nop = \"send\"\ncycles = 1");
    let report = stages(&[cycle, NEVER_BUSY, SATURATED], 200).unwrap();
    assert_eq!(report.summary.packets_out, 200);
}

#[test]
fn a_ring_that_goes_back_to_its_own_cluster_in_no_time_is_refused() {
    let free = ("latency_cycles = 10\naccess_cycles = 1", "");
    let round = ("[[cluster.second.step]]\ncycles = 10", "[[cluster.second.step]]\nop = \"put\"\nto = \"q\"");
    let said = endless(&[free, round]);
    assert!(said.contains(" us, threads of `second` take packets out of `q` ("), "{said}");
    assert!(said.contains("Each packet returns to the inbox in zero time"), "{said}");
}

/// Packets that circulate take time but never leave, and because a packet always waits, none is lost either.
#[test]
fn packets_that_go_round_for_ever_are_refused() {
    let round = ("[[cluster.second.step]]\ncycles = 10", "[[cluster.second.step]]\nop = \"put\"\nto = \"q\"");
    let text = [round, MEMORY, MOVED, ("entries = 16", "entries = 100"), SATURATED];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("chip.toml");
    let chip = text.iter().fold(CHIP.to_owned(), |chip, (old, new)| chip.replacen(old, new, 1));
    std::fs::write(&file, chip).unwrap();
    let preset = file.to_str().unwrap().to_owned();
    let said = run(&request(preset, 200), &mut |_| ControlFlow::Continue(())).unwrap_err().to_string();
    assert!(said.contains(" times since the last departure, and 32 packets are inside"), "{said}");
}

#[test]
fn packets_larger_than_a_page_are_refused_though_another_always_waits() {
    let large = (SATURATED.0, "arrivals = \"saturated\"\nkind = \"fixed\"\npacket_bytes = 1518");
    let smaller = (
        "pool_bytes = \"64 KiB\"",
        "pool_bytes = \"64 KiB\"\npage_bytes = 256\nallocator = \"piecewise_linear\"",
    );
    let said = endless(&[MEMORY, MOVED, large, smaller]);
    assert!(said.contains("fits into a page of the packet memory"), "{said}");
}

/// A first stage that takes no time fills its ring at once, however large it is; then the next stage determines the
/// rate.
#[test]
fn a_first_stage_of_no_time_fills_a_large_ring() {
    let free = ("latency_cycles = 10\naccess_cycles = 1", "");
    let report = stages(&[free, ("entries = 16", "entries = 100000"), NEVER_BUSY, SATURATED], 2000).unwrap();
    assert!((report.summary.throughput_mpps - 100.0).abs() < 0.1, "{}", report.summary.throughput_mpps);
}

/// Programs identify inboxes and roles by a byte: more than 256 are refused, and no other one is used instead.
#[test]
fn inboxes_and_roles_beyond_256_are_refused() {
    let many = |text: &dyn Fn(usize) -> String| (0..300).map(text).collect::<String>();
    let rings = many(&|n| format!("[ring.r{n}]\nmemory = \"s\"\nentries = 2\n"));
    let taken = many(&|n| format!("\"r{n}\", "));
    let second = format!("takes = [\"q\", {taken}]\n");
    let changes = [("takes = \"q\"\n", second.as_str()), ("[ring.q]", &format!("{rings}[ring.q]"))];
    let said = stages(&changes, 10).unwrap_err().to_string();
    assert!(
        said.contains("program.step[1].to: steps can put packets only into the first 256 inboxes"),
        "{said}"
    );
    let memories = many(&|n| format!("[memory.m{n}]\n[ring.r{n}]\nmemory = \"m{n}\"\nentries = 2\n"));
    let changes =
        [("takes = \"q\"\n", second.as_str()), ("[inbox.work]", &format!("{memories}[inbox.work]"))];
    let said = stages(&changes, 10).unwrap_err().to_string();
    assert!(said.contains("ring.r256.memory: a chip has at most 256 roles"), "{said}");
}

/// Some packets leave through another cluster before circulating packets occupy all space: `check` reports this
/// beforehand, too.
#[test]
fn packets_that_go_round_when_others_have_left_are_warned_of() {
    let round = ("[[cluster.second.step]]\ncycles = 10", "[[cluster.second.step]]\nop = \"put\"\nto = \"q\"");
    let sends = (
        "[buffer.rx]",
        "[cluster.third]\ntakes = \"work\"\nengines = 1\nthreads = 1\n[[cluster.third.step]]\nop = \"send\"\ncycles = 1\n\
         [buffer.rx]",
    );
    let text = [round, MEMORY, MOVED, ("entries = 16", "entries = 100"), SATURATED, sends];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("chip.toml");
    let chip = text.iter().fold(CHIP.to_owned(), |chip, (old, new)| chip.replacen(old, new, 1));
    std::fs::write(&file, chip).unwrap();
    let preset = file.to_str().unwrap();
    let warnings = check_chip(preset, &[]).unwrap().warnings;
    assert!(warnings.iter().any(|warning| warning.contains("circulate between rings")), "{warnings:?}");
}
