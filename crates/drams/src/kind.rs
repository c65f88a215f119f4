//! The files of memories: how they are read, and which of them is what.

use linecard_config::{Document, Request};
use linecard_files::preset::find;

/// What a preset is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryKind {
    /// A DRAM part, or a standard that parts extend.
    Part,
    /// A policy of a memory controller.
    Policy,
}

/// Opens a preset with those changes whose keys it `takes`.
pub fn open(preset: &str, overrides: &[String], takes: &dyn Fn(&str) -> bool) -> Document {
    let request = Request::of(preset, &find);
    Request { overrides, takes, named_rows: &["constraint"], ..request }.read()
}

/// What a preset is for, by what its files hold; nothing if it is neither, or cannot be read.
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
