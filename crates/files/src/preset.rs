//! Presets: TOML files by name, shipped or written by the user.

use crate::bounded;
use crate::error::Error;
use include_dir::{Dir, File, include_dir};
use linecard_config::{Document, Row, nearest};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::io::ErrorKind;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

static SHIPPED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../presets");

/// A shipped preset.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct PresetInfo {
    /// Name of the preset, for `run` and `describe`.
    pub name: String,
    /// Folder of the preset: `platforms` contains chips that can be simulated; other folders contain, for example,
    /// DRAM parts and programs.
    pub kind: String,
    /// Title, one line.
    pub title: String,
    /// The presets that this preset extends.
    pub extends: Vec<String>,
}

/// Returns the shipped presets, sorted by folder and name.
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

/// Returns the text of a shipped net.
pub fn shipped_net(name: &str) -> Option<&'static str> {
    SHIPPED.get_file(format!("nets/{name}.toml"))?.contents_utf8()
}

/// Returns the names of the shipped nets.
pub fn shipped_nets() -> impl Iterator<Item = &'static str> {
    let files = SHIPPED.get_dir("nets").into_iter().flat_map(Dir::files);
    files.filter_map(|file| file.path().file_stem()?.to_str())
}

/// Returns the folders of shipped presets, which are their kinds; nets are not presets.
fn folders() -> impl Iterator<Item = (&'static str, &'static Dir<'static>)> {
    SHIPPED.dirs().filter_map(|dir| Some((dir.path().to_str()?, dir))).filter(|(kind, _)| *kind != "nets")
}

/// Returns the folder, the name and the file of every shipped preset.
fn shipped() -> impl Iterator<Item = (&'static str, &'static str, &'static File<'static>)> {
    folders().flat_map(|(kind, dir)| dir.files().map(move |file| (kind, file))).filter_map(|(kind, file)| {
        let (_, name) = file.path().to_str()?.rsplit_once('/')?;
        Some((kind, name.strip_suffix(".toml")?, file))
    })
}

/// Returns the names of the shipped presets of a kind, which is their folder.
pub fn names_of(kind: &str) -> impl Iterator<Item = &'static str> {
    shipped().filter(move |(each, _, _)| *each == kind).map(|(_, name, _)| name)
}

/// Returns the name of a preset with its folder, unless it is a path.
pub fn in_folder(folder: &str, name: &str) -> String {
    let plain = !name.contains('/') && !name.ends_with(".toml") && !name.starts_with('.');
    if plain { format!("{folder}/{name}") } else { name.to_owned() }
}

/// Returns the location and the text of a preset, in the form for the reader of chips.
pub fn find(preset: &str) -> Result<(String, String), String> {
    load(preset).map(|(place, text)| (place, text.into_owned()))
}

/// A preset that has been read.
#[derive(Clone, Debug)]
pub struct ReadPreset<T> {
    /// Its title.
    pub title: String,
    /// All presets that it extends, bases first.
    pub bases: Vec<String>,
    /// The result of reading its values.
    pub value: T,
    /// Values, in the order of reading.
    pub rows: Vec<Row>,
}

/// Reads a document with `values`, which returns `None` only if it reports a problem.
///
/// # Errors
/// All problems at once.
pub fn read<T>(
    document: Document,
    values: impl FnOnce(&Document) -> Option<T>,
) -> Result<ReadPreset<T>, Error> {
    let value = values(&document);
    let (title, bases) = (document.title().to_owned(), document.bases().to_vec());
    let rows = document.finish()?;
    let value = value.ok_or_else(|| Error::Run(format!("`{title}` was not understood")))?;
    Ok(ReadPreset { title, bases, value, rows })
}

/// Returns the location and the text of a preset: a shipped name, or a path to a file.
pub fn load(preset: &str) -> Result<(String, Cow<'static, str>), String> {
    let name = preset.rsplit('/').next().unwrap_or(preset);
    let is_path = preset.ends_with(".toml") || preset.starts_with('.') || preset.starts_with('/');
    if is_path && !preset.ends_with(".toml") {
        return Err(format!(
            "cannot read the preset file `{preset}`: the name of a preset file must end in .toml"
        ));
    }
    if is_path {
        return match bounded::read_text(preset, bounded::MOST_PRESET_BYTES) {
            Ok(text) => Ok((preset.to_owned(), text.into())),
            Err(e) => {
                let relative = e.kind() == ErrorKind::NotFound && !preset.starts_with('/');
                let from = if relative { "; a path is relative to the current folder" } else { "" };
                Err(format!("cannot read the preset file `{preset}`: {e}{from}"))
            }
        };
    }
    let folder = preset.rsplit_once('/').map(|(folder, _)| folder);
    let asked = |kind: &str| folder.is_none_or(|folder| folder == kind);
    // Whole paths are compared, because a run looks presets up several times.
    let found = folders().filter(|(kind, _)| asked(kind)).find_map(|(kind, dir)| {
        let path = [kind, "/", name, ".toml"].concat();
        let file = dir.files().find(|file| file.path().as_os_str() == path.as_str())?;
        Some((path, file))
    });
    match found.and_then(|(path, file)| Some((path, file.contents_utf8()?))) {
        Some((path, text)) => Ok((path, text.into())),
        None => {
            // If the folder exists, only its presets are suggested.
            let beside: Vec<&str> = shipped().filter(|(kind, ..)| asked(kind)).map(|(_, n, _)| n).collect();
            let near = match beside.is_empty() {
                true => nearest(name, shipped().map(|(_, n, _)| n)),
                false => nearest(name, beside),
            };
            Err(format!(
                "no preset is called `{preset}`{near} (`linecard presets` lists all presets; the name of a file \
                 must end in `.toml`)"
            ))
        }
    }
}

/// Returns the kind and the bases of a file, from the keys before its first table; `None` if they are not TOML.
pub fn header(text: &str) -> Option<(String, Vec<String>)> {
    let table = DeTable::parse(text.split("\n[").next()?).ok()?;
    Some((text_of(table.get_ref(), "kind"), list_of(table.get_ref(), "extends")))
}

fn text_of(table: &DeTable<'_>, key: &str) -> String {
    match table.get(key).map(Spanned::get_ref) {
        Some(DeValue::String(s)) => s.to_string(),
        _ => String::new(),
    }
}

fn list_of(table: &DeTable<'_>, key: &str) -> Vec<String> {
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
