//! Counterexamples of liveness: a way to a fair cycle, and round it.

use std::collections::VecDeque;

use crate::graph::{Graph, Node};

/// A way within the graph, from a node that the search knows a shortest path to.
#[derive(Clone, Debug)]
pub(crate) struct Stem {
    pub(crate) start: Node,
    pub(crate) edges: Vec<u32>,
    pub(crate) end: Node,
}

impl Stem {
    /// Nothing more than the shortest path to a node.
    pub(crate) fn at(node: Node) -> Stem {
        Stem { start: node, edges: Vec::new(), end: node }
    }
}

/// A behaviour that never ends: the stem, then the cycle for ever; without a cycle it stops.
#[derive(Clone, Debug)]
pub(crate) struct Lasso {
    pub(crate) stem: Stem,
    pub(crate) cycle: Vec<u32>,
}

/// The shortest path inside `region` from one of `starts` to a node that `arrived` likes, given the
/// edge by which it is reached (`None` for a start).
pub(crate) fn path_between(
    graph: &Graph,
    starts: impl Iterator<Item = Node>,
    region: impl Fn(Node) -> bool,
    arrived: impl Fn(Option<u32>, Node) -> bool,
) -> Option<Stem> {
    const UNSEEN: u32 = u32::MAX;
    const START: u32 = u32::MAX - 1;
    // For each node the edge by which it was reached, and from where.
    let mut reached: Vec<(u32, Node)> = vec![(UNSEEN, 0); graph.len() as usize];
    let trace_back = |reached: &[(u32, Node)], mut node: Node| {
        let mut edges = Vec::new();
        while reached[node as usize].0 != START {
            let (edge, from) = reached[node as usize];
            edges.push(edge);
            node = from;
        }
        edges.reverse();
        (node, edges)
    };
    let mut queue = VecDeque::new();
    for start in starts {
        if arrived(None, start) {
            return Some(Stem::at(start));
        }
        reached[start as usize] = (START, start);
        queue.push_back(start);
    }
    while let Some(node) = queue.pop_front() {
        for edge in graph.edges(node) {
            let target = graph.target(edge);
            if !region(target) {
                continue;
            }
            if arrived(Some(edge), target) {
                let (start, mut edges) = trace_back(&reached, node);
                edges.push(edge);
                return Some(Stem { start, edges, end: target });
            }
            if reached[target as usize].0 == UNSEEN {
                reached[target as usize] = (edge, node);
                queue.push_back(target);
            }
        }
    }
    None
}

/// A cycle from `start` round a fair component: through a `wanted` state, and for every fair class
/// through a state in which it is disabled, or else by a step that takes it.
pub(crate) fn around(
    graph: &Graph,
    fair_classes: usize,
    start: Node,
    component: &[Node],
    wanted: impl Fn(Node) -> bool,
) -> Vec<u32> {
    let mut members = vec![false; graph.len() as usize];
    component.iter().for_each(|node| members[*node as usize] = true);
    let inside = |node: Node| members[node as usize];
    let mut duties = Duties::new(graph, fair_classes, component, &wanted);
    let mut cycle = Vec::new();
    let mut node = start;
    duties.visit(graph, &wanted, None, node);
    while !duties.done() {
        let helps = |edge: Option<u32>, node: Node| duties.helped_by(graph, &wanted, edge, node);
        let Some(way) = path_between(graph, std::iter::once(node), inside, helps) else { break };
        for edge in &way.edges {
            duties.visit(graph, &wanted, Some(*edge), graph.target(*edge));
        }
        cycle.extend(way.edges);
        node = way.end;
    }
    if node != start || cycle.is_empty() {
        let home = |edge: Option<u32>, node: Node| edge.is_some() && node == start;
        let way = path_between(graph, std::iter::once(node), inside, home);
        cycle.extend(way.into_iter().flat_map(|way| way.edges));
    }
    cycle
}

/// What a cycle must still do to be a fair violation.
struct Duties {
    wanted: bool,
    /// Fair classes, and whether each can be satisfied by a state in which it is disabled.
    classes: Vec<(u16, bool)>,
}

impl Duties {
    fn new(graph: &Graph, fair_classes: usize, component: &[Node], wanted: impl Fn(Node) -> bool) -> Duties {
        let somewhere_disabled =
            |class: &u16| component.iter().any(|node| !graph.classes(*node).contains(class));
        let classes = (0..fair_classes as u16).map(|class| (class, somewhere_disabled(&class))).collect();
        Duties { wanted: component.iter().any(|node| wanted(*node)), classes }
    }

    fn done(&self) -> bool {
        !self.wanted && self.classes.is_empty()
    }

    fn satisfied(graph: &Graph, duty: (u16, bool), edge: Option<u32>, node: Node) -> bool {
        let (class, by_disabled) = duty;
        edge.is_some_and(|edge| graph.class(edge) == class)
            || by_disabled && !graph.classes(node).contains(&class)
    }

    fn helped_by(&self, graph: &Graph, wanted: impl Fn(Node) -> bool, edge: Option<u32>, node: Node) -> bool {
        self.wanted && wanted(node)
            || self.classes.iter().any(|duty| Self::satisfied(graph, *duty, edge, node))
    }

    fn visit(&mut self, graph: &Graph, wanted: impl Fn(Node) -> bool, edge: Option<u32>, node: Node) {
        self.wanted &= !wanted(node);
        self.classes.retain(|duty| !Self::satisfied(graph, *duty, edge, node));
    }
}
