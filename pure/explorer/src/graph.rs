//! The graph of a complete search, for liveness: states numbered breadth-first, their edges and labels.

use crate::expand::Edges;
use crate::parallel::in_parallel;
use crate::shard::{SHARDS, Shard, StateId};
use crate::shelf::Shelf;

/// A state's number in the graph: breadth-first, so a smaller one is at most as deep.
pub(crate) type Node = u32;

/// Edges by the state they leave. Steps that change nothing are no edges.
pub(crate) struct Graph {
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
            ends: Vec::new(),
            targets: Vec::new(),
            classes: Vec::new(),
            labels: Vec::new(),
            stride: labels.div_ceil(8),
        }
    }

    /// Adds the next states' edges; `targets` has one id for each edge.
    pub(crate) fn append<'a>(&mut self, edges: &Edges, targets: impl Iterator<Item = &'a StateId>) {
        let mut end = self.targets.len();
        self.targets.extend(targets.map(|id| id.0));
        assert!(u32::try_from(self.targets.len()).is_ok(), "more steps than can be numbered");
        self.ends.extend(edges.degrees.iter().map(|degree| {
            end += *degree as usize;
            end as u32
        }));
        self.classes.extend_from_slice(&edges.classes);
        self.labels.extend_from_slice(&edges.labels);
    }

    /// Turns state ids into numbers.
    pub(crate) fn finish<S, H: Shelf<S>>(&mut self, shards: &[Shard<H>], threads: usize) {
        let mut numbers: Vec<Vec<Node>> =
            shards.iter().map(|shard| Vec::with_capacity(shard.shelf.len() as usize)).collect();
        let mut next: Node = 0;
        for level in 1..shards.first().map_or(0, |shard| shard.levels.len()) {
            for (shard, numbers) in shards.iter().zip(&mut numbers) {
                let size = shard.levels[level] - shard.levels[level - 1];
                numbers.extend(next..next + size);
                next += size;
            }
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

    pub(crate) fn bytes(&self) -> usize {
        self.ends.capacity() * size_of::<u32>()
            + self.targets.capacity() * size_of::<u32>()
            + self.classes.capacity() * size_of::<u16>()
            + self.labels.capacity()
    }
}

/// The id of a node: the inverse of the numbering in [`Graph::finish`].
pub(crate) fn id_of<H>(shards: &[Shard<H>], node: Node) -> StateId {
    let mut left = node;
    for level in 1.. {
        for (index, shard) in shards.iter().enumerate() {
            let size = shard.levels[level] - shard.levels[level - 1];
            if left < size {
                return StateId::new(index, shard.levels[level - 1] + left);
            }
            left -= size;
        }
    }
    unreachable!("node {node} was found in one of {SHARDS} shards")
}
