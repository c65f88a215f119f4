//! Numbers whose file selects the unit: `{ value = 11, unit = "clocks" }`, or `"13.75 ns"`.

use crate::declaration::Allowed;
use crate::section::Section;
use crate::shown::Shown;
use crate::take::{Absent, Taking};
use crate::tree::{Content, Node, Scalar};
use crate::units::{Measure, quantity};
use std::ops::RangeInclusive;

/// A unit that a file may select.
#[derive(Clone, Copy, Debug)]
pub struct Either {
    /// The unit.
    pub unit: &'static str,
    /// The expected values: `whole or half clocks`.
    pub what: &'static str,
    /// The number must be a multiple of this; 0 for any number.
    pub step: f64,
}

impl Section<'_> {
    /// Returns a number in one of several units, and its unit, if the value exists. A `--set` number without a
    /// unit has that of the file, or else the first.
    pub fn number_in_either_if(
        &self,
        key: &str,
        units: &[Either],
        range: RangeInclusive<f64>,
        meaning: &str,
    ) -> Option<(f64, &'static str)> {
        let node = self.take(key)?;
        if matches!(node.content, Content::Value(Scalar::Bad)) {
            return None;
        }
        let says = |each: &Either| format!("{} (unit `{}`)", each.what, each.unit);
        let allowed = &|| Allowed::other(&units.iter().map(says).collect::<Vec<_>>().join(" or "));
        let read = read(node, units, &range);
        let unit = read.as_ref().map_or("", |(_, unit)| unit);
        let measure = Measure::declared(unit);
        let taking = Taking { key, meaning, allowed, measure, absent: Absent::<f64>::Nothing };
        let number = read.as_ref().ok().map(|(number, _)| Shown::Real(*number));
        self.declare(&taking, |number| Shown::Real(*number), number);
        match read {
            Ok((number, unit)) => {
                self.note(&taking, Shown::Real(number), Some(node));
                Some((number, unit))
            }
            Err(found) => {
                self.wrong(&taking, node, self.path_of(key), &found);
                None
            }
        }
    }
}

/// Returns the number of a node with its unit, or what was found.
fn read(node: &Node, units: &[Either], range: &RangeInclusive<f64>) -> Result<(f64, &'static str), String> {
    let value = match &node.content {
        Content::Value(value) => value,
        Content::List(_) => return Err("found a list".to_owned()),
        Content::Table(_) => return Err("found a table".to_owned()),
    };
    let fits = |number: f64, either: &Either| {
        let is_multiple = either.step == 0.0 || (number / either.step).fract() == 0.0;
        is_multiple && range.contains(&number)
    };
    if let Scalar::Text(text) = value
        && node.unit.is_none()
    {
        let converted = |either: &&Either| {
            quantity(Measure::declared(either.unit), value).ok().map(|q| (q.as_f64(), **either))
        };
        return match units.iter().find_map(|either| converted(&either)) {
            Some((number, either)) if fits(number, &either) => Ok((number, either.unit)),
            _ => Err(format!("found `{text}`")),
        };
    }
    let chosen = match node.written_unit() {
        Some(unit) => units.iter().find(|either| Measure::declared(either.unit).is(unit)),
        None if node.is_set() => units.first(),
        None => return Err(format!("found `{value}` without a unit")),
    };
    let number = match value {
        Scalar::Integer(_) | Scalar::Number(_) => quantity(Measure::NONE, value).ok().map(|q| q.as_f64()),
        _ => None,
    };
    match (number, chosen) {
        (Some(number), Some(either)) if fits(number, either) => Ok((number, either.unit)),
        _ => {
            let unit = node.written_unit().or(chosen.map(|either| either.unit)).unwrap_or("");
            Err(format!("found `{value}` with unit `{unit}`"))
        }
    }
}
