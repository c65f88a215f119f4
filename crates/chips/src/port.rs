//! `[buffer.NAME]`, `[transmit]`, `[port.NAME]` and `[order]`.

use super::named_places::instance_name;
use super::scheduler::Classes;
use linecard_chip::config::{
    Looked, OrderConfig, OrderKept, PoolConfig, PortConfig, ReceiveConfig, Release, TransmitBufferConfig,
    TransmitConfig, TransmitRoom, TransmitSlotsConfig, Watermarks, WhenFull,
};
use linecard_config::Section;
use linecard_program::CELL_BYTES;

/// A receive buffer as the file names it.
struct Buffer {
    name: String,
    cells: u32,
    per_port: bool,
    release: Release,
}

/// The memories to which ports write packets and from which they read them: names of roles.
#[derive(Debug, Default)]
pub(super) struct Moves {
    pub receive_to: Option<(String, String)>,
    pub send_from: Option<(String, String)>,
}

/// All ports with their buffers.
pub(super) struct Ports {
    pub pools: Vec<PoolConfig>,
    pub ports: Vec<PortConfig>,
    pub moves: Moves,
    /// Links by name, one instance after another.
    links: Vec<String>,
    /// Whether ports send from a transmit buffer.
    sends_cells: bool,
}

fn buffers(root: &Section<'_>) -> Vec<Buffer> {
    let has = |table: &str, key: &str| root.sections(table).iter().any(|section| section.has(key));
    let by_packet = match (has("port", "receive_to"), has("cluster", "block_cells")) {
        (true, _) => Some("ports write packets to a memory (receive_to)"),
        (_, true) => Some("threads send block by block (block_cells)"),
        _ => None,
    };
    let read = |section: &Section<'_>| {
        let cells = cells(section);
        let releases = [("packet", Release::Packet), ("cell", Release::Cell)];
        let release = section.choice_or(
            "release",
            "packet",
            &releases,
            "when cells become free: all cells of a packet together, or each cell when it has been moved",
        );
        if let Some(why) = by_packet.filter(|_| release == Release::Cell) {
            let message = format!(
                "found `cell`, but {why}, so that the cells of a packet become free when all of it is in memory; \
                 expected packet"
            );
            section.fail("release", message);
        }
        let per = section.choice_or("per", "port", &[("port", true), ("chip", false)], "owner of a buffer");
        Buffer { name: section.name().to_owned(), cells, per_port: per, release }
    };
    root.sections("buffer").iter().map(read).collect()
}

/// Reads a size in cells or in bytes.
fn cells(section: &Section<'_>) -> u32 {
    let cells = section.integer_if("cells", 1..=1 << 26, "cells of 64 bytes");
    let bytes = section.integer_if("bytes", 64..=1 << 32, "size, a multiple of the cell size of 64 bytes");
    match (cells, bytes) {
        (Some(cells), None) => cells as u32,
        (None, Some(bytes)) => {
            if !bytes.is_multiple_of(u64::from(CELL_BYTES)) {
                section.fail(
                    "bytes",
                    format!("{bytes} bytes are not a whole number of cells of {CELL_BYTES} bytes"),
                );
            }
            (bytes / u64::from(CELL_BYTES)) as u32
        }
        // A value that is refused is reported already.
        (None, None) if section.has("cells") || section.has("bytes") => 1,
        _ => {
            section.fail("cells", "set either cells or bytes");
            1
        }
    }
}

/// Reads `[transmit]`: the buffer that programs fill and from which ports send.
pub(super) fn transmit_buffer(root: &Section<'_>) -> Option<TransmitBufferConfig> {
    let section = root.section("transmit")?;
    let bytes = 0..=1 << 30;
    let high = section.integer_if(
        "high_watermark_bytes",
        bytes.clone(),
        "high watermark: once a port's backlog in bytes exceeds this value, packets for the port are kept in \
         memory",
    );
    let low = section.integer_if(
        "low_watermark_bytes",
        bytes,
        "low watermark: once a port's backlog in bytes falls to this value or below, packets for the port \
         bypass memory again",
    );
    let watermarks = match (high, low) {
        (Some(high), Some(low)) => {
            if low > high {
                section.fail("low_watermark_bytes", format!("{low} lies above the high watermark of {high}"));
            }
            let kinds = [("buffer", Looked::Buffer), ("queue", Looked::Queue)];
            let of = section.choice_or(
                "watermarks_of",
                "buffer",
                &kinds,
                "backlog that is compared with a port's watermarks: the port's bytes in the transmit buffer, or \
                 all bytes in the port's queue",
            );
            Some(Watermarks { of, high_bytes: high as u32, low_bytes: low as u32 })
        }
        (None, None) => {
            section.leave(&["watermarks_of"]);
            None
        }
        _ => {
            section.fail("high_watermark_bytes", "set both watermarks, or neither");
            None
        }
    };
    let rooms = [("cell", TransmitRoom::Cell), ("packet", TransmitRoom::Packet)];
    let room = section.choice_or(
        "room",
        "cell",
        &rooms,
        "when cells are reserved: each cell when it is moved, or all cells of a packet before the first cell is \
         moved",
    );
    Some(TransmitBufferConfig { cells: cells(&section), room, watermarks })
}

impl Ports {
    /// Reads all ports; `inboxes` are the names of inboxes for their packets, `links` the names of links in between.
    pub fn read(root: &Section<'_>, inboxes: &[String], links: Vec<String>) -> Self {
        let buffers = buffers(root);
        let mut all = Self {
            pools: Vec::new(),
            ports: Vec::new(),
            moves: Moves::default(),
            links,
            sends_cells: root.has("transmit"),
        };
        let mut shared: Vec<(String, usize)> = Vec::new();
        for section in root.sections("port") {
            all.port(&section, &buffers, &mut shared, inboxes);
        }
        if all.ports.is_empty() {
            root.lacks("port", "a chip needs ports, [port.NAME], that receive and send packets");
        }
        for (missing, what) in [
            (all.ports.iter().all(|port| port.receive.is_none()), "receives"),
            (all.ports.iter().all(|port| port.transmit.is_none()), "sends"),
        ] {
            if missing && !all.ports.is_empty() {
                root.fail("port", format!("no port {what} packets"));
            }
        }
        all
    }

    fn port(
        &mut self,
        section: &Section<'_>,
        buffers: &[Buffer],
        shared: &mut Vec<(String, usize)>,
        inboxes: &[String],
    ) {
        let count = section.integer_or("count", 1, 1..=4096, "number of ports of this kind") as usize;
        let both = [("both", (true, true)), ("in", (true, false)), ("out", (false, true))];
        let (inward, outward) = section.choice_or("direction", "both", &both, "direction of packets");
        let rate =
            section.number("rate_gbps", 0.0..=1e6, "line rate in each direction; 0: the wire is never busy");
        let bits_per_second = if rate > 0.0 { (rate * 1e9).round().max(1.0) as u64 } else { 0 };
        let overhead_bytes = section.integer_or(
            "overhead_bytes",
            20,
            0..=1000,
            "additional bytes of a frame on the wire: preamble and inter-frame gap",
        ) as u32;
        let receive = inward.then(|| self.inward(section, buffers, shared, inboxes, bits_per_second));
        let transmit = outward.then(|| self.outward(section, bits_per_second));
        for number in 0..count {
            let mut receive = receive.clone();
            // A buffer per port is a separate pool for each port.
            if let Some((receive, Some(buffer))) = &mut receive {
                receive.pool = self.pools.len();
                let name = format!("{}.{}", buffer.name, instance_name(section.name(), count > 1, number));
                self.pools.push(PoolConfig { name, ..buffer.clone() });
            }
            self.ports.push(PortConfig {
                name: instance_name(section.name(), count > 1, number),
                group: section.name().to_owned(),
                overhead_bytes,
                receive: receive.map(|(receive, _)| receive),
                transmit: transmit.clone(),
            });
        }
    }

    /// Reads the receive side, and the buffer if each port has its own.
    fn inward(
        &mut self,
        section: &Section<'_>,
        buffers: &[Buffer],
        shared: &mut Vec<(String, usize)>,
        inboxes: &[String],
        bits_per_second: u64,
    ) -> (ReceiveConfig, Option<PoolConfig>) {
        let known: Vec<(&str, usize)> =
            buffers.iter().enumerate().map(|(number, buffer)| (buffer.name.as_str(), number)).collect();
        let meaning = "receive buffer for the packets of the port";
        let buffer = match (known.is_empty(), known.len()) {
            (true, _) => {
                section.lacks("buffer", "a port that receives packets needs a [buffer.NAME]");
                None
            }
            (false, 1) => Some(&buffers[section.choice_or("buffer", known[0].0, &known, meaning)]),
            _ => Some(&buffers[section.choice("buffer", &known, meaning)]),
        };
        let takers: Vec<(&str, usize)> =
            inboxes.iter().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
        let inbox = match takers.len() {
            0 => {
                section.lacks(
                    "inbox",
                    "a port that receives packets needs an [inbox.NAME], in which packets wait for threads",
                );
                0
            }
            1 => section.choice_or("inbox", takers[0].0, &takers, "inbox for the packets of the port"),
            _ => section.choice("inbox", &takers, "inbox for the packets of the port"),
        };
        let to = section.text_if(
            "receive_to",
            "memory to which the port writes packets; if left out, programs move packets",
        );
        if let Some(to) = to {
            self.moves.receive_to = Some((to, section.place_of("receive_to")));
        }
        let pool_of = |buffer: &Buffer| PoolConfig {
            name: buffer.name.clone(),
            cells: buffer.cells,
            release: buffer.release,
        };
        let (pool, own) = match buffer {
            Some(buffer) if buffer.per_port => (0, Some(pool_of(buffer))),
            Some(buffer) => {
                let known = shared.iter().find(|(name, _)| *name == buffer.name).map(|&(_, pool)| pool);
                let pool = known.unwrap_or_else(|| {
                    self.pools.push(pool_of(buffer));
                    shared.push((buffer.name.clone(), self.pools.len() - 1));
                    self.pools.len() - 1
                });
                (pool, None)
            }
            None => (0, None),
        };
        let from_first_bit = section.switch_or(
            "latency_from_first_bit",
            false,
            "whether latencies start at the first bit of a frame, and so include its time on the wire, or at its \
             last bit",
        );
        (ReceiveConfig { bits_per_second, from_first_bit, pool, inbox, bus: self.bus(section) }, own)
    }

    /// Reads the link between the port and the chip.
    fn bus(&self, section: &Section<'_>) -> Option<usize> {
        let meaning = "link that carries cells between the port and the threads; the threads wait for the \
                       cells; no link if left out";
        let name = section.text_if("bus", meaning)?;
        let found = self.links.iter().position(|link| *link == name);
        if found.is_none() {
            let near = linecard_config::nearest(&name, self.links.iter().map(String::as_str));
            section.fail("bus", format!("no link is called `{name}`{near}"));
        }
        found
    }

    fn outward(&mut self, section: &Section<'_>, bits_per_second: u64) -> TransmitConfig {
        let one_queue = match (section.has("slots"), self.sends_cells) {
            (true, _) => Some(
                "a port with transmit slots has only one queue, from which output threads send all blocks",
            ),
            (_, true) => Some("a port that sends from the transmit buffer, [transmit], has only one queue"),
            _ => None,
        };
        if let Some(why) = one_queue {
            section.without_effect(&["class", "group"], why);
        }
        let classes = Classes::read(section);
        let from = section.text_if(
            "send_from",
            "memory from which the port reads packets; if left out, programs move packets to the port",
        );
        if let Some(from) = &from {
            self.moves.send_from = Some((from.clone(), section.place_of("send_from")));
        }
        let scheduler = classes.scheduler(section);
        let full = [("drop", WhenFull::Drop), ("wait", WhenFull::Wait)];
        // By default, packets for slots wait for room before they are stored.
        let usual_when_full = if section.has("slots") { "wait" } else { "drop" };
        TransmitConfig {
            bits_per_second,
            queue_packets: section.integer_or(
                "queue_packets",
                1024,
                1..=1 << 30,
                "capacity of each queue in packets",
            ) as u32,
            when_full: section.choice_or(
                "when_full",
                usual_when_full,
                &full,
                "whether a packet for a full queue is dropped, or the thread with the packet waits",
            ),
            scheduler,
            buffer_cells: send_cells(section, from.is_some()),
            slots: slots(section),
            bus: self.bus(section),
        }
    }
}

/// Reads the capacity of the buffer of a port that reads packets `from_memory`; for other ports it has no effect.
fn send_cells(section: &Section<'_>, from_memory: bool) -> u32 {
    const USUAL: u32 = 128;
    if !from_memory {
        let why = "the port reads no packets from a memory; set send_from to that memory, or omit this key";
        section.without_effect(&["send_cells"], why);
        return USUAL;
    }
    let meaning = "capacity of the buffer between a memory and the wire, in cells";
    section.integer_or("send_cells", USUAL.into(), 1..=1 << 26, meaning) as u32
}

/// Reads the transmit slots of a port, if it has any.
fn slots(section: &Section<'_>) -> Option<TransmitSlotsConfig> {
    let meaning = "number of transmit slots, each for one block; output threads (block_cells of a cluster) fill \
                   the slots";
    let slots = section.integer_if("slots", 1..=128, meaning)?;
    let ps =
        |key: &str, meaning: &str| (section.number_or(key, 0.0, 0.0..=1e9, meaning) * 1e3).round() as u64;
    Some(TransmitSlotsConfig {
        slots: slots as u32,
        handshake_ps: ps("handshake_ns", "time to hand over a transmit slot"),
        drain_cell_ps: ps(
            "drain_cell_ns",
            "additional time for which a cell occupies its transmit slot after the end of its transmission",
        ),
    })
}

/// Reads `[order]`.
pub(super) fn order(root: &Section<'_>) -> OrderConfig {
    let usual = OrderConfig { kept: OrderKept::Flow, window: 1024 };
    let Some(section) = root.section("order") else { return usual };
    let kinds = [("flow", OrderKept::Flow), ("port", OrderKept::Port), ("none", OrderKept::Nothing)];
    let kept = section.choice_or("kept", "flow", &kinds, "packets that must leave in arrival order");
    if kept == OrderKept::Nothing {
        let why = "with order.kept=none, no packet waits for an earlier one; set order.kept to flow or port";
        section.idle(&["window_packets"], section.is_set("kept"), why);
        return OrderConfig { kept, ..usual };
    }
    OrderConfig {
        kept,
        window: section.integer_or(
            "window_packets",
            1024,
            1..=1 << 30,
            "maximum number of packets that wait for earlier packets",
        ) as u32,
    }
}
