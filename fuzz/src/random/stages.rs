//! Chips put together from nothing: clusters in stages, rings between them that may lead back, and costs that may be zero.

use linecard_sim::Stream;
use std::fmt::Write;

/// A chip's file.
pub fn chip(random: &mut Stream) -> Vec<u8> {
    let mut text =
        String::from("kind = \"chip\"\ntitle = \"drawn\"\nsource = \"drawn\"\n[clock]\na_mhz = 1000\n");
    let stages = 1 + random.below(4);
    let memories = 1 + random.below(3);
    let rings = random.below(4);
    let saturated = random.below(3) == 0;
    for number in 0..memories {
        let _ = writeln!(text, "[memory.m{number}]");
        match random.below(4) {
            // Nothing said: it takes no time.
            0 => {}
            1 => text.push_str("latency_cycles = 0\n"),
            _ => {
                let _ = writeln!(
                    text,
                    "latency_cycles = {}\naccess_cycles = {}",
                    random.below(60),
                    random.below(4)
                );
            }
        }
    }
    let keeps = random.below(3) == 0;
    if keeps {
        let page = [256, 2048][random.below(2) as usize];
        let pool = [1, 4, 64][random.below(3) as usize];
        let _ = writeln!(
            text,
            "[memory.d]\nkind = \"dram\"\npart = \"ddr4_2400\"\ncontroller = \"frfcfs_open\"\npage_bytes = {page}\n\
             pool_bytes = \"{pool} KiB\""
        );
    }
    for number in 0..rings {
        let kind = if random.below(4) == 0 { "inbox" } else { "ring" };
        let _ = writeln!(text, "[{kind}.r{number}]");
        if kind == "ring" {
            let _ = writeln!(text, "memory = \"m{}\"", random.below(memories));
        }
        if kind == "ring" || random.below(2) == 0 {
            let _ = writeln!(text, "entries = {}", [1, 2, 16, 100_000][random.below(4) as usize]);
        }
        window(&mut text, random);
    }
    let rule = ["free_list", "hash", "least_loaded", "lanes"][random.below(4) as usize];
    let _ = writeln!(text, "[inbox.work]\nrule = \"{rule}\"");
    window(&mut text, random);
    text.push_str("[buffer.rx]\nbytes = \"64 KiB\"\n");
    let rate = [0, 1, 10][random.below(3) as usize];
    let full = ["drop", "wait"][random.below(2) as usize];
    let _ = writeln!(
        text,
        "[port.e]\nrate_gbps = {rate}\ninbox = \"work\"\nwhen_full = \"{full}\"\nqueue_packets = 8"
    );
    if keeps {
        text.push_str("receive_to = \"d\"\nsend_from = \"d\"\n");
    }
    if random.below(4) == 0 {
        text.push_str("[order]\nkept = \"flow\"\nwindow_packets = 4\n");
    }
    for number in 0..stages {
        let takes = taken(number, stages, rings, random);
        let _ = writeln!(
            text,
            "[cluster.c{number}]\nengines = {}\nthreads = {}\nposted = {}\ntakes = [{takes}]",
            1 + random.below(2),
            1 + random.below(4),
            1 + random.below(3)
        );
        steps(&mut text, number, memories, rings, random);
    }
    let arrivals = if saturated { "arrivals = \"saturated\"" } else { "rate_gbps = 0.5" };
    let bytes = [64, 300, 1518][random.below(3) as usize];
    let _ = writeln!(text, "[traffic]\nkind = \"fixed\"\npacket_bytes = {bytes}\nflows = 4\n{arrivals}");
    text.into_bytes()
}

fn window(text: &mut String, random: &mut Stream) {
    if random.below(6) == 0 {
        let _ = writeln!(text, "window = {}", 1 + random.below(4));
    }
}

/// What the cluster of a number takes from: somebody takes from all there is.
fn taken(number: u32, stages: u32, rings: u32, random: &mut Stream) -> String {
    let mut names: Vec<String> = if number == 0 { vec!["\"work\"".to_owned()] } else { Vec::new() };
    names.extend((0..rings).filter(|ring| ring % stages == number).map(|ring| format!("\"r{ring}\"")));
    if names.is_empty() {
        names.push(if random.below(4) == 0 && rings > 0 { "\"r0\"" } else { "\"work\"" }.to_owned());
    }
    names.join(", ")
}

/// The program of a cluster: accesses and computation, of which any may be none, and an end.
fn steps(text: &mut String, cluster: u32, memories: u32, rings: u32, random: &mut Stream) {
    let mut step = |words: String| {
        let _ = writeln!(text, "[[cluster.c{cluster}.step]]\n{words}");
    };
    let cycles = |random: &mut Stream| [0, 0, 1, 7, 200][random.below(5) as usize];
    for _ in 0..random.below(4) {
        let at = random.below(memories);
        let words = match random.below(5) {
            0 => format!("cycles = {}", cycles(random)),
            1 => format!("op = \"write\"\nat = \"m{at}\"\nposted = true\nbytes = 8"),
            2 => format!("op = \"add\"\nat = \"m{at}\"\nbytes = 4\naddress = \"flow\""),
            _ => format!("op = \"read\"\nat = \"m{at}\"\ncycles = {}", cycles(random)),
        };
        step(words);
    }
    let end = random.below(8);
    if rings > 0 && end < 4 {
        let to = random.below(rings);
        let room = if random.below(4) == 0 { "\nif_room = true" } else { "" };
        step(format!("op = \"put\"\nto = \"r{to}\"{room}\ncycles = {}", cycles(random)));
        if room.is_empty() {
            return;
        }
    }
    match end {
        4 => step(format!("op = \"drop\"\ncycles = {}", cycles(random))),
        5 => step(format!("op = \"finish\"\ncycles = {}", cycles(random))),
        _ => step(format!("op = \"send\"\ncycles = {}", cycles(random))),
    }
}
