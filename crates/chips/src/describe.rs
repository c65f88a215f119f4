//! Describes a chip or a program by its parameters and derived values.

use super::design::Design;
use super::kind::is_program;
use super::native;
use super::program::describe_program;
use linecard_chip::ChipConfig;
use linecard_chip::config::{ClusterConfig, PlaceKind};
use linecard_config::Row;
use linecard_files::{Derived, Described, Description, Error};

/// A chip or a program as `linecard describe` shows it.
///
/// # Errors
/// All problems at once.
pub fn describe(preset: &str, overrides: &[String]) -> Result<Description, Error> {
    let (title, extends, rows, derived) = match is_program(preset) {
        true => {
            let (title, extends, rows) = describe_program(preset)?;
            (title, extends, rows, Vec::new())
        }
        false => {
            let design = Design::load(preset, overrides, None, 1)?;
            let derived = derived(&design.config);
            let mut rows = design.rows;
            // The costs of the other programs whose costs the file states, too.
            for name in native::names().into_iter().filter(|&name| name != design.app) {
                let Ok(other) = Design::load(preset, overrides, Some(name), 1) else { continue };
                let section = format!("{}.", native::section(name));
                let own = |row: &Row| section.len() > 1 && row.key.starts_with(&section);
                rows.extend(other.rows.into_iter().filter(own));
            }
            (design.title, design.extends, rows, derived)
        }
    };
    let described = |row: Row| Described {
        key: row.key,
        value: row.value,
        unit: row.unit,
        meaning: row.meaning,
        allowed: row.allowed,
        source: row.source,
        interval: row.interval,
    };
    let parameters = rows.into_iter().map(described).collect();
    Ok(Description { preset: preset.to_owned(), title, extends, parameters, derived })
}

/// Returns the values derived from a chip's parameters.
fn derived(config: &ChipConfig) -> Vec<Derived> {
    let each = |of: fn(&ClusterConfig) -> f64| config.clusters.iter().map(of).sum::<f64>();
    let engines = |c: &ClusterConfig| f64::from(c.engines);
    let mut rows = vec![
        Derived::new(
            "hardware threads",
            each(|c| f64::from(c.all_threads())),
            "threads",
            "engines x threads, or the threads in use",
        ),
        Derived::new(
            "engine cycles",
            config.clusters.iter().map(|c| engines(c) * c.clock_hz as f64 / 1e6).sum(),
            "Mcycles/s",
            "engines x clock",
        ),
    ];
    for place in &config.places {
        let PlaceKind::PacketBuffer(buffer) = &place.kind else { continue };
        let organization = buffer.device.organization();
        let per_cycle = f64::from(organization.beat_bytes * organization.beats_per_cycle * 8);
        let peak = per_cycle * buffer.clock_hz as f64 / 1e9 * f64::from(buffer.channels);
        let closed = buffer.device.open_cycles() + buffer.device.timing().read_latency;
        let effective = |bytes: f64| {
            let data = bytes * 8.0 / per_cycle;
            peak * data / (data + closed as f64)
        };
        let mut add = |what: &str, value: f64, formula: &str| {
            rows.push(Derived::new(&format!("{}: {what}", place.name), value, "Gbit/s", formula));
        };
        add("peak bandwidth", peak, "channels x bus bytes x beats per clock x clock");
        add("peak packet throughput", peak / 2.0, "each packet is written and read once");
        let (small, cell) = (effective(8.0), effective(64.0));
        add("8-byte accesses to closed rows", small, "8 B per (tRCD + read latency + data transfer)");
        add("64-byte accesses to closed rows", cell, "64 B per (tRCD + read latency + data transfer)");
    }
    rows
}
