//! Files in memory, and functions that read them.

use linecard_config::{Document, Problem, Request, Under};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Tables whose components an override may name without the table.
pub const KINDS: [&str; 3] = ["cluster", "memory", "port"];

/// Files by name, and the names that were requested.
#[derive(Default)]
pub struct Files {
    texts: BTreeMap<String, String>,
    pub asked: RefCell<Vec<String>>,
}

impl Files {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let texts = files.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
        Self { texts, asked: RefCell::default() }
    }

    pub fn read(&self, name: &str, overrides: &[&str]) -> Document {
        self.read_under(name, None, overrides)
    }

    pub fn read_under(&self, name: &str, under: Option<Under<'_>>, overrides: &[&str]) -> Document {
        let find = |name: &str| {
            self.asked.borrow_mut().push(name.to_owned());
            let text = self.texts.get(name).ok_or_else(|| format!("no file is called `{name}`"))?;
            Ok((format!("{name}.toml"), text.clone()))
        };
        let overrides: Vec<String> = overrides.iter().map(|o| o.to_string()).collect();
        let named_rows = &["constraint"];
        let request = Request::of(name, &find);
        Request { under, overrides: &overrides, components: &KINDS, named_rows, ..request }.read()
    }
}

/// Reads a file `f` with title and source in its first two lines: the text begins in line 3.
pub fn document(text: &str, overrides: &[&str]) -> Document {
    let text = format!("title = 'F'\nsource = 'S'\n{text}");
    Files::new(&[("f", &text)]).read("f", overrides)
}

/// Returns `place: key: message` of every problem.
pub fn said(document: Document) -> Vec<String> {
    document.finish().err().unwrap_or_default().iter().map(Problem::to_string).collect()
}

/// Returns the same as lines of one text.
pub fn told(document: Document) -> String {
    said(document).join("\n")
}
