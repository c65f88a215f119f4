//! DRAM: devices as tables of constraints, address maps, and controllers.
//!
//! Time is counted in cycles of the device's clock. The crate knows addresses, banks and rows, but no packets.
//! A [`Device`] decides when a command is legal; a controller decides which access is next and when its
//! commands issue. Tests replay logs of commands against the table.
#![forbid(unsafe_code)]

mod access;
pub mod channel;
mod device;
pub mod energy;
mod fields;
mod front;
mod map;
pub mod packet_buffer;
mod packet_system;
pub mod patterns;
mod side_by_side;
mod slots;
mod system;
pub mod trace;

pub use access::Access;
pub use device::{AutoPrecharge, Command, Constraint, Device, Edge, Level, Organization, Timing};
pub use fields::{Field, FieldMap, Place, Widths, widths};
pub use front::Accepted;
pub use map::{AddressMap, Location, RowMap};
pub use packet_system::PacketSystem;
pub use slots::{SlotConfig, SlotController, SlotRequest, SlotStatistics, Tandem};
pub use system::{Stopped, System, Watch};

/// A point in time or a duration, in cycles of the device's clock.
pub type Cycle = u64;
