//! Native packet programs: they do real work on headers and tables, and write down its costs as steps.
//!
//! A program never names a chip. Costs in engine cycles come from the chip's file ([`IoCosts`] and each
//! application's own), because they differ between chips; memories and units are roles that the file binds.
#![forbid(unsafe_code)]

mod admission;
mod checksum;
mod firewall;
mod forward;
mod io;
mod ipv4;
mod nat;
mod route;
mod steps;

pub use admission::NotIp;
pub use checksum::{header_checksum, update as update_checksum};
pub use firewall::{Firewall, FirewallConfig, Template, Verdict};
pub use forward::L3Forward;
pub use io::{Io, IoCosts, IoRoles, ResultCacheUse};
pub use ipv4::{BufferingScheme, Carrier, Ipv4Config, Ipv4Forward, Ipv4Roles};
pub use nat::{Nat, NatConfig, NatRoles, Translation};
pub use route::{Route, RouteTable, TooLarge};
pub use steps::{
    Address, AfterPut, Amount, CYCLE_PARTS, Does, Each, ListedAccess, ListedStep, OutPort, Reach, Span,
    StepList, StepsByInbox,
};
