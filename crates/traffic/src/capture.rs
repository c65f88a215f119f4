//! Opens a capture and reads it packet by packet.

use crate::format::SNIFF_BYTES;
use crate::readers::compression::{self, Compression};
use crate::readers::csv::Csv;
use crate::readers::erf::Erf;
use crate::readers::legacy_dag::LegacyDag;
use crate::readers::pcap::Pcap;
use crate::readers::pcapng::{self, PcapNg};
use crate::readers::stream::ByteStream;
use crate::readers::tsh::Tsh;
use crate::readers::{Container, NS_PER_SECOND};
use crate::report::{DamageKind, DamageReport, Place, Words};
use crate::{Decoded, Format, LinkType, Packet, PacketSource, TrafficError};
use serde::Serialize;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A packet further out of order means a broken clock, not a merge of queues.
const MAX_REORDERING_NS: u64 = NS_PER_SECOND;
/// A longer gap is reported as a notice.
const CLOCK_JUMP_NS: u64 = 86_400 * NS_PER_SECOND;

/// How to open a capture.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenOptions {
    /// The format; `None` detects it from the content.
    pub format: Option<Format>,
    /// Stop at the first damage with [`TrafficError::Damaged`].
    pub strict: bool,
}

/// The progress of reading a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Bytes read from the file, before decompression.
    pub file_bytes_read: u64,
    /// Size of the file, if it has one (a pipe has none).
    pub file_bytes_total: Option<u64>,
}

/// An enum instead of a trait object, so that the per-packet call can be inlined.
enum AnyContainer {
    Pcap(Pcap),
    PcapNg(PcapNg),
    Erf(Erf),
    Tsh(Tsh),
    LegacyDag(LegacyDag),
    Csv(Csv),
}

impl AnyContainer {
    fn open(format: Format, stream: &mut ByteStream, file: &Path) -> Result<Self, TrafficError> {
        let bad_header = |(found, expected)| TrafficError::BadHeader {
            file: file.to_owned(),
            byte_offset: 0,
            found,
            expected,
        };
        Ok(match format {
            Format::Pcap => Self::Pcap(Pcap::open(stream).map_err(bad_header)?),
            Format::PcapNg if pcapng::sniff(stream.peek(12)) => Self::PcapNg(PcapNg::new()),
            Format::PcapNg => {
                let found = format!("{:02x?}", stream.peek(12));
                return Err(bad_header((found, "a pcapng section header".to_owned())));
            }
            Format::Erf => Self::Erf(Erf::default()),
            Format::Tsh => Self::Tsh(Tsh),
            Format::LegacyDag => {
                let layout = LegacyDag::sniff(stream.peek(SNIFF_BYTES)).ok_or_else(|| {
                    bad_header((
                        "records in an unknown layout".to_owned(),
                        "64-byte legacy DAG records of an ATM, Ethernet or POS card".to_owned(),
                    ))
                })?;
                Self::LegacyDag(layout)
            }
            Format::Csv => {
                let csv = Csv::open(stream).map_err(|(line, (found, expected))| TrafficError::BadLine {
                    file: file.to_owned(),
                    line,
                    found,
                    expected,
                })?;
                Self::Csv(csv)
            }
        })
    }

    #[inline]
    fn next_packet(
        &mut self,
        stream: &mut ByteStream,
        report: &mut DamageReport,
    ) -> Result<Option<Packet>, TrafficError> {
        match self {
            Self::Pcap(container) => container.next_packet(stream, report),
            Self::PcapNg(container) => container.next_packet(stream, report),
            Self::Erf(container) => container.next_packet(stream, report),
            Self::Tsh(container) => container.next_packet(stream, report),
            Self::LegacyDag(container) => container.next_packet(stream, report),
            Self::Csv(container) => container.next_packet(stream, report),
        }
    }

    /// Returns the location of the packet that was just delivered.
    fn place(&self, stream: &ByteStream) -> Place {
        match self {
            Self::Csv(container) => container.place(),
            // The record is held until the next packet, so the stream is still before it.
            _ => Place::at(stream.offset()),
        }
    }

    fn link_type(&self) -> Option<LinkType> {
        match self {
            Self::Pcap(container) => container.link_type(),
            Self::PcapNg(container) => container.link_type(),
            Self::Erf(container) => container.link_type(),
            Self::Tsh(container) => container.link_type(),
            Self::LegacyDag(container) => container.link_type(),
            Self::Csv(container) => container.link_type(),
        }
    }
}

/// Opens a capture file.
///
/// # Errors
///
/// If the file cannot be opened, is empty, is in no known format, or its file header is damaged.
pub fn open(path: &Path, options: &OpenOptions) -> Result<CaptureReader, TrafficError> {
    let io_error = |source| TrafficError::Io { file: path.to_owned(), action: "open", source };
    let file = File::open(path).map_err(io_error)?;
    let metadata = file.metadata().map_err(io_error)?;
    if metadata.is_dir() {
        return Err(io_error(std::io::ErrorKind::IsADirectory.into()));
    }
    let total = metadata.is_file().then_some(metadata.len());
    CaptureReader::new(path.to_owned(), file, total, options)
}

/// A capture being read.
pub struct CaptureReader {
    stream: ByteStream,
    container: AnyContainer,
    report: DamageReport,
    format: Format,
    compression: Compression,
    file_bytes_read: Arc<AtomicU64>,
    file_bytes_total: Option<u64>,
    previous_time_ns: Option<u64>,
    unknown_link_noted: bool,
    /// Set at the end and after an error: the stream is not read any further.
    ended: bool,
}

impl CaptureReader {
    /// Reads a capture from a reader; messages call it `name`, and the ending of `name` counts as that of a
    /// file.
    ///
    /// # Errors
    ///
    /// As [`open`].
    pub fn from_reader(
        name: &str,
        reader: impl Read + Send + 'static,
        options: &OpenOptions,
    ) -> Result<Self, TrafficError> {
        Self::new(PathBuf::from(name), reader, None, options)
    }

    fn new(
        file: PathBuf,
        reader: impl Read + Send + 'static,
        file_bytes_total: Option<u64>,
        options: &OpenOptions,
    ) -> Result<Self, TrafficError> {
        let io_error = |source| TrafficError::Io { file: file.clone(), action: "read", source };
        let file_bytes_read = Arc::new(AtomicU64::new(0));
        let (compression, reader) =
            compression::decompress(reader, Arc::clone(&file_bytes_read)).map_err(io_error)?;
        let mut stream = ByteStream::new(reader);
        let start = stream.peek(SNIFF_BYTES);
        let format = options.format.or_else(|| Format::sniff(start, &file));
        let Some(format) = format.filter(|_| !start.is_empty()) else {
            let found = format!("{:02x?}", &start[..start.len().min(16)]);
            return Err(match stream.take_failure() {
                Some(source) => io_error(source),
                None if stream.peek(1).is_empty() => TrafficError::Empty { file },
                None => TrafficError::UnknownFormat { file, found },
            });
        };
        let container = AnyContainer::open(format, &mut stream, &file)?;
        let report = DamageReport::new(&file, options.strict);
        Ok(Self {
            stream,
            container,
            report,
            format,
            compression,
            file_bytes_read,
            file_bytes_total,
            previous_time_ns: None,
            unknown_link_noted: false,
            ended: false,
        })
    }

    /// Returns the format.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the compression of the file.
    #[must_use]
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// Returns the link type: of the file, or of the first interface or record; `None` for CSV and while it is
    /// not known.
    #[must_use]
    pub fn link_type(&self) -> Option<LinkType> {
        self.container.link_type()
    }

    /// Returns how much of the file has been read.
    #[must_use]
    pub fn progress(&self) -> Progress {
        Progress {
            file_bytes_read: self.file_bytes_read.load(Ordering::Relaxed),
            file_bytes_total: self.file_bytes_total,
        }
    }

    /// Returns the packets delivered so far.
    #[must_use]
    pub fn packets_delivered(&self) -> u64 {
        self.report.delivered()
    }

    /// Returns all findings so far; complete when [`next_packet`](PacketSource::next_packet) has returned
    /// `None`.
    #[must_use]
    pub fn report(&self) -> &DamageReport {
        &self.report
    }

    /// Returns the captured bytes of the last packet, from its link header on (for TSH, from the IP header on;
    /// for CSV, none).
    #[must_use]
    pub fn frame(&self) -> &[u8] {
        self.stream.frame()
    }

    #[inline]
    fn advance(&mut self) -> Result<Option<Packet>, TrafficError> {
        self.stream.finish_record();
        let Some(packet) = self.container.next_packet(&mut self.stream, &mut self.report)? else {
            self.note_failure()?;
            return Ok(None);
        };
        let place = self.container.place(&self.stream);
        self.check(&packet, place)?;
        self.report.count_delivered();
        Ok(Some(packet))
    }

    /// Records findings that only the sequence of packets, or the decoded packet, shows.
    fn check(&mut self, packet: &Packet, place: Place) -> Result<(), TrafficError> {
        let previous_ns = self.previous_time_ns.replace(packet.time_ns).unwrap_or(packet.time_ns);
        if packet.time_ns < previous_ns || packet.time_ns - previous_ns > CLOCK_JUMP_NS {
            self.note_time(previous_ns, packet.time_ns, place)?;
        }
        // Records of fixed size are padded, so only pcap and pcapng can contradict themselves here.
        let states_both = matches!(self.format, Format::Pcap | Format::PcapNg);
        if states_both && packet.captured_bytes > packet.wire_bytes {
            self.report.note(DamageKind::CapturedBeyondWire, place, || Words {
                found: format!(
                    "a captured length of {} bytes with a wire length of {} bytes",
                    packet.captured_bytes, packet.wire_bytes
                ),
                expected: "a captured length that does not exceed the wire length".to_owned(),
                action: "the packet was delivered with both lengths unchanged",
            })?;
        }
        match packet.decoded {
            Decoded::UnknownLinkType if !self.unknown_link_noted => {
                self.unknown_link_noted = true;
                self.report.note(DamageKind::UnknownLinkType, place, || Words {
                    found: format!("link type {}", packet.link.number()),
                    expected: "Ethernet, Linux cooked, raw IP, loopback, PPP or HDLC".to_owned(),
                    action: "all packets of unknown link types were delivered as opaque packets; only the first is reported",
                })
            }
            decoded if decoded.is_malformed() => {
                self.report.note(DamageKind::MalformedPacket, place, || Words {
                    found: decoded.key().replace('_', " "),
                    expected: "a sound network header".to_owned(),
                    action: "the packet was delivered without a flow",
                })
            }
            _ => Ok(()),
        }
    }

    #[cold]
    fn note_time(&mut self, previous_ns: u64, now_ns: u64, place: Place) -> Result<(), TrafficError> {
        let kind = if now_ns > previous_ns {
            DamageKind::ClockJump
        } else if previous_ns - now_ns > MAX_REORDERING_NS {
            DamageKind::TimeBackwards
        } else {
            DamageKind::Reordered
        };
        self.report.note(kind, place, || Words {
            found: format!(
                "time stamp {now_ns} ns in this packet, and {previous_ns} ns in the previous packet"
            ),
            expected: "time stamps in ascending order, less than a day apart".to_owned(),
            action: "the packet was delivered with its time stamp unchanged",
        })
    }

    /// Records a failure of the file or its decompressor, once.
    fn note_failure(&mut self) -> Result<(), TrafficError> {
        let Some(error) = self.stream.take_failure() else { return Ok(()) };
        let (kind, expected) = match self.compression {
            Compression::None => (DamageKind::ReadFailed, "a readable file"),
            _ => (DamageKind::Compression, "an intact compressed stream"),
        };
        self.report.note(kind, Place::at(self.stream.offset()), || Words {
            found: error.to_string(),
            expected: expected.to_owned(),
            action: "all data before this offset was read, and all data after it was skipped",
        })
    }
}

impl PacketSource for CaptureReader {
    #[inline]
    fn next_packet(&mut self) -> Result<Option<Packet>, TrafficError> {
        if self.ended {
            return Ok(None);
        }
        let result = self.advance();
        self.ended = !matches!(result, Ok(Some(_)));
        result
    }
}
