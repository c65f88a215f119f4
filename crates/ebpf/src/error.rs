//! What goes wrong when an object is loaded or a program is run, for the person who wrote it.

use linecard_words::Mismatch;
use thiserror::Error;

/// An object that cannot be loaded, or a program that did what the kernel's verifier would not have let it do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EbpfError {
    /// The file is no object of eBPF programs, or a damaged one.
    #[error(transparent)]
    Object(Mismatch),
    /// The program needs what is not there; all of it is named, before anything runs.
    #[error("{file}: program `{program}` cannot run here: {}", .problems.join("; "))]
    Unsupported {
        /// The file.
        file: String,
        /// The program.
        program: String,
        /// Each helper, kind of map or instruction, with its place.
        problems: Vec<String>,
    },
    /// A request that names what the object does not have, or a value that does not fit.
    #[error(transparent)]
    Request(Mismatch),
    /// The program did something that ends the run.
    #[error("packet {packet}: {fault}, at {place}")]
    Fault {
        /// Packet, from 1.
        packet: u64,
        /// What.
        fault: Box<Fault>,
        /// Instruction, function and, where the object tells it, source line.
        place: String,
    },
}

/// What no XDP program may do: the kernel's verifier would have refused the program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// An access through a null pointer, or through a number that is no pointer.
    #[error(
        "{what} of {bytes} bytes at {address:#x}, which is no memory; the result of a lookup that was not compared with NULL?"
    )]
    NoMemory {
        /// `read`, `write` or `atomic`.
        what: &'static str,
        /// The address.
        address: u64,
        /// Size of the access.
        bytes: u64,
    },
    /// An access that leaves what its pointer points to.
    #[error(
        "{what} of {bytes} bytes at offset {offset} of {region}, which {}; compare with {bound} first",
        extent(*.from, *.behind)
    )]
    OutOfBounds {
        /// `read`, `write` or `atomic`.
        what: &'static str,
        /// Size of the access.
        bytes: u64,
        /// Where in the region's element.
        offset: i64,
        /// Name of the region.
        region: String,
        /// First offset that there is.
        from: u64,
        /// Behind the last offset that there is.
        behind: u64,
        /// What a program compares with.
        bound: &'static str,
    },
    /// More values of a large map were written than are kept.
    #[error(
        "more than {most} bytes of {region} are written, which is all that is kept of a map of its size; write fewer of its values"
    )]
    TooMuchWritten {
        /// Name of the region.
        region: String,
        /// Bytes that are kept.
        most: u64,
    },
    /// A write to what programs may only read.
    #[error("{what} of {bytes} bytes to {region}, which programs may only read")]
    ReadOnly {
        /// `write` or `atomic`.
        what: &'static str,
        /// Size of the access.
        bytes: u64,
        /// Name of the region.
        region: String,
    },
    /// An atomic operation where the kernel allows none, or one that is not aligned.
    #[error(
        "atomic operation on {bytes} bytes of {region} at offset {offset}; expected a map value or the stack, aligned to its size"
    )]
    Atomic {
        /// Size of the access.
        bytes: u64,
        /// Name of the region.
        region: String,
        /// Where in it.
        offset: u64,
    },
    /// A register that was never written, or that a call left undefined.
    #[error("r{register} is read before it is written{}", if *.register > 0 && *.register < 6 { "; calls leave r1 to r5 undefined" } else { "" })]
    Uninitialised {
        /// The register.
        register: u8,
    },
    /// More instructions than the budget.
    #[error("more than {budget} instructions for one packet; an endless loop? (the budget can be raised)")]
    Runaway {
        /// Instructions allowed.
        budget: u64,
    },
    /// Calls nested deeper than the kernel allows.
    #[error("more than {most} calls nested; the kernel allows no more")]
    TooDeep {
        /// Frames allowed.
        most: usize,
    },
    /// An argument that a helper does not take.
    #[error("{helper}: found {found} as argument {argument}, expected {expected}")]
    Argument {
        /// The helper.
        helper: &'static str,
        /// Which, from 1.
        argument: u8,
        /// What was found.
        found: String,
        /// What would do.
        expected: &'static str,
    },
    /// A helper or an instruction that is not there, reached through a program that was not looked at before.
    #[error("{0}")]
    Unsupported(String),
    /// Control ran out of a section.
    #[error("the code ends without an exit")]
    NoExit,
    /// Something that was taken and not given back.
    #[error("{0} at the end of the program; give it back on every path")]
    Kept(&'static str),
}

/// The bytes from the first one to the one behind the last, in words.
fn extent(from: u64, behind: u64) -> String {
    match behind.checked_sub(from) {
        None | Some(0) => "has no bytes".to_owned(),
        Some(1) => format!("has byte {from} alone"),
        Some(_) => format!("has bytes {from} to {}", behind - 1),
    }
}
