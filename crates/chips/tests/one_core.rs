//! Does a chip of one engine with one cache take the same time as the core model of the study of threads and cache?
//!
//! Both get the same programs and the same packets. The core switches threads in no time here, because the two count
//! the cost differently. The cache has one set, because the core places packets differently; its contents, its
//! write-backs and its waits are the same.

use linecard_chips::{Program, ProgramFile, RunReport, RunRequest, run};
use linecard_iss::{Image, Machine, Recorder};
use linecard_malleable::{
    Arrivals, CoreConfig, Pipeline, Separate, TICKS, Window, WorkBuilder, run as run_core,
};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const BUDGET: u64 = 20_000_000;
const WARMUP: u64 = 100;
const MEASURED: u64 = 400;
/// Cycles from an off-chip access to its value, and cycles for which the access occupies the memory.
const LATENCY: u32 = 60;
const REFERENCE: u32 = 4;
const LINES: u32 = 8;

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs")
}

/// IPv4 packets of UDP and TCP between some addresses, all different.
fn packets() -> Vec<Vec<u8>> {
    let packet = |number: u32| {
        let bytes = 60 + (number * 37 % 120) as usize;
        let mut packet = vec![0u8; bytes];
        packet[0] = 0x45;
        packet[2..4].copy_from_slice(&(bytes as u16).to_be_bytes());
        packet[8] = 64;
        packet[9] = if number.is_multiple_of(3) { 6 } else { 17 };
        packet[12..16].copy_from_slice(&(0x0a00_0000 + number * 7 % 29).to_be_bytes());
        packet[16..20].copy_from_slice(&(number.wrapping_mul(0x9e37_79b1)).to_be_bytes());
        packet[20..24].copy_from_slice(&(number % 11 * 0x0001_0101 + 0x0400_0035).to_be_bytes());
        for (at, byte) in packet.iter_mut().enumerate().skip(40) {
            *byte = (number as usize * 31 + at * 7) as u8;
        }
        let sum: u32 = packet[..20].chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).sum();
        let sum = (sum & 0xffff) + (sum >> 16);
        packet[10..12].copy_from_slice(&(!((sum & 0xffff) + (sum >> 16)) as u16).to_be_bytes());
        packet
    };
    (0..(WARMUP + MEASURED + 50) as u32).map(packet).collect()
}

/// A capture of raw IP packets, a microsecond apart.
fn capture(packets: &[Vec<u8>]) -> Vec<u8> {
    let words = |words: [u32; 4]| words.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>();
    let mut file = words([0xa1b2_c3d4, 0x0004_0002, 0, 0]);
    file.extend(65_535u32.to_le_bytes());
    file.extend(101u32.to_le_bytes());
    for (number, packet) in packets.iter().enumerate() {
        let bytes = packet.len() as u32;
        file.extend(words([0, number as u32, bytes, bytes]));
        file.extend(packet);
    }
    file
}

/// Returns the cycles of the core.
fn core_cycles(program: &str, control: &[u8], threads: u32, lines: u32, cache_latency: u32) -> f64 {
    let file = std::fs::read(programs().join("prebuilt").join(format!("{program}.elf"))).unwrap();
    let mut machine = Machine::new(Image::read(program, &file).unwrap(), control, BUDGET).unwrap();
    let pipeline = Pipeline { taken_cycles: 2, multiply_cycles: 3, divide_cycles: 20 };
    let mut builder = WorkBuilder::new(machine.layout(), pipeline);
    let mut recorder = Recorder::new(&machine);
    for (number, packet) in packets().iter().enumerate() {
        recorder.packet(&mut machine, packet, number as u32).unwrap();
    }
    builder.add(recorder.trace(), machine.code());
    let work = builder.finish();
    let config = CoreConfig {
        threads,
        cache_lines: lines,
        cache_ways: 8,
        cache_latency_cycles: cache_latency,
        switch_cycles: 0,
        memory_latency_cycles: LATENCY,
        memory_refs_per_cycle: 1.0 / f64::from(REFERENCE),
        slower_percent: 0,
    };
    let window = Window { warmup_packets: WARMUP, packets: MEASURED };
    let counts = run_core(&work, config, Arrivals::BackToBack, Separate, window).unwrap();
    counts.ticks.sum() as f64 / TICKS as f64
}

/// Runs a chip of one engine.
fn chip(
    folder: &Path,
    program: &str,
    control: Option<&Path>,
    threads: u32,
    lines: u32,
    cache_latency: u32,
) -> RunReport {
    let cache = format!(
        "[cluster.core.cache]\nof = [\"memory\"]\ncache_bytes = {}\nline_bytes = 16\nways = 8\nlatency_cycles = {cache_latency}\n",
        lines * 16
    );
    let design = format!(
        r#"kind = "chip"
title = "One engine"
source = "this test"
[clock]
core_mhz = 1000
[cluster.core]
clock = "core"
engines = 1
threads = {threads}
takes = ["arrivals"]
next_thread = "first_ready"
[cluster.core.riscv]
taken_cycles = 2
multiply_cycles = 3
divide_cycles = 20
waits_for_writes = true
{}
[memory.memory]
kind = "server"
clock = "core"
latency_cycles = {}
access_cycles = {REFERENCE}
[order]
kept = "none"
[inbox.arrivals]
[buffer.rx]
bytes = 1048576
[port.eth]
rate_gbps = 10000
buffer = "rx"
inbox = "arrivals"
[bind]
maps = "memory"
packet = "memory"
[[program.step]]
op = "run"
[traffic]
arrivals = "saturated"
"#,
        if lines > 0 { cache } else { String::new() },
        LATENCY + REFERENCE
    );
    let path = folder.join("one.toml");
    std::fs::write(&path, design).unwrap();
    let trace = folder.join("packets.pcap");
    std::fs::write(&trace, capture(&packets())).unwrap();
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let request = RunRequest {
        chip: text(&path),
        program: Some(Program::Executed(ProgramFile {
            path: text(&programs().join("prebuilt").join(format!("{program}.elf"))),
            name: program.to_owned(),
            section: None,
            entry: None,
            maps: vec![],
            routes: None,
            control: control.map(text),
            budget: BUDGET,
            checked: true,
            cpus: 1,
            table: None,
        })),
        trace: Some(text(&trace)),
        seed: 1,
        packets: MEASURED,
        warmup_packets: Some(WARMUP),
        strict: true,
        ..RunRequest::default()
    };
    run(&request, &mut |_| ControlFlow::Continue(())).unwrap_or_else(|error| panic!("{program}: {error}"))
}

#[test]
fn one_engine_with_one_cache_takes_the_ticks_of_the_core_model() {
    let folder = tempfile::tempdir().unwrap();
    for (program, control) in
        [("checksum", None), ("md5", None), ("srtcm", Some("srtcm.txt")), ("classify", Some("classify.txt"))]
    {
        let control = control.map(|name: &str| programs().join("control").join(name));
        let text = control.as_ref().map_or(Vec::new(), |path| std::fs::read(path).unwrap());
        for threads in [1, 2, 5] {
            for (lines, latency) in [(0, 1), (LINES, 1), (LINES, 3)] {
                let core = core_cycles(program, &text, threads, lines, latency);
                let found = chip(folder.path(), program, control.as_deref(), threads, lines, latency);
                let cycles = found.summary.simulated_seconds * 1e9;
                assert_eq!(
                    cycles.round(),
                    core,
                    "{program}, {threads} threads, {lines} lines, latency {latency}"
                );
            }
        }
    }
}
