//! `extends` within a file: `[cluster.output]` inherits from its neighbour `[cluster.input]` the keys that it
//! does not set.

use crate::order::{bases_first, say_ring};
use crate::place::Place;
use crate::problem::{Log, nearest};
use crate::tree::{Content, Node, Scalar, Table};
use std::collections::BTreeSet;

/// Fills every component of the tables of `root` from the components that it extends.
pub(crate) fn resolve(root: &mut Node, log: &Log) {
    let Content::Table(root) = &mut root.content else { return };
    for (kind, node) in root.iter_mut() {
        if let Content::Table(table) = &mut node.content {
            resolve_table(kind, table, log);
        }
    }
}

fn resolve_table(kind: &str, table: &mut Table, log: &Log) {
    let extends: Vec<Option<Node>> = table
        .iter_mut()
        .map(|(_, node)| match &mut node.content {
            Content::Table(component) => component.remove("extends"),
            _ => None,
        })
        .collect();
    if extends.iter().all(Option::is_none) {
        return;
    }
    let names: Vec<String> = table.keys().map(str::to_owned).collect();
    let bases: Vec<Vec<(usize, Place)>> = extends
        .iter()
        .zip(&names)
        .map(|(node, name)| match node {
            Some(node) => bases_of(node, &format!("{kind}.{name}.extends"), kind, table, log),
            None => Vec::new(),
        })
        .collect();
    let mut told = BTreeSet::new();
    let mut filled = Vec::new();
    for number in 0..names.len() {
        let (order, rings) = bases_first(number, |n| bases[n].clone());
        for (place, ring) in rings {
            // Every member of a ring finds the ring again.
            if told.insert(ring.iter().copied().collect::<BTreeSet<usize>>()) {
                let members: Vec<&str> = ring.iter().map(|&n| names[n].as_str()).collect();
                let last = members.last().copied().unwrap_or("");
                log.add(place, format!("{kind}.{last}.extends"), say_ring(&members));
            }
        }
        if let [first, rest @ ..] = order.as_slice()
            && !rest.is_empty()
        {
            let copy = |n: usize| {
                let node = table.get(&names[n]).cloned();
                node.map(|mut node| {
                    if n != number {
                        node.inherit();
                    }
                    node
                })
            };
            if let Some(mut whole) = copy(*first) {
                rest.iter().filter_map(|&n| copy(n)).for_each(|node| whole.lay_over(node));
                filled.push((number, whole));
            }
        }
    }
    for (number, whole) in filled {
        if let Some(node) = table.get_mut(&names[number]) {
            *node = whole;
        }
    }
}

/// Returns the neighbours that an `extends` names.
fn bases_of(extends: &Node, path: &str, kind: &str, table: &Table, log: &Log) -> Vec<(usize, Place)> {
    let items = match &extends.content {
        Content::List(items) => items.iter().collect(),
        _ => vec![extends],
    };
    let base = |item: &Node| match &item.content {
        Content::Value(Scalar::Text(name)) => {
            let found = table.position(name).filter(|_| table.get(name).is_some_and(|n| n.table().is_some()));
            if found.is_none() {
                let near = nearest(name, table.iter().filter(|(_, n)| n.table().is_some()).map(|(k, _)| k));
                log.add(item.place, path, format!("`{kind}` has no `{name}`{near}"));
            }
            found.map(|number| (number, item.place))
        }
        _ => {
            log.add(item.place, path, format!("expected the name of another table of `{kind}`"));
            None
        }
    };
    items.into_iter().filter_map(base).collect()
}
