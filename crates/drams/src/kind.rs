//! The files of memories: how they are read, and the kind of each.

use linecard_config::{Document, Request};
use linecard_files::preset::find;

/// The kind of a preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryKind {
    /// A DRAM part, or a standard that parts extend.
    Part,
    /// A policy of a memory controller.
    Policy,
}

/// Opens a preset with the changes whose keys it `takes`.
pub fn open(preset: &str, overrides: &[String], takes: &dyn Fn(&str) -> bool) -> Document {
    let request = Request::of(preset, &find);
    Request { overrides, takes, named_rows: &["constraint"], ..request }.read()
}

/// Returns the kind of a preset, from the content of its files; `None` if it is neither, or cannot be read.
pub(crate) fn kind(document: &Document) -> Option<MemoryKind> {
    let root = document.root();
    let keys = root.keys();
    let has = |key: &str| keys.iter().any(|each| each == key) && !root.is_set(key);
    if has("policy") {
        Some(MemoryKind::Policy)
    } else if ["organization", "timing", "constraint", "refresh"].into_iter().any(has) {
        Some(MemoryKind::Part)
    } else {
        None
    }
}
