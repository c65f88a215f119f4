//! A unit whose transfers take a measured time by size: a bus, a DMA engine, a copy by software.
//!
//! Such a unit has no stated latency and rate; tables state the time of a transfer at some sizes. Times in between
//! are interpolated linearly. A smaller transfer takes the time of the first size, since every transfer has some
//! cost that does not depend on its size; times beyond the last size continue the last line.

use super::server::server_of;
use super::table::PlaceTable;
use linecard_chip::config::PlaceKind;
use linecard_chip::place::{Facts, Kind, Served, Server, Serves};
use linecard_config::Section;
use linecard_program::script::Access;
use linecard_sim::{Ticks, Timebase};
use std::sync::Arc;

pub(super) const KEYS: &[&str] = &["read_times", "write_times"];
pub(super) const HAS_TIMES: bool = false;

/// The longest time at a size: a second.
const MOST_NS: f64 = 1e9;

pub(super) fn read(asked: &PlaceTable<'_>) -> PlaceKind {
    let section = asked.section;
    let reads = times(section, "read_times", "of a read, or of any other request except a write");
    let writes = times(section, "write_times", "of a write");
    PlaceKind::Of(Arc::new(BySize { reads, writes }))
}

fn times(section: &Section<'_>, key: &str, what: &str) -> Times {
    let meaning = format!(
        "time {what}, by request size: comma-separated points `bytes:ns` with increasing sizes and times"
    );
    let text = section.text(key, &meaning);
    let times = Times::parse(&text);
    if let Err(message) = &times
        && !text.is_empty()
    {
        section.fail(key, message.clone());
    }
    times.unwrap_or(Times { points: vec![(0.0, 0.0), (1.0, 1.0)] })
}

/// Nanoseconds at sizes in bytes.
#[derive(Clone, Debug, PartialEq)]
struct Times {
    points: Vec<(f64, f64)>,
}

impl Times {
    /// Parses `64:931.6, 1500:22579`.
    fn parse(text: &str) -> Result<Self, String> {
        let expected = || {
            format!(
                "found `{text}`; expected at least two points with increasing sizes and times up to \
                 {MOST_NS:.0} ns, such as `64:931.6, 1500:22579`"
            )
        };
        let point = |part: &str| -> Option<(f64, f64)> {
            let (bytes, ns) = part.split_once(':')?;
            Some((bytes.trim().parse().ok()?, ns.trim().parse().ok()?))
        };
        let points: Option<Vec<(f64, f64)>> = text.split(',').map(point).collect();
        let points = points.ok_or_else(expected)?;
        let rising = points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1);
        let fits = |&(bytes, ns): &(f64, f64)| (0.0..=1e9).contains(&bytes) && (0.0..=MOST_NS).contains(&ns);
        if points.len() < 2 || !rising || !points.iter().all(fits) {
            return Err(expected());
        }
        Ok(Self { points })
    }

    /// Returns the picoseconds for a number of bytes.
    fn ps(&self, bytes: u32) -> u64 {
        let bytes = f64::from(bytes).max(self.points[0].0);
        let above = self.points.partition_point(|&(at, _)| at < bytes).clamp(1, self.points.len() - 1);
        let ((x0, y0), (x1, y1)) = (self.points[above - 1], self.points[above]);
        ((y0 + (y1 - y0) * (bytes - x0) / (x1 - x0)) * 1e3).round() as u64
    }

    fn halved(&self) -> Self {
        Self { points: self.points.iter().map(|&(bytes, ns)| (bytes, ns / 2.0)).collect() }
    }
}

/// Numbers of the unit.
#[derive(Clone, Debug)]
struct BySize {
    reads: Times,
    writes: Times,
}

impl Kind for BySize {
    fn wrong(&self) -> Option<String> {
        None
    }

    fn place(&self, timebase: &Timebase) -> Box<dyn Serves> {
        Box::new(AtWork {
            numbers: self.clone(),
            server: Server::new(&server_of(0), timebase),
            timebase: *timebase,
            ended: 0,
        })
    }

    fn facts(&self) -> Facts {
        let bytes = self.reads.points.first().map_or(0, |&(bytes, _)| bytes.round() as u32).max(1);
        let service_ps = self.reads.ps(bytes) as f64;
        Facts {
            latency_ps: service_ps,
            service_ps,
            parts: 1.0,
            bytes,
            formula: "time depends on the size; one transfer at a time".to_owned(),
        }
    }

    fn faster(&self) -> Arc<dyn Kind> {
        Arc::new(Self { reads: self.reads.halved(), writes: self.writes.halved() })
    }
}

/// The unit during a run.
struct AtWork {
    numbers: BySize,
    server: Server,
    timebase: Timebase,
    /// Bytes of the last read, and of the reads that continued where it ended.
    ended: u32,
}

impl AtWork {
    fn service_ps(&mut self, kind: Access, bytes: u32) -> u64 {
        let BySize { reads, writes } = &self.numbers;
        match kind {
            Access::Continue => {
                // Without a read before it, it is a transfer of its own.
                let before = if self.ended == 0 { 0 } else { reads.ps(self.ended) };
                self.ended = self.ended.saturating_add(bytes);
                reads.ps(self.ended) - before
            }
            kind if kind.writes() => writes.ps(bytes),
            _ => {
                self.ended = bytes;
                reads.ps(bytes)
            }
        }
    }
}

impl Serves for AtWork {
    fn serve(&mut self, at: Ticks, kind: Access, _: u64, bytes: u32) -> Ticks {
        let ps = self.service_ps(kind, bytes);
        let service = self.timebase.ticks_from_ps(ps);
        self.server.occupy(at, service, bytes)
    }

    fn entered_ahead(&mut self, lead: Ticks) {
        self.server.entered_ahead(lead);
    }

    fn restart(&mut self, now: Ticks) {
        self.server.restart(now);
    }

    fn served(&self, now: Ticks) -> Served {
        Served {
            busy: vec![self.server.busy(now)],
            accesses: self.server.accesses,
            bytes: self.server.moved_bytes,
            residence: self.server.residence,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_must_rise() {
        for text in ["", "64", "64:1.0", "64:2, 32:3", "0:3, 1:2", "0:-1, 1:2", "0:0, 1:1e10", "0:nan, 1:2"] {
            assert!(
                Times::parse(text).is_err_and(|message| message.contains("expected at least two points")),
                "{text}"
            );
        }
        let line = Times::parse("64:100, 128:200").unwrap();
        assert_eq!([64, 96, 128].map(|bytes| line.ps(bytes)), [100_000, 150_000, 200_000]);
    }

    #[test]
    fn below_the_first_size_the_time_is_the_first_and_beyond_the_last_it_grows_on() {
        // The line through these points reaches zero at 4 bytes.
        let line = Times::parse("64:900, 1004:15000").unwrap();
        assert_eq!([1, 4, 63, 64].map(|bytes| line.ps(bytes)), [900_000; 4]);
        assert_eq!(line.ps(2004), 30_000_000);
        // Small pieces add up to the transfer as a whole.
        let numbers = BySize { reads: line.clone(), writes: line };
        let mut unit = numbers.place(&Timebase::fine(&[1_000_000_000]).unwrap());
        let whole = unit.serve(0, Access::Read, 0, 104);
        let pieces = [(Access::Read, 16), (Access::Continue, 16), (Access::Continue, 72)];
        let ends = pieces.iter().fold(whole, |at, &(kind, bytes)| unit.serve(at, kind, 0, bytes));
        assert_eq!(ends - whole, whole);
    }

    #[test]
    fn what_continues_no_read_takes_the_time_of_a_transfer() {
        let times = Times::parse("64:1000, 1064:3000").unwrap();
        let numbers = BySize { reads: times.clone(), writes: times };
        let timebase = Timebase::fine(&[1_000_000_000]).unwrap();
        let read = numbers.place(&timebase).serve(0, Access::Read, 0, 64);
        assert_eq!(numbers.place(&timebase).serve(0, Access::Continue, 0, 64), read);
    }

    /// A transfer in two pieces takes as long as in one, although the line does not go through the origin.
    #[test]
    fn what_goes_on_takes_the_rest() {
        let times = Times::parse("64:1000, 1064:3000").unwrap();
        let numbers = BySize { reads: times.clone(), writes: times };
        let mut unit = numbers.place(&Timebase::fine(&[1_000_000_000]).unwrap());
        let whole = unit.serve(0, Access::Read, 0, 1064);
        let first = unit.serve(whole, Access::Read, 0, 64) - whole;
        let rest = unit.serve(whole + first, Access::Continue, 0, 1000) - whole - first;
        assert_eq!(first + rest, whole);
        assert_eq!(first * 2, rest);
        let written = unit.serve(0, Access::Write, 0, 64);
        assert_eq!(written, 2 * whole + first, "one transfer at a time, both ways");
        assert_eq!(unit.served(written).busy, [written]);
    }
}
