//! The state of a program on a chip: one for all kinds of clusters that execute it.

use super::locks::Locks;
use std::cell::RefCell;
use std::rc::Rc;

/// A machine with its memory, and the locks that packets take.
pub(super) struct State<M> {
    pub machine: M,
    pub locks: Locks,
}

/// A state that the clusters share.
pub(super) type Common<M> = Rc<RefCell<State<M>>>;

impl<M> State<M> {
    /// Returns the state before the first packet; the first locks belong to the steps around the program.
    pub fn common(machine: M, locks_around: u32) -> Common<M> {
        Rc::new(RefCell::new(Self { machine, locks: Locks::behind(locks_around) }))
    }
}
