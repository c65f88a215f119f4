//! Packet programs, native: the work is done for real, on headers and tables, and its accesses are the ops.
//!
//! A program never names a machine. Costs in engine cycles come from the preset ([`IoCosts`] and each application's
//! own), because the same program costs other machines other cycles.
#![forbid(unsafe_code)]

mod checksum;
mod firewall;
mod forward;
mod io;
mod ipv4;
mod nat;
mod probe;
mod recall;
mod route;
mod steps;
mod vanilla;

pub use checksum::{header_checksum, update as update_checksum};
pub use firewall::{Firewall, FirewallConfig, Template, Verdict};
pub use forward::L3Forward;
pub use io::IoCosts;
pub use ipv4::{BufferingScheme, Ipv4Config, Ipv4Forward, Ipv4Roles};
pub use nat::{Nat, NatConfig, Translation};
pub use probe::{Probe, Probed};
pub use recall::ResultCacheUse;
pub use route::{Route, RouteTable};
pub use steps::{Address, Amount, Does, Each, ListedStep, OutPort, StepList};
pub use vanilla::{ExtensionOp, Loops, Step, VanillaConfig, VanillaCosts, VanillaIp};
