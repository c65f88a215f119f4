//! A timeline that opens in Perfetto: threads, packets and levels of a chip in the Chrome trace-event format.
//!
//! A cluster is a process and a thread is a track; arrows follow a packet from the receiving port over the threads
//! that held it to the sending port.

use flate2::Compression;
use flate2::write::GzEncoder;
use linecard_chip::{Happened, LevelOf, Recording};
use linecard_files::{Error, WholeFile};
use linecard_sim::{Ticks, Timebase};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// Process of the ports; clusters follow.
const PORTS: usize = 1;
const FIRST_CLUSTER: usize = 2;

struct Writer<'a, W: Write> {
    out: W,
    recording: &'a Recording,
    base: Timebase,
    clusters: Vec<&'a str>,
    first: bool,
}

/// Writes the recording to a file that was opened before the run. A name that ends in `.gz` is compressed. Returns a
/// note if events found no room.
pub(super) fn write(
    mut file: WholeFile,
    compressed: bool,
    recording: &Recording,
    base: Timebase,
) -> Result<Option<String>, Error> {
    match compressed {
        true => {
            let mut packed = GzEncoder::new(&mut file, Compression::fast());
            // The file keeps an error and reports it when it is finished.
            let _ = events(&mut packed, recording, base);
            let _ = packed.finish();
        }
        false => _ = events(&mut file, recording, base),
    }
    file.finish()?;
    let (from, _) = recording.window();
    Ok((recording.left_out > 0).then(|| {
        let last = recording.spans.last().map_or(from, |span| span.to);
        format!(
            "the timeline is full after {:.3} us of the requested window and omits {} later events; request a \
             shorter window with --timeline-for",
            base.nanoseconds(last.saturating_sub(from)) / 1e3,
            recording.left_out
        )
    }))
}

fn events(out: &mut impl Write, recording: &Recording, base: Timebase) -> std::io::Result<()> {
    let mut clusters: Vec<&str> = Vec::new();
    for (cluster, ..) in &recording.threads {
        if clusters.last() != Some(&cluster.as_str()) {
            clusters.push(cluster);
        }
    }
    let mut writer = Writer { out, recording, base, clusters, first: true };
    writer.out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    writer.names()?;
    writer.spans()?;
    writer.marks()?;
    writer.levels()?;
    writer.waiting()?;
    writer.out.write_all(b"\n]}\n")
}

impl<W: Write> Writer<'_, W> {
    fn event(&mut self, text: std::fmt::Arguments<'_>) -> std::io::Result<()> {
        self.out.write_all(if self.first { b"\n" } else { b",\n" })?;
        self.first = false;
        self.out.write_fmt(text)
    }

    fn us(&self, at: Ticks) -> f64 {
        self.base.nanoseconds(at) / 1e3
    }

    fn process(&self, thread: u32) -> usize {
        let cluster = self.recording.threads[thread as usize].0.as_str();
        FIRST_CLUSTER + self.clusters.iter().position(|name| *name == cluster).unwrap_or(0)
    }

    fn name(&mut self, kind: &str, process: usize, thread: usize, name: &str) -> std::io::Result<()> {
        let name = serde_json::to_string(name).unwrap_or_default();
        self.event(format_args!(
            "{{\"ph\":\"M\",\"pid\":{process},\"tid\":{thread},\"name\":\"{kind}_name\",\"args\":{{\"name\":{name}}}}}"
        ))
    }

    fn names(&mut self) -> std::io::Result<()> {
        self.name("process", PORTS, 0, "ports")?;
        for port in 0..self.recording.ports.len() {
            let name = self.recording.ports[port].clone();
            self.name("thread", PORTS, 2 * port, &format!("{name} in"))?;
            self.name("thread", PORTS, 2 * port + 1, &format!("{name} out"))?;
        }
        for number in 0..self.clusters.len() {
            let name = self.clusters[number];
            self.name("process", FIRST_CLUSTER + number, 0, name)?;
        }
        let seen: BTreeSet<u32> = self.recording.spans.iter().map(|span| span.thread).collect();
        for thread in seen {
            let (_, engine, number) = &self.recording.threads[thread as usize];
            let name = format!("engine {engine} thread {number}");
            self.name("thread", self.process(thread), thread as usize, &name)?;
        }
        Ok(())
    }

    fn spans(&mut self) -> std::io::Result<()> {
        let mut spans: Vec<usize> = (0..self.recording.spans.len()).collect();
        spans.sort_by_key(|&n| (self.recording.spans[n].from, self.recording.spans[n].thread));
        let mut followed: BTreeMap<u64, u32> = BTreeMap::new();
        for number in spans {
            let span = self.recording.spans[number];
            let (process, thread) = (self.process(span.thread), span.thread);
            let (at, long) = (self.us(span.from), self.us(span.to) - self.us(span.from));
            let state = &self.recording.states[usize::from(span.state)];
            match span.packet {
                Some(packet) => {
                    self.event(format_args!(
                        "{{\"ph\":\"X\",\"pid\":{process},\"tid\":{thread},\"name\":\"{state}\",\"ts\":{at:.6},\"dur\":{long:.6},\"args\":{{\"packet\":{packet}}}}}"
                    ))?;
                    // An arrow leads to each thread that takes the packet.
                    if followed.insert(packet, thread) != Some(thread) {
                        self.event(format_args!(
                            "{{\"ph\":\"t\",\"cat\":\"packet\",\"id\":{packet},\"pid\":{process},\"tid\":{thread},\"name\":\"packet\",\"ts\":{at:.6}}}"
                        ))?;
                    }
                }
                None => self.event(format_args!(
                    "{{\"ph\":\"X\",\"pid\":{process},\"tid\":{thread},\"name\":\"{state}\",\"ts\":{at:.6},\"dur\":{long:.6}}}"
                ))?,
            }
        }
        Ok(())
    }

    /// Writes arrivals and departures as slices of a nanosecond, at which arrows can begin and end.
    fn marks(&mut self) -> std::io::Result<()> {
        for number in 0..self.recording.marks.len() {
            let mark = self.recording.marks[number];
            let (at, packet) = (self.us(mark.at), mark.packet);
            let (track, name, arrow) = match mark.what {
                Happened::Arrived { port } => (2 * usize::from(port), "arrival", "s"),
                Happened::Departed { port } => (2 * usize::from(port) + 1, "departure", "f"),
                Happened::Lost(loss) => {
                    self.event(format_args!(
                        "{{\"ph\":\"i\",\"s\":\"g\",\"pid\":{PORTS},\"tid\":0,\"name\":\"{loss}\",\"ts\":{at:.6},\"args\":{{\"packet\":{packet}}}}}"
                    ))?;
                    continue;
                }
            };
            self.event(format_args!(
                "{{\"ph\":\"X\",\"pid\":{PORTS},\"tid\":{track},\"name\":\"{name}\",\"ts\":{at:.6},\"dur\":0.001,\"args\":{{\"packet\":{packet}}}}}"
            ))?;
            let end = if arrow == "f" { ",\"bp\":\"e\"" } else { "" };
            self.event(format_args!(
                "{{\"ph\":\"{arrow}\",\"cat\":\"packet\",\"id\":{packet},\"pid\":{PORTS},\"tid\":{track},\"name\":\"packet\",\"ts\":{at:.6}{end}}}"
            ))?;
        }
        Ok(())
    }

    fn counter(&mut self, name: &str, at: f64, value: u32) -> std::io::Result<()> {
        self.event(format_args!(
            "{{\"ph\":\"C\",\"pid\":{PORTS},\"name\":\"{name}\",\"ts\":{at:.6},\"args\":{{\"packets\":{value}}}}}"
        ))
    }

    fn levels(&mut self) -> std::io::Result<()> {
        for number in 0..self.recording.levels.len() {
            let change = self.recording.levels[number];
            let name = match change.of {
                LevelOf::Inside => "packets inside".to_owned(),
                LevelOf::Queue(port) => format!("queues of {}", self.recording.ports[usize::from(port)]),
            };
            self.counter(&name, self.us(change.at), change.level)?;
        }
        Ok(())
    }

    /// Writes the number of threads in each state in which they hold a packet and wait.
    fn waiting(&mut self) -> std::io::Result<()> {
        let mut changes: Vec<(Ticks, u16, i64)> = Vec::new();
        for span in self.recording.spans.iter().filter(|span| span.packet.is_some()) {
            changes.push((span.from, span.state, 1));
            changes.push((span.to, span.state, -1));
        }
        changes.sort_unstable();
        let mut now = vec![0i64; self.recording.states.len()];
        for (number, &(at, state, step)) in changes.iter().enumerate() {
            now[usize::from(state)] += step;
            // Of the changes at one instant, the last counts.
            if changes.get(number + 1).is_some_and(|&(next, other, _)| next == at && other == state) {
                continue;
            }
            let (name, at) = (self.recording.states[usize::from(state)].clone(), self.us(at));
            self.event(format_args!(
                "{{\"ph\":\"C\",\"pid\":{PORTS},\"name\":\"threads: {name}\",\"ts\":{at:.6},\"args\":{{\"threads\":{}}}}}",
                now[usize::from(state)].max(0)
            ))?;
        }
        Ok(())
    }
}
