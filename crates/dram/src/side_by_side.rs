//! Parallel channels, each in a thread.
//!
//! Channels interact only at the front end: a request that finds its queue full blocks all requests behind it.
//! While that does not happen, the clock in which each request is accepted follows from the arrivals, and the
//! channels are independent. So a batch of requests is distributed as if there were always room, and every
//! channel serves its own. If one of them had no room, the batch is served again, clock by clock.

use crate::Cycle;
use crate::access::Access;
use crate::channel::{Channel, Transaction};
use crate::front::{Front, Held, LONG_IDLE, STEPS_PER_LOOK};
use crate::packet_buffer::Silent;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Requests of a batch: enough to make the cost of starting threads negligible.
const REQUESTS: usize = 1 << 14;

/// How channels run in parallel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batches {
    pub threads: usize,
    pub requests: usize,
}

/// A request and the clock in which it is accepted if there is room.
struct Due {
    at: Cycle,
    channel: u32,
    access: Access,
    transaction: Transaction,
}

/// Requests that may be served in parallel.
pub(crate) struct Batch {
    requests: Vec<Due>,
    /// The front end after the batch, if no request has to wait. No request is accepted before it in its clock.
    pub behind: Front,
}

impl Batches {
    /// Returns a thread for each channel, up to the number of cores.
    pub fn new(channels: u32) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self { threads: cores.min(channels as usize), requests: REQUESTS }
    }

    /// Draws the next requests that the front end would accept. As there, each channel gets at most one request
    /// per clock.
    pub fn draw<E>(
        &self,
        front: &Front,
        mut source: impl FnMut() -> Result<Option<Access>, E>,
        locate: impl Fn(Access) -> Held,
        access_shift: u32,
    ) -> Result<Batch, E> {
        let Front { mut held, mut now, mut accepted } = *front;
        let mut requests = Vec::with_capacity(self.requests + 64);
        let mut taken = 0u64;
        while let Some(next @ Held { access, place }) = held {
            if access.arrival > now {
                (now, taken) = (access.arrival, 0);
            } else if taken >> place.channel & 1 != 0 {
                (now, taken) = (now + 1, 0);
            }
            if taken == 0 && requests.len() >= self.requests {
                break;
            }
            taken |= 1 << place.channel;
            let transaction = next.transaction(accepted.requests, access_shift);
            requests.push(Due { at: now, channel: place.channel, access, transaction });
            accepted.requests += 1;
            accepted.last = now + 1;
            held = source()?.map(&locate);
        }
        if held.is_none() {
            now += 1;
        }
        Ok(Batch { requests, behind: Front { held, now, accepted } })
    }

    /// Lets every channel serve its requests of a batch. Returns whether there was room for each; if not, the
    /// channels must not continue from their state.
    pub fn serve(&self, channels: &mut [Channel], batch: &Batch) -> bool {
        let full = AtomicBool::new(false);
        let share = channels.len().div_ceil(self.threads);
        let serve_some = &|first: usize, channels: &mut [Channel]| {
            for (channel, number) in channels.iter_mut().zip(first as u32..) {
                if !batch.pass_through(channel, number, &full) {
                    full.store(true, Ordering::Relaxed);
                }
            }
        };
        thread::scope(|scope| {
            let mut shares = channels.chunks_mut(share).enumerate();
            let own = shares.next();
            for (n, some) in shares {
                let thread = thread::Builder::new().spawn_scoped(scope, move || serve_some(n * share, some));
                if thread.is_err() {
                    // The system starts no more threads: the batch is served clock by clock.
                    full.store(true, Ordering::Relaxed);
                }
            }
            if let Some((_, some)) = own {
                serve_some(0, some);
            }
        });
        !full.into_inner()
    }
}

impl Batch {
    /// Returns the number of requests.
    pub fn len(&self) -> u64 {
        self.requests.len() as u64
    }

    /// Returns the requests after the first, up to the first that is in no batch, or the end of all.
    pub fn behind_first(&self) -> impl Iterator<Item = Option<Access>> {
        let rest = self.requests.iter().skip(1).map(|due| Some(due.access));
        rest.chain([self.behind.held.map(|held| held.access)])
    }

    /// Lets a channel serve its requests, up to the clock in which the next batch begins. Returns whether there
    /// was room for each.
    fn pass_through(&self, channel: &mut Channel, number: u32, full: &AtomicBool) -> bool {
        let end = self.behind.now;
        let mut own = self.requests.iter().filter(|due| due.channel == number).peekable();
        while let Some(due) = own.next() {
            if full.load(Ordering::Relaxed)
                || !advance(channel, due.at + 1)
                || !channel.has_room(due.transaction.write)
            {
                return false;
            }
            let until = own.peek().map_or(end, |next| next.at);
            channel.accept_before(until, &due.transaction, due.at + 1, &mut Silent);
        }
        advance(channel, end)
    }
}

/// Advances a channel to a clock, without acting in it. Returns whether it arrived after a limited number of
/// steps: one that refreshes for ever does not.
fn advance(channel: &mut Channel, until: Cycle) -> bool {
    for _ in 0..STEPS_PER_LOOK {
        let now = channel.next_tick();
        if now >= until {
            return true;
        }
        channel.tick(now, &mut Silent);
        if until - now > LONG_IDLE {
            channel.skip_refreshes(until - 1);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::{Observer, Page, Policy, RefreshMode, Scheduler, Writes};
    use crate::{
        Command, Constraint, Device, Edge, Field, FieldMap, Level, Organization, System, Timing, widths,
    };
    use proptest::prelude::*;
    use std::ops::ControlFlow;

    /// Observes every request, which keeps channels from running in parallel.
    struct Watching;

    impl Observer for Watching {
        fn sees_commands(&self) -> bool {
            false
        }
    }

    fn device() -> Device {
        use Command::{Activate, Precharge, Read, Refresh, Write};
        let rule = |level, before: &[Command], after: &[Command], cycles| Constraint {
            name: String::new(),
            level,
            before: before.to_vec(),
            after: after.to_vec(),
            cycles,
            from: Edge::Issue,
            window: 1,
        };
        let organization = Organization {
            ranks: 1,
            groups: 1,
            banks: 4,
            row_bytes: 1024,
            rows: 64,
            beat_bytes: 8,
            beats_per_cycle: 2,
        };
        let constraints = vec![
            rule(Level::Bank, &[Activate], &[Read, Write], 5),
            rule(Level::Bank, &[Activate], &[Precharge], 12),
            rule(Level::Bank, &[Precharge], &[Activate], 5),
            rule(Level::Bank, &[Read, Write], &[Precharge], 9),
            rule(Level::Rank, &[Precharge], &[Refresh], 5),
            rule(Level::Rank, &[Refresh], &[Activate, Refresh], 40),
            Constraint { from: Edge::ColumnEnd, ..rule(Level::Rank, &[Read, Write], &[Read, Write], 0) },
        ];
        Device::new(organization, Timing { read_latency: 5, write_latency: 4, constraints })
    }

    fn system(channels: u32, page: Page, queue: u32) -> System {
        let rules = Policy {
            scheduler: Scheduler::FrFcfs,
            page,
            row_hit_cap: None,
            command_queue: 2,
            transaction_queue: queue,
            writes: Writes::Unified,
            refresh: RefreshMode::AllBank { interval: 900 },
            dual_issue: false,
        };
        let device = device();
        let widths = widths(device.organization(), channels, 64);
        use Field::{Bank, Channel, Column, Group, Rank, Row};
        let map = FieldMap::in_order(&[Row, Rank, Group, Bank, Column, Channel], widths, 64).expect("a map");
        System::new(&device, rules, map, 64, None)
    }

    /// Returns the outcomes as text; `skip_idle` skips clocks without an action.
    fn run(mut system: System, list: &[Access], observer: &mut impl Observer, skip_idle: bool) -> String {
        let mut left = list.iter().copied();
        let source = || Ok::<_, ()>(left.next());
        let watch = &mut |_| ControlFlow::Continue(());
        let accepted = system.run(source, observer, skip_idle, watch).expect("it ends");
        format!("{accepted:?} {:?}", system.statistics().collect::<Vec<_>>())
    }

    proptest! {
        /// Bursts that fill the queues, quiet times and long pauses; batches much shorter and longer than each.
        #[test]
        fn all_at_the_same_time_is_as_clock_by_clock(
            channels in prop_oneof![Just(2u32), Just(4), Just(8)],
            open in any::<bool>(),
            queue in 1u32..6,
            threads in 2usize..4,
            requests in 1usize..40,
            parts in proptest::collection::vec((1usize..30, prop_oneof![Just(0u64), 1u64..60, Just(1 << 21)]), 1..20),
        ) {
            let mut arrival = 0;
            let mut list = Vec::new();
            for (count, gap) in parts {
                for _ in 0..count {
                    arrival += gap;
                    let number = list.len() as u64;
                    let address = number * 7919 * 64 % (1 << 18);
                    list.push(Access { arrival, address, bytes: 64, write: number.is_multiple_of(3) });
                }
            }
            let page = if open { Page::Open } else { Page::Closed };
            let make = || system(channels, page, queue);
            let clock_by_clock = run(make(), &list, &mut Watching, true);
            let at_the_same_time = run(make().in_batches(threads, requests), &list, &mut Silent, true);
            prop_assert_eq!(&at_the_same_time, &clock_by_clock);
            if arrival < 100_000 {
                prop_assert_eq!(run(make(), &list, &mut Watching, false), clock_by_clock);
            }
        }
    }

    #[test]
    fn a_batch_with_room_for_all_is_served_at_once_and_one_without_is_not() {
        let spaced = |gap: Cycle| {
            (0..200u64).map(move |n| Access { arrival: n * gap, address: n * 64, bytes: 64, write: false })
        };
        for (gap, goes) in [(50, true), (0, false)] {
            let mut system = system(4, Page::Open, 4).in_batches(2, 100);
            let mut left = spaced(gap);
            let batches = Batches { threads: 2, requests: 100 };
            let held = left.next().map(|access| system.locate(access));
            let front = Front { held, now: 0, accepted: crate::front::Accepted::default() };
            let batch = batches.draw(&front, || Ok::<_, ()>(left.next()), |access| system.locate(access), 6);
            let batch = batch.expect("a list does not fail");
            assert_eq!((batch.len(), batch.behind.accepted.requests), (100, 100));
            assert_eq!(batches.serve(system.channels_mut(), &batch), goes, "one in {gap} clocks");
        }
    }
}
