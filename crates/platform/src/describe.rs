//! `linecard describe`: every parameter of a preset with its source, and what follows from them.

pub(crate) use crate::description::row;
pub use crate::description::{Derived, Described, Description};

use crate::error::Error;
use crate::link::link;
use crate::memory::{MemoryKind, is_standard, kind, open, part, policy, standard};
use crate::preset::{load, problem};
use crate::program::core_preset;
use crate::queue_managers::describe_machine;
use linecard_config::{Declared, declarations};

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
    if let Some(description) = describe_memory(preset, overrides)? {
        return Ok(description);
    }
    if let Some(description) = describe_machine(preset, overrides)? {
        return Ok(description);
    }
    // What is wrong with it is said by the reader of chips.
    crate::chip::describe(preset, overrides)
}

/// Every key that the reader of a preset asks for, whether the preset has it or not, as the reader declares it.
///
/// # Errors
/// All configuration problems at once.
pub fn declared(preset: &str, overrides: &[String]) -> Result<Vec<Declared>, Error> {
    let (described, keys) = declarations(|| describe(preset, overrides));
    described.map(|_| keys)
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
        allowed: "the value of the file; a copy of the file may have another".to_owned(),
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

/// A DRAM part with its standard, a standard alone, or a policy; nothing if the preset is none of them.
fn describe_memory(preset: &str, overrides: &[String]) -> Result<Option<Description>, Error> {
    let document = open(preset, overrides, &|_| true);
    let (title, extends, rows, derived) = match kind(&document) {
        Some(MemoryKind::Part) if is_standard(&document) => {
            let standard = standard(document)?;
            (standard.title, standard.extends, standard.rows, Vec::new())
        }
        Some(MemoryKind::Part) => {
            let part = part(preset, document)?;
            let derived = part.derived();
            (part.title, part.extends, part.rows, derived)
        }
        Some(MemoryKind::Policy) => {
            let policy = policy(document)?;
            (policy.title, policy.extends, policy.rows, Vec::new())
        }
        None => return Ok(None),
    };
    Ok(Some(Description {
        preset: preset.to_owned(),
        title,
        extends,
        parameters: rows.into_iter().map(Described::of_part).collect(),
        derived,
    }))
}
