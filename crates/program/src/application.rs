//! A packet program as a machine sees it.

use crate::Ctx;
use std::future::Future;
use std::pin::Pin;

/// A program of one hardware thread. It loops for ever; the machine drops it at the end of the run.
pub type Program = Pin<Box<dyn Future<Output = ()>>>;

/// An application: what input threads and output threads run.
pub trait Application {
    /// The name in tables.
    fn name(&self) -> &'static str;

    /// Locks that the programs use, numbered from 0.
    fn locks(&self) -> u32;

    /// The program of an input thread.
    fn input(&self, ctx: Ctx) -> Program;

    /// The program of an output thread.
    fn output(&self, ctx: Ctx) -> Program;

    /// Forget the counters (the end of warm-up).
    fn restart_counters(&self);

    /// Counters of the application itself, as (metric, unit, value): table hits, rules matched, …
    fn counters(&self) -> Vec<(&'static str, &'static str, f64)>;
}
