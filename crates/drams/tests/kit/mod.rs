//! Helpers shared by the tests of memories: requests, runs with their logs, columns of a CSV.

use linecard_drams::{MemoryInput, MemoryReport, MemoryRequest, run_memory};
use linecard_files::preset::presets;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

/// Returns the names of shipped parts that can run alone.
pub fn part_names() -> Vec<String> {
    let parts = presets().into_iter().filter(|p| p.kind == "dram" && p.name != "hasan2003_sdr100");
    parts.map(|p| p.name).collect()
}

/// Returns the names of shipped policies.
pub fn policy_names() -> Vec<String> {
    presets().into_iter().filter(|p| p.kind == "policies").map(|p| p.name).collect()
}

/// A run of a pattern whose requests arrive as fast as they are accepted.
pub fn pattern_request(device: &str, policy: &str, pattern: &str, count: u64) -> MemoryRequest {
    MemoryRequest {
        device: device.to_owned(),
        policy: policy.to_owned(),
        overrides: Vec::new(),
        input: MemoryInput::Pattern {
            name: pattern.to_owned(),
            count,
            spacing: 0,
            reads: None,
            narrow: 0.0,
            seed: 7,
        },
        in_flight: None,
        requests: None,
        commands: None,
        tick_every_clock: false,
    }
}

/// Runs a request.
pub fn run(request: &MemoryRequest) -> MemoryReport {
    run_memory(request, &mut |_| ControlFlow::Continue(())).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a request with its log of `requests` or `commands`, as a user would.
pub fn run_logged(mut request: MemoryRequest, log: &str) -> (MemoryReport, String) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("linecard-{log}-{}-{number}.csv", std::process::id()));
    let name = Some(path.to_str().unwrap().to_owned());
    match log {
        "requests" => request.requests = name,
        _ => request.commands = name,
    }
    let report = run(&request);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    (report, text)
}

/// Columns of a CSV by name.
pub fn columns<const N: usize>(text: &str, names: [&str; N]) -> Vec<[String; N]> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let places = names
        .map(|name| header.iter().position(|h| *h == name).unwrap_or_else(|| panic!("no column {name}")));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            places.map(|place| fields[place].to_owned())
        })
        .collect()
}
