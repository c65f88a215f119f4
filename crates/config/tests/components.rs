//! Components that extend their neighbours, and overrides of them.

use crate::common;
use common::{document, said, told};
use insta::assert_snapshot;
use linecard_config::Document;

const ANY: std::ops::RangeInclusive<u64> = 0..=u64::MAX;

const CLUSTERS: &str = "[cluster.output]\nextends='input'\nengines=2\n[cluster.input]\nengines=4\nthreads=8\ncost={add=1, move=2}\n[cluster.last]\nextends='output'\ncost={move=3}";

/// Returns the name, engines, threads and costs of every cluster.
fn clusters(document: &Document) -> Vec<(String, [u64; 4])> {
    let one = |section: &linecard_config::Section<'_>| {
        let cost = section.section("cost").unwrap();
        let values = [
            section.integer("engines", ANY, "engines"),
            section.integer("threads", ANY, "threads"),
            cost.integer("add", ANY, "cost"),
            cost.integer("move", ANY, "cost"),
        ];
        (section.name().to_owned(), values)
    };
    document.root().sections("cluster").iter().map(one).collect()
}

fn with(overrides: &[&str]) -> (Vec<[u64; 4]>, Vec<String>) {
    let document = document(CLUSTERS, overrides);
    let values = clusters(&document).into_iter().map(|(_, values)| values).collect();
    (values, said(document))
}

#[test]
fn a_component_has_what_it_does_not_set_from_the_one_it_extends() {
    let document = document(CLUSTERS, &[]);
    let expected = [("output", [2, 8, 1, 2]), ("input", [4, 8, 1, 2]), ("last", [2, 8, 1, 3])];
    assert_eq!(clusters(&document), expected.map(|(name, values)| (name.to_owned(), values)));
    let rows = document.finish().unwrap();
    let threads = rows.iter().find(|r| r.key == "cluster.last.threads").unwrap();
    assert_eq!(threads.place, "f.toml:8", "where it is written");
}

#[test]
fn components_that_extend_each_other_are_told_once() {
    let text = "[cluster.a]\nextends='b'\n[cluster.b]\nextends='c'\n[cluster.c]\nextends='b'\n[cluster.d]\nextends='b'";
    let document = document(text, &[]);
    document.root().sections("cluster");
    assert_snapshot!(told(document));
}

#[test]
fn an_unknown_neighbour_is_told_with_the_nearest() {
    let document =
        document("[cluster.input]\n[cluster.output]\nextends='inptu'\n[cluster.x]\nextends=3", &[]);
    document.root().sections("cluster");
    assert_snapshot!(told(document));
}

#[test]
fn a_wrong_value_is_told_where_it_stands_and_not_for_each_that_inherits_it() {
    let document =
        document("[cluster.output]\nextends='input'\n[cluster.input]\nengines='many'\nenginse=1", &[]);
    for cluster in document.root().sections("cluster") {
        cluster.integer("engines", 1..=4, "");
    }
    assert_snapshot!(told(document));
}

#[test]
fn an_override_reaches_those_who_extend_it_unless_they_set_the_key() {
    let output_input_last = |overrides: &[&str]| {
        let (values, said) = with(overrides);
        assert_eq!(said, [""; 0]);
        values
    };
    assert_eq!(output_input_last(&["input.threads=3"]), [[2, 3, 1, 2], [4, 3, 1, 2], [2, 3, 1, 3]]);
    assert_eq!(output_input_last(&["cluster.input.engines=7"]), [[2, 8, 1, 2], [7, 8, 1, 2], [2, 8, 1, 3]]);
    assert_eq!(output_input_last(&["output.threads = 5"]), [[2, 5, 1, 2], [4, 8, 1, 2], [2, 5, 1, 3]]);
    assert_eq!(output_input_last(&["input.cost.add=9"]), [[2, 8, 9, 2], [4, 8, 9, 2], [2, 8, 9, 3]]);
    assert_eq!(output_input_last(&["last.extends=input"]), [[2, 8, 1, 2], [4, 8, 1, 2], [4, 8, 1, 3]]);
}

#[test]
fn a_wrong_override_is_told_by_its_number() {
    let (_, said) = with(&[
        "inptu.threads=3",
        "cluster.outptu.threads=3",
        "input.threds=3",
        "input.engines=4 ns",
        "cluster.input.engines=2",
        "input",
        "input.engines.more=1",
        "input=1",
        "title=x",
        "a..b=1",
        "input.cost=[1,",
        "cluster.input=2",
        "depth=1",
    ]);
    assert_snapshot!(said.join("\n"));
}

#[test]
fn a_name_of_several_components_is_told_with_all() {
    let document = document("[cluster.rx]\nx=1\n[port.rx]\nx=1", &["rx.x=2", "port.rx.x=3"]);
    let root = document.root();
    assert_eq!(root.sections("cluster")[0].integer("x", ANY, ""), 1);
    assert_eq!(root.sections("port")[0].integer("x", ANY, ""), 3);
    assert_snapshot!(told(document));
}

#[test]
fn a_table_is_set_under_the_name_of_the_only_component_like_its_keys() {
    let text = "[memory.sram]\nx=1\ny=2\n[cluster.rx]\nx=1\n[port.rx]\nx=1";
    let set = document(text, &["sram={x=3}"]);
    let sram = &set.root().sections("memory")[0];
    assert_eq!((sram.integer("x", ANY, ""), sram.integer("y", ANY, "")), (3, 2));
    let refused = |change: &str| told(document(text, &[change]));
    assert!(refused("rx={x=3}").contains("write one of cluster.rx, port.rx"));
    assert!(refused("sram=3").contains("`memory.sram` is a table; set one of its keys"));
}

#[test]
fn an_override_is_a_toml_value_or_a_bare_name_or_a_number_with_a_unit() {
    let overrides = [
        "clock.engines_mhz=0.2 GHz",
        "clock.bus_mhz=\"0.1 GHz\"",
        "memory.sram.name=zbt",
        "sram.takes=['a', 'b']",
        "sram.on=true",
        "sram.day=2003-01-01",
        "route[1].to=sram",
        "new.table.x=1.5",
        "lone=4",
    ];
    let text = "lone=1\n[clock]\n[memory.sram]\nname='a'\n[[route]]\nto='x'\n[[route]]\nto='y'";
    let document = document(text, &overrides);
    let root = document.root();
    assert_eq!(root.integer("lone", ANY, ""), 4);
    let clock = root.section("clock").unwrap();
    assert_eq!((clock.integer("engines_mhz", ANY, ""), clock.integer("bus_mhz", ANY, "")), (200, 100));
    let sram = &root.sections("memory")[0];
    assert_eq!(
        (sram.text("name", ""), sram.texts("takes", ""), sram.text("day", "")),
        ("zbt".into(), vec!["a".into(), "b".into()], "2003-01-01".into())
    );
    assert!(sram.switch_or("on", false, ""));
    let to: Vec<String> = root.list("route").iter().map(|r| r.text("to", "")).collect();
    assert_eq!(to, ["x", "sram"]);
    let new = root.section("new").unwrap().section("table").unwrap();
    assert_eq!(new.number("x", 0.0..=2.0, ""), 1.5);
    assert_eq!((sram.place(), new.place()), ("f.toml:5".into(), "--set (number 8)".into()));
    let rows = document.finish().unwrap();
    let row = rows.iter().find(|r| r.key == "clock.engines_mhz").unwrap();
    assert_eq!(
        (row.value.to_string().as_str(), row.unit.as_str(), row.source.as_str(), row.place.as_str()),
        ("200", "MHz", "given with --set", "--set (number 1)")
    );
}
