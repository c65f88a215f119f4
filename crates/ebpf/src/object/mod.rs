//! An object as clang makes it: code, programs, maps, data, and relocations.
//!
//! CO-RE relocations are not applied: the code contains the offsets that the compiler knew.

mod btf;
mod contents;
mod definition;
mod lines;
mod raw;
mod reader;

pub(crate) use contents::{CodeSection, Reference};
pub use contents::{Object, Program};
pub use definition::{MapDefinition, MapKind, Named, READ_ONLY_FLAG};
pub use lines::SourceLine;

use crate::error::EbpfError;
use reader::Reader;

impl Object {
    /// Reads an object of clang, or raw instructions; messages name it `file`.
    ///
    /// # Errors
    ///
    /// If it is neither, if it is damaged, or if a map or a reference in it is invalid.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self, EbpfError> {
        if !bytes.starts_with(b"\x7fELF") {
            return raw::read(file, bytes);
        }
        Reader::new(file, bytes)?.read()
    }
}
