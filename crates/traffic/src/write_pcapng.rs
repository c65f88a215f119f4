//! Writing pcapng (draft-ietf-opsawg-pcapng): one section, little-endian, interfaces with a name, times in nanoseconds, comments.

use crate::LinkType;
use std::io::{self, Write};

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;

const OPTION_END: u16 = 0;
const OPTION_COMMENT: u16 = 1;
const OPTION_NAME: u16 = 2;
const OPTION_APPLICATION: u16 = 4;
const OPTION_TIME_RESOLUTION: u16 = 9;
/// Ten to the minus nine.
const NANOSECONDS: u8 = 9;
/// Most bytes of a text option.
const MOST_OPTION_BYTES: usize = 65_535;

/// A packet to be written.
#[derive(Clone, Copy, Debug)]
pub struct PacketBlock<'a> {
    /// Number of its interface, in the order in which they were declared.
    pub interface: u32,
    /// Time in nanoseconds.
    pub time_ns: u64,
    /// Bytes.
    pub bytes: &'a [u8],
    /// Length on the wire without the check sequence.
    pub wire_bytes: u32,
    /// Comment.
    pub comment: Option<&'a str>,
}

/// Returns the header of the section.
pub fn section(application: &str) -> Vec<u8> {
    let mut body = Vec::new();
    body.extend(BYTE_ORDER_MAGIC.to_le_bytes());
    // Version 1.0, and a length that is not known.
    body.extend([1, 0, 0, 0]);
    body.extend(u64::MAX.to_le_bytes());
    option(&mut body, OPTION_APPLICATION, application.as_bytes());
    option(&mut body, OPTION_END, &[]);
    block(SECTION_HEADER, &body)
}

/// Returns the description of an interface.
pub fn interface(name: &str, link: LinkType) -> Vec<u8> {
    let mut body = Vec::new();
    body.extend(link.number().to_le_bytes());
    // Reserved, and a snapshot length of any size.
    body.extend([0; 6]);
    option(&mut body, OPTION_NAME, name.as_bytes());
    option(&mut body, OPTION_TIME_RESOLUTION, &[NANOSECONDS]);
    option(&mut body, OPTION_END, &[]);
    block(INTERFACE_DESCRIPTION, &body)
}

impl PacketBlock<'_> {
    /// Writes the block. Returns its length in bytes.
    ///
    /// # Errors
    ///
    /// The error of the writer.
    pub fn write(&self, output: &mut impl Write) -> io::Result<u64> {
        let mut body = Vec::with_capacity(self.bytes.len() + 64);
        body.extend(self.interface.to_le_bytes());
        body.extend(((self.time_ns >> 32) as u32).to_le_bytes());
        body.extend((self.time_ns as u32).to_le_bytes());
        body.extend((self.bytes.len() as u32).to_le_bytes());
        body.extend(self.wire_bytes.to_le_bytes());
        body.extend(self.bytes);
        pad(&mut body);
        if let Some(comment) = self.comment {
            option(&mut body, OPTION_COMMENT, comment.as_bytes());
            option(&mut body, OPTION_END, &[]);
        }
        let block = block(ENHANCED_PACKET, &body);
        output.write_all(&block)?;
        Ok(block.len() as u64)
    }
}

fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    let value = &value[..value.len().min(MOST_OPTION_BYTES)];
    body.extend(code.to_le_bytes());
    body.extend((value.len() as u16).to_le_bytes());
    body.extend(value);
    pad(body);
}

fn pad(body: &mut Vec<u8>) {
    body.resize(body.len().next_multiple_of(4), 0);
}

/// Type, length, body, length again.
fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32 + 12).to_le_bytes();
    [&kind.to_le_bytes(), &length, body, &length].concat()
}
