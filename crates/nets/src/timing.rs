//! The timing of a transition, from its row.

use super::said::expression;
use super::wrong::in_words;
use linecard_config::{Document, Section};
use linecard_petri::{ColouredBuilder, Constant, Servers, TimingText};
use std::collections::BTreeMap;

/// Kinds of transitions, and the keys of each.
const KINDS: [(&str, &[&str]); 6] = [
    ("exp", &["rate"]),
    ("det", &["delay"]),
    ("imm", &["weight", "priority"]),
    ("uniform", &["low", "high"]),
    ("erlang", &["stages", "rate"]),
    ("empirical", &["values", "weights"]),
];
const OF_KINDS: [&str; 9] =
    ["rate", "delay", "weight", "priority", "low", "high", "stages", "values", "weights"];

/// Reads the timing and the servers of a transition; `None` if they have a problem.
pub(super) fn timing(
    net: &ColouredBuilder,
    row: &Section<'_>,
    document: &Document,
) -> Option<(TimingText, Servers)> {
    let before = document.problems();
    let kinds = KINDS.map(|kind| (kind.0, kind));
    let (kind, allowed) = row.choice("kind", &kinds, "kind of firing time");
    if document.problems() > before {
        row.pass_over(&OF_KINDS);
        row.pass_over(&["servers"]);
        return None;
    }
    let numbers = allowed.iter().filter(|key| !["priority", "values", "weights"].contains(key));
    let read = |key: &&'static str| Some((*key, expression(row, key, "parameter of the firing time")?));
    let given: BTreeMap<&str, String> = numbers.filter_map(read).collect();
    let times = |key: &str, meaning: &str| match allowed.contains(&key) {
        true if row.has(key) => Some(row.numbers(key, f64::MIN..=f64::MAX, meaning)),
        _ => None,
    };
    let (values, weights) =
        (times("values", "possible times"), times("weights", "weight of each possible time"));
    let priority = match allowed.contains(&"priority") {
        true => row
            .integer_if(
                "priority",
                0..=u32::MAX.into(),
                "priority; the transition with the highest value fires first",
            )
            .unwrap_or(0),
        false => 0,
    };
    let servers = expression(row, "servers", "maximum number of concurrent firings");
    let others: Vec<&str> = OF_KINDS.into_iter().filter(|key| !allowed.contains(key)).collect();
    row.without_effect(&others, &format!("kind {kind} has none"));
    row.close();
    let sound = document.problems() == before;
    let need = |key: &str| {
        if sound && !given.contains_key(key) {
            row.missing(key, &format!("a number or an expression, because kind {kind} requires this key"));
        }
        given.get(key).cloned()
    };
    let whole = |key: &str, text: &str, or: &str| {
        let found = match net.value(text) {
            Ok(Constant::Int(value)) => match u32::try_from(value) {
                Ok(value) => return Some(value),
                Err(_) => format!("found {value}, expected 1 to 4294967295{or}"),
            },
            Ok(_) => format!("found `{text}`, expected a whole number{or}"),
            Err(error) => in_words(&error).1 + or,
        };
        row.fail(key, found);
        None
    };
    let timing = match kind {
        "exp" => TimingText::Exponential { rate: need("rate")? },
        "det" => TimingText::Deterministic { delay: need("delay")? },
        "uniform" => {
            let (low, high) = (need("low"), need("high"));
            TimingText::Uniform { low: low?, high: high? }
        }
        "erlang" => {
            let (stages, rate) = (need("stages"), need("rate"));
            TimingText::Erlang { stages: whole("stages", &stages?, "")?, rate: rate? }
        }
        "empirical" => {
            if sound && values.is_none() {
                row.missing("values", "a list of numbers, because kind empirical requires this key");
            }
            let values = values?;
            let weights = weights.unwrap_or_else(|| vec![1.0; values.len()]);
            TimingText::Empirical { values, weights }
        }
        _ => TimingText::Immediate {
            weight: given.get("weight").map_or("1", String::as_str).to_owned(),
            priority: priority as u32,
        },
    };
    let servers = match servers.as_deref() {
        None => Servers::Count(1),
        Some("inf") => Servers::Infinite,
        Some(text) => Servers::Count(whole("servers", text, ", or \"inf\"")?),
    };
    if matches!(timing, TimingText::Immediate { .. }) && servers != Servers::Count(1) {
        row.fail(
            "servers",
            "found several servers, expected 1 or no key, because a firing of kind imm takes no time",
        );
        return None;
    }
    Some((timing, servers))
}
