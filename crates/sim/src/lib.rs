//! The kernel of every model: integer time, an agenda of wake-ups, seeded random streams, statistics, and tests
//! for steady state.
//!
//! It knows neither packets nor memories.
#![forbid(unsafe_code)]

mod agenda;
mod branches;
mod random;
mod ring;
mod statistics;
mod steady;
mod time;

pub use agenda::Agenda;
pub use branches::Branches;
pub use random::{Stream, stream};
pub use ring::Ring;
pub use statistics::Histogram;
pub use steady::{Interval, batch_means, grows, mser, ratio_of_batches};
pub use time::{Clock, END, Ticks, Timebase, TimebaseError};
