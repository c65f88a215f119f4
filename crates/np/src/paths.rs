//! Transfers between components, one instruction at a time: issue, pull, service, push, return.
//!
//! A thread issues an instruction; the unit that serves it first pulls the data from where they are (registers, receive
//! buffer), then serves it, then pushes the data to where they go (registers, transmit buffer), and the thread is told.
//! DRAM is a server: an access costs a fixed time and its bytes at the rate of the bus; the second half of a move of 64
//! bytes finds its row open and costs its bytes only. Source of the shape: Spalink 2000, section 2.1; of the parts, the
//! preset. Accesses are served in the order in which their data are there, not in that of their issue.

use crate::config::PathsConfig;
use linecard_program::Path;
use linecard_sim::{Ticks, Timebase};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What waits for an instant: when, in which order it was put there, whose it is.
type Waiting<T> = BinaryHeap<Reverse<(Ticks, u64, T)>>;

/// A transfer on its way to its unit: thread, service and push.
type Arriving = (u32, Ticks, Ticks);

pub(crate) struct Paths {
    issue: Ticks,
    back: Ticks,
    /// For each path the pull before and the push after the service.
    around: [(Ticks, Ticks); Path::ALL.len()],
    fifo_service: Ticks,
    dram_access: Ticks,
    /// Ticks of 2^16 bytes, so that a byte's share is not rounded away.
    dram_64k: u128,
    dram_free: Ticks,
    arriving: Waiting<Arriving>,
    returning: Waiting<u32>,
    sequence: u64,
    /// Time for which the DRAM moved data, and for which accesses kept it from that.
    pub dram_data: Ticks,
    pub dram_overhead: Ticks,
    pub dram_accesses: u64,
    pub dram_row_hits: u64,
}

/// What the DRAM did for transfers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathCounts {
    /// Time for which data moved.
    pub data: Ticks,
    /// Time that accesses cost beside.
    pub overhead: Ticks,
    /// Accesses.
    pub accesses: u64,
    /// Of those, the ones that continued the one before in an open row.
    pub row_hits: u64,
}

impl Paths {
    pub fn new(config: &PathsConfig, timebase: &Timebase, threads: usize) -> Self {
        let ticks = |ps| timebase.ticks_from_ps(ps);
        let (pull_engine, push_engine) = (ticks(config.pull_engine_ps), ticks(config.push_engine_ps));
        let (pull_fifo, push_fifo) = (ticks(config.pull_fifo_ps), ticks(config.push_fifo_ps));
        let around = Path::ALL.map(|path| match path {
            Path::FifoToDram => (pull_fifo, 0),
            Path::DramToFifo => (0, push_fifo),
            Path::FifoToEngine | Path::DramToEngine => (0, push_engine),
            Path::EngineToFifo | Path::EngineToDram => (pull_engine, 0),
        });
        Self {
            issue: ticks(config.issue_ps),
            back: ticks(config.return_ps),
            around,
            fifo_service: ticks(config.fifo_ps),
            dram_access: ticks(config.dram_access_ps),
            dram_64k: u128::from(timebase.ticks_per_second()) * (1 << 16)
                / u128::from(config.dram_bytes_per_second),
            dram_free: 0,
            arriving: BinaryHeap::with_capacity(threads),
            returning: BinaryHeap::with_capacity(threads),
            sequence: 0,
            dram_data: 0,
            dram_overhead: 0,
            dram_accesses: 0,
            dram_row_hits: 0,
        }
    }

    /// A thread issues a transfer.
    pub fn issue(&mut self, thread: u32, path: Path, bytes: u32, again: bool, now: Ticks) {
        let (pull, push) = self.around[path as usize];
        let at = now + self.issue + pull;
        self.sequence += 1;
        match path {
            Path::FifoToEngine | Path::EngineToFifo => {
                let done = at + self.fifo_service + push + self.back;
                self.returning.push(Reverse((done, self.sequence, thread)));
            }
            Path::FifoToDram | Path::DramToFifo | Path::DramToEngine | Path::EngineToDram => {
                let data = ((u128::from(bytes) * self.dram_64k) >> 16) as Ticks;
                let overhead = if again { 0 } else { self.dram_access };
                self.dram_data += data;
                self.dram_overhead += overhead;
                self.dram_accesses += 1;
                self.dram_row_hits += u64::from(again);
                self.arriving.push(Reverse((at, self.sequence, (thread, data + overhead, push))));
            }
        }
    }

    /// Serve what has reached the DRAM by `now`.
    pub fn serve(&mut self, now: Ticks) {
        while let Some(&Reverse((at, sequence, (thread, service, push)))) = self.arriving.peek()
            && at <= now
        {
            self.arriving.pop();
            self.dram_free = self.dram_free.max(at) + service;
            self.returning.push(Reverse((self.dram_free + push + self.back, sequence, thread)));
        }
    }

    /// The thread whose transfer is back at `now`.
    pub fn take_due(&mut self, now: Ticks) -> Option<u32> {
        let &Reverse((at, _, thread)) = self.returning.peek()?;
        (at <= now).then(|| {
            self.returning.pop();
            thread
        })
    }

    /// When something arrives or returns next.
    pub fn next(&self) -> Option<Ticks> {
        let arrives = self.arriving.peek().map(|&Reverse((at, ..))| at);
        let returns = self.returning.peek().map(|&Reverse((at, ..))| at);
        arrives.into_iter().chain(returns).min()
    }

    pub fn counts(&self) -> PathCounts {
        PathCounts {
            data: self.dram_data,
            overhead: self.dram_overhead,
            accesses: self.dram_accesses,
            row_hits: self.dram_row_hits,
        }
    }

    pub fn restart(&mut self) {
        (self.dram_data, self.dram_overhead, self.dram_accesses, self.dram_row_hits) = (0, 0, 0, 0);
    }
}
