//! Files that extend files: which value wins, in which order, and how often each file is read.

use crate::common;
use common::{Files, said, told};
use insta::assert_snapshot;
use linecard_config::{Request, Section};

const ANY: std::ops::RangeInclusive<u64> = 0..=u64::MAX;

#[test]
fn later_values_win_and_tables_merge_deeply() {
    let files = Files::new(&[
        ("base", "title='B'\nsource='b'\n[memory.a]\nx=1\ndeep={p=1,q=2}\n[memory.b]\nx=2"),
        ("top", "title='T'\nextends='base'\nsource='t'\n[memory.c]\nx=3\n[memory.a]\ndeep={q=5}\ny=4"),
    ]);
    let document = files.read("top", &[]);
    assert_eq!((document.title(), document.extends()), ("T", &["base".to_owned()][..]));
    let memories = document.root().sections("memory");
    let names: Vec<&str> = memories.iter().map(|m| m.name()).collect();
    assert_eq!(names, ["a", "b", "c"], "bases first");
    let a = &memories[0];
    assert_eq!(a.keys(), ["x", "deep", "y"]);
    assert_eq!(a.path(), "memory.a");
    assert_eq!(
        (a.place(), a.place_of("x"), a.place_of("none")),
        ("top.toml:6".into(), "base.toml:4".into(), "top.toml:6".into())
    );
    let deep = a.section("deep").unwrap();
    assert_eq!((deep.integer("p", ANY, ""), deep.integer("q", ANY, "")), (1, 5));
    assert_eq!((a.integer("x", ANY, ""), a.integer("y", ANY, "")), (1, 4));
    assert_eq!((memories[1].integer("x", ANY, ""), memories[2].integer("x", ANY, "")), (2, 3));
    let rows = document.finish().unwrap();
    let of = |key: &str| rows.iter().find(|r| r.key == key).map(|r| (r.source.as_str(), r.place.as_str()));
    assert_eq!(of("memory.a.deep.p"), Some(("b", "base.toml:5")));
    assert_eq!(of("memory.a.deep.q"), Some(("t", "top.toml:7")));
}

#[test]
fn the_list_of_a_later_file_replaces_that_of_its_base() {
    let files = Files::new(&[
        ("base", "title='B'\nsource='b'\n[[route]]\nto='a'\n[[route]]\nto='b'"),
        ("top", "title='T'\nextends='base'\nsource='t'\n[[route]]\nto='c'\n"),
    ]);
    let document = files.read("top", &[]);
    let routes = document.root().list("route");
    assert_eq!(routes.len(), 1);
    assert_eq!(
        (routes[0].path(), routes[0].name(), routes[0].place()),
        ("route[0]", "route[0]", "top.toml:4".into())
    );
    assert_eq!(routes[0].text("to", ""), "c");
    assert!(document.finish().is_ok());
}

#[test]
fn a_list_of_tables_may_stand_in_braces() {
    let document = common::document("route = [{to='a'}, {to='b', value=3}]", &[]);
    let to: Vec<String> = document.root().list("route").iter().map(|r| r.text("to", "")).collect();
    assert_eq!(to, ["a", "b"]);
    assert_eq!(document.root().list("route")[1].integer("value", ANY, ""), 3);
    assert!(document.finish().is_ok());
}

#[test]
fn the_common_base_of_two_is_read_once_and_takes_nothing_back() {
    let files = Files::new(&[
        ("base", "title='B'\nkind='chip'\nsource='b'\nx=1\ny=1"),
        ("left", "title='L'\nextends='base'\nsource='l'\nx=2"),
        ("right", "title='R'\nextends='base'\nsource='r'\ny=2"),
        ("top", "title='T'\nextends=['left', 'right']"),
    ]);
    let document = files.read("top", &[]);
    assert_eq!(*files.asked.borrow(), ["top", "left", "right", "base"]);
    assert_eq!(document.kind(), "chip");
    let root = document.root();
    assert_eq!((root.integer("x", ANY, ""), root.integer("y", ANY, "")), (2, 2));
    assert!(document.finish().is_ok());
}

#[test]
fn a_chain_of_sixteen_diamonds_is_read_once_a_file() {
    let mut texts = vec![("n0".to_owned(), "title='N'\nsource='s'\nx=0".to_owned())];
    for n in 1..=16 {
        let below = n - 1;
        texts.push((format!("l{n}"), format!("title='L'\nextends='n{below}'")));
        texts.push((format!("r{n}"), format!("title='R'\nextends='n{below}'")));
        texts.push((format!("n{n}"), format!("title='N'\nextends=['l{n}','r{n}']\nsource='s'\nx={n}")));
    }
    let texts: Vec<(&str, &str)> = texts.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
    let files = Files::new(&texts);
    let document = files.read("n16", &[]);
    assert_eq!(document.root().integer("x", ANY, ""), 16);
    assert_eq!(files.asked.borrow().len(), 49);
    assert!(document.finish().is_ok());
}

#[test]
fn a_chain_of_thousands_is_read() {
    let chain: Vec<(String, String)> = (0..5000)
        .map(|n| (format!("n{n}"), format!("title='N'\nsource='s'\nx{n}=1\nextends='n{}'", n + 1)))
        .chain([("n5000".to_owned(), "title='N'".to_owned())])
        .collect();
    let texts: Vec<(&str, &str)> = chain.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
    let document = Files::new(&texts).read("n0", &[]);
    assert_eq!(document.root().keys().len(), 5000);
    assert_eq!(document.problems(), 0);
}

#[test]
fn a_file_that_extends_itself_is_told() {
    let files = Files::new(&[("a", "title='A'\nextends='b'"), ("b", "title='B'\nextends = [\n'a'\n]")]);
    assert_snapshot!(told(files.read("a", &[])));
}

#[test]
fn a_missing_file_is_told_where_it_is_asked_for_and_hides_no_other_problem() {
    let files = Files::new(&[
        ("a", "title='A'\nextends=['gone', 'bad']\nsource='s'\nx=1\nz=1"),
        ("bad", "title='B'\nx = = 2"),
    ]);
    let document = files.read("a", &[]);
    let root = document.root();
    assert_eq!(root.integer("y", 3..=4, ""), 3);
    assert_eq!(root.integer("x", 3..=4, ""), 3);
    let said = said(document);
    assert_eq!(said[0], "a.toml:2: extends: no file is called `gone`");
    assert_eq!(said[1], "a.toml:4: x: found `1`; expected a whole number from 3 to 4");
    assert!(said[2].starts_with("bad.toml:2: not TOML: "), "{}", said[2]);
    assert_eq!(
        said.len(),
        3,
        "what is absent may stand in the file that cannot be read, and decide what has effect"
    );
    let lone = files.read("gone", &[]);
    assert_eq!(lone.root().place(), "gone:1");
    assert_eq!(common::said(lone), ["gone: no file is called `gone`"]);
}

#[test]
fn a_file_says_what_it_is() {
    let files = Files::new(&[("a", "extends='b'"), ("b", "kind=3\ntitle=''")]);
    assert_snapshot!(told(files.read("a", &[])));
}

#[test]
fn every_key_of_a_plain_file_is_its_readers() {
    let text = "title = 1\nextends = 'x'\nsource = [1, 'a', [true, 2.5]]\nwhen = 1979-05-27\nhuge = 1e999\nendless = inf\n\
                [record]\nvalue = 'int'\nsize = 'int'\n[[row]]\nname = 'first'\nspeed = 1\nsped = 2\n[[row]]\nspeed = 'x'\n";
    let find = |name: &str| Ok((format!("{name}.toml"), text.to_owned()));
    let document = Request { plain: true, ..Request::of("f", &find) }.read();
    let root = document.root();
    let shown = |key: &str| root.any_if(key, "anything", "", |shown| Some(shown.to_string()));
    assert_eq!(shown("title").as_deref(), Some("1"));
    assert_eq!(shown("source").as_deref(), Some("1, a, true, 2.5"));
    assert_eq!(shown("endless").as_deref(), Some("inf"));
    assert_eq!((shown("when"), shown("huge"), shown("record")), (None, None, None));
    assert!(
        root.is_table("record")
            && root.section("record").is_some_and(|record| record.keys() == ["value", "size"])
    );
    for row in root.list("row") {
        row.text_if("name", "");
        row.integer("speed", 1..=9, "");
        let before = document.problems();
        row.close();
        assert_eq!(document.problems() - before, usize::from(row.has("sped")));
    }
    root.section("record").unwrap().pass_over(&["value", "size"]);
    document.close();
    let named = |row: &Section<'_>| row.text_if("name", "");
    let problems = document.finish_calling(named).unwrap_err();
    assert_snapshot!(problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
}
