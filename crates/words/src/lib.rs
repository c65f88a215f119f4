//! Parts of error messages: the found value, the expected value, and the name that was probably meant.
#![forbid(unsafe_code)]

mod about;
mod mismatch;
mod nearest;
mod unknown;

pub use about::About;
pub use mismatch::Mismatch;
pub use nearest::nearest;
pub use unknown::UnknownName;
