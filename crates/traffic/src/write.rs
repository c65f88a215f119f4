//! Writing captures: pcap with nanoseconds, plain or inside gzip.

use crate::{LinkType, Packet, TrafficError, frame};
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use linecard_words::Mismatch;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

const MAGIC_NANOSECONDS: u32 = 0xa1b2_3c4d;
const NS_PER_SECOND: u64 = 1_000_000_000;

/// The destination of the bytes.
enum Output<W: Write> {
    Plain(W),
    // The state of a compressor is large.
    Gzip(Box<GzEncoder<W>>),
}

impl<W: Write> Output<W> {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(writer) => writer.write_all(bytes),
            Self::Gzip(writer) => writer.write_all(bytes),
        }
    }

    fn finish(self) -> io::Result<W> {
        match self {
            Self::Plain(writer) => Ok(writer),
            Self::Gzip(writer) => writer.finish(),
        }
    }
}

/// Writes packets to a pcap file, little-endian, with times in nanoseconds.
pub struct PcapWriter<W: Write> {
    file: PathBuf,
    output: Output<W>,
    link: LinkType,
    snap_bytes: u32,
    scratch: Vec<u8>,
}

impl PcapWriter<BufWriter<File>> {
    /// Creates a file; a name ending in `.gz` makes it compressed.
    ///
    /// # Errors
    ///
    /// When the file cannot be created or written.
    pub fn create(path: &Path, link: LinkType, snap_bytes: u32) -> Result<Self, TrafficError> {
        let io_error = |source| TrafficError::Io { file: path.to_owned(), action: "create", source };
        let writer = BufWriter::new(File::create(path).map_err(io_error)?);
        let gzip = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
        Self::with_name(path.to_owned(), writer, link, snap_bytes, gzip)
    }
}

impl<W: Write> PcapWriter<W> {
    /// Writes to a writer.
    ///
    /// # Errors
    ///
    /// If the file header cannot be written.
    pub fn new(writer: W, link: LinkType, snap_bytes: u32, gzip: bool) -> Result<Self, TrafficError> {
        Self::with_name(PathBuf::from("output"), writer, link, snap_bytes, gzip)
    }

    fn with_name(
        file: PathBuf,
        writer: W,
        link: LinkType,
        snap_bytes: u32,
        gzip: bool,
    ) -> Result<Self, TrafficError> {
        let output = if gzip {
            // No name and no time, so that equal packets make equal files.
            Output::Gzip(Box::new(GzBuilder::new().mtime(0).write(writer, Compression::best())))
        } else {
            Output::Plain(writer)
        };
        let mut this = Self { file, output, link, snap_bytes, scratch: Vec::new() };
        let mut header = Vec::with_capacity(24);
        header.extend_from_slice(&MAGIC_NANOSECONDS.to_le_bytes());
        header.extend_from_slice(&[2, 0, 4, 0]);
        header.extend_from_slice(&[0; 8]);
        header.extend_from_slice(&snap_bytes.to_le_bytes());
        header.extend_from_slice(&u32::from(link.number()).to_le_bytes());
        this.write_bytes(&header)?;
        Ok(this)
    }

    /// Writes a packet with the stated bytes, cut to the snapshot length.
    ///
    /// # Errors
    ///
    /// If writing fails, or the time is beyond the range of pcap (the year 2106).
    pub fn write_frame(&mut self, packet: &Packet, frame: &[u8]) -> Result<(), TrafficError> {
        let seconds = u32::try_from(packet.time_ns / NS_PER_SECOND).map_err(|_| {
            TrafficError::BadParameter(Mismatch::new(
                "time of a packet in the output capture",
                format!("{} ns", packet.time_ns),
                "at most 2^32 seconds, the range of pcap",
            ))
        })?;
        let frame = &frame[..frame.len().min(self.snap_bytes as usize)];
        let mut header = [0; 16];
        header[0..4].copy_from_slice(&seconds.to_le_bytes());
        header[4..8].copy_from_slice(&((packet.time_ns % NS_PER_SECOND) as u32).to_le_bytes());
        header[8..12].copy_from_slice(&(frame.len() as u32).to_le_bytes());
        header[12..16].copy_from_slice(&packet.wire_bytes.to_le_bytes());
        self.write_bytes(&header)?;
        self.write_bytes(frame)
    }

    /// Writes a packet without captured bytes, with headers made by [`frame::build`].
    pub fn write_headers(&mut self, packet: &Packet) -> Result<(), TrafficError> {
        let mut scratch = std::mem::take(&mut self.scratch);
        frame::build(packet, self.link, self.snap_bytes, &mut scratch);
        let result = self.write_frame(packet, &scratch);
        self.scratch = scratch;
        result
    }

    /// Ends the file and returns the writer. Without this call, the end of a compressed file is missing.
    ///
    /// # Errors
    ///
    /// If the last bytes cannot be written.
    pub fn finish(self) -> Result<W, TrafficError> {
        let Self { file, output, .. } = self;
        let io_error = |source| TrafficError::Io { file, action: "write", source };
        output
            .finish()
            .and_then(|mut writer| {
                writer.flush()?;
                Ok(writer)
            })
            .map_err(io_error)
    }

    fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), TrafficError> {
        self.output.write_all(bytes).map_err(|source| TrafficError::Io {
            file: self.file.clone(),
            action: "write",
            source,
        })
    }
}
