//! Run a preset without Python, for counting instructions:
//! `cargo run --release -p linecard-chips --example run_preset -- hasan2003_all_pf 200000 [PROGRAM|-] [KEY=VALUE …]`. A PROGRAM
//! that ends in `.o` or `.elf` is executed.

use linecard_chips::{Program, ProgramFile, RunRequest, run_without_verdict};
use std::ops::ControlFlow;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let chip = arguments.next().unwrap_or_else(|| "hasan2003_all_pf".to_owned());
    let packets = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(200_000);
    let program = arguments.next().filter(|program| program != "-");
    let request = RunRequest {
        chip,
        program: program.map(|path| match path.ends_with(".o") || path.ends_with(".elf") {
            true => Program::Executed(ProgramFile {
                name: path.clone(),
                path,
                section: None,
                entry: None,
                maps: vec![],
                routes: None,
                control: None,
                budget: 1_000_000,
                checked: true,
                cpus: 1,
                table: None,
            }),
            false => Program::Listed(path),
        }),
        overrides: arguments.collect(),
        seed: 1,
        packets,
        warmup_packets: Some(1000),
        ..RunRequest::default()
    };
    let started = std::time::Instant::now();
    match run_without_verdict(&request, &mut |_| ControlFlow::Continue(())) {
        Ok(report) => {
            let seconds = started.elapsed().as_secs_f64();
            let rate = (packets + request.warmup_packets.unwrap_or(0)) as f64 / seconds;
            println!(
                "{:.3} Gbit/s simulated; {rate:.0} packets/s in {seconds:.2} s",
                report.summary.throughput_gbps
            );
            println!("{:?}\n{}: {}", report.summary, report.bottleneck.component, report.bottleneck.why);
            for used in &report.resources {
                println!("{:30} {:6.3}", used.component, used.utilization);
            }
            for part in &report.packet_time {
                println!("{:30} {:8.1} ns", part.part, part.mean_ns);
            }
            report.warnings.iter().for_each(|warning| println!("note: {warning}"));
        }
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}
