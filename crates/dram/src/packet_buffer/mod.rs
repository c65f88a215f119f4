//! Controllers for a packet buffer: few banks, long transfers, reads by output threads and writes by input threads.
//!
//! Source: Hasan 2003, sections 4.2, 4.4 and 6.2. Accesses are served one at a time. While one moves its data the
//! controller may look at the heads of its queues and prepare the bank of the next; what it may do is the
//! [`Policy`]. What the paper leaves open is decided here and said where it is decided:
//!
//! - a row command of the next access waits for the end of the data in progress, unless the policy looks ahead: the
//!   published cells fit 6, 4 and 0 cycles before the data of a conflict, a closed row and a hit;
//! - the column access of a row hit overlaps the end of the transfer before it, so hits follow without a gap;
//! - the controller looks at the heads of its queues once an access, when it takes the access up ("during the
//!   processing of that request, it also examines the new head", section 4.4);
//! - an access is known to the controller from the cycle in which it was submitted.

mod arbiter;
mod controller;
mod planner;
mod policy;
mod statistics;

pub use controller::{Controller, Done, Observer, Request, Silent};
pub use planner::{Begun, Planner};
pub use policy::{BatchBreak, Policy, Precharge, Queues};
pub use statistics::{RowWindow, Statistics};
