//! Does any allocator ever lose a cell or give one to two packets? Random traffic against a ledger of owners.

use linecard_buffers::{Allocator, AllocatorConfig, AllocatorKind, Placement, PoolOrder};
use proptest::prelude::*;
use std::collections::VecDeque;

const CELLS: u32 = 512;
const QUEUES: u32 = 4;

fn config(kind: AllocatorKind, order: PoolOrder, pools: u32) -> AllocatorConfig {
    AllocatorConfig { kind, cells: CELLS, page_cells: 32, pools, order, queues: QUEUES, seed: 3 }
}

proptest! {
    #[test]
    fn no_cell_is_lost_or_doubly_owned(
        fifo in any::<bool>(),
        pools in 1u32..=2,
        steps in proptest::collection::vec((any::<bool>(), 1u32..33, 0u16..QUEUES as u16), 1..600),
    ) {
        let order = if fifo { PoolOrder::Fifo } else { PoolOrder::Lifo };
        for kind in AllocatorKind::ALL {
            let mut allocator = Allocator::new(&config(kind, order, pools)).unwrap();
            let mut owned = vec![false; CELLS as usize];
            let mut queues: Vec<VecDeque<(u32, u32)>> = vec![VecDeque::new(); QUEUES as usize];
            for &(arrive, cells, queue) in &steps {
                if arrive {
                    if let Placement::At(first) = allocator.allocate(cells, queue) {
                        for cell in cells_of(&allocator, first, cells) {
                            prop_assert!(!std::mem::replace(&mut owned[cell], true), "{kind:?}: cell {cell} given twice");
                        }
                        queues[queue as usize].push_back((first, cells));
                    }
                } else if let Some((first, cells)) = queues[queue as usize].pop_front() {
                    for cell in cells_of(&allocator, first, cells) {
                        prop_assert!(std::mem::replace(&mut owned[cell], false));
                    }
                    allocator.release(first, cells);
                }
                let held = owned.iter().filter(|&&o| o).count() as u32;
                prop_assert!(allocator.cells_in_use() >= held, "{kind:?} counts fewer cells than packets hold");
            }
            for (first, cells) in queues.into_iter().flatten() {
                allocator.release(first, cells);
            }
            // All memory is free again, except for the page that the frontier keeps.
            prop_assert!(allocator.cells_in_use() <= 32, "{kind:?} lost cells");
        }
    }
}

#[test]
fn impossible_shapes_are_refused_with_a_reason() {
    let good = config(AllocatorKind::Fixed, PoolOrder::Lifo, 2);
    let refused = [
        AllocatorConfig { page_cells: 0, ..good.clone() },
        AllocatorConfig { page_cells: 100, ..good.clone() },
        AllocatorConfig { pools: 3, ..good.clone() },
        AllocatorConfig { kind: AllocatorKind::PerQueue, queues: 0, ..good.clone() },
        AllocatorConfig { kind: AllocatorKind::Linear, page_cells: CELLS, ..good },
    ];
    for config in refused {
        assert!(Allocator::new(&config).is_err(), "{config:?}");
    }
}

fn cells_of(allocator: &Allocator, first: u32, cells: u32) -> Vec<usize> {
    std::iter::successors(Some(first), |&c| Some(allocator.next_cell(c)))
        .take(cells as usize)
        .map(|c| c as usize)
        .collect()
}
