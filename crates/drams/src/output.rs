//! Files of requests and commands: they are written under temporary names and renamed when they are complete.

use linecard_dram::channel::{Issued, Observer, Outcome, Transaction};
use linecard_dram::{Access, Command, Organization};
use linecard_files::{Error, WholeFile};
use std::collections::VecDeque;

/// An outstanding request.
#[derive(Clone, Copy, Debug)]
struct Record {
    access: Access,
    channel: u32,
    transaction: Transaction,
    outcome: Option<Outcome>,
}

/// Writes requests in their order, and commands as they issue.
#[derive(Debug)]
pub(super) struct Logs {
    requests: Option<WholeFile>,
    commands: Option<WholeFile>,
    organization: Organization,
    /// The oldest request that has not been written, and the later ones.
    window: VecDeque<Record>,
    first: u64,
}

const REQUEST_COLUMNS: &str = "index,arrival,accept,complete,op,address,bytes,channel,rank,bankgroup,bank,row,column,\
                               queue_clocks,bank_clocks,bus_clocks,refresh_clocks";
const COMMAND_COLUMNS: &str = "cycle,cmd,channel,rank,bankgroup,bank,row,column";

impl Logs {
    pub fn new(
        requests: Option<&str>,
        commands: Option<&str>,
        organization: Organization,
    ) -> Result<Self, Error> {
        let mut logs = Self {
            requests: requests.map(WholeFile::create).transpose()?,
            commands: commands.map(WholeFile::create).transpose()?,
            organization,
            window: VecDeque::new(),
            first: 0,
        };
        if let Some(file) = &mut logs.requests {
            file.write(format_args!("{REQUEST_COLUMNS}\n"));
        }
        if let Some(file) = &mut logs.commands {
            file.write(format_args!("{COMMAND_COLUMNS}\n"));
        }
        Ok(logs)
    }

    /// Names the files; returns a text for each file that could not be written.
    pub fn finish(self) -> Vec<String> {
        let files = [self.requests, self.commands].into_iter().flatten();
        files.filter_map(|file| file.finish().err()).map(|error| error.to_string()).collect()
    }

    /// Returns the rank, the group within the rank, and the bank within the group.
    fn place(&self, bank: u32) -> [u32; 3] {
        let Organization { ranks, groups, banks, .. } = self.organization;
        let (per_rank, per_group) = (banks / ranks, banks / groups);
        [bank / per_rank, bank % per_rank / per_group, bank % per_group]
    }

    fn write_request(&mut self, index: u64, record: &Record, outcome: &Outcome) {
        let [rank, group, bank] = self.place(record.transaction.bank);
        let Access { arrival, address, bytes, write } = record.access;
        let Outcome { accept, complete, queue, bank: opening, bus, refresh } = *outcome;
        let Transaction { row, column, .. } = record.transaction;
        let op = if write { 'W' } else { 'R' };
        let complete = complete.map_or(-1, |at| at as i64);
        let channel = record.channel;
        if let Some(file) = &mut self.requests {
            file.write(format_args!(
                "{index},{arrival},{accept},{complete},{op},{address:#x},{bytes},{channel},{rank},{group},{bank},{row},\
                 {column},{queue},{opening},{bus},{refresh}\n"
            ));
        }
    }

    #[inline(never)]
    fn write_command(&mut self, channel: u32, issued: &Issued) {
        let Issued { at, command, bank, request, .. } = *issued;
        let [rank, group, bank] = self.place(bank);
        let (group, bank) = match command {
            Command::Refresh => (-1, -1),
            _ => (i64::from(group), i64::from(bank)),
        };
        let (row, column) = request.map_or((-1, -1), |(row, column)| (i64::from(row), i64::from(column)));
        let name = command.name();
        if let Some(file) = &mut self.commands {
            file.write(format_args!("{at},{name},{channel},{rank},{group},{bank},{row},{column}\n"));
        }
    }
}

impl Observer for Logs {
    #[inline]
    fn accepted(&mut self, access: &Access, channel: u32, transaction: &Transaction) {
        if self.requests.is_some() {
            let (access, transaction) = (*access, *transaction);
            self.window.push_back(Record { access, channel, transaction, outcome: None });
        }
    }

    #[inline]
    fn outcome(&mut self, index: u64, outcome: &Outcome) {
        if self.requests.is_none() {
            return;
        }
        self.window[(index - self.first) as usize].outcome = Some(*outcome);
        while let Some(record @ Record { outcome: Some(outcome), .. }) = self.window.front().copied() {
            self.write_request(self.first, &record, &outcome);
            self.window.pop_front();
            self.first += 1;
        }
    }

    #[inline]
    fn sees_requests(&self) -> bool {
        self.requests.is_some()
    }

    #[inline]
    fn sees_commands(&self) -> bool {
        self.commands.is_some()
    }

    #[inline]
    fn command(&mut self, channel: u32, issued: &Issued) {
        if self.commands.is_some() {
            self.write_command(channel, issued);
        }
    }
}
