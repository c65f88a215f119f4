//! The engines that execute the operations of a queue cache, and the token that assigns requests to them.
//!
//! The token moves to the next engine every clock; the engine takes a request if it is idle (section 5.6). With
//! [`Token::Rotating`] a busy engine lets its clock pass, so the busier the engines, the less often requests
//! start.

use crate::fabric::Fabric;
use crate::settings::{Settings, Token};
use linecard_sim::Ticks;

/// Busy engines and the position of the token.
#[derive(Debug)]
pub(super) struct Engines {
    /// One bit per engine.
    idle: Vec<u64>,
    count: u32,
    at_work: u32,
    clock: Ticks,
    token: Token,
    /// The first clock that no engine has used.
    next_clock: u64,
    /// The clock and the engine for which the token was scheduled last.
    turn: (u64, u32),
}

impl Engines {
    pub fn new(settings: &Settings, fabric: &Fabric) -> Self {
        let count = settings.engines;
        let mut idle = vec![u64::MAX; count.div_ceil(64) as usize];
        if !count.is_multiple_of(64) {
            idle[count as usize / 64] = (1 << (count % 64)) - 1;
        }
        Self {
            idle,
            count,
            at_work: 0,
            clock: fabric.timebase.ticks_from_ps(settings.clock_ps),
            token: settings.token,
            next_clock: 0,
            turn: (0, 0),
        }
    }

    /// Returns when the token is next at an idle engine, and which; not before the present.
    fn next_turn(&self, now: Ticks) -> Option<(u64, u32)> {
        if self.at_work == self.count {
            return None;
        }
        let clock = now.div_ceil(self.clock).max(self.next_clock);
        let first = (clock % u64::from(self.count)) as u32;
        let engine = self.idle_from(first)?;
        let wait = match self.token {
            Token::Rotating if engine < first => engine + self.count - first,
            Token::Rotating => engine - first,
            Token::Idle => 0,
        };
        Some((clock + u64::from(wait), engine))
    }

    /// Returns the first idle engine from `first` on, cyclically.
    fn idle_from(&self, first: u32) -> Option<u32> {
        let words = self.idle.len();
        let (start, offset) = (first as usize / 64, first % 64);
        let ahead = self.idle[start] >> offset << offset;
        if ahead != 0 {
            return Some(start as u32 * 64 + ahead.trailing_zeros());
        }
        (1..=words).map(|step| (start + step) % words).find_map(|word| {
            let bits = self.idle[word];
            (bits != 0).then(|| word as u32 * 64 + bits.trailing_zeros())
        })
    }

    /// Schedules the token for the next idle engine, or cancels it.
    pub fn wait(&mut self, fabric: &mut Fabric) {
        match self.next_turn(fabric.now) {
            Some(turn) => {
                self.turn = turn;
                fabric.wake_token(turn.0 * self.clock);
            }
            None => fabric.forget_token(),
        }
    }

    /// The engine for which the token was scheduled becomes busy.
    pub fn take(&mut self, fabric: &mut Fabric) -> u32 {
        let (clock, engine) = self.turn;
        debug_assert_eq!(self.next_turn(fabric.now), Some(self.turn));
        self.next_clock = clock + 1;
        self.at_work += 1;
        fabric.engines_at_work(self.at_work);
        self.idle[engine as usize / 64] &= !(1 << (engine % 64));
        fabric.counts.taken += 1;
        engine
    }

    /// An engine is idle again.
    pub fn release(&mut self, fabric: &mut Fabric, engine: u32) {
        self.at_work -= 1;
        fabric.engines_at_work(self.at_work);
        self.idle[engine as usize / 64] |= 1 << (engine % 64);
    }
}
