//! Do the Model Checking Contest's nets have the state spaces that independent tools found?

use linecard_petri::{NetBuilder, Servers, Timing, explore, read_pnml, rewrite_pnml, write_pnml};
use std::collections::HashMap;
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

/// What a net says, without the order in which arcs stand.
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
        // Once written, a document stays as it is.
        assert_eq!(rewrite_pnml(&again).unwrap(), again, "{}", line["file"]);
        // What was unfolded is a net of places and transitions as well.
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
        Timing::empirical(&[1.0, 2.0, 5.0], &[0.5, 0.25, 0.25]).unwrap(),
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
    // Tokens of other classes are not those of a place/transition net.
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
