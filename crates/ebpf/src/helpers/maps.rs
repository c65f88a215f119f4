//! Helpers on maps.

use super::arguments::{Arguments, failed};
use crate::error::Fault;
use crate::hook::{AccessKind, Hook, Watch};
use crate::maps::{Map, errno};
use crate::memory::{Doing, Memory, map_handle};
use crate::object::MapKind;
use crate::world::World;

/// Size of an index of an array.
const INDEX_BYTES: u32 = 4;

/// Looks a key up; `cpu` is given where it is not the packet's own. Returns `None` if there is a fault; it returns
/// quickly, because results with faults are large.
#[inline(always)]
pub(super) fn find<H: Hook>(
    world: &mut World,
    map: u64,
    address: u64,
    cpu: Option<u32>,
    watch: &mut Watch<'_, H>,
) -> Option<u64> {
    let World { maps, memory, arrival, .. } = world;
    // A value that is no handle becomes a number beyond those of all maps.
    let map = maps.get_mut(usize::try_from(map ^ map_handle(0)).ok()?)?;
    let cpu = cpu.unwrap_or(arrival.cpu);
    // Most maps are arrays.
    if map.is_array() {
        let (index, traced) = memory.load(address)?;
        let found = map.element(u32::from_le_bytes(index), cpu).unwrap_or(0);
        watch.access_at(traced, AccessKind::Read, INDEX_BYTES);
        return Some(found);
    }
    search(map, memory, address, cpu, watch)
}

/// As `find`, in a map that has to be searched.
#[inline(never)]
fn search<H: Hook>(
    map: &mut Map,
    memory: &Memory,
    address: u64,
    cpu: u32,
    watch: &mut Watch<'_, H>,
) -> Option<u64> {
    if !has_lookups(map.definition.kind) {
        return None;
    }
    let bytes = u64::from(map.definition.key_bytes);
    let key = memory.bytes(address, bytes).ok()?;
    watch.touched(memory, address, AccessKind::Read, bytes);
    Some(map.lookup(memory, key, cpu, watch).unwrap_or(0))
}

fn has_lookups(kind: MapKind) -> bool {
    !matches!(kind, MapKind::ProgArray | MapKind::PerfEventArray | MapKind::Ringbuf)
}

/// As `find`; returns the fault, if there is one.
pub(super) fn lookup<H: Hook>(
    world: &mut World,
    arguments: &Arguments<'_>,
    cpu: Option<u32>,
    watch: &mut Watch<'_, H>,
) -> Result<u64, Fault> {
    let (map, key) = (arguments.get(1), arguments.get(2));
    if let Some(found) = find(world, map, key, cpu, watch) {
        return Ok(found);
    }
    let definition = &world.maps[arguments.map(world, 1)?].definition;
    if !has_lookups(definition.kind) {
        return Err(arguments.fault(1, "a map that supports lookups"));
    }
    Err(world.memory.fault(Doing::Read, key, definition.key_bytes.into()))
}

pub(super) fn update<H: Hook>(
    world: &mut World,
    arguments: &Arguments<'_>,
    watch: &mut Watch<'_, H>,
) -> Result<u64, Fault> {
    use MapKind as K;
    let number = arguments.map(world, 1)?;
    let definition = &world.maps[number].definition;
    let by_programs = matches!(
        definition.kind,
        K::Array | K::PercpuArray | K::Hash | K::PercpuHash | K::LruHash | K::LruPercpuHash | K::LpmTrie
    );
    if !by_programs || definition.flags & crate::object::READ_ONLY_FLAG != 0 {
        return Err(arguments.fault(1, "a map that supports updates"));
    }
    let (key, value) = (u64::from(definition.key_bytes), u64::from(definition.value_bytes));
    world.read_key(arguments.get(2), key, watch)?;
    let found = world.memory.bytes(arguments.get(3), value)?;
    world.value.clear();
    world.value.extend_from_slice(found);
    world.touched(arguments.get(3), AccessKind::Read, value, watch);
    let (map, memory) = (&mut world.maps[number], &mut world.memory);
    let done = map.update(memory, &world.key, &world.value, arguments.get(4), world.arrival.cpu, watch);
    if done == Err(errno::ENOMEM) {
        return Err(memory.too_much_written(number));
    }
    Ok(done.map_or_else(failed, |()| 0))
}

pub(super) fn delete<H: Hook>(
    world: &mut World,
    arguments: &Arguments<'_>,
    watch: &mut Watch<'_, H>,
) -> Result<u64, Fault> {
    let number = arguments.map(world, 1)?;
    let definition = &world.maps[number].definition;
    if definition.kind.holds_maps() || matches!(definition.kind, MapKind::ProgArray | MapKind::PerfEventArray)
    {
        return Err(arguments.fault(1, "a map that supports removal"));
    }
    let bytes = u64::from(definition.key_bytes);
    world.read_key(arguments.get(2), bytes, watch)?;
    Ok(world.maps[number].delete(&world.key, watch).map_or_else(failed, |()| 0))
}
