//! A window over a stream of bytes.
//!
//! It has one buffer, refilled in large reads; records are used in place. The buffer grows only for a record
//! larger than itself, and no reader requests more than the largest plausible record, so memory does not grow
//! with the length of the capture.

use std::io::{ErrorKind, Read};
use std::ops::Range;

/// Large enough that refills are rare, small enough to stay in a second-level cache beside the decompressor's
/// own window.
const WINDOW_BYTES: usize = 256 << 10;

pub(crate) struct ByteStream {
    source: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Offset in the stream of `buffer[start]`.
    offset: u64,
    ended: bool,
    failure: Option<std::io::Error>,
    failed: bool,
    /// The current packet's frame, in `buffer`.
    frame: Range<usize>,
    /// Bytes of the current record, released with the next request.
    pending: usize,
}

impl ByteStream {
    pub(crate) fn new(source: Box<dyn Read + Send>) -> Self {
        Self {
            source,
            buffer: vec![0; WINDOW_BYTES],
            start: 0,
            end: 0,
            offset: 0,
            ended: false,
            failure: None,
            failed: false,
            frame: 0..0,
            pending: 0,
        }
    }

    /// Returns the offset in the stream of the next byte of [`peek`](Self::peek).
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the next `bytes` bytes; fewer only at the end of the stream.
    #[inline]
    pub(crate) fn peek(&mut self, bytes: usize) -> &[u8] {
        if self.end - self.start < bytes {
            self.refill(bytes);
        }
        &self.buffer[self.start..self.end.min(self.start + bytes)]
    }

    /// Releases bytes that have been peeked at.
    #[inline]
    pub(crate) fn consume(&mut self, bytes: usize) {
        debug_assert!(bytes <= self.end - self.start);
        self.start += bytes;
        self.offset += bytes as u64;
    }

    /// Declares a peeked record of `bytes` bytes with its frame at `frame`; it stays readable until
    /// [`finish_record`](Self::finish_record).
    #[inline]
    pub(crate) fn hold_record(&mut self, bytes: usize, frame: Range<usize>) -> &[u8] {
        self.pending = bytes;
        self.frame = self.start + frame.start..self.start + frame.end;
        &self.buffer[self.frame.clone()]
    }

    #[inline]
    pub(crate) fn finish_record(&mut self) {
        let bytes = std::mem::take(&mut self.pending);
        self.frame = 0..0;
        self.consume(bytes);
    }

    /// The frame of the record being held.
    pub(crate) fn frame(&self) -> &[u8] {
        &self.buffer[self.frame.clone()]
    }

    /// Returns the first failure of the source, once.
    pub(crate) fn take_failure(&mut self) -> Option<std::io::Error> {
        self.failure.take()
    }

    /// Returns whether the stream ended because its source failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed
    }

    #[cold]
    fn refill(&mut self, bytes: usize) {
        debug_assert!(self.pending == 0, "a held record may not move");
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.buffer.len() < bytes {
            self.buffer.resize(bytes, 0);
        }
        while self.end < bytes && !self.ended {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.ended = true;
                    self.failed = true;
                    self.failure = Some(error);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Delivers one byte at a time, then fails.
    struct Drip(u8);

    impl Read for Drip {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            if self.0 == 10 {
                return Err(std::io::Error::other("broken"));
            }
            out[0] = self.0;
            self.0 += 1;
            Ok(1)
        }
    }

    #[test]
    fn delivers_what_came_before_a_failure() {
        let mut stream = ByteStream::new(Box::new(Drip(0)));
        assert_eq!(stream.peek(4), [0, 1, 2, 3]);
        stream.consume(3);
        assert_eq!(stream.peek(100), [3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(stream.offset(), 3);
        assert!(stream.has_failed());
        assert_eq!(stream.take_failure().map(|e| e.to_string()), Some("broken".to_owned()));
        assert!(stream.take_failure().is_none());
    }

    #[test]
    fn grows_for_a_record_beyond_the_window() {
        let bytes = vec![7; 3 * WINDOW_BYTES];
        let mut stream = ByteStream::new(Box::new(std::io::Cursor::new(bytes)));
        assert_eq!(stream.peek(2 * WINDOW_BYTES).len(), 2 * WINDOW_BYTES);
        stream.consume(2 * WINDOW_BYTES);
        assert_eq!(stream.peek(2 * WINDOW_BYTES).len(), WINDOW_BYTES);
    }
}
