//! Errors of loading or running a program, for its author.

use linecard_words::Mismatch;
use thiserror::Error;

/// A program that cannot be loaded, or that violated a rule for packet programs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IssError {
    /// The caller stopped it.
    #[error("interrupted")]
    Interrupted,
    /// The file is no program for this machine.
    #[error(transparent)]
    Image(#[from] Mismatch),
    /// A fault of the program, which ends the run.
    #[error("{place}: {fault}, at pc {pc:#010x} ({symbol}){}", in_brackets(line))]
    Fault {
        /// Packet (from 1), or the initialisation.
        place: Place,
        /// The fault.
        fault: Fault,
        /// Address of the instruction.
        pc: u32,
        /// Function and offset.
        symbol: String,
        /// File and line of the source, if known.
        line: Option<String>,
    },
    /// An access of the program that is not permitted.
    #[error("{place}: {access}, {beyond}, at pc {pc:#010x} ({symbol}){}", in_brackets(line))]
    Memory {
        /// Packet (from 1), or the initialisation.
        place: Place,
        /// The access, and its address.
        access: String,
        /// What its address is near to.
        beyond: String,
        /// Address of the instruction.
        pc: u32,
        /// Function and offset.
        symbol: String,
        /// File and line of the source, if known.
        line: Option<String>,
    },
    /// The program rejected its control data (`lc_bad_control_line`).
    #[error(
        "{file} rejects line {line} of the control data; the first comment in the program's source describes \
         the format"
    )]
    Control {
        /// The program.
        file: String,
        /// Line, from 1.
        line: u32,
    },
    /// The program ran out of memory (`lc_out_of_memory`).
    #[error(
        "{place}: {file} is out of memory; the tables of the program must fit in 32 MiB of heap, so use smaller \
         control data"
    )]
    OutOfMemory {
        /// Packet (from 1), or the initialisation.
        place: Place,
        /// The program.
        file: String,
    },
    /// A packet or a control file that exceeds the simulated memory.
    #[error("{what} of {found_bytes} bytes, expected at most {most_bytes}")]
    TooLarge {
        /// Packet or control file.
        what: &'static str,
        /// Size.
        found_bytes: usize,
        /// The limit.
        most_bytes: usize,
    },
}

fn in_brackets(line: &Option<String>) -> String {
    line.as_ref().map_or_else(String::new, |line| format!(" ({line})"))
}

/// When a fault happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In `app_init`.
    Init,
    /// In `app_packet`, with the number of the packet, from 1.
    Packet(u64),
    /// In a standalone program.
    Alone,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Init => f.write_str("app_init"),
            Self::Packet(number) => write!(f, "packet {number}"),
            Self::Alone => f.write_str("program"),
        }
    }
}

/// A fault of a packet program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// No instruction of RV32IMAC, or of RV64IMAC.
    #[error(
        "illegal instruction {word:#x}; expected RV32IMAC or RV64IMAC (compile with -march=rv32imac or -march=rv64imac, without floating point)"
    )]
    Illegal {
        /// The word found there.
        word: u32,
    },
    /// An environment call, a breakpoint or a control register.
    #[error(
        "system instruction {word:#x}, but a packet program has no operating system; expected a return from the \
         function"
    )]
    System {
        /// The word found there.
        word: u32,
    },
    /// A jump to an address without code.
    #[error(
        "jump to {target:#010x}, which is not code (was a function pointer or a return address overwritten?)"
    )]
    Jump {
        /// The target.
        target: u64,
    },
    /// An access outside memory.
    #[error(
        "{what} at {address:#010x}, which is outside memory (a null pointer, an index out of range, or \
         a stack overflow?)"
    )]
    OutOfRange {
        /// `load`, `store` or `atomic access`.
        what: &'static str,
        /// Address.
        address: u64,
    },
    /// An access that is not aligned to its size.
    #[error(
        "{what} at {address:#010x}, which is not aligned to {bytes} bytes; read bytes one by one, or copy \
         them with memcpy"
    )]
    Misaligned {
        /// `load`, `store` or `atomic access`.
        what: &'static str,
        /// Address.
        address: u64,
        /// Size.
        bytes: u32,
    },
    /// A store into code: the simulator decodes it once.
    #[error("store into code at {address:#010x}; self-modifying programs are not supported")]
    StoreToCode {
        /// Address.
        address: u64,
    },
    /// More instructions than the budget.
    #[error("more than {budget} instructions (check for an endless loop, or raise the budget)")]
    Runaway {
        /// Instructions allowed.
        budget: u64,
    },
    /// The first instruction of a watched function; it is never reported.
    #[error("a call of a watched function")]
    Called,
    /// The return of it.
    #[error("the return of a watched function")]
    Returned,
    /// A lock acquired again by its holder.
    #[error("lock {address:#010x} is acquired twice by the same packet, which would wait for itself forever")]
    LockedTwice {
        /// The lock.
        address: u32,
    },
    /// A lock released by a program that does not hold it.
    #[error("lock {address:#010x} is released, but this packet does not hold it")]
    NotLocked {
        /// The lock.
        address: u32,
    },
    /// A lock still held at the end of the packet.
    #[error("lock {address:#010x} is still held at the end of the packet; release the lock on every path")]
    NeverUnlocked {
        /// The lock.
        address: u32,
    },
}
