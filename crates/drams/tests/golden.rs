//! Is every request accepted and completed in the same clock as in an independent simulator?
//!
//! The golden files (`shared/golden/dram` beside the checkout: DRAMsim3, 5 traces, 5 devices, up to 8 policies) hold
//! the acceptance and the latency of each request, and the first commands of some runs. Without this folder, the
//! tests report that it is missing, and pass.

use crate::kit;

use flate2::read::GzDecoder;
use kit::{columns, pattern_request, run_logged};
use linecard_drams::{MemoryInput, MemoryReport, MemoryRequest};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

fn golden() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden/dram");
    if !folder.is_dir() {
        eprintln!("skipped: no golden files at {}", folder.display());
        return None;
    }
    Some(folder)
}

fn gunzip(path: &Path) -> String {
    let mut text = String::new();
    GzDecoder::new(File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Returns the parts of a file name: `trace.device.csv.gz`, `trace.device.policy.csv.gz`.
fn parts(path: &Path) -> Vec<String> {
    path.file_name().unwrap().to_str().unwrap().split('.').map(str::to_owned).collect()
}

/// Runs a memory with its logs, as a user would.
fn run(device: &str, policy: &str, trace: &Path, log: &str) -> (MemoryReport, String) {
    let path = trace.to_str().unwrap().to_owned();
    let input = MemoryInput::Trace { path, format: None };
    run_logged(MemoryRequest { input, ..pattern_request(device, policy, "stream", 1) }, log)
}

#[test]
fn every_request_is_accepted_and_completed_as_in_the_golden_files() {
    let Some(folder) = golden() else { return };
    let (mut requests, mut wrong) = (0, Vec::new());
    for file in files(&folder.join("requests")) {
        let [trace, device, ..] = &parts(&file)[..] else { panic!("{}", file.display()) };
        let text = gunzip(&file);
        let policies: Vec<&str> = text
            .lines()
            .next()
            .unwrap()
            .split(',')
            .filter_map(|name| name.strip_suffix(".daccept"))
            .collect();
        for policy in policies {
            let names = [format!("{policy}.daccept"), format!("{policy}.latency")];
            let expected = columns(&text, [&names[0], &names[1]]);
            let (_, log) = run(device, policy, &folder.join(format!("traces/{trace}.csv")), "requests");
            let found = columns(&log, ["accept", "complete"]);
            assert_eq!(found.len(), expected.len());
            let mut accept = 0;
            for (index, (found, [daccept, latency])) in found.iter().zip(&expected).enumerate() {
                let latency: i64 = latency.parse().unwrap();
                accept += daccept.parse::<i64>().unwrap();
                let complete = if latency < 0 { -1 } else { accept + latency };
                requests += 1;
                if *found != [accept.to_string(), complete.to_string()] {
                    wrong.push(format!(
                        "{trace} on {device} under {policy}: request {index} {found:?}, expected {accept}, {complete}"
                    ));
                }
            }
        }
    }
    assert!(requests > 1_000_000, "only {requests} requests were compared");
    let first: Vec<_> = wrong.iter().take(5).collect();
    assert!(wrong.is_empty(), "{} of {requests} requests differ, the first: {first:#?}", wrong.len());
}

#[test]
fn commands_are_those_of_the_golden_files() {
    let Some(folder) = golden() else { return };
    let mut commands = 0;
    for file in files(&folder.join("commands")) {
        let [trace, device, policy, ..] = &parts(&file)[..] else { panic!("{}", file.display()) };
        let (_, log) = run(device, policy, &folder.join(format!("traces/{trace}.csv")), "commands");
        for (expected, found) in gunzip(&file).lines().zip(log.lines()) {
            assert_eq!(found, expected, "{trace} on {device} under {policy}");
            commands += 1;
        }
    }
    assert!(commands > 100_000, "only {commands} commands were compared");
}

#[test]
fn totals_are_those_of_the_golden_summary() {
    let Some(folder) = golden() else { return };
    let text = std::fs::read_to_string(folder.join("dramsim3_summary.csv")).unwrap();
    let names = [
        "trace",
        "device",
        "policy",
        "end_cycle",
        "last_accept",
        "writes_left_in_buffer",
        "reads_forwarded",
        "ACT",
        "RD",
        "RDA",
        "WR",
        "WRA",
        "avg_read_latency",
        "writes",
    ];
    for [trace, device, policy, end, accept, left, forwarded, act, rd, rda, wr, wra, latency, writes] in
        columns(&text, names)
    {
        let (r, _) = run(&device, &policy, &folder.join(format!("traces/{trace}.csv")), "commands");
        let found = [
            r.last_accept_clock,
            r.writes_left,
            r.reads_forwarded,
            r.commands.act,
            r.commands.rd,
            r.commands.rda,
            r.commands.wr,
            r.commands.wra,
            r.writes,
        ];
        let expected = [accept, left.clone(), forwarded, act, rd, rda, wr, wra, writes];
        assert_eq!(found.map(|n| n.to_string()), expected, "{trace} on {device} under {policy}");
        if left == "0" {
            assert_eq!(r.end_clock.to_string(), end, "{trace} on {device} under {policy}");
        }
        assert_eq!(format!("{:.4}", r.read.mean_clocks), latency, "{trace} on {device} under {policy}");
    }
}
