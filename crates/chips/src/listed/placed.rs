//! A step of a list, and its location.

use linecard_apps::ListedStep;
use linecard_config::Section;

/// A step with its location.
#[derive(Clone)]
pub(super) struct Placed<'d> {
    pub section: Section<'d>,
    pub step: ListedStep,
    /// Whether it marks where a program is executed.
    pub runs: bool,
    /// Number of the only inbox whose packets execute it.
    pub from: Option<u16>,
}
