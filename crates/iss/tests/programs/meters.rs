//! srtcm, trtcm and tswtcm, against models in exact arithmetic, and over long times against the rates that they
//! enforce.

use super::kit::{Program, UDP, flow_hash, of_flow, ones_complement_sum, set_header_checksum};
use linecard_sim::stream;

const GREEN: u32 = 0;
const YELLOW: u32 = 1;
const RED: u32 = 2;

trait Model {
    fn colour(&mut self, now_us: u64, bytes: u64, arrived: u32) -> u32;
}

/// A token bucket that counts millionths of a byte, so that no value is ever rounded.
struct Bucket {
    millionths: u128,
    most: u128,
}

impl Bucket {
    fn full(bytes: u64) -> Self {
        Self { millionths: u128::from(bytes) * 1_000_000, most: u128::from(bytes) * 1_000_000 }
    }

    /// Adds tokens and returns those that do not fit.
    fn fill(&mut self, millionths: u128) -> u128 {
        let all = self.millionths + millionths;
        self.millionths = all.min(self.most);
        all - self.millionths
    }

    fn has(&self, bytes: u64) -> bool {
        self.millionths >= u128::from(bytes) * 1_000_000
    }

    fn take(&mut self, bytes: u64) {
        self.millionths -= u128::from(bytes) * 1_000_000;
    }
}

/// RFC 2697, section 3.
struct SingleRate {
    rate: u64,
    committed: Bucket,
    excess: Bucket,
    last_us: u64,
}

impl Model for SingleRate {
    fn colour(&mut self, now_us: u64, bytes: u64, arrived: u32) -> u32 {
        let overflow = self.committed.fill(u128::from(self.rate) * u128::from(now_us - self.last_us));
        self.excess.fill(overflow);
        self.last_us = now_us;
        if arrived == GREEN && self.committed.has(bytes) {
            self.committed.take(bytes);
            return GREEN;
        }
        if arrived != RED && self.excess.has(bytes) {
            self.excess.take(bytes);
            return YELLOW;
        }
        RED
    }
}

/// RFC 2698, section 3.
struct TwoRate {
    rates: [u64; 2],
    committed: Bucket,
    peak: Bucket,
    last_us: u64,
}

impl Model for TwoRate {
    fn colour(&mut self, now_us: u64, bytes: u64, arrived: u32) -> u32 {
        let passed_us = u128::from(now_us - self.last_us);
        self.committed.fill(u128::from(self.rates[0]) * passed_us);
        self.peak.fill(u128::from(self.rates[1]) * passed_us);
        self.last_us = now_us;
        if arrived == RED || !self.peak.has(bytes) {
            return RED;
        }
        self.peak.take(bytes);
        if arrived == YELLOW || !self.committed.has(bytes) {
            return YELLOW;
        }
        self.committed.take(bytes);
        GREEN
    }
}

/// RFC 2859, sections 3 and 4, with the program's unit (sixteenths of a byte in a window, rounded down) and its
/// random generator.
struct SlidingWindow {
    in_window: u128,
    targets: [u128; 2],
    window_us: u128,
    random: u32,
    last_us: u64,
}

impl SlidingWindow {
    fn new(rates: [u64; 2], window: u32, number: u32) -> Self {
        let targets = rates.map(|rate| (u128::from(rate) << (window + 4)) / 1_000_000);
        let random = (number + 1).wrapping_mul(0x9e37_79b1);
        Self { in_window: targets[0], targets, window_us: 1 << window, random, last_us: 0 }
    }
}

impl Model for SlidingWindow {
    fn colour(&mut self, now_us: u64, bytes: u64, _arrived: u32) -> u32 {
        let passed_us = u128::from(now_us - self.last_us);
        self.last_us = now_us;
        self.in_window =
            (self.in_window + 16 * u128::from(bytes)) * self.window_us / (self.window_us + passed_us);
        let [committed, peak] = self.targets;
        if self.in_window <= committed {
            return GREEN;
        }
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        let drawn = (u128::from(self.random) * self.in_window) >> 32;
        if self.in_window > peak && drawn < self.in_window - peak {
            RED
        } else if drawn < self.in_window - committed {
            YELLOW
        } else {
            GREEN
        }
    }
}

/// Sends packets of six flows through eight meters; `model` creates the model of a meter from its number.
fn hold_to_model(name: &str, control: &str, aware: bool, model: impl Fn(u32) -> Box<dyn Model>) {
    let settings = format!("meters 8\nclass 2\n{}{control}", if aware { "aware\n" } else { "" });
    let mut program = Program::new(name, settings.as_bytes());
    let mut models: Vec<Box<dyn Model>> = (0..8).map(&model).collect();
    let mut draw = stream(2697, name);
    let mut now_us = 0;
    let mut seen = [0; 3];
    for _ in 0..20_000 {
        now_us += match draw.below(50) {
            0 => u64::from(draw.below(1_000_000)),
            1..20 => u64::from(draw.below(10_000)),
            _ => u64::from(draw.below(20)),
        };
        let src = draw.below(6);
        let mut packet = of_flow(src, 9, UDP, (5, 6), [0, 36, 472, 1372][draw.below(4) as usize]);
        // The code points include AF11 and AF33, expedited forwarding, none, and random ones.
        packet[1] = [0x28, 0x30, 0x38, 0x2a, 0x78, 0xb8, 0, draw.bits() as u8][draw.below(8) as usize];
        set_header_checksum(&mut packet);
        let code_point = packet[1] >> 2;
        let brought = match code_point {
            12 | 20 | 28 | 36 => YELLOW,
            14 | 22 | 30 | 38 => RED,
            _ => GREEN,
        };
        let model = &mut models[(flow_hash(src, 9, UDP, (5, 6)) % 8) as usize];
        let expected = model.colour(now_us, packet.len() as u64, if aware { brought } else { GREEN });
        let colour = program.packet_at(&packet, now_us as u32);
        assert_eq!(colour, expected, "{name}, {code_point:06b} at {now_us} us");
        assert_eq!(program.locks, 2, "one lock, taken and released");
        seen[colour as usize] += 1;
        // RFC 2597: AF21, AF22 and AF23 are 18, 20 and 22; the program leaves the two low bits.
        let left = program.left();
        assert_eq!(left[1], (18 + 2 * colour as u8) << 2 | packet[1] & 3);
        assert_eq!(ones_complement_sum(&left[..20]), 0xffff, "the header's checksum still holds");
        assert_eq!((&left[2..10], &left[12..]), (&packet[2..10], &packet[12..]), "nothing else has changed");
    }
    assert!(seen.iter().all(|&count| count > 200), "{seen:?}");
}

#[test]
fn the_single_rate_marker_is_that_of_rfc_2697() {
    let profiles: [[u64; 3]; 3] = [[125_000, 8192, 16384], [1000, 1500, 3000], [1_000_000, 0, 5000]];
    let control = "profile 125000 8192 16384\nprofile 1000 1500 3000\nprofile 1000000 0 5000\n";
    for aware in [false, true] {
        hold_to_model("srtcm", control, aware, |number| {
            let [rate, committed, excess] = profiles[number as usize % 3];
            let (committed, excess) = (Bucket::full(committed), Bucket::full(excess));
            Box::new(SingleRate { rate, committed, excess, last_us: 0 })
        });
    }
}

#[test]
fn the_two_rate_marker_is_that_of_rfc_2698() {
    let profiles: [[u64; 4]; 2] = [[125_000, 8192, 250_000, 16384], [1000, 1500, 5000, 3000]];
    let control = "profile 125000 8192 250000 16384\nprofile 1000 1500 5000 3000\n";
    for aware in [false, true] {
        hold_to_model("trtcm", control, aware, |number| {
            let [rate, committed, peak_rate, peak] = profiles[number as usize % 2];
            let (committed, peak) = (Bucket::full(committed), Bucket::full(peak));
            Box::new(TwoRate { rates: [rate, peak_rate], committed, peak, last_us: 0 })
        });
    }
}

#[test]
fn the_sliding_window_marker_is_that_of_rfc_2859() {
    let profiles = [([125_000, 250_000], 20), ([1000, 3000], 14), ([30_000, 4_000_000_000], 24)];
    let control = "profile 125000 250000 20\nprofile 1000 3000 14\nprofile 30000 4000000000 24\n";
    hold_to_model("tswtcm", control, false, |number| {
        let (rates, window) = profiles[number as usize % 3];
        Box::new(SlidingWindow::new(rates, window, number))
    });
}

/// Returns the fractions of green, yellow and red bytes of one flow that sends packets of 1000 bytes each
/// millisecond: 1 MB/s.
fn shares(name: &str, profile: &str, packets: u32) -> [f64; 3] {
    let mut program = Program::new(name, format!("meters 1\nprofile {profile}\n").as_bytes());
    let packet = of_flow(1, 2, UDP, (3, 4), 972);
    let mut bytes = [0.0; 3];
    for number in 0..packets {
        bytes[program.packet_at(&packet, number * 1000) as usize] += 1000.0;
    }
    bytes.map(|colour| colour / (f64::from(packets) * 1000.0))
}

#[test]
fn over_long_times_the_colours_have_the_shares_of_the_rates() {
    // Single rate: 400 kB/s green; the excess bucket only ever empties.
    let [green, yellow, red] = shares("srtcm", "400000 10000 20000", 20_000);
    assert!(
        (green - 0.4).abs() < 0.002 && yellow < 0.002 && (red - 0.6).abs() < 0.002,
        "{green} {yellow} {red}"
    );
    // Two rates: 300 kB/s green, up to 500 kB/s yellow.
    let [green, yellow, red] = shares("trtcm", "300000 10000 500000 20000", 20_000);
    assert!((green - 0.3).abs() < 0.002 && (yellow - 0.2).abs() < 0.002, "{green} {yellow} {red}");
    // Sliding window: of an average A, random shares of (A - PTR) / A are red and (PTR - CTR) / A yellow.
    let [green, yellow, red] = shares("tswtcm", "300000 500000 20", 20_000);
    assert!(
        (green - 0.3).abs() < 0.03 && (yellow - 0.2).abs() < 0.03 && (red - 0.5).abs() < 0.03,
        "{green} {yellow} {red}"
    );
}
