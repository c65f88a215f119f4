//! A program as loaded, before its first packet.

use crate::request::ProgramFile;
use linecard_ebpf::Options;
use linecard_executed::{XdpLoad, load_xdp, read_image, refused_iss};
use linecard_files::{Error, bounded, problem};
use std::ops::ControlFlow;

/// Number of eBPF among the machines of ELF files, and its offset.
const EM_BPF: u16 = 247;
const MACHINE_AT: usize = 18;

/// A program that has been loaded and has not processed a packet.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one of them")]
pub(super) enum Loaded {
    Ebpf(linecard_ebpf::Machine),
    Riscv(linecard_iss::Machine),
}

/// A program for a chip.
#[derive(Clone, Debug)]
pub(crate) struct Executable {
    pub(super) name: String,
    pub(super) cpus: u32,
    pub(super) seed: u64,
    pub(super) loaded: Loaded,
}

impl Executable {
    /// Loads the program of a request.
    ///
    /// # Errors
    /// If the file is not a program, or cannot be used.
    pub fn load(file: &ProgramFile, seed: u64) -> Result<Self, Error> {
        let refuse =
            |message: String| Error::Config { problems: vec![problem(file.name.clone(), "", message)] };
        let bytes = bounded::read(&file.path, bounded::MOST_INPUT_BYTES)
            .map_err(|error| refuse(format!("cannot read the program: {error}")))?;
        let machine =
            bytes.get(MACHINE_AT..MACHINE_AT + 2).map(|half| u16::from_le_bytes([half[0], half[1]]));
        let is_elf = bytes.starts_with(b"\x7fELF");
        let loaded = if is_elf && machine != Some(EM_BPF) {
            if file.section.is_some() || !file.maps.is_empty() || file.routes.is_some() {
                return Err(refuse(
                    "sections, maps and routes apply only to XDP programs, not to C programs".to_owned(),
                ));
            }
            let image = read_image(&file.path, &file.name)?;
            let control = match &file.control {
                None => Vec::new(),
                Some(path) => bounded::read(path, bounded::MOST_INPUT_BYTES)
                    .map_err(|error| refuse(format!("cannot read the control data {path}: {error}")))?,
            };
            let mut go_on = |_| ControlFlow::Continue(());
            let entry = file.entry.as_deref().unwrap_or(linecard_iss::PACKET_ENTRY);
            let machine = linecard_iss::Machine::new_until(
                image,
                entry,
                &control,
                file.budget,
                file.checked,
                &mut go_on,
            );
            Loaded::Riscv(machine.map_err(refused_iss)?)
        } else {
            if file.control.is_some() || file.entry.is_some() {
                return Err(refuse(
                    "control data and an entry function apply only to C programs. For an XDP program, fill maps by \
                     name and choose a function by its section"
                        .to_owned(),
                ));
            }
            let options = Options { budget: file.budget, cpus: file.cpus, seed, ..Options::default() };
            Loaded::Ebpf(load_xdp(&XdpLoad {
                object: &file.path,
                name: &file.name,
                program: file.section.as_deref(),
                maps: &file.maps,
                routes: file.routes.as_deref(),
                options,
            })?)
        };
        Ok(Self { name: file.name.clone(), cpus: file.cpus, seed, loaded })
    }

    /// Returns the program's name for messages.
    pub fn name(&self) -> &str {
        &self.name
    }
}
