//! Traces of memory requests, by format. An error names its line and what was expected.

mod csv;
mod dramsim3;
mod ramulator;
mod words;

use crate::{Access, Cycle};
use std::fmt;
use std::io::{self, BufRead, Read};
use words::{Request, operation, words};

/// The format of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    /// A header with the columns `arrival`, `op`, `address` and optionally `bytes`, in any order.
    Csv,
    /// `address OP clock`, such as `0x1a40 READ 12`.
    DramSim3,
    /// `OP address`, such as `LD 0x1a40`; requests arrive at the rate at which they are accepted.
    Ramulator,
}

impl TraceFormat {
    /// All formats.
    pub const ALL: [TraceFormat; 3] = [TraceFormat::Csv, TraceFormat::DramSim3, TraceFormat::Ramulator];

    /// Returns the name in commands.
    pub fn name(self) -> &'static str {
        ["csv", "dramsim3", "ramulator"][self as usize]
    }
}

/// An error of a trace, and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// Line, counted from 1.
    pub line: u64,
    /// What was found and what was expected.
    pub message: String,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Later arrivals count as errors: this is more than an hour of any memory's clock.
pub const LAST_ARRIVAL: Cycle = 1 << 42;

/// The limits that a memory sets on a trace.
#[derive(Clone, Copy, Debug)]
pub struct TraceLimits {
    /// Addresses are below this.
    pub capacity_bytes: u64,
    /// Bytes of an access; the default of a trace that does not state them.
    pub access_bytes: u32,
}

/// Reads a trace line by line; memory does not grow with its length.
#[derive(Debug)]
pub struct TraceReader<R> {
    input: R,
    line: Vec<u8>,
    number: u64,
    format: TraceFormat,
    columns: csv::Columns,
    limits: TraceLimits,
    last_arrival: Cycle,
    /// A first line that was read to detect the format.
    looked_at: bool,
}

impl<R: BufRead> TraceReader<R> {
    /// Begins to read; a `format` of `None` is detected from the first line.
    ///
    /// # Errors
    ///
    /// Input that cannot be read, no request at all, an unknown format or column.
    pub fn new(input: R, format: Option<TraceFormat>, limits: TraceLimits) -> Result<Self, TraceError> {
        let mut reader = Self {
            input,
            line: Vec::new(),
            number: 0,
            format: format.unwrap_or(TraceFormat::Csv),
            columns: csv::Columns::default(),
            limits,
            last_arrival: 0,
            looked_at: false,
        };
        if !reader.next_line()? {
            return Err(reader.wrong("the file is empty; expected requests".to_owned()));
        }
        reader.looked_at = true;
        let first = trimmed(&reader.line).to_vec();
        reader.format = match format {
            Some(format) => format,
            None => guess(&first).ok_or_else(|| {
                let names = TraceFormat::ALL.map(TraceFormat::name).join(", ");
                let found = String::from_utf8_lossy(&first[..first.len().min(60)]).into_owned();
                reader.wrong(format!("`{found}` has no known format; expected one of {names}"))
            })?,
        };
        if reader.format == TraceFormat::Csv {
            reader.looked_at = false;
            reader.columns = csv::Columns::of_header(&first).map_err(|message| reader.wrong(message))?;
        }
        Ok(reader)
    }

    /// Returns the format.
    pub fn format(&self) -> TraceFormat {
        self.format
    }

    /// Returns the next request, or `None` at the end.
    ///
    /// # Errors
    ///
    /// A line that is no request of the format, an address beyond the device, time that runs backwards, or
    /// input that ends in the middle (a cut gzip file).
    #[inline]
    pub fn next_access(&mut self) -> Result<Option<Access>, TraceError> {
        if !std::mem::take(&mut self.looked_at) && !self.next_line()? {
            return Ok(None);
        }
        let line = trimmed(&self.line);
        let parsed = match self.format {
            TraceFormat::Csv => self.columns.access(line),
            TraceFormat::DramSim3 => dramsim3::access(line),
            TraceFormat::Ramulator => ramulator::access(line),
        };
        match parsed.and_then(|request| self.checked(request)) {
            Ok(access) => {
                self.last_arrival = access.arrival;
                Ok(Some(access))
            }
            Err(message) => Err(self.wrong(message)),
        }
    }

    #[inline]
    fn checked(&self, request: Request) -> Result<Access, String> {
        let TraceLimits { capacity_bytes, access_bytes } = self.limits;
        let Request { arrival, address, write, bytes } = request;
        if address >= capacity_bytes {
            return Err(format!(
                "address {address:#x} is beyond the device; expected an address below {capacity_bytes:#x} ({} \
                 MiB)",
                capacity_bytes >> 20
            ));
        }
        let arrival = arrival.unwrap_or(0);
        if arrival < self.last_arrival {
            return Err(format!(
                "arrival {arrival} is before {}, the arrival of the previous request; expected requests in order of time",
                self.last_arrival
            ));
        }
        if arrival > LAST_ARRIVAL {
            return Err(format!("arrival {arrival} is too late; expected at most clock {LAST_ARRIVAL}"));
        }
        let offset = (address % u64::from(access_bytes)) as u32;
        match bytes {
            None => Ok(Access { arrival, address, bytes: access_bytes, write }),
            Some(bytes) if bytes > 0 && offset.checked_add(bytes).is_some_and(|end| end <= access_bytes) => {
                Ok(Access { arrival, address, bytes, write })
            }
            Some(bytes) => Err(format!(
                "{bytes} bytes from {address:#x}; expected at least 1 byte, and all bytes within one access of \
                 {access_bytes} bytes"
            )),
        }
    }

    /// Reads the next line that is not empty or a comment; returns false at the end.
    #[inline]
    fn next_line(&mut self) -> Result<bool, TraceError> {
        loop {
            self.line.clear();
            self.number += 1;
            // Reads only enough to detect that the line is too long: a file without line ends may be endless.
            let mut line = Read::take(&mut self.input, LONGEST_LINE as u64 + 1);
            match line.read_until(b'\n', &mut self.line) {
                Ok(0) => return Ok(false),
                Ok(_) => {}
                Err(error) => return Err(self.wrong(unreadable(&error))),
            }
            if self.line.len() > LONGEST_LINE {
                return Err(self.wrong(format!(
                    "the line is longer than {LONGEST_LINE} bytes; expected a line of text"
                )));
            }
            let line = trimmed(&self.line);
            if !line.is_empty() && line[0] != b'#' {
                return Ok(true);
            }
        }
    }

    fn wrong(&self, message: String) -> TraceError {
        TraceError { line: self.number, message }
    }
}

const LONGEST_LINE: usize = 4096;

fn unreadable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            "the compressed file ends early and may be truncated; expected a complete file".to_owned()
        }
        _ => format!("cannot be read: {error}"),
    }
}

fn guess(line: &[u8]) -> Option<TraceFormat> {
    let words: Vec<&[u8]> = words(line).collect();
    if line.contains(&b',') || words == [b"address"] {
        return Some(TraceFormat::Csv);
    }
    match words.as_slice() {
        [first, _] if operation(first).is_some() => Some(TraceFormat::Ramulator),
        [_, second, _] if operation(second).is_some() => Some(TraceFormat::DramSim3),
        _ => None,
    }
}

#[inline]
fn trimmed(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii()
}
