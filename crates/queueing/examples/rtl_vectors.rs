//! Writes vectors for `rtl/queuing_cache`: `cargo run --release -p linecard-queueing --example rtl_vectors -- FILE SET N`.
//!
//! Sets: `random` (any operation on any of 65536 queues, and on few of them, a third of the dequeues on empty queues),
//! or a workload's notation. After N operations every queue is emptied, so that every packet must come out. The file
//! holds little-endian words: queues, nodes, then for each operation queue × 2 (one more for a dequeue) and the packet,
//! all ones for none.

#[path = "../tests/kit/mod.rs"]
mod kit;

use linecard_queueing::{MOST_QUEUES, Operation, Workload, vectors};
use std::error::Error;
use std::io::Write;

/// Random operations in phases over 65536, 40, 7 and 1 queues.
fn random(count: u64) -> Vec<Operation> {
    let mut draws = linecard_sim::stream(1, "rtl vectors");
    let phases = [MOST_QUEUES, 40, 7, 1];
    (0..count)
        .map(|at| {
            let queues = phases[(at / 5000) as usize % phases.len()];
            let queue = draws.below(queues);
            if draws.below(2) == 0 { Operation::enqueue(queue) } else { Operation::dequeue(queue) }
        })
        .collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, set, count] = &arguments[..] else {
        return Err("expected FILE SET N, such as vectors.bin random 1000000".into());
    };
    let count = count.parse()?;
    let settings = kit::table_1();
    let (mut operations, queues) = match set.as_str() {
        "random" => (random(count), MOST_QUEUES),
        workload => (Workload::parse(workload)?.operations(&settings, count, 1)?, settings.queues),
    };
    let mut inside = vec![0i64; queues as usize];
    for operation in &operations {
        let inside = &mut inside[operation.queue() as usize];
        *inside = (*inside + if operation.is_dequeue() { -1 } else { 1 }).max(0);
    }
    for (queue, &packets) in (0..).zip(&inside) {
        // One more than there are: the last finds the queue empty.
        operations.extend((0..packets + i64::from(packets > 0)).map(|_| Operation::dequeue(queue)));
    }
    let (vectors, nodes) = vectors(&operations, queues);
    let mut bytes = Vec::with_capacity(vectors.len() * 8 + 8);
    let words = vectors.iter().flat_map(|vector| {
        let word = vector.operation.queue() * 2 + u32::from(vector.operation.is_dequeue());
        [word, vector.packet.unwrap_or(u32::MAX)]
    });
    for word in [queues, nodes].into_iter().chain(words) {
        bytes.extend(word.to_le_bytes());
    }
    std::fs::File::create(file)?.write_all(&bytes)?;
    println!("{file}: {} operations on {queues} queues, {nodes} nodes", vectors.len());
    Ok(())
}
