//! Rules for the costs of eBPF operations by their operands: `[cluster.NAME.ebpf.rule.NAME]`.
//!
//! For some operands, a compiler generates fewer instructions than for others. A rule names operations and conditions
//! on their operands; the first rule that fits replaces the cost of the class.

use linecard_config::Section;
use linecard_ebpf::{Kind, Op};

pub(super) const MOST_CYCLES: u64 = 100_000;

/// Declares names, each with its bit.
macro_rules! names {
    ($table:ident: $($constant:ident = $name:literal at $bit:literal;)*) => {
        $(pub const $constant: u32 = 1 << $bit;)*
        pub const $table: &[(&str, u32)] = &[$(($name, $constant),)*];
    };
}

/// Operations of rules.
pub(super) mod of {
    names! { NAMES:
        OPERAND = "operand" at 0;
        ADD64 = "add64" at 1;
        AND64 = "and64" at 2;
        OR64 = "or64" at 3;
        ARSH64 = "arsh64" at 4;
        ALU32 = "alu32" at 5;
        ARSH32 = "arsh32" at 6;
        MOVE_CONSTANT = "move_constant" at 7;
        CONSTANT64 = "constant64" at 8;
        JEQ64 = "jeq64" at 9;
        JNE64 = "jne64" at 10;
        JSET64 = "jset64" at 11;
        JGT64 = "jgt64" at 12;
        JGE64 = "jge64" at 13;
        STACK_LOAD = "stack_load" at 14;
        STACK_STORE = "stack_store" at 15;
        PACKET_READ = "packet_read" at 16;
        PACKET_LOAD = "packet_load" at 17;
        PACKET_STORE = "packet_store" at 18;
        MAP_LOAD = "map_load" at 19;
        ATOMIC = "atomic" at 20;
        MAP_LOOKUP = "map_lookup" at 21;
    }
}

/// Conditions on operands.
pub(super) mod when {
    names! { NAMES:
        ZERO = "zero" at 0;
        BYTE = "byte" at 1;
        NEGATIVE_BYTE = "negative_byte" at 2;
        POSITIVE = "positive" at 3;
        NEGATIVE = "negative" at 4;
        ONE_MOVE = "one_move" at 5;
        HALF_MOVE = "half_move" at 6;
        REGISTER = "register" at 7;
        BY_32 = "by_32" at 8;
        UPPER_DEAD = "upper_dead" at 9;
        NARROW = "narrow" at 10;
        EIGHT = "eight" at 11;
        CROSSES = "crosses" at 12;
        OFFSET = "offset" at 13;
        OVER_32 = "over_32" at 14;
        ABOVE_32 = "above_32" at 15;
        SMALL_ARRAY = "small_array" at 16;
        KEY_LOWEST = "key_lowest" at 17;
    }
}

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    of: u32,
    when: u32,
    /// Cycles of the operation with its operand.
    pub cycles: u32,
    /// Additional cycles if it jumps; `None` if they equal those of other operands.
    pub taken: Option<u32>,
    /// Further cycles if it jumps because of the upper halves alone.
    pub taken_upper: u32,
}

/// The rules of a cluster, in the order of its file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules(Vec<Rule>);

impl Rules {
    /// Reads `[cluster.NAME.ebpf.rule.NAME]`.
    pub(super) fn read(section: &Section<'_>) -> Self {
        let rule = |row: &Section<'_>| {
            let bits = |names: Vec<u32>| names.into_iter().fold(0, |all, bit| all | bit);
            let of = bits(row.choices("of", of::NAMES, "operations to which the rule applies"));
            let when = bits(row.choices(
                "when",
                when::NAMES,
                "conditions that the operands must meet; if the list is empty, the rule always applies",
            ));
            if of == 0 {
                row.fail("of", "the list is empty; expected operations, such as [\"or64\"]");
            }
            let cycles = row.integer(
                "cycles",
                0..=MOST_CYCLES,
                "cycles of the operation, including the cycles of its operand; they replace the cycles of the \
                 operation's class",
            ) as u32;
            let meaning = "additional cycles for a taken jump; if left out, the key taken_cycles of \
                           [cluster.NAME.ebpf] applies";
            let taken = row.integer_if("taken_cycles", 0..=MOST_CYCLES, meaning).map(|cycles| cycles as u32);
            let meaning = "additional cycles for a jump on inequality or on a set bit, if the lower words of \
                           the operands do not decide the outcome";
            let taken_upper = row.integer_or("taken_upper_cycles", 0, 0..=MOST_CYCLES, meaning) as u32;
            Rule { of, when, cycles, taken, taken_upper }
        };
        Self(section.sections("rule").iter().map(rule).collect())
    }

    /// Returns the first rule for an operation with these conditions on its operands.
    pub(super) fn find(&self, of: u32, holds: u32) -> Option<&Rule> {
        self.0.iter().find(|rule| rule.of & of != 0 && rule.when & holds == rule.when)
    }

    /// Returns the cycles of that rule.
    pub(super) fn cycles(&self, of: u32, holds: u32) -> Option<u32> {
        self.find(of, holds).map(|rule| rule.cycles)
    }
}

/// Returns the name of an operation in rules, if its kind alone determines it; otherwise 0.
pub(super) fn operation(op: &Op) -> u32 {
    use Kind as K;
    match op.kind {
        K::AddI | K::SubI => of::ADD64,
        K::AndI => of::AND64,
        K::OrI | K::XorI => of::OR64,
        K::ArshI => of::ARSH64,
        K::ArshWI => of::ARSH32,
        K::AddWI | K::AddWR | K::SubWI | K::SubWR | K::OrWI | K::OrWR | K::AndWI | K::AndWR => of::ALU32,
        K::XorWI | K::XorWR | K::LshWI | K::RshWI | K::NegW => of::ALU32,
        K::MovI | K::MovWI => of::MOVE_CONSTANT,
        K::JeqI | K::JeqR => of::JEQ64,
        K::JneI | K::JneR => of::JNE64,
        K::JsetI | K::JsetR => of::JSET64,
        K::JgtI | K::JleI | K::JsgtI | K::JsleI => of::JGT64,
        K::JgeI | K::JltI | K::JsgeI | K::JsltI => of::JGE64,
        _ => 0,
    }
}

/// Returns the conditions that hold for a constant of 32 bits that represents 64 bits.
pub(super) fn constant(value: i64) -> u32 {
    let flag = |holds: bool, bit: u32| if holds { bit } else { 0 };
    flag(value == 0, when::ZERO)
        | flag((0..=255).contains(&value), when::BYTE)
        | flag((-255..0).contains(&value), when::NEGATIVE_BYTE)
        | flag(value >= 0, when::POSITIVE)
        | flag(value < 0, when::NEGATIVE)
        | flag(value == 32, when::BY_32)
        | flag(moves(value as u32), when::ONE_MOVE)
}

/// Returns the conditions that hold for a constant of 64 bits: its halves are moved one by one, and an equal half is
/// moved from the other.
pub(super) fn constant64(value: i64) -> u32 {
    let (low, high) = (value as u32, (value as u64 >> 32) as u32);
    match (moves(low), low == high || moves(high)) {
        (true, true) => when::ONE_MOVE,
        (false, false) => 0,
        _ => when::HALF_MOVE,
    }
}

/// Returns whether one instruction creates a word: 16 bits of it at a byte boundary, and all other bits equal.
fn moves(word: u32) -> bool {
    let fits = |word: u32| [0xffffu32, 0x00ff_ff00, 0xffff_0000].iter().any(|bits| word & !bits == 0);
    fits(word) || fits(!word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_one_move_where_sixteen_bits_of_it_differ_from_the_rest() {
        for word in [0, 0xffff, 0x00ff_ff00, 0x2000_0000, 0xffff_f000, 0xff80_0000, u32::MAX] {
            assert!(moves(word), "{word:#x}");
        }
        for word in [0x2c1b_3c6d, 0x0001_0001, 0x0f00_00e2] {
            assert!(!moves(word), "{word:#x}");
        }
        assert_eq!(constant64(0xffff_f000), when::ONE_MOVE);
        assert_eq!(constant64(0x2c1b_3c6d), when::HALF_MOVE);
        assert_eq!(constant64(0x2c1b_3c6d_2c1b_3c6d), when::HALF_MOVE);
        assert_eq!(constant64(0x2c1b_3c6d_297a_2d39), 0);
    }

    #[test]
    fn the_first_rule_that_fits_holds() {
        let rule = |of, when, cycles| Rule { of, when, cycles, taken: None, taken_upper: 0 };
        let rules = Rules(vec![rule(of::OR64, when::BYTE, 1), rule(of::OR64 | of::AND64, when::POSITIVE, 3)]);
        assert_eq!(rules.cycles(of::OR64, constant(7)), Some(1));
        assert_eq!(rules.cycles(of::OR64, constant(700)), Some(3));
        assert_eq!(rules.cycles(of::AND64, constant(7)), Some(3));
        assert_eq!(rules.cycles(of::OR64, constant(-7)), None);
        assert_eq!(rules.cycles(of::ADD64, constant(7)), None);
    }
}
