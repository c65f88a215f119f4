//! Do the Model Checking Contest's nets have the state spaces that independent tools found?

use linecard_petri::{explore, read_pnml};
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
