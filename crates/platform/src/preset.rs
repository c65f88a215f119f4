//! Presets: TOML files whose every value has a unit and a source, and that extend other presets.
//!
//! ```toml
//! title = "What it is"
//! extends = ["platforms/ixp1200"]
//!
//! [engine]
//! clock_mhz = { value = 400, unit = "MHz", source = "Hasan 2003, section 5.3" }
//!
//! [for.nat.output]                  # applies when the application is nat
//! ports = { value = 2, unit = "ports", source = "Hasan 2003, section 5.2" }
//!
//! [[dram.constraint]]               # replaces the whole table of a preset it extends
//! name = "tRP"
//! level = "bank"
//! before = ["PRE"]
//! after = ["ACT"]
//! cycles = 2
//! source = "..."
//! ```

use crate::bounded;
use crate::error::ConfigProblem;
use crate::files::{Files, PresetFile};
use crate::schema::{Kind, NP, Parameter, Schema, nearest};
use include_dir::{Dir, File, include_dir};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

static SHIPPED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../presets");

/// One line of `linecard presets`.
#[derive(Clone, Debug, Serialize)]
pub struct PresetInfo {
    /// Name to give to `linecard run`.
    pub name: String,
    /// Folder: `platforms` can be run, `dram` are parts that platforms extend.
    pub kind: String,
    /// What it is.
    pub title: String,
    /// Presets it extends.
    pub extends: Vec<String>,
}

/// A value as written.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Value {
    Switch(bool),
    Integer(i64),
    Number(f64),
    Text(String),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Switch(b) => write!(f, "{b}"),
            Value::Integer(i) => write!(f, "{i}"),
            Value::Number(n) => write!(f, "{n}"),
            Value::Text(t) => write!(f, "{t}"),
        }
    }
}

/// A parameter with its value.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub value: Value,
    pub source: String,
    pub place: String,
}

/// One timing constraint as written.
#[derive(Clone, Debug, serde::Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConstraintRow {
    pub name: String,
    pub level: String,
    pub before: Vec<String>,
    pub after: Vec<String>,
    pub cycles: u64,
    #[serde(default = "from_issue")]
    pub from: String,
    #[serde(default = "one")]
    pub window: usize,
    pub source: String,
}

fn from_issue() -> String {
    "issue".to_owned()
}

fn one() -> usize {
    1
}

/// A preset with everything it extends, before an application is chosen.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    /// What may be set.
    pub schema: &'static Schema,
    pub title: String,
    pub extends: Vec<String>,
    pub settings: BTreeMap<String, Setting>,
    /// Settings that hold for one application.
    pub for_app: BTreeMap<(String, String), Setting>,
    pub constraints: Vec<ConstraintRow>,
    pub constraints_place: String,
}

impl Resolved {
    fn new(schema: &'static Schema) -> Self {
        Self {
            schema,
            title: String::new(),
            extends: Vec::new(),
            settings: BTreeMap::new(),
            for_app: BTreeMap::new(),
            constraints: Vec::new(),
            constraints_place: String::new(),
        }
    }

    /// Whether this is a part that platforms extend: it names no application.
    pub fn is_part(&self) -> bool {
        !self.settings.contains_key("app.name")
    }
}

/// Shipped presets, sorted by folder and name.
pub fn presets() -> Vec<PresetInfo> {
    let mut infos: Vec<PresetInfo> = shipped()
        .filter_map(|(kind, name, file)| {
            let (title, extends) = match DeTable::parse(file.contents_utf8()?) {
                Ok(table) => (text_of(table.get_ref(), "title"), list_of(table.get_ref(), "extends")),
                Err(_) => (String::new(), Vec::new()),
            };
            Some(PresetInfo { name: name.to_owned(), kind: kind.to_owned(), title, extends })
        })
        .collect();
    infos.sort_by(|a, b| (&b.kind, &a.name).cmp(&(&a.kind, &b.name)));
    infos
}

/// The text of a shipped net.
pub(crate) fn shipped_net(name: &str) -> Option<&'static str> {
    SHIPPED.get_file(format!("nets/{name}.toml"))?.contents_utf8()
}

/// Folder, name and file of every shipped preset; nets are no presets.
fn shipped() -> impl Iterator<Item = (&'static str, &'static str, &'static File<'static>)> {
    SHIPPED.dirs().flat_map(|dir| dir.files()).filter_map(|file| {
        let path = file.path();
        let kind = path.parent()?.file_name()?.to_str()?;
        (path.extension()?.to_str()? == "toml" && kind != "nets").then_some(())?;
        Some((kind, path.file_stem()?.to_str()?, file))
    })
}

/// What the files of a preset say, with `overrides` on top. What is wrong is returned beside it: whatever else can be
/// checked is checked too, so that all problems come at once.
pub(crate) fn resolve(files: &Files<'_>, overrides: &[String]) -> (Resolved, Vec<ConfigProblem>) {
    let mut problems = Vec::new();
    let mut resolved = Resolved::new(&NP);
    resolved.extends =
        files.walk(&mut problems, &mut |file, problems| read_into(file, &mut resolved, problems));
    for (number, text) in overrides.iter().enumerate() {
        let key = text.split('=').next().unwrap_or("").trim();
        let earlier =
            overrides[..number].iter().position(|o| o.split('=').next().unwrap_or("").trim() == key);
        if let Some(earlier) = earlier {
            let message = format!("given twice (also as number {}); give it once", earlier + 1);
            problems.push(problem(format!("--set (number {})", number + 1), key, message));
        }
        apply_override(text, number, &mut resolved, &mut problems);
    }
    (resolved, problems)
}

fn read_into(file: &PresetFile<'_>, resolved: &mut Resolved, problems: &mut Vec<ConfigProblem>) {
    let table = &file.table;
    resolved.title = text_of(table, "title");
    if resolved.title.is_empty() {
        problems.push(problem(file.place.clone(), "title", "missing: a preset says what it is".into()));
    }
    let mut reader = Reader { file, resolved, problems };
    for (key, value) in table.iter() {
        match key.get_ref().as_ref() {
            "title" | "extends" => {}
            name => reader.read(name, key.span().start, value),
        }
    }
}

/// The place and text of a preset, as the reader of chips wants them.
pub(crate) fn find(preset: &str) -> Result<(String, String), String> {
    load(preset).map(|(place, text)| (place, text.into_owned()))
}

/// Place and text of a preset: a shipped name, or a path to a file.
pub(crate) fn load(preset: &str) -> Result<(String, Cow<'static, str>), String> {
    let name = preset.rsplit('/').next().unwrap_or(preset);
    let is_path = preset.ends_with(".toml") || preset.starts_with('.') || preset.starts_with('/');
    if is_path && !preset.ends_with(".toml") {
        return Err(format!(
            "cannot read the preset file `{preset}`: the name of a preset's file ends in .toml"
        ));
    }
    if is_path {
        return match bounded::read_text(preset, bounded::MOST_PRESET_BYTES) {
            Ok(text) => Ok((preset.to_owned(), text.into())),
            Err(e) => Err(format!("cannot read the preset file `{preset}`: {e}")),
        };
    }
    let asked = |kind: &str| preset == name || preset.strip_suffix(name) == Some(&format!("{kind}/"));
    let found = shipped().find(|(kind, n, _)| *n == name && asked(kind));
    match found.and_then(|(kind, name, file)| Some((kind, name, file.contents_utf8()?))) {
        Some((kind, name, text)) => Ok((format!("{kind}/{name}.toml"), text.into())),
        None => {
            let near = nearest(name, shipped().map(|(_, n, _)| n));
            Err(format!(
                "no preset is called `{preset}`{near} (`linecard presets` lists them; a file needs its `.toml`)"
            ))
        }
    }
}

struct Reader<'a> {
    file: &'a PresetFile<'a>,
    resolved: &'a mut Resolved,
    problems: &'a mut Vec<ConfigProblem>,
}

impl Reader<'_> {
    fn fail(&mut self, offset: usize, key: &str, message: String) {
        let place = self.file.place_of(offset);
        self.problems.push(problem(place, key, message));
    }

    /// Read the value of a dotted key: a setting, the constraint table, or a table of either.
    fn read(&mut self, key: &str, offset: usize, value: &Spanned<DeValue<'_>>) {
        match value.get_ref() {
            DeValue::Table(table) if table.contains_key("value") => self.setting(key, offset, table),
            DeValue::Table(table) => {
                for (name, inner) in table.iter() {
                    self.read(&format!("{key}.{}", name.get_ref()), name.span().start, inner);
                }
            }
            DeValue::Array(_) if key == "dram.constraint" => self.constraints(key, offset, value),
            _ => self.fail(
                offset,
                key,
                "expected a table with value, unit and source, such as { value = 4, unit = \"banks\", source = \"…\" }"
                    .into(),
            ),
        }
    }

    fn setting(&mut self, key: &str, offset: usize, table: &DeTable<'_>) {
        for (name, _) in table.iter() {
            if !["value", "unit", "source"].contains(&name.get_ref().as_ref()) {
                self.fail(offset, key, format!("`{}` is not one of value, unit, source", name.get_ref()));
            }
        }
        let (app, key) = match key.strip_prefix("for.").and_then(|rest| rest.split_once('.')) {
            Some((app, rest)) if self.resolved.schema.apps.contains(&app) => {
                (Some(app.to_owned()), rest.to_owned())
            }
            Some((app, _)) => {
                let near = nearest(app, self.resolved.schema.apps.iter().copied());
                let message = format!("no application is called `{app}`{near}");
                return self.fail(offset, key, message);
            }
            None => (None, key.to_owned()),
        };
        let schema = self.resolved.schema;
        let Some(parameter) = schema.parameter(&key) else {
            let near = nearest(&key, schema.parameters.iter().map(|p| p.key));
            return self.fail(offset, &key, format!("no such parameter{near}"));
        };
        let unit = text_of(table, "unit");
        if unit != parameter.unit {
            self.fail(offset, &key, format!("unit is `{unit}`, expected `{}`", parameter.unit));
        }
        let source = text_of(table, "source");
        if source.trim().is_empty() {
            self.fail(
                offset,
                &key,
                "no source: say where the value comes from (section, datasheet, calibration)".into(),
            );
        }
        let value = table.get("value").and_then(|v| value_of(v.get_ref()));
        match value.ok_or_else(String::new).and_then(|v| check(parameter, v)) {
            Ok(value) => {
                let setting = Setting { value, source, place: self.file.place_of(offset) };
                match app {
                    Some(app) => self.resolved.for_app.insert((app, key), setting),
                    None => self.resolved.settings.insert(key, setting),
                };
            }
            Err(found) => self.fail(offset, &key, format!("{found}expected {}", parameter.kind.expected())),
        }
    }

    fn constraints(&mut self, key: &str, offset: usize, value: &Spanned<DeValue<'_>>) {
        // Parsed again from its own text: the rows are plain structures.
        #[derive(serde::Deserialize)]
        struct Whole {
            dram: Rows,
        }
        #[derive(serde::Deserialize)]
        struct Rows {
            constraint: Vec<ConstraintRow>,
        }
        let _ = value;
        match toml::from_str::<Whole>(self.file.text) {
            Ok(whole) => {
                self.resolved.constraints = whole.dram.constraint;
                self.resolved.constraints_place = self.file.place_of(offset);
            }
            Err(e) => {
                let at = e.span().map_or(offset, |s| s.start);
                self.fail(at, key, e.message().to_owned());
            }
        }
    }
}

fn apply_override(text: &str, number: usize, resolved: &mut Resolved, problems: &mut Vec<ConfigProblem>) {
    let place = || format!("--set (number {})", number + 1);
    let Some((key, value)) = text.split_once('=') else {
        problems.push(problem(place(), "", format!("`{text}`: expected key=value, such as dram.banks=4")));
        return;
    };
    let (key, value) = (key.trim(), value.trim());
    let Some(parameter) = resolved.schema.parameter(key) else {
        let near = nearest(key, resolved.schema.parameters.iter().map(|p| p.key));
        problems.push(problem(place(), key, format!("no such parameter{near}")));
        return;
    };
    match check(parameter, parse_value(value)) {
        Ok(value) => {
            let setting = Setting { value, source: "given with --set".into(), place: place() };
            // It stands above what a preset says for one application, too.
            resolved.for_app.retain(|(_, k), _| k != key);
            resolved.settings.insert(key.to_owned(), setting);
        }
        Err(found) => {
            problems.push(problem(place(), key, format!("{found}expected {}", parameter.kind.expected())))
        }
    }
}

/// The value of a `--set`: as in TOML, but that a name may stand without quotes.
pub(crate) fn parse_value(text: &str) -> Value {
    let plain = || Value::Text(text.to_owned());
    match toml::from_str::<toml::Table>(&format!("v = {text}")) {
        Ok(table) => match &table["v"] {
            toml::Value::Boolean(b) => Value::Switch(*b),
            toml::Value::Integer(i) => Value::Integer(*i),
            toml::Value::Float(f) => Value::Number(*f),
            toml::Value::String(s) => Value::Text(s.clone()),
            _ => plain(),
        },
        Err(_) => plain(),
    }
}

/// The value if the parameter takes it; otherwise what was found and, for names, the nearest one.
fn check(parameter: &Parameter, value: Value) -> Result<Value, String> {
    let fits = match (&parameter.kind, &value) {
        (Kind::Integer { min, max }, Value::Integer(i)) => {
            u64::try_from(*i).is_ok_and(|i| (*min..=*max).contains(&i))
        }
        (Kind::Number { min, max }, Value::Integer(i)) => (*min..=*max).contains(&(*i as f64)),
        (Kind::Number { min, max }, Value::Number(n)) => (*min..=*max).contains(n),
        (Kind::Switch, Value::Switch(_)) | (Kind::Text, Value::Text(_)) => true,
        (Kind::Choice(names), Value::Text(t)) => names.contains(&t.as_str()),
        _ => false,
    };
    match (fits, &parameter.kind, &value) {
        (true, ..) => Ok(value),
        (false, Kind::Choice(names), Value::Text(t)) => {
            let near = nearest(t, names.iter().copied());
            Err(format!("found `{t}`{near}{} ", if near.is_empty() { ";" } else { "" }))
        }
        _ => Err(format!("found `{value}`; ")),
    }
}

pub(crate) fn value_of(value: &DeValue<'_>) -> Option<Value> {
    Some(match value {
        DeValue::Boolean(b) => Value::Switch(*b),
        DeValue::Integer(i) => {
            Value::Integer(i64::from_str_radix(&i.as_str().replace('_', ""), i.radix()).ok()?)
        }
        DeValue::Float(f) => Value::Number(f.as_str().replace('_', "").parse().ok()?),
        DeValue::String(s) => Value::Text(s.to_string()),
        _ => return None,
    })
}

pub(crate) fn text_of(table: &DeTable<'_>, key: &str) -> String {
    match table.get(key).map(Spanned::get_ref) {
        Some(DeValue::String(s)) => s.to_string(),
        _ => String::new(),
    }
}

pub(crate) fn list_of(table: &DeTable<'_>, key: &str) -> Vec<String> {
    match table.get(key).map(Spanned::get_ref) {
        Some(DeValue::String(s)) => vec![s.to_string()],
        Some(DeValue::Array(items)) => items
            .iter()
            .filter_map(|i| match i.get_ref() {
                DeValue::String(s) => Some(s.to_string()),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset.min(text.len())].iter().filter(|&&byte| byte == b'\n').count() + 1
}

pub(crate) fn problem(place: String, key: &str, message: String) -> ConfigProblem {
    ConfigProblem { place, key: key.to_owned(), message }
}
