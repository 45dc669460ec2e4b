//! Strongly connected components, by Tarjan's algorithm with a stack of its own: a path through a
//! model is longer than any thread's stack.

use crate::graph::{Graph, Node};

const UNSEEN: u32 = u32::MAX;
/// Greater than every index: what is in a finished component is no way back.
const FINISHED: u32 = u32::MAX - 1;

/// How many nodes are entered between two looks at whether to stop.
const POLL: u32 = 1 << 16;

/// A node whose edges are being followed.
struct Frame {
    node: Node,
    index: u32,
    /// The least index of an open node that can be reached, as far as is known.
    low: u32,
    edge: u32,
    end: u32,
}

pub(crate) const FRAME_BYTES: usize = size_of::<Frame>();

/// Calls `found` with every strongly connected component of the part of the graph that `inside`
/// names, as far as it can be reached from `roots`. Ends early, and says so with `false`, when
/// `stopped` says true.
pub(crate) fn components(
    graph: &Graph,
    roots: impl Iterator<Item = Node>,
    inside: impl Fn(Node) -> bool,
    stopped: impl Fn() -> bool,
    mut found: impl FnMut(&[Node]),
) -> bool {
    let mut tarjan = Tarjan {
        graph,
        index: vec![UNSEEN; graph.len() as usize],
        next_index: 0,
        open: Vec::new(),
        path: Vec::new(),
    };
    for root in roots {
        if tarjan.index[root as usize] != UNSEEN || !inside(root) {
            continue;
        }
        if tarjan.next_index.is_multiple_of(POLL) && stopped() {
            return false;
        }
        tarjan.enter(root);
        while let Some(child) = tarjan.advance(&inside, &mut found) {
            if tarjan.next_index.is_multiple_of(POLL) && stopped() {
                return false;
            }
            tarjan.enter(child);
        }
    }
    true
}

struct Tarjan<'g> {
    graph: &'g Graph,
    /// The order in which nodes were entered; also whether they were, and whether they are done with.
    index: Vec<u32>,
    next_index: u32,
    /// Nodes that were entered and are in no component yet.
    open: Vec<Node>,
    path: Vec<Frame>,
}

impl Tarjan<'_> {
    #[inline]
    fn enter(&mut self, node: Node) {
        let index = self.next_index;
        self.next_index += 1;
        self.index[node as usize] = index;
        self.open.push(node);
        // All targets are looked at here, at once: memory then answers for all of them together, and
        // not one by one between the descents. Those that are entered later cannot be lower. What is
        // unseen or finished is above every index.
        let targets = self.graph.targets(node);
        let low = targets.iter().map(|target| self.index[*target as usize]).fold(index, u32::min);
        let edges = self.graph.edges(node);
        self.path.push(Frame { node, index, low, edge: edges.start, end: edges.end });
    }

    /// Goes on with the last node of the path, and back along it, until there is a node to enter.
    #[inline]
    fn advance(&mut self, inside: impl Fn(Node) -> bool, found: &mut impl FnMut(&[Node])) -> Option<Node> {
        while let Some(frame) = self.path.last_mut() {
            while frame.edge < frame.end {
                let target = self.graph.target(frame.edge);
                frame.edge += 1;
                if self.index[target as usize] == UNSEEN && inside(target) {
                    return Some(target);
                }
            }
            self.leave(found);
        }
        None
    }

    #[inline]
    fn leave(&mut self, found: &mut impl FnMut(&[Node])) {
        let Some(Frame { node, index, low, .. }) = self.path.pop() else { return };
        if low < index {
            if let Some(parent) = self.path.last_mut() {
                parent.low = parent.low.min(low);
            }
            return;
        }
        let start = self.open.iter().rposition(|member| *member == node).unwrap_or(0);
        found(&self.open[start..]);
        for member in self.open.drain(start..) {
            self.index[member as usize] = FINISHED;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::expand::Edges;
    use crate::shard::StateId;

    /// A path of so many nodes.
    fn path(nodes: u32) -> Graph {
        let mut graph = Graph::new(0);
        let targets: Vec<StateId> = (1..nodes).map(StateId).collect();
        let mut degrees = vec![1; targets.len()];
        degrees.push(0);
        let classes = vec![0; targets.len()];
        graph.append(&Edges { degrees, classes, ..Edges::default() }, &targets);
        graph
    }

    #[test]
    fn somebody_can_stop_a_descent() {
        let graph = path(POLL + 2);
        let looks = Cell::new(0);
        // The first look is at the only root; whatever comes later is on the way down.
        let stopped = || looks.replace(looks.get() + 1) > 0;
        let mut found = 0;
        assert!(!components(&graph, std::iter::once(0), |_| true, stopped, |_| found += 1));
        assert_eq!((looks.get(), found), (2, 0));
        assert!(components(&graph, std::iter::once(0), |_| true, || false, |_| found += 1));
        assert_eq!(found, POLL + 2);
    }
}
