//! Packets wherever a capture is asked for: those of a file, or those of a link that is described.

use crate::error::Error;
use crate::link::DescribedLink;
use linecard_traffic::generators::LinkPackets;
use linecard_traffic::{
    CaptureReader, Compression, DamageReport, OpenOptions, Packet, PacketSource, TrafficError, open,
};
use std::path::PathBuf;

/// Packets of a capture or of a described link, one after another.
pub struct PacketInput {
    source: Source,
}

enum Source {
    Capture { reader: Box<CaptureReader>, path: PathBuf, options: OpenOptions },
    Link { packets: LinkPackets, title: String },
}

/// Why there are no packets.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The description of a link cannot be used.
    #[error(transparent)]
    Link(#[from] Error),
    /// The capture cannot be read.
    #[error(transparent)]
    Capture(#[from] TrafficError),
}

impl From<InputError> for Error {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Link(error) => error,
            InputError::Capture(error) => Error::Traffic(error.to_string()),
        }
    }
}

impl PacketInput {
    /// Opens a capture; or draws at least so many packets of a described link, and no fewer than its description says.
    ///
    /// # Errors
    ///
    /// When the capture cannot be opened or is none, or when no link can be as it is described.
    pub fn open(name: &str, packets: u64, strict: bool) -> Result<Self, InputError> {
        let source = match DescribedLink::named(name) {
            Some(link) => {
                let link = link?;
                Source::Link { packets: link.packets(packets)?, title: link.title() }
            }
            None => {
                let (path, options) = (PathBuf::from(name), OpenOptions { format: None, strict });
                Source::Capture { reader: Box::new(open(&path, &options)?), path, options }
            }
        };
        Ok(Self { source })
    }

    /// What a described link is; nothing for a capture.
    pub fn title(&self) -> Option<&str> {
        match &self.source {
            Source::Capture { .. } => None,
            Source::Link { title, .. } => Some(title),
        }
    }

    /// The format of a capture, or that it is none.
    pub fn format(&self) -> &'static str {
        self.capture().map_or("described link", |reader| reader.format().name())
    }

    /// How a capture is compressed.
    pub fn compression(&self) -> Compression {
        self.capture().map_or(Compression::None, CaptureReader::compression)
    }

    /// What was found in a capture.
    pub fn report(&self) -> Option<&DamageReport> {
        self.capture().map(CaptureReader::report)
    }

    /// Bytes read of a capture, and in all, 0 where nobody knows; nothing is read of a described link.
    pub fn file_bytes(&self) -> (u64, u64) {
        self.capture().map_or((0, 0), |reader| {
            let progress = reader.progress();
            (progress.file_bytes_read, progress.file_bytes_total.unwrap_or(0))
        })
    }

    /// What the capture kept of the packet at hand.
    pub fn captured(&self) -> &[u8] {
        self.capture().map_or(&[], CaptureReader::frame)
    }

    /// Begins a capture again; nothing for a described link, which has an end.
    pub fn begin_again(&mut self) -> Option<Result<(), TrafficError>> {
        match &mut self.source {
            Source::Capture { reader, path, options } => {
                Some(open(path, options).map(|again| **reader = again))
            }
            Source::Link { .. } => None,
        }
    }

    fn capture(&self) -> Option<&CaptureReader> {
        match &self.source {
            Source::Capture { reader, .. } => Some(reader),
            Source::Link { .. } => None,
        }
    }
}

impl PacketSource for PacketInput {
    fn next_packet(&mut self) -> Result<Option<Packet>, TrafficError> {
        match &mut self.source {
            Source::Capture { reader, .. } => reader.next_packet(),
            Source::Link { packets, .. } => packets.next_packet(),
        }
    }
}
