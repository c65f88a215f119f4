//! The content of the sections of a net's file: values, expressions, tokens, colours.

use linecard_config::{Section, Shown};
use linecard_files::plain;
use linecard_petri::Constant;
use std::collections::BTreeMap;

/// A value of a parameter.
#[derive(Clone)]
pub(super) enum Value {
    Constant(Constant),
    /// An expression of other parameters.
    Text(String),
}

/// A colour as its file describes it.
pub(super) enum Described {
    /// The name of another colour, or the text of one.
    Text(String),
    Words(Vec<String>),
    Fields(BTreeMap<String, String>),
}

/// The tokens of a place or an arc.
pub(super) enum Tokens {
    Count(u32),
    Text(String),
    List(Vec<String>),
}

/// Parses a value in TOML notation, or else an expression.
pub(super) fn as_toml(text: &str) -> Value {
    let document = plain("--set", format!("value = {text}"));
    let value = value(&document.root(), "value");
    let is_one = document.finish().is_ok();
    value.filter(|_| is_one).unwrap_or_else(|| Value::Text(text.to_owned()))
}

pub(super) fn value(section: &Section<'_>, key: &str) -> Option<Value> {
    const ALLOWED: &str = "a number, a truth value, an expression, or [[value, weight], ...]";
    section.any_if(key, ALLOWED, "value of a parameter", |shown| {
        Some(Value::Constant(match shown {
            Shown::Whole(whole) => Constant::Int(*whole),
            Shown::Real(real) => Constant::Real(*real),
            Shown::Switch(on) => Constant::Bool(*on),
            Shown::Text(text) => return Some(Value::Text(text.clone())),
            Shown::List(pairs) => Constant::Shares(pairs.iter().map(pair).collect::<Option<_>>()?),
        }))
    })
}

/// Returns a value with its weight.
fn pair(shown: &Shown) -> Option<(i64, f64)> {
    let Shown::List(pair) = shown else { return None };
    match pair[..] {
        [Shown::Whole(value), Shown::Whole(weight)] => Some((value, weight as f64)),
        [Shown::Whole(value), Shown::Real(weight)] => Some((value, weight)),
        _ => None,
    }
}

/// Reads a number or an expression, as text.
pub(super) fn expression(section: &Section<'_>, key: &str, meaning: &str) -> Option<String> {
    section.any_if(key, "a number or an expression", meaning, |shown| match shown {
        Shown::Whole(whole) => Some(whole.to_string()),
        Shown::Real(real) => Some(format!("{real:?}")),
        Shown::Text(text) => Some(text.clone()),
        _ => None,
    })
}

pub(super) fn tokens(section: &Section<'_>, meaning: &str) -> Option<Tokens> {
    const ALLOWED: &str = "a whole number from 0 to 4294967295, an expression, or a list of tokens";
    section.any_if("tokens", ALLOWED, meaning, |shown| match shown {
        Shown::Whole(count) => u32::try_from(*count).ok().map(Tokens::Count),
        Shown::Text(text) => Some(Tokens::Text(text.clone())),
        Shown::List(items) => texts(items).map(Tokens::List),
        _ => None,
    })
}

fn texts(items: &[Shown]) -> Option<Vec<String>> {
    let text = |item: &Shown| if let Shown::Text(text) = item { Some(text.clone()) } else { None };
    items.iter().map(text).collect()
}

/// Returns the name of a part for problems.
pub(super) fn called(row: &Section<'_>) -> Option<String> {
    let (part, _) = row.path().split_once('[')?;
    let text = |key: &str| row.text_if(key, "").unwrap_or_default();
    match (part, text("name")) {
        ("arc", _) => Some(format!("arc {} -> {}", text("from"), text("to"))),
        (_, name) => (!name.is_empty()).then(|| format!("{part} {name}")),
    }
}

pub(super) fn name_of(row: &Section<'_>) -> Option<String> {
    let name = row.text("name", "name");
    if row.says("name", "") {
        row.fail("name", "found no name, expected a unique name");
    }
    (!name.is_empty()).then_some(name)
}

/// Reads the entries of a table, each with its key.
pub(super) fn each<'s, 'd, T>(
    section: Option<&'s Section<'d>>,
    read: impl Fn(&Section<'d>, &str) -> Option<T>,
) -> Vec<(&'s Section<'d>, String, T)> {
    let all =
        section.into_iter().flat_map(|section| section.keys().into_iter().map(move |key| (section, key)));
    all.filter_map(|(section, key)| read(section, &key).map(|value| (section, key, value))).collect()
}

/// Reads the places that a net with this one as a module may share.
pub(super) fn interface(root: &Section<'_>) -> Vec<String> {
    root.texts("interface", "places that this net can share with an enclosing net")
}

/// Reads a value, which may be in a table with its unit and its source.
pub(super) fn parameter(section: &Section<'_>, name: &str) -> Option<Value> {
    if !section.is_table(name) {
        return value(section, name);
    }
    let table = section.section(name)?;
    table.text_if("unit", "its unit");
    table.text_if("source", "source of the value");
    if !table.has("value") {
        table.missing("value", "a number, a truth value or an expression");
    }
    value(&table, "value")
}

/// Reads a colour, if the value describes one.
pub(super) fn described(section: &Section<'_>, name: &str) -> Option<Described> {
    if section.is_table(name) {
        let record = section.section(name)?;
        let fields = record.keys().into_iter().map(|field| {
            let colour = record.text(&field, "colour of the field");
            (!colour.is_empty()).then_some((field, colour))
        });
        return fields.collect::<Option<_>>().map(Described::Fields);
    }
    let allowed = "a colour, a list of names, or a table of fields";
    section.any_if(name, allowed, "values of tokens", |shown| match shown {
        Shown::Text(text) => Some(Described::Text(text.clone())),
        Shown::List(words) => texts(words).map(Described::Words),
        _ => None,
    })
}
