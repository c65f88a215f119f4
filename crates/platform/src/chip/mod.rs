//! Chips from files: reading, assembly, a run, its report, and what can be said of a chip without running it.

mod bind;
mod check;
mod cluster;
mod description;
mod design;
mod drawing;
mod executed;
mod hierarchy;
mod kind;
mod limits;
mod listed;
mod native;
mod place;
mod places;
mod port;
mod program;
mod reading;
mod report;
mod run;
mod runs;
mod shot_noise;
mod template;
mod timeline;
mod traffic;
mod trial;
mod units;
mod vrp;

pub use check::{ChipCheck, PlaceCheck, check_chip};
pub(crate) use description::describe;
pub use drawing::{ChipDrawing, DrawnCluster, DrawnLink, DrawnPlace, DrawnPort, DrawnRoute, drawing};
pub use hierarchy::{HierarchyReport, HierarchyRequest, hierarchy};
pub(crate) use kind::{is_chip, is_program};
pub(crate) use run::run;
pub(crate) use shot_noise::shot_noise_of;
pub use template::chip_template;
