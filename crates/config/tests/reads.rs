//! Typed reads, sources, rows, and all problems at once.

use crate::common;
use common::{Files, document, said, told};
use insta::assert_snapshot;

const ANY: std::ops::RangeInclusive<u64> = 0..=u64::MAX;

#[test]
fn a_source_is_that_of_the_value_or_of_the_nearest_table_or_of_the_file() {
    let text = "[a]\nsource='table'\nx=1\ny={value=2, source='own'}\ninner={z=3}\n[a.deep]\nsource='deep'\nw=4\n[b]\nv=5";
    let document = document(text, &[]);
    let root = document.root();
    let a = root.section("a").unwrap();
    a.integer("x", ANY, "");
    a.integer("y", ANY, "");
    a.section("inner").unwrap().integer("z", ANY, "");
    a.section("deep").unwrap().integer("w", ANY, "");
    root.section("b").unwrap().integer("v", ANY, "");
    let rows = document.finish().unwrap();
    let sources: Vec<(&str, &str)> = rows.iter().map(|r| (r.key.as_str(), r.source.as_str())).collect();
    assert_eq!(
        sources,
        [("a.x", "table"), ("a.y", "own"), ("a.inner.z", "table"), ("a.deep.w", "deep"), ("b.v", "S")]
    );
}

#[test]
fn every_value_of_every_file_needs_a_source() {
    let files = Files::new(&[
        ("base", "title='B'\nsource='base only'"),
        (
            "top",
            "title='T'\nkind='k'\nextends='base'\nx=1\n[cluster.a]\nextends='b'\n[cluster.b]\nlist=[1,2]\n[[row]]\ny=1\n[[row]]\nsource='s'\ny=2\n[t]\nsource=' '\nz={value=1,source='own'}",
        ),
    ]);
    let document = files.read("top", &["new=1"]);
    let root = document.root();
    root.integer("x", ANY, "");
    root.integer("new", ANY, "");
    for cluster in root.sections("cluster") {
        cluster.numbers("list", 0.0..=9.0, "");
    }
    for row in root.list("row") {
        row.integer("y", ANY, "");
    }
    root.section("t").unwrap().integer("z", ANY, "");
    let said = said(document);
    let starts = ["top.toml:4: x: no source; ", "top.toml:15: t.source: empty; "];
    assert_eq!(said.len(), starts.len(), "{said:#?}");
    for (said, start) in said.iter().zip(starts) {
        assert!(said.starts_with(start), "{said} / {start}");
    }
    assert!(
        said[0].ends_with("; 2 other values have no source either: cluster.b.list, row[0].y"),
        "{}",
        said[0]
    );
}

#[test]
fn rows_say_all_that_describe_needs() {
    let document = document(
        "delay_ns = '0.1 us'\nlist_ns=[1, '2 us', 2.5]\nnames=['a','b']\nmode='fast'\nshare=2.50",
        &[],
    );
    let root = document.root();
    assert_eq!(root.integer("delay_ns", 1..=1000, "latency"), 100);
    assert_eq!(root.numbers("list_ns", 0.0..=f64::INFINITY, "times"), [1.0, 2000.0, 2.5]);
    assert_eq!(root.texts("names", "names"), ["a", "b"]);
    assert_eq!(root.choice("mode", &[("slow", 1), ("fast", 2)], "speed"), 2);
    assert_eq!(root.number("share", -1.0..=f64::INFINITY, "a share"), 2.5);
    assert_eq!(root.integer_or("depth_cells", 7, ANY, "depth"), 7);
    assert_eq!(root.choice_or("policy", "b", &[("a", 1), ("b", 2)], "policy"), 2);
    assert_eq!(
        (root.integer_if("no", ANY, ""), root.text_if("no", ""), root.number_if("no", 0.0..=1.0, "")),
        (None, None, None)
    );
    assert_eq!((root.texts("none", ""), root.text_or("label", "x", "label")), (vec![], "x".into()));
    assert_eq!(root.integer("delay_ns", 1..=1000, "read again"), 100);
    let rows = document.finish().unwrap();
    let shown: Vec<String> = rows
        .iter()
        .map(|r| {
            format!("{}|{}|{}|{}|{}|{}|{}", r.key, r.value, r.unit, r.meaning, r.allowed, r.source, r.place)
        })
        .collect();
    assert_eq!(
        shown,
        [
            "delay_ns|100|ns|latency|a whole number from 1 to 1000|S|f.toml:3",
            "list_ns|1, 2000, 2.5|ns|times|numbers from 0|S|f.toml:4",
            "names|a, b||names|text, or a list of texts|S|f.toml:5",
            "mode|fast||speed|one of slow, fast|S|f.toml:6",
            "share|2.5||a share|a number from -1|S|f.toml:7",
            "depth_cells|7|cells|depth|a whole number from 0|default|",
            "policy|b||policy|one of a, b|default|",
            "label|x||label|text|default|",
        ]
    );
}

#[test]
fn helpers_take_cycles_whatever_their_names_end_in() {
    let text =
        "[c.ebpf.helpers]\nktime_get_ns={value=7,unit='cycles',source='s'}\nmap_lookup_elem='1 kcycles'";
    let document = document(text, &[]);
    let cluster = document.root().section("c").unwrap();
    let helpers = cluster.section("ebpf").unwrap().section("helpers").unwrap();
    assert_eq!(helpers.integer("ktime_get_ns", ANY, ""), 7);
    assert_eq!(helpers.integer("map_lookup_elem", ANY, ""), 1000);
    assert!(document.finish().unwrap().iter().all(|row| row.unit == "cycles"));
}

#[test]
fn all_problems_come_at_once_in_the_order_of_the_lines() {
    let text = "\
mode = 'fats'
big = 99999999999999999999
nan_ns = nan
huge = 1e999
[memory.sram]
latency_ns = '5 MHz'
size_kib = '100 bytes'
unit_ns = { value = 3, unit = 'us' }
odd = { value = 3, sauce = 'x' }
nested = { value = { a = 1 } }
latencies = 3
route = 3
names = ['a', 3]
sized = true
text = 3
day = 2003-01-01
";
    let document = document(text, &[]);
    let root = document.root();
    document.report("f.toml:4", "here", "from outside");
    document.report("elsewhere", "", "of no file");
    let sram = &root.sections("memory")[0];
    sram.text("day", "");
    sram.text("text", "");
    assert_eq!(sram.integer_or("sized", 6, ANY, ""), 6);
    sram.texts("names", "");
    assert!(sram.list("route").is_empty());
    for key in ["nested", "odd", "unit_ns", "size_kib"] {
        sram.integer(key, ANY, "");
    }
    sram.number("latency_ns", 0.0..=9.0, "");
    sram.number("absent_ns", 2.0..=9.0, "delay");
    sram.fail("names", "too few");
    assert!(!sram.has("latencies_ns"));
    assert_eq!(root.number("huge", 0.0..=f64::INFINITY, ""), 0.0);
    root.number("nan_ns", f64::NEG_INFINITY..=f64::INFINITY, "");
    assert_eq!(root.integer("big", 5..=9, ""), 5);
    assert_eq!(root.choice("mode", &[("fast", 1)], ""), 1);
    assert!(!root.switch("mode_on", "mode"));
    assert!(document.problems() > 10);
    assert_snapshot!(told(document));
}

#[test]
fn what_nobody_read_is_told_with_the_nearest_key_that_was_asked_for() {
    let text = "engnies=1\nzzz=1\n[memory.a]\nlatency=1\nonly_asked=1\n[bus]\nx=1\n[[rows]]\nx=1\ny=1";
    let document = document(text, &[]);
    let root = document.root();
    root.integer_or("engines", 1, ANY, "");
    assert!(root.section("buses").is_none());
    let memory = &root.sections("memory")[0];
    memory.integer_or("latency_ns", 1, ANY, "");
    assert!(memory.has("only_asked"));
    root.list("rows")[0].integer("x", ANY, "");
    assert_snapshot!(told(document));
}

#[test]
fn places_are_those_of_the_keys_in_every_notation() {
    let text = "a.b = 1\na.c = 2\n[x.y]\np = '''\n\n'''\nq = [\n1,\n'z']\n[x.z]\n[x]\nw = 1\n\"t.u\" = 2";
    let document = document(text, &[]);
    let root = document.root();
    let a = root.section("a").unwrap();
    assert_eq!((a.place(), a.place_of("c")), ("f.toml:3".into(), "f.toml:4".into()));
    let x = root.section("x").unwrap();
    assert_eq!(
        (x.place(), x.place_of("w"), x.place_of("t.u")),
        ("f.toml:13".into(), "f.toml:14".into(), "f.toml:15".into())
    );
    let y = x.section("y").unwrap();
    assert_eq!(
        (y.place(), y.place_of("q"), y.place_of("gone")),
        ("f.toml:5".into(), "f.toml:9".into(), "f.toml:5".into())
    );
    y.numbers("q", 0.0..=2.0, "");
    assert!(said(document).iter().any(|s| s.starts_with("f.toml:11: x.y.q[1]: found `z`")));
}

#[test]
fn what_another_choice_leaves_without_effect_may_stay_in_a_file_but_not_in_an_override() {
    let text = "[traffic]\nkind='saturated'\nrate=5\nother=1";
    let read = |overrides: &[&str]| {
        let document = document(text, overrides);
        let traffic = document.root().section("traffic").unwrap();
        traffic.text("kind", "");
        traffic.leave(&["rate", "peak"]);
        traffic.integer("other", ANY, "");
        document.finish()
    };
    assert!(read(&[]).is_ok());
    let problems = read(&["traffic.rate=7"]).unwrap_err();
    assert!(problems.len() == 1 && problems[0].place.starts_with("--set"), "{problems:?}");
}
