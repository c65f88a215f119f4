//! Programs on cores: what each needs a packet, its best split of 16 thread-equivalents, and how fast that was found.
//!
//! `cargo run --release -p linecard-executed --example program_cores -- programs/prebuilt edge 20000 150 0.64 16`

use linecard_executed::{CoreRequest, PacketRequest, ProgramRequest, core_report, trace_program};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut next = |default: &str| arguments.next().unwrap_or_else(|| default.to_owned());
    let (folder, traffic, packets) = (next("programs/prebuilt"), next("edge"), next("20000"));
    let (latency, bandwidth, area) = (next("150"), next("0.64"), next("16"));
    let only = next("");
    let mut files: Vec<_> =
        std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "elf")) {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        if !only.is_empty() && name != only {
            continue;
        }
        let control = control_of(&folder, &name);
        let request = ProgramRequest {
            elf: file.display().to_string(),
            entry: None,
            packets: PacketRequest {
                traffic: traffic.clone(),
                packets: packets.parse().expect("packets"),
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
        let traced = match trace_program(&request, &mut |_, _| ControlFlow::Continue(())) {
            Ok(traced) => traced,
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        let seconds = started.elapsed().as_secs_f64();
        let report = &traced.report;
        let core = CoreRequest {
            latency_cycles: latency.parse().expect("latency"),
            refs_per_cycle: bandwidth.parse().expect("bandwidth"),
            area: area.parse().expect("area"),
            threads: 0,
            clock_mhz: 0,
            events: 400_000,
            adapt_packets: 0,
            jobs: 1,
        };
        let started = Instant::now();
        let cores = core_report(&traced.work, &core, &mut |_, _| ControlFlow::Continue(())).expect("a core");
        let core_seconds = started.elapsed().as_secs_f64();
        let simulated =
            cores.window_packets as f64 * 1.5 * report.instructions_per_packet * cores.rows.len() as f64;
        println!(
            "{name:9} {:6.0} instr {:5.1} packet {:5.1} table {:5.1} other {:4.1} locks ({:5}) {:5} segments {:.2} B/instr | traced {:4.0} M/s, cores {:4.0} M/s | best {:2} threads {:.1} {} {}",
            report.instructions_per_packet,
            report.packet_accesses_per_packet,
            report.table_accesses_per_packet,
            report.other_accesses_per_packet,
            report.locks_per_packet,
            report.locks,
            report.segments,
            report.trace_bytes_per_instruction,
            report.instructions as f64 / seconds / 1e6,
            simulated / core_seconds / 1e6,
            cores.best_threads,
            cores.best_packets_per_mcycle,
            if cores.single_peak { "" } else { "several peaks" },
            cores
                .rows
                .iter()
                .map(|row| format!("{:.1}", row.packets_per_mcycle / cores.best_packets_per_mcycle * 100.0))
                .collect::<Vec<_>>()
                .join(" "),
        );
    }
}

/// The control file that `programs.toml` names for a program.
fn control_of(folder: &str, name: &str) -> Option<String> {
    let root = Path::new(folder).parent()?;
    let text = std::fs::read_to_string(root.join("programs.toml")).ok()?;
    let table: toml::Table = text.parse().ok()?;
    let file = table.get(name)?.get("control")?.as_str()?;
    Some(root.join("control").join(file).display().to_string())
}
