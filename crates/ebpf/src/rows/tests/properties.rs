//! Properties of the rows of any program.

use super::super::table::Table;
use super::*;
use crate::code::Op;
use proptest::prelude::*;

fn line() -> impl Strategy<Value = Line> {
    let register = || 0..10u8;
    prop_oneof![
        (register(), -9..9i32).prop_map(|(to, imm)| set(to, imm)),
        (register(), 0..10u8).prop_map(|(to, from)| copy(to, from)),
        (register(), -9..9i32).prop_map(|(to, imm)| add(to, imm)),
        (register(), 0..10u8).prop_map(|(to, from)| (0x0f, to, from, 0, 0)),
        (register(), 0..11u8, 0..4i16).prop_map(|(to, from, at)| (0x79, to, from, -8 * at, 0)),
        (0..11u8, register(), 0..4i16).prop_map(|(to, from, at)| (0x7b, to, from, -8 * at, 0)),
        Just((0x85, 0, 0, 0, 1)),
        Just((0x85, 0, 0, 0, 5)),
    ]
}

/// Jumps forward over a few lines, among others.
fn program() -> impl Strategy<Value = Vec<Line>> {
    let jump = (0..10u8, 0..4i16, 0..3i32).prop_map(|(register, over, imm)| (0x15, register, 0, over, imm));
    proptest::collection::vec(prop_oneof![5 => line(), 1 => jump], 1..40).prop_map(|mut lines| {
        let count = lines.len() as i16;
        for (at, line) in (0..).zip(&mut lines) {
            if line.0 == 0x15 {
                line.3 = line.3.min(count - 1 - at);
            }
        }
        lines.push(EXIT);
        lines
    })
}

/// Returns whether an operation must follow another one of its block, by a look at registers and memory
/// as they are written: 2 for a later row, 1 for the same or a later one.
fn distance(lines: &[Line], from: usize, to: usize) -> u32 {
    let ops: Vec<Op> = code(lines).ops().to_vec();
    let reads = |op: Op| if op.kind == crate::Kind::Helper { crate::executor::reads(op) } else { op.reads() };
    let writes = |op: Op| if op.kind == crate::Kind::Helper { 1 } else { op.writes() };
    let fresh = ops[from + 1..to].iter().fold(writes(ops[from]), |left, op| left & !writes(*op));
    let value = reads(ops[to]) & fresh != 0;
    let calls = ops[from].kind == crate::Kind::Helper && ops[to].kind == crate::Kind::Helper;
    let load = |op: Op| op.kind == crate::Kind::Ld8;
    let store = |op: Op| op.kind == crate::Kind::Stx8;
    let base = |op: Op| if load(op) { op.src } else { op.dst };
    // Bytes by the same base, which does not change in between.
    let changed = ops[from..to].iter().any(|op| writes(*op) >> base(ops[from]) & 1 == 1);
    let same = base(ops[from]) == base(ops[to]) && !changed && ops[from].to == ops[to].to;
    let memory = same && store(ops[from]) && (store(ops[to]) || load(ops[to]));
    if value || calls || memory { 2 } else { u32::from(same && load(ops[from]) && store(ops[to])) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_never_more_with_more_lanes(lines in program()) {
        let found: Vec<u32> = (1..=MOST_LANES).map(|lanes| rows(&lines, lanes, Rules::default()).total).collect();
        prop_assert!(found.windows(2).all(|pair| pair[1] <= pair[0]), "{:?}", found);
    }

    #[test]
    fn what_depends_on_a_row_stands_behind_it(lines in proptest::collection::vec(line(), 1..30), lanes in 1..8u32) {
        let graph = {
            let mut graph = Graph::new(&code(&[&lines[..], &[EXIT]].concat()), &[0]);
            values::follow(&mut graph);
            graph
        };
        let mut table = Table::new(lanes, plain());
        let placed: Vec<u32> = graph.blocks[0].insts.iter().map(|inst| table.put(inst)).collect();
        for to in 0..lines.len() {
            for from in 0..to {
                let needed = distance(&lines, from, to);
                prop_assert!(needed < 1 || placed[to] + 1 >= placed[from] + needed, "{} {}: {:?}", from, to, placed);
            }
        }
        let most = (0..=placed.iter().copied().max().unwrap_or(0)).map(|row| placed.iter().filter(|&&at| at == row).count());
        prop_assert!(most.max().unwrap_or(0) <= lanes as usize);
    }

    #[test]
    fn every_way_through_costs_the_rows_of_its_blocks(lines in program(), ways in any::<u64>(), path_exits in any::<bool>()) {
        // Without rules that join blocks, a block's rows are those of its own operations.
        let code = code(&lines);
        let rules = Rules { constant_exits: true, path_exits, ..plain() };
        let found = Rows::new(&code, &[0], 4, rules);
        let alone = Rows::new(&code, &[0], 4, plain());
        let (mut at, mut paid, mut without, mut ways) = (0u32, 0, 0, ways);
        let mut asks = false;
        loop {
            let op = code.original(at);
            let charge = found.executed[at as usize];
            (paid, without, asks) =
                (paid + charge.rows, without + alone.executed[at as usize].rows, asks | charge.asks);
            if op.kind == crate::Kind::Exit {
                break;
            }
            let taken = op.jumps() && ways & 1 == 1;
            if op.jumps() {
                ways >>= 1;
            }
            if taken {
                paid += found.jumped[at as usize].rows;
                asks |= found.jumped[at as usize].asks;
            }
            at = if taken { op.to as u32 } else { at + 1 };
        }
        // Tails and actions in exits can only save rows.
        prop_assert!(paid >= 1 && paid <= without, "{} {}", paid, without);
        prop_assert!(asks || found.blocks.iter().any(|block| block.exit == Some(ExitAction::Constant)));
    }
}
