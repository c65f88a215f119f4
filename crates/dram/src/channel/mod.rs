//! One memory channel with a general-purpose controller: transaction queues, command queues, refresh.
//!
//! The order of actions within a clock, and the rules of the queues, are those of DRAMsim3 (Li et al., CAL
//! 2020). With its numbers in the [`Policy`], every request is accepted and completed in the same clock as
//! there; differences between controllers are values of the policy. In clock `t`:
//!
//! 1. a pending refresh freezes the command queues of its banks;
//! 2. at most one command issues (with [`Policy::dual_issue`] one row command and one column command); a
//!    refresh, and the precharges that it needs, come first;
//! 3. at most one transaction, the oldest whose command queue has room, moves to a command queue;
//! 4. the front end may hand over one transaction, which counts as accepted in clock `t + 1`
//!    ([`crate::System`]).
//!
//! Deliberately not modelled: power-down and self refresh, the time from a processor to the controller, data.

mod by_bank;
mod commands;
mod controller;
mod issue;
mod lanes;
mod messages;
mod moving;
mod policy;
mod refresh;
mod refreshing;
mod row_state;
mod rows;
mod statistics;
mod transactions;
mod waits;

pub use controller::Channel;
pub use messages::{Issued, Observer, Outcome, Transaction};
pub use policy::{Page, Policy, RefreshMode, RowHitCap, Scheduler, Writes};
pub(crate) use refresh::RefreshClock;
pub use statistics::{BankStatistics, ChannelStatistics, Lost};
