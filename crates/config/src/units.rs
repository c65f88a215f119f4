//! Units: from the suffix of a key, and from text such as `0.2 GHz`, exactly if the result is whole.

use crate::tree::Scalar;

/// A kind of quantity; only units of one family convert into each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Time,
    Frequency,
    Rate,
    Size,
    ByteRate,
    PacketRate,
    Bits,
    Cycles,
    Cells,
    Packets,
    Share,
}

impl Family {
    fn name(self) -> &'static str {
        match self {
            Family::Time => "a time",
            Family::Frequency => "a frequency",
            Family::Rate => "a rate in bits",
            Family::Size => "a size",
            Family::ByteRate => "a rate in bytes",
            Family::PacketRate => "a rate in packets",
            Family::Bits => "a number of bits",
            Family::Cycles => "a number of cycles",
            Family::Cells => "a number of cells",
            Family::Packets => "a number of packets",
            Family::Share => "a share",
        }
    }

    /// `a time (ps, ns, us, ms, s)`
    fn say(self) -> String {
        let names: Vec<&str> = UNITS.iter().filter(|u| u.family == self).map(|u| u.name).collect();
        format!("{} ({})", self.name(), names.join(", "))
    }
}

/// A unit that a key or a text can have.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Last part of keys; empty for units of texts only.
    suffix: &'static str,
    /// Printed form.
    pub name: &'static str,
    /// Other notations.
    spellings: &'static [&'static str],
    family: Family,
    /// In the smallest unit of the family.
    size: u64,
}

const fn unit(
    suffix: &'static str,
    name: &'static str,
    spellings: &'static [&'static str],
    family: Family,
    size: u64,
) -> Unit {
    Unit { suffix, name, spellings, family, size }
}

const K: u64 = 1000;
const KI: u64 = 1024;

static UNITS: [Unit; 42] = [
    unit("ps", "ps", &[], Family::Time, 1),
    unit("ns", "ns", &[], Family::Time, K),
    unit("us", "us", &["µs", "μs"], Family::Time, K * K),
    unit("ms", "ms", &[], Family::Time, K * K * K),
    unit("s", "s", &["sec"], Family::Time, K * K * K * K),
    unit("hz", "Hz", &["hz"], Family::Frequency, 1),
    unit("khz", "kHz", &["KHz", "khz"], Family::Frequency, K),
    unit("mhz", "MHz", &["mhz"], Family::Frequency, K * K),
    unit("ghz", "GHz", &["ghz"], Family::Frequency, K * K * K),
    unit("bps", "bit/s", &["bps", "b/s"], Family::Rate, 1),
    unit("kbps", "kbit/s", &["kbps", "kb/s", "Kbit/s", "Kbps", "Kb/s"], Family::Rate, K),
    unit("mbps", "Mbit/s", &["Mbps", "Mb/s"], Family::Rate, K * K),
    unit("gbps", "Gbit/s", &["Gbps", "Gb/s"], Family::Rate, K * K * K),
    unit("tbps", "Tbit/s", &["Tbps", "Tb/s"], Family::Rate, K * K * K * K),
    unit("bytes", "bytes", &["byte", "B"], Family::Size, 1),
    unit("kb", "KB", &["kB"], Family::Size, K),
    unit("kib", "KiB", &[], Family::Size, KI),
    unit("mb", "MB", &[], Family::Size, K * K),
    unit("mib", "MiB", &[], Family::Size, KI * KI),
    unit("gb", "GB", &[], Family::Size, K * K * K),
    unit("gib", "GiB", &[], Family::Size, KI * KI * KI),
    unit("bytes_s", "B/s", &["bytes/s"], Family::ByteRate, 1),
    unit("kbytes_s", "KB/s", &["kB/s"], Family::ByteRate, K),
    unit("kib_s", "KiB/s", &[], Family::ByteRate, KI),
    unit("mbytes_s", "MB/s", &[], Family::ByteRate, K * K),
    unit("mib_s", "MiB/s", &[], Family::ByteRate, KI * KI),
    unit("gbytes_s", "GB/s", &[], Family::ByteRate, K * K * K),
    unit("gib_s", "GiB/s", &[], Family::ByteRate, KI * KI * KI),
    unit("pps", "packets/s", &["pps"], Family::PacketRate, 1),
    unit("kpps", "kpps", &["Kpps"], Family::PacketRate, K),
    unit("mpps", "Mpps", &[], Family::PacketRate, K * K),
    unit("gpps", "Gpps", &[], Family::PacketRate, K * K * K),
    unit("bits", "bits", &["bit"], Family::Bits, 1),
    unit("kbits", "kbit", &["Kbit"], Family::Bits, K),
    unit("mbits", "Mbit", &[], Family::Bits, K * K),
    unit("gbits", "Gbit", &[], Family::Bits, K * K * K),
    unit("cycles", "cycles", &["cycle"], Family::Cycles, 1),
    unit("kcycles", "kcycles", &[], Family::Cycles, K),
    unit("mcycles", "Mcycles", &[], Family::Cycles, K * K),
    unit("cells", "cells", &["cell"], Family::Cells, 1),
    unit("packets", "packets", &["packet"], Family::Packets, 1),
    unit("percent", "percent", &["%"], Family::Share, 1),
];

/// Returns the part of a key of this table that determines its unit: the key itself, except for helpers, which
/// are function names (`ktime_get_ns`) with their cycles.
pub(crate) fn says_unit<'k>(table: &str, key: &'k str) -> &'k str {
    if table == "helpers" { "cycles" } else { key }
}

/// Returns the unit of a key's suffix. A short suffix needs a prefix: `s` alone is a name.
pub(crate) fn unit_of(key: &str) -> Option<&'static Unit> {
    const SHORTEST_ALONE: usize = 4;
    // A suffix has one or two parts; the longer one counts.
    let part_before =
        |end: usize| key.as_bytes()[..end].iter().rposition(|&b| b == b'_').map_or(0, |at| at + 1);
    let one = part_before(key.len());
    let two = part_before(one.saturating_sub(1));
    let unit_at = |at: usize| {
        let unit = UNITS.iter().find(|unit| unit.suffix == &key[at..])?;
        let fits = match key[..at].strip_suffix('_') {
            // `losses_per_s` is not a time.
            Some(name) => name != "per" && !name.ends_with("_per"),
            None => unit.suffix.len() >= SHORTEST_ALONE,
        };
        fits.then_some(unit)
    };
    unit_at(two).or_else(|| unit_at(one))
}

fn spelled(text: &str) -> Option<&'static Unit> {
    UNITS.iter().find(|u| u.name == text || u.spellings.contains(&text))
}

/// Returns what is expected if the `unit` beside a value is not that of its key.
pub(crate) fn check_unit(key: &str, written: &str) -> Option<Result<(), String>> {
    let unit = unit_of(key)?;
    Some(match spelled(written) == Some(unit) {
        true => Ok(()),
        false => Err(format!("unit is `{written}`, but the key requires `{}`", unit.name)),
    })
}

/// The unit of a value: that of its key, or the one that its reader declares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    /// The unit that texts are converted to; `None` for one that does not convert, such as `requests`.
    unit: Option<&'static Unit>,
    /// As in files and rows; empty without a unit.
    pub name: &'static str,
}

impl Measure {
    /// Of a name or a switch.
    pub const NONE: Measure = Measure { unit: None, name: "" };

    /// Returns the measure of a key of this table.
    pub fn of_key(table: &str, key: &str) -> Self {
        unit_of(says_unit(table, key)).map_or(Self::NONE, |unit| Self { unit: Some(unit), name: unit.name })
    }

    /// Returns the measure that a reader declares.
    pub fn declared(name: &'static str) -> Self {
        Self { unit: spelled(name), name }
    }

    /// Returns whether this is the written unit.
    pub fn is(&self, written: &str) -> bool {
        written == self.name || (self.unit.is_some() && spelled(written) == self.unit)
    }

    /// Returns what is expected if the `unit` beside a value is not this one.
    pub fn check(&self, written: &str) -> Result<(), String> {
        match self.name {
            _ if self.is(written) => Ok(()),
            "" => Err(format!(
                "unit is `{written}`, but the key has no unit; the suffix of a key states its unit"
            )),
            name => Err(format!("unit is `{written}`; expected `{name}`")),
        }
    }

    /// Returns all notations of units that convert to this one.
    pub fn spellings(&self) -> Vec<&'static str> {
        let Some(unit) = self.unit else {
            return Some(self.name).filter(|name| !name.is_empty()).into_iter().collect();
        };
        let alike = UNITS.iter().filter(|other| other.family == unit.family);
        alike.flat_map(|other| [other.name].into_iter().chain(other.spellings.iter().copied())).collect()
    }

    /// Describes the values of a key of this unit.
    fn say(&self) -> String {
        self.unit.map_or_else(|| format!("`{}`", self.name), |unit| unit.family.say())
    }
}

/// Returns the unit after the number of a text: `ns` of `13.75 ns`.
pub(crate) fn unit_behind(text: &str) -> Option<&str> {
    let (number, unit) = split(text);
    let is_one = !number.is_empty() && !unit.is_empty() && unit.chars().all(char::is_alphabetic);
    is_one.then_some(unit)
}

/// A number in the unit of its key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Quantity {
    Whole(i128),
    Real(f64),
}

impl Quantity {
    pub fn as_f64(self) -> f64 {
        match self {
            Quantity::Whole(i) => i as f64,
            Quantity::Real(r) => r,
        }
    }
}

/// Returns the number of a value in its unit, or what was found.
pub(crate) fn quantity(measure: Measure, value: &Scalar) -> Result<Quantity, String> {
    match value {
        Scalar::Integer(i) => Ok(Quantity::Whole(i128::from(*i))),
        Scalar::Number(n) => Ok(Quantity::Real(*n)),
        Scalar::Text(text) if has_leading_zero(text) => {
            Err(format!("found `{text}`; a number has no leading zeros, remove them"))
        }
        Scalar::Text(text) if !measure.name.is_empty() => convert(text, measure),
        Scalar::Text(text) if Decimal::parse(text).is_some() => {
            Err(format!("found the text `\"{text}\"`, a number in quotes; remove the quotes"))
        }
        _ => Err(format!("found `{value}`")),
    }
}

/// Returns whether a text is a number that TOML does not have, so that it is a text without quotes, too.
fn has_leading_zero(text: &str) -> bool {
    let behind = text.strip_prefix('0').unwrap_or("");
    behind.starts_with(|digit: char| digit.is_ascii_digit()) && Decimal::parse(text).is_some()
}

fn convert(text: &str, measure: Measure) -> Result<Quantity, String> {
    let (number, name) = split(text);
    let Some(decimal) = Decimal::parse(number) else {
        return Err(format!("found `{text}`; expected a number with a unit"));
    };
    if name == measure.name && measure.unit.is_none() {
        return Ok(decimal.times(1, 1));
    }
    let (Some(from), Some(to)) = (spelled(name), measure.unit) else {
        let what = match (name, spelled(name)) {
            ("", _) => "no unit".to_owned(),
            (_, Some(_)) => format!("the unit `{name}`"),
            (_, None) => format!("the unknown unit `{name}`"),
        };
        return Err(format!("found `{text}` with {what}, but the key requires {}", measure.say()));
    };
    if from.family != to.family {
        let (is, wants) = (from.family.say(), to.family.say());
        return Err(format!("found `{text}`, {is}, but the key requires {wants}"));
    }
    Ok(decimal.times(from.size, to.size))
}

/// Returns the leading number, and the rest without spaces.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut end = 0;
    while end < bytes.len() {
        end += match bytes[end] {
            b'0'..=b'9' | b'.' | b'_' => 1,
            b'+' | b'-' if end == 0 => 1,
            b'e' | b'E' if digit(end + 1) => 2,
            b'e' | b'E' if matches!(bytes.get(end + 1), Some(b'+' | b'-')) && digit(end + 2) => 3,
            _ => break,
        };
    }
    (&text[..end], text[end..].trim_start())
}

/// `mantissa * 10^exponent`, without loss of a digit.
struct Decimal {
    mantissa: i128,
    exponent: i32,
    /// For numbers that are too long to be exact.
    near: f64,
}

impl Decimal {
    fn parse(text: &str) -> Option<Self> {
        let text = text.replace('_', "");
        let near: f64 = text.parse().ok()?;
        let lower = text.to_ascii_lowercase();
        let (digits, exponent) = lower.split_once('e').unwrap_or((&lower, "0"));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let fraction = fraction.trim_end_matches('0');
        let exact = || {
            let exponent = exponent.parse::<i32>().ok()?;
            let exponent = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
            Some((format!("{whole}{fraction}").parse().ok()?, exponent))
        };
        // Beyond the exponents of any meaningful number, the nearest floating-point number is used.
        let (mantissa, exponent) = exact().unwrap_or((0, i32::MIN));
        Some(Self { mantissa, exponent, near })
    }

    fn times(&self, multiplier: u64, divisor: u64) -> Quantity {
        let exact = || {
            let power = 10i128.checked_pow(self.exponent.unsigned_abs())?;
            let (up, down) = if self.exponent < 0 { (1, power) } else { (power, 1) };
            let above = self.mantissa.checked_mul(i128::from(multiplier))?.checked_mul(up)?;
            let below = i128::from(divisor).checked_mul(down)?;
            // In lowest terms both are usually exact as floating numbers, and the division rounds once.
            let common = gcd(above.unsigned_abs(), below.unsigned_abs());
            let (above, below) = (above / i128::try_from(common).ok()?, below / i128::try_from(common).ok()?);
            Some(match below {
                1 => Quantity::Whole(above),
                _ => Quantity::Real(above as f64 / below as f64),
            })
        };
        exact().unwrap_or(Quantity::Real(self.near * multiplier as f64 / divisor as f64))
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use super::{Measure, Quantity, check_unit, quantity, unit_behind, unit_of};
    use crate::tree::Scalar;

    fn of(key: &str, text: &str) -> Result<Quantity, String> {
        quantity(Measure::of_key("", key), &Scalar::Text(text.into()))
    }

    #[test]
    fn the_longest_suffix_is_the_unit() {
        let name = |key: &str| unit_of(key).map(|u| u.name);
        assert_eq!(name("peak_gbytes_s"), Some("GB/s"));
        assert_eq!(name("latency_ns"), Some("ns"));
        assert_eq!(name("wait_s"), Some("s"));
        assert_eq!(name("cycles"), Some("cycles"));
        assert_eq!(name("s"), None);
        assert_eq!(name("engines"), None);
        assert_eq!(name("losses_per_s"), None);
        assert_eq!(name("per_s"), None);
    }

    #[test]
    fn a_whole_result_is_exact() {
        for (key, text, whole) in [
            ("clock_mhz", "0.2 GHz", 200),
            ("rate_gbps", "100000 Mbit/s", 100),
            ("rate_mbps", "0.1 Gb/s", 100),
            ("latency_ns", "1.2 us", 1200),
            ("latency_ns", "0.064 µs", 64),
            ("latency_ps", "63.999 ns", 63_999),
            ("size_bytes", "64 KiB", 65_536),
            ("size_bytes", "8 MB", 8_000_000),
            ("size_kib", "0.5MiB", 512),
            ("peak_gbytes_s", "25_000 MB/s", 25),
            ("wait_ns", "1e-3 ms", 1000),
            ("share_percent", "5 %", 5),
            ("wait_ns", "-2 us", -2000),
        ] {
            assert_eq!(of(key, text), Ok(Quantity::Whole(whole)), "{text}");
        }
    }

    #[test]
    fn what_is_not_whole_is_the_nearest_number() {
        assert_eq!(of("latency_us", "100 ns"), Ok(Quantity::Real(0.1)));
        assert_eq!(of("clock_ghz", "333 MHz"), Ok(Quantity::Real(0.333)));
        assert_eq!(of("wait_s", "1e-60 ps"), Ok(Quantity::Real(1e-60 / 1e12)));
        assert!(matches!(of("wait_ps", "1e99999999999 s"), Ok(Quantity::Real(r)) if r.is_infinite()));
    }

    #[test]
    fn a_unit_of_another_family_names_both() {
        let message = of("latency_ns", "5 MHz").unwrap_err();
        assert!(message.contains("a frequency (Hz, kHz, MHz, GHz)"), "{message}");
        assert!(message.contains("a time (ps, ns, us, ms, s)"), "{message}");
        assert!(of("latency_ns", "5 parsec").unwrap_err().contains("unknown unit `parsec`"));
        assert!(of("latency_ns", "5").unwrap_err().contains("no unit"));
        assert!(of("latency_ns", "soon").unwrap_err().contains("expected a number with a unit"));
        assert!(of("engines", "5 ns").unwrap_err().contains("found `5 ns`"));
    }

    #[test]
    fn a_unit_beside_a_value_is_that_of_its_key() {
        assert_eq!(check_unit("rate_mbps", "Mb/s"), Some(Ok(())));
        assert!(check_unit("rate_mbps", "MB/s").is_some_and(|checked| checked.is_err()));
        assert_eq!(check_unit("banks", "banks"), None);
        assert!(Measure::of_key("", "banks").check("banks").is_err());
    }

    #[test]
    fn a_declared_unit_takes_itself_and_what_converts_into_it() {
        let in_unit = |unit, text: &str| quantity(Measure::declared(unit), &Scalar::Text(text.into()));
        assert_eq!(in_unit("requests", "32 requests"), Ok(Quantity::Whole(32)));
        assert_eq!(in_unit("packets/s", "3 kpps"), Ok(Quantity::Whole(3000)));
        assert_eq!(in_unit("V", "1.35 V"), Ok(Quantity::Real(1.35)));
        for (unit, text, said) in [
            ("requests", "32 banks", "the unknown unit `banks`, but the key requires `requests`"),
            ("requests", "32 ns", "the unit `ns`, but the key requires `requests`"),
            ("requests", "32", "no unit, but the key requires `requests`"),
            ("%", "3 ns", "but the key requires a share (percent)"),
        ] {
            let message = in_unit(unit, text).unwrap_err();
            assert!(message.contains(said), "{message}");
        }
        assert!(Measure::declared("%").check("percent").is_ok() && Measure::declared("V").check("V").is_ok());
        assert!(Measure::declared("requests").check("banks").unwrap_err().contains("expected `requests`"));
    }

    #[test]
    fn a_number_in_quotes_is_said_to_be_a_text() {
        let of = |text: &str| quantity(Measure::NONE, &Scalar::Text(text.into())).unwrap_err();
        assert_eq!(of("1"), "found the text `\"1\"`, a number in quotes; remove the quotes");
        assert_eq!(of("many"), "found `many`");
        // TOML has no number with a leading zero, so that `--set` takes it as a text.
        for text in ["02", "00", "007.5"] {
            assert_eq!(of(text), format!("found `{text}`; a number has no leading zeros, remove them"));
        }
        assert_eq!(of("0.5"), "found the text `\"0.5\"`, a number in quotes; remove the quotes");
    }

    #[test]
    fn a_text_with_a_number_in_front_has_a_unit_behind() {
        assert_eq!((unit_behind("13.75 ns"), unit_behind("11clocks")), (Some("ns"), Some("clocks")));
        assert_eq!((unit_behind("13^17, 14"), unit_behind("row bank"), unit_behind("7")), (None, None, None));
    }
}
