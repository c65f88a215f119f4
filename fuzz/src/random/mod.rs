//! Requests drawn by a seed: shipped files changed here and there, and settings at their limits and beyond.
//!
//! A fuzzer changes bytes; these know what a table and a number are, so that most of what they draw gets as far as a run.
//! Every case is bytes for one of the [`TARGETS`](crate::TARGETS), which assert what holds of all results.

mod limits;
mod stages;
mod tables;

use crate::{TARGETS, Target};
use limits::Settings;
use linecard_sim::{Stream, stream};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Draws cases one after another.
pub struct Cases {
    random: Stream,
    settings: Vec<Settings>,
    tables: Vec<tables::Shipped>,
}

/// A request.
pub struct Case {
    /// The target that takes it.
    pub target: &'static Target,
    /// What it takes.
    pub bytes: Vec<u8>,
}

impl Cases {
    /// Cases of a seed.
    ///
    /// # Panics
    /// When a shipped preset cannot be described.
    pub fn new(seed: u64) -> Self {
        Self { random: stream(seed, "campaign"), settings: limits::learn(), tables: tables::shipped() }
    }
}

impl Iterator for Cases {
    type Item = Case;

    fn next(&mut self) -> Option<Case> {
        let (name, bytes) = if self.random.below(3) == 0 {
            let shipped = &self.tables[self.random.below(self.tables.len() as u32) as usize];
            (shipped.target, shipped.changed(&mut self.random))
        } else {
            let settings = &self.settings[self.random.below(self.settings.len() as u32) as usize];
            (settings.target, settings.draw(&mut self.random))
        };
        let target = TARGETS.iter().find(|target| target.name == name).expect("a target of this name");
        Some(Case { target, bytes })
    }
}

/// Chips put together from nothing, one after another.
pub struct Chips(Stream);

impl Chips {
    /// Chips of a seed.
    pub fn new(seed: u64) -> Self {
        Self(stream(seed, "campaign of chips"))
    }
}

impl Iterator for Chips {
    type Item = Case;

    fn next(&mut self) -> Option<Case> {
        let bytes = stages::chip(&mut self.0);
        TARGETS.iter().find(|target| target.name == "chip").map(|target| Case { target, bytes })
    }
}

impl Case {
    /// Gives it to its target; the words of the law that it broke, if it did.
    ///
    /// # Errors
    /// What the target said when it panicked.
    pub fn run(&self) -> Result<(), String> {
        catch_unwind(AssertUnwindSafe(|| (self.target.run)(&self.bytes))).map_err(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without words").to_owned()
        })
    }
}
