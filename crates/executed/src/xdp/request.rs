//! A request for a run of an XDP program, and its errors.

use crate::packets::PacketRequest;
use linecard_ebpf::EbpfError;
use linecard_files::{Error, problem};
use linecard_words::About;

/// A program to be run.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct XdpRequest {
    /// The object file.
    pub object: String,
    /// Its name in messages and the report: the object may be the result of a compilation.
    pub name: String,
    /// Function or section, if there are several programs.
    pub program: Option<String>,
    /// Packets.
    pub packets: PacketRequest,
    /// Maps and the files that fill them.
    pub maps: Vec<(String, String)>,
    /// Routes for `bpf_fib_lookup`.
    pub routes: Option<String>,
    /// The most instructions per packet.
    pub budget: u64,
    /// Number of processors; packets use them in turn.
    pub cpus: u32,
    /// The interface that receives packets.
    pub interface: u32,
}

pub(super) fn config(place: &str, message: String) -> Error {
    Error::Config { problems: vec![problem(place.to_owned(), "", message)] }
}

/// Returns an error of the object, the request or the program as an error of the request.
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
