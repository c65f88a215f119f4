//! The parts that all front ends share: presets by name, packets of captures and link profiles, files that are
//! written whole, and problems of requests.
#![forbid(unsafe_code)]

pub mod bounded;
mod description;
mod error;
mod input;
mod link;
mod plain;
pub mod preset;
mod whole_file;

pub use description::{Derived, Described, Description};
pub use error::{ConfigProblem, Error, problem};
pub use input::{InputError, PacketInput};
pub use link::{DescribedLink, Link, link};
pub use plain::plain;
pub use whole_file::{Spool, WholeFile};
