//! `bpf_fib_lookup`: the routes and neighbours that the kernel would know, given by the reader.

use super::{Arguments, failed};
use crate::error::Fault;
use crate::hook::{AccessKind, Hook, Watch};
use crate::maps::errno::EINVAL;
use crate::world::World;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Size of `struct bpf_fib_lookup`, and places in it.
const BYTES: u64 = 64;
const INTERFACE: usize = 8;
const DESTINATION: usize = 32;
const SOURCE_MAC: usize = 52;
const DESTINATION_MAC: usize = 58;
const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;
/// What it returns where no route leads on.
const NOT_FORWARDED: u64 = 4;

/// A route, with the addresses of its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// Prefix.
    pub prefix: IpAddr,
    /// Its length.
    pub length: u8,
    /// Interface that it leads out of.
    pub interface: u32,
    /// Address of that interface.
    pub source_mac: [u8; 6],
    /// Address of the next hop.
    pub destination_mac: [u8; 6],
}

/// Routes by family, length and prefix.
#[derive(Clone, Debug, Default)]
pub struct Fib {
    routes: BTreeMap<(bool, u8), BTreeMap<u128, Route>>,
}

/// The first bits of an address of 128 bits, IPv4 at the top.
fn first(address: IpAddr, length: u8) -> u128 {
    let bits = match address {
        IpAddr::V4(address) => u128::from(u32::from(address)) << 96,
        IpAddr::V6(address) => u128::from(address),
    };
    if length == 0 { 0 } else { bits & u128::MAX << (128 - u32::from(length)) }
}

impl Fib {
    /// Adds a route; the last of a prefix counts.
    pub fn add(&mut self, route: Route) {
        let length = route.length.min(if route.prefix.is_ipv6() { 128 } else { 32 });
        let of_length = self.routes.entry((route.prefix.is_ipv6(), length)).or_default();
        of_length.insert(first(route.prefix, length), route);
    }

    /// The route of the longest prefix.
    #[must_use]
    pub fn find(&self, address: IpAddr) -> Option<&Route> {
        let family = self.routes.range((address.is_ipv6(), 0)..=(address.is_ipv6(), 128));
        family.rev().find_map(|(&(_, length), routes)| routes.get(&first(address, length)))
    }
}

pub(super) fn lookup<H: Hook>(
    world: &mut World,
    arguments: &Arguments,
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
