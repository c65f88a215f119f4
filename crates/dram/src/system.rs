//! A memory of one or more channels behind one front end.

use crate::access::Access;
use crate::channel::{Channel, ChannelStatistics, Observer, Policy};
use crate::fields::FieldMap;
use crate::front::{Accepted, Front, Held, LONG_IDLE, STEPS_PER_LOOK};
use crate::side_by_side::Batches;
use crate::{Cycle, Device};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

/// Channels behind a front end. Requests enter in the order of the trace: a request that finds its queue full
/// blocks those behind it. Each channel accepts at most one per clock.
#[derive(Clone, Debug)]
pub struct System {
    channels: Vec<Channel>,
    map: FieldMap,
    access_shift: u32,
    /// Most requests accepted and not yet completed.
    in_flight: Option<usize>,
    /// How channels run in parallel, if they can.
    batches: Batches,
}

/// Called periodically with the number of accepted requests; may stop the run.
pub type Watch<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

/// Most requests that are served clock by clock before the channels again run in parallel, in batches.
const MOST_IN_A_ROW: u64 = 64;

/// Why a run ended early.
#[derive(Debug)]
pub enum Stopped<E> {
    /// The source of requests failed.
    Source(E),
    /// The watch stopped the run.
    Watch,
    /// Requests wait, and none was served for very long; contains the clock at which that was detected.
    Stuck(Cycle),
}

/// Detects requests that wait for ever, which happens if refreshes leave no time for them.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    last: Option<(u64, u64)>,
}

impl Progress {
    /// Called at each check. `waiting` is whether the front end waits for the memory and not for an arrival.
    /// The steps between two checks, each with an action, are enough for thousands of requests: if none is
    /// served between two checks, none ever will be.
    pub(crate) fn is_stuck(&mut self, waiting: bool, accepted: u64, served: u64) -> bool {
        let now = waiting.then_some((accepted, served));
        let stuck = now.is_some() && now == self.last;
        self.last = now;
        stuck
    }
}

impl System {
    /// Returns idle channels, all of the same device and policy.
    pub fn new(
        device: &Device,
        policy: Policy,
        map: FieldMap,
        access_bytes: u32,
        in_flight: Option<usize>,
    ) -> Self {
        let channels =
            (0..map.channels()).map(|number| Channel::new(number, device.clone(), policy)).collect();
        let batches = Batches::new(map.channels());
        Self { channels, map, access_shift: access_bytes.ilog2(), in_flight, batches }
    }

    /// Returns the same with a number of threads and a number of requests per batch.
    #[cfg(test)]
    pub(crate) fn in_batches(self, threads: usize, requests: usize) -> Self {
        Self { batches: Batches { threads, requests }, ..self }
    }

    #[cfg(test)]
    pub(crate) fn channels_mut(&mut self) -> &mut [Channel] {
        &mut self.channels
    }

    /// Returns the statistics of each channel.
    pub fn statistics(&self) -> impl Iterator<Item = &ChannelStatistics> {
        self.channels.iter().map(Channel::statistics)
    }

    /// Serves all requests of `source`. With `skip_idle`, clocks without an action are skipped; the result is
    /// the same. Returns the number of requests, and when the last was accepted.
    ///
    /// Channels without an observer run in parallel, while no request finds its queue full.
    ///
    /// # Errors
    ///
    /// The error of the source, or that the watch stopped the run.
    pub fn run<E, O: Observer>(
        &mut self,
        mut source: impl FnMut() -> Result<Option<Access>, E>,
        observer: &mut O,
        skip_idle: bool,
        watch: Watch<'_>,
    ) -> Result<Accepted, Stopped<E>> {
        let mut flight = Flight {
            limit: self.in_flight,
            completions: BinaryHeap::new(),
            waiting: 0,
            sees_commands: observer.sees_commands(),
            sees_requests: self.in_flight.is_some() || observer.sees_requests(),
            observer,
        };
        let held = source().map_err(Stopped::Source)?.map(|access| self.locate(access));
        let mut front = Front { held, now: 0, accepted: Accepted::default() };
        let watched = flight.sees_requests || flight.sees_commands;
        if self.batches.threads > 1 && skip_idle && !watched && self.in_flight.is_none() {
            self.run_side_by_side(&mut front, &mut source, &mut flight, watch)?;
        } else {
            let alone = skip_idle && self.channels.len() == 1 && self.in_flight.is_none();
            match alone {
                true => {
                    self.go_on::<_, _, true>(&mut front, u64::MAX, &mut source, &mut flight, true, watch)?
                }
                false => self.go_on::<_, _, false>(
                    &mut front,
                    u64::MAX,
                    &mut source,
                    &mut flight,
                    skip_idle,
                    watch,
                )?,
            }
        }
        let end = self.statistics().map(ChannelStatistics::end).max().unwrap_or(0);
        for channel in &mut self.channels {
            channel.finish(end, &mut flight);
        }
        Ok(front.accepted)
    }

    /// Serves requests in batches: all channels in parallel if no request of a batch has to wait for room, and
    /// otherwise clock by clock. After repeated failures, more requests are served clock by clock before the
    /// next attempt.
    fn run_side_by_side<E, O: Observer>(
        &mut self,
        front: &mut Front,
        source: &mut impl FnMut() -> Result<Option<Access>, E>,
        flight: &mut Flight<'_, O>,
        watch: Watch<'_>,
    ) -> Result<(), Stopped<E>> {
        let fewest = self.batches.requests as u64;
        let mut in_a_row = fewest;
        while front.held.is_some() {
            let batch =
                self.batches.draw(front, &mut *source, |access| self.locate(access), self.access_shift);
            let batch = batch.map_err(Stopped::Source)?;
            let before = self.channels.clone();
            if self.batches.serve(&mut self.channels, &batch) {
                *front = batch.behind;
                in_a_row = fewest;
                if watch(front.accepted.requests).is_break() {
                    return Err(Stopped::Watch);
                }
                continue;
            }
            self.channels = before;
            let until = front.accepted.requests + in_a_row.max(batch.len());
            let mut drawn = batch.behind_first();
            let mut next = || drawn.next().map_or_else(&mut *source, Ok);
            self.go_on::<_, _, false>(front, until, &mut next, flight, true, &mut *watch)?;
            in_a_row = (2 * in_a_row).min(fewest * MOST_IN_A_ROW);
        }
        self.go_on::<_, _, false>(front, u64::MAX, source, flight, true, watch)
    }

    /// Serves requests clock by clock, until a number of them has been accepted or all have been served. `ALONE` is for a
    /// single channel that skips idle clocks and has no limit of requests in flight: the compiler removes the rest.
    #[inline]
    fn go_on<E, O: Observer, const ALONE: bool>(
        &mut self,
        front: &mut Front,
        until_accepted: u64,
        mut source: impl FnMut() -> Result<Option<Access>, E>,
        flight: &mut Flight<'_, O>,
        skip_idle: bool,
        watch: Watch<'_>,
    ) -> Result<(), Stopped<E>> {
        let Front { mut held, mut now, accepted: Accepted { requests: mut accepted, mut last } } = *front;
        let skip_idle = skip_idle || ALONE;
        let count = if ALONE { 1 } else { self.channels.len() };
        let mut steps = 0u64;
        let mut progress = Progress::default();
        // Until the last request completes, other channels continue with their refreshes: it is not served
        // ahead of them.
        let last_until = if self.channels.len() == 1 { Cycle::MAX } else { 0 };
        // Serving requests ahead of time would report commands out of order with those of other channels.
        let ahead = skip_idle && (self.channels.len() == 1 || !flight.sees_commands);
        loop {
            for channel in &mut self.channels[..count] {
                if channel.next_tick() <= now || !skip_idle {
                    channel.tick(now, flight);
                }
            }
            if ALONE {
                Self::run_ahead(&mut self.channels[0], &mut now, &mut steps, held.as_ref(), flight);
            }
            let mut taken = 0u64;
            // When the front end can try again, if it waits for no action of a channel.
            let mut retry = Cycle::MAX;
            while let Some(request @ Held { access, place }) = &held {
                let number = if ALONE { 0 } else { place.channel };
                if access.arrival > now {
                    retry = access.arrival;
                    break;
                }
                if taken & 1 << number != 0 {
                    retry = now + 1;
                    break;
                }
                let channel = &mut self.channels[number as usize];
                if !channel.has_room(access.write) {
                    break;
                }
                if !ALONE && let Some(until) = flight.full_until(now) {
                    retry = until;
                    break;
                }
                flight.waiting += usize::from(!ALONE && flight.limit.is_some());
                let transaction = request.transaction(accepted, self.access_shift);
                flight.observer.accepted(access, number, &transaction);
                taken |= 1 << number;
                accepted += 1;
                last = now + 1;
                let next = source().map_err(Stopped::Source)?;
                let until = if ahead { next.map_or(last_until, |next| next.arrival) } else { 0 };
                channel.accept_before(until, &transaction, now + 1, flight);
                held = next.map(|access| self.locate(access));
            }
            steps += 1;
            if steps.is_multiple_of(STEPS_PER_LOOK) {
                if watch(accepted).is_break() {
                    return Err(Stopped::Watch);
                }
                // If every clock is simulated, most steps do nothing.
                let waiting = skip_idle && held.as_ref().is_none_or(|held| held.access.arrival <= now);
                let served = self.statistics().map(|of| of.sent().iter().sum::<u64>()).sum();
                if progress.is_stuck(waiting, accepted, served) {
                    return Err(Stopped::Stuck(now));
                }
            }
            if held.is_none() && self.channels[..count].iter().all(Channel::is_idle) {
                break;
            }
            let idle_until = held.as_ref().map_or(now, |held| held.access.arrival);
            if skip_idle && idle_until.saturating_sub(now) > LONG_IDLE && !flight.sees_commands {
                self.channels.iter_mut().for_each(|channel| channel.skip_refreshes(idle_until));
            }
            let next =
                self.channels[..count].iter().map(Channel::next_tick).min().unwrap_or(Cycle::MAX).min(retry);
            if !ALONE && next == Cycle::MAX {
                // The front end waits for a completion, and no channel will act.
                return Err(Stopped::Stuck(now));
            }
            now = if skip_idle { next.max(now + 1) } else { now + 1 };
            if accepted >= until_accepted {
                break;
            }
        }
        *front = Front { held, now, accepted: Accepted { requests: accepted, last } };
        Ok(())
    }

    /// Advances a single channel by itself while the front end cannot act: up to the arrival of the request
    /// that it holds, or to the clock in which there is room for it. Counts a step for each clock, and leaves
    /// clocks with further actions to the caller.
    #[inline(always)]
    fn run_ahead<O: Observer>(
        channel: &mut Channel,
        now: &mut Cycle,
        steps: &mut u64,
        held: Option<&Held>,
        flight: &mut Flight<'_, O>,
    ) {
        let arrives = held.map_or(0, |held| held.access.arrival);
        let waits_for_room = arrives <= *now;
        let until = if waits_for_room { Cycle::MAX } else { arrives };
        if !waits_for_room && arrives - *now > LONG_IDLE {
            return;
        }
        loop {
            let can_act = match held {
                None => channel.is_idle(),
                Some(held) => waits_for_room && channel.has_room(held.access.write),
            };
            let next = channel.next_tick();
            if can_act || next >= until || (*steps + 1).is_multiple_of(STEPS_PER_LOOK) {
                return;
            }
            *steps += 1;
            *now = next;
            channel.tick(next, flight);
        }
    }

    #[inline]
    pub(crate) fn locate(&self, access: Access) -> Held {
        Held { access, place: self.map.locate(access.address) }
    }
}

/// Counts outstanding requests, and passes on the events of channels.
struct Flight<'a, O> {
    limit: Option<usize>,
    /// Known completions; those before `now` may still be present.
    completions: BinaryHeap<Reverse<Cycle>>,
    /// Accepted, with unknown completion; not counted without a limit.
    waiting: usize,
    /// What the channels need not report otherwise, known in advance.
    sees_commands: bool,
    sees_requests: bool,
    observer: &'a mut O,
}

impl<O> Flight<'_, O> {
    /// Returns from which clock on there is room, if there is none now; the end of time if that is not known
    /// yet.
    #[inline]
    fn full_until(&mut self, now: Cycle) -> Option<Cycle> {
        let limit = self.limit?;
        while self.completions.peek().is_some_and(|&Reverse(at)| at <= now) {
            self.completions.pop();
        }
        let full = self.waiting + self.completions.len() >= limit;
        full.then(|| self.completions.peek().map_or(Cycle::MAX, |&Reverse(at)| at))
    }
}

impl<O: Observer> Observer for Flight<'_, O> {
    #[inline]
    fn command(&mut self, channel: u32, issued: &crate::channel::Issued) {
        self.observer.command(channel, issued);
    }

    #[inline]
    fn sees_commands(&self) -> bool {
        self.sees_commands
    }

    #[inline]
    fn sees_requests(&self) -> bool {
        self.sees_requests
    }

    #[inline]
    fn outcome(&mut self, index: u64, outcome: &crate::channel::Outcome) {
        if self.limit.is_some() {
            self.waiting -= 1;
            self.completions.extend(outcome.complete.map(Reverse));
        }
        self.observer.outcome(index, outcome);
    }
}
