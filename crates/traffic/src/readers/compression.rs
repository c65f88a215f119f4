//! Compression, detected by its signature and never by a file's name.

use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Size of one read from the file.
const FILE_BUFFER_BYTES: usize = 128 << 10;

/// How a capture is compressed.
#[derive(Clone, Copy, Debug, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip (RFC 1952), any number of members.
    Gzip,
    /// Zstandard (RFC 8878), any number of frames.
    Zstd,
    /// bzip2, any number of streams.
    Bzip2,
}

impl Compression {
    fn sniff(start: &[u8]) -> Self {
        match start {
            [0x1f, 0x8b, 8, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            // A skippable zstd frame may come first.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Self::Bzip2,
            _ => Self::None,
        }
    }
}

/// Returns the name of an unsupported compression, if the file has one.
fn packed_otherwise(start: &[u8]) -> Option<&'static str> {
    match start {
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => {
            Some("an xz file, which Linecard cannot unpack (use `xz -d` first)")
        }
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => Some("a 7z archive (unpack it first)"),
        [b'P', b'K', 3, 4, ..] => Some("a zip archive (unpack it first)"),
        [0x04, 0x22, 0x4d, 0x18, ..] => {
            Some("an lz4 file, which Linecard cannot unpack (use `lz4 -d` first)")
        }
        _ => None,
    }
}

/// Counts the bytes read from the file, for progress.
struct Counted<R> {
    inner: R,
    bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(out)?;
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Wraps a file in its decompressor. The counter is the number of the file's bytes that have been read.
pub(crate) fn decompress(
    file: impl Read + Send + 'static,
    bytes_read: Arc<AtomicU64>,
) -> io::Result<(Compression, Box<dyn Read + Send>)> {
    let mut buffered =
        BufReader::with_capacity(FILE_BUFFER_BYTES, Counted { inner: file, bytes: bytes_read });
    let start = buffered.fill_buf()?;
    if let Some(packed) = packed_otherwise(start) {
        return Err(io::Error::new(io::ErrorKind::Unsupported, packed));
    }
    let compression = Compression::sniff(start);
    let reader: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(buffered),
        Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(buffered)),
        Compression::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(buffered)?),
        Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(buffered)),
    };
    Ok((compression, reader))
}
