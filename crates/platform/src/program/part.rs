//! Values of a preset that is no machine: a table of tables, each value with its unit and source.

use crate::error::{ConfigProblem, Error};
use crate::preset::{load, problem};
use toml::{Table, Value};

/// A part read from a preset.
pub(crate) struct Part {
    file: String,
    table: Table,
}

impl Part {
    /// Reads a shipped preset, or a file.
    pub fn read(name: &str) -> Result<Self, Error> {
        let one =
            |place: String, message: String| Error::Config { problems: vec![problem(place, "", message)] };
        let (file, text) = load(name).map_err(|message| one("preset".to_owned(), message))?;
        match text.parse::<Table>() {
            Ok(table) => Ok(Self { file, table }),
            Err(error) => Err(one(file, format!("not TOML: {}", error.message()))),
        }
    }

    /// What it is.
    pub fn title(&self) -> String {
        self.table.get("title").and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// Key, value, unit and source of everything in it, in the order of the file's tables and keys.
    pub fn rows(&self) -> Vec<[String; 4]> {
        let mut rows = Vec::new();
        for (table, values) in self.table.iter().filter_map(|(name, value)| Some((name, value.as_table()?))) {
            for (key, entry) in values {
                let text =
                    |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
                let value = entry.get("value").unwrap_or(entry);
                let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                rows.push([format!("{table}.{key}"), shown, text("unit"), text("source")]);
            }
        }
        rows
    }

    fn find(&self, key: &str) -> Option<&Value> {
        let (table, name) = key.split_once('.')?;
        self.table.get(table)?.get(name)
    }

    /// A number, from `low` to `high`.
    pub fn number(&self, key: &str, low: f64, high: f64) -> Result<f64, Error> {
        let entry = self.find(key);
        let value = entry.and_then(|entry| entry.get("value"));
        let number =
            value.and_then(|value| value.as_float().or_else(|| value.as_integer().map(|n| n as f64)));
        let sourced = entry.and_then(|entry| entry.get("source")).and_then(Value::as_str).is_some();
        match number {
            Some(number) if (low..=high).contains(&number) && sourced => Ok(number),
            Some(_) if !sourced => {
                Err(self.unfit(key, "a value without `source`".to_owned(), "where it comes from"))
            }
            Some(number) => Err(self.unfit(key, format!("found {number}"), &format!("{low} to {high}"))),
            None => Err(self.unfit(
                key,
                "found no number".to_owned(),
                "{ value = NUMBER, unit = \"…\", source = \"…\" }",
            )),
        }
    }

    /// A list of numbers.
    pub fn numbers(&self, key: &str) -> Result<Vec<f64>, Error> {
        let list = self.find(key).and_then(|entry| entry.get("value")).and_then(Value::as_array);
        let numbers = list.and_then(|list| {
            list.iter()
                .map(|n| n.as_float().or_else(|| n.as_integer().map(|n| n as f64)))
                .collect::<Option<Vec<f64>>>()
        });
        numbers.filter(|numbers| !numbers.is_empty()).ok_or_else(|| {
            self.unfit(
                key,
                "found no list of numbers".to_owned(),
                "{ value = [NUMBER, …], unit = \"…\", source = \"…\" }",
            )
        })
    }

    fn unfit(&self, key: &str, found: String, expected: &str) -> Error {
        let found: ConfigProblem = problem(self.file.clone(), key, format!("{found}, expected {expected}"));
        Error::Config { problems: vec![found] }
    }
}
