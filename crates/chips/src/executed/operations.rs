//! Facts about eBPF operations before execution: their kinds, their costs, and which loads of the packet are one
//! access.

use super::costs::EbpfCosts;
use super::rules::{constant, constant64, of, operation, when};
use linecard_ebpf::{Kind, MAP_LOOKUP, Op};

/// Number of the frame register; stores through it cannot access the packet.
pub(super) const FRAME: u8 = 10;
/// Returns whether it looks up an element of a map.
pub(super) fn is_lookup(op: &Op) -> bool {
    op.kind == Kind::Helper && op.imm == i64::from(MAP_LOOKUP)
}

/// Returns whether it is the address of a map.
fn is_handle(op: &Op) -> bool {
    op.kind == Kind::Const && linecard_ebpf::handled(op.imm as u64).is_some()
}

/// The kind of an operation for the listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// It takes cycles only.
    Computes,
    Loads,
    Stores,
    /// An atomic operation, and whether its result is used.
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
        // Bit 0 of the operation requests the old value.
        K::Atomic4 | K::Atomic8 => Does::Atomic { result: op.imm & 1 == 1 },
        K::Helper => Does::Calls,
        _ => Does::Computes,
    }
}

/// Returns whether the second operand is a constant: operations come in pairs, constant first.
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

/// Returns the conditions that hold for an operation's constant, if it has one.
pub(super) fn of_constant(op: &Op) -> u32 {
    match op.kind {
        Kind::Const => constant64(op.imm),
        Kind::St1 | Kind::St2 | Kind::St4 | Kind::St8 => constant(op.imm),
        kind if by_constant(kind) => constant(op.imm),
        _ => when::REGISTER,
    }
}

/// Cycles of an operation that do not depend on the accessed region.
pub(super) struct Cycles {
    pub own: u32,
    /// Additional cycles if it jumps.
    pub taken: u32,
    /// Further cycles if it jumps because of the upper halves alone.
    pub taken_upper: u32,
}

/// Returns the cycles of an operation; `holds` are the conditions that hold for its operands.
pub(super) fn cycles(op: &Op, holds: u32, costs: &EbpfCosts) -> Cycles {
    let of = match op.kind {
        Kind::Helper if is_lookup(op) => of::MAP_LOOKUP,
        Kind::Const if !is_handle(op) => of::CONSTANT64,
        _ => operation(op),
    };
    let taken = costs.cycles.taken_cycles;
    match costs.rules.find(of, holds) {
        Some(rule) => {
            let taken = rule.taken.unwrap_or(taken);
            Cycles { own: rule.cycles, taken, taken_upper: rule.taken_upper }
        }
        None => Cycles { own: of_class(op, holds, costs), taken, taken_upper: 0 },
    }
}

/// Returns the cycles of its class, for operations without a rule.
fn of_class(op: &Op, holds: u32, costs: &EbpfCosts) -> u32 {
    use Kind as K;
    let c = &costs.cycles;
    let of_constant = match op.imm {
        0..=255 => 0,
        _ => costs.rules.cycles(of::OPERAND, holds).unwrap_or(match op.imm {
            -65_536..=65_535 => c.constant16_cycles,
            _ => c.constant32_cycles,
        }),
    };
    let operand = if by_constant(op.kind) { of_constant } else { 0 };
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
        K::Const if is_handle(op) => c.map_handle_cycles,
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

/// Returns the bytes of a load or a store.
pub(super) fn bytes(op: &Op) -> i64 {
    use Kind as K;
    match op.kind {
        K::Ld1 | K::Lds1 | K::St1 | K::Stx1 => 1,
        K::Ld2 | K::Lds2 | K::St2 | K::Stx2 => 2,
        K::Ld4 | K::Lds4 | K::St4 | K::Stx4 => 4,
        K::Ld8 | K::St8 | K::Stx8 => 8,
        _ => 0,
    }
}

/// The part of an access that a load of the packet is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    /// Bytes that it fetches, and how many of them precede its own; 0 if an earlier load fetches them.
    pub span: u8,
    pub ahead: u8,
    /// Offset of its own bytes within the access.
    pub within: u8,
}

/// Returns the part of an access that each load is, if it is a load of the packet.
///
/// Loads through the same register at known distances are one access if they fit into `most` bytes. Between them
/// there must be no load through another register, no store (except to the stack), no call, no label and no change of
/// the register.
pub(super) fn merge(ops: &[Op], most: u32) -> Vec<Part> {
    let alone =
        |op: &Op| Part { span: if does(op) == Does::Loads { bytes(op) as u8 } else { 0 }, ..Part::default() };
    let mut parts: Vec<Part> = ops.iter().map(alone).collect();
    if most == 0 {
        return parts;
    }
    let mut labels = vec![false; ops.len() + 1];
    for op in ops.iter().filter(|op| op.jumps() || matches!(op.kind, Kind::Ja | Kind::Call)) {
        if let Some(label) = labels.get_mut(op.to as usize) {
            *label = true;
        }
    }
    /// Loads through one register, and the range of bytes that they cover, relative to the register.
    struct Group {
        register: u8,
        loads: Vec<usize>,
        from: i64,
        behind: i64,
    }
    let mut close = |group: Option<Group>| {
        let Some(Group { loads, from, behind, .. }) = group else { return };
        for (number, &load) in loads.iter().enumerate() {
            let within = (i64::from(ops[load].to) - from) as u8;
            parts[load] = match number {
                0 => Part { span: (behind - from) as u8, ahead: within, within },
                _ => Part { span: 0, ahead: 0, within },
            };
        }
    };
    let mut group: Option<Group> = None;
    for (index, op) in ops.iter().enumerate() {
        if labels[index] {
            close(group.take());
        }
        match does(op) {
            Does::Loads => {
                let (from, behind) = (i64::from(op.to), i64::from(op.to) + bytes(op));
                let fits = |group: &&mut Group| {
                    group.register == op.src
                        && group.behind.max(behind) - group.from.min(from) <= i64::from(most)
                };
                match group.as_mut().filter(fits) {
                    Some(group) => {
                        (group.from, group.behind) = (group.from.min(from), group.behind.max(behind));
                        group.loads.push(index);
                    }
                    None => {
                        close(group.take());
                        group = Some(Group { register: op.src, loads: vec![index], from, behind });
                    }
                }
            }
            Does::Stores | Does::Atomic { .. } if op.dst != FRAME => close(group.take()),
            Does::Calls => close(group.take()),
            _ if matches!(op.kind, Kind::Ja | Kind::Call | Kind::Exit) => close(group.take()),
            _ => {}
        }
        let written = op.writes();
        if group.as_ref().is_some_and(|group| written >> group.register & 1 == 1) {
            close(group.take());
        }
    }
    close(group);
    parts
}
