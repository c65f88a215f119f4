//! A table that begins with another file, and elements of lists by name.

use crate::common;
use common::{Files, said, told};
use insta::assert_snapshot;
use linecard_config::Under;

const ANY: std::ops::RangeInclusive<u64> = 0..=u64::MAX;

fn files() -> Files {
    Files::new(&[
        (
            "list",
            "title='L'\nkind='list'\nsource='l'\nroutes='none'\n[[step]]\nname='a'\nx=1\n[[step]]\nname='b'\nx=2",
        ),
        ("more", "title='M'\nextends='list'\nsource='m'\nroutes='more'"),
        (
            "top",
            "title='T'\nkind='top'\nsource='t'\n[program]\nroutes='top'\nrun='list'\n[[program.step]]\nx=9",
        ),
    ])
}

fn under<'a>(file: &'a str, instead_of: &'a [&'a str]) -> Option<Under<'a>> {
    Some(Under { key: "program", file, instead_of })
}

#[test]
fn the_file_is_laid_under_the_table_and_overrides_over_both() {
    let set = ["program.step[b].x=5", "program.step[0].x=4"];
    let document = files().read_under("top", under("more", &["step"]), &set);
    assert_eq!((document.title(), document.kind()), ("T", "top"), "those of the file itself");
    let program = document.root().section("program").unwrap();
    assert_eq!((program.text("routes", ""), program.text("run", "")), ("top".to_owned(), "list".to_owned()));
    let steps = program.list("step");
    let xs: Vec<u64> = steps.iter().map(|step| step.integer("x", ANY, "")).collect();
    assert_eq!(xs, [4, 5]);
    assert_eq!(steps[1].place_of("name"), "list.toml:9", "where it is written");
    for step in &steps {
        step.text("name", "");
    }
    let rows = document.finish().unwrap();
    let of = |key: &str| rows.iter().find(|row| row.key == key).unwrap().source.clone();
    assert_eq!((of("program.step[0].name"), of("program.routes")), ("l".to_owned(), "t".to_owned()));
}

#[test]
fn what_the_table_says_itself_stays_unless_the_file_speaks_for_it_alone() {
    let document = files().read_under("top", under("list", &[]), &[]);
    let program = document.root().section("program").unwrap();
    assert_eq!(program.list("step").len(), 1);
}

#[test]
fn nobody_reads_a_key_of_the_file_unseen() {
    let document = files().read_under("top", under("list", &["step"]), &[]);
    let program = document.root().section("program").unwrap();
    program.text("routes", "");
    program.text("run", "");
    assert_eq!(said(document), ["list.toml:5: program.step: no such key"]);
    let missing = files().read_under("top", under("lost", &[]), &[]);
    assert_eq!(said(missing), ["lost: no file is called `lost`"]);
}

#[test]
fn a_name_that_no_element_has_or_several_have_is_refused() {
    let wrong = |set: &str| {
        let twice =
            ("f", "title='F'\nsource='f'\n[[step]]\nname='a'\nx=1\n[[step]]\nname='a'\nx=2\n[[step]]\nx=3");
        let document = Files::new(&[twice]).read("f", &[set, "step[2].x=4"]);
        document.root().list("step").iter().for_each(|step| {
            step.text_if("name", "");
            step.integer("x", ANY, "");
        });
        told(document)
    };
    assert_snapshot!(["step[b].x=4", "step[a].x=4", "step[3].x=4"].map(wrong).join("\n"));
}

#[test]
fn a_key_in_a_list_that_was_set_is_told_with_its_place_in_the_list() {
    let document =
        Files::new(&[("f", "title='F'\nsource='f'\n[a]\nx=1")]).read("f", &["a.list=[{x=1, y=2}]"]);
    let a = document.root().section("a").unwrap();
    a.integer("x", ANY, "");
    for item in a.list("list") {
        item.integer("x", ANY, "");
    }
    assert_eq!(said(document), ["--set (number 1): a.list[0].y: no such key"]);
}
