//! The one reader of sourced TOML: every value has a unit in its key and a source. It knows no machine.
//!
//! ```toml
//! title = "Flow processor"
//! extends = ["platforms/base"]      # read first; tables merge deeply, later values win, an array replaces
//! source = "illustrative"           # of every value of this file without another one
//!
//! [clock]
//! source = "Hasan 2003, section 5.3"
//! engines_mhz = "0.2 GHz"           # the key's suffix is the unit; text with a unit is converted
//!
//! [cluster.input]
//! engines = 4
//! threads = { value = 4, source = "Hasan 2003, section 5.1" }
//!
//! [cluster.output]
//! extends = "input"                 # inherits the keys that it does not set
//! engines = 2
//! ```
//!
//! | question | answer |
//! |---|---|
//! | read a file with its bases and `--set` | [`Request`] |
//! | the same, with a table that extends another file | [`Under`] |
//! | typed values of a table, with range and meaning | [`Section`] |
//! | numbers whose unit the reader declares, or the file selects | [`InUnit`], [`Either`] |
//! | declarations of keys by their readers | [`declarations`] |
//! | the values read, or all problems | [`Document::finish`] |
//!
//! A file that is no preset, and whose keys all belong to its reader, is read as `plain`.
#![forbid(unsafe_code)]

mod chain;
mod components;
mod declaration;
mod declared;
mod document;
mod either;
mod finish;
mod order;
mod overrides;
mod parse;
mod place;
mod problem;
mod request;
mod rows;
mod section;
mod shown;
mod take;
mod tree;
mod under;
mod understood;
mod units;

pub use chain::{Finder, beside};
pub use declaration::{Allowed, Declared, declarations};
pub use declared::InUnit;
pub use document::Document;
pub use either::Either;
pub use problem::{Problem, Row, nearest};
pub use request::Request;
pub use section::Section;
pub use shown::Shown;
pub use under::Under;
