//! Ranges of memory, and whether two accesses may overlap.

use crate::memory::STACK_BYTES;

/// The location of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Packet,
    Stack,
    Context,
    Map,
    Anything,
}

/// Bytes of memory: from a known offset of their place, or anywhere in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub place: Place,
    pub from: Option<i64>,
    pub bytes: i64,
    /// The register that holds their address, and the offset from it.
    pub by: Option<(u8, i64)>,
}

impl Range {
    /// Returns a range at an unknown offset of a place.
    pub fn of(place: Place) -> Self {
        Self { place, from: None, bytes: 0, by: None }
    }
}

/// Returns whether two accesses may touch the same bytes.
pub(super) fn overlap(a: &Range, a_root: Option<(u32, i64)>, b: &Range, b_root: Option<(u32, i64)>) -> bool {
    let apart = |a_from: i64, b_from: i64| a_from + a.bytes <= b_from || b_from + b.bytes <= a_from;
    if a.place != Place::Anything && b.place != Place::Anything {
        if a.place != b.place {
            return false;
        }
        // A map has many values, and offsets in each begin at 0.
        if let (Some(a_from), Some(b_from), true) = (a.from, b.from, a.place != Place::Map) {
            return !apart(a_from, b_from);
        }
    }
    match (a_root, b_root) {
        (Some((a_root, a_from)), Some((b_root, b_from))) if a_root == b_root => !apart(a_from, b_from),
        _ => true,
    }
}

/// Returns whether an offset from the end of the stack's frame is in it.
pub(super) fn on_stack(from: i64, bytes: i64) -> bool {
    from >= -(STACK_BYTES as i64) && from + bytes <= 0
}
