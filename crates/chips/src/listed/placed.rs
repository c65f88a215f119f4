//! A step of a list, and where it stands.

use linecard_apps::ListedStep;
use linecard_config::Section;

/// A step with where it stands.
#[derive(Clone)]
pub(super) struct Placed<'d> {
    pub section: Section<'d>,
    pub step: ListedStep,
    /// It marks where a program is executed.
    pub runs: bool,
    /// Number of the inbox for whose packets alone it is done.
    pub from: Option<u16>,
}
