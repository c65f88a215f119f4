//! Blocks that execute whenever another one does.

use super::graph::Graph;

/// The dominator tree of a graph (Cooper, Harvey and Kennedy): for each node its immediate dominator.
struct Tree {
    above: Vec<Option<usize>>,
    order: Vec<usize>,
    /// The numbers of the nodes that each node dominates, itself first: start and end.
    below: Vec<(u32, u32)>,
}

/// Most steps from a block up to one that is executed as often; more distant blocks offer little.
const MOST_STEPS: usize = 64;

impl Tree {
    /// Returns the tree from a root without predecessors.
    fn new(next: &[Vec<usize>], before: &[Vec<usize>], root: usize) -> Self {
        let mut order = vec![usize::MAX; next.len()];
        let mut sorted = Vec::new();
        let mut seen = vec![false; next.len()];
        let mut open = vec![(root, 0)];
        seen[root] = true;
        while let Some((node, at)) = open.pop() {
            match next[node].get(at) {
                Some(&to) => {
                    open.push((node, at + 1));
                    if !std::mem::replace(&mut seen[to], true) {
                        open.push((to, 0));
                    }
                }
                None => sorted.push(node),
            }
        }
        sorted.reverse();
        sorted.iter().enumerate().for_each(|(number, &node)| order[node] = number);
        let mut tree = Self { above: vec![None; next.len()], order, below: vec![(0, 0); next.len()] };
        tree.above[root] = Some(root);
        let mut changed = true;
        while changed {
            changed = false;
            for &node in sorted.iter().skip(1) {
                let known = before[node].iter().copied().filter(|&from| tree.above[from].is_some());
                let found = known.reduce(|a, b| tree.common(a, b));
                changed |= found != tree.above[node];
                tree.above[node] = found;
            }
        }
        // In reverse order everything below a node comes before it: sizes first, then numbers from the root on.
        let mut sizes = vec![1u32; next.len()];
        for &node in sorted.iter().skip(1).rev() {
            if let Some(above) = tree.above[node] {
                sizes[above] += sizes[node];
            }
        }
        let mut free = vec![0; next.len()];
        for &node in &sorted {
            let from = match tree.above[node] {
                Some(above) if above != node => {
                    let from = free[above];
                    free[above] += sizes[node];
                    from
                }
                _ => 0,
            };
            (tree.below[node], free[node]) = ((from, from + sizes[node]), from + 1);
        }
        tree
    }

    fn common(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            let later = if self.order[a] > self.order[b] { &mut a } else { &mut b };
            match self.above[*later] {
                Some(above) => *later = above,
                None => return a,
            }
        }
        a
    }

    fn is_above(&self, above: usize, node: usize) -> bool {
        let (from, behind) = self.below[above];
        self.above[node].is_some() && (from..behind).contains(&self.below[node].0)
    }
}

/// Returns for each block the next one that is executed as often: every path out of the first passes through the
/// second, and every path into the second through the first. Blocks of loops have none.
pub(super) fn equivalents(graph: &Graph) -> Vec<Option<usize>> {
    let count = graph.blocks.len();
    let (start, end) = (count, count + 1);
    let mut next = vec![Vec::new(); count + 2];
    let mut before = next.clone();
    let mut edge = |from: usize, to: usize| {
        next[from].push(to);
        before[to].push(from);
    };
    graph.entries.iter().for_each(|entry| edge(start, entry.block));
    for block in graph.alive() {
        let mut any = false;
        for to in graph.successors(block) {
            edge(block, to);
            any = true;
        }
        if !any {
            edge(block, end);
        }
    }
    let repeated = repeated(&next, &before);
    let front = Tree::new(&next, &before, start);
    let behind = Tree::new(&before, &next, end);
    let find = |block: usize| {
        let mut node = block;
        for _ in 0..MOST_STEPS {
            let later = behind.above[node].filter(|&later| later != node && later < count)?;
            if front.is_above(block, later) {
                return (!repeated[block] && !repeated[later]).then_some(later);
            }
            node = later;
        }
        None
    };
    (0..count).map(|block| if graph.blocks[block].alive { find(block) } else { None }).collect()
}

/// Returns for each node whether it is part of a loop, or lies between two loops.
fn repeated(next: &[Vec<usize>], before: &[Vec<usize>]) -> Vec<bool> {
    let mut left = vec![true; next.len()];
    for (to, from) in [(next, before), (before, next)] {
        let mut count: Vec<usize> =
            (0..left.len()).map(|node| from[node].iter().filter(|&&n| left[n]).count()).collect();
        let mut open: Vec<usize> = (0..left.len()).filter(|&node| left[node] && count[node] == 0).collect();
        while let Some(node) = open.pop() {
            left[node] = false;
            for &later in &to[node] {
                count[later] -= 1;
                if count[later] == 0 && left[later] {
                    open.push(later);
                }
            }
        }
    }
    left
}
