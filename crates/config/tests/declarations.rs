//! Declarations of keys by readers, whether files contain the keys or not.

use crate::common;
use common::document;
use linecard_config::{Allowed, Shown, declarations};

#[test]
fn keys_that_are_not_there_are_declared_as_those_that_are() {
    let document = document("[a]\nthreads = 4\n", &[]);
    let (threads, declared) = declarations(|| {
        let a = document.root().section("a").unwrap();
        a.choice_or("rule", "fair", &[("fair", 1), ("strict", 2)], "who is next");
        a.number_if("wait_ns", 0.0..=f64::INFINITY, "time between two looks");
        a.texts("takes", "inboxes");
        a.integer("engines", 1..=8, "engines");
        a.integer("threads", 1..=8, "threads of an engine")
    });
    assert_eq!(threads, 4);
    let keys: Vec<&str> = declared.iter().map(|each| each.key.as_str()).collect();
    assert_eq!(keys, ["a.rule", "a.wait_ns", "a.takes", "a.engines", "a.threads"]);
    let [rule, wait, takes, engines, threads] = &declared[..] else { panic!("{declared:?}") };
    assert_eq!(rule.allowed, Allowed::Name { names: vec!["fair".into(), "strict".into()], list: false });
    assert_eq!((&rule.default, rule.needed), (&Some(Shown::Text("fair".into())), false));
    assert_eq!(wait.allowed, Allowed::Number { least: Some(0.0), most: None, list: false });
    assert!(wait.unit == "ns" && wait.units.contains(&"us") && !wait.units.contains(&"MHz"));
    assert_eq!((takes.words.as_str(), takes.units.len()), ("text, or a list of texts", 0));
    assert_eq!((engines.needed, &engines.value), (true, &None));
    assert_eq!((threads.needed, &threads.value), (true, &Some(Shown::Whole(4))));
}

#[test]
fn nothing_is_declared_where_nobody_listens_and_the_inner_of_two_listeners_hears_alone() {
    let read = || document("[a]", &[]).root().integer_or("one", 1, 1..=2, "");
    read();
    let (inner, outer) = declarations(|| {
        let (_, inner) = declarations(read);
        read();
        inner.len()
    });
    assert_eq!((inner, outer.len()), (1, 1));
}
