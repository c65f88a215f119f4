//! The vocabulary between packet programs and machines.
//!
//! A packet program is an `async fn`: each `.await` hands one [`Op`] to the machine through a [`Mailbox`], and the
//! machine, as executor, decides when the program goes on. A program never names a machine; a machine never
//! names a program. Results of ops and the program's own data are real: a lookup finds the next hop, and its
//! memory reads are the ops.
//!
//! ```
//! use linecard_program::{Ctx, Unit};
//!
//! async fn count_and_drop(ctx: Ctx) {
//!     loop {
//!         let packet = ctx.receive().await;
//!         ctx.compute(12);
//!         ctx.write(Unit::Scratch, 1).await;
//!         ctx.discard(packet, linecard_program::DropReason::FirewallRule).await;
//!     }
//! }
//! ```
#![forbid(unsafe_code)]

mod application;
mod ctx;
mod op;
mod packet;
pub mod script;

pub use application::{Application, Program};
pub use ctx::{Ctx, Mailbox, TRANSFER_BYTES};
pub use op::{Block, DropReason, Op, Path, Source, Unit};
pub use packet::{CELL_BYTES, NetworkKind, PacketHead, PacketId, cells_of};
