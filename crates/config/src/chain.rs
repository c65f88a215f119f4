//! A file with all files that it extends, each parsed once.

use crate::order::{bases_first, say_ring};
use crate::parse::{File, Origin, Parser};
use crate::place::{Place, Places};
use crate::problem::{Log, Where};
use crate::rows::replace_by_name;
use crate::tree::{Content, Node, Table};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Finds files: returns the name for messages and the text of a name, or a sentence on why it cannot.
pub type Finder<'a> = &'a dyn Fn(&str) -> Result<(String, String), String>;

/// The rules for reading files.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'a> {
    pub finder: Finder<'a>,
    /// Lists in which rows are replaced by name.
    pub named_rows: &'a [&'a str],
    /// Whether a file may have no title.
    pub untitled: bool,
    /// Whether every key belongs to the reader.
    pub plain: bool,
}

/// The files of a document as one.
pub(crate) struct Chain {
    pub title: String,
    pub kind: String,
    pub extends: Vec<String>,
    /// All files but the first, by the names in which they are requested, in the order of the merge.
    pub bases: Vec<String>,
    pub root: Node,
    /// Whether a file is missing or is no TOML, so that absent keys cannot be judged.
    pub broken: bool,
}

/// Reads a file and its bases. A base of several files is merged once, before the first of them, so that it
/// overrides none of their changes.
pub(crate) fn read_chain(name: &str, rules: Rules<'_>, places: &mut Places, log: &Log) -> Chain {
    let first_file = places.count();
    let root = |table| {
        let place = Place::File { file: first_file, offset: 0 };
        Node::new(place, "".into(), Content::Table(table))
    };
    let mut loader = Loader {
        rules,
        places,
        log,
        first_file,
        files: Vec::new(),
        known: BTreeMap::new(),
        asked: BTreeMap::new(),
        broken: false,
    };
    let nothing = || Chain {
        title: String::new(),
        kind: String::new(),
        extends: Vec::new(),
        bases: Vec::new(),
        root: root(Table::default()),
        broken: true,
    };
    let Some(first) = loader.load(name, None, "") else {
        return nothing();
    };
    let (order, rings) = bases_first(first, |file| {
        let bases = loader.files[file].as_ref().map_or_else(Vec::new, |f| f.extends.clone());
        bases
            .into_iter()
            .filter_map(|(base, place)| Some((loader.load_base(&base, place, file)?, place)))
            .collect()
    });
    for (place, ring) in rings {
        let name = |file: &usize| loader.known.iter().find(|(_, known)| **known == Some(*file));
        let names: Vec<&str> = ring.iter().filter_map(name).map(|(name, _)| name.as_str()).collect();
        log.add(place, "extends", say_ring(&names));
    }
    let mut result = nothing();
    result.broken = loader.broken;
    let (mut files, mut asked) = (loader.files, loader.asked);
    for number in order {
        let Some(mut file) = files[number].take() else { continue };
        result.bases.extend(asked.remove(&number));
        // The last is the file itself.
        (result.title, result.extends) =
            (file.title, file.extends.into_iter().map(|(base, _)| base).collect());
        if !file.kind.is_empty() {
            result.kind = file.kind;
        }
        if let Content::Table(base) = &mut result.root.content {
            replace_by_name(base, &mut file.table, rules.named_rows);
        }
        result.root.lay_over(root(file.table));
    }
    result
}

/// Returns the path of `base` relative to the folder of `file`, unless the path has another start.
pub fn beside(file: &str, base: &str) -> Option<String> {
    let folder = std::path::Path::new(file).parent().filter(|folder| !folder.as_os_str().is_empty())?;
    let relative = base.ends_with(".toml") && !base.starts_with('/');
    relative.then(|| folder.join(base).to_string_lossy().into_owned())
}

struct Loader<'a> {
    rules: Rules<'a>,
    places: &'a mut Places,
    log: &'a Log,
    /// Number of the first file of this chain among all files.
    first_file: usize,
    /// By number in this chain; `None` for files that are no TOML.
    files: Vec<Option<File>>,
    /// Number of the file by each requested name, and by its name for messages.
    known: BTreeMap<String, Option<usize>>,
    /// The name in which each base was first requested, by its number.
    asked: BTreeMap<usize, String>,
    broken: bool,
}

impl Loader<'_> {
    /// Loads the bases of a file. A path is relative to the folder of that file, or else to the reader's
    /// folder.
    fn load_base(&mut self, base: &str, place: Place, file: usize) -> Option<usize> {
        let number = match beside(self.places.name(self.first_file + file), base) {
            Some(beside) if (self.rules.finder)(&beside).is_ok() => self.load(&beside, Some(place), ""),
            Some(beside) => self.load(base, Some(place), &format!(", and there is no `{beside}`")),
            None => self.load(base, Some(place), ""),
        }?;
        self.asked.entry(number).or_insert_with(|| base.to_owned());
        Some(number)
    }

    /// Loads a file; `nor` describes the other searched location of one that is not found.
    fn load(&mut self, name: &str, asked_at: Option<Place>, nor: &str) -> Option<usize> {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let number = match (self.rules.finder)(name) {
            Ok((shown, text)) => Some(self.parse(&shown, &text)),
            Err(message) => {
                self.broken = true;
                match asked_at {
                    Some(place) => self.log.add(place, "extends", format!("{message}{nor}")),
                    None => {
                        self.places.add(name, "");
                        self.log.add(Where::Words(name.to_owned()), "", message);
                    }
                }
                None
            }
        };
        self.known.insert(name.to_owned(), number);
        number
    }

    fn parse(&mut self, shown: &str, text: &str) -> usize {
        // Two names may lead to one file.
        if let Some(Some(number)) = self.known.get(shown) {
            return *number;
        }
        let origin = Origin::File(self.places.add(shown, text));
        let Rules { untitled, plain, .. } = self.rules;
        let file =
            Parser { origin, log: self.log, untitled, plain, unsourced: RefCell::default() }.file(text);
        self.broken |= file.is_none();
        let number = self.files.len();
        self.files.push(file);
        self.known.insert(shown.to_owned(), Some(number));
        number
    }
}
