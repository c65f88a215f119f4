//! `linecard describe`: every parameter of a preset with its source, and what follows from them.

use crate::build::Configuration;
use crate::error::Error;
use crate::files::{Files, PresetKind, Shelf};
use crate::preset::{Value, load, problem, resolve};
use crate::program::Part;
use linecard_config::Shown;
use serde::Serialize;

/// A preset, resolved.
#[derive(Clone, Debug, Serialize)]
pub struct Description {
    /// Its name.
    pub preset: String,
    /// What it is.
    pub title: String,
    /// Presets it extends, nearest last.
    pub extends: Vec<String>,
    /// Every parameter.
    pub parameters: Vec<Described>,
    /// What follows from the parameters.
    pub derived: Vec<Derived>,
}

/// A parameter with its value.
#[derive(Clone, Debug, Serialize)]
pub struct Described {
    /// Dotted key, as `--set` takes it.
    pub key: String,
    /// The value.
    pub value: Shown,
    /// Unit; empty for names and switches.
    pub unit: String,
    /// What it means.
    pub meaning: String,
    /// The range or the names that it may have; empty where any text will do, or it follows from others.
    pub allowed: String,
    /// Where it comes from.
    pub source: String,
}

/// A quantity that follows from the parameters.
#[derive(Clone, Debug, Serialize)]
pub struct Derived {
    /// What it is.
    pub name: String,
    /// The value.
    pub value: f64,
    /// Its unit.
    pub unit: String,
    /// How it follows.
    pub formula: String,
}

/// Resolve a preset with changes and say what it is made of.
///
/// # Errors
/// All configuration problems at once.
pub fn describe(preset: &str, overrides: &[String]) -> Result<Description, Error> {
    if crate::chip::is_chip(preset) || crate::chip::is_program(preset) {
        return crate::chip::describe(preset, overrides);
    }
    if let Some(description) = describe_part(preset, overrides)? {
        return Ok(description);
    }
    let shelf = Shelf::default();
    let files = Files::read(preset, &shelf);
    if let Some(description) = describe_memory(&files, overrides)? {
        return Ok(description);
    }
    // A part that platforms extend has some of the parameters and derives nothing alone.
    let (resolved, problems) = resolve(&files, overrides);
    let whole = match resolved.is_part() && !resolved.settings.is_empty() {
        true if problems.is_empty() => None,
        true => return Err(Error::Config { problems }),
        false => Some(Configuration::of(&files, overrides, None)?),
    };
    let setting = |key| match &whole {
        Some(configuration) => Some(configuration.setting(key)),
        None => resolved.settings.get(key),
    };
    let mut parameters: Vec<Described> = resolved
        .schema
        .parameters
        .iter()
        .filter_map(|p| setting(p.key).map(|setting| (p, setting)))
        .map(|(p, setting)| {
            let value = match &setting.value {
                Value::Switch(on) => Shown::Switch(*on),
                Value::Integer(whole) => Shown::Whole(*whole),
                Value::Number(real) => Shown::Real(*real),
                Value::Text(text) => Shown::Text(text.clone()),
            };
            let allowed = p.kind.expected();
            let (key, unit) = (p.key.to_owned(), p.unit.to_owned());
            let (meaning, source) = (p.meaning.to_owned(), setting.source.clone());
            Described { key, value, unit, meaning, allowed, source }
        })
        .collect();
    for c in &resolved.constraints {
        let window = if c.window > 1 { format!(", window of {}", c.window) } else { String::new() };
        parameters.push(Described {
            key: format!("dram.constraint.{}", c.name),
            value: Shown::whole(c.cycles),
            unit: "DRAM cycles".to_owned(),
            meaning: format!(
                "{} to {} in the same {}, from {}{window}",
                c.before.join("/"),
                c.after.join("/"),
                c.level,
                c.from.replace('_', " ")
            ),
            allowed: String::new(),
            source: c.source.clone(),
        });
    }
    Ok(Description {
        preset: preset.to_owned(),
        title: resolved.title,
        extends: resolved.extends,
        parameters,
        derived: whole.as_ref().map(derived).unwrap_or_default(),
    })
}

/// A core or a described link: values that no machine sets, as they stand; nothing if the preset is neither.
fn describe_part(preset: &str, overrides: &[String]) -> Result<Option<Description>, Error> {
    let folder = load(preset).map(|(place, _)| place.split('/').next().unwrap_or("").to_owned());
    if !folder.is_ok_and(|folder| folder == "cores" || folder == "traffic") {
        return Ok(None);
    }
    if let Some(change) = overrides.first() {
        let message = format!("`{change}`: the values of this part cannot be changed; copy its file");
        return Err(Error::Config { problems: vec![problem("--set (number 1)".into(), "", message)] });
    }
    let part = Part::read(preset)?;
    let parameters = part.rows().into_iter().map(|[key, value, unit, source]| Described {
        key,
        value: Shown::of_text(value),
        unit,
        meaning: String::new(),
        allowed: String::new(),
        source,
    });
    Ok(Some(Description {
        preset: preset.to_owned(),
        title: part.title(),
        extends: Vec::new(),
        parameters: parameters.collect(),
        derived: Vec::new(),
    }))
}

/// A DRAM part with its standard, or a policy; nothing if the preset is neither.
fn describe_memory(files: &Files<'_>, overrides: &[String]) -> Result<Option<Description>, Error> {
    let changes: Vec<(usize, &str, &str)> = overrides
        .iter()
        .enumerate()
        .filter_map(|(n, text)| text.split_once('=').map(|(key, value)| (n, key.trim(), value.trim())))
        .collect();
    let (title, extends, rows, derived) = match files.kind() {
        Some(PresetKind::Memory) => match crate::memory::standard(files) {
            Some((extends, title, rows)) => (title, extends, rows, Vec::new()),
            None => {
                let part = crate::memory::part(files, &changes)?;
                let derived = part.derived();
                (part.title, part.extends, part.rows, derived)
            }
        },
        Some(PresetKind::Policy) => {
            let policy = crate::memory::policy(files, &changes)?;
            (policy.title, policy.extends, policy.rows, Vec::new())
        }
        _ => return Ok(None),
    };
    let described = |[key, value, unit, meaning, source]: [String; 5]| {
        let (value, allowed) = (Shown::of_text(value), String::new());
        Described { key, value, unit, meaning, allowed, source }
    };
    Ok(Some(Description {
        preset: files.preset().to_owned(),
        title,
        extends,
        parameters: rows.into_iter().map(described).collect(),
        derived,
    }))
}

/// A derived quantity.
pub(crate) fn row(name: &str, value: f64, unit: &str, formula: &str) -> Derived {
    Derived { name: name.to_owned(), value, unit: unit.to_owned(), formula: formula.to_owned() }
}

fn derived(c: &Configuration) -> Vec<Derived> {
    let per_cycle = (c.integer("dram.bus_bytes") * c.integer("dram.beats_per_cycle") * 8) as f64;
    let peak_gbps = per_cycle * c.number("dram.clock_mhz") / 1000.0;
    let constraint = |name: &str| c.constraints().iter().find(|r| r.name == name).map_or(0, |r| r.cycles);
    let closed = constraint("tRCD") + c.integer("dram.read_latency_cycles");
    let effective = |bytes: u64| {
        let data = (bytes * 8) as f64 / per_cycle;
        peak_gbps * data / (data + closed as f64)
    };
    let engines = (c.integer("engine.input_engines") + c.integer("engine.output_engines")) as f64;
    vec![
        row("DRAM peak bandwidth", peak_gbps, "Gbit/s", "bus bytes x beats x clock"),
        row("peak packet throughput", peak_gbps / 2.0, "Gbit/s", "each packet is written and read once"),
        row(
            "DRAM bandwidth, 8-byte accesses to closed rows",
            effective(8),
            "Gbit/s",
            "8 B in tRCD + read latency + data",
        ),
        row(
            "DRAM bandwidth, 64-byte accesses to closed rows",
            effective(64),
            "Gbit/s",
            "64 B in tRCD + read latency + data",
        ),
        row("hardware threads", engines * c.integer("engine.threads") as f64, "threads", "engines x threads"),
        row("engine cycles", engines * c.number("engine.clock_mhz"), "Mcycles/s", "engines x clock"),
    ]
}
