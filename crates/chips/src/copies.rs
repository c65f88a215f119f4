//! Copies of packets that wait until the packets leave or are lost, to be written to a capture.

use linecard_program::{NetworkKind, PacketHead};
use linecard_traffic::rewrite::{Ipv4Fields, rewrite_ipv4};
use std::cell::RefCell;
use std::rc::Rc;

/// Offset of the hop limit in an IPv6 header.
const HOPS_AT: usize = 7;

/// A frame without its check sequence.
#[derive(Debug, Default)]
struct Copy {
    bytes: Vec<u8>,
    /// Offset of its IP packet.
    ip_at: usize,
    /// Whether an executed program has written it.
    is_written: bool,
}

/// Copies by number, counted from 1; the numbers of removed copies are reused.
#[derive(Debug, Default)]
struct Store {
    kept: Vec<Copy>,
    free: Vec<u32>,
}

/// The copies of a run, shared by the traffic, the programs and the chip.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies(Rc<RefCell<Store>>);

impl Copies {
    /// Keeps the frame that `write` writes into an empty buffer, whose IP packet begins at `ip_at`, and returns its
    /// number; 0 if it writes none.
    pub fn keep(&self, ip_at: usize, write: impl FnOnce(&mut Vec<u8>) -> bool) -> u32 {
        let Store { kept, free } = &mut *self.0.borrow_mut();
        let number = free.pop().unwrap_or_else(|| {
            kept.push(Copy::default());
            kept.len() as u32
        });
        let copy = &mut kept[number as usize - 1];
        copy.bytes.clear();
        (copy.ip_at, copy.is_written) = (ip_at, false);
        if write(&mut copy.bytes) {
            return number;
        }
        free.push(number);
        0
    }

    /// Replaces a frame with the one that a program wrote or, if the program left the link header, its IP packet.
    pub fn write(&self, number: u32, bytes: &[u8], keeps_link: bool) {
        if number == 0 {
            return;
        }
        let copy = &mut self.0.borrow_mut().kept[number as usize - 1];
        copy.bytes.truncate(if keeps_link { copy.ip_at } else { 0 });
        copy.bytes.extend_from_slice(bytes);
        copy.is_written = true;
    }

    /// Passes the frame of a packet as it leaves, with its length on the wire, to `use_it`, and removes the copy;
    /// returns `None` if none was kept. Of bytes that a program of steps adds, only the number is known.
    pub fn take<T>(&self, head: &PacketHead, use_it: impl FnOnce(&[u8], u32) -> T) -> Option<T> {
        let number = head.kept;
        if number == 0 {
            return None;
        }
        let mut store = self.0.borrow_mut();
        let copy = &mut store.kept[number as usize - 1];
        if head.network == NetworkKind::Ipv4 && !copy.is_written {
            let fields = Ipv4Fields {
                ttl: head.ttl,
                source: head.source,
                destination: head.destination,
                ports: [head.source_port, head.destination_port],
            };
            let ip_at = copy.ip_at.min(copy.bytes.len());
            rewrite_ipv4(&mut copy.bytes[ip_at..], &fields);
        }
        if head.network == NetworkKind::Ipv6
            && !copy.is_written
            && let Some(hops) = copy.bytes.get_mut(copy.ip_at + HOPS_AT)
        {
            *hops = head.ttl;
        }
        let grown = if copy.is_written { 0 } else { head.grown_bytes };
        let wire_bytes = (copy.bytes.len() as u32).saturating_add_signed(grown);
        let kept = copy.bytes.len().min(wire_bytes as usize);
        let result = use_it(&copy.bytes[..kept], wire_bytes);
        store.free.push(number);
        Some(result)
    }
}
