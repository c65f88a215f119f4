//! Prints firings and markings per second of one core.
//!
//! ```text
//! cargo run --release -p linecard-petri --example petri_speed -- [NET.pnml]
//! ```
//!
//! `mm1k` is M/M/1 with 10 places to wait; `pc50` is a chain of 25 buffers of 4 places with exponential stages. With a PNML
//! file, its state space as well.

use linecard_petri::{Net, NetBuilder, Run, Servers, Timing, explore, read_pnml, simulate};
use std::ops::ControlFlow;
use std::time::Instant;

fn exponential(net: &mut NetBuilder, name: &str, rate: f64) -> u32 {
    net.transition(name, Timing::Exponential { rate }, Servers::Count(1)).expect("a new name")
}

fn mm1k() -> Net {
    let mut net = NetBuilder::new("mm1k");
    let (free, busy) = (net.place("free", 10).expect("new"), net.place("busy", 0).expect("new"));
    let (arrive, serve) = (exponential(&mut net, "arrive", 0.9), exponential(&mut net, "serve", 1.0));
    for (from, transition, to) in [(free, arrive, busy), (busy, serve, free)] {
        net.input(from, transition, 1).expect("there");
        net.output(transition, to, 1).expect("there");
    }
    net.build().expect("a net")
}

fn pc50() -> Net {
    const STAGES: u32 = 25;
    let mut net = NetBuilder::new("pc50");
    let full: Vec<u32> = (0..STAGES).map(|i| net.place(&format!("full{i}"), 0).expect("new")).collect();
    let empty: Vec<u32> = (0..STAGES).map(|i| net.place(&format!("empty{i}"), 4).expect("new")).collect();
    for stage in 0..=STAGES as usize {
        let t = exponential(&mut net, &format!("t{stage}"), 1.0);
        if stage > 0 {
            net.input(full[stage - 1], t, 1).expect("there");
            net.output(t, empty[stage - 1], 1).expect("there");
        }
        if stage < STAGES as usize {
            net.input(empty[stage], t, 1).expect("there");
            net.output(t, full[stage], 1).expect("there");
        }
    }
    net.build().expect("a net")
}

fn main() {
    for (net, time) in [(mm1k(), 6e6), (pc50(), 4e5)] {
        let mut best: f64 = 0.0;
        for seed in 0..3 {
            let started = Instant::now();
            let run = Run { warmup: 0.0, time, seed };
            let found = simulate(&net, &run, &mut |_| ControlFlow::Continue(())).expect("a timed net");
            best = best.max(found.firings as f64 / started.elapsed().as_secs_f64() / 1e6);
        }
        println!("{:12} {best:8.2} M firings/s", net.name);
    }
    if let Some(path) = std::env::args().nth(1) {
        let net = read_pnml(&std::fs::read_to_string(path).expect("a readable file")).expect("a net");
        let started = Instant::now();
        let found = explore(&net, 100_000_000);
        let seconds = started.elapsed().as_secs_f64();
        println!("{:12} {:8.2} M markings/s", net.name, found.reachable_markings as f64 / seconds / 1e6);
    }
}
