//! The files of a preset: its own and all that it extends, each read once, and what it is for.

use crate::error::ConfigProblem;
use crate::preset::{line_of, list_of, load, problem};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use toml::de::{DeTable, DeValue};

/// What a preset is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PresetKind {
    /// A DRAM part of its own, or a standard.
    Memory,
    /// A memory controller's policy.
    Policy,
}

/// Keeps the texts of files that are not shipped, for as long as what was parsed from them is in use.
#[derive(Default)]
pub(crate) struct KeptTexts {
    text: OnceCell<String>,
    next: OnceCell<Box<KeptTexts>>,
}

impl KeptTexts {
    fn keep(&self, text: String) -> &str {
        let mut place = self;
        while place.text.get().is_some() {
            place = place.next.get_or_init(Box::default);
        }
        place.text.get_or_init(|| text)
    }
}

/// One file.
pub(crate) struct PresetFile<'t> {
    /// Where it is, for people.
    pub place: String,
    pub text: &'t str,
    pub table: DeTable<'t>,
    pub extends: Vec<String>,
    /// Where its lines end.
    line_ends: Vec<usize>,
}

impl PresetFile<'_> {
    /// The place of what stands at `offset`: file and line.
    pub fn place_of(&self, offset: usize) -> String {
        format!("{}:{}", self.place, self.line_ends.partition_point(|&end| end < offset) + 1)
    }
}

/// Why a file could not be read.
enum Unread {
    /// There is none, which whoever asked for it has to say.
    Missing(String),
    /// It is no TOML.
    Broken(ConfigProblem),
}

/// A preset's files by the names that they are asked for by.
pub(crate) struct Files<'t> {
    preset: String,
    files: BTreeMap<String, Result<PresetFile<'t>, Unread>>,
    kind: Option<PresetKind>,
}

impl<'t> Files<'t> {
    /// Read a preset and all that it extends. What cannot be read is told by [`Files::walk`].
    pub fn read(preset: &str, texts: &'t KeptTexts) -> Self {
        let mut files = BTreeMap::new();
        let mut wanted = vec![preset.to_owned()];
        while let Some(name) = wanted.pop() {
            if let Entry::Vacant(place) = files.entry(name) {
                let file = read_file(place.key(), texts);
                wanted.extend(file.iter().flat_map(|f| f.extends.iter().cloned()));
                place.insert(file);
            }
        }
        let mut kinds = BTreeMap::new();
        let kind = kind_within(preset, &files, &mut kinds);
        Self { preset: preset.to_owned(), files, kind }
    }

    /// The name that was asked for.
    pub fn preset(&self) -> &str {
        &self.preset
    }

    /// What the preset is for, by what its files hold; nothing if it cannot be read.
    pub fn kind(&self) -> Option<PresetKind> {
        self.kind
    }

    /// Show every file to `visit`, those that a file extends before the file, so that the last word counts. A file that
    /// several others extend is shown once for each. Files that cannot be read become problems of whoever asked for
    /// them. Answers the names of all that is extended, in the same order.
    pub fn walk(&self, problems: &mut Vec<ConfigProblem>, visit: &mut Visit<'_, 't>) -> Vec<String> {
        let mut walk = Walk { open: Vec::new(), visits: 0, extends: Vec::new(), problems, visit };
        self.walk_from(&self.preset, "preset", &mut walk);
        walk.extends
    }

    fn walk_from<'a>(&'a self, name: &'a str, asked_by: &str, walk: &mut Walk<'a, '_, 't>) {
        walk.visits += 1;
        if walk.visits == MOST_VISITS {
            let message = format!(
                "extends files more than {MOST_VISITS} times in all, each time anew; extend each once"
            );
            walk.problems.push(problem(self.preset.clone(), "extends", message));
        }
        if walk.visits >= MOST_VISITS {
            return;
        }
        if walk.open.contains(&name) {
            let message = format!("`{name}` extends itself ({} -> {name})", walk.open.join(" -> "));
            return walk.problems.push(problem(asked_by.to_owned(), "extends", message));
        }
        match &self.files[name] {
            Err(Unread::Missing(message)) => {
                walk.problems.push(problem(asked_by.to_owned(), "", message.clone()));
            }
            Err(Unread::Broken(broken)) => walk.problems.push(broken.clone()),
            Ok(file) => {
                walk.open.push(name);
                for base in &file.extends {
                    self.walk_from(base, &file.place, walk);
                    walk.extends.push(base.clone());
                }
                walk.open.pop();
                (walk.visit)(file, walk.problems);
            }
        }
    }
}

/// Called for a file, with the problems found so far.
type Visit<'v, 't> = dyn FnMut(&PresetFile<'t>, &mut Vec<ConfigProblem>) + 'v;

/// Files that one preset goes through, those that several extend counted each time.
const MOST_VISITS: u32 = 1000;

/// Under way through a preset's files.
struct Walk<'a, 'v, 't> {
    open: Vec<&'a str>,
    /// Files gone through so far: two bases that both extend two, and so on, double them at every step.
    visits: u32,
    extends: Vec<String>,
    problems: &'v mut Vec<ConfigProblem>,
    visit: &'v mut Visit<'v, 't>,
}

fn read_file<'t>(name: &str, texts: &'t KeptTexts) -> Result<PresetFile<'t>, Unread> {
    let (place, text) = load(name).map_err(Unread::Missing)?;
    let text = match text {
        Cow::Borrowed(shipped) => shipped,
        Cow::Owned(text) => texts.keep(text),
    };
    match DeTable::parse(text) {
        Ok(table) => {
            let table = table.into_inner();
            let line_ends = text.match_indices('\n').map(|(end, _)| end).collect();
            if let Some(extends) = table.get("extends").filter(|extends| !are_names(extends.get_ref())) {
                let line = line_of(text, extends.span().start);
                let message = "expected a name or a list of names in quotes, such as [\"platforms/ixp1200\"]";
                return Err(Unread::Broken(problem(
                    format!("{place}:{line}"),
                    "extends",
                    message.to_owned(),
                )));
            }
            Ok(PresetFile { place, text, extends: list_of(&table, "extends"), table, line_ends })
        }
        Err(e) => {
            let line = e.span().map_or(1, |s| line_of(text, s.start));
            let message = format!("not TOML: {}", e.message());
            Err(Unread::Broken(problem(format!("{place}:{line}"), "", message)))
        }
    }
}

fn are_names(value: &DeValue<'_>) -> bool {
    match value {
        DeValue::String(_) => true,
        DeValue::Array(items) => items.iter().all(|item| matches!(item.get_ref(), DeValue::String(_))),
        _ => false,
    }
}

/// What a file is for; nothing if it cannot be read, or extends itself. `kinds` holds what is known.
fn kind_within<'a>(
    name: &'a str,
    files: &'a BTreeMap<String, Result<PresetFile<'_>, Unread>>,
    kinds: &mut BTreeMap<&'a str, Option<PresetKind>>,
) -> Option<PresetKind> {
    if let Some(&known) = kinds.get(name) {
        return known;
    }
    kinds.insert(name, None);
    let file = files[name].as_ref().ok()?;
    let has = |key: &str| file.table.contains_key(key);
    let bases: Vec<_> = file.extends.iter().map(|base| kind_within(base, files, kinds)).collect();
    let kind = if has("policy") {
        Some(PresetKind::Policy)
    } else if ["organization", "timing", "constraint", "refresh"].into_iter().any(has) {
        Some(PresetKind::Memory)
    } else if bases.is_empty() {
        None
    } else {
        // Only changes: as what it extends.
        bases.into_iter().flatten().next()
    };
    kinds.insert(name, kind);
    kind
}
