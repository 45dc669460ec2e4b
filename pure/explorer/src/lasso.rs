//! Counterexamples of liveness: a way to a fair cycle, and round it.

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

/// Finds paths. What a search touched is wiped after it, so that many short ones are cheap.
pub(crate) struct Paths<'g> {
    graph: &'g Graph,
    /// For each node the edge by which it was reached, and from where.
    reached: Vec<(u32, Node)>,
    queue: Vec<Node>,
}

const UNSEEN: (u32, Node) = (u32::MAX, 0);
/// How a start is reached.
const START: u32 = u32::MAX - 1;

impl<'g> Paths<'g> {
    pub(crate) fn new(graph: &'g Graph) -> Self {
        Paths { graph, reached: vec![UNSEEN; graph.len() as usize], queue: Vec::new() }
    }

    /// The shortest path inside `region` from one of `starts` to a node that `arrived` likes, given the
    /// edge by which it is reached (`None` for a start).
    pub(crate) fn shortest(
        &mut self,
        starts: impl Iterator<Item = Node>,
        region: impl Fn(Node) -> bool,
        arrived: impl Fn(Option<u32>, Node) -> bool,
    ) -> Option<Stem> {
        let found = self.search(starts, region, arrived);
        for node in self.queue.drain(..) {
            self.reached[node as usize] = UNSEEN;
        }
        found
    }

    fn search(
        &mut self,
        starts: impl Iterator<Item = Node>,
        region: impl Fn(Node) -> bool,
        arrived: impl Fn(Option<u32>, Node) -> bool,
    ) -> Option<Stem> {
        for start in starts {
            if arrived(None, start) {
                return Some(Stem::at(start));
            }
            self.reach(start, START, start);
        }
        let mut next = 0;
        while let Some(node) = self.queue.get(next).copied() {
            next += 1;
            for edge in self.graph.edges(node) {
                let target = self.graph.target(edge);
                if !region(target) {
                    continue;
                }
                if arrived(Some(edge), target) {
                    let (start, mut edges) = self.way_to(node);
                    edges.push(edge);
                    return Some(Stem { start, edges, end: target });
                }
                self.reach(target, edge, node);
            }
        }
        None
    }

    fn reach(&mut self, node: Node, edge: u32, from: Node) {
        let reached = &mut self.reached[node as usize];
        if *reached == UNSEEN {
            *reached = (edge, from);
            self.queue.push(node);
        }
    }

    fn way_to(&self, mut node: Node) -> (Node, Vec<u32>) {
        let mut edges = Vec::new();
        while self.reached[node as usize].0 != START {
            let (edge, from) = self.reached[node as usize];
            edges.push(edge);
            node = from;
        }
        edges.reverse();
        (node, edges)
    }
}

/// A cycle from `start` round a fair component that has a `wanted` state: through such a state, and for
/// every fair class through a state in which it is disabled, or by a step that takes it.
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
    let mut duties = Duties { wanted: true, classes: (0..fair_classes as u16).collect() };
    let mut paths = Paths::new(graph);
    let mut cycle = Vec::new();
    let mut node = start;
    duties.visit(graph, &wanted, None, node);
    while !duties.done() {
        let helps = |edge: Option<u32>, node: Node| duties.helped_by(graph, &wanted, edge, node);
        let Some(way) = paths.shortest(std::iter::once(node), inside, helps) else { break };
        for edge in &way.edges {
            duties.visit(graph, &wanted, Some(*edge), graph.target(*edge));
        }
        cycle.extend(way.edges);
        node = way.end;
    }
    if node != start || cycle.is_empty() {
        let home = |edge: Option<u32>, node: Node| edge.is_some() && node == start;
        let way = paths.shortest(std::iter::once(node), inside, home);
        cycle.extend(way.into_iter().flat_map(|way| way.edges));
    }
    cycle
}

/// What a cycle must still do to be a fair violation.
struct Duties {
    wanted: bool,
    /// Fair classes that were neither taken nor seen disabled.
    classes: Vec<u16>,
}

impl Duties {
    fn done(&self) -> bool {
        !self.wanted && self.classes.is_empty()
    }

    fn satisfied(graph: &Graph, class: u16, edge: Option<u32>, node: Node) -> bool {
        edge.is_some_and(|edge| graph.class(edge) == class) || !graph.classes(node).contains(&class)
    }

    fn helped_by(&self, graph: &Graph, wanted: impl Fn(Node) -> bool, edge: Option<u32>, node: Node) -> bool {
        self.wanted && wanted(node)
            || self.classes.iter().any(|class| Self::satisfied(graph, *class, edge, node))
    }

    fn visit(&mut self, graph: &Graph, wanted: impl Fn(Node) -> bool, edge: Option<u32>, node: Node) {
        self.wanted &= !wanted(node);
        self.classes.retain(|class| !Self::satisfied(graph, *class, edge, node));
    }
}
