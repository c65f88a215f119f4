//! Blocks whose rows are worked out by hand, one for each rule.

mod properties;

use super::place::overlap;
use super::*;
use crate::decode::decode;
use crate::insn::Slot;
use crate::object::CodeSection;
use std::collections::BTreeMap as Map;

/// Opcode, destination, source, offset and immediate.
type Line = (u8, u8, u8, i16, i32);

const EXIT: Line = (0x95, 0, 0, 0, 0);
/// r2 = data, r3 = data_end.
const DATA: Line = (0x61, 2, 1, 0, 0);
const DATA_END: Line = (0x61, 3, 1, 4, 0);

fn code(lines: &[Line]) -> Code {
    let slots =
        lines.iter().map(|&(opcode, dst, src, offset, imm)| Slot { opcode, dst, src, offset, imm }).collect();
    let section = CodeSection { name: String::new(), slots, references: Map::new(), functions: vec![] };
    decode(&[section])
}

fn rows(lines: &[Line], lanes: u32, rules: Rules) -> Rows {
    Rows::new(&code(lines), &[0], lanes, rules)
}

/// No rule but renaming: values get registers of their own.
fn plain() -> Rules {
    Rules {
        zeroing: false,
        bound_checks: false,
        clean_up: false,
        wide_copies: false,
        constant_exits: false,
        path_exits: false,
        three_operands: false,
        renaming: true,
        motion: false,
        side_by_side: false,
        kept_arguments: false,
        exit_alone: false,
    }
}

/// Returns the numbers of rows with four lanes, without and with a rule.
fn with(lines: &[Line], change: impl Fn(&mut Rules)) -> (u32, u32) {
    let (without, mut rules) = (plain(), plain());
    change(&mut rules);
    (rows(lines, 4, without).total, rows(lines, 4, rules).total)
}

fn add(register: u8, imm: i32) -> Line {
    (0x07, register, 0, 0, imm)
}

fn set(register: u8, imm: i32) -> Line {
    (0xb7, register, 0, 0, imm)
}

fn copy(to: u8, from: u8) -> Line {
    (0xbf, to, from, 0, 0)
}

#[test]
fn rows_hold_what_does_not_wait() {
    // r0 = 1 | r2 = 2 | r3 = 3 | r4 = 4;  r5 = 5 | exit, which reads r0
    let lines = [set(0, 1), set(2, 2), set(3, 3), set(4, 4), set(5, 5), EXIT];
    assert_eq!([1, 2, 3, 4, 6].map(|lanes| rows(&lines, lanes, plain()).total), [6, 3, 2, 2, 2]);
    // A chain: a row each, and the exit.
    let lines = [set(0, 1), add(0, 1), add(0, 1), EXIT];
    assert_eq!(rows(&lines, 4, plain()).total, 4);
}

#[test]
fn an_exit_may_stand_alone() {
    // r0 = 1; r2 = 2 | exit, or the exit behind both.
    let lines = [set(0, 1), add(0, 1), set(2, 2), EXIT];
    assert_eq!(with(&lines, |rules| rules.exit_alone = true), (3, 3));
    let lines = [set(0, 1), set(2, 2), add(2, 1), EXIT];
    assert_eq!(with(&lines, |rules| rules.exit_alone = true), (2, 3));
}

#[test]
fn values_that_are_kept_apart_by_name_alone_share_rows() {
    // r2 = 1; r3 = r2;  and again with r2 = 2, r4 = r2. Renamed: two rows. Else: r2 = 1; r3 = r2 | r2 = 2; r4 = r2.
    let lines = [set(2, 1), copy(3, 2), set(2, 2), copy(4, 2), set(0, 1), EXIT];
    let named = Rules { renaming: false, ..plain() };
    assert_eq!((rows(&lines, 4, plain()).total, rows(&lines, 4, named).total), (2, 3));
}

#[test]
fn the_stack_is_clear() {
    // r1 = 0; [r10 - 4] = r1; [r10 - 8] = 5; [r10 - 8] = 0 (stored before: stays): the three stores go to two places.
    let lines =
        [set(1, 0), (0x63, 10, 1, -4, 0), (0x62, 10, 0, -8, 5), (0x62, 10, 0, -8, 0), set(0, 1), EXIT];
    // [-8] = 5 | r1 = 0 | r0 = 1;  [-4] | [-8] | exit. Without the first store still two rows, an instruction less.
    let all = rows(&lines, 4, plain());
    let clear = rows(&lines, 4, Rules { zeroing: true, ..plain() });
    assert_eq!((all.blocks[0].instructions, clear.blocks[0].instructions), (6, 5));
    // A loop comes round again: back: [r10 - 4] = 0; [r10 - 4] = r2; r2 -= 1; if r2 != 0 goto back
    let round = [(0x62, 10, 0, -4, 0), (0x63, 10, 2, -4, 0), add(2, -1), (0x55, 2, 0, -4, 0)];
    let lines = [&[set(2, 9)], &round[..], &[set(0, 1), EXIT]].concat();
    let found = rows(&lines, 4, Rules { zeroing: true, ..plain() });
    assert_eq!(found.blocks[1].instructions, 4);
}

#[test]
fn known_bytes_of_the_packet_need_no_check() {
    // r2 = data | r3 = data_end; r4 = r2 + 14 (two); if r4 > r3 goto out; r0 = 1; out: exit
    for (opcode, dst, src) in [(0x2d, 4, 3), (0x3d, 4, 3), (0xad, 3, 4), (0xbd, 3, 4)] {
        let lines =
            [DATA, DATA_END, copy(4, 2), add(4, 14), set(0, 2), (opcode, dst, src, 1, 0), set(0, 1), EXIT];
        // Four for the check; r0 = 1; exit.
        assert_eq!(with(&lines, |rules| rules.bound_checks = true), (6, 5), "{opcode:#x}");
        // Nothing is left but the exit with its action.
        let rest = Rules { constant_exits: true, clean_up: true, bound_checks: true, ..plain() };
        assert_eq!(rows(&lines, 4, rest).total, 1, "{opcode:#x}");
    }
    // r4 += r5, which is not known: the check stays.
    let lines = [
        DATA,
        DATA_END,
        copy(4, 2),
        (0x71, 5, 2, 0, 0),
        (0x0f, 4, 5, 0, 0),
        (0x2d, 4, 3, 1, 0),
        set(0, 1),
        EXIT,
    ];
    let (without, with) = with(&lines, |rules| rules.bound_checks = true);
    assert_eq!(without, with);
}

#[test]
fn a_check_by_what_was_put_aside_on_the_stack_is_known() {
    // [r10 - 16] = data; r5 = [r10 - 16] + 14; if r5 > data_end goto out
    let lines = [
        DATA,
        DATA_END,
        (0x7b, 10, 2, -16, 0),
        (0x79, 5, 10, -16, 0),
        add(5, 14),
        (0x2d, 5, 3, 1, 0),
        set(4, 1),
        set(0, 1),
        EXIT,
    ];
    let rules = Rules { constant_exits: true, clean_up: true, bound_checks: true, ..plain() };
    // data; store; exit with it: what is left.
    assert_eq!(rows(&lines, 4, rules).total, 2);
}

#[test]
fn what_nobody_reads_goes() {
    // r2 = 1; r2 += 1; r0 = 1; exit: the chain of r2 has no reader.
    let lines = [set(2, 1), add(2, 1), add(2, 1), set(0, 1), EXIT];
    assert_eq!(with(&lines, |rules| rules.clean_up = true), (3, 2));
}

#[test]
fn a_copy_in_pieces_is_one_load_and_one_store() {
    // Six bytes of the packet in three pieces of two: data, three loads, three stores, r0, exit; or one load and one store.
    let piece = |at: i16| [(0x69, 4, 2, at, 0), (0x6b, 2, 4, at + 6, 0)];
    let mut lines = vec![DATA];
    lines.extend([0, 2, 4].into_iter().flat_map(piece));
    lines.extend([set(0, 1), EXIT]);
    let count =
        |lines: &[Line], wide_copies| rows(lines, 4, Rules { wide_copies, ..plain() }).blocks[0].instructions;
    assert_eq!((count(&lines, false), count(&lines, true)), (9, 5));
    // A swap, with both loads first, is not a copy.
    let swap = [
        DATA,
        (0x69, 4, 2, 0, 0),
        (0x69, 5, 2, 6, 0),
        (0x6b, 2, 5, 0, 0),
        (0x6b, 2, 4, 6, 0),
        set(0, 1),
        EXIT,
    ];
    assert_eq!(count(&swap, true), 7);
    // The value of the last piece is needed later, so that piece stays.
    lines.insert(7, copy(0, 4));
    assert_eq!((count(&lines, false), count(&lines, true)), (10, 8));
}

#[test]
fn constant_actions_stand_in_exits() {
    let rules = Rules { constant_exits: true, ..plain() };
    let dropped = rows(&[set(0, 1), EXIT], 4, rules);
    assert_eq!((dropped.total, dropped.blocks[0].exit), (1, Some(ExitAction::Constant)));
    assert_eq!(rows(&[set(0, 1), EXIT], 4, plain()).total, 2);
    // if r1 == 0 goto out; r0 = 1; out: exit. Both ways end with one exit, which asks r0.
    let lines = [set(0, 2), (0x15, 1, 0, 1, 0), set(0, 1), EXIT];
    let found = rows(&lines, 4, rules);
    let charge = |rows, asks| Charge { rows, asks };
    // r0 = 2; if | r0 = 1 | exit
    assert_eq!(found.executed[..4], [charge(1, false), charge(0, false), charge(1, false), charge(1, true)]);
    // Copied for both: r0 = 2; if | exit 1 | exit 2, a row each, and the first way has no other row than that of its exit.
    let found = rows(&lines, 4, Rules { path_exits: true, ..rules });
    assert_eq!(found.total, 3);
    assert_eq!(found.executed[..4], [charge(1, false), charge(0, false), charge(0, false), charge(1, false)]);
    assert!(found.jumped.iter().all(|&more| more == charge(0, false)));
}

#[test]
fn each_way_that_fixes_the_action_has_an_exit_of_it() {
    // r0 = 2; if r1 == 0 goto out; r0 = 1; if r1 == 2 goto out; call time; out: exit
    let lines = [set(0, 2), (0x15, 1, 0, 3, 0), set(0, 1), (0x15, 1, 0, 1, 2), (0x85, 0, 0, 0, 5), EXIT];
    let found = rows(&lines, 4, Rules { path_exits: true, clean_up: true, ..plain() });
    let charge = |rows, asks| Charge { rows, asks };
    // if | if | call; exit asks | exit 2 | exit 1: the constants are in the exits, the call joins what is left of the end.
    assert_eq!(found.total, 6);
    // The end costs one row, as its exits do. The path of the call pays the rest: its own row, and that it asks.
    let none = charge(0, false);
    assert_eq!(
        found.executed[..6],
        [charge(1, false), none, charge(1, false), none, charge(1, true), charge(1, false)]
    );
    assert!(found.jumped.iter().all(|&more| more == none));
    // If a branch falls into the end with an action that is not fixed, all paths ask for it, as before.
    let lines = [set(0, 2), (0x15, 1, 0, 2, 0), (0x85, 0, 0, 0, 5), (0x15, 1, 0, 1, 2), EXIT, EXIT];
    let (without, with) = with(&lines, |rules| rules.path_exits = true);
    assert_eq!(without, with);
}

#[test]
fn a_move_and_what_changes_it_are_one() {
    // r2 = r1; r2 += 4; r0 = r2: three rows, then two, and the exit.
    let lines = [copy(2, 1), add(2, 4), copy(0, 2), EXIT];
    assert_eq!(with(&lines, |rules| rules.three_operands = true), (4, 3));
    // r2 is read in between, or r1 changes: no.
    for between in [copy(3, 2), set(1, 0)] {
        let lines = [copy(2, 1), between, add(2, 4), copy(0, 2), EXIT];
        let (without, with) = with(&lines, |rules| rules.three_operands = true);
        assert_eq!(without, with);
    }
}

#[test]
fn helpers_come_one_a_row_and_keep_their_arguments() {
    // Three times five arguments and a call, which reads three of them, and r0 = 1. All set again:
    // 1 2 3 4 | 5 call 1 2 | 3 4 5 1 | call 2 3 4 | 5 call r0 | exit.  Set once: 1 2 3 4 | 5 call r0 | call | call exit.
    let once = [set(1, 7), set(2, 7), set(3, 7), set(4, 7), set(5, 7), (0x85, 0, 0, 0, 51)];
    let mut lines: Vec<Line> = std::iter::repeat_n(once, 3).flatten().collect();
    lines.extend([set(0, 1), EXIT]);
    assert_eq!(with(&lines, |rules| rules.kept_arguments = true), (6, 4));
    // Four calls without arguments take one row each.
    let lines: Vec<Line> = std::iter::repeat_n((0x85, 0, 0, 0, 5), 4).chain([set(0, 1), EXIT]).collect();
    assert_eq!(rows(&lines, 4, plain()).total, 4);
}

#[test]
fn a_lookup_waits_for_its_key_and_nothing_else_of_memory() {
    // [r10 - 4] = 5 | r2 = r10; r2 += -4; call 1 (r1 = 0 in front); r0 = 1; exit
    let lines =
        [(0x62, 10, 0, -4, 5), copy(2, 10), add(2, -4), set(1, 0), (0x85, 0, 0, 0, 1), set(0, 1), EXIT];
    assert_eq!(rows(&lines, 4, plain()).total, 3);
    // The key comes from the packet by two loads: data; load; store; call and exit.
    let lines = [
        DATA,
        (0x61, 4, 2, 0, 0),
        (0x63, 10, 4, -4, 0),
        copy(2, 10),
        add(2, -4),
        set(1, 0),
        (0x85, 0, 0, 0, 1),
        set(0, 1),
        EXIT,
    ];
    assert_eq!(rows(&lines, 4, plain()).total, 4);
}

#[test]
fn slots_are_filled_from_blocks_that_are_executed_as_often() {
    // if r1 == 0 goto on; r3 = 1; on: r4 = 5; r4 += 1; r0 = r4; exit. r4 = 5 goes into the first row, r4 += 1 needs a second.
    let lines = [(0x15, 1, 0, 1, 0), set(3, 1), set(4, 5), add(4, 1), copy(0, 4), EXIT];
    // if; r3; r4; r4; r0; exit: six rows, five.
    assert_eq!(with(&lines, |rules| rules.motion = true), (6, 5));
    // r4 is changed in between: r4 += 1 in the block that is jumped over.
    let lines = [(0x15, 1, 0, 1, 0), set(5, 1), (0x0f, 4, 5, 0, 0), copy(0, 5), EXIT];
    let (without, with) = with(&lines, |rules| rules.motion = true);
    assert_eq!(without, with);
}

#[test]
fn branches_that_follow_each_other_share_a_row() {
    // if r1 == 1 goto out; if r1 == 2 goto out; r2 = 3 (wanted nowhere else); if r1 == 3 goto out; r0 = 1; out: exit
    let lines =
        [set(0, 2), (0x15, 1, 0, 4, 1), (0x15, 1, 0, 3, 2), set(2, 3), (0x15, 1, 0, 1, 3), set(0, 1), EXIT];
    // r0 | if; if; r2 | if; r0 = 1; exit: five rows. Side by side: r0 | if | if; r2 has no row in front of the branch but its
    // own: r0 | if | if | r2 fits, and the last branch does not: it stays.
    let (without, with) = with(&lines, |rules| rules.side_by_side = true);
    assert_eq!((without, with), (5, 4));
    // What is moved in front of the first branch would be missed at its target: the action.
    let lines = [set(0, 2), (0x15, 1, 0, 2, 1), set(0, 1), (0x15, 1, 0, 0, 2), EXIT];
    let (without, with) = self::with(&lines, |rules| rules.side_by_side = true);
    assert_eq!(without, with);
}

#[test]
fn functions_have_rows_of_their_own_and_return_for_nothing() {
    // call f; exit. f: r0 = 1; exit
    let lines = [(0x85, 0, 1, 0, 1), EXIT, set(0, 1), EXIT];
    let found = rows(&lines, 4, Rules::default());
    // call; exit. r0 = 1; exit
    assert_eq!(found.total, 4);
    assert_eq!(
        found.blocks.iter().map(|block| block.exit).collect::<Vec<_>>(),
        [Some(ExitAction::Register), None]
    );
}

#[test]
fn bytes_overlap_where_they_may() {
    use super::place::{Place, Range};
    let range = |place, from, bytes| Range { place, from, bytes, by: None };
    let packet = range(Place::Packet, Some(0), 4);
    assert!(!overlap(&packet, None, &range(Place::Packet, Some(4), 2), None));
    assert!(overlap(&packet, None, &range(Place::Packet, Some(2), 4), None));
    assert!(overlap(&packet, None, &range(Place::Packet, None, 2), None));
    assert!(!overlap(&packet, None, &range(Place::Stack, None, 2), None));
    assert!(overlap(&packet, None, &range(Place::Anything, None, 2), None));
    // Two pointers to map values may be equal; relative to one register, ranges are apart if their bytes are.
    let value = |from| range(Place::Map, Some(from), 8);
    assert!(overlap(&value(0), None, &value(8), None));
    assert!(!overlap(&value(0), Some((9, 0)), &value(8), Some((9, 8))));
}

#[test]
fn long_programs_are_no_matter() {
    // Thousands of blocks, most of which are on paths around others; then the same with loops.
    for back in [false, true] {
        let pair = |at: i16| [(0x15, 1, 0, if back && at > 8 { -7 } else { 7 }, at.into()), set(2, 1)];
        let mut lines: Vec<Line> = (0..6000).flat_map(pair).collect();
        lines.extend([set(0, 1); 8]);
        lines.push(EXIT);
        assert!(rows(&lines, 4, Rules::default()).total >= 3000);
    }
}
