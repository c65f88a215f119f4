//! Describes parts, standards and policies by their parameters and derived values.

use super::device::{is_standard, part, standard};
use super::kind::{MemoryKind, kind, open};
use super::policy::policy;
use linecard_files::{Described, Description, Error};

/// Describes a DRAM part with its standard, a standard alone, or a policy; `None` if the preset is none of them.
///
/// # Errors
/// All configuration problems at once.
pub fn describe(preset: &str, overrides: &[String]) -> Result<Option<Description>, Error> {
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
