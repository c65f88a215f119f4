//! Helpers that pass data to user space: records are counted, and the accesses that write them are traced.

use super::arguments::{Arguments, failed};
use crate::error::Fault;
use crate::hook::{AccessKind, Hook, Watch};
use crate::maps::errno::EINVAL;
use crate::memory::{self, PACKET};
use crate::object::MapKind;
use crate::world::World;

/// Most bytes of one record.
const MOST_RECORD_BYTES: u64 = 0xffff;
/// Index of a perf event array that means the current processor.
const CURRENT_CPU: u64 = 0xffff_ffff;

/// Reads the text and prints nothing: a simulation of thousands of packets would.
pub(super) fn printk<H: Hook>(
    world: &mut World,
    arguments: &Arguments<'_>,
    watch: &mut Watch<'_, H>,
) -> Result<u64, Fault> {
    let bytes = arguments.size(2, MOST_RECORD_BYTES, "the size of the text")?;
    world.memory.bytes(arguments.get(1), bytes)?;
    world.touched(arguments.get(1), AccessKind::Read, bytes, watch);
    Ok(bytes)
}

pub(super) fn perf_event<H: Hook>(
    world: &mut World,
    arguments: &Arguments<'_>,
    watch: &mut Watch<'_, H>,
) -> Result<u64, Fault> {
    arguments.context(1)?;
    let number = arguments.map(world, 2)?;
    if world.maps[number].definition.kind != MapKind::PerfEventArray {
        return Err(arguments.fault(2, "a PERF_EVENT_ARRAY"));
    }
    let flags = arguments.get(3);
    let place = flags & CURRENT_CPU;
    let bytes = arguments.size(5, MOST_RECORD_BYTES, "at most 65535 bytes")?;
    world.memory.bytes(arguments.get(4), bytes)?;
    // The upper half of the flags requests the first bytes of the packet, which follow the record.
    let of_packet = flags >> 32 & 0xf_ffff;
    if of_packet > world.end - world.data {
        return Ok(failed(-14));
    }
    if place != CURRENT_CPU && place >= u64::from(world.maps[number].definition.most_entries) {
        return Ok(failed(crate::maps::errno::E2BIG));
    }
    world.touched(arguments.get(4), AccessKind::Read, bytes, watch);
    world.touched(PACKET.address(0, world.data), AccessKind::Read, of_packet, watch);
    emit(world, number, bytes + of_packet, watch);
    Ok(0)
}

fn emit<H: Hook>(world: &mut World, number: usize, bytes: u64, watch: &mut Watch<'_, H>) {
    let emitted = &mut world.maps[number].emitted;
    watch.access(memory::values(number), AccessKind::Write, emitted.1 & 0xffff_ffff, bytes);
    *emitted = (emitted.0 + 1, emitted.1 + bytes);
}

pub(super) fn ring_output<H: Hook>(
    world: &mut World,
    arguments: &Arguments<'_>,
    watch: &mut Watch<'_, H>,
) -> Result<u64, Fault> {
    let number = ring(world, arguments, 1)?;
    let bytes = arguments.size(3, MOST_RECORD_BYTES, "at most 65535 bytes")?;
    world.memory.bytes(arguments.get(2), bytes)?;
    if arguments.get(4) > 3 {
        return Ok(failed(EINVAL));
    }
    // The helper reserves a record and submits it at once.
    let Some(at) = world.maps[number].ring().and_then(|ring| ring.reserve(bytes)) else {
        return Ok(failed(-11));
    };
    if let Some(ring) = world.maps[number].ring() {
        ring.release(at);
    }
    world.touched(arguments.get(2), AccessKind::Read, bytes, watch);
    emit(world, number, bytes, watch);
    Ok(0)
}

fn ring(world: &World, arguments: &Arguments<'_>, number: u8) -> Result<usize, Fault> {
    let map = arguments.map(world, number)?;
    match world.maps[map].definition.kind {
        MapKind::Ringbuf => Ok(map),
        _ => Err(arguments.fault(number, "a RINGBUF")),
    }
}

pub(super) fn ring_reserve<H: Hook>(
    world: &mut World,
    arguments: &Arguments<'_>,
    watch: &mut Watch<'_, H>,
) -> Result<u64, Fault> {
    let number = ring(world, arguments, 1)?;
    if arguments.get(3) != 0 {
        return Ok(0);
    }
    let reserved = world.maps[number].ring().and_then(|ring| ring.reserve(arguments.get(2)));
    let Some(offset) = reserved else { return Ok(0) };
    watch.access(memory::values(number), AccessKind::Write, offset - 8, 8);
    Ok(memory::values(number).address(0, offset))
}

pub(super) fn ring_release<H: Hook>(
    world: &mut World,
    arguments: &Arguments<'_>,
    submit: bool,
    watch: &mut Watch<'_, H>,
) -> Result<u64, Fault> {
    let address = arguments.get(1);
    let of = |map: usize| address.wrapping_sub(memory::values(map).address(0, 0));
    let found = world.maps.iter_mut().find_map(|map| {
        let offset = of(map.number);
        let bytes = map.ring()?.release(offset)?;
        Some((map.number, offset, bytes))
    });
    let (number, offset, bytes) = found.ok_or_else(|| arguments.fault(1, "a reserved record"))?;
    watch.access(memory::values(number), AccessKind::Write, offset - 8, 8);
    if submit {
        let emitted = &mut world.maps[number].emitted;
        *emitted = (emitted.0 + 1, emitted.1 + bytes);
    }
    Ok(0)
}

/// Nothing waits to be read; the size is known.
pub(super) fn ring_query(world: &mut World, arguments: &Arguments<'_>) -> Result<u64, Fault> {
    let number = ring(world, arguments, 1)?;
    let capacity = world.maps[number].ring().map_or(0, |ring| ring.capacity());
    Ok(if arguments.get(2) == 1 { capacity } else { 0 })
}
