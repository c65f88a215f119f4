//! Packets wherever a capture is accepted: packets of a file, or of a described link.

use crate::error::{Error, problem};
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
    /// Opens a capture, or generates at least `packets` packets of a described link, and no fewer than its
    /// description states.
    ///
    /// # Errors
    ///
    /// If the capture cannot be opened or is not one, if no link can be as described, or if a described link is
    /// `strict`, although only captures have damaged records.
    pub fn open(name: &str, packets: u64, strict: bool) -> Result<Self, InputError> {
        let source = match DescribedLink::named(name) {
            Some(link) => {
                let link = link?;
                if strict {
                    let message =
                        format!("has no effect on the link profile {name}; pass a capture, or omit --strict");
                    return Err(
                        Error::Config { problems: vec![problem("--strict".into(), "", message)] }.into()
                    );
                }
                Source::Link { packets: link.packets(packets)?, title: link.title() }
            }
            None => {
                let (path, options) = (PathBuf::from(name), OpenOptions { format: None, strict });
                Source::Capture { reader: Box::new(open(&path, &options)?), path, options }
            }
        };
        Ok(Self { source })
    }

    /// Returns the title of a described link; `None` for a capture.
    pub fn title(&self) -> Option<&str> {
        match &self.source {
            Source::Capture { .. } => None,
            Source::Link { title, .. } => Some(title),
        }
    }

    /// Returns the format of a capture, or a text that it is not one.
    pub fn format(&self) -> &'static str {
        self.capture().map_or("described link", |reader| reader.format().name())
    }

    /// Returns the compression of a capture.
    pub fn compression(&self) -> Compression {
        self.capture().map_or(Compression::None, CaptureReader::compression)
    }

    /// Returns the findings in a capture.
    pub fn report(&self) -> Option<&DamageReport> {
        self.capture().map(CaptureReader::report)
    }

    /// Returns the bytes read of a capture, and its total bytes, 0 if unknown; nothing is read of a described link.
    pub fn file_bytes(&self) -> (u64, u64) {
        self.capture().map_or((0, 0), |reader| {
            let progress = reader.progress();
            (progress.file_bytes_read, progress.file_bytes_total.unwrap_or(0))
        })
    }

    /// Returns the captured bytes of the current packet.
    pub fn captured(&self) -> &[u8] {
        self.capture().map_or(&[], CaptureReader::frame)
    }

    /// Restarts a capture; `None` for a described link, which ends.
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
