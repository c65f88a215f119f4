//! `linecard describe`: every parameter of a preset with its source, and derived values.

use linecard_chips::{is_chip, is_program};
use linecard_config::{Declared, declarations};
use linecard_executed::core_preset;
use linecard_files::preset::load;
use linecard_files::{Described, Description, Error, link, problem};

/// Describes a preset with changes.
///
/// # Errors
/// All configuration problems at once.
pub fn describe(preset: &str, overrides: &[String]) -> Result<Description, Error> {
    if is_chip(preset) || is_program(preset) {
        return linecard_chips::describe(preset, overrides);
    }
    if let Some(description) = describe_part(preset, overrides)? {
        return Ok(description);
    }
    if let Some(description) = linecard_drams::describe(preset, overrides)? {
        return Ok(description);
    }
    if let Some(description) = linecard_queues::describe(preset, overrides)? {
        return Ok(description);
    }
    // The reader of chips reports the errors of any other preset.
    linecard_chips::describe(preset, overrides)
}

/// Returns every key that the reader of a preset reads, whether the preset has it or not, as the reader declares it.
///
/// # Errors
/// All configuration problems at once.
pub fn declared(preset: &str, overrides: &[String]) -> Result<Vec<Declared>, Error> {
    let (described, keys) = declarations(|| describe(preset, overrides));
    described.map(|_| keys)
}

/// Describes a core or a described link, whose values stay as they are; `None` if the preset is neither.
fn describe_part(preset: &str, overrides: &[String]) -> Result<Option<Description>, Error> {
    let folder = load(preset).map(|(place, _)| place.split('/').next().unwrap_or("").to_owned());
    if !["cores", "traffic"].map(Ok).contains(&folder.as_deref()) {
        return Ok(None);
    }
    if let Some(change) = overrides.first() {
        let message = format!(
            "`{change}`: the values of a core or a link profile cannot be overridden; edit a copy of its file"
        );
        return Err(Error::Config { problems: vec![problem("--set (number 1)".into(), "", message)] });
    }
    let (title, mut rows) = match folder.as_deref() {
        Ok("cores") => core_preset(preset).map(|read| (read.title, read.rows))?,
        _ => link(preset).map(|read| (read.title, read.rows))?,
    };
    rows.sort_by(|a, b| a.key.cmp(&b.key));
    let parameters = rows.into_iter().map(|row| Described {
        allowed: "the value in the file; to change the value, edit a copy of the file".to_owned(),
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
