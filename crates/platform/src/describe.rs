//! `linecard describe`: every parameter of a preset with its source, and what follows from them.

pub(crate) use crate::description::row;
pub use crate::description::{Derived, Described, Description};

use crate::error::Error;
use crate::files::{Files, KeptTexts, PresetKind};
use crate::link::link;
use crate::memory::{MemoryRow, open, policy};
use crate::preset::{load, problem};
use crate::program::core_preset;
use linecard_config::Shown;

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
    let texts = KeptTexts::default();
    let files = Files::read(preset, &texts);
    if let Some(description) = describe_memory(&files, overrides)? {
        return Ok(description);
    }
    // What is wrong with it is said by the reader of chips.
    crate::chip::describe(preset, overrides)
}

/// A core or a described link: values that no machine sets, as they stand; nothing if the preset is neither.
fn describe_part(preset: &str, overrides: &[String]) -> Result<Option<Description>, Error> {
    let folder = load(preset).map(|(place, _)| place.split('/').next().unwrap_or("").to_owned());
    if !["cores", "traffic"].map(Ok).contains(&folder.as_deref()) {
        return Ok(None);
    }
    if let Some(change) = overrides.first() {
        let message = format!("`{change}`: the values of this part cannot be changed; copy its file");
        return Err(Error::Config { problems: vec![problem("--set (number 1)".into(), "", message)] });
    }
    let (title, mut rows) = match folder.as_deref() {
        Ok("cores") => core_preset(preset).map(|read| (read.title, read.rows))?,
        _ => link(preset).map(|read| (read.title, read.rows))?,
    };
    rows.sort_by(|a, b| a.key.cmp(&b.key));
    let parameters = rows.into_iter().map(|row| Described {
        allowed: "as the file has it; a copy of the file may have another".to_owned(),
        ..Described::of_part(row)
    });
    Ok(Some(Description {
        preset: preset.to_owned(),
        title,
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
            let policy = policy(open(files.preset(), overrides, &|_| true))?;
            return Ok(Some(Description {
                preset: files.preset().to_owned(),
                title: policy.title,
                extends: policy.extends,
                parameters: policy.rows.into_iter().map(Described::of_part).collect(),
                derived: Vec::new(),
            }));
        }
        _ => return Ok(None),
    };
    let described = |row: MemoryRow| Described {
        key: row.key,
        value: Shown::of_text(row.value),
        unit: row.unit,
        meaning: row.meaning,
        allowed: row.allowed,
        source: row.source,
        interval: None,
    };
    Ok(Some(Description {
        preset: files.preset().to_owned(),
        title,
        extends,
        parameters: rows.into_iter().map(described).collect(),
        derived,
    }))
}
