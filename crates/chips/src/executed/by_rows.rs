//! Cycles of operations by the rows of engines with lanes, which are scheduled before the program runs.

use super::costs::{EbpfCosts, RowCosts};
use super::operations::Cycles;
use linecard_ebpf::{Charge, Code, Kind, Op, Rows, Rules};

/// Returns the cycles of each operation by rows. A helper's first cycle is its row.
pub(super) fn by_rows(
    code: &Code,
    starts: &[u32],
    ops: &[Op],
    costs: &EbpfCosts,
    rows: RowCosts,
) -> Vec<Cycles> {
    let RowCosts { kept_arguments, path_exits, exit_alone, .. } = rows;
    let rules = Rules { kept_arguments, path_exits, exit_alone, ..Rules::default() };
    let found = Rows::new(code, starts, rows.lanes, rules);
    let cycles = |charge: &Charge| charge.rows + if charge.asks { rows.register_exit } else { 0 };
    let helper = |op: &Op| match op.kind {
        Kind::Helper => costs.helper(op.imm as u32).saturating_sub(1),
        _ => 0,
    };
    let both = found.executed.iter().zip(&found.jumped).zip(ops);
    both.map(|((executed, jumped), op)| Cycles {
        own: cycles(executed) + helper(op),
        taken: cycles(jumped) + costs.cycles.taken_cycles,
        taken_upper: 0,
    })
    .collect()
}
