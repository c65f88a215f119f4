//! The texts of nets.

use super::wrong::one_problem;
use linecard_config::nearest;
use linecard_files::preset::{shipped_net, shipped_nets};
use linecard_files::{Error, bounded};
use std::io::ErrorKind;

/// Returns the text of a file, or of a shipped net.
pub(super) fn text_of(path: &str) -> Result<String, Error> {
    match bounded::read_text(path, bounded::MOST_INPUT_BYTES) {
        Ok(text) => Ok(text),
        Err(error) => match shipped(path) {
            Some(text) => Ok(text.to_owned()),
            None if error.kind() == ErrorKind::NotFound && !path.contains(['/', '.']) => {
                let near = nearest(path, shipped_nets());
                let known = shipped_nets().collect::<Vec<_>>().join(", ");
                Err(one_problem(
                    path,
                    format!("found neither a file nor a shipped net ({known}) of this name{near}"),
                ))
            }
            None => Err(one_problem(path, format!("cannot read: {error}"))),
        },
    }
}

/// Returns a shipped net by its name, with or without the ending.
pub(super) fn shipped(path: &str) -> Option<&'static str> {
    shipped_net(path.strip_suffix(".toml").unwrap_or(path))
}
