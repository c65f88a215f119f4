//! Reads a net from a file.

use super::file;
use super::pnml;
use super::text::text_of;
use super::wrong::one_problem;
use linecard_files::Error;
use linecard_petri::{ColouredNet, Net, PetriError};
use std::ops::ControlFlow;
use std::path::Path;

/// The source of a net.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetSource {
    /// A file, or the name of a shipped net; with a text, its name in errors.
    pub path: String,
    /// The net itself, in TOML.
    pub text: Option<String>,
    /// Parameters that are set: `name=value`; the value is an expression of the other parameters.
    pub set: Vec<String>,
}

/// A net that was read.
#[derive(Clone, Debug)]
pub enum AnyNet {
    /// A place/transition net.
    Plain(Net),
    /// A net with coloured tokens.
    Coloured(ColouredNet),
}

impl AnyNet {
    /// Returns the net as a coloured net, with dots if it has no colours.
    ///
    /// # Errors
    /// If the net has none; nets that were read have one.
    pub fn into_coloured(self) -> Result<ColouredNet, PetriError> {
        match self {
            Self::Plain(net) => ColouredNet::of_plain(&net),
            Self::Coloured(net) => Ok(net),
        }
    }
}

/// Reads a net by the ending of its name: `.pnml` or `.xml`, otherwise TOML.
///
/// # Errors
/// If it cannot be read; every problem of a valid TOML file.
pub fn read_net(source: &NetSource) -> Result<AnyNet, Error> {
    // No progress function stops it.
    read_net_until(source, &mut || ControlFlow::Continue(()))
}

/// Calls `tick` while a net is read, with no progress.
pub(super) fn ask(tick: &dyn Fn(u64, u64) -> bool) -> ControlFlow<()> {
    if tick(0, 0) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// The same; `watch` is called periodically and returns whether to continue, because a small file may describe
/// millions of transitions.
pub(super) fn read_net_until(
    source: &NetSource,
    watch: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<AnyNet, Error> {
    let path = source.path.as_str();
    let ending = Path::new(path).extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    if source.text.is_none() && matches!(ending.as_deref(), Some("pnml" | "xml")) {
        if let Some(set) = source.set.first() {
            return Err(one_problem(
                path,
                format!("found --set {set}, expected none: PNML has no parameters"),
            ));
        }
        return pnml::read(path, &text_of(path)?, watch).map(AnyNet::Plain);
    }
    let text = match &source.text {
        Some(text) => text.clone(),
        None => text_of(path)?,
    };
    file::net(path, text, &source.set, |net| if_plain(net, watch))
}

/// Returns a net without colours and expressions as a place/transition net.
fn if_plain(net: ColouredNet, watch: &mut dyn FnMut() -> ControlFlow<()>) -> Result<AnyNet, PetriError> {
    if net.is_plain() { Ok(AnyNet::Plain(net.unfold_until(watch)?.net)) } else { Ok(AnyNet::Coloured(net)) }
}
