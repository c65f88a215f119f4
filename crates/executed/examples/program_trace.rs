//! How fast a program is traced: from the request to the work for cores, traffic and `app_init` among it.
//!
//! `cargo run --release -p linecard-executed --example program_trace -- programs/prebuilt/md5.elf [CONTROL|-] [PACKETS]`

use linecard_executed::{PacketRequest, ProgramRequest, trace_program};
use std::ops::ControlFlow;
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let elf = arguments.next().expect("a program");
    let control = arguments.next().filter(|file| file != "-");
    let packets = arguments.next().map_or(20_000, |count| count.parse().expect("a number of packets"));
    let request = ProgramRequest {
        elf,
        entry: None,
        packets: PacketRequest {
            traffic: "edge".to_owned(),
            packets,
            payload: "random".to_owned(),
            seed: 1,
            routes: control.clone().filter(|file| file.ends_with("routes.txt")),
            strict: false,
        },
        control,
        budget: 10_000_000,
        checked: true,
    };
    let started = Instant::now();
    let traced = trace_program(&request, &mut |_, _| ControlFlow::Continue(())).expect("a program");
    let seconds = started.elapsed().as_secs_f64();
    let report = &traced.report;
    println!(
        "{} packets, {} instructions, {} events, {} segments, {:.2} bytes an instruction: {seconds:.3} s, {:.0} M instructions/s",
        report.traffic.packets,
        report.instructions,
        traced.work.events.len(),
        report.segments,
        report.trace_bytes_per_instruction,
        report.instructions as f64 / seconds / 1e6,
    );
}
