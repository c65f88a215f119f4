//! A memory with a server for every access: no access waits.

use super::table::PlaceTable;
use super::server;
use linecard_chip::config::{PlaceKind, ServerConfig};

pub(super) const KEYS: &[&str] = &[];
pub(super) const HAS_TIMES: bool = true;

pub(super) fn read(asked: &PlaceTable<'_>) -> PlaceKind {
    PlaceKind::Server(ServerConfig { concurrency: 0, ..server::one(asked) })
}
