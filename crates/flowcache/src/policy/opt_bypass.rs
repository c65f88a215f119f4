//! OPT_BYPASS: as OPT, but a digest that is needed later than every entry is not inserted. No policy misses
//! less.
//! Source: Belady, IBM Systems Journal 5 (1966), with bypass.

use super::foresight::Foresight;
use super::opt::Opt;
use super::build::Build;
use super::info::{Cost, Info};
use crate::cache::Replay;

pub(super) const INFO: Info = Info {
    name: "OPT_BYPASS",
    aliases: &["BELADYBYPASS"],
    parameter: None,
    cost: Cost::Oracle,
    least_sets: 1,
};

/// Trace worked out by hand is beside that of OPT.
pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.boxed(Opt::new(build.geometry, Foresight::new(build.future()), true))
}
