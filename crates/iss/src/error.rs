//! What goes wrong when a program is loaded or run, for the person who wrote it.

use linecard_words::Mismatch;
use thiserror::Error;

/// A program that cannot be loaded, or that did what no packet program may do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IssError {
    /// Somebody wanted it to stop.
    #[error("interrupted")]
    Interrupted,
    /// The file is no program for this machine.
    #[error(transparent)]
    Image(#[from] Mismatch),
    /// The program did something that ends the run.
    #[error("{place}: {fault}, at pc {pc:#010x} ({symbol}){}", in_brackets(line))]
    Fault {
        /// Packet (from 1), or the initialisation.
        place: Place,
        /// What.
        fault: Fault,
        /// Address of the instruction.
        pc: u32,
        /// Function and offset.
        symbol: String,
        /// File and line of the source, where they are known.
        line: Option<String>,
    },
    /// The program touches what it may not.
    #[error("{place}: {access}, {beyond}, at pc {pc:#010x} ({symbol}){}", in_brackets(line))]
    Memory {
        /// Packet (from 1), or the initialisation.
        place: Place,
        /// What it does, and where.
        access: String,
        /// What that is near to.
        beyond: String,
        /// Address of the instruction.
        pc: u32,
        /// Function and offset.
        symbol: String,
        /// File and line of the source, where they are known.
        line: Option<String>,
    },
    /// The program does not understand its control data (`lc_bad_control_line`).
    #[error(
        "{file}: does not understand line {line} of its control data; the first comment of its source says what it reads"
    )]
    Control {
        /// The program.
        file: String,
        /// Line, from 1.
        line: u32,
    },
    /// The program has no room for what it must keep (`lc_out_of_memory`).
    #[error(
        "{place}: {file} is out of memory; its tables must fit into 32 MiB of heap: give it smaller control data"
    )]
    OutOfMemory {
        /// Packet (from 1), or the initialisation.
        place: Place,
        /// The program.
        file: String,
    },
    /// A packet or a control file that does not fit into the simulated memory.
    #[error("{what} of {found_bytes} bytes, expected at most {most_bytes}")]
    TooLarge {
        /// What.
        what: &'static str,
        /// Its size.
        found_bytes: usize,
        /// Room.
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
    /// In a program that runs by itself.
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

/// What no packet program may do.
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
        "system instruction {word:#x}; a packet program has no operating system: expected a return from its function"
    )]
    System {
        /// The word found there.
        word: u32,
    },
    /// A jump to where there is no code.
    #[error(
        "jump to {target:#010x}, where there is no code; a function pointer or a return address was overwritten?"
    )]
    Jump {
        /// Where to.
        target: u64,
    },
    /// An access outside memory.
    #[error(
        "{what} of {address:#010x}, outside memory; a null pointer, an index out of range, or a stack that ran over?"
    )]
    OutOfRange {
        /// `load`, `store` or `atomic access`.
        what: &'static str,
        /// Its address.
        address: u64,
    },
    /// An access that is not aligned to its size.
    #[error(
        "{what} of {address:#010x}, not aligned to its {bytes} bytes; read bytes one by one, or copy them with memcpy"
    )]
    Misaligned {
        /// `load`, `store` or `atomic access`.
        what: &'static str,
        /// Its address.
        address: u64,
        /// Its size.
        bytes: u32,
    },
    /// A store into code: the simulator decodes it once.
    #[error("store into code at {address:#010x}; self-modifying programs are not supported")]
    StoreToCode {
        /// Its address.
        address: u64,
    },
    /// More instructions than the budget.
    #[error("more than {budget} instructions; an endless loop? (the budget can be raised)")]
    Runaway {
        /// Instructions allowed.
        budget: u64,
    },
    /// The first instruction of a function that is watched; nobody outside is told.
    #[error("a call of a function that is watched")]
    Called,
    /// The return of it.
    #[error("the return of a function that is watched")]
    Returned,
    /// A lock taken by its holder.
    #[error("lock {address:#010x} is taken twice by the same packet: it would wait for itself for ever")]
    LockedTwice {
        /// The lock.
        address: u32,
    },
    /// A lock given back by one that does not hold it.
    #[error("lock {address:#010x} is released, but this packet does not hold it")]
    NotLocked {
        /// The lock.
        address: u32,
    },
    /// A lock still held at the end of the packet.
    #[error("lock {address:#010x} is still held at the end of the packet; release it on every path")]
    NeverUnlocked {
        /// The lock.
        address: u32,
    },
}
