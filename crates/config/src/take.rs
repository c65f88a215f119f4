//! Typed values of a table, each with its range or its names and its meaning.

use crate::declaration::{Allowed, Declared, declare};
use crate::problem::{Row, nearest};
use crate::section::Section;
use crate::shown::Shown;
use crate::tree::{Content, Node, Scalar};
use crate::units::{Measure, Quantity, quantity};
use std::ops::RangeInclusive;

/// Every whole number up to here is exact in floating point.
const MOST_EXACT: u64 = 1 << f64::MANTISSA_DIGITS;

/// The result if a value is missing or invalid.
pub(crate) enum Absent<T> {
    Problem,
    Default(T),
    Nothing,
}

/// How a value is parsed, described and shown.
pub(crate) struct Taking<'a, T> {
    pub key: &'a str,
    pub meaning: &'a str,
    /// The range or the valid names, computed on request.
    pub allowed: &'a dyn Fn() -> Allowed,
    pub measure: Measure,
    pub absent: Absent<T>,
}

impl<'d> Section<'d> {
    /// Returns a required value; the minimum of the range if it is missing or invalid.
    pub fn integer(&self, key: &str, range: RangeInclusive<u64>, meaning: &str) -> u64 {
        self.whole(self.measure(key), key, &range, meaning, Absent::Problem).unwrap_or(*range.start())
    }

    /// Returns a required value; `None` if it is missing or invalid.
    pub fn needed_integer(&self, key: &str, range: RangeInclusive<u64>, meaning: &str) -> Option<u64> {
        self.whole(self.measure(key), key, &range, meaning, Absent::Problem)
    }

    /// Returns a value, or the default.
    pub fn integer_or(&self, key: &str, default: u64, range: RangeInclusive<u64>, meaning: &str) -> u64 {
        self.whole(self.measure(key), key, &range, meaning, Absent::Default(default)).unwrap_or(default)
    }

    /// Returns a value if it exists.
    pub fn integer_if(&self, key: &str, range: RangeInclusive<u64>, meaning: &str) -> Option<u64> {
        self.whole(self.measure(key), key, &range, meaning, Absent::Nothing)
    }

    fn measure(&self, key: &str) -> Measure {
        Measure::of_key(self.name(), key)
    }

    pub(crate) fn whole(
        &self,
        measure: Measure,
        key: &str,
        range: &RangeInclusive<u64>,
        meaning: &str,
        absent: Absent<u64>,
    ) -> Option<u64> {
        let taking = Taking { key, meaning, allowed: &|| Allowed::whole(range), measure, absent };
        let understand = |value: &Scalar| match quantity(measure, value)? {
            Quantity::Whole(i) => {
                let fits = u64::try_from(i).ok().filter(|i| range.contains(i));
                fits.ok_or_else(|| found(value, measure, &i.to_string()))
            }
            // `32768.0` is whole, too.
            Quantity::Real(r) => {
                let fits = Some(r as u64).filter(|i| *i as f64 == r && *i < MOST_EXACT && range.contains(i));
                fits.ok_or_else(|| found(value, measure, &r.to_string()))
            }
        };
        self.value(taking, understand, |value| Shown::whole(*value))
    }

    /// Returns a required value; the minimum of the range if it is missing or invalid.
    pub fn number(&self, key: &str, range: RangeInclusive<f64>, meaning: &str) -> f64 {
        let lowest = Some(*range.start()).filter(|low| low.is_finite()).unwrap_or(0.0);
        self.real(self.measure(key), key, &range, meaning, Absent::Problem).unwrap_or(lowest)
    }

    /// Returns a required value; `None` if it is missing or invalid.
    pub fn needed_number(&self, key: &str, range: RangeInclusive<f64>, meaning: &str) -> Option<f64> {
        self.real(self.measure(key), key, &range, meaning, Absent::Problem)
    }

    /// Returns a value, or the default.
    pub fn number_or(&self, key: &str, default: f64, range: RangeInclusive<f64>, meaning: &str) -> f64 {
        self.real(self.measure(key), key, &range, meaning, Absent::Default(default)).unwrap_or(default)
    }

    /// Returns a value if it exists.
    pub fn number_if(&self, key: &str, range: RangeInclusive<f64>, meaning: &str) -> Option<f64> {
        self.real(self.measure(key), key, &range, meaning, Absent::Nothing)
    }

    pub(crate) fn real(
        &self,
        measure: Measure,
        key: &str,
        range: &RangeInclusive<f64>,
        meaning: &str,
        absent: Absent<f64>,
    ) -> Option<f64> {
        let allowed = &|| Allowed::number(range, false);
        let taking = Taking { key, meaning, allowed, measure, absent };
        self.value(taking, |value| finite(measure, range, value), |value| Shown::Real(*value))
    }

    /// Returns a required text; empty if it is missing or refused.
    pub fn text(&self, key: &str, meaning: &str) -> String {
        self.needed_text(key, meaning).unwrap_or_default()
    }

    /// Returns a required text; `None` if it is missing or refused.
    pub fn needed_text(&self, key: &str, meaning: &str) -> Option<String> {
        self.any_text(key, meaning, Absent::Problem)
    }

    /// Returns a text, or the default.
    pub fn text_or(&self, key: &str, default: &str, meaning: &str) -> String {
        self.any_text(key, meaning, Absent::Default(default.to_owned())).unwrap_or_else(|| default.to_owned())
    }

    /// Returns a text if it exists.
    pub fn text_if(&self, key: &str, meaning: &str) -> Option<String> {
        self.any_text(key, meaning, Absent::Nothing)
    }

    fn any_text(&self, key: &str, meaning: &str, absent: Absent<String>) -> Option<String> {
        let taking = Taking {
            key,
            meaning,
            allowed: &|| Allowed::Text { list: false },
            measure: Measure::NONE,
            absent,
        };
        self.value(taking, plain_text, |text| Shown::Text(text.clone()))
    }

    /// Returns true or false, or the default.
    pub fn switch_or(&self, key: &str, default: bool, meaning: &str) -> bool {
        self.on_or_off(key, meaning, Absent::Default(default)).unwrap_or(default)
    }

    /// Returns a required switch; false if it is missing.
    pub fn switch(&self, key: &str, meaning: &str) -> bool {
        self.on_or_off(key, meaning, Absent::Problem).unwrap_or(false)
    }

    fn on_or_off(&self, key: &str, meaning: &str, absent: Absent<bool>) -> Option<bool> {
        let allowed = &|| Allowed::Switch;
        let taking = Taking { key, meaning, allowed, measure: Measure::NONE, absent };
        let understand = |value: &Scalar| match value {
            Scalar::Switch(on) => Ok(*on),
            _ => Err(format!("found `{value}`")),
        };
        self.value(taking, understand, |on| Shown::Switch(*on))
    }

    /// Returns the value of a required name; the first choice if it is missing or invalid.
    ///
    /// # Panics
    ///
    /// If there are no choices.
    pub fn choice<T: Copy>(&self, key: &str, choices: &[(&str, T)], meaning: &str) -> T {
        let chosen = self.chosen(key, choices, meaning, Absent::Problem).unwrap_or(0);
        choices[chosen].1
    }

    /// Returns the value of a name, or of the default.
    ///
    /// # Panics
    ///
    /// If there are no choices.
    pub fn choice_or<T: Copy>(&self, key: &str, default: &str, choices: &[(&str, T)], meaning: &str) -> T {
        let default = choices.iter().position(|(name, _)| *name == default);
        debug_assert!(default.is_some(), "the default of `{key}` is one of the choices");
        let default = default.unwrap_or(0);
        let chosen = self.chosen(key, choices, meaning, Absent::Default(default)).unwrap_or(default);
        choices[chosen].1
    }

    /// Returns the value of a name if it exists.
    pub fn choice_if<T: Copy>(&self, key: &str, choices: &[(&str, T)], meaning: &str) -> Option<T> {
        self.chosen(key, choices, meaning, Absent::Nothing).map(|chosen| choices[chosen].1)
    }

    fn chosen<T>(
        &self,
        key: &str,
        choices: &[(&str, T)],
        meaning: &str,
        absent: Absent<usize>,
    ) -> Option<usize> {
        let allowed = &|| Allowed::name(choices, false);
        let taking = Taking { key, meaning, allowed, measure: Measure::NONE, absent };
        self.value(taking, one_of(choices), |chosen| Shown::Text(choices[*chosen].0.to_owned()))
    }

    /// Returns the values of a list of names; empty if it does not exist.
    pub fn choices<T: Copy>(&self, key: &str, choices: &[(&str, T)], meaning: &str) -> Vec<T> {
        let allowed = &|| Allowed::name(choices, true);
        let taking = Taking { key, meaning, allowed, measure: Measure::NONE, absent: Absent::Nothing };
        let chosen =
            self.values(taking, one_of(choices), |chosen| Shown::Text(choices[*chosen].0.to_owned()));
        chosen.into_iter().map(|chosen| choices[chosen].1).collect()
    }

    /// Returns a string or a list of strings; empty if it does not exist.
    pub fn texts(&self, key: &str, meaning: &str) -> Vec<String> {
        let taking = Taking {
            key,
            meaning,
            allowed: &|| Allowed::Text { list: true },
            measure: Measure::NONE,
            absent: Absent::Nothing,
        };
        self.values(taking, plain_text, |text| Shown::Text(text.clone()))
    }

    /// Returns a number or a list of numbers; empty if it does not exist.
    pub fn numbers(&self, key: &str, range: RangeInclusive<f64>, meaning: &str) -> Vec<f64> {
        self.reals(Measure::of_key("", key), key, &range, meaning)
    }

    pub(crate) fn reals(
        &self,
        measure: Measure,
        key: &str,
        range: &RangeInclusive<f64>,
        meaning: &str,
    ) -> Vec<f64> {
        let allowed = &|| Allowed::number(range, true);
        let taking = Taking { key, meaning, allowed, measure, absent: Absent::Nothing };
        self.values(taking, |value| finite(measure, range, value), |value| Shown::Real(*value))
    }

    pub(crate) fn value<T>(
        &self,
        taking: Taking<'_, T>,
        understand: impl Fn(&Scalar) -> Result<T, String>,
        show: impl Fn(&T) -> Shown,
    ) -> Option<T> {
        let Some(node) = self.take(taking.key) else {
            self.declare(&taking, &show, None);
            return match taking.absent {
                Absent::Nothing => None,
                Absent::Problem => {
                    self.missing(taking.key, &format!("{} ({})", (taking.allowed)(), taking.meaning));
                    None
                }
                Absent::Default(ref default) => {
                    self.note(&taking, show(default), None);
                    let Absent::Default(default) = taking.absent else { return None };
                    Some(default)
                }
            };
        };
        self.judge_unit(&taking, node);
        let value = self.understood(&taking, node, || self.path_of(taking.key), &understand);
        self.declare(&taking, &show, value.as_ref().map(&show));
        let value = value?;
        self.note(&taking, show(&value), Some(node));
        Some(value)
    }

    fn values<T>(
        &self,
        taking: Taking<'_, T>,
        understand: impl Fn(&Scalar) -> Result<T, String>,
        show: impl Fn(&T) -> Shown,
    ) -> Vec<T> {
        let Some(node) = self.take(taking.key) else {
            self.declare(&taking, &show, None);
            return Vec::new();
        };
        self.judge_unit(&taking, node);
        let path = || self.path_of(taking.key);
        let values: Vec<T> = match &node.content {
            Content::List(items) => {
                let item = |(number, item): (usize, &Node)| {
                    self.understood(&taking, item, || format!("{}[{number}]", path()), &understand)
                };
                items.iter().enumerate().filter_map(item).collect()
            }
            _ => self.understood(&taking, node, path, &understand).into_iter().collect(),
        };
        let shown = Shown::List(values.iter().map(&show).collect());
        self.declare(&taking, &show, Some(shown.clone()));
        self.note(&taking, shown, Some(node));
        values
    }

    /// Returns whether the unit beside a value is the declared one.
    fn judge_unit<T>(&self, taking: &Taking<'_, T>, node: &Node) {
        if let Some(Err(message)) = node.written_unit().map(|unit| taking.measure.check(unit)) {
            self.fail_at(node, self.path_of(taking.key), message);
        }
    }

    /// Returns the value of a node, or a problem.
    pub(crate) fn understood<T>(
        &self,
        taking: &Taking<'_, T>,
        node: &Node,
        path: impl FnOnce() -> String,
        understand: impl Fn(&Scalar) -> Result<T, String>,
    ) -> Option<T> {
        let found = match &node.content {
            Content::Value(Scalar::Bad) => return None,
            Content::Value(value) => match understand(value) {
                Ok(value) => return Some(value),
                Err(found) => found,
            },
            Content::List(_) => "found a list".to_owned(),
            Content::Table(_) => "found a table".to_owned(),
        };
        self.wrong(taking, node, path(), &found);
        None
    }

    /// Adds a problem with a value: what was found, and what is allowed.
    pub(crate) fn wrong<T>(&self, taking: &Taking<'_, T>, node: &Node, path: String, found: &str) {
        let between = if found.ends_with('?') { "" } else { ";" };
        self.fail_at(node, path, format!("{found}{between} expected {}", (taking.allowed)()));
    }

    /// Declares the valid values of this key, if a collector is active.
    pub(crate) fn declare<T>(
        &self,
        taking: &Taking<'_, T>,
        show: impl Fn(&T) -> Shown,
        value: Option<Shown>,
    ) {
        declare(|| {
            let allowed = (taking.allowed)();
            Declared {
                file: self.document.places.name(0).to_owned(),
                key: self.path_of(taking.key),
                words: allowed.to_string(),
                allowed,
                unit: taking.measure.name,
                units: taking.measure.spellings(),
                meaning: taking.meaning.to_owned(),
                needed: matches!(taking.absent, Absent::Problem),
                default: match &taking.absent {
                    Absent::Default(default) => Some(show(default)),
                    _ => None,
                },
                value,
            }
        });
    }

    pub(crate) fn note<T>(&self, taking: &Taking<'_, T>, value: Shown, node: Option<&Node>) {
        let place = |node: &Node| self.document.places.show(node.place);
        let interval = node.and_then(|node| node.interval);
        if self.document.brief {
            return self.document.note(|| Row::brief(self.path_of(taking.key), value, interval));
        }
        self.document.note(|| Row {
            key: self.path_of(taking.key),
            value,
            interval,
            unit: taking.measure.name.to_owned(),
            meaning: taking.meaning.to_owned(),
            allowed: (taking.allowed)().to_string(),
            source: node.map_or_else(|| "default".to_owned(), |node| node.source.to_string()),
            place: node.map_or_else(String::new, place),
        });
    }
}

/// Returns the number of the choice with a name.
fn one_of<T>(choices: &[(&str, T)]) -> impl Fn(&Scalar) -> Result<usize, String> {
    let names = || choices.iter().map(|(name, _)| *name);
    move |value| {
        let name = plain_text(value)?;
        let chosen = names().position(|n| n == name);
        chosen.ok_or_else(|| format!("found `{name}`{}", nearest(&name, names())))
    }
}

fn plain_text(value: &Scalar) -> Result<String, String> {
    match value {
        Scalar::Text(text) => Ok(text.clone()),
        _ => Err(format!("found `{value}`")),
    }
}

fn finite(measure: Measure, range: &RangeInclusive<f64>, value: &Scalar) -> Result<f64, String> {
    let number = quantity(measure, value)?.as_f64();
    match number.is_finite() && range.contains(&number) {
        true => Ok(number),
        false => Err(found(value, measure, &number.to_string())),
    }
}

/// Returns the value as written and, if that was in another unit, the value in the unit of the key.
pub(crate) fn found(value: &Scalar, measure: Measure, converted: &str) -> String {
    match value {
        Scalar::Text(text) => format!("found `{text}`, which is {converted} {}", measure.name),
        _ => format!("found `{value}`"),
    }
}
