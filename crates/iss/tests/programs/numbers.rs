//! Arithmetic for which the processor has no instructions, and atomic operations, in both widths, compared with this
//! machine's.

use super::kit::{Program, folder};
use linecard_sim::{Stream, stream};

const ROUNDS: u32 = 4000;

/// Returns the results of the operations of `programs/tests/numbers.c` that keep no state, in their order.
fn expected(operation: u32, a: u64, b: u64) -> u64 {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    let (short, other) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
    match operation {
        0 => (x + y).to_bits(),
        1 => (x - y).to_bits(),
        2 => (x * y).to_bits(),
        3 => (x / y).to_bits(),
        4 => u64::from(x < y),
        5 => x as i64 as u64,
        6 => (a as i64 as f64).to_bits(),
        7 => u64::from((short + other).to_bits()),
        8 => u64::from((short * other).to_bits()),
        9 => u64::from((short / other).to_bits()),
        10 => a / b,
        11 => a % b,
        12 => (a as i64).wrapping_div(b as i64) as u64,
        13 => (a as i64).wrapping_rem(b as i64) as u64,
        _ => a >> (b & 63),
    }
}

/// Draws the bits of a number; for floating point, numbers of all sizes, subnormal ones, infinities and NaNs.
fn number(draw: &mut Stream, operation: u32) -> u64 {
    let bits = draw.bits();
    match operation {
        // Beyond 2^62, no integer represents the number.
        5 => (f64::from_bits(bits) % 4e18).to_bits(),
        0..=4 | 7..=9 if draw.below(8) == 0 => {
            [0, 1, 1 << 63, 0x7ff0 << 48, 0x7f80_0000, 0x8000_0001, 0x000f << 48][draw.below(7) as usize]
        }
        0..=4 if draw.below(2) == 0 => f64::from(draw.below(1000)).to_bits(),
        10.. if draw.below(2) == 0 => bits >> draw.below(64) | 1,
        _ => bits,
    }
}

fn calculate(program: &mut Program, operation: u32, a: u64, b: u64) -> u64 {
    let packet = [u64::from(operation), a, b].map(u64::to_le_bytes).concat();
    assert_eq!(program.packet(&packet), 1);
    u64::from_le_bytes(program.left()[8..16].try_into().expect("eight bytes"))
}

fn of_both_widths() -> [(Program, u64); 2] {
    let load = |name: &str| Program::from_file(&folder().join("tests").join(name), b"");
    [(load("numbers.elf"), u32::MAX.into()), (load("numbers64.elf"), u64::MAX)]
}

#[test]
fn arithmetic_in_software_is_exact() {
    for (mut program, _) in of_both_widths() {
        let mut draw = stream(1, "numbers");
        for round in 0..ROUNDS {
            let operation = round % 15;
            let (a, b) = (number(&mut draw, operation), number(&mut draw, operation));
            if matches!(operation, 10..=13) && b == 0 || operation == 5 && f64::from_bits(a).is_nan() {
                continue;
            }
            let (found, expected) = (calculate(&mut program, operation, a, b), expected(operation, a, b));
            let nan = match operation {
                0..=3 => f64::from_bits(found).is_nan() && f64::from_bits(expected).is_nan(),
                7..=9 => f32::from_bits(found as u32).is_nan() && f32::from_bits(expected as u32).is_nan(),
                _ => false,
            };
            // If a quotient is subnormal, the compiler's function may round the other way.
            let rounded = match operation {
                3 => f64::from_bits(expected).is_subnormal() && found.abs_diff(expected) <= 1,
                9 => f32::from_bits(expected as u32).is_subnormal() && found.abs_diff(expected) <= 1,
                _ => false,
            };
            assert!(
                found == expected || nan || rounded,
                "{operation} of {a:#x}, {b:#x}: {found:#x}, {expected:#x}"
            );
        }
    }
}

#[test]
fn marked_state_counts_as_data() {
    for (program, _) in of_both_widths() {
        let layout = program.machine.layout();
        let word = program.machine.image().symbol("word").expect("an object");
        assert!((layout.data_low..layout.heap_low).contains(&word), "{layout:x?}");
    }
}

#[test]
fn atomic_operations_return_what_was_there() {
    for (mut program, mask) in of_both_widths() {
        let mut draw = stream(2, "atomics");
        let (mut word, mut long) = (0u32, 0u64);
        for round in 0..ROUNDS {
            let operation = 15 + round % 5;
            // Often the operand equals the stored word, so that comparisons succeed.
            let a = if draw.below(2) == 0 { word.into() } else { draw.bits() };
            let b = draw.bits();
            let found = calculate(&mut program, operation, a, b);
            let (before, long_before) = (word, long);
            match operation {
                15 => word = word.wrapping_add(a as u32),
                16 => word |= a as u32,
                17 => word = a as u32,
                18 if word == a as u32 => word = b as u32,
                19 => long = long.wrapping_add(a) & mask,
                _ => {}
            }
            let returned = match operation {
                18 => u64::from(before == a as u32),
                19 => long_before,
                _ => before.into(),
            };
            assert_eq!(found, returned, "round {round}, operation {operation}");
            assert_eq!(program.object("word", 4), word.to_le_bytes());
        }
    }
}
