//! The routes for `bpf_fib_lookup`, as in the kernel.

use std::collections::BTreeMap;
use std::net::IpAddr;

/// A route, with the addresses of its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// Prefix.
    pub prefix: IpAddr,
    /// Length.
    pub length: u8,
    /// Outgoing interface.
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
    /// Adds a route; it replaces an earlier one of the same prefix.
    pub fn add(&mut self, route: Route) {
        let length = route.length.min(if route.prefix.is_ipv6() { 128 } else { 32 });
        let of_length = self.routes.entry((route.prefix.is_ipv6(), length)).or_default();
        of_length.insert(first(route.prefix, length), route);
    }

    /// Returns the route of the longest prefix.
    #[must_use]
    pub fn find(&self, address: IpAddr) -> Option<&Route> {
        let family = self.routes.range((address.is_ipv6(), 0)..=(address.is_ipv6(), 128));
        family.rev().find_map(|(&(_, length), routes)| routes.get(&first(address, length)))
    }
}
