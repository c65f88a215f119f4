//! Runs an XDP program on a capture: the verdict of each packet, the instructions, and the final contents of maps.

mod fill;
mod report;
mod request;
mod rows;

pub use report::{MapEntry, MapReport, RegionReport, XdpReport};
pub use request::XdpRequest;
pub use request::refused_xdp;
pub use rows::{BlockReport, LaneRows, RowsReport, RowsRequest, rows_left_out, rows_of_xdp};

use super::packets::Packets;
use linecard_ebpf::{Arrival, Machine, Object, Options, Profile};
use linecard_files::{Error, bounded};
use report::Tally;
use request::config;
use std::ops::ControlFlow;

/// Packets between two calls of `progress`, and instructions if packets take many.
const PACKETS_PER_LOOK: u64 = 256;
const INSTRUCTIONS_PER_LOOK: u64 = 20_000_000;
/// The largest budget of instructions per packet.
const MOST_BUDGET: u64 = 100_000_000;
/// The most processors for which per-CPU maps may have values.
const MOST_CPUS: u32 = 1024;

/// The input for loading a program.
pub struct XdpLoad<'a> {
    /// Its file.
    pub object: &'a str,
    /// Its name in messages.
    pub name: &'a str,
    /// Function or section, if the file has several programs.
    pub program: Option<&'a str>,
    /// Maps and the files that fill them.
    pub maps: &'a [(String, String)],
    /// Routes for `bpf_fib_lookup`.
    pub routes: Option<&'a str>,
    /// Options of the executor.
    pub options: Options,
}

/// Loads a program, and fills its maps.
///
/// # Errors
/// If the object or a map's file cannot be used.
pub fn load_xdp(load: &XdpLoad<'_>) -> Result<Machine, Error> {
    let Options { budget, cpus, .. } = load.options;
    if budget > MOST_BUDGET {
        let message = format!("found {budget} instructions per packet, expected at most {MOST_BUDGET}");
        return Err(config("budget", message));
    }
    if !(1..=MOST_CPUS).contains(&cpus) {
        return Err(config("cpus", format!("found {cpus}, expected 1 to {MOST_CPUS}")));
    }
    let bytes = bounded::read(load.object, bounded::MOST_INPUT_BYTES)
        .map_err(|error| config(load.name, format!("cannot read the program: {error}")))?;
    let object = Object::read(load.name, &bytes).map_err(refused_xdp)?;
    let mut machine = Machine::load(&object, load.program, load.options).map_err(refused_xdp)?;
    for (map, file) in load.maps {
        fill::fill(&mut machine, map, file)?;
    }
    if let Some(file) = load.routes {
        fill::routes(&mut machine, file)?;
    }
    Ok(machine)
}

/// Runs an XDP program on the frames of a capture or of a described link, one after another.
///
/// # Errors
/// If the object, a map's file or the traffic cannot be used, if the kernel's verifier would have refused an action
/// of the program (instruction and source line are named), or if `progress` stops it.
pub fn run_xdp(
    request: &XdpRequest,
    progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<XdpReport, Error> {
    let mut machine = load_xdp(&XdpLoad {
        object: &request.object,
        name: &request.name,
        program: request.program.as_deref(),
        maps: &request.maps,
        routes: request.routes.as_deref(),
        options: Options {
            budget: request.budget,
            cpus: request.cpus,
            seed: request.packets.seed,
            ..Options::default()
        },
    })?;
    let mut packets = Packets::new(&request.packets)?;
    let mut profile = Profile::new(machine.code());
    let mut tally = Tally::default();
    let (mut number, mut since_look) = (0, 0);
    while let Some((frame, time_ns)) = packets.next_frame()? {
        let cpu = (number % u64::from(request.cpus)) as u32;
        let arrival = Arrival { time_ns, interface: request.interface, queue: cpu, cpu };
        let outcome = machine.packet(frame, arrival, &mut profile).map_err(refused_xdp)?;
        tally.add(&outcome, machine.packet_left().len());
        number += 1;
        since_look += outcome.instructions;
        if number % PACKETS_PER_LOOK == 0 || since_look > INSTRUCTIONS_PER_LOOK {
            since_look = 0;
            let (at, total) = packets.progress();
            if progress(at, total) == ControlFlow::Break(()) {
                return Err(Error::Interrupted);
            }
        }
    }
    if number == 0 {
        return Err(Error::Traffic(format!("{}: no packets", request.packets.traffic)));
    }
    tally.report(request, &machine, &profile, packets.finish())
}
