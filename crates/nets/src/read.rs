//! From a file to a net.

use super::file;
use super::pnml;
use super::text::text_of;
use super::wrong::one_problem;
use linecard_files::Error;
use linecard_petri::{ColouredNet, Net, PetriError};
use std::ops::ControlFlow;
use std::path::Path;

/// Where a net comes from.
#[derive(Clone, Debug, Default)]
pub struct NetSource {
    /// File, or the name of a shipped net; with a text, what stands for it in errors.
    pub path: String,
    /// The net itself in TOML.
    pub text: Option<String>,
    /// Parameters that are set: `name=value`, the value an expression of the others.
    pub set: Vec<String>,
}

/// A net that was read.
#[derive(Clone, Debug)]
pub enum AnyNet {
    /// Places and transitions.
    Plain(Net),
    /// Tokens with colours.
    Coloured(ColouredNet),
}

impl AnyNet {
    /// Name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Plain(net) => &net.name,
            Self::Coloured(net) => &net.name,
        }
    }

    /// As a net of tokens, dots where there are no colours.
    ///
    /// # Errors
    /// When the net has none; nets that were read have one.
    pub fn into_coloured(self) -> Result<ColouredNet, PetriError> {
        match self {
            Self::Plain(net) => ColouredNet::of_plain(&net),
            Self::Coloured(net) => Ok(net),
        }
    }
}

/// Reads a net by the ending of its name: `.pnml` or `.xml`, else TOML.
///
/// # Errors
/// When it cannot be read; every problem of a TOML file that has the right shape.
pub fn read_net(source: &NetSource) -> Result<AnyNet, Error> {
    // No progress function stops it.
    read_net_until(source, &mut || ControlFlow::Continue(()))
}

/// What `tick` says while a net is read: nothing is done yet.
pub(super) fn ask(tick: &dyn Fn(u64, u64) -> bool) -> ControlFlow<()> {
    if tick(0, 0) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// The same; `watch` is asked now and then whether to go on, for a small file may stand for millions of transitions.
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

/// A net without colours and expressions is one of places and transitions.
fn if_plain(net: ColouredNet, watch: &mut dyn FnMut() -> ControlFlow<()>) -> Result<AnyNet, PetriError> {
    if net.is_plain() { Ok(AnyNet::Plain(net.unfold_until(watch)?.net)) } else { Ok(AnyNet::Coloured(net)) }
}
