//! Units that the reader declares or the file chooses, values in a language of the reader, and rows by name.

use crate::common;
use common::{Files, document, told};
use insta::assert_snapshot;
use linecard_config::{Either, Request};

const TIMES: [Either; 2] = [
    Either { unit: "clocks", what: "whole or half clocks", step: 0.5 },
    Either { unit: "ns", what: "a time", step: 0.0 },
];

#[test]
fn a_declared_unit_stands_beside_a_value_behind_it_or_nowhere() {
    let text = "a = { value = 3, unit = 'requests' }\nb = '4 requests'\nc = 5\nshare = { value = 2.5, unit = 'percent' }\n\
                sizes = { value = [40, '2 KB'], unit = 'bytes' }\nd = 6.0";
    let document = document(text, &["c=7"]);
    let root = document.root();
    let requests = root.in_unit("requests");
    assert_eq!((requests.integer("a", 1..=9, ""), requests.integer_if("b", 1..=9, "")), (3, Some(4)));
    assert_eq!((requests.integer("c", 1..=9, ""), requests.integer("d", 1..=9, "")), (7, 6));
    assert_eq!(root.in_unit("%").number("share", 0.0..=9.0, ""), 2.5);
    assert_eq!(root.in_unit("bytes").numbers("sizes", 0.0..=9e9, ""), [40.0, 2000.0]);
    assert_eq!(root.in_unit("V").number_if("volts", 0.0..=9.0, ""), None);
    let rows = document.finish().unwrap();
    let units: Vec<&str> = rows.iter().map(|row| row.unit.as_str()).collect();
    assert_eq!(units, ["requests", "requests", "requests", "requests", "%", "bytes"]);
}

#[test]
fn another_unit_than_the_declared_one_is_told_and_one_that_nobody_declares_as_well() {
    let text = "a = { value = 3, unit = 'banks' }\nb = '4 banks'\nname = { value = 'x', unit = 'ns' }\n\
                left = { value = 1, unit = 'ns' }\nrange = 99\nhalf = 1.5";
    let document = document(text, &["a=4", "b=5"]);
    let root = document.root();
    for key in ["a", "b", "range", "half"] {
        root.in_unit("requests").integer(key, 1..=9, "");
    }
    root.text("name", "");
    root.leave(&["left"]);
    assert_snapshot!(told(document));
}

#[test]
fn a_file_chooses_between_units_and_an_override_without_one_keeps_its_choice() {
    let text = "a = { value = 11.5, unit = 'clocks' }\nb = { value = 13.75, unit = 'ns' }\nc = '13.75 ns'\nd = '11 clocks'\n\
                e = '0.015 us'\nf = { value = 1, unit = 'clocks' }\ng = { value = 1, unit = 'ns' }\nh = '1 ns'";
    let document = document(text, &["f=2", "g=2", "h=2", "i=2", "j=2 ns"]);
    let root = document.root();
    let of = |key: &str| root.number_in_either_if(key, &TIMES, 0.0..=100.0, "");
    let read = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"].map(of);
    let expected = [
        Some((11.5, "clocks")),
        Some((13.75, "ns")),
        Some((13.75, "ns")),
        Some((11.0, "clocks")),
        Some((15.0, "ns")),
        Some((2.0, "clocks")),
        Some((2.0, "ns")),
        Some((2.0, "ns")),
        Some((2.0, "clocks")),
        Some((2.0, "ns")),
        None,
    ];
    assert_eq!(read, expected);
    let rows = document.finish().unwrap();
    assert_eq!(rows[0].allowed, "whole or half clocks (unit `clocks`) or a time (unit `ns`)");
    assert_eq!((rows[2].value.to_string().as_str(), rows[2].unit.as_str()), ("13.75", "ns"));
}

#[test]
fn what_is_in_none_of_the_units_is_told_with_all_of_them() {
    let text = "a = 11\nb = { value = 11, unit = 'cycles' }\nc = '3 MHz'\nd = { value = 1.3, unit = 'clocks' }\n\
                e = { value = 'x', unit = 'ns' }\nf = '200 ns'\ng = [1]\nh.x = 1";
    let document = document(text, &[]);
    for key in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        assert_eq!(document.root().number_in_either_if(key, &TIMES, 0.0..=100.0, ""), None);
    }
    assert_snapshot!(told(document));
}

#[test]
fn a_reader_makes_of_a_text_or_a_number_what_it_understands() {
    let document = document("a = 'x + 1'\nb = 4\nc = 'y'\nd = true", &[]);
    let root = document.root();
    let of = |key: &str| {
        root.understood_if(key, "a formula", "", |text| match text {
            "y" => Err("found `y`".to_owned()),
            text => Ok(text.len()),
        })
    };
    assert_eq!(["a", "b", "c", "d", "e"].map(of), [Some(5), Some(1), None, None, None]);
    assert_snapshot!(told(document));
}

#[test]
fn a_list_of_names_has_the_nearest_of_each() {
    let document = document("a = ['ACT', 'RDD']\nb = 'RD'", &[]);
    let commands = [("ACT", 1), ("RD", 2)];
    assert_eq!(document.root().choices("a", &commands, ""), [1]);
    assert_eq!(document.root().choices("b", &commands, ""), [2]);
    assert_snapshot!(told(document));
}

#[test]
fn rows_take_the_place_of_those_of_their_name_where_a_file_extends_another() {
    let files = Files::new(&[
        (
            "base",
            "title='B'\nsource='s'\n[[constraint]]\nname='a'\nx=1\n[[constraint]]\nname='b'\nx=2\n[[step]]\nname='a'",
        ),
        (
            "top",
            "title='T'\nsource='t'\nextends='base'\nconstraint=[{name='c',x=3},{name='a',x=4}]\nstep=[{name='b'}]",
        ),
    ]);
    let document = files.read("top", &["constraint[b].x=5"]);
    let root = document.root();
    let row =
        |row: linecard_config::Section<'_>| (row.text("name", ""), row.integer("x", 0..=9, ""), row.place());
    let rows: Vec<_> = root.list("constraint").into_iter().map(row).collect();
    assert_eq!(
        rows,
        [
            ("a".into(), 4, "top.toml:4".into()),
            ("b".into(), 5, "base.toml:6".into()),
            ("c".into(), 3, "top.toml:4".into()),
        ]
    );
    assert_eq!(root.list("step").iter().map(|step| step.text("name", "")).collect::<Vec<_>>(), ["b"]);
    assert_eq!(document.bases(), ["base"]);
    assert!(document.finish().is_ok());
}

#[test]
fn rows_without_a_name_take_the_place_of_the_whole_list() {
    let files = Files::new(&[
        ("base", "title='B'\nsource='s'\n[[constraint]]\nname='a'\n[[constraint]]\nname='b'"),
        ("top", "title='T'\nsource='t'\nextends='base'\n[[constraint]]\nx=1\n[[constraint]]\nx=2"),
    ]);
    let document = files.read("top", &[]);
    let rows = document.root().list("constraint");
    assert_eq!(rows.iter().map(|row| row.integer("x", 0..=9, "")).collect::<Vec<_>>(), [1, 2]);
    assert!(document.finish().is_ok());
}

#[test]
fn overrides_for_several_documents_keep_their_numbers() {
    let find = |_: &str| Ok(("f.toml".to_owned(), "title='F'\nsource='s'\n[a]\nx=1".to_owned()));
    let overrides = ["b.x=1", "a.x=9", "a.y=2", "junk"].map(str::to_owned);
    let takes = |key: &str| key.starts_with("a.");
    let document = Request { overrides: &overrides, takes: &takes, ..Request::of("f", &find) }.read();
    let section = document.root().needed_section("a", "").unwrap();
    assert!(section.is_set("x") && !section.is_set("z"));
    section.integer("x", 1..=5, "");
    assert_snapshot!(told(document));
}

#[test]
fn a_table_that_must_be_there_is_told() {
    let document = document("[a]", &[]);
    assert!(document.root().needed_section("a", "letters").is_some());
    assert!(document.root().needed_section("b", "more letters").is_none());
    assert_snapshot!(told(document));
}
