//! Helpers: kernel functions that programs call (`bpf-helpers(7)`).
//!
//! The reads and writes of a helper are accesses in a trace, like those of instructions. Time is the packet's
//! arrival: it does not advance while a program processes the packet.

mod arguments;
mod fib;
mod maps;
mod names;
mod output;
mod packet;

pub(crate) use arguments::failed;
pub use names::helper_name;
pub(crate) use names::{arguments, supported};

use crate::error::Fault;
use crate::hook::{AccessKind, Hook, Watch};
use crate::world::World;
use arguments::Arguments;

/// The kernel's clock of 250 ticks a second.
const JIFFY_NS: u64 = 4_000_000;

/// Number of the helper `bpf_map_lookup_elem`, which most programs call most often.
pub const MAP_LOOKUP: u32 = 1;

/// As `call`, for [`MAP_LOOKUP`]; `None` if there is a fault, which `call` returns.
#[inline(never)]
pub(crate) fn lookup<H: Hook>(
    world: &mut World,
    map: u64,
    key: u64,
    watch: &mut Watch<'_, H>,
) -> Option<u64> {
    maps::find(world, map, key, None, watch)
}

/// Calls a helper and returns its result.
#[inline(never)]
pub(crate) fn call<H: Hook>(
    world: &mut World,
    number: u32,
    values: &[u64; 5],
    watch: &mut Watch<'_, H>,
) -> Result<u64, Fault> {
    let named = |helper: &'static str| Arguments { helper, values };
    match number {
        MAP_LOOKUP => maps::lookup(world, &named("bpf_map_lookup_elem"), None, watch),
        2 => maps::update(world, &named("bpf_map_update_elem"), watch),
        3 => maps::delete(world, &named("bpf_map_delete_elem"), watch),
        5 | 125 | 160 | 208 => Ok(world.arrival.time_ns),
        6 | 177 => output::printk(world, &named("bpf_trace_printk"), watch),
        7 => Ok(world.random.bits() >> 32),
        8 => Ok(u64::from(world.arrival.cpu % world.cpus)),
        23 => Ok(packet::redirect(world, &named("bpf_redirect"))),
        25 => output::perf_event(world, &named("bpf_perf_event_output"), watch),
        28 => packet::csum_diff(world, &named("bpf_csum_diff"), watch),
        44 => packet::adjust(world, &named("bpf_xdp_adjust_head"), World::adjust_head),
        51 => packet::redirect_map(world, &named("bpf_redirect_map"), watch),
        54 => packet::adjust(world, &named("bpf_xdp_adjust_meta"), World::adjust_meta),
        65 => packet::adjust(world, &named("bpf_xdp_adjust_tail"), World::adjust_tail),
        69 => fib::lookup(world, &named("bpf_fib_lookup"), watch),
        93 => lock(world, &named("bpf_spin_lock"), watch),
        94 => unlock(world, &named("bpf_spin_unlock"), watch),
        118 => Ok(world.arrival.time_ns / JIFFY_NS),
        130 => output::ring_output(world, &named("bpf_ringbuf_output"), watch),
        131 => output::ring_reserve(world, &named("bpf_ringbuf_reserve"), watch),
        132 => output::ring_release(world, &named("bpf_ringbuf_submit"), true, watch),
        133 => output::ring_release(world, &named("bpf_ringbuf_discard"), false, watch),
        134 => output::ring_query(world, &named("bpf_ringbuf_query")),
        188 => {
            named("bpf_xdp_get_buff_len").context(1)?;
            Ok(world.end - world.data)
        }
        189 => packet::copy(world, &named("bpf_xdp_load_bytes"), false, watch),
        190 => packet::copy(world, &named("bpf_xdp_store_bytes"), true, watch),
        195 => {
            let arguments = named("bpf_map_lookup_percpu_elem");
            let cpu = arguments.get(3) as u32;
            if cpu >= world.cpus { Ok(0) } else { maps::lookup(world, &arguments, Some(cpu), watch) }
        }
        _ => Err(Fault::Unsupported(format!("the helper {}, which is not supported", helper_name(number)))),
    }
}

/// Programs run one at a time: a lock is free unless the same program holds it. The hook keeps packets apart.
fn lock<H: Hook>(
    world: &mut World,
    arguments: &Arguments<'_>,
    watch: &mut Watch<'_, H>,
) -> Result<u64, Fault> {
    let address = arguments.get(1);
    world.memory.bytes_mut(address, 4)?;
    if world.lock.is_some() {
        return Err(arguments.fault(1, "no lock to be held; a program may hold only one lock at a time"));
    }
    world.lock = Some(address);
    world.touched(address, AccessKind::Atomic, 4, watch);
    watch.hook.lock(watch.at, address, true);
    Ok(0)
}

fn unlock<H: Hook>(
    world: &mut World,
    arguments: &Arguments<'_>,
    watch: &mut Watch<'_, H>,
) -> Result<u64, Fault> {
    let address = arguments.get(1);
    if world.lock != Some(address) {
        return Err(arguments.fault(1, "the lock that is held"));
    }
    world.lock = None;
    watch.hook.lock(watch.at, address, false);
    world.touched(address, AccessKind::Write, 4, watch);
    Ok(0)
}
