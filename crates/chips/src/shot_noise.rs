//! The load of shot-noise traffic in time windows, as Girish 2008, section 4.4.3, measures it.

use super::design::Design;
use super::kind::is_chip;
use linecard_files::{Error, problem};
use linecard_traffic::PacketSource;
use linecard_traffic::generators::{ShotNoise, ShotNoiseConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// A request for shot noise.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShotNoiseRequest {
    /// Chip with `[shots]`, `traffic.kind` and `traffic.rate_gbps`.
    pub chip: String,
    /// Changes, `key.path=value`.
    pub overrides: Vec<String>,
    /// Seed.
    pub seed: u64,
    /// Windows to generate.
    pub windows: u32,
    /// Length of a window, milliseconds.
    pub window_ms: f64,
}

/// The load of generated shot-noise traffic.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ShotNoiseReport {
    /// Load of each window in Mbit/s.
    pub rates_mbps: Vec<f64>,
    /// Mean load in Mbit/s.
    pub mean_mbps: f64,
    /// Coefficient of variation: sample standard deviation of the window loads, in percent of the mean load.
    pub variation_percent: f64,
    /// Coefficient of variation of the window loads according to the closed form (Campbell's theorem, averaged over a
    /// window).
    pub expected_variation_percent: f64,
    /// Mean number of active flows, computed from the closed form.
    pub active_flows: f64,
    /// Number of generated packets.
    pub packets: u64,
    /// Seed of every random stream.
    pub seed: u64,
    /// Length of a window in milliseconds.
    pub window_ms: f64,
}

/// The most windows of a run.
const MOST_WINDOWS: u32 = 1_000_000;

/// Generate shot noise and measure its load in windows.
///
/// # Errors
/// What is wrong with the chip, the changes or the request; a stop by `progress`.
pub fn shot_noise_windows(
    request: &ShotNoiseRequest,
    progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<ShotNoiseReport, Error> {
    let wrong = |key: &str, found: String, expected: &str| {
        let message = format!("found {found}, expected {expected}");
        Err(Error::Config { problems: vec![problem("shot noise".into(), key, message)] })
    };
    if !(2..=MOST_WINDOWS).contains(&request.windows) {
        return wrong("windows", request.windows.to_string(), "2 to 1,000,000 windows");
    }
    if !(0.001..=1e6).contains(&request.window_ms) {
        return wrong("window_ms", request.window_ms.to_string(), "0.001 to 1,000,000 ms");
    }
    let config = shot_noise_of(&request.chip, &request.overrides, request.seed)?;
    let traffic = |e: linecard_traffic::TrafficError| Error::Traffic(e.to_string());
    let mut stream = ShotNoise::new(&config).map_err(traffic)?;
    let window_ns = (request.window_ms * 1e6).round() as u64;
    let mut bits = vec![0u64; request.windows as usize];
    let (mut packets, mut last) = (0, 0);
    while let Some(packet) = stream.next_packet().map_err(traffic)? {
        let window = packet.time_ns / window_ns;
        let Some(sum) = bits.get_mut(window as usize) else { break };
        *sum += u64::from(packet.wire_bytes) * 8;
        packets += 1;
        if window > last {
            last = window;
            if progress(window, request.windows.into()).is_break() {
                return Err(Error::Interrupted);
            }
        }
    }
    let rates_mbps: Vec<f64> = bits.iter().map(|&b| b as f64 / (request.window_ms * 1e3)).collect();
    let count = rates_mbps.len() as f64;
    let mean_mbps = rates_mbps.iter().sum::<f64>() / count;
    let square: f64 = rates_mbps.iter().map(|r| (r - mean_mbps) * (r - mean_mbps)).sum();
    let deviation = (square / (count - 1.0)).sqrt();
    Ok(ShotNoiseReport {
        variation_percent: if mean_mbps > 0.0 { 100.0 * deviation / mean_mbps } else { 0.0 },
        expected_variation_percent: 100.0 * config.variation(request.window_ms * 1e-3),
        active_flows: config.active_flows(),
        rates_mbps,
        mean_mbps,
        packets,
        seed: request.seed,
        window_ms: request.window_ms,
    })
}

/// Returns the shot noise that a chip's file describes, whatever its arrivals.
///
/// # Errors
/// All problems of the file at once, or that it has no shot noise.
fn shot_noise_of(preset: &str, overrides: &[String], seed: u64) -> Result<ShotNoiseConfig, Error> {
    if !is_chip(preset) {
        let message = format!("found `{preset}`, expected a chip with [shots], such as ixp2400_core");
        return Err(Error::Config { problems: vec![problem("shot noise".into(), "", message)] });
    }
    let changes: Vec<String> =
        overrides.iter().cloned().chain(["traffic.arrivals=shot_noise".to_owned()]).collect();
    let design = Design::load(preset, &changes, None, seed)?;
    let Some(shots) = design.traffic.shots else { unreachable!("it was requested, and read") };
    Ok(ShotNoiseConfig { seed, ..shots })
}
