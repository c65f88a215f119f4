//! The kernel every model stands on: integer time, an agenda of wake-ups, seeded random streams, statistics.
//!
//! Nothing here knows of packets or memories.
#![forbid(unsafe_code)]

mod agenda;
mod random;
mod statistics;
mod time;

pub use agenda::{Agenda, MOST_SOURCES};
pub use random::{Stream, stream};
pub use statistics::{Histogram, StateClock};
pub use time::{Clock, Ticks, Timebase, TimebaseError};
