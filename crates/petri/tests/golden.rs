//! Do nets of the Model Checking Contest have the state spaces that independent tools found?

use linecard_petri::{
    NetBuilder, Servers, Timing, explore, explore_until, read_pnml, read_pnml_until, rewrite_pnml, write_pnml,
};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden/petri/mcc");
    if !folder.is_dir() {
        println!("skipped: the golden nets are not there");
        return None;
    }
    Some(folder)
}

fn lines(file: &Path) -> Vec<HashMap<String, String>> {
    let text = std::fs::read_to_string(file).unwrap();
    let mut lines = text.lines();
    let header: Vec<String> = lines.next().unwrap().split(',').map(str::to_owned).collect();
    lines.map(|line| header.iter().cloned().zip(line.split(',').map(str::to_owned)).collect()).collect()
}

#[test]
fn every_net_of_the_contest_has_its_markings_edges_and_bounds() {
    let Some(folder) = folder() else { return };
    let bounds = lines(&folder.join("bounds.csv"));
    for line in lines(&folder.join("results.csv")) {
        let file = &line["file"];
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let net = read_pnml(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        let found = explore(&net, 10_000_000);
        let by_two = explore_until(&net, 10_000_000, 2, &mut |_| ControlFlow::Continue(()));
        assert_eq!(by_two.as_ref(), Ok(&found), "{file}");
        let expected = |column: &str| line[column].parse::<u64>().unwrap();
        assert!(found.complete, "{file}");
        let counts = [
            ("reachable_markings", found.reachable_markings),
            ("edges", found.edges),
            ("dead_markings", found.dead_markings),
            ("max_tokens_in_place", found.max_tokens_in_place),
            ("max_tokens_in_marking", found.max_tokens_in_marking),
            ("never_enabled_transitions", found.never_enabled_transitions),
        ];
        for (column, count) in counts {
            assert_eq!(count, expected(column), "{file} {column}");
        }
        if line["class"] == "symmetricnet" {
            assert_eq!(net.places.len() as u64, expected("unfolded_places"), "{file}");
            assert_eq!(net.transitions.len() as u64, expected("unfolded_transitions"), "{file}");
        }
        let by_name: HashMap<&str, u64> = net
            .places
            .iter()
            .zip(&found.bounds)
            .map(|(place, &bound)| (place.name.as_str(), bound))
            .collect();
        for bound in bounds.iter().filter(|bound| bound["file"] == *file) {
            let found = by_name.get(bound["place"].as_str());
            assert_eq!(found.copied(), bound["bound"].parse().ok(), "{file} {}", bound["place"]);
        }
    }
}

/// Returns the contents of a net, without the order of its arcs.
fn parts(net: &linecard_petri::Net) -> (Vec<String>, Vec<String>, Vec<String>) {
    let mut arcs: Vec<String> = net
        .arcs
        .iter()
        .map(|arc| {
            let (place, transition) =
                (&net.places[arc.place as usize], &net.transitions[arc.transition as usize]);
            format!("{} {:?} {} {}", place.name, arc.kind, transition.name, arc.weight)
        })
        .collect();
    arcs.sort();
    let places = net.places.iter().map(|place| format!("{place:?}")).collect();
    (places, net.transitions.iter().map(|transition| format!("{transition:?}")).collect(), arcs)
}

#[test]
fn every_net_of_the_contest_is_the_same_when_it_was_written_and_read() {
    let Some(folder) = folder() else { return };
    for line in lines(&folder.join("results.csv")) {
        let text = std::fs::read_to_string(folder.join(&line["file"])).unwrap();
        let net = read_pnml(&text).unwrap();
        let again = rewrite_pnml(&text).unwrap();
        assert_eq!(read_pnml(&again).unwrap(), net, "{}", line["file"]);
        // A document that has been rewritten once does not change again.
        assert_eq!(rewrite_pnml(&again).unwrap(), again, "{}", line["file"]);
        // An unfolded net is also a place/transition net.
        assert_eq!(parts(&read_pnml(&write_pnml(&net)).unwrap()), parts(&net), "{}", line["file"]);
    }
}

#[test]
fn times_servers_and_arcs_survive_pnml_and_what_others_wrote_does_too() {
    let mut net = NetBuilder::new("all & sundry");
    let a = net.place("a<b>", 3).unwrap();
    let b = net.place("\"b\"", 0).unwrap();
    let times = [
        Timing::Untimed,
        Timing::Immediate { weight: 0.25, priority: 3 },
        Timing::Exponential { rate: 1.0 / 3.0 },
        Timing::Deterministic { delay: 1e-9 },
        Timing::Uniform { low: 0.0, high: 2.5 },
        Timing::Erlang { stages: 4, rate: 7.0 },
        Timing::Empirical { values: [1.0, 2.0, 5.0].into(), upto: [0.5, 0.75, 1.0].into() },
    ];
    for (number, time) in times.into_iter().enumerate() {
        let servers = match time {
            Timing::Untimed => Servers::Count(1),
            _ if number % 2 == 0 => Servers::Infinite,
            _ => Servers::Count(number as u32),
        };
        let t = net.transition(&format!("t{number}"), time, servers).unwrap();
        net.input(a, t, 2).unwrap();
        net.output(t, b, 1).unwrap();
        net.inhibitor(b, t, 5).unwrap();
        net.reset(b, t).unwrap();
    }
    let net = net.build().unwrap();
    let text = write_pnml(&net);
    let read = read_pnml(&text).unwrap();
    assert_eq!((read.name.as_str(), parts(&read)), ("all & sundry", parts(&net)));
    let foreign = "<toolspecific tool=\"other\" version=\"2\"><x:mark xmlns:x=\"urn:x\" x:at=\"&lt;1&gt;\"><![CDATA[a<b]]></x:mark><!-- kept --></toolspecific>";
    let with_foreign = text.replace("</page>", &format!("{foreign}</page>"));
    let again = rewrite_pnml(&with_foreign).unwrap();
    for part in
        ["tool=\"other\"", "xmlns:x=\"urn:x\"", "x:at=\"&lt;1&gt;\"", "a&lt;b", "<!-- kept -->", "<x:mark"]
    {
        assert!(again.contains(part), "{part}: {again}");
    }
    assert_eq!(parts(&read_pnml(&again).unwrap()), parts(&net));
    let bad = text.replace("kind=\"det\"", "kind=\"normal\"");
    assert!(read_pnml(&bad).unwrap_err().to_string().contains("found kind \"normal\""));
    let unknown = text.replacen("<type value=\"inhibitor\"/>", "<type value=\"flush\"/>", 1);
    assert!(read_pnml(&unknown).unwrap_err().to_string().contains("an arc of type \"flush\""));
}

fn small_net(kind: &str, marking: &str, inscription: &str) -> String {
    format!(
        "<pnml><net id=\"n\"{kind}><place id=\"p\"><initialMarking><value>{marking}</value></initialMarking></place>\
         <transition id=\"t\"/><arc id=\"a\" source=\"p\" target=\"t\"><inscription><value>{inscription}</value>\
         </inscription></arc></net></pnml>"
    )
}

#[test]
fn nets_of_other_tools_without_a_type_and_with_classes_of_tokens_are_read() {
    for kind in ["", " type=\"P/T net\""] {
        for (marking, inscription) in
            [("3", "2"), ("Default,3", "Default,2"), ("Default,3,red,0", "red,0,Default,2")]
        {
            let net = read_pnml(&small_net(kind, marking, inscription)).unwrap();
            assert_eq!((net.places[0].tokens, net.arcs[0].weight), (3, 2), "{kind} {marking}");
        }
    }
    // A place/transition net has no tokens of other classes.
    for marking in
        ["red,1", "Default,1,red,1", "Default", "Default,", "Default,1,red", "Default,1,Default,2", ",1"]
    {
        let error = read_pnml(&small_net("", marking, "1")).unwrap_err().to_string();
        assert!(error.contains(&format!("{marking:?}")), "{error}");
    }
    let coloured = "<pnml><net id=\"n\"><place id=\"p\"><hlinitialMarking/></place></net></pnml>";
    assert!(read_pnml(coloured).unwrap_err().to_string().contains("without type"));
}

#[test]
fn a_document_nested_for_ever_is_an_error_and_no_crash() {
    for levels in [3_000, 4_000, 200_000] {
        let (open, close) = ("<page id=\"p\">".repeat(levels), "</page>".repeat(levels));
        let text = format!("<pnml><net id=\"n\" type=\"ptnet\">{open}{close}</net></pnml>");
        for error in [read_pnml(&text).unwrap_err(), rewrite_pnml(&text).unwrap_err()] {
            assert!(error.to_string().contains("nested more than 400 deep"), "{error}");
        }
    }
}

/// A symmetric net with one place, one transition with four variables of 200 colours each, and this guard.
fn wide_symmetric_net(guard: &str, sort: &str) -> String {
    let variables: String = ["w", "x", "y", "z"]
        .map(|name| format!("<variabledecl id=\"{name}\"><usersort declaration=\"n\"/></variabledecl>"))
        .concat();
    format!(
        "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/symmetricnet\"><declaration><structure>\
         <declarations><namedsort id=\"n\"><finiteintrange start=\"0\" end=\"199\"/></namedsort>{sort}{variables}\
         </declarations></structure></declaration><page id=\"g\"><place id=\"p\"><type><structure>\
         <usersort declaration=\"n\"/></structure></type></place><transition id=\"t\"><condition><structure>{guard}\
         </structure></condition></transition><arc id=\"a\" source=\"t\" target=\"p\"><hlinscription><structure>\
         <variable refvariable=\"w\"/></structure></hlinscription></arc></page></net></pnml>"
    )
}

fn equal(left: &str, right: &str) -> String {
    format!("<equality><subterm>{left}</subterm><subterm>{right}</subterm></equality>")
}

fn variable(name: &str) -> String {
    format!("<variable refvariable=\"{name}\"/>")
}

fn number(value: u32) -> String {
    format!(
        "<finiteintrangeconstant value=\"{value}\"><finiteintrange start=\"0\" end=\"199\"/></finiteintrangeconstant>"
    )
}

fn joined(operator: &str, parts: &[String]) -> String {
    let parts: String = parts.iter().map(|part| format!("<subterm>{part}</subterm>")).collect();
    format!("<{operator}>{parts}</{operator}>")
}

#[test]
fn a_guard_that_narrows_a_billion_bindings_to_few_is_looked_at_before_they_are_counted() {
    // 200 to the power of 4 is 1.6 billion.
    let after = format!("<successor><subterm>{}</subterm></successor>", variable("w"));
    let chain = joined(
        "and",
        &[
            equal(&variable("x"), &after),
            equal(&variable("x"), &variable("y")),
            equal(&variable("z"), &variable("y")),
        ],
    );
    let net = read_pnml(&wide_symmetric_net(&chain, "")).unwrap();
    assert_eq!(net.transitions.len(), 200);
    assert_eq!((&*net.transitions[0].name, &*net.transitions[199].name), ("t@0.1.1.1", "t@199.0.0.0"));
    let case = |values: [u32; 4]| {
        let parts = ["w", "x", "y", "z"].iter().zip(values);
        joined("and", &parts.map(|(name, value)| equal(&variable(name), &number(value))).collect::<Vec<_>>())
    };
    let cases = joined("or", &[case([7, 1, 2, 3]), case([0, 9, 9, 9]), case([7, 1, 2, 3])]);
    let net = read_pnml(&wide_symmetric_net(&cases, "")).unwrap();
    let names: Vec<&str> = net.transitions.iter().map(|transition| transition.name.as_str()).collect();
    assert_eq!(names, ["t@0.9.9.9", "t@7.1.2.3"]);
}

#[test]
fn only_ordered_colours_have_successors() {
    // The standard gives successors to cyclic enumerations alone; nets use them on ranges as well.
    let guard =
        equal(&variable("x"), &format!("<successor><subterm>{}</subterm></successor>", variable("w")));
    let range = "<finiteintrange start=\"0\" end=\"199\"/>";
    let of_kind = |kind: &str| {
        let colours = "<feconstant id=\"red\"/><feconstant id=\"blue\"/>";
        wide_symmetric_net(&guard, "").replace(range, &format!("<{kind}>{colours}</{kind}>"))
    };
    assert!(read_pnml(&of_kind("cyclicenumeration")).is_ok());
    let error = read_pnml(&of_kind("finiteenumeration")).unwrap_err().to_string();
    assert!(error.contains("a finite enumeration has no order"), "{error}");
}

#[test]
fn a_guard_that_leaves_too_many_bindings_is_refused_and_can_be_stopped() {
    let guard = equal(&variable("w"), &variable("w")) + "";
    let text = wide_symmetric_net(&joined("or", &[guard, equal(&variable("x"), &variable("y"))]), "");
    let text = text.replace("<variabledecl id=\"z\">", "<variabledecl id=\"v\">").replace(
        "<variable refvariable=\"w\"/></structure></hlinscription>",
        "<tuple><subterm><variable refvariable=\"w\"/></subterm><subterm><variable refvariable=\"v\"/></subterm></tuple>\
         </structure></hlinscription>",
    );
    let error = read_pnml(&text).unwrap_err().to_string();
    assert!(error.contains("more than 5000000 bindings"), "{error}");
    let stopped = read_pnml_until(&text, &mut || ControlFlow::Break(()));
    assert_eq!(stopped, Err(linecard_petri::PetriError::Interrupted));
}

#[test]
fn sorts_and_multisets_beyond_what_numbers_hold_are_refused() {
    // The product has 2^64 colours or more, which would wrap around to a small number.
    let products = |levels: u32| -> String {
        let product = |level: u32| {
            let part = if level == 0 { "n".to_owned() } else { format!("p{}", level - 1) };
            format!(
                "<namedsort id=\"p{level}\"><productsort><usersort declaration=\"{part}\"/>\
                 <usersort declaration=\"{part}\"/></productsort></namedsort>"
            )
        };
        (0..levels).map(product).collect()
    };
    let place = "<type><structure><usersort declaration=\"n\"/>";
    let guard = equal(&variable("w"), &variable("x"));
    for (levels, expected) in [(5, "a sort of"), (40, "a product of")] {
        let text = wide_symmetric_net(&guard, &products(levels));
        let sort = format!("<type><structure><usersort declaration=\"p{}\"/>", levels - 1);
        let error = read_pnml(&text.replace(place, &sort)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let marking = |inner: &str| {
        let twice = |inner: &str| {
            format!(
                "<numberof><subterm><numberconstant value=\"4294967296\"/></subterm><subterm>{inner}</subterm></numberof>"
            )
        };
        let marking = format!(
            "<hlinitialMarking><structure>{}</structure></hlinitialMarking>",
            twice(&twice(&twice(inner)))
        );
        wide_symmetric_net(&guard, "").replace("</type></place>", &format!("</type>{marking}</place>"))
    };
    let error = read_pnml(&marking(&number(3))).unwrap_err().to_string();
    assert!(error.contains("a multiset with more than"), "{error}");
    let wide = wide_symmetric_net(&guard, "").replace("start=\"0\"", &format!("start=\"{}\"", i64::MIN));
    let error = read_pnml(&wide).unwrap_err().to_string();
    assert!(error.contains("a range from"), "{error}");
}
