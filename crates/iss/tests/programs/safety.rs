//! Every program: damaged, cut and unusual packets must do no harm, and the work per packet must stay as intended.

use super::kit::{Program, TCP, UDP, folder, ipv4, loaded, of_flow, refusal, tcp_body};
use linecard_iss::{IssError, Place, Recorder};
use linecard_sim::{Stream, stream};

/// Returns names and control files from `programs.toml`.
fn programs() -> Vec<(String, Option<String>)> {
    let text = std::fs::read_to_string(folder().join("programs.toml")).expect("programs.toml");
    let table: toml::Table = text.parse().expect("TOML");
    let control =
        |value: &toml::Value| value.get("control").and_then(|file| file.as_str()).map(str::to_owned);
    table.iter().map(|(name, value)| (name.clone(), control(value))).collect()
}

#[test]
fn every_program_is_listed_and_built() {
    let mut built: Vec<String> = std::fs::read_dir(folder().join("prebuilt"))
        .expect("the prebuilt programs")
        .map(|file| file.expect("a file").path().file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    built.sort_unstable();
    let mut listed: Vec<String> = programs().into_iter().map(|(name, _)| name).collect();
    listed.sort_unstable();
    assert_eq!(built, listed);
    assert_eq!(listed.len(), 16, "the fifteen of Table 1, and CAST-256");
}

/// Draws bytes that often look like a packet: the decisive fields have the values that are worth trying.
fn odd_packet(draw: &mut Stream) -> Vec<u8> {
    let length = draw.below(120) as usize;
    let mut packet: Vec<u8> = (0..length).map(|_| draw.bits() as u8).collect();
    let mut set = |at: usize, of: &[u8], one_in: u32| {
        if at < length && draw.below(one_in) > 0 {
            packet[at] = of[draw.below(of.len() as u32) as usize];
        }
    };
    set(0, &[0x45, 0x46, 0x4f, 0x60, 0x44, 0x50], 10);
    set(6, &[0, 0x20, 0x1f, 6, 17, 43, 44, 51, 58, 60], 2);
    set(9, &[1, 6, 17, 132], 4);
    set(2, &[0], 4);
    set(3, &[0, 20, 28, 40, length as u8, length as u8, length as u8 + 1], 8);
    set(4, &[0], 4);
    set(5, &[0, 8, (length as u8).wrapping_sub(40)], 4);
    set(32, &[0x50, 0x40, 0xf0], 2);
    set(40, &[6, 17, 44, 0], 2);
    packet
}

#[test]
fn odd_packets_do_no_harm() {
    for (name, control) in programs() {
        let mut program = Program::shipped(&name, control.as_deref());
        let mut draw = stream(1, "odd packets");
        for length in 0..64 {
            program.packet(&vec![0x45; length]);
            program.packet(&vec![0x60; length]);
        }
        for _ in 0..4000 {
            program.packet_at(&odd_packet(&mut draw), draw.bits() as u32);
        }
        // The program still works.
        let packet = of_flow(0x0a00_0001, 0x0b00_0001, TCP, (1, 2), 8);
        assert!(program.packet(&packet) < u32::MAX, "{name}");
        assert!(program.instructions > 20, "{name}");
    }
}

/// The results and the cost of a program do not depend on whether its accesses are checked.
#[test]
fn a_checked_program_does_the_same_at_the_same_addresses() {
    for (name, control) in programs() {
        let file = folder().join(format!("prebuilt/{name}.elf"));
        let control =
            control.map(|file| std::fs::read(folder().join("control").join(file)).expect("a control file"));
        let control = control.unwrap_or_default();
        let mut machines = [true, false].map(|checked| loaded(&file, &control, checked));
        let mut recorders = [0, 1].map(|number| Recorder::new(&machines[number]));
        let mut draw = stream(3, "the same");
        for number in 0..600u32 {
            let ports = (1 + draw.below(4) as u16, 80);
            let packet = match number % 3 {
                0 => odd_packet(&mut draw),
                _ => of_flow(0x0a00_0000 + draw.below(60), 0x0b00_0001, TCP, ports, draw.below(200) as usize),
            };
            let results = [0, 1].map(|which| {
                recorders[which]
                    .packet(&mut machines[which], &packet, number)
                    .expect("a packet without a fault")
            });
            assert_eq!(results[0], results[1], "{name}");
            let steps = [0, 1].map(|which| {
                let mut steps = Vec::new();
                recorders[which].trace().walk(0, machines[which].code(), |step| steps.push(step));
                recorders[which].trace_mut().clear();
                steps
            });
            assert!(steps[0] == steps[1], "{name}, packet {number}");
        }
    }
}

/// Packets cut after any byte, with the lengths in their headers unchanged or set to the remaining bytes.
#[test]
fn cut_packets_do_no_harm() {
    let whole = ipv4(0x0a00_0001, 0x0b00_0001, TCP, &tcp_body((1, 2), 3, 0x18, &[0x61; 40]));
    for (name, control) in programs() {
        let mut program = Program::shipped(&name, control.as_deref());
        for length in 0..whole.len() {
            let mut cut = whole[..length].to_vec();
            program.packet(&cut);
            if length >= 4 {
                cut[3] = length as u8;
                program.packet(&cut);
            }
        }
    }
}

#[test]
fn bad_control_data_is_told_by_its_line() {
    let cases = [
        ("classify", "# comment\n\nbuckets 1000\n", 3, "no power of two"),
        ("classify", "bucket 1024\n", 1, "an unknown word"),
        ("patricia", "10.0.0.0/8 1\n10.0.0.0/33 2\n", 2, "a prefix of 33 bits"),
        ("patricia", "10.0.0/8 1\n", 1, "three parts"),
        ("bitmap", "10.0.0.0/255.0.255.0 1\n", 1, "a mask with a hole"),
        ("bsol", "10.0.0.0/8 x\n", 1, "a hop that is no number"),
        ("ixp", "10.0.0.256/8 1\n", 1, "a part of 256"),
        ("ixp", "10.0.0.0/8 0\n", 1, "hop 0 stands for none"),
        ("srtcm", "class 1\nprofile 1 2\n", 2, "two of three"),
        ("trtcm", "profile 200 1000 100 1000\n", 1, "a peak rate below the committed one"),
        ("tswtcm", "meters 16\nprofile 1 2 30\n", 2, "a window too long"),
        ("stream", "waiting 63\n", 1, "more than fits"),
        ("portscan", "limit 0\n", 1, "no limit"),
        ("cast", "key 0011\n", 1, "a short key"),
        ("cast256", "iv 00\n", 1, "a short vector"),
        ("vscan", "name \"long enough\"\nname \"abc\"\n", 2, "a short pattern"),
        ("vscan", "name \"abcdef\n", 1, "no end"),
        ("vscan", "name \"abc\\xg0def\"\n", 1, "no hexadecimal digit"),
        ("drr", "quantum 10\n", 1, "a small quantum"),
        ("drr", "queues 4294967297\n", 1, "a number of 33 bits"),
    ];
    for (name, control, expected, what) in cases {
        match refusal(name, control) {
            IssError::Control { line, .. } => assert_eq!(line, expected, "{name}: {what}"),
            other => panic!("{name}, {what}: {other}"),
        }
    }
}

#[test]
fn tables_that_do_not_fit_are_told() {
    let found = refusal("classify", "buckets 16777216\n");
    assert!(matches!(found, IssError::OutOfMemory { place: Place::Init, .. }), "{found}");
}

#[test]
fn work_on_small_packets_is_that_of_firmware() {
    // Bounds on the instructions for consecutive packets of one flow with 64 bytes.
    for (name, control) in programs() {
        let mut program = Program::shipped(&name, control.as_deref());
        let mut draw = stream(64, "flows");
        let mut total = 0;
        for number in 0..2000u32 {
            let protocol = if draw.below(4) == 0 { UDP } else { TCP };
            let ports = (1 + draw.below(50) as u16, 80);
            let payload_bytes = if protocol == TCP { 24 } else { 36 };
            let packet = of_flow(draw.below(30), draw.bits() as u32, protocol, ports, payload_bytes);
            program.packet_at(&packet, number * 100);
            total += program.instructions;
        }
        let mean = total / 2000;
        let most = match name.as_str() {
            "md5" => 1500,
            "cast" => 3000,
            "cast256" => 4500,
            _ => 600,
        };
        assert!((20..=most).contains(&mean), "{name}: {mean} instructions a packet, expected at most {most}");
    }
}
