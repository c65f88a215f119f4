//! The rules of the scheduler.

/// The steps of the scheduler; all except `path_exits` and `exit_alone` are on in [`Rules::default`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Removes stores of 0 to stack that has not been written before.
    pub zeroing: bool,
    /// Removes comparisons of a known byte of the packet with its end.
    pub bound_checks: bool,
    /// Removes results that are never read, and joins blocks with a single path between them.
    pub clean_up: bool,
    /// Replaces a copy of 2, 4 or 6 bytes in pieces by one load and one store.
    pub wide_copies: bool,
    /// Joins a constant action and the following exit to one instruction.
    pub constant_exits: bool,
    /// Copies the end of the program for each path with a constant action, as an exit that contains it.
    pub path_exits: bool,
    /// Joins a move and the following arithmetic to one instruction.
    pub three_operands: bool,
    /// Renames registers: only true dependences order instructions.
    pub renaming: bool,
    /// Fills free slots from later blocks that execute equally often.
    pub motion: bool,
    /// Puts consecutive branches in one row.
    pub side_by_side: bool,
    /// Helpers keep r1 to r5, so that an argument is set once for several calls.
    pub kept_arguments: bool,
    /// An exit has a separate row, behind all others of its block.
    pub exit_alone: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            zeroing: true,
            bound_checks: true,
            clean_up: true,
            wide_copies: true,
            constant_exits: true,
            path_exits: false,
            three_operands: true,
            renaming: true,
            motion: true,
            side_by_side: true,
            kept_arguments: true,
            exit_alone: false,
        }
    }
}
