//! The graph of a complete search, for liveness: states numbered breadth-first, their edges and labels.

use crate::expand::Edges;
use crate::parallel::in_parallel;
use crate::shard::{SHARDS, StateId};

/// A state's number in the graph: breadth-first, so a smaller one is at most as deep.
pub(crate) type Node = u32;

/// How many steps can be numbered: paths through the graph keep the last two numbers for themselves.
pub(crate) const MOST_STEPS: usize = u32::MAX as usize - 1;

/// Edges by the state they leave. Steps that change nothing are no edges.
pub(crate) struct Graph {
    /// The id of each node.
    ids: Vec<StateId>,
    /// Where the edges of each node end; they begin where those of the node before it end.
    ends: Vec<u32>,
    /// Before [`Graph::finish`] these are state ids.
    targets: Vec<u32>,
    classes: Vec<u16>,
    labels: Vec<u8>,
    /// Bytes of a row of labels.
    stride: usize,
}

impl Graph {
    pub(crate) fn new(labels: usize) -> Graph {
        Graph {
            ids: Vec::new(),
            ends: Vec::new(),
            targets: Vec::new(),
            classes: Vec::new(),
            labels: Vec::new(),
            stride: labels.div_ceil(8),
        }
    }

    /// Adds the next states' edges; `targets` has one id for each.
    pub(crate) fn append(&mut self, edges: &Edges, targets: &[StateId]) {
        let mut end = self.targets.len();
        self.targets.extend(targets.iter().map(|id| id.0));
        assert!(self.targets.len() <= MOST_STEPS, "more steps than can be numbered");
        self.ends.extend(edges.degrees.iter().map(|degree| {
            end += *degree as usize;
            end as u32
        }));
        self.classes.extend_from_slice(&edges.classes);
        self.labels.extend_from_slice(&edges.labels);
    }

    /// Adds states, in the order in which they were found: that is their number.
    pub(crate) fn extend(&mut self, found: &[StateId]) {
        self.ids.extend_from_slice(found);
    }

    /// Turns state ids into numbers.
    pub(crate) fn finish(&mut self, threads: usize) {
        let mut numbers: Vec<Vec<Node>> = vec![Vec::new(); SHARDS];
        for (node, id) in self.ids.iter().enumerate() {
            // A shard numbers its states in the same order.
            numbers[id.shard()].push(node as Node);
        }
        let share = self.targets.len().div_ceil(threads).max(1);
        let mut work: Vec<_> = self.targets.chunks_mut(share).collect();
        in_parallel(&mut work, |targets| {
            for target in targets.iter_mut() {
                let id = StateId(*target);
                *target = numbers[id.shard()][id.local() as usize];
            }
        });
    }

    /// The id of a node.
    pub(crate) fn id(&self, node: Node) -> StateId {
        self.ids[node as usize]
    }

    /// How many steps there are.
    pub(crate) fn steps(&self) -> usize {
        self.targets.len()
    }

    pub(crate) fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    /// The positions of a node's edges.
    #[inline]
    pub(crate) fn edges(&self, node: Node) -> std::ops::Range<u32> {
        let start = if node == 0 { 0 } else { self.ends[node as usize - 1] };
        start..self.ends[node as usize]
    }

    #[inline]
    pub(crate) fn target(&self, edge: u32) -> Node {
        self.targets[edge as usize]
    }

    #[inline]
    pub(crate) fn targets(&self, node: Node) -> &[Node] {
        let edges = self.edges(node);
        &self.targets[edges.start as usize..edges.end as usize]
    }

    #[inline]
    pub(crate) fn classes(&self, node: Node) -> &[u16] {
        let edges = self.edges(node);
        &self.classes[edges.start as usize..edges.end as usize]
    }

    #[inline]
    pub(crate) fn class(&self, edge: u32) -> u16 {
        self.classes[edge as usize]
    }

    /// Whether the predicate with this number holds in a node.
    #[inline]
    pub(crate) fn label(&self, node: Node, label: usize) -> bool {
        self.labels[node as usize * self.stride + label / 8] >> (label % 8) & 1 == 1
    }

    /// Memory held, what vectors keep in reserve left out: it depends on how edges came.
    pub(crate) fn bytes(&self) -> usize {
        (self.ids.len() + self.ends.len() + self.targets.len()) * size_of::<u32>()
            + self.classes.len() * size_of::<u16>()
            + self.labels.len()
    }
}
