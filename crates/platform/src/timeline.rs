//! A timeline that opens in Perfetto: thread states and DRAM transfers in the Chrome trace-event format.

use crate::error::Error;
use crate::whole_file::WholeFile;
use linecard_dram::packet_buffer::{Observer, Request};
use linecard_dram::{Command, Cycle, Location};
use linecard_np::Watch;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Events kept at most; a Perfetto tab still opens that many at once.
const MOST_EVENTS: usize = 400_000;

#[derive(Clone, Copy)]
enum Event {
    Thread { engine: u16, thread: u32, state: &'static str, from_ps: u64, to_ps: u64 },
    Transfer { start: Cycle, end: Cycle, bank: u32, row: u32, bytes: u32, write: bool },
    Command { at: Cycle, command: Command, bank: u32, row: u32 },
}

/// Records what it sees, from the start of the run until it is full.
#[derive(Clone, Default)]
pub(crate) struct Timeline {
    events: Vec<Event>,
    left_out: u64,
    dram_cycle_ps: f64,
}

impl Timeline {
    fn push(&mut self, event: Event) {
        if self.events.len() < MOST_EVENTS {
            self.events.push(event);
        } else {
            self.left_out += 1;
        }
    }

    /// Write the file. Returns a note if events were left out.
    pub fn write(&self, mut file: WholeFile) -> Result<Option<String>, Error> {
        let mut out = String::with_capacity(self.events.len() * 120);
        out.push_str("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
        let named = |kind: &str, pid: u32, tid: u32, name: &str| {
            format!(
                "{{\"ph\":\"M\",\"pid\":{pid},\"tid\":{tid},\"name\":\"{kind}_name\",\"args\":{{\"name\":\"{name}\"}}}}"
            )
        };
        let mut names = vec![named("process", 1, 0, "DRAM"), named("thread", 1, 0, "data bus")];
        let (mut banks, mut threads) = (BTreeSet::new(), BTreeSet::new());
        for event in &self.events {
            match *event {
                Event::Thread { engine, thread, .. } => _ = threads.insert((u32::from(engine), thread)),
                Event::Command { bank, .. } => _ = banks.insert(bank),
                Event::Transfer { .. } => {}
            }
        }
        names.extend(banks.iter().map(|&bank| named("thread", 1, bank + 1, &format!("bank {bank}"))));
        let engines: BTreeSet<u32> = threads.iter().map(|&(engine, _)| engine).collect();
        names.extend(
            engines.iter().map(|&engine| named("process", engine + 2, 0, &format!("engine {engine}"))),
        );
        names.extend(
            threads.iter().map(|&(engine, t)| named("thread", engine + 2, t, &format!("thread {t}"))),
        );
        out.push_str(&names.join(",\n"));
        for event in &self.events {
            self.one(&mut out, event);
        }
        out.push_str("\n]}\n");
        file.write(format_args!("{out}"));
        file.finish()?;
        Ok((self.left_out > 0).then(|| {
            format!(
                "the timeline holds the first {MOST_EVENTS} events of the run; {} later ones are left out",
                self.left_out
            )
        }))
    }

    fn one(&self, out: &mut String, event: &Event) {
        let us = |ps: f64| ps / 1e6;
        let cycle = |c: Cycle| us(c as f64 * self.dram_cycle_ps);
        let _ = match *event {
            Event::Thread { engine, thread, state, from_ps, to_ps } => write!(
                out,
                ",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":{thread},\"name\":\"{state}\",\"ts\":{:.6},\"dur\":{:.6}}}",
                engine + 2,
                us(from_ps as f64),
                us((to_ps - from_ps) as f64)
            ),
            Event::Transfer { start, end, bank, row, bytes, write } => write!(
                out,
                ",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":0,\"name\":\"{}\",\"ts\":{:.6},\"dur\":{:.6},\"args\":{{\"bank\":{bank},\"row\":{row},\"bytes\":{bytes}}}}}",
                if write { "write" } else { "read" },
                cycle(start),
                cycle(end - start)
            ),
            Event::Command { at, command, bank, row } => write!(
                out,
                ",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"name\":\"{}\",\"ts\":{:.6},\"dur\":{:.6},\"args\":{{\"row\":{row}}}}}",
                bank + 1,
                command.name(),
                cycle(at),
                cycle(1)
            ),
        };
    }
}

impl Observer for Timeline {
    fn command(&mut self, at: Cycle, command: Command, location: Location, _bytes: u32) {
        self.push(Event::Command { at, command, bank: location.bank, row: location.row });
    }

    fn transfer(&mut self, start: Cycle, end: Cycle, request: &Request) {
        let Location { bank, row } = request.location;
        self.push(Event::Transfer { start, end, bank, row, bytes: request.bytes, write: request.write });
    }
}

impl Watch for Timeline {
    const WATCHES_THREADS: bool = true;

    fn dram_cycle_ps(&mut self, ps: f64) {
        self.dram_cycle_ps = ps;
    }

    fn thread(&mut self, engine: u16, thread: u32, state: &'static str, from_ps: u64, to_ps: u64) {
        if to_ps > from_ps {
            self.push(Event::Thread { engine, thread, state, from_ps, to_ps });
        }
    }
}
