//! Helpers on the packet and its destination.

use super::arguments::{Arguments, failed};
use crate::error::Fault;
use crate::hook::{AccessKind, Hook, Watch};
use crate::maps::errno::EINVAL;
use crate::memory::PACKET;
use crate::object::MapKind;
use crate::world::{Target, World};

/// Result of `bpf_redirect` that a program returns.
const XDP_REDIRECT: u64 = 4;

/// Most bytes that one call sums or copies: what the kernel's `u16` lengths hold.
const MOST_BYTES: u64 = 0xffff;
/// Flag of `bpf_redirect_map`: to all interfaces of the map; with 16, except the one that received the packet.
const BROADCAST: u64 = 8;
const MOST_FLAGS: u64 = 0x1f;

pub(super) fn redirect(world: &mut World, arguments: &Arguments<'_>) -> u64 {
    if arguments.get(2) != 0 {
        return 0;
    }
    world.redirect = Some(Target::Interface(arguments.get(1) as u32));
    XDP_REDIRECT
}

pub(super) fn redirect_map<H: Hook>(
    world: &mut World,
    arguments: &Arguments<'_>,
    watch: &mut Watch<'_, H>,
) -> Result<u64, Fault> {
    let number = arguments.map(world, 1)?;
    let (key, flags) = (arguments.get(2) as u32, arguments.get(3));
    let kind = world.maps[number].definition.kind;
    let to: fn(u32) -> Target = match kind {
        MapKind::Devmap | MapKind::DevmapHash => Target::Interface,
        MapKind::Cpumap => Target::Cpu,
        // A socket belongs to a queue, and programs look it up by that queue.
        MapKind::Xskmap => Target::Socket,
        _ => return Err(arguments.fault(1, "a DEVMAP, DEVMAP_HASH, CPUMAP or XSKMAP")),
    };
    if flags > MOST_FLAGS {
        return Ok(0);
    }
    if flags & BROADCAST != 0 {
        world.redirect = Some(Target::Broadcast);
        return Ok(XDP_REDIRECT);
    }
    let Some(found) = world.maps[number].target(&world.memory, key, watch) else { return Ok(flags & 3) };
    // Keys are the numbers of processors and sockets; values are the numbers of interfaces.
    world.redirect =
        Some(to(if matches!(kind, MapKind::Devmap | MapKind::DevmapHash) { found } else { key }));
    Ok(XDP_REDIRECT)
}

/// Moves an edge of the packet.
pub(super) fn adjust(
    world: &mut World,
    arguments: &Arguments<'_>,
    how: fn(&mut World, i64) -> bool,
) -> Result<u64, Fault> {
    arguments.context(1)?;
    let by = i64::from(arguments.get(2) as i32);
    Ok(if how(world, by) { 0 } else { failed(EINVAL) })
}

/// Copies between the packet and other memory.
pub(super) fn copy<H: Hook>(
    world: &mut World,
    arguments: &Arguments<'_>,
    to_packet: bool,
    watch: &mut Watch<'_, H>,
) -> Result<u64, Fault> {
    arguments.context(1)?;
    let (offset, buffer) = (arguments.get(2) & 0xffff_ffff, arguments.get(3));
    let bytes = arguments.size(4, MOST_BYTES, "at most 65535 bytes")?;
    if offset + bytes > world.end - world.data {
        return Ok(failed(EINVAL));
    }
    let within = PACKET.address(0, world.data + offset);
    let (from, to) = if to_packet { (buffer, within) } else { (within, buffer) };
    world.value.clear();
    world.value.extend_from_slice(world.memory.bytes(from, bytes)?);
    world.memory.bytes_mut(to, bytes)?.copy_from_slice(&world.value);
    world.touched(from, AccessKind::Read, bytes, watch);
    world.touched(to, AccessKind::Write, bytes, watch);
    Ok(0)
}

/// Returns the difference of a checksum after a change of bytes: new bytes added, old ones subtracted, 32 bits
/// wide.
pub(super) fn csum_diff<H: Hook>(
    world: &mut World,
    arguments: &Arguments<'_>,
    watch: &mut Watch<'_, H>,
) -> Result<u64, Fault> {
    let from_bytes = arguments.size(2, MOST_BYTES, "at most 65535 bytes")?;
    let to_bytes = arguments.size(4, MOST_BYTES, "at most 65535 bytes")?;
    if !from_bytes.is_multiple_of(4) || !to_bytes.is_multiple_of(4) {
        return Ok(failed(EINVAL));
    }
    let mut sum = arguments.get(5) & 0xffff_ffff;
    for (address, bytes, invert) in
        [(arguments.get(1), from_bytes, u32::MAX), (arguments.get(3), to_bytes, 0)]
    {
        if bytes == 0 {
            continue;
        }
        let (words, _) = world.memory.bytes(address, bytes)?.as_chunks::<4>();
        for &word in words {
            sum += u64::from(u32::from_le_bytes(word) ^ invert);
        }
        world.touched(address, AccessKind::Read, bytes, watch);
    }
    while sum >> 32 != 0 {
        sum = (sum & 0xffff_ffff) + (sum >> 32);
    }
    Ok(sum)
}
