//! Errors of loading an object or running a program, for the author of the program.

use linecard_words::Mismatch;
use thiserror::Error;

/// An object that cannot be loaded, or a violation that the kernel's verifier would have refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EbpfError {
    /// The file is no object of eBPF programs, or a damaged one.
    #[error(transparent)]
    Object(Mismatch),
    /// The program needs unsupported features; all of them are listed before it runs.
    #[error("{file}: program `{program}` cannot run here: {}", .problems.join("; "))]
    Unsupported {
        /// The file.
        file: String,
        /// The program.
        program: String,
        /// Each helper, kind of map or instruction, with its location.
        problems: Vec<String>,
    },
    /// A request for something that the object does not contain, or a value that does not fit.
    #[error(transparent)]
    Request(Mismatch),
    /// A fault of the program, which ends the run.
    #[error("packet {packet}: {fault}, at {place}")]
    Fault {
        /// Packet, from 1.
        packet: u64,
        /// The fault.
        fault: Box<Fault>,
        /// Instruction, function and, if the object contains it, source line.
        place: String,
    },
}

/// A violation by an XDP program: the kernel's verifier would have refused the program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// An access through a null pointer, or through a number that is no pointer.
    #[error(
        "{what} of {bytes} bytes at {address:#x}, which is outside the program's memory (was the result of a map \
         lookup used without a NULL check?)"
    )]
    NoMemory {
        /// `read`, `write` or `atomic`.
        what: &'static str,
        /// The address.
        address: u64,
        /// Size of the access.
        bytes: u64,
    },
    /// An access outside of the region of its pointer.
    #[error(
        "{what} of {bytes} bytes at offset {offset} of {region}, which {}; compare with {bound} first",
        extent(*.from, *.behind)
    )]
    OutOfBounds {
        /// `read`, `write` or `atomic`.
        what: &'static str,
        /// Size of the access.
        bytes: u64,
        /// Offset in the region's element.
        offset: i64,
        /// Name of the region.
        region: String,
        /// First valid offset.
        from: u64,
        /// First offset past the valid ones.
        behind: u64,
        /// The value that a program compares with.
        bound: &'static str,
    },
    /// More written values of a large map than are kept.
    #[error(
        "the program writes more than {most} bytes of {region}, the most that Linecard stores for a map of this \
         size; write fewer values"
    )]
    TooMuchWritten {
        /// Name of the region.
        region: String,
        /// Bytes that are kept.
        most: u64,
    },
    /// A write to memory that programs may only read.
    #[error("{what} of {bytes} bytes to {region}, which is read-only for programs")]
    ReadOnly {
        /// `write` or `atomic`.
        what: &'static str,
        /// Size of the access.
        bytes: u64,
        /// Name of the region.
        region: String,
    },
    /// An atomic operation where the kernel permits none, or one that is not aligned.
    #[error(
        "atomic operation on {bytes} bytes of {region} at offset {offset}; expected a map value or the stack, aligned \
         to the operation's size"
    )]
    Atomic {
        /// Size of the access.
        bytes: u64,
        /// Name of the region.
        region: String,
        /// Offset in it.
        offset: u64,
    },
    /// A register that was never written, or that a call left undefined.
    #[error("r{register} is read before it is written{}", if *.register > 0 && *.register < 6 { "; calls leave r1 to r5 undefined" } else { "" })]
    Uninitialised {
        /// The register.
        register: u8,
    },
    /// More instructions than the budget.
    #[error(
        "more than {budget} instructions for one packet (check for an endless loop, or raise the budget)"
    )]
    Runaway {
        /// Instructions allowed.
        budget: u64,
    },
    /// Calls nested deeper than the kernel permits.
    #[error("more than {most} nested calls, the kernel's limit")]
    TooDeep {
        /// Frames allowed.
        most: usize,
    },
    /// An argument that a helper does not accept.
    #[error("{helper}: found {found} as argument {argument}, expected {expected}")]
    Argument {
        /// The helper.
        helper: &'static str,
        /// Which, from 1.
        argument: u8,
        /// What was found.
        found: String,
        /// Valid arguments.
        expected: &'static str,
    },
    /// An unsupported helper or instruction, reached through a program that was not checked before.
    #[error("{0}")]
    Unsupported(String),
    /// Control left a section.
    #[error("the code ends without an exit")]
    NoExit,
    /// A resource that was acquired and not released.
    #[error("{0} at the end of the program; every path must release the resource")]
    Kept(&'static str),
}

/// Describes a range of bytes, given its first offset and the one past its last.
fn extent(from: u64, behind: u64) -> String {
    match behind.checked_sub(from) {
        None | Some(0) => "has no bytes".to_owned(),
        Some(1) => format!("has only byte {from}"),
        Some(_) => format!("has bytes {from} to {}", behind - 1),
    }
}
