//! Any text from outside results in values or problems.

use crate::common;
use common::Files;
use linecard_config::{Document, Either, Section};
use proptest::prelude::*;

const EITHER: [Either; 2] =
    [Either { unit: "clocks", what: "clocks", step: 0.5 }, Either { unit: "ns", what: "a time", step: 0.0 }];

fn read_all(section: &Section<'_>, depth: u32) {
    for key in section.keys() {
        section.has(&key);
        section.integer(&key, 1..=5, "m");
        section.number_or(&key, 1.0, 0.0..=5.0, "m");
        section.text(&key, "m");
        section.texts(&key, "m");
        section.numbers(&key, 0.0..=1.0, "m");
        section.switch_or(&key, true, "m");
        section.choice(&key, &[("a", 1)], "m");
        section.choices(&key, &[("a", 1)], "m");
        section.in_unit("cycles").integer(&key, 1..=5, "m");
        section.in_unit("requests").numbers(&key, 0.0..=1.0, "m");
        section.number_in_either_if(&key, &EITHER, 0.0..=1.0, "m");
        section.understood_if(&key, "a", "m", |text| Ok(text.len()));
        section.place_of(&key);
        if depth > 0 {
            section.list(&key).iter().for_each(|s| read_all(s, depth - 1));
            section.sections(&key).iter().for_each(|s| read_all(s, depth - 1));
            section.section(&key).iter().for_each(|s| read_all(s, depth - 1));
        }
    }
}

fn all_of(document: Document) {
    read_all(&document.root(), 3);
    assert_eq!((document.root().path(), document.root().name()), ("", ""));
    let _ = document.finish();
}

#[test]
fn deep_and_long_text_is_told() {
    for text in [
        format!("x = {}", "[".repeat(100_000)),
        format!("x = {}1{}", "[".repeat(70), "]".repeat(70)),
        format!("x = {}", "{a=".repeat(100_000)),
        format!("[{}a]", "a.".repeat(100_000)),
        format!("{}a = 1", "a.".repeat(70)),
        format!("x = {}", "9".repeat(100_000)),
        format!("{} = 1", "k".repeat(100_000)),
        "x = '1e99999999999999999999 ns'".into(),
        "\u{feff}title = 'x'".into(),
    ] {
        all_of(common::document(&text, &[&text, &format!("{}a=1", "a.".repeat(100_000))]));
    }
}

#[test]
fn a_component_with_all_that_is_odd_is_told() {
    let odd = [
        "extends=[]",
        "extends=[[]]",
        "extends={a=1}",
        "extends={value='b'}",
        "extends='a'",
        "source=3",
        "value=1",
    ];
    for text in odd {
        all_of(common::document(
            &format!("[cluster.a]\n{text}\n[cluster.b]\nextends='a'"),
            &["a.extends=b", "cluster=1"],
        ));
        all_of(common::document(&format!("{text}\n[cluster.a]"), &["cluster.a.extends=[a, b]"]));
    }
}

/// Text that is often almost TOML of the expected form.
fn nearly() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "[",
        "]",
        "[[",
        "]]",
        "{",
        "}",
        "=",
        "\n",
        "\n",
        ".",
        ",",
        "'",
        "\"",
        " ",
        "a",
        "b",
        "cluster",
        "memory",
        "extends",
        "source",
        "value",
        "unit",
        "constraint",
        "name",
        "title",
        "x_ns",
        "'1.5 us'",
        "-1e400 s",
        "1",
        "0x_f",
        "nan",
        "-inf",
        "true",
        "2003-01-01",
        "a = 1\n",
        "[cluster.a]\n",
        "[cluster.b]\nextends = 'a'\n",
        "[[a]]\n",
        "#",
        "é",
    ]);
    prop_oneof![prop::collection::vec(pieces, 0..40).prop_map(|p| p.concat()), any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_and_any_override_give_values_or_problems(
        text in nearly(),
        base in nearly(),
        overrides in prop::collection::vec(nearly(), 0..4),
    ) {
        let files = Files::new(&[("top", &format!("extends=['base', 'top']\n{text}")), ("base", &base)]);
        let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
        all_of(files.read("top", &overrides));
    }

    #[test]
    fn any_value_of_any_unit_is_a_number_or_a_problem(number in "[-+0-9._eE]{0,12}", unit in "[ a-zA-Z/%µ]{0,6}") {
        let text = format!("x_ns='{number}{unit}'\nx_gbytes_s='{number} GB/s'\nx_ps='{number}s'");
        all_of(common::document(&text, &[]));
    }
}
