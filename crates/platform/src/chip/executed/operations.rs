//! What eBPF operations are before they are executed: what they do, what they cost, and which loads of the packet are one access.

use super::costs::EbpfCosts;
use linecard_ebpf::{Kind, Op};

/// Number of the frame register, whose stores cannot go to the packet.
const FRAME: u8 = 10;
/// Regions of addresses that stand for maps.
const HANDLES: u64 = 0xfff << 52;

/// What an operation is to the listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// Its cycles, and nothing else.
    Computes,
    Loads,
    Stores,
    /// An atomic operation; whether its result is wanted.
    Atomic {
        result: bool,
    },
    /// A helper; its accesses follow.
    Calls,
}

pub(super) fn does(op: &Op) -> Does {
    use Kind as K;
    match op.kind {
        K::Ld1 | K::Ld2 | K::Ld4 | K::Ld8 | K::Lds1 | K::Lds2 | K::Lds4 => Does::Loads,
        K::St1 | K::St2 | K::St4 | K::St8 | K::Stx1 | K::Stx2 | K::Stx4 | K::Stx8 => Does::Stores,
        // Bit 0 of the operation asks for the old value.
        K::Atomic4 | K::Atomic8 => Does::Atomic { result: op.imm & 1 == 1 },
        K::Helper => Does::Calls,
        _ => Does::Computes,
    }
}

/// Whether the second operand is a constant: operations come in pairs, constant first.
fn by_constant(kind: Kind) -> bool {
    let rows = [
        (Kind::AddI, Kind::SmodR),
        (Kind::AddWI, Kind::SmodWR),
        (Kind::JeqI, Kind::JsleR),
        (Kind::JeqWI, Kind::JsleWR),
    ];
    let in_row = |&(first, last): &(Kind, Kind)| {
        let kind = kind as u8;
        (first as u8..=last as u8).contains(&kind) && (kind - first as u8).is_multiple_of(2)
    };
    rows.iter().any(in_row)
}

/// Cycles of an operation that do not depend on where it goes.
pub(super) fn cycles(op: &Op, costs: &EbpfCosts) -> u32 {
    use Kind as K;
    let c = &costs.cycles;
    let constant = by_constant(op.kind);
    let of_constant = match op.imm {
        0..=255 => 0,
        -65_536..=65_535 => c.constant16_cycles,
        _ => c.constant32_cycles,
    };
    let operand = if constant { of_constant } else { 0 };
    match op.kind {
        K::MulI | K::MulR | K::MulWI | K::MulWR => c.multiply_cycles + operand,
        K::DivI | K::DivR | K::SdivI | K::SdivR | K::ModI | K::ModR | K::SmodI | K::SmodR => {
            c.divide_cycles + operand
        }
        K::DivWI | K::DivWR | K::SdivWI | K::SdivWR | K::ModWI | K::ModWR | K::SmodWI | K::SmodWR => {
            c.divide_cycles + operand
        }
        K::LshI | K::RshI | K::ArshI | K::LshWI | K::RshWI | K::ArshWI => c.shift_cycles,
        K::LshR | K::RshR | K::ArshR | K::LshWR | K::RshWR | K::ArshWR => c.shift_register_cycles,
        K::MovI | K::MovWI => match op.imm {
            -65_536..=65_535 => c.move_constant_cycles,
            _ => c.move_wide_cycles,
        },
        K::MovR | K::MovS8 | K::MovS16 | K::MovS32 => c.move_cycles,
        K::MovWR | K::MovSW8 | K::MovSW16 => c.move32_cycles,
        K::Const if op.imm as u64 & HANDLES == HANDLES => c.map_handle_cycles,
        K::Const => c.constant64_cycles,
        K::Le16 | K::Le32 => c.alu_cycles,
        K::Le64 => 0,
        K::Be16 | K::Swap16 => c.swap16_cycles,
        K::Be32 | K::Swap32 => c.swap32_cycles,
        K::Be64 | K::Swap64 => c.swap64_cycles,
        K::Ja => c.jump_cycles,
        K::JeqI | K::JneI if op.imm == 0 => c.jump_zero_cycles,
        K::JeqI | K::JneI | K::JeqR | K::JneR => c.jump_equal_cycles + operand,
        K::JeqWI | K::JneWI | K::JeqWR | K::JneWR => c.jump32_equal_cycles + operand,
        kind if (K::JeqWI as u8..=K::JsleWR as u8).contains(&(kind as u8)) => c.jump32_order_cycles + operand,
        _ if op.jumps() => c.jump_order_cycles + operand,
        K::Call => c.call_cycles,
        K::Exit => c.exit_cycles,
        K::Helper => costs.helper(op.imm as u32),
        K::Guarded | K::Illegal | K::End => 0,
        _ if does(op) != Does::Computes => 0,
        kind if (K::AddWI as u8..=K::NegW as u8).contains(&(kind as u8)) => c.alu32_cycles + operand,
        _ => c.alu_cycles + operand,
    }
}

/// For each load the bytes that it brings along if it is one of the packet, and how many of them lie in front of its own;
/// (0, 0) where an earlier load brings them.
///
/// Loads by the same register, at distances that are known, with no store (but to the stack), no call, no label and no
/// change of the register between them, are one access while they fit into `most` bytes.
pub(super) fn merge(ops: &[Op], most: u32) -> Vec<(u8, u8)> {
    let bytes = |op: &Op| match op.kind {
        Kind::Ld1 | Kind::Lds1 => 1,
        Kind::Ld2 | Kind::Lds2 => 2,
        Kind::Ld4 | Kind::Lds4 => 4,
        Kind::Ld8 => 8,
        _ => 0,
    };
    let mut merged: Vec<(u8, u8)> = ops.iter().map(|op| (bytes(op) as u8, 0)).collect();
    if most == 0 {
        return merged;
    }
    let mut labels = vec![false; ops.len() + 1];
    for op in ops.iter().filter(|op| op.jumps() || matches!(op.kind, Kind::Ja | Kind::Call)) {
        if let Some(label) = labels.get_mut(op.to as usize) {
            *label = true;
        }
    }
    /// Loads by one register: the first of them, and the bytes from its own offset that they cover.
    struct Group {
        register: u8,
        leader: usize,
        from: i64,
        behind: i64,
    }
    let mut groups: Vec<Group> = Vec::new();
    for (index, op) in ops.iter().enumerate() {
        if labels[index] {
            groups.clear();
        }
        match does(op) {
            Does::Loads => {
                let (from, behind) = (i64::from(op.to), i64::from(op.to) + bytes(op));
                let group = groups.iter_mut().find(|group| group.register == op.src);
                match group {
                    Some(group) if group.behind.max(behind) - group.from.min(from) <= i64::from(most) => {
                        (group.from, group.behind) = (group.from.min(from), group.behind.max(behind));
                        merged[index] = (0, 0);
                        let ahead = i64::from(ops[group.leader].to) - group.from;
                        merged[group.leader] = ((group.behind - group.from) as u8, ahead as u8);
                    }
                    _ => {
                        groups.retain(|group| group.register != op.src);
                        groups.push(Group { register: op.src, leader: index, from, behind });
                    }
                }
            }
            Does::Stores | Does::Atomic { .. } if op.dst != FRAME => groups.clear(),
            Does::Calls => groups.clear(),
            _ if matches!(op.kind, Kind::Ja | Kind::Call | Kind::Exit) => groups.clear(),
            _ => {}
        }
        let written = op.writes();
        groups.retain(|group| written >> group.register & 1 == 0);
    }
    merged
}
