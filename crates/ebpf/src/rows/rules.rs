//! What the scheduler may do.

/// What the scheduler does; all but `path_exits` and `exit_alone` are on in [`Rules::default`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Leaves out stores of 0 to stack that nothing was stored to before.
    pub zeroing: bool,
    /// Leaves out comparisons of a known byte of the packet with its end.
    pub bound_checks: bool,
    /// Leaves out what nobody reads, and joins blocks that follow each other alone.
    pub clean_up: bool,
    /// Makes one load and one store of a copy of 2, 4 or 6 bytes in pieces.
    pub wide_copies: bool,
    /// Makes one instruction of a constant action and the exit behind it.
    pub constant_exits: bool,
    /// Copies the end of the program for each way that fixes the action, as an exit that holds it.
    pub path_exits: bool,
    /// Makes one instruction of a move and the arithmetic behind it.
    pub three_operands: bool,
    /// Gives every value a register of its own: only values that are read order instructions.
    pub renaming: bool,
    /// Fills free slots from later blocks that are executed as often.
    pub motion: bool,
    /// Puts branches that follow each other into one row.
    pub side_by_side: bool,
    /// Helpers leave r1 to r5 as they are, so that the same argument is set once for several.
    pub kept_arguments: bool,
    /// An exit has a row of its own, behind all others of its block.
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
