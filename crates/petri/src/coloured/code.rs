//! Compiled expressions: operations on a small stack of 64-bit words; real numbers are stored by their bits.

use super::fault::Fault;
use linecard_sim::Stream;
use std::sync::Arc;

/// Deepest stack that an expression may need.
pub(crate) const STACK: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Push(i64),
    Slot(u16),
    Not,
    Equal,
    Less,
    LessEqual,
    Add,
    Subtract,
    Multiply,
    WholeDivide,
    Remainder,
    Negate,
    Least,
    Most,
    /// The number below the top becomes real, and the top.
    ToReal,
    RealEqual,
    RealLess,
    RealLessEqual,
    RealAdd,
    RealSubtract,
    RealMultiply,
    RealDivide,
    RealNegate,
    RealLeast,
    RealMost,
    Ceil,
    Floor,
    Round,
    /// Skip this number of operations if the top of the stack, which is popped, is false.
    Unless(u32),
    /// Skip this number of operations.
    Jump(u32),
    /// A whole number between the two on top.
    Random,
    /// A value of this distribution.
    Pick(u16),
}

/// Values with cumulative probabilities; the last one is 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shares {
    pub values: Vec<i64>,
    pub upto: Vec<f64>,
}

/// A compiled expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Code {
    ops: Arc<[Op]>,
    picks: Arc<[Shares]>,
}

impl Code {
    /// Returns `None` if the code needs too deep a stack.
    pub fn new(ops: Vec<Op>, picks: &[Shares]) -> Option<Self> {
        let deepest = deepest(&ops);
        let used = ops.iter().any(|op| matches!(op, Op::Pick(_)));
        let picks = if used { picks.into() } else { Arc::default() };
        (deepest <= STACK && ops.len() < usize::from(u16::MAX)).then(|| Self { ops: ops.into(), picks })
    }

    pub fn constant(&self) -> Option<i64> {
        match *self.ops {
            [Op::Push(value)] => Some(value),
            _ => None,
        }
    }

    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// Returns whether it draws random numbers.
    pub fn is_random(&self) -> bool {
        self.ops.iter().any(|op| matches!(op, Op::Random | Op::Pick(_)))
    }

    pub fn slots(&self) -> impl Iterator<Item = u16> + '_ {
        self.ops.iter().filter_map(|op| match op {
            Op::Slot(slot) => Some(*slot),
            _ => None,
        })
    }

    /// Returns the same code with other slots.
    pub fn renamed(&self, to: &dyn Fn(u16) -> u16) -> Self {
        let rename = |op: &Op| match *op {
            Op::Slot(slot) => Op::Slot(to(slot)),
            other => other,
        };
        Self { ops: self.ops.iter().map(rename).collect(), picks: self.picks.clone() }
    }

    /// Returns the value under a binding.
    #[inline]
    pub fn run(&self, frame: &[i64], random: &mut Stream) -> Result<i64, Fault> {
        match *self.ops {
            [Op::Push(value)] => Ok(value),
            [Op::Slot(slot)] => Ok(frame[slot as usize]),
            [Op::Slot(slot), Op::Push(value), Op::Less] => Ok(i64::from(frame[slot as usize] < value)),
            [Op::Slot(slot), Op::Push(value), Op::LessEqual] => Ok(i64::from(frame[slot as usize] <= value)),
            [Op::Slot(slot), Op::Push(value), Op::Equal] => Ok(i64::from(frame[slot as usize] == value)),
            _ => self.run_all(frame, random),
        }
    }

    fn run_all(&self, frame: &[i64], random: &mut Stream) -> Result<i64, Fault> {
        let mut stack = [0i64; STACK + 1];
        let mut top = 0;
        let mut at = 0;
        while let Some(&op) = self.ops.get(at) {
            at += 1;
            match op {
                Op::Push(value) => {
                    stack[top] = value;
                    top += 1;
                }
                Op::Slot(slot) => {
                    stack[top] = frame[slot as usize];
                    top += 1;
                }
                Op::Unless(skipped) => {
                    top -= 1;
                    if stack[top] == 0 {
                        at += skipped as usize;
                    }
                }
                Op::Jump(skipped) => at += skipped as usize,
                Op::Pick(number) => {
                    let shares = &self.picks[number as usize];
                    let drawn = random.unit();
                    let place = shares.upto.partition_point(|&upto| upto <= drawn);
                    stack[top] = shares.values[place.min(shares.values.len() - 1)];
                    top += 1;
                }
                Op::Not | Op::Negate | Op::ToReal | Op::RealNegate | Op::Ceil | Op::Floor | Op::Round => {
                    stack[top - 1] = one(op, stack[top - 1])?;
                }
                _ => {
                    top -= 1;
                    stack[top - 1] = two(op, stack[top - 1], stack[top], random)?;
                }
            }
        }
        Ok(stack[0])
    }
}

fn one(op: Op, value: i64) -> Result<i64, Fault> {
    let real = f64::from_bits(value as u64);
    let whole = |real: f64| {
        // The bounds are well within 64 bits; larger values are not numbers of tokens.
        if (-9.2e18..9.2e18).contains(&real) { Ok(real as i64) } else { Err(Fault::Overflow) }
    };
    match op {
        Op::Not => Ok(i64::from(value == 0)),
        Op::Negate => value.checked_neg().ok_or(Fault::Overflow),
        Op::ToReal => Ok((value as f64).to_bits() as i64),
        Op::RealNegate => Ok((-real).to_bits() as i64),
        Op::Ceil => whole(real.ceil()),
        Op::Floor => whole(real.floor()),
        _ => whole(real.round()),
    }
}

#[inline]
fn two(op: Op, left: i64, right: i64, random: &mut Stream) -> Result<i64, Fault> {
    let (a, b) = (f64::from_bits(left as u64), f64::from_bits(right as u64));
    let real = |value: f64| Ok(value.to_bits() as i64);
    match op {
        Op::Equal => Ok(i64::from(left == right)),
        Op::Less => Ok(i64::from(left < right)),
        Op::LessEqual => Ok(i64::from(left <= right)),
        Op::Add => left.checked_add(right).ok_or(Fault::Overflow),
        Op::Subtract => left.checked_sub(right).ok_or(Fault::Overflow),
        Op::Multiply => left.checked_mul(right).ok_or(Fault::Overflow),
        Op::WholeDivide | Op::Remainder if right == 0 => Err(Fault::DivisionByZero),
        // Rounded down, so that the remainder has the sign of the divisor.
        Op::WholeDivide => match left.checked_div(right).ok_or(Fault::Overflow)? {
            down if left % right != 0 && (left < 0) != (right < 0) => Ok(down - 1),
            exact => Ok(exact),
        },
        Op::Remainder => match left.checked_rem(right).ok_or(Fault::Overflow)? {
            rest if rest != 0 && (rest < 0) != (right < 0) => Ok(rest + right),
            rest => Ok(rest),
        },
        Op::Least => Ok(left.min(right)),
        Op::Most => Ok(left.max(right)),
        Op::RealEqual => Ok(i64::from(a == b)),
        Op::RealLess => Ok(i64::from(a < b)),
        Op::RealLessEqual => Ok(i64::from(a <= b)),
        Op::RealAdd => real(a + b),
        Op::RealSubtract => real(a - b),
        Op::RealMultiply => real(a * b),
        Op::RealDivide if b == 0.0 => Err(Fault::DivisionByZero),
        Op::RealDivide => real(a / b),
        Op::RealLeast => real(a.min(b)),
        Op::RealMost => real(a.max(b)),
        _ => {
            let span = right.checked_sub(left).and_then(|span| span.checked_add(1));
            let span = span.and_then(|span| u32::try_from(span).ok()).filter(|&span| span > 0);
            let span = span.ok_or(Fault::EmptyRange)?;
            Ok(left + i64::from(random.below(span)))
        }
    }
}

/// Returns the most words on the stack; both branches of a condition are followed in sequence, which is never
/// too little.
fn deepest(ops: &[Op]) -> usize {
    let (mut now, mut most) = (0usize, 0usize);
    let mut heights = vec![None; ops.len() + 1];
    for (at, op) in ops.iter().enumerate() {
        if let Some(height) = heights[at] {
            now = height;
        }
        match op {
            Op::Push(_) | Op::Slot(_) | Op::Pick(_) => now += 1,
            Op::Not | Op::Negate | Op::ToReal | Op::RealNegate | Op::Ceil | Op::Floor | Op::Round => (),
            // The other branch begins at the depth of this one; where the two meet, the stack is one deeper.
            Op::Unless(skipped) => {
                now -= 1;
                heights[at + 1 + *skipped as usize] = Some(now);
            }
            Op::Jump(skipped) => heights[at + 1 + *skipped as usize] = Some(now),
            _ => now -= 1,
        }
        most = most.max(now);
    }
    most
}
