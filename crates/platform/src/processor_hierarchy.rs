//! The processor hierarchy of a preset: which share of the packets reaches core and host, and what they can spend.

use crate::chip::{Above, above};
use crate::error::Error;
use linecard_chip::processor_hierarchy::{HierarchyConfig, HierarchyCounts, LinkTimes, Signal, run};
use serde::Serialize;

/// What is asked of the hierarchy.
#[derive(Clone, Debug)]
pub struct HierarchyRequest {
    /// Name of a shipped preset, or path of a TOML file.
    pub preset: String,
    /// Changes, `key.path=value`.
    pub overrides: Vec<String>,
    /// Packets that come in a second.
    pub rate_pps: f64,
    /// Bytes of a packet.
    pub packet_bytes: u32,
    /// Bytes of it that are sent up and come back.
    pub message_bytes: u32,
    /// Of so many packets one asks to be sent up.
    pub one_in: u64,
    /// Packets to simulate.
    pub packets: u64,
    /// Seed of their arrivals.
    pub seed: u64,
}

/// What comes out.
#[derive(Clone, Debug, Serialize)]
pub struct HierarchyReport {
    /// The preset.
    pub preset: String,
    /// Packets that came in a second.
    pub rate_pps: f64,
    /// Bytes of a packet.
    pub packet_bytes: u32,
    /// Bytes of a message.
    pub message_bytes: u32,
    /// Messages a second.
    pub messages_per_second: f64,
    /// Messages a second if packets never ran out.
    pub most_messages_per_second: f64,
    /// Messages by packets.
    pub reach_percent: f64,
    /// Cycles that the host has for the work on a message.
    pub host_cycles_per_message: f64,
    /// Instructions that the core has for a message, at the engines' clock.
    pub core_cycles_per_message: f64,
    /// Share of the time for which each was busy.
    pub dram_utilization: f64,
    /// See `dram_utilization`.
    pub link_utilization: f64,
    /// See `dram_utilization`.
    pub core_utilization: f64,
    /// See `dram_utilization`; without the work that messages are sent for.
    pub host_utilization: f64,
    /// What an access of the engines waits for the DRAM, and would without the core.
    pub engine_wait_ns: f64,
    /// See `engine_wait_ns`.
    pub engine_wait_alone_ns: f64,
}

/// Packets of forwarding that the DRAM of an IXP1200 serves for each piece: three transfers of 64 bytes and one of 32
/// (Spalink 2000, section 3.2).
const FORWARDING: [(u32, u32); 2] = [(3, 64), (1, 32)];

/// Most packets of a run: at the lowest rate their time still fits into its integer.
const MOST_PACKETS: u64 = 10_000_000;

/// Runs the hierarchy of a preset.
///
/// # Errors
/// What is wrong with the preset, the changes or the request, all at once.
pub fn hierarchy(request: &HierarchyRequest) -> Result<HierarchyReport, Error> {
    let above = above(&request.preset, &request.overrides)?;
    let config = resolve(&above, request)?;
    let counts = run(&config, request.packets);
    let alone = run(&HierarchyConfig { window: 0, waiting: 0, ..config.clone() }, request.packets);
    // Twice as many as can go up: somebody always waits.
    let mut flooded = config.clone();
    (flooded.one_in, flooded.waiting) = (1, flooded.waiting.max(1));
    flooded.packet_ps = flooded.packet_ps.min(config.up_and_down_ps() / 2).max(1);
    flooded.engine_piece_ps = config.engine_piece_ps * flooded.packet_ps / config.packet_ps.max(1);
    let most = run(&flooded, request.packets);
    let share = |part: u64| part as f64 / counts.duration_ps.max(1) as f64;
    let wait = |c: &HierarchyCounts| c.engine_wait_ps as f64 / c.engine_accesses.max(1) as f64 / 1e3;
    let spare = |busy: u64, mhz: f64| {
        let idle_ps = counts.duration_ps.saturating_sub(busy) as f64;
        idle_ps * mhz * 1e-6 / counts.messages.max(1) as f64
    };
    let rate = |c: &HierarchyCounts| c.messages as f64 * 1e12 / c.duration_ps.max(1) as f64;
    Ok(HierarchyReport {
        preset: request.preset.clone(),
        rate_pps: request.rate_pps,
        packet_bytes: request.packet_bytes,
        message_bytes: request.message_bytes,
        messages_per_second: rate(&counts),
        most_messages_per_second: rate(&most).max(rate(&counts)),
        reach_percent: 100.0 * counts.messages as f64 / counts.packets.max(1) as f64,
        host_cycles_per_message: spare(counts.host_ps, above.board.host_mhz),
        core_cycles_per_message: spare(counts.core_ps, above.engine_mhz),
        dram_utilization: share(counts.dram_ps),
        link_utilization: share(counts.link_ps),
        core_utilization: share(counts.core_ps),
        host_utilization: share(counts.host_ps),
        engine_wait_ns: wait(&counts),
        engine_wait_alone_ns: wait(&alone),
    })
}

fn resolve(above: &Above, request: &HierarchyRequest) -> Result<HierarchyConfig, Error> {
    let mut problems = Vec::new();
    let mut wrong = |what: &str, found: String, expected: &str| {
        let message = format!("found {found}, expected {expected}");
        problems.push(crate::preset::problem(what.to_owned(), "", message));
    };
    if !(1.0..=1e12).contains(&request.rate_pps) {
        wrong("rate", request.rate_pps.to_string(), "1 to 1e12 packets a second");
    }
    if !(1..=65_535).contains(&request.packet_bytes) {
        wrong("packet bytes", request.packet_bytes.to_string(), "1 to 65535");
    }
    if !(1..=request.packet_bytes.max(1)).contains(&request.message_bytes) {
        wrong("message bytes", request.message_bytes.to_string(), "1 to the bytes of a packet");
    }
    let engines = engine_piece_ps(above) * f64::from(request.packet_bytes.div_ceil(64)) * request.rate_pps;
    if engines > 1e12 {
        let found = format!(
            "{} packets a second, which take {:.0} % of the DRAM for forwarding alone",
            request.rate_pps,
            engines * 1e-10
        );
        wrong("rate", found, "a rate that the DRAM stands");
    }
    if request.one_in == 0 || !(1..=MOST_PACKETS).contains(&request.packets) {
        wrong(
            "packets",
            format!("{}, one in {}", request.packets, request.one_in),
            "1 to 10000000, one in 1 or more",
        );
    }
    let board = &above.board;
    let mut link = |key: &str, text: &str| match link_times(text) {
        Ok(times) => Some(times),
        Err(message) => {
            problems.push(crate::preset::problem(request.preset.clone(), key, message));
            None
        }
    };
    let (up, down) = (link("pci.up", &board.up), link("pci.down", &board.down));
    let (Some(up), Some(down), true) = (up, down, problems.is_empty()) else {
        return Err(Error::Config { problems });
    };
    let cycle_ps = 1e6 / above.engine_mhz;
    Ok(HierarchyConfig {
        packet_ps: (1e12 / request.rate_pps).round().max(1.0) as u64,
        seed: request.seed,
        packet_bytes: request.packet_bytes,
        message_bytes: request.message_bytes,
        one_in: request.one_in,
        engine_piece_ps: engine_piece_ps(above).round() as u64,
        dram_access_ps: above.transfer_ps(32).round() as u64,
        dram_transit_ps: above.transit_ps,
        signal: if board.polls {
            Signal::Polling { every_ps: board.signal_wait_ps }
        } else {
            Signal::Interrupt { latency_ps: board.signal_wait_ps }
        },
        signal_ps: board.signal_ps,
        core_message_ps: (f64::from(board.message_cycles) * cycle_ps).round() as u64,
        up,
        down,
        host_message_ps: board.host_message_ps,
        host_byte_ps: board.host_byte_ps,
        window: board.window as u32,
        waiting: board.waiting as u32,
    })
}

/// Picoseconds that the DRAM takes for forwarding a piece.
fn engine_piece_ps(above: &Above) -> f64 {
    FORWARDING.iter().map(|&(count, bytes)| f64::from(count) * above.transfer_ps(bytes)).sum()
}

/// `64:931.6, 1500:22579`: nanoseconds at sizes in bytes.
fn link_times(text: &str) -> Result<LinkTimes, String> {
    let point = |part: &str| -> Option<(f64, f64)> {
        let (bytes, ns) = part.split_once(':')?;
        Some((bytes.trim().parse().ok()?, ns.trim().parse().ok()?))
    };
    let points: Option<Vec<_>> = text.split(',').map(point).collect();
    let points = points.ok_or_else(|| format!("`{text}`: expected points such as `64:931.6, 1500:22579`"))?;
    LinkTimes::new(&points)
}
