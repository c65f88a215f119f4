//! Writes the packets of a run to a capture: sent packets by port, and lost, punted or dropped packets by reason,
//! each at its time.

use super::copies::Copies;
use crate::arrivals::BytesSink;
use linecard_chip::{Chip, Departure, Lost};
use linecard_executed::Framer;
use linecard_files::{Error, Spool, WholeFile};
use linecard_program::PacketHead;
use linecard_sim::{Ticks, Timebase};
use linecard_traffic::write_pcapng::{PacketBlock, interface, section};
use linecard_traffic::{LinkType, Payload};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::rc::Rc;

/// Length of an Ethernet header without tags.
const LINK_BYTES: usize = 14;
/// The name for packets that their program ended.
const ENDED: &str = "ended by the program";

/// The packet that waited longest: its wait, and the position of its block.
struct Longest {
    latency: Ticks,
    begins: u64,
    ends: u64,
}

struct Writing {
    spool: Spool,
    copies: Copies,
    timebase: Timebase,
    /// Numbers of interfaces by their names.
    interfaces: BTreeMap<String, u32>,
    ports: Vec<String>,
    at: u64,
    longest: Option<Longest>,
    /// Packets whose bytes were not kept.
    without_bytes: u64,
    error: Option<io::Error>,
}

/// A capture that is being written.
pub(super) struct PacketsOut {
    file: WholeFile,
    writing: Rc<RefCell<Writing>>,
}

impl PacketsOut {
    /// Observes a chip, and writes the packets that leave it to a file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn listen(file: WholeFile, chip: &mut Chip, copies: Copies) -> Result<Self, Error> {
        let ports: Vec<String> = chip.config().ports.iter().map(|port| port.name.clone()).collect();
        let mut writing = Writing {
            spool: file.spool()?,
            copies,
            timebase: chip.timebase(),
            interfaces: BTreeMap::new(),
            ports,
            at: 0,
            longest: None,
            without_bytes: 0,
            error: None,
        };
        writing.write(&section(concat!("Linecard ", env!("CARGO_PKG_VERSION"))));
        let sends = |number: &usize| chip.config().ports[*number].transmit.is_some();
        for number in (0..writing.ports.len()).filter(sends).collect::<Vec<_>>() {
            let name = writing.ports[number].clone();
            writing.interface(&name);
        }
        let writing = Rc::new(RefCell::new(writing));
        let (left, lost) = (Rc::clone(&writing), Rc::clone(&writing));
        chip.on_departure(Box::new(move |departure| left.borrow_mut().departs(departure)));
        chip.on_loss(Box::new(move |packet| lost.borrow_mut().loses(packet)));
        Ok(Self { file, writing })
    }

    /// Names the file, and adds a comment to the packet that waited longest. Returns a note for the user.
    ///
    /// # Errors
    /// If any part of it could not be written.
    pub fn finish(self) -> Result<Option<String>, Error> {
        let Self { mut file, writing } = self;
        let mut writing = writing.borrow_mut();
        let copied = writing.copy_to(&mut file);
        file.finish_after(copied)?;
        let skipped = writing.without_bytes;
        Ok((skipped > 0).then(|| {
            format!("{skipped} packets are not in the capture of departing packets: they are neither IP packets nor \
                     Ethernet frames")
        }))
    }
}

/// Returns a sink that keeps copies of arriving packets, as Ethernet frames.
pub(super) fn copies_sink(copies: &Copies, seed: u64) -> BytesSink {
    let mut framer = Framer::new(Payload::Random, seed);
    let copies = copies.clone();
    Box::new(move |packet, captured, _| {
        let has_link = packet.link == LinkType::ETHERNET && captured.len() >= usize::from(packet.ip_offset);
        let ip_at = if has_link { usize::from(packet.ip_offset).max(LINK_BYTES) } else { LINK_BYTES };
        copies.keep(ip_at, |frame| framer.ethernet(packet, captured, frame))
    })
}

impl Writing {
    fn departs(&mut self, departure: &Departure) {
        let name = match departure.by_port {
            true => self.ports[usize::from(departure.output_port)].clone(),
            false => ENDED.to_owned(),
        };
        self.packet(&name, &departure.head, departure.at, departure.by_port.then_some(departure.latency));
    }

    fn loses(&mut self, lost: &Lost) {
        self.packet(&lost.loss.to_string(), &lost.head, lost.at, None);
    }

    fn packet(&mut self, interface: &str, head: &PacketHead, at: Ticks, latency: Option<Ticks>) {
        let interface = self.interface(interface);
        let time_ns = self.nanoseconds(at);
        let (copies, begins) = (self.copies.clone(), self.at);
        let written = copies.take(head, |bytes, wire_bytes| {
            let block = PacketBlock { interface, time_ns, bytes, wire_bytes, comment: None };
            self.bytes_of(|spool| block.write(spool));
        });
        if written.is_none() {
            self.without_bytes += 1;
        } else if let Some(latency) = latency
            && self.longest.as_ref().is_none_or(|longest| longest.latency < latency)
        {
            self.longest = Some(Longest { latency, begins, ends: self.at });
        }
    }

    fn nanoseconds(&self, ticks: Ticks) -> u64 {
        let ns = u128::from(ticks) * 1_000_000_000 / u128::from(self.timebase.ticks_per_second());
        u64::try_from(ns).unwrap_or(u64::MAX)
    }

    /// Returns the number of an interface; a new one is declared.
    fn interface(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.interfaces.get(name) {
            return number;
        }
        let number = self.interfaces.len() as u32;
        self.interfaces.insert(name.to_owned(), number);
        self.write(&interface(name, LinkType::ETHERNET));
        number
    }

    fn write(&mut self, bytes: &[u8]) {
        self.bytes_of(|spool| spool.write_all(bytes).map(|()| bytes.len() as u64));
    }

    /// Writes; keeps the first error, and writes nothing after it.
    fn bytes_of(&mut self, write: impl FnOnce(&mut Spool) -> io::Result<u64>) {
        if self.error.is_none() {
            match write(&mut self.spool) {
                Ok(bytes) => self.at += bytes,
                Err(error) => self.error = Some(error),
            }
        }
    }

    /// Copies the whole capture, with the comment added.
    fn copy_to(&mut self, file: &mut WholeFile) -> io::Result<()> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let Some(Longest { latency, begins, ends }) = self.longest else {
            self.spool.seek(SeekFrom::Start(0))?;
            return io::copy(&mut self.spool, file).map(drop);
        };
        self.spool.seek(SeekFrom::Start(0))?;
        io::copy(&mut Read::by_ref(&mut self.spool).take(begins), file)?;
        let mut block = vec![0; (ends - begins) as usize];
        self.spool.read_exact(&mut block)?;
        let word = |at: usize| u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]]);
        let (kept, ns) = (word(20) as usize, self.timebase.nanoseconds(latency));
        let comment = format!(
            "longest latency: {ns:.3} ns from the packet's last received bit to its last sent \
             bit"
        );
        let again = PacketBlock {
            interface: word(8),
            time_ns: u64::from(word(12)) << 32 | u64::from(word(16)),
            bytes: &block[28..28 + kept],
            wire_bytes: word(24),
            comment: Some(&comment),
        };
        again.write(file)?;
        io::copy(&mut self.spool, file).map(drop)
    }
}
