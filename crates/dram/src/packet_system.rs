//! Channels with packet-buffer controllers behind the same front end as [`crate::System`], so that the
//! schedulers of Hasan 2003 run on any device and any trace.

use crate::channel::{
    BankStatistics, ChannelStatistics, Issued, Observer, Outcome, RefreshMode, Transaction,
};
use crate::fields::FieldMap;
use crate::front::{Accepted, STEPS_PER_LOOK};
use crate::packet_buffer::{self, Controller, Policy, Request};
use crate::system::{Progress, Stopped, Watch};
use crate::{Access, Command, Cycle, Device, Location};

/// Packet-buffer controllers, one per channel.
#[derive(Debug)]
pub struct PacketSystem {
    channels: Vec<Channel>,
    map: FieldMap,
    access_shift: u32,
    /// Most outstanding requests of a channel.
    window: u32,
}

#[derive(Debug)]
struct Channel {
    controller: Controller<Notes>,
    /// Outstanding requests by tag, and the free tags.
    requests: Vec<(Cycle, Transaction)>,
    free: Vec<u32>,
    under_way: u32,
    accounts: Accounts,
}

/// Events of a controller in one wake-up.
#[derive(Debug, Default)]
struct Notes {
    commands: Vec<(Cycle, Command, Location, u32)>,
    transfers: Vec<(Cycle, Cycle, Request)>,
    /// Whether an observer requests every command.
    all: bool,
    /// Rounds of refreshes that were skipped.
    left_out: Option<(Command, u32, u64)>,
}

impl packet_buffer::Observer for Notes {
    fn command(&mut self, at: Cycle, command: Command, location: Location, bytes: u32) {
        self.commands.push((at, command, location, bytes));
    }

    fn sees_commands(&self) -> bool {
        self.all
    }

    fn left_out(&mut self, command: Command, parts: u32, rounds: u64) {
        self.left_out = Some((command, parts, rounds));
    }

    fn transfer(&mut self, start: Cycle, end: Cycle, request: &Request) {
        self.transfers.push((start, end, *request));
    }
}

/// Statistics of a channel, and the history of each bank that they need.
#[derive(Debug)]
struct Accounts {
    statistics: ChannelStatistics,
    prepared_from: Vec<Option<(Cycle, bool)>>,
    column_at: Vec<Cycle>,
    refresh: (Cycle, Cycle),
    last_end: Cycle,
    last_write: bool,
    open_since: Vec<Option<Cycle>>,
}

impl PacketSystem {
    /// Returns idle channels, all of the same device and policy.
    pub fn new(
        device: &Device,
        policy: Policy,
        refresh: RefreshMode,
        map: FieldMap,
        access_bytes: u32,
        window: u32,
    ) -> Self {
        let banks = device.organization().banks as usize;
        let channel = |_| Channel {
            controller: Controller::new(device.clone(), policy, Notes::default()).with_refresh(refresh),
            requests: Vec::new(),
            free: Vec::new(),
            under_way: 0,
            accounts: Accounts {
                statistics: ChannelStatistics {
                    banks: vec![BankStatistics::default(); banks],
                    ..ChannelStatistics::default()
                },
                prepared_from: vec![None; banks],
                column_at: vec![0; banks],
                refresh: (0, 0),
                last_end: 0,
                last_write: false,
                open_since: vec![None; banks],
            },
        };
        Self {
            channels: (0..map.channels()).map(channel).collect(),
            map,
            access_shift: access_bytes.ilog2(),
            window,
        }
    }

    /// Returns the statistics of each channel.
    pub fn statistics(&self) -> impl Iterator<Item = &ChannelStatistics> {
        self.channels.iter().map(|channel| &channel.accounts.statistics)
    }

    /// Serves all requests of `source`, as [`crate::System::run`].
    ///
    /// # Errors
    ///
    /// The error of the source, or that the watch stopped the run.
    pub fn run<E, O: Observer>(
        &mut self,
        mut source: impl FnMut() -> Result<Option<Access>, E>,
        observer: &mut O,
        watch: Watch<'_>,
    ) -> Result<Accepted, Stopped<E>> {
        for channel in &mut self.channels {
            channel.controller.observer_mut().all = observer.sees_commands();
        }
        let mut now: Cycle = 0;
        let (mut accepted, mut last, mut steps) = (0u64, 0, 0u64);
        let mut pending = source().map_err(Stopped::Source)?;
        let mut progress = Progress::default();
        loop {
            for (number, channel) in self.channels.iter_mut().enumerate() {
                while channel.controller.next_wake().is_some_and(|at| at <= now) {
                    channel.wake(number as u32, now, observer);
                }
            }
            let mut taken = 0u64;
            let mut retry = Cycle::MAX;
            while let Some(access) = pending {
                let place = self.map.locate(access.address);
                let channel = &mut self.channels[place.channel as usize];
                if access.arrival > now || taken & 1 << place.channel != 0 {
                    retry = access.arrival.max(now + 1);
                    break;
                }
                if channel.under_way == self.window {
                    break;
                }
                let transaction = Transaction {
                    index: accepted,
                    block: access.address >> self.access_shift,
                    bank: place.bank,
                    row: place.row,
                    column: place.column,
                    bytes: access.bytes,
                    write: access.write,
                };
                observer.accepted(&access, place.channel, &transaction);
                channel.submit(transaction, now + 1);
                taken |= 1 << place.channel;
                accepted += 1;
                last = now + 1;
                pending = source().map_err(Stopped::Source)?;
            }
            steps += 1;
            if steps.is_multiple_of(STEPS_PER_LOOK) {
                if watch(accepted).is_break() {
                    return Err(Stopped::Watch);
                }
                let waiting = pending.is_none_or(|access| access.arrival <= now);
                let served = self.statistics().map(|of| of.sent().iter().sum::<u64>()).sum();
                if progress.is_stuck(waiting, accepted, served) {
                    return Err(Stopped::Stuck(now));
                }
            }
            let next = self.channels.iter().filter_map(|c| c.controller.next_wake()).min();
            now = match next.unwrap_or(Cycle::MAX).min(retry) {
                Cycle::MAX => break,
                next => next.max(now + 1),
            };
        }
        let end = self.statistics().map(ChannelStatistics::end).max().unwrap_or(0);
        self.channels.iter_mut().for_each(|channel| channel.accounts.finish(end));
        Ok(Accepted { requests: accepted, last })
    }
}

impl Channel {
    fn submit(&mut self, transaction: Transaction, at: Cycle) {
        let tag = self.free.pop().unwrap_or(self.requests.len() as u32);
        match self.requests.get_mut(tag as usize) {
            Some(free) => *free = (at, transaction),
            None => self.requests.push((at, transaction)),
        }
        self.under_way += 1;
        let Transaction { bank, row, bytes, write, .. } = transaction;
        self.accounts.statistics.accepted[usize::from(write)] += 1;
        let location = Location { bank, row };
        self.controller.submit(at, Request { location, bytes, write, more: false, tag });
    }

    fn wake(&mut self, number: u32, now: Cycle, observer: &mut impl Observer) {
        if let Some(done) = self.controller.wake(now) {
            self.free.push(done.tag);
            self.under_way -= 1;
        }
        let mut notes = std::mem::take(self.controller.observer_mut());
        for &(at, command, location, bytes) in &notes.commands {
            let end_of_refresh = self.controller.device().earliest(Command::Activate, location.bank);
            // A wake-up moves the data of one request at most; the request that it prepares has no column
            // access yet.
            let moved = notes.transfers.first().filter(|_| command.is_column());
            let column = moved.map_or(0, |t| self.requests[t.2.tag as usize].1.column);
            let request = match command {
                Command::Refresh | Command::RefreshBank | Command::Precharge => None,
                _ => Some((location.row, column)),
            };
            observer.command(number, &Issued { at, command, bank: location.bank, request, bytes });
            self.accounts.command(at, command, location, end_of_refresh);
        }
        if let Some((command, parts, rounds)) = notes.left_out.take() {
            self.accounts.left_out(command, parts, rounds);
        }
        for &(start, end, request) in &notes.transfers {
            let (accept, transaction) = self.requests[request.tag as usize];
            let outcome = self.accounts.transfer(accept, start, end, &request);
            observer.outcome(transaction.index, &outcome);
        }
        notes.commands.clear();
        notes.transfers.clear();
        *self.controller.observer_mut() = notes;
    }
}

impl Accounts {
    /// Counts the rows that are still open at the end of the last data of all channels.
    fn finish(&mut self, end: Cycle) {
        let open = self.open_since.iter().flatten().map(|since| end.saturating_sub(*since));
        self.statistics.open_cycles += open.sum::<Cycle>();
    }

    fn left_out(&mut self, command: Command, parts: u32, rounds: u64) {
        match command {
            Command::Refresh => self.statistics.refreshes += rounds * u64::from(parts),
            _ => self.statistics.banks.iter_mut().for_each(|bank| bank.refreshes += rounds),
        }
    }

    fn command(&mut self, at: Cycle, command: Command, location: Location, refreshed: Cycle) {
        let bank = location.bank as usize;
        let counts = &mut self.statistics.banks[bank];
        match command {
            Command::Activate => {
                counts.activates += 1;
                self.prepared_from[bank].get_or_insert((at, false));
                self.open_since[bank] = Some(at);
            }
            Command::Precharge => {
                counts.precharges += 1;
                self.prepared_from[bank] = Some((at, true));
                if let Some(since) = self.open_since[bank].take() {
                    // The open times of all banks are added: rows open at the same time count several times,
                    // which overstates standby with open rows.
                    self.statistics.open_cycles += at.saturating_sub(since);
                }
            }
            Command::Refresh | Command::RefreshBank => {
                self.statistics.refreshes += u64::from(command == Command::Refresh);
                counts.refreshes += u64::from(command == Command::RefreshBank);
                self.refresh = (at, refreshed);
                self.prepared_from.iter_mut().for_each(|p| *p = None);
            }
            _ => self.column_at[bank] = at,
        }
    }

    fn transfer(&mut self, accept: Cycle, start: Cycle, end: Cycle, request: &Request) -> Outcome {
        let bank = request.location.bank as usize;
        let side = usize::from(request.write);
        let prepared = self.prepared_from[bank].take();
        let column_at = self.column_at[bank].clamp(accept.min(start), start);
        let from = prepared.map_or(column_at, |(at, _)| at.clamp(accept.min(column_at), column_at));
        let waited = from.saturating_sub(accept);
        let refresh = self.refresh.1.min(from).saturating_sub(self.refresh.0.max(accept)).min(waited);
        let outcome = Outcome {
            accept,
            complete: Some(end),
            queue: waited - refresh,
            bank: column_at - from,
            bus: end - column_at,
            refresh,
        };
        let gap = start.saturating_sub(self.last_end);
        let idle = accept.saturating_sub(self.last_end).min(gap);
        let refreshed = self
            .refresh
            .1
            .min(start)
            .saturating_sub(self.refresh.0.max(self.last_end).max(accept))
            .min(gap - idle);
        let s = &mut self.statistics;
        s.lost.idle += idle;
        s.lost.refresh += refreshed;
        *match prepared {
            Some((_, true)) => &mut s.lost.bank_conflict,
            Some((_, false)) => &mut s.lost.row_miss,
            None if request.write != self.last_write => &mut s.lost.turnaround,
            None => &mut s.lost.spacing,
        } += gap - idle - refreshed;
        (self.last_end, self.last_write) = (end, request.write);
        s.bytes[side] += u64::from(request.bytes);
        s.data_cycles[side] += end - start;
        s.end_of[side] = end;
        s.latency[side].record(end - accept);
        let parts = [outcome.bank, outcome.bus, outcome.refresh];
        s.parts[side].iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        let counts = &mut s.banks[bank];
        counts.data_cycles += end - start;
        *(if request.write { &mut counts.writes } else { &mut counts.reads }) += 1;
        outcome
    }
}
