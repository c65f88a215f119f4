//! Raw instructions: a file of eight bytes each and nothing else, without maps.

use super::contents::{CodeSection, Object, Program};
use crate::error::EbpfError;
use crate::insn::{SLOT_BYTES, Slot};
use linecard_words::Mismatch;
use std::collections::BTreeMap;
use std::path::Path;

/// The only section and program of such a file.
const NAME: &str = "raw";

pub(super) fn read(file: &str, bytes: &[u8]) -> Result<Object, EbpfError> {
    if bytes.is_empty() || !bytes.len().is_multiple_of(SLOT_BYTES) {
        return Err(EbpfError::Object(Mismatch::new(
            file,
            format!("{} bytes without an ELF header", bytes.len()),
            "an object file for eBPF (clang -target bpfel -O2 -g -c), or raw instructions of 8 bytes each",
        )));
    }
    let slots = Slot::all(bytes);
    let name =
        Path::new(file).file_stem().map_or_else(|| NAME.to_owned(), |stem| stem.to_string_lossy().into());
    let program = Program {
        name: name.clone(),
        section: NAME.to_owned(),
        slots: slots.len() as u32,
        section_number: 0,
        first: 0,
    };
    let functions = vec![(0, slots.len() as u32, name)];
    let section = CodeSection { name: NAME.to_owned(), slots, references: BTreeMap::new(), functions };
    Ok(Object {
        file: file.to_owned(),
        programs: vec![program],
        maps: Vec::new(),
        code: vec![section],
        lines: None,
    })
}
