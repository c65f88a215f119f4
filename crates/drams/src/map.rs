//! The address map of a part: its fields in order, or the bits of each.

use super::organization::Made;
use linecard_config::{Section, nearest};
use linecard_dram::{Field, FieldMap};

const ORDER: &str = "the fields channel, rank, bankgroup, bank, row and column, in any order";
const BITS: &str = "bit numbers such as `13^17, 14`";

/// The content of `[map]`.
pub(super) struct MapText<'d> {
    section: Section<'d>,
    order: Option<Vec<Field>>,
    bits: [Option<Vec<u64>>; 6],
}

/// Reads it.
pub(super) fn map_text(section: Section<'_>) -> MapText<'_> {
    let order =
        section.understood_if("order", ORDER, "fields of the address, the highest bits first", fields);
    let meaning =
        "address bits of the field, the lowest first; `13^17` is the exclusive or of bits 13 and 17";
    let bits = Field::ALL.map(|field| section.understood_if(field.name(), BITS, meaning, masks));
    MapText { section, order, bits }
}

impl MapText<'_> {
    /// Returns the map of a part with this organization.
    pub fn map(self, made: &Made) -> Option<FieldMap> {
        let section = &self.section;
        let first = Field::ALL.map(Field::name).into_iter().find(|name| section.has(name));
        let by_order = match (section.has("order"), first) {
            (true, Some(first)) if section.is_set("order") == section.is_set(first) => {
                section.fail(
                    "order",
                    "conflicts with the lists of bits of single fields (map.bank, map.row, …); omit either \
                     map.order or these lists",
                );
                return None;
            }
            // Bits that `--set` states replace the order of a file, and vice versa.
            (true, first) => first.is_none_or(|first| !section.is_set(first)),
            (false, _) => false,
        };
        let (widths, access_bytes) = (made.widths, made.access_bytes);
        let (key, built) = match (by_order, first) {
            (true, _) => ("order", FieldMap::in_order(&self.order?, widths, access_bytes)),
            (false, Some(first)) => {
                let bits = self.bits.map(Option::unwrap_or_default);
                (first, FieldMap::of_bits(bits, widths, access_bytes))
            }
            (false, None) => {
                section.missing(
                    "order",
                    &format!("{ORDER}; or map.bank, map.row, … with the bits of each field"),
                );
                return None;
            }
        };
        built.map_err(|message| section.fail(key, message)).ok()
    }
}

/// Parses `row bank column` as fields.
fn fields(text: &str) -> Result<Vec<Field>, String> {
    let names = || Field::ALL.map(Field::name);
    let field = |word: &str| {
        let field = Field::ALL.into_iter().find(|field| field.name() == word);
        field.ok_or_else(|| format!("no field is called `{word}`{}", nearest(word, names())))
    };
    text.split_whitespace().map(field).collect()
}

/// Parses `13^17, 14` as masks of address bits.
fn masks(text: &str) -> Result<Vec<u64>, String> {
    let bit = |word: &str| match word.trim().parse::<u32>() {
        Ok(bit) if bit < 63 => Ok(1u64 << bit),
        _ => Err(format!("found `{}` in `{text}`", word.trim())),
    };
    text.split(',')
        .filter(|item| !item.trim().is_empty())
        .map(|item| item.split('^').map(bit).try_fold(0, |mask, b| b.map(|b| mask ^ b)))
        .collect()
}
