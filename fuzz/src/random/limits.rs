//! Settings by their limits: what a key takes is learned from the error that it gives for what it does not take.

use linecard_platform::{Error, describe};
use linecard_sim::Stream;

/// The settings of one preset, as lines for a target that takes changes.
pub struct Settings {
    pub target: &'static str,
    /// The byte that chooses the preset.
    choice: u8,
    keys: Vec<(String, Takes)>,
}

/// What a key takes.
#[derive(Debug)]
enum Takes {
    Whole(i128, i128),
    Number(f64, f64),
    OneOf(Vec<String>),
    /// Its own value, which is text.
    Text(String),
}

/// Presets by target, in the order in which targets number them.
const PRESETS: [(&str, &[&str]); 3] = [
    ("chip_overrides", &["example_smartnic", "ixp2800", "ixp2400", "ixp2400_dynamic"]),
    ("machine_overrides", &["ixp1200", "hasan2003_all_pf", "hasan2003_adapt_pf", "ixp1200_eval"]),
    ("dram_overrides", &["ddr4_2400", "sdr100", "ddr5_4800", "lpddr5_6400", "hbm2", "gddr6"]),
];
const UNITS: [&str; 6] = ["", " ns", " Gbit/s", " MHz", " KiB", " cycles"];

/// The settings of every preset above.
pub fn learn() -> Vec<Settings> {
    let mut all = Vec::new();
    for (target, presets) in PRESETS {
        for (choice, preset) in (0u8..).zip(presets) {
            let described = describe(preset, &[]).expect("a shipped preset is described");
            let keys = described.parameters.iter().map(|parameter| {
                (parameter.key.clone(), takes(preset, &parameter.key, &parameter.value.to_string()))
            });
            all.push(Settings { target, choice, keys: keys.collect() });
        }
    }
    all
}

fn takes(preset: &str, key: &str, value: &str) -> Takes {
    let text = || Takes::Text(value.to_owned());
    let Err(Error::Config { problems }) = describe(preset, &[format!("{key}=?")]) else { return text() };
    let Some(expected) = problems.iter().find_map(|problem| problem.message.split("expected ").nth(1)) else {
        return text();
    };
    if let Some(names) = expected.strip_prefix("one of ") {
        return Takes::OneOf(
            names.split(", ").map(|name| name.trim_end_matches([';', '.']).to_owned()).collect(),
        );
    }
    if expected.starts_with("true or false") {
        return Takes::OneOf(vec!["true".to_owned(), "false".to_owned()]);
    }
    let range = expected.split_once(" from ").and_then(|(_, range)| range.split_once(" to "));
    let range = range.map(|(low, high)| (low, high.split([' ', ';', ',']).next().unwrap_or(high)));
    match range {
        Some((low, high)) if expected.starts_with("a whole number") => match (low.parse(), high.parse()) {
            (Ok(low), Ok(high)) => Takes::Whole(low, high),
            _ => text(),
        },
        Some((low, high)) => match (low.parse(), high.parse()) {
            (Ok(low), Ok(high)) => Takes::Number(low, high),
            _ => text(),
        },
        // Timings of DRAM say what they are in words.
        None => value.parse::<f64>().map_or_else(|_| text(), |value| Takes::Number(0.0, value * 1e6 + 1.0)),
    }
}

impl Settings {
    /// One change most often, two often, sometimes more.
    pub fn draw(&self, random: &mut Stream) -> Vec<u8> {
        let count = match random.below(20) {
            0..9 => 1,
            9..17 => 2,
            _ => 3 + random.below(4),
        };
        let mut text = vec![self.choice];
        for _ in 0..count {
            let (key, takes) = &self.keys[random.below(self.keys.len() as u32) as usize];
            let unit = if random.below(16) == 0 { UNITS[random.below(6) as usize] } else { "" };
            text.extend(format!("{key}={}{unit}\n", takes.draw(random)).into_bytes());
        }
        text
    }
}

impl Takes {
    fn draw(&self, random: &mut Stream) -> String {
        match self {
            Self::Whole(low, high) => match random.below(16) {
                0..3 => low.to_string(),
                3..6 => high.to_string(),
                6 => (low - 1).to_string(),
                7 => (high + 1).to_string(),
                8 => anything(random).to_owned(),
                _ => between(*low as f64, *high as f64, random).round().to_string(),
            },
            Self::Number(low, high) => match random.below(16) {
                0..3 => low.to_string(),
                3..6 => high.to_string(),
                6 => (low - high.abs() * 1e-9).to_string(),
                7 => (high * 1.000_001).to_string(),
                8 => anything(random).to_owned(),
                _ => between(*low, *high, random).to_string(),
            },
            Self::OneOf(names) if random.below(16) > 0 => {
                names[random.below(names.len() as u32) as usize].clone()
            }
            Self::Text(own) if random.below(2) > 0 => own.clone(),
            Self::OneOf(_) | Self::Text(_) => anything(random).to_owned(),
        }
    }
}

/// A number between two, as likely of each order of magnitude.
fn between(low: f64, high: f64, random: &mut Stream) -> f64 {
    let share = f64::from(random.below(1 << 20)) / f64::from((1 << 20) - 1);
    let lowest = low.max(high.min(1.0) * 1e-9).max(1e-12);
    if high <= lowest {
        return low;
    }
    (lowest.ln() + share * (high.ln() - lowest.ln())).exp().clamp(low, high)
}

/// Values that no key was made for.
pub fn anything(random: &mut Stream) -> &'static str {
    const VALUES: [&str; 20] = [
        "0",
        "1",
        "-1",
        "2147483648",
        "4294967295",
        "4294967296",
        "9223372036854775807",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "1e308",
        "-1e308",
        "1e-308",
        "nan",
        "inf",
        "0.5",
        "\"\"",
        "[]",
        "true",
        "x",
    ];
    VALUES[random.below(VALUES.len() as u32) as usize]
}
