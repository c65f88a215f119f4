//! Prints how many operations per second a queue manager is simulated with, and what goes with a run.
//!
//! ```text
//! cargo run --release -p linecard-queueing --example queueing_speed -- [--operations N] [--repeat N] [--only NAME]
//! ```
//!
//! The workload is `SD16_90`, the manager the queuing cache. `--only` runs one line of the table, for counting
//! instructions: `valgrind --tool=callgrind target/release/examples/queueing_speed --repeat 1 --only run`; `none` runs none,
//! which is what the others have in common.

#[path = "../tests/kit/mod.rs"]
mod kit;

use linecard_queueing::{Kind, Window, Workload, gaps, predict, run};
use std::hint::black_box;
use std::time::Instant;

struct Arguments {
    operations: u64,
    repeat: u32,
    only: Option<String>,
}

fn arguments() -> Arguments {
    let mut arguments = Arguments { operations: 1_000_000, repeat: 5, only: None };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|n| n.parse().ok()).expect("a number");
        match word.as_str() {
            "--operations" => arguments.operations = number(),
            "--repeat" => arguments.repeat = number() as u32,
            "--only" => arguments.only = Some(words.next().expect("--only NAME")),
            other => panic!("{other} is not known"),
        }
    }
    arguments
}

/// Does the work several times and prints the best.
fn time(arguments: &Arguments, name: &str, mut work: impl FnMut()) {
    if arguments.only.as_ref().is_some_and(|only| only != name) {
        return;
    }
    let mut best = f64::INFINITY;
    for _ in 0..arguments.repeat {
        let started = Instant::now();
        work();
        best = best.min(started.elapsed().as_secs_f64());
    }
    println!("{name:10} {:8.2} M operations/s", arguments.operations as f64 / best / 1e6);
}

fn main() {
    let arguments = arguments();
    let settings = kit::table_1();
    let workload = Workload::parse("SD16_90").expect("a known notation");
    let operations = || workload.operations(&settings, arguments.operations, 1).expect("a workload");
    let stream = operations();
    let window = Window { warmup: 1000, measured: arguments.operations - 1000 };
    let kind = Kind::QueuingCache;
    time(&arguments, "workload", || {
        black_box(operations());
    });
    time(&arguments, "run", || {
        black_box(run(kind, &settings, &stream, window, &mut |_| true).expect("a run"));
    });
    time(&arguments, "model", || {
        black_box(predict(kind, &settings, &stream));
    });
    time(&arguments, "gaps", || {
        black_box(gaps(&stream, settings.all_queues(), settings.entries));
    });
}
