//! An object as clang makes it: code, programs, maps, data, and what refers to what.
//!
//! CO-RE relocations are not applied: the offsets that the compiler knew stand in the code.

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
    /// Reads an object of clang, or raw instructions; `file` stands for it in messages.
    ///
    /// # Errors
    /// When it is neither, when it is damaged, or when a map or a reference in it cannot be understood.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self, EbpfError> {
        if !bytes.starts_with(b"\x7fELF") {
            return raw::read(file, bytes);
        }
        Reader::new(file, bytes)?.read()
    }
}
