//! `--set key.path=value`, merged over the files before components extend each other.

use crate::parse::{Origin, Parser, Path, join};
use crate::place::Place;
use crate::problem::{Log, nearest};
use crate::rows::name_of;
use crate::tree::{Content, Node, Scalar, Table, Written};
use crate::units::{says_unit, unit_behind, unit_of};
use std::cell::RefCell;
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::DeValue;

/// The keys of overrides as they were typed.
pub(crate) type Typed = Vec<String>;

/// Keys at the top of a file that belong to the reader itself.
const OWN: [&str; 4] = ["title", "kind", "extends", "source"];

/// Most parts of a key; external text must not determine the depth of tables.
const MOST_PARTS: usize = 32;

/// Applies all overrides of keys that this document `takes`, in order. `kinds` are the tables whose components
/// may be named without them.
pub(crate) fn apply(
    root: &mut Node,
    overrides: &[String],
    takes: impl Fn(&str) -> bool,
    kinds: &[&str],
    log: &Log,
) -> Typed {
    let mut given: BTreeMap<String, usize> = BTreeMap::new();
    let mut typed = Typed::new();
    for (number, text) in overrides.iter().enumerate() {
        let (key, value) = match text.split_once('=') {
            Some((key, value)) => (key.trim(), Some(value.trim()).filter(|v| !v.is_empty())),
            None => (text.trim(), None),
        };
        typed.push(key.to_owned());
        if !takes(key) {
            continue;
        }
        let done = match value {
            None => Err(format!("found `{text}`; expected key=value, such as clock.engines_mhz=200")),
            Some(value) => one(root, key, value, kinds, number, &mut given, log),
        };
        if let Err(message) = done {
            log.add(Place::Set(number), key, message);
        }
    }
    typed
}

fn one(
    root: &mut Node,
    key: &str,
    value: &str,
    kinds: &[&str],
    number: usize,
    given: &mut BTreeMap<String, usize>,
    log: &Log,
) -> Result<(), String> {
    let parts: Vec<&str> = key.split('.').map(str::trim).collect();
    if parts.len() > MOST_PARTS || parts.iter().any(|part| part.is_empty()) {
        return Err("expected a key such as clock.engines_mhz".to_owned());
    }
    let empty = Table::default();
    let table = root.table().unwrap_or(&empty);
    let parts = numbered(table, &whole_path(table, parts, kinds)?)?;
    let path = parts.join(".");
    if let Some(earlier) = given.insert(path.clone(), number) {
        return Err(format!("the key is set twice (also by --set number {}); set the key once", earlier + 1));
    }
    let last = parts.last().map_or("", String::as_str);
    let origin = Origin::Set(number);
    let parser = Parser { origin, log, untitled: true, plain: false, unsourced: RefCell::default() };
    let source = "given with --set".into();
    let node = |value: &DeValue<'_>| parser.node(last, Path::Whole(&path), 0, value, &source);
    let node = match DeValue::parse(value) {
        // A name may look like a date.
        Ok(parsed) => match parsed.get_ref() {
            DeValue::Datetime(_) => node(&DeValue::String(value.into())),
            parsed => node(parsed),
        },
        Err(e) if value.starts_with(['"', '\'', '[', '{']) => {
            return Err(format!("found `{value}`, which is not a value: {}", e.message()));
        }
        Err(_) => node(Spanned::new(0..value.len(), DeValue::String(value.into())).get_ref()),
    };
    set(root, &parts, node)
}

/// Returns the path from the root: as written, or with the table of the only component of that name.
fn whole_path<'a>(root: &Table, parts: Vec<&'a str>, kinds: &[&'a str]) -> Result<Vec<&'a str>, String> {
    let first = parts[0];
    if parts.len() == 1 && OWN.contains(&first) {
        return Err("the key describes the file itself and cannot be set".to_owned());
    }
    let components = |kind: &str| root.get(kind).and_then(Node::table);
    if kinds.contains(&first) && components(first).is_some() {
        let Some(table) = components(first) else { return Ok(parts) };
        if parts.len() > 2 && table.get(parts[1]).is_none() {
            let near = nearest(parts[1], table.keys());
            return Err(format!("`{first}` has no `{}`{near}", parts[1]));
        }
        return Ok(parts);
    }
    let (name, _) = split_index(first);
    if root.get(name).is_some() {
        return Ok(parts);
    }
    let named: Vec<&str> = kinds
        .iter()
        .copied()
        .filter(|kind| components(kind).is_some_and(|t| t.get(first).is_some()))
        .collect();
    match named.as_slice() {
        [kind] => Ok([&[*kind], parts.as_slice()].concat()),
        // A table that no file has yet; if it is never read, the end reports it, with the nearest name.
        [] if parts.len() == 1 || !kinds.contains(&first) => Ok(parts),
        [] => Err(format!("the file has no `{first}`")),
        several => {
            let key = parts.join(".");
            let all: Vec<String> = several.iter().map(|kind| format!("{kind}.{key}")).collect();
            Err(format!("several components are called `{first}`; write one of {}", all.join(", ")))
        }
    }
}

/// Returns the same path with numbers of list elements instead of names: `step[hash]` may be `step[4]`.
fn numbered(root: &Table, parts: &[&str]) -> Result<Vec<String>, String> {
    let mut here = Some(root);
    let mut path = Vec::with_capacity(parts.len());
    for &part in parts {
        let whole = here.and_then(|table| table.get(part));
        let (key, element) = split_element(part).unwrap_or((part, ""));
        let list = here.and_then(|table| table.get(key)).map(|node| &node.content);
        let (next, said) = match (whole, list) {
            (None, Some(Content::List(items))) if key != part => {
                let number = match element.parse() {
                    Ok(number) => number,
                    Err(_) => named(key, items, element)?,
                };
                (items.get(number), format!("{key}[{number}]"))
            }
            _ => (whole, part.to_owned()),
        };
        here = next.and_then(Node::table);
        path.push(said);
    }
    Ok(path)
}

/// Returns the number of the list element of that name.
fn named(key: &str, items: &[Node], name: &str) -> Result<usize, String> {
    let names: Vec<Option<&str>> = items.iter().map(name_of).collect();
    let called: Vec<usize> = (0..names.len()).filter(|&at| names[at] == Some(name)).collect();
    match called.as_slice() {
        [number] => Ok(*number),
        [] => {
            let near = nearest(name, names.iter().flatten().copied());
            Err(format!("no element of `{key}` is called `{name}`{near}"))
        }
        several => {
            let numbers: Vec<String> = several.iter().map(|number| format!("{key}[{number}]")).collect();
            Err(format!("several elements are called `{name}`; write one of {}", numbers.join(", ")))
        }
    }
}

/// Returns the unit beside a value or after it.
fn unit_of_value(node: &Node) -> Option<&str> {
    match &node.content {
        Content::Value(Scalar::Text(text)) => unit_behind(text),
        _ => node.written_unit(),
    }
}

/// Splits `route[0]` or `step[hash]` into a list and its element.
fn split_element(part: &str) -> Option<(&str, &str)> {
    let (key, rest) = part.split_once('[')?;
    Some((key, rest.strip_suffix(']')?))
}

/// `route[0]` is an element of a list.
fn split_index(part: &str) -> (&str, Option<usize>) {
    match split_element(part).map(|(key, element)| (key, element.parse().ok())) {
        Some((key, Some(index))) => (key, Some(index)),
        _ => (part, None),
    }
}

/// Sets a node at a path; missing tables are created.
fn set(root: &mut Node, parts: &[String], mut node: Node) -> Result<(), String> {
    let (mut here, mut path) = (root, String::new());
    for (number, part) in parts.iter().enumerate() {
        let Content::Table(table) = &mut here.content else {
            return Err(format!("`{path}` is a value and has no keys"));
        };
        let (key, index) = match table.get(part) {
            Some(_) => (part.as_str(), None),
            None => split_index(part),
        };
        path = join(&path, part);
        let last = number + 1 == parts.len();
        let is_new = table.get(key).is_none();
        let place = node.place;
        if is_new && index.is_some() {
            return Err(format!("`{key}` does not exist"));
        }
        if is_new && last {
            table.lay_over(key.to_owned(), node);
            return Ok(());
        }
        let next = table.get_or_insert(key, || Node::new(place, "".into(), Content::Table(Table::default())));
        here = match index {
            None => next,
            Some(index) => {
                let Content::List(items) = &mut next.content else {
                    return Err(format!("`{key}` is not a list"));
                };
                let count = items.len();
                items.get_mut(index).ok_or(format!("`{key}` has {count} elements, counted from 0"))?
            }
        };
    }
    if here.table().is_some() && node.table().is_none() {
        return Err(format!("`{path}` is a table; set one of its keys"));
    }
    let key = parts.last().map_or("", String::as_str);
    let table = parts.len().checked_sub(2).map_or("", |at| &parts[at]);
    let is_number = matches!(node.content, Content::Value(Scalar::Integer(_) | Scalar::Number(_)));
    if is_number && node.unit.is_none() && unit_of(says_unit(table, key)).is_none() {
        // A number without a unit has that of the value that it replaces.
        node.unit = unit_of_value(here).and_then(Written::new);
    }
    here.lay_over(node);
    Ok(())
}
