//! `[traffic]`: the generated traffic, in Ethernet frames with their check sequence, and the pace at which a capture
//! is replayed.

use super::pace::{self, Pace};
use linecard_config::Section;
use linecard_files::Error;
use linecard_traffic::PacketSource;
use linecard_traffic::generators::{
    Arrivals, EmpiricalSizes, FlowShape, Generator, GeneratorConfig, ShotNoise, ShotNoiseConfig, Sizes,
};

/// The content of the file.
#[derive(Clone, Debug)]
pub(super) struct TrafficPlan {
    pub name: String,
    pub sizes: Sizes,
    pub arrivals: Option<Arrivals>,
    pub flows: FlowShape,
    /// How fast the time of a capture passes.
    pub pace: Pace,
    /// Whether packets of a capture count as Ethernet frames with their check sequence.
    pub frames: bool,
    /// Whether the timestamps of a capture are not used because the file, and not the request, sets `saturated`.
    pub ignores_times: bool,
    /// Flows that begin and end, instead of `arrivals` and `flows`.
    pub shots: Option<ShotNoiseConfig>,
}

/// The source of the packets, as far as the reader of the file knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PacketsFrom {
    /// The file is described or checked, so both are possible.
    Either,
    Generator,
    /// A capture, or a described link.
    Capture,
}

impl PacketsFrom {
    /// Returns the source for a run with this capture, if any.
    pub fn run(trace: Option<&str>) -> Self {
        if trace.is_some() { Self::Capture } else { Self::Generator }
    }
}

/// Keys for which a capture has its own values, except for times.
const GENERATED: &[&str] = &["kind", "packet_bytes", "sizes", "peak_gbps", "burst_packets", "flows", "zipf"];
const OWN_PACKETS: &str = "packets of a capture have their own sizes, flows and times";
const RATE: &str = "mean rate of frames, summed over all ports; applies to a capture only if set with --set";
/// Rate of a generator whose times are not used.
const ANY_RATE: u64 = 1_000_000_000;
/// Keys of captures only.
const CAPTURED: &[&str] = &["speedup", "captures"];

/// Frames of the simple IMIX, as 7 : 4 : 1.
const IMIX_FRAMES: [(u32, f64); 3] = [(64, 7.0), (594, 4.0), (1518, 1.0)];
/// Frames of RFC 2544, section 9.1, in equal parts.
const RFC2544_FRAMES: [u32; 7] = [64, 128, 256, 512, 1024, 1280, 1518];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Fixed,
    Imix,
    Rfc2544,
    Sizes,
    /// A size list of `[mix]`, by its number there.
    Mix(usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    Poisson,
    Constant,
    Jittered,
    BackToBack,
    OnOff,
    ShotNoise,
    Saturated,
    Captured,
}

/// Reads `[traffic]`. `line_gbps` is the rate of all receiving wires together; `overhead_bytes` are the bytes of a
/// frame on the wire besides its own.
pub(super) fn traffic(
    root: &Section<'_>,
    line_gbps: f64,
    overhead_bytes: u32,
    from: PacketsFrom,
) -> TrafficPlan {
    let usual = TrafficPlan {
        name: "imix".to_owned(),
        sizes: Sizes::Imix,
        arrivals: None,
        flows: FlowShape::default(),
        pace: Pace::OWN,
        frames: true,
        ignores_times: false,
        shots: None,
    };
    let Some(section) = root.section("traffic") else {
        root.lacks("traffic", "set the traffic of runs without a capture: [traffic] with kind and rate_gbps");
        return usual;
    };
    match from {
        PacketsFrom::Either => {}
        PacketsFrom::Generator => section.refuse_set(
            CAPTURED,
            "the key applies to captures (--trace), but this traffic is generated; traffic.rate_gbps sets the \
             rate of generated traffic",
        ),
        PacketsFrom::Capture => {
            section.refuse_set(GENERATED, OWN_PACKETS);
            for table in ["mix", "shots"] {
                if let Some(table) = root.section(table) {
                    table.refuse_set(&table.keys(), OWN_PACKETS);
                }
            }
        }
    }
    let mixes = root.section("mix");
    let names = mixes.as_ref().map(Section::keys).unwrap_or_default();
    let mix = |name: &String| {
        let Some(mixes) = &mixes else { return Sizes::Imix };
        crate::arrivals::parse_sizes(&mixes.text(name, "sizes of a mix, in the format of traffic.sizes"))
            .unwrap_or_else(|message| {
                mixes.fail(name, message);
                Sizes::Imix
            })
    };
    if let Some(mixes) = &mixes {
        let others: Vec<&String> = names.iter().filter(|name| !section.says("kind", name)).collect();
        mixes.refuse_set(&others, "traffic.kind does not select this mix");
    }
    // All mixes are read, used or not: errors are reported, and `describe` shows the mixes.
    let mut lists: Vec<Sizes> = names.iter().map(mix).collect();
    let mut kinds = vec![
        ("fixed", Kind::Fixed),
        ("imix", Kind::Imix),
        ("rfc2544", Kind::Rfc2544),
        ("sizes", Kind::Sizes),
    ];
    if let Some(mixes) = &mixes {
        for name in names.iter().filter(|name| kinds.iter().any(|(kind, _)| kind == name)) {
            mixes.fail(name, "is the name of a kind of traffic that exists; choose another name");
        }
    }
    kinds.extend(names.iter().enumerate().map(|(number, name)| (name.as_str(), Kind::Mix(number))));
    let kind = section.choice_or("kind", "imix", &kinds, "frame sizes, including the check sequence");
    // A refused value requires no further keys.
    let kind = if from == PacketsFrom::Capture && section.is_set("kind") { Kind::Imix } else { kind };
    if kind != Kind::Fixed {
        section.refuse_set(&["packet_bytes"], "the key applies only to traffic.kind=fixed");
        section.leave(&["packet_bytes"]);
    }
    if kind != Kind::Sizes {
        section.refuse_set(&["sizes"], "the key applies only to traffic.kind=sizes");
        section.leave(&["sizes"]);
    }
    let empirical = |list: &[(u32, f64)]| EmpiricalSizes::new(list).map(Sizes::Empirical);
    let mut known = true;
    let (name, sizes) = match kind {
        Kind::Fixed => {
            let bytes = section.needed_integer(
                "packet_bytes",
                20..=65_535,
                "size of every frame, for traffic.kind=fixed",
            );
            known = bytes.is_some();
            let bytes = bytes.unwrap_or(64) as u32;
            (format!("{bytes} bytes"), Ok(Sizes::Fixed(bytes)))
        }
        Kind::Imix => ("imix".to_owned(), empirical(&IMIX_FRAMES)),
        Kind::Rfc2544 => ("rfc2544".to_owned(), empirical(&RFC2544_FRAMES.map(|bytes| (bytes, 1.0)))),
        Kind::Sizes => {
            let text = section.needed_text(
                "sizes",
                "frame sizes for traffic.kind=sizes: `bytes:weight` or `low-high:weight`, comma-separated, or a \
                 .csv file",
            );
            let read = text.and_then(|text| {
                crate::arrivals::parse_sizes(&text).map_err(|message| section.fail("sizes", message)).ok()
            });
            known = read.is_some();
            ("sizes".to_owned(), Ok(read.unwrap_or(Sizes::Imix)))
        }
        Kind::Mix(number) => (names[number].clone(), Ok(lists.swap_remove(number))),
    };
    let sizes = sizes.unwrap_or_else(|error| {
        section.fail("kind", error.to_string());
        Sizes::Imix
    });
    let whens = [
        ("poisson", When::Poisson),
        ("constant", When::Constant),
        ("jittered", When::Jittered),
        ("back_to_back", When::BackToBack),
        ("on_off", When::OnOff),
        ("shot_noise", When::ShotNoise),
        ("saturated", When::Saturated),
        ("captured", When::Captured),
    ];
    let when = section.choice_or(
        "arrivals",
        "poisson",
        &whens,
        "arrival times of frames; saturated: a frame always waits at the port; captured: those of the capture \
         (its default, unless the file sets this key)",
    );
    match (from, when) {
        (PacketsFrom::Generator, When::Captured) => {
            section.fail("arrivals", "found `captured` without a capture (--trace)");
        }
        (PacketsFrom::Capture, When::Captured | When::Saturated) => {}
        (PacketsFrom::Capture, _) if section.is_set("arrivals") => {
            section.fail("arrivals", format!("{OWN_PACKETS}; expected captured or saturated"));
        }
        _ => {}
    }
    // A refused value requires no further keys.
    let is_refused = from == PacketsFrom::Capture && when != When::Saturated && section.is_set("arrivals");
    let when = if is_refused { When::Captured } else { when };
    let shots = shots(root, when, &section, &sizes);
    let (is_replayed, bursts) = (from == PacketsFrom::Capture, &["peak_gbps", "burst_packets"]);
    if when != When::OnOff && !is_replayed {
        section.refuse_set(bursts, "the key applies only to traffic.arrivals=on_off");
    }
    if when != When::OnOff || is_replayed {
        section.leave(bursts);
    }
    // A rate in the file is that of generated traffic.
    let is_paced = is_replayed && when != When::Saturated;
    let gbps = is_paced.then(|| section.number_if("rate_gbps", 1e-6..=1e6, RATE)).flatten();
    let replayed_gbps = gbps.filter(|_| section.is_set("rate_gbps"));
    let arrivals = match when {
        When::Saturated => {
            section.refuse_set(
                &["rate_gbps", "speedup"],
                "with traffic.arrivals=saturated, a frame always waits at each port; traffic.arrivals=captured \
                 keeps the timestamps of a capture",
            );
            section.leave(&["rate_gbps"]);
            None
        }
        When::Captured => {
            section.leave(&["rate_gbps"]);
            Some(Arrivals::Poisson { bits_per_second: ANY_RATE })
        }
        _ if is_replayed => Some(Arrivals::Poisson { bits_per_second: ANY_RATE }),
        _ => {
            // If the size of frames is wrong, the rate of the wires is unknown.
            let line_gbps = if known { line_gbps } else { f64::INFINITY };
            Some(arrivals(&section, when, sizes.mean_bytes(), line_gbps, overhead_bytes))
        }
    };
    if when == When::ShotNoise {
        // Shot noise draws its own flows.
        section.refuse_set(&["flows", "zipf"], "shot noise takes its flows from [shots]");
        section.leave(&["flows", "zipf"]);
    }
    let flows = FlowShape {
        flows: section.integer_or(
            "flows",
            10_000,
            1..=10_000_000,
            "number of flows from which packets are drawn",
        ) as u32,
        zipf_exponent: section.number_or(
            "zipf",
            0.0,
            0.0..=5.0,
            "Zipf exponent of the popularity of flows; 0: all flows are equally popular",
        ),
        ..FlowShape::default()
    };
    let speedup = section.number_or(
        "speedup",
        1.0,
        1e-6..=1e6,
        "factor by which the arrival rate of a capture is multiplied",
    );
    let pace = match replayed_gbps {
        None => Pace::faster(speedup),
        Some(gbps) => {
            section.refuse_set(
                &["speedup"],
                "traffic.rate_gbps sets the rate of the capture; omit one of the two keys",
            );
            Pace::Rate { gbps, line_gbps, overhead_bytes }
        }
    };
    let counts = [("frames", true), ("packets", false)];
    let frames = section.choice_or(
        "captures",
        "frames",
        &counts,
        "size of a captured packet: the Ethernet frame with its check sequence, or the captured bytes",
    );
    let ignores_times = is_replayed && when == When::Saturated && !section.is_set("arrivals");
    TrafficPlan { name, sizes, arrivals, flows, pace, frames, ignores_times, shots }
}

/// Reads `[shots]`: flows that begin and end, whose sum is the traffic.
fn shots(root: &Section<'_>, when: When, traffic: &Section<'_>, sizes: &Sizes) -> Option<ShotNoiseConfig> {
    const KEYS: [&str; 4] = ["slowest_kbps", "fastest_kbps", "shortest_ms", "longest_ms"];
    let section = root.section("shots");
    if when != When::ShotNoise {
        if let Some(section) = section {
            section.refuse_set(&KEYS, "the key applies only to traffic.arrivals=shot_noise");
            section.leave(&KEYS);
        }
        return None;
    }
    let Some(section) = section else {
        root.lacks(
            "shots",
            &format!(
                "shot noise requires a table [shots] with the keys {}; see platforms/ixp2400_core",
                KEYS.join(", ")
            ),
        );
        return None;
    };
    let kbps = |key: &str, meaning: &str| (section.number(key, 0.001..=1e9, meaning) * 1e3).round() as u64;
    let ms = |key: &str, meaning: &str| (section.number(key, 1e-6..=1e9, meaning) * 1e6).round() as u64;
    let gbps = traffic.number("rate_gbps", 1e-6..=1e6, RATE);
    let config = ShotNoiseConfig {
        seed: 1,
        bits_per_second: (gbps * 1e9).round().max(1.0) as u64,
        sizes: sizes.clone(),
        slowest_bps: kbps("slowest_kbps", "lowest rate of a flow; rates are log-uniform"),
        fastest_bps: kbps("fastest_kbps", "highest rate of a flow"),
        shortest_ns: ms("shortest_ms", "shortest duration of a flow; durations are log-uniform"),
        longest_ns: ms("longest_ms", "longest duration of a flow"),
    };
    if let Err(error) = ShotNoise::new(&config) {
        section.fail("", error.to_string());
    }
    Some(config)
}

fn arrivals(
    section: &Section<'_>,
    when: When,
    mean_bytes: f64,
    line_gbps: f64,
    overhead_bytes: u32,
) -> Arrivals {
    let gbps = section.number("rate_gbps", 1e-6..=1e6, RATE);
    let bits_per_second = (gbps * 1e9).round().max(1.0) as u64;
    if let Err(message) = pace::fits_wires(gbps, mean_bytes, line_gbps, overhead_bytes) {
        section.fail("rate_gbps", message);
    }
    match when {
        When::Poisson | When::Saturated | When::ShotNoise | When::Captured => {
            Arrivals::Poisson { bits_per_second }
        }
        When::Constant => Arrivals::Constant { bits_per_second },
        When::Jittered => Arrivals::Jittered { bits_per_second },
        When::BackToBack => Arrivals::BackToBack { bits_per_second, overhead_bytes: 0 },
        When::OnOff => {
            let given = section.needed_number(
                "peak_gbps",
                1e-6..=1e6,
                "rate within a burst, for traffic.arrivals=on_off",
            );
            let burst = section.integer_or(
                "burst_packets",
                32,
                1..=1_000_000,
                "mean number of packets in a burst, for traffic.arrivals=on_off",
            );
            let peak = given.unwrap_or(f64::MAX);
            if peak <= gbps {
                section
                    .fail("peak_gbps", format!("{peak} Gbit/s is not above the mean rate of {gbps} Gbit/s"));
            }
            Arrivals::OnOff {
                bits_per_second,
                peak_bits_per_second: (peak * 1e9).round() as u64,
                burst_packets: burst as u32,
            }
        }
    }
}

impl TrafficPlan {
    /// Returns the generator.
    pub fn generator(&self, seed: u64) -> Result<Box<dyn PacketSource>, Error> {
        let failed = |e: linecard_traffic::TrafficError| Error::Traffic(e.to_string());
        if let Some(shots) = &self.shots {
            let config = ShotNoiseConfig { seed, ..shots.clone() };
            return Ok(Box::new(ShotNoise::new(&config).map_err(failed)?));
        }
        let config = GeneratorConfig {
            seed,
            packets: None,
            sizes: self.sizes.clone(),
            // A chip that always finds a packet ignores arrival times.
            arrivals: self.arrivals.unwrap_or(Arrivals::Poisson { bits_per_second: ANY_RATE }),
            flows: self.flows,
        };
        Ok(Box::new(Generator::new(&config).map_err(failed)?))
    }
}
