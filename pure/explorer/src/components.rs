//! Strongly connected components, by Tarjan's algorithm with a stack of its own: a path through a
//! model is longer than any thread's stack.

use crate::graph::{Graph, Node};

const UNSEEN: u32 = u32::MAX;
/// Greater than every index: what is in a finished component holds nobody's low link down.
const FINISHED: u32 = u32::MAX - 1;

/// How many nodes are entered between two looks at whether to stop.
const POLL: u32 = 1 << 16;

/// A node whose edges are being followed.
struct Frame {
    node: Node,
    index: u32,
    edge: u32,
}

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
    let mut low = vec![UNSEEN; graph.len() as usize];
    let mut open: Vec<Node> = Vec::new();
    let mut path: Vec<Frame> = Vec::new();
    let mut next_index = 0;
    for root in roots {
        if low[root as usize] != UNSEEN || !inside(root) {
            continue;
        }
        enter(graph, root, &mut low, &mut open, &mut path, &mut next_index);
        while let Some(frame) = path.last_mut() {
            if frame.edge < graph.edges(frame.node).end {
                let target = graph.target(frame.edge);
                frame.edge += 1;
                let seen = low[target as usize];
                if seen == UNSEEN {
                    if inside(target) {
                        if next_index.is_multiple_of(POLL) && stopped() {
                            return false;
                        }
                        enter(graph, target, &mut low, &mut open, &mut path, &mut next_index);
                    }
                } else if seen < low[frame.node as usize] {
                    low[frame.node as usize] = seen;
                }
            } else {
                let (node, index) = (frame.node, frame.index);
                path.pop();
                leave(node, index, &mut low, &mut open, &mut path, &mut found);
            }
        }
    }
    true
}

#[inline]
fn enter(
    graph: &Graph,
    node: Node,
    low: &mut [u32],
    open: &mut Vec<Node>,
    path: &mut Vec<Frame>,
    next_index: &mut u32,
) {
    low[node as usize] = *next_index;
    open.push(node);
    path.push(Frame { node, index: *next_index, edge: graph.edges(node).start });
    *next_index += 1;
}

#[inline]
fn leave(
    node: Node,
    index: u32,
    low: &mut [u32],
    open: &mut Vec<Node>,
    path: &mut [Frame],
    found: &mut impl FnMut(&[Node]),
) {
    let lowest = low[node as usize];
    if let Some(parent) = path.last()
        && lowest < low[parent.node as usize]
    {
        low[parent.node as usize] = lowest;
    }
    if lowest == index {
        let start = open.iter().rposition(|member| *member == node).unwrap_or(0);
        found(&open[start..]);
        for member in open.drain(start..) {
            low[member as usize] = FINISHED;
        }
    }
}
