//! Shipped files, changed: a value at a limit, a key gone, a row twice.

use linecard_sim::Stream;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// A shipped file that a target reads.
pub struct Shipped {
    pub target: &'static str,
    table: Table,
}

/// Folders of presets by the target that reads their files.
const FOLDERS: [(&str, &str); 6] = [
    ("programs", "steps"),
    ("dram", "dram_part"),
    ("policies", "dram_policy"),
    ("nets", "net"),
    ("traffic", "described_link"),
    ("platforms", "machine"),
];

/// All of them.
pub fn shipped() -> Vec<Shipped> {
    let presets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../presets");
    let mut all = Vec::new();
    for (folder, target) in FOLDERS {
        let listed = std::fs::read_dir(presets.join(folder)).expect("a folder of presets");
        let mut files: Vec<PathBuf> = listed.map(|entry| entry.expect("an entry").path()).collect();
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a preset");
            let table: Table = text.parse().expect("a shipped preset is TOML");
            let is_chip = table.get("kind").and_then(Value::as_str) == Some("chip");
            all.push(Shipped { target: if is_chip { "chip" } else { target }, table });
        }
    }
    all
}

impl Shipped {
    /// The file after one to four changes.
    pub fn changed(&self, random: &mut Stream) -> Vec<u8> {
        let mut value = Value::Table(self.table.clone());
        for _ in 0..1 + random.below(4) {
            let leaves = count(&value);
            let mut at = random.below(leaves.max(1) as u32) as usize;
            change(&mut value, &mut at, random);
        }
        toml::to_string(&value).unwrap_or_default().into_bytes()
    }
}

/// Values that are no tables and no lists.
fn count(value: &Value) -> usize {
    match value {
        Value::Table(table) => table.values().map(count).sum(),
        Value::Array(items) => items.iter().map(count).sum(),
        _ => 1,
    }
}

/// Changes the leaf with this number, or sometimes what holds it; whether that was done.
fn change(value: &mut Value, at: &mut usize, random: &mut Stream) -> bool {
    match value {
        Value::Table(table) => {
            let keys: Vec<String> = table.keys().cloned().collect();
            for key in keys {
                let leaves = count(&table[&key]);
                if *at < leaves {
                    if random.below(12) == 0 {
                        table.remove(&key);
                        return true;
                    }
                    return change(&mut table[&key], at, random);
                }
                *at -= leaves;
            }
            false
        }
        Value::Array(items) => {
            for place in 0..items.len() {
                let leaves = count(&items[place]);
                if *at < leaves {
                    match random.below(12) {
                        0 => drop(items.remove(place)),
                        1 => items.push(items[place].clone()),
                        _ => return change(&mut items[place], at, random),
                    }
                    return true;
                }
                *at -= leaves;
            }
            false
        }
        leaf => {
            *leaf = other(leaf, random);
            true
        }
    }
}

fn other(leaf: &Value, random: &mut Stream) -> Value {
    let anything = super::limits::anything(random);
    let drawn = format!("v = {anything}").parse::<Table>().ok().and_then(|mut table| table.remove("v"));
    let drawn = drawn.unwrap_or_else(|| Value::String(anything.to_owned()));
    match (leaf, random.below(4)) {
        (Value::Integer(n), 1..) => Value::Integer(match random.below(6) {
            0 => 0,
            1 => n.saturating_add(1),
            2 => n.saturating_sub(1),
            3 => n.saturating_mul(1000),
            4 => n / 2,
            _ => i64::from(random.below(1 << 16)),
        }),
        (Value::Float(n), 1..) => Value::Float(n * [0.0, 0.5, 2.0, 1e3, 1e9, 1e-9][random.below(6) as usize]),
        (Value::Boolean(on), 1..) => Value::Boolean(!on),
        (Value::String(text), 1..) => {
            // A number with a unit keeps the unit.
            match text.split_once(' ').and_then(|(number, unit)| Some((number.parse::<f64>().ok()?, unit))) {
                Some((number, unit)) => {
                    let factor = [0.0, 0.5, 2.0, 1e3, 1e9, 1e-9][random.below(6) as usize];
                    Value::String(format!("{} {unit}", number * factor))
                }
                None => Value::String(text.clone()),
            }
        }
        _ => drawn,
    }
}
