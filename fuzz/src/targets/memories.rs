//! DRAM parts, policies, and what asks for memory.

use super::{choice, lines};
use crate::result;
use crate::scratch::{self, Patience};
use linecard_platform::{MemoryInput, MemoryRequest, describe, run_memory};

/// Requests of a pattern.
const REQUESTS: u64 = 60;

fn through(device: &str, policy: &str, overrides: Vec<String>, input: MemoryInput) {
    let request = MemoryRequest {
        device: device.to_owned(),
        policy: policy.to_owned(),
        overrides,
        input,
        in_flight: None,
        requests: None,
        commands: None,
        tick_every_clock: false,
    };
    let patience = Patience::new();
    match run_memory(&request, &mut |_| patience.flow()) {
        Err(error) => result::error(&error),
        Ok(report) => result::finite(&report, &["energy", "unwritten"]),
    }
}

fn pattern(name: &str) -> MemoryInput {
    MemoryInput::Pattern {
        name: name.to_owned(),
        count: REQUESTS,
        spacing: 0,
        reads: None,
        narrow: 0.0,
        seed: 1,
    }
}

/// A part's file, under the usual policy.
pub fn dram_part(data: &[u8]) {
    let path = scratch::file("part.toml", data);
    if let Err(error) = describe(&path, &[]) {
        result::error(&error);
    }
    through(&path, "frfcfs_open", Vec::new(), pattern("random"));
}

/// A policy's file, over a usual part.
pub fn dram_policy(data: &[u8]) {
    let path = scratch::file("policy.toml", data);
    through("ddr4_2400", &path, Vec::new(), pattern("random"));
}

/// Changes of a shipped part and its policy, one a line.
pub fn dram_overrides(data: &[u8]) {
    let (chosen, rest) = choice(data);
    let parts = ["ddr4_2400", "sdr100", "ddr5_4800", "lpddr5_6400", "hbm2", "gddr6"];
    let policies = ["frfcfs_open", "fcfs_close", "packet_prefetching", "split_open"];
    let (part, policy) = (parts[chosen % parts.len()], policies[chosen / parts.len() % policies.len()]);
    through(part, policy, lines(rest), pattern("random"));
}

/// A trace of requests in the format that is chosen, or told by its first line.
pub fn dram_trace(data: &[u8]) {
    let (chosen, bytes) = choice(data);
    let formats = [None, Some("csv"), Some("dramsim3"), Some("ramulator")];
    let format = formats[chosen % formats.len()].map(str::to_owned);
    let path = scratch::file("trace", bytes);
    through("ddr4_2400", "frfcfs_open", Vec::new(), MemoryInput::Trace { path, format });
}
