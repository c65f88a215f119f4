//! Issues the commands of a channel: selects one, updates rows and data transfers, and counts it.

use super::controller::{ALWAYS_COMPARED, Channel, FOR_REFRESH, LastColumn, Merged, READS};
use super::policy::Page;
use super::transactions::Slot;
use super::{Issued, Observer, Outcome, Transaction};
use crate::{Command, Cycle};

impl Channel {
    /// Issues the planned command. Returns whether a request has left its command queue.
    #[inline]
    pub(super) fn issue(&mut self, now: Cycle, observer: &mut impl Observer) -> bool {
        let column = match self.plan.queue {
            FOR_REFRESH => {
                self.issue_for_refresh(now, observer);
                false
            }
            queue => {
                let queue = usize::from(queue);
                self.pointer = queue;
                let (command, place) = self.choose(queue, now);
                self.issue_from(queue, command, place, now, observer);
                command.is_column()
            }
        };
        if self.policy.dual_issue { self.issue_second(column, now, observer) } else { column }
    }

    /// Issues a row command after a column command, or the reverse. Returns whether either is a column command.
    #[cold]
    pub(super) fn issue_second(&mut self, column: bool, now: Cycle, observer: &mut impl Observer) -> bool {
        let second = self.plan_queues(self.frozen(), now);
        if second.at > now {
            return column;
        }
        // The round advances even if the command must wait for the next clock.
        self.pointer = usize::from(second.queue);
        let (command, place) = self.choose(self.pointer, now);
        if command.is_column() == column {
            return column;
        }
        self.issue_from(self.pointer, command, place, now, observer);
        true
    }

    #[inline(always)]
    pub(super) fn issue_from(
        &mut self,
        queue: usize,
        command: Command,
        place: usize,
        now: Cycle,
        observer: &mut impl Observer,
    ) {
        let q = &self.queues[queue];
        let bank = q.bank;
        match command {
            Command::Activate => {
                let request @ (row, _) = self.transactions.place(q.oldest());
                let earliest = (
                    self.waits.earliest(Command::Activate, bank),
                    self.waits.earliest_of_bank(Command::Activate, bank),
                );
                self.open(bank, request, earliest, now, observer);
                self.queues[queue].opened(row);
            }
            Command::Precharge => {
                self.close(bank, Some(self.transactions.place(q.oldest())), now, observer);
                return self.waits.wish(queue, self.queues[queue].closed());
            }
            _ => self.access(queue, place, now, observer),
        }
        self.consider(queue);
    }

    /// Opens the row of a request. `earliest` is since when the whole table, and since when the bank alone, has
    /// permitted it.
    #[inline(always)]
    pub(super) fn open(
        &mut self,
        bank: u32,
        request: (u32, u32),
        (earliest, of_bank): (Cycle, Cycle),
        now: Cycle,
        observer: &mut impl Observer,
    ) {
        let state = &mut self.rows[bank as usize];
        state.open = Some(request.0);
        state.served = 0;
        // The wait for a refresh of the bank, which may concern its whole rank, counts as such.
        state.windowed = of_bank.max(state.refresh_until) < now && earliest == now;
        state.conflict = state.prepared_from.is_some();
        state.prepared_from.get_or_insert(now);
        let (open, since) = &mut self.open_rows[state.rank as usize];
        if *open == 0 {
            *since = now;
        }
        *open += 1;
        self.open_banks |= 1 << bank;
        self.send(Command::Activate, bank, request.0, 0, 0, now);
        self.tell(Command::Activate, bank, Some(request), 0, now, observer);
        self.statistics.banks[bank as usize].activates += 1;
    }

    /// Closes the row of a bank, for a request or for none.
    #[inline(always)]
    pub(super) fn close(
        &mut self,
        bank: u32,
        request: Option<(u32, u32)>,
        now: Cycle,
        observer: &mut impl Observer,
    ) {
        self.send(Command::Precharge, bank, 0, 0, 0, now);
        self.tell(Command::Precharge, bank, request, 0, now, observer);
        self.rows[bank as usize].prepared_from = Some(now);
        self.statistics.banks[bank as usize].precharges += 1;
        self.closed(bank, now);
    }

    /// A bank has been closed.
    #[inline]
    pub(super) fn closed(&mut self, bank: u32, now: Cycle) {
        let state = &mut self.rows[bank as usize];
        state.open = None;
        self.open_banks &= !(1 << bank);
        let (open, since) = &mut self.open_rows[state.rank as usize];
        *open -= 1;
        if *open == 0 {
            self.statistics.open_cycles += now - *since;
        }
    }

    /// Updates the commands that a queue requests. Returns whether they differ from before.
    #[inline(always)]
    pub(super) fn consider(&mut self, queue: usize) -> bool {
        let q = &mut self.queues[queue];
        let row = &self.rows[q.bank as usize];
        let capped = row.served >= self.row_hit_cap.accesses;
        let changed = q.consider(row.open.is_some(), capped, self.row_hit_cap.strict, &self.transactions);
        if changed {
            self.waits.wish(queue, q.kinds);
        }
        changed
    }

    /// Issues a command; a column command moves `bytes` bytes in a number of cycles.
    #[inline(always)]
    pub(super) fn send(
        &mut self,
        command: Command,
        bank: u32,
        row: u32,
        bytes: u32,
        columns: Cycle,
        now: Cycle,
    ) {
        if self.noting {
            self.waits.note(command, bank, columns, now);
        } else {
            self.waits.issue(command, bank, columns, now);
        }
        if cfg!(debug_assertions) {
            self.device.issue(command, bank, row, bytes, now);
            // A difference persists once it occurs: in long runs an occasional comparison finds it.
            if now < ALWAYS_COMPARED || now.is_multiple_of(16) {
                self.waits.compare(self.noting, &self.device, now);
            }
        }
    }

    /// Reports a command for a request to the observer.
    #[inline(always)]
    pub(super) fn tell(
        &self,
        command: Command,
        bank: u32,
        request: Option<(u32, u32)>,
        bytes: u32,
        at: Cycle,
        observer: &mut impl Observer,
    ) {
        if observer.sees_commands() {
            observer.command(self.number, &Issued { at, command, bank, request, bytes });
        }
    }

    /// Serves a request of a queue.
    #[inline(always)]
    pub(super) fn access(&mut self, queue: usize, place: usize, now: Cycle, observer: &mut impl Observer) {
        let q = &mut self.queues[queue];
        let id = q.remove(place);
        self.in_queues -= 1;
        self.room |= 1 << queue;
        if q.len() == 0 {
            self.occupied &= !(1 << queue);
        }
        let auto = match self.policy.page {
            Page::Open => false,
            Page::Closed => true,
            Page::Adaptive => q.len() > 0 && q.misses(),
        };
        if auto {
            self.waits.wish(queue, q.closed());
        }
        let slot = *self.transactions.slot(id);
        self.transactions.release(id);
        let Transaction { bank, write, .. } = slot.transaction;
        // Needed only for a request whose row was opened for it.
        let row_ready = match self.rows[bank as usize].served {
            0 => self.waits.earliest_of_bank(if write { Command::Write } else { Command::Read }, bank),
            _ => now,
        };
        self.transfer(&slot, auto, row_ready, now, observer);
    }

    /// Issues a column command, with auto-precharge or not. `row_ready` is since when the bank alone has
    /// permitted it.
    #[inline(always)]
    pub(super) fn transfer(
        &mut self,
        slot: &Slot,
        auto: bool,
        row_ready: Cycle,
        now: Cycle,
        observer: &mut impl Observer,
    ) {
        let Transaction { bank, row, column, bytes, write, .. } = slot.transaction;
        let command = match (write, auto) {
            (false, false) => Command::Read,
            (false, true) => Command::ReadAuto,
            (true, false) => Command::Write,
            (true, true) => Command::WriteAuto,
        };
        let data_cycles = self.device.data_cycles(bytes);
        self.send(command, bank, row, bytes, data_cycles, now);
        self.tell(command, bank, Some((row, column)), bytes, now, observer);
        self.account(slot, data_cycles, row_ready, now, observer);
        let state = &mut self.rows[bank as usize];
        state.served += 1;
        state.prepared_from = None;
        if auto {
            self.statistics.auto_precharges[usize::from(write)] += 1;
            self.closed(bank, now);
        }
    }

    // ---- accounts ----

    /// Counts a column command, and reports the outcome of its request.
    #[inline(always)]
    pub(super) fn account(
        &mut self,
        slot: &Slot,
        data_cycles: Cycle,
        row_ready: Cycle,
        now: Cycle,
        observer: &mut impl Observer,
    ) {
        let Transaction { index, bank, bytes, write, .. } = slot.transaction;
        let side = usize::from(write);
        let state = &self.rows[bank as usize];
        let start = now + self.device.latency(if write { Command::Write } else { Command::Read });
        let complete = start + data_cycles;
        // The latency of the request in its parts.
        let opener = state.served == 0;
        let (prepared, ready) = match state.prepared_from.filter(|_| opener) {
            Some(from) => {
                let from = from.max(slot.accept);
                (from, row_ready.clamp(from, now))
            }
            None => (now, now),
        };
        let waited = prepared - slot.accept;
        // If no refresh was in progress since the request and the last data, no cycles are lost to it.
        let since = self.last.issued.max(self.last.woke);
        let refreshes = state.refreshing || state.refresh_until > slot.accept.min(since);
        let refresh = if refreshes { waited.min(state.refreshed_until(now) - slot.refreshed) } else { 0 };
        let (queue, of_bank, bus) = (waited - refresh, ready - prepared, complete - ready);
        // The bus cycles since the last data.
        let gap = start.saturating_sub(self.last.data_end);
        let idle = gap.min(self.last.idle);
        let refreshed = if refreshes { (gap - idle).min(state.refresh_between(since, now)) } else { 0 };
        let rest = gap - idle - refreshed;
        let s = &mut self.statistics;
        s.lost.idle += idle;
        s.lost.refresh += refreshed;
        let cause = if opener && ready == now {
            match (state.windowed, state.conflict) {
                (true, _) => &mut s.lost.activate_window,
                (false, true) => &mut s.lost.bank_conflict,
                (false, false) => &mut s.lost.row_miss,
            }
        } else if write != self.last.write {
            &mut s.lost.turnaround
        } else {
            &mut s.lost.spacing
        };
        *cause += rest;
        self.last = LastColumn { issued: now, data_cycles, data_end: complete, write, idle: 0, woke: 0 };

        s.bytes[side] += u64::from(bytes);
        s.data_cycles[side] += data_cycles;
        s.end_of[side] = complete;
        s.latency[side].record(complete - slot.accept);
        for (sum, part) in s.parts[side].iter_mut().zip([of_bank, bus, refresh]) {
            *sum += part;
        }
        let bank = &mut s.banks[bank as usize];
        bank.data_cycles += data_cycles;
        *(if write { &mut bank.writes } else { &mut bank.reads }) += 1;
        if observer.sees_requests() {
            let (accept, complete) = (slot.accept, Some(complete));
            observer.outcome(index, &Outcome { accept, complete, queue, bank: of_bank, bus, refresh });
        }
        let mut next = slot.merged;
        while let Some(&Merged { index, accept, next: more }) = self.merged.get(next as usize) {
            let (queue, bus) = (now - accept.min(now), complete - accept.max(now));
            let s = &mut self.statistics;
            s.latency[READS].record(complete - accept);
            s.parts[READS][1] += bus;
            let complete = Some(complete);
            observer.outcome(index, &Outcome { accept, complete, queue, bank: 0, bus, refresh: 0 });
            next = more;
        }
    }

    // ---- from transaction queues to command queues ----
}
