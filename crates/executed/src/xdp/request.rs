//! What is asked of an XDP program, and how a request is refused_xdp.

use crate::packets::PacketRequest;
use linecard_ebpf::EbpfError;
use linecard_files::{Error, problem};
use linecard_words::About;

/// A program to be run.
#[derive(Clone, Debug)]
pub struct XdpRequest {
    /// The object file.
    pub object: String,
    /// What messages and the report call it: an object may have been made of a source a moment ago.
    pub name: String,
    /// Function or section, where there are several programs.
    pub program: Option<String>,
    /// Packets.
    pub packets: PacketRequest,
    /// Maps and the files that fill them.
    pub maps: Vec<(String, String)>,
    /// Routes for `bpf_fib_lookup`.
    pub routes: Option<String>,
    /// Instructions that a packet may take.
    pub budget: u64,
    /// Processors; packets take turns.
    pub cpus: u32,
    /// The interface that packets come by.
    pub interface: u32,
}

pub(super) fn config(place: &str, message: String) -> Error {
    Error::Config { problems: vec![problem(place.to_owned(), "", message)] }
}

/// What the object or the request is refused_xdp for, and what a program does wrong.
pub fn refused_xdp(error: EbpfError) -> Error {
    match error {
        EbpfError::Object(wrong) | EbpfError::Request(wrong) => config(&wrong.what, wrong.sentence()),
        EbpfError::Unsupported { file, program, problems } => Error::Config {
            problems: problems
                .into_iter()
                .map(|found| {
                    problem(file.clone(), "", format!("program `{program}` cannot run here: {found}"))
                })
                .collect(),
        },
        fault @ EbpfError::Fault { .. } => Error::Run(fault.to_string()),
    }
}
