//! The kind of a preset: a chip, a program, or something that cannot run.

use linecard_config::beside;
use linecard_files::preset::{header, in_folder, load};
use linecard_files::{ConfigProblem, Error};

/// Returns the name for the search of files: a chip takes precedence over a core with the same name.
pub(super) fn preset_name(preset: &str) -> String {
    let platform = in_folder("platforms", preset);
    if load(&platform).is_ok() { platform } else { preset.to_owned() }
}

/// Returns the kind that a file states, or else the kind of the files that it extends; empty if none states a kind.
/// Only the keys before the first table are read.
pub(super) fn kind_of(preset: &str) -> String {
    kind_within(preset, MOST_EXTENDED)
}

fn kind_within(preset: &str, depth: u32) -> String {
    let Ok((place, text)) = load(preset) else { return String::new() };
    let Some((kind, bases)) = header(&text) else { return String::new() };
    if !kind.is_empty() || depth == 0 {
        return kind;
    }
    let of_base = |base: &String| {
        let beside = beside(&place, base).filter(|path| load(path).is_ok());
        kind_within(beside.as_ref().unwrap_or(base), depth - 1)
    };
    let kind = bases.iter().map(of_base).find(|kind| !kind.is_empty()).unwrap_or_default();
    // If its base is missing, the tables of a file still show its kind.
    let tables = ["\n[cluster.", "\n[memory.", "\n[port.", "\n[[program.step]]"];
    if kind.is_empty() && tables.iter().any(|table| text.contains(table)) { "chip".to_owned() } else { kind }
}

/// The deepest chain of files that extend each other.
const MOST_EXTENDED: u32 = 16;

/// Returns whether a preset is a chip.
pub fn is_chip(preset: &str) -> bool {
    kind_of(&preset_name(preset)) == "chip"
}

/// Returns whether a preset is a program.
pub fn is_program(preset: &str) -> bool {
    kind_of(&in_folder("programs", preset)) == "program"
}

/// Returns an error if a preset is a part of another kind, which cannot run.
pub(super) fn not_another_kind(preset: &str, name: &str) -> Result<(), Error> {
    let Ok((place, _)) = load(name) else { return Ok(()) };
    let message = match place.split('/').next().unwrap_or("") {
        "policies" => {
            format!("a policy of a memory controller: `linecard dram run --policy {preset}` runs it")
        }
        "dram" => format!("a DRAM part: `linecard dram run {preset}` runs it"),
        "standards" => {
            "a standard that DRAM parts extend; `linecard presets` lists the presets that can be run"
                .to_owned()
        }
        "programs" => format!("a program: `linecard run CHIP --program {preset}` runs it on a chip"),
        "cores" => "a core; `linecard core` and `linecard program` use it".to_owned(),
        "queueing" => {
            format!("settings of queue managers: `linecard queueing run --machine {preset}` uses them")
        }
        "traffic" => "a kind of traffic; `linecard program --traffic` uses it".to_owned(),
        _ => return Ok(()),
    };
    let message = format!("`{preset}` is not a chip but {message}");
    Err(Error::Config {
        problems: vec![ConfigProblem { place: "chip".to_owned(), key: String::new(), message }],
    })
}
