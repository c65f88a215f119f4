//! `bpf_fib_lookup`: the routes and neighbours of the kernel, which the user supplies.

use super::arguments::{Arguments, failed};
use crate::error::Fault;
use crate::hook::{AccessKind, Hook, Watch};
use crate::maps::errno::EINVAL;
use crate::world::World;
use std::net::IpAddr;

/// Size of `struct bpf_fib_lookup`, and places in it.
const BYTES: u64 = 64;
const INTERFACE: usize = 8;
const DESTINATION: usize = 32;
const SOURCE_MAC: usize = 52;
const DESTINATION_MAC: usize = 58;
const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;
/// Result if no route matches.
const NOT_FORWARDED: u64 = 4;

pub(super) fn lookup<H: Hook>(
    world: &mut World,
    arguments: &Arguments<'_>,
    watch: &mut Watch<'_, H>,
) -> Result<u64, Fault> {
    arguments.context(1)?;
    let address = arguments.get(2);
    if arguments.get(3) & 0xffff_ffff < BYTES {
        return Ok(failed(EINVAL));
    }
    let parameters = world.memory.bytes(address, BYTES)?;
    let destination = match parameters[0] {
        AF_INET => {
            let bytes: [u8; 4] = parameters[DESTINATION..DESTINATION + 4].try_into().unwrap_or_default();
            IpAddr::from(bytes)
        }
        AF_INET6 => {
            let bytes: [u8; 16] = parameters[DESTINATION..DESTINATION + 16].try_into().unwrap_or_default();
            IpAddr::from(bytes)
        }
        _ => return Ok(failed(-97)),
    };
    world.touched(address, AccessKind::Read, BYTES, watch);
    let Some(&route) = world.fib.find(destination) else { return Ok(NOT_FORWARDED) };
    let parameters = world.memory.bytes_mut(address, BYTES)?;
    parameters[INTERFACE..INTERFACE + 4].copy_from_slice(&route.interface.to_le_bytes());
    parameters[SOURCE_MAC..SOURCE_MAC + 6].copy_from_slice(&route.source_mac);
    parameters[DESTINATION_MAC..DESTINATION_MAC + 6].copy_from_slice(&route.destination_mac);
    world.touched(address, AccessKind::Write, BYTES, watch);
    Ok(0)
}
