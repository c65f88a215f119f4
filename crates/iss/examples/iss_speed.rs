//! How fast a packet program is executed, without and with a trace.
//!
//! `cargo run --release -p linecard-iss --example iss_speed -- programs/prebuilt/md5.elf [CONTROL] [PACKETS] [unchecked]`

use linecard_iss::{Image, Machine, PACKET_ENTRY, Recorder, Silent};
use std::ops::ControlFlow;
use std::time::Instant;

/// Bytes of every packet: an IPv4 header, UDP, and payload.
const BYTES: u16 = 552;
/// Different packets.
const DISTINCT: u32 = 4096;
/// Packets recorded before the trace is cleared, as a capture is streamed.
const BATCH: usize = 1024;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("a program");
    let control =
        arguments.next().filter(|name| name != "-").map(|name| std::fs::read(name).expect("control data"));
    let packets: u32 = arguments.next().map_or(20_000, |count| count.parse().expect("a number of packets"));
    let checked = arguments.next().is_none_or(|word| word != "unchecked");
    let image = Image::read(&file, &std::fs::read(&file).expect("the program")).expect("an image");
    let load = || {
        let control = control.as_deref().unwrap_or_default();
        let mut go_on = |_| ControlFlow::Continue(());
        Machine::new_until(image.clone(), PACKET_ENTRY, control, 10_000_000, checked, &mut go_on)
            .expect("a machine")
    };

    let made: Vec<Vec<u8>> = (0..DISTINCT).map(packet).collect();
    let packet = |number: u32| made[(number % DISTINCT) as usize].as_slice();
    let mut machine = load();
    let before = machine.instructions();
    let started = Instant::now();
    let mut sum = 0u32;
    for number in 0..packets {
        sum = sum.wrapping_add(machine.packet(packet(number), number, &mut Silent).expect("a packet"));
    }
    let seconds = started.elapsed().as_secs_f64();
    let instructions = machine.instructions() - before;
    println!(
        "untraced {:.0} M instructions/s ({instructions} instructions)",
        instructions as f64 / seconds / 1e6
    );

    let mut machine = load();
    let mut recorder = Recorder::new(&machine);
    let (mut bytes, mut traced) = (0, 0u32);
    let started = Instant::now();
    for number in 0..packets {
        traced =
            traced.wrapping_add(recorder.packet(&mut machine, packet(number), number).expect("a packet"));
        if recorder.trace().packets().len() == BATCH || number + 1 == packets {
            bytes += recorder.trace().bytes();
            recorder.trace_mut().clear();
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    assert_eq!(sum, traced, "a trace changes nothing");
    println!(
        "traced {:.0} M instructions/s, {:.2} bytes an instruction",
        instructions as f64 / seconds / 1e6,
        bytes as f64 / instructions as f64
    );
}

/// Packets of a thousand flows.
fn packet(number: u32) -> Vec<u8> {
    let flow = number.wrapping_mul(2_654_435_761) >> 22;
    let mut bytes: Vec<u8> = (0..BYTES).map(|at| (u32::from(at) * 7 + number) as u8).collect();
    bytes[..12].copy_from_slice(&[0x45, 0, (BYTES >> 8) as u8, BYTES as u8, 0, 0, 0, 0, 64, 17, 0, 0]);
    bytes[12..16].copy_from_slice(&(0x0b00_0000 + flow * 77_777).to_be_bytes());
    bytes[16..20].copy_from_slice(&(0x0c00_0000 + flow * 55_555).to_be_bytes());
    bytes[20..28].copy_from_slice(&[4, 0, 0, 53, (BYTES >> 8) as u8, BYTES as u8 - 20, 0, 0]);
    bytes
}
