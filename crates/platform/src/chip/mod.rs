//! Chips from files: reading, assembly, a run, its report, and what can be said of a chip without running it.

mod board;
mod check;
mod cluster;
mod design;
mod executed;
mod limits;
mod listed;
mod native;
mod place;
mod places;
mod port;
mod program;
mod report;
mod run;
mod template;
mod timeline;
mod traffic;
mod units;

pub(crate) use board::{Above, above};
pub use check::{ChipCheck, PlaceCheck, check_chip};
pub use design::{ChipDrawing, DrawnCluster, DrawnLink, DrawnPlace, DrawnPort, DrawnRoute, drawing};
pub(crate) use design::{describe, is_chip, is_program};
pub(crate) use run::run;
pub use template::chip_template;
pub(crate) use traffic::shot_noise_of;
