//! From a resolved preset to a machine of parallel threads and its application.

use crate::build::{Configuration, pick};
use crate::describe::{Derived, row};
use crate::error::Error;
use linecard_apps::{BufferingScheme, Ipv4Config, Ipv4Forward, RouteTable};
use linecard_dram::SlotConfig;
use linecard_np::UnitConfig;
use linecard_np::parallel::{
    BackPressure, DramConfig, Interleaving, PacedPorts, ParallelConfig, Ports, Release, Watermarks,
};
use linecard_program::{Application, CELL_BYTES};
use std::rc::Rc;

/// Bytes of a word of scratchpad and of the path between the buffers.
const WORD_BYTES: f64 = 4.0;

impl Configuration {
    /// Where the parts of a packet are kept.
    pub fn scheme(&self) -> BufferingScheme {
        pick(&self.text("app.scheme"), BufferingScheme::ALL.map(|s| (s.name(), s)))
    }

    /// The machine, or everything that does not fit together.
    pub fn parallel_machine(&self, seed: u64) -> Result<ParallelConfig, Error> {
        let mut problems = Vec::new();
        let threads = self.small("engine.engines") * self.small("engine.threads");
        let scheme = self.scheme();
        let each = scheme.scratch_bytes(self.small("app.header_bytes"));
        let (needed, capacity) = (u64::from(threads * each), self.integer("scratch.capacity_bytes"));
        if needed > capacity {
            let message = format!(
                "{} keeps {each} bytes of scratchpad for each of {threads} threads, {needed} bytes in all, and there are \
                 {capacity} (scratch.capacity_bytes): use fewer threads or another scheme",
                scheme.name()
            );
            problems.push(self.problem("app.scheme", message));
        }
        for (key, what) in [("receive.buffer_bytes", "receive"), ("output.buffer_bytes", "transmit")] {
            if !self.integer(key).is_multiple_of(u64::from(CELL_BYTES)) {
                let message = format!("a {what} buffer is whole mpackets of {CELL_BYTES} bytes");
                problems.push(self.problem(key, message));
            }
        }
        let (low, high) =
            (self.integer("dynamic.low_watermark_bytes"), self.integer("dynamic.high_watermark_bytes"));
        if scheme == BufferingScheme::Dynamic && low > high {
            let message = format!("{low} lies above the high watermark of {high}");
            problems.push(self.problem("dynamic.low_watermark_bytes", message));
        }
        if scheme == BufferingScheme::Dynamic && !self.paced() {
            let message = "DYNAMIC looks at what waits for output ports, and with receive.mode=ready they never are busy: \
                           set receive.mode=paced"
                .to_owned();
            problems.push(self.problem("app.scheme", message));
        }
        let (cells, ports) = (self.small("output.buffer_bytes") / CELL_BYTES, self.small("output.ports"));
        if cells <= ports {
            let message = format!("{cells} mpackets for {ports} ports: it needs more mpackets than ports");
            problems.push(self.problem("output.buffer_bytes", message));
        }
        if !problems.is_empty() {
            return Err(Error::Config { problems });
        }
        let unit =
            |latency_ps, word_ps, access_ps| UnitConfig { latency_ps, word_ps, access_ps, transit_ps: 0 };
        let ps = |key: &str| self.picoseconds(key);
        Ok(ParallelConfig {
            engine_hz: self.hertz("engine.clock_mhz"),
            engines: self.small("engine.engines"),
            threads: self.small("engine.threads"),
            switch_cycles: self.small("engine.switch_cycles"),
            sram: unit(ps("sram.latency_ns"), ps("sram.word_ns"), 0),
            sram_channels: self.small("sram.channels"),
            scratch: unit(ps("scratch.latency_ns"), ps("scratch.word_ns"), 0),
            hash: unit(0, ps("hash.access_ns"), 0),
            direct: unit(0, (WORD_BYTES * 1e3 / self.number("direct.gbytes_s")).round() as u64, 0),
            dram: self.slots(),
            ports: match self.paced() {
                false => Ports::Ready,
                true => Ports::Paced(PacedPorts {
                    rbuf_cells: self.small("receive.buffer_bytes") / CELL_BYTES,
                    release: match (scheme, self.text("dynamic.rbuf_release").as_str()) {
                        (BufferingScheme::Dynamic, "packet") => Release::Packet,
                        _ => Release::Cell,
                    },
                    tbuf_cells: cells,
                    ports,
                    port_bps: (self.number("output.total_mbps") * 1e6 / f64::from(ports)).round().max(1.0)
                        as u64,
                    watermarks: (scheme == BufferingScheme::Dynamic)
                        .then_some(Watermarks { high_bytes: high as u32, low_bytes: low as u32 }),
                }),
            },
            seed,
        })
    }

    fn slots(&self) -> DramConfig {
        DramConfig {
            clock_hz: self.hertz("dram.clock_mhz"),
            slots: SlotConfig {
                banks: self.small("dram.banks"),
                slots: self.small("dram.slots"),
                bytes_per_cycle: self.small("dram.bus_bytes") * self.small("dram.beats_per_cycle"),
                activate: self.integer("dram.activate_cycles"),
                column: self.integer("dram.column_cycles"),
                precharge: self.integer("dram.precharge_cycles"),
                turnaround: self.integer("dram.turnaround_cycles"),
                refresh_every: self.integer("dram.refresh_every_cycles"),
                refresh: self.integer("dram.refresh_cycles"),
            },
            interleaving: pick(
                &self.text("dram.interleaving"),
                [("high_order", Interleaving::HighOrder), ("middle_order", Interleaving::MiddleOrder)],
            ),
            back_pressure: match self.small("dram.back_pressure_requests") {
                0 => None,
                requests => {
                    Some(BackPressure { requests, request_bytes: self.small("dram.back_pressure_bytes") })
                }
            },
        }
    }

    /// The application of a machine of parallel threads.
    pub fn parallel_application(&self, seed: u64) -> Result<Rc<dyn Application>, Error> {
        let config = Ipv4Config {
            scheme: self.scheme(),
            packet_cycles: self.small("app.packet_cycles"),
            store_cycles: self.small("app.store_cycles"),
            load_cycles: self.small("app.load_cycles"),
            header_bytes: self.small("app.header_bytes") as u16,
            hashes: self.small("app.hashes"),
            table_reads: self.small("app.table_reads"),
            table_words: self.small("app.table_words"),
        };
        Ok(Rc::new(Ipv4Forward::new(config, RouteTable::new(&self.routes(seed)?))))
    }
}

/// What follows from the parameters.
pub(crate) fn derived(c: &Configuration) -> Vec<Derived> {
    let per_cycle = (c.integer("dram.bus_bytes") * c.integer("dram.beats_per_cycle") * 8) as f64;
    let threads = c.integer("engine.engines") * c.integer("engine.threads");
    let scratch = threads * u64::from(c.scheme().scratch_bytes(c.small("app.header_bytes")));
    let hash_ns = c.number("hash.access_ns") * c.number("app.hashes");
    vec![
        row(
            "DRAM peak bandwidth",
            per_cycle * c.number("dram.clock_mhz") / 1e3,
            "Gbit/s",
            "bus bytes x beats x clock",
        ),
        row(
            "hash unit, 64-byte packets",
            64.0 * 8e3 / hash_ns.max(1e-9),
            "Mbit/s",
            "64 bytes in hashes x hash.access_ns",
        ),
        row("hardware threads", threads as f64, "threads", "engines x threads"),
        row("scratchpad of the scheme", scratch as f64, "bytes", "threads x bytes of a thread"),
    ]
}
