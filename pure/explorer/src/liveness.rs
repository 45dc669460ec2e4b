//! Looks for fair behaviours that violate a liveness property.
//!
//! Such a behaviour ends up in a strongly connected set of states, or stops in one state. Fairness is
//! easier to satisfy in a larger set, so whatever is fair lies within a fair component of the whole
//! graph: these are found once, and each property looks at its own part of them only.

use crate::components::{FRAME_BYTES, components};
use crate::fairness::Judge;
use crate::graph::{Graph, Node};
use crate::lasso::{Lasso, Paths, Stem, around};

/// One liveness formula, over numbered labels.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Claim {
    Eventually(usize),
    EventuallyAlways(usize),
    AlwaysEventually(usize),
    LeadsTo(usize, usize),
}

/// Somebody asked to stop before the answer was known.
#[derive(Debug)]
pub(crate) struct Stopped;

/// What all liveness properties share.
pub(crate) struct Liveness<'g> {
    graph: &'g Graph,
    stopped: &'g dyn Fn() -> bool,
    fair_classes: usize,
    initial: u32,
    /// The fair components of the whole graph, one after the other, and where each ends.
    homes: Vec<Node>,
    ends: Vec<usize>,
}

impl<'g> Liveness<'g> {
    /// `initial` counts the initial states: they have the first numbers.
    pub(crate) fn new(
        graph: &'g Graph,
        fair_classes: usize,
        initial: u32,
        stopped: &'g dyn Fn() -> bool,
    ) -> Result<Self, Stopped> {
        let mut judge = Judge::new(graph, fair_classes);
        let (mut homes, mut ends) = (Vec::new(), Vec::new());
        let all = 0..graph.len();
        let finished = components(
            graph,
            all,
            |_| true,
            stopped,
            |component| {
                if judge.can_stay(component) {
                    homes.extend_from_slice(component);
                    ends.push(homes.len());
                }
            },
        );
        let liveness = Liveness { graph, stopped, fair_classes, initial, homes, ends };
        if finished { Ok(liveness) } else { Err(Stopped) }
    }

    /// The most memory that the check of such a graph fills beside it, if every node is a fair component, is on
    /// one path, and is marked by a property. Looking for a path afterwards takes less.
    pub(crate) fn worst_bytes(graph: &Graph) -> u64 {
        const HOMES: usize = size_of::<Node>() + size_of::<usize>();
        const COMPONENTS: usize = 2 * size_of::<Node>() + FRAME_BYTES;
        const JUDGE: usize = size_of::<u32>();
        const MARKS: usize = 2 * size_of::<Node>() + size_of::<bool>();
        u64::from(graph.len()) * (HOMES + COMPONENTS + JUDGE + MARKS) as u64
    }

    /// A behaviour that violates the claim, if there is one.
    pub(crate) fn violation(&self, claim: Claim) -> Result<Option<Lasso>, Stopped> {
        let graph = self.graph;
        match claim {
            // Not p again and again: the cycle may be anywhere, but must pass a state without p.
            Claim::EventuallyAlways(p) => self.ends_in(|_| true, |node| !graph.label(node, p)),
            Claim::AlwaysEventually(p) => self.ends_in(|node| !graph.label(node, p), |_| true),
            Claim::Eventually(p) => {
                self.stays_after(|node| node < self.initial, |node| !graph.label(node, p))
            }
            Claim::LeadsTo(p, q) => {
                self.stays_after(|node| graph.label(node, p), |node| !graph.label(node, q))
            }
        }
    }

    /// A behaviour that is in `region` from some time on, and again and again in a `wanted` state.
    fn ends_in(
        &self,
        region: impl Fn(Node) -> bool,
        wanted: impl Fn(Node) -> bool,
    ) -> Result<Option<Lasso>, Stopped> {
        // Nodes are numbered breadth-first: what has the first node is nearest.
        let first = |cycle: &[Node]| cycle.iter().copied().min().unwrap_or(Node::MAX);
        let mut nearest: Vec<Node> = Vec::new();
        self.for_each_cycle(&region, |cycle| {
            if cycle.iter().any(|node| wanted(*node)) && first(cycle) < first(&nearest) {
                nearest = cycle.to_vec();
            }
        })?;
        let stop = (0..self.graph.len()).find(|node| region(*node) && wanted(*node) && self.may_stop(*node));
        Ok(match stop {
            Some(stop) if stop <= first(&nearest) => Some(Lasso { stem: Stem::at(stop), cycle: Vec::new() }),
            _ if nearest.is_empty() => None,
            _ => Some(self.lasso(Stem::at(first(&nearest)), &nearest, wanted)),
        })
    }

    /// A behaviour that is, from some `trigger` state on, in `region` for ever.
    fn stays_after(
        &self,
        trigger: impl Fn(Node) -> bool,
        region: impl Fn(Node) -> bool,
    ) -> Result<Option<Lasso>, Stopped> {
        const NONE: u32 = 0;
        let mut cycle_of = vec![NONE; self.graph.len() as usize];
        let mut cycles = NONE;
        self.for_each_cycle(&region, |cycle| {
            cycles += 1;
            cycle.iter().for_each(|node| cycle_of[*node as usize] = cycles);
        })?;
        let trapped = |node: Node| cycle_of[node as usize] != NONE || self.may_stop(node);
        let starts = (0..self.graph.len()).filter(|node| trigger(*node) && region(*node));
        let stem = Paths::new(self.graph).shortest(starts, &region, |_, node| trapped(node));
        let Some(stem) = stem else { return Ok(None) };
        let cycle = cycle_of[stem.end as usize];
        if cycle == NONE {
            return Ok(Some(Lasso { stem, cycle: Vec::new() }));
        }
        let cycle: Vec<Node> =
            (0..self.graph.len()).filter(|node| cycle_of[*node as usize] == cycle).collect();
        Ok(Some(self.lasso(stem, &cycle, |_| true)))
    }

    fn lasso(&self, stem: Stem, cycle: &[Node], wanted: impl Fn(Node) -> bool) -> Lasso {
        let cycle = around(self.graph, self.fair_classes, stem.end, cycle, wanted);
        Lasso { stem, cycle }
    }

    /// Whether a fair behaviour may stay in this state for ever, doing nothing: no fair class is enabled.
    fn may_stop(&self, node: Node) -> bool {
        self.graph.classes(node).iter().all(|class| usize::from(*class) >= self.fair_classes)
    }

    /// The components within `region` that a fair behaviour can go round in.
    fn for_each_cycle(
        &self,
        region: impl Fn(Node) -> bool,
        mut found: impl FnMut(&[Node]),
    ) -> Result<(), Stopped> {
        // Fair components of which only a part is in the region: what that part falls into is to be seen.
        let mut parts: Vec<Node> = Vec::new();
        let mut start = 0;
        for end in &self.ends {
            let home = &self.homes[start..*end];
            start = *end;
            let inside = home.iter().filter(|node| region(**node)).count();
            if inside == home.len() {
                found(home);
            } else if inside > 0 {
                parts.extend(home.iter().filter(|node| region(**node)));
            }
        }
        if parts.is_empty() {
            return Ok(());
        }
        let mut in_parts = vec![false; self.graph.len() as usize];
        parts.iter().for_each(|node| in_parts[*node as usize] = true);
        let inside = |node: Node| in_parts[node as usize];
        let mut judge = Judge::new(self.graph, self.fair_classes);
        let finished = components(self.graph, parts.iter().copied(), inside, self.stopped, |component| {
            // A part of a fair component need not be fair.
            if judge.can_stay(component) {
                found(component);
            }
        });
        if finished { Ok(()) } else { Err(Stopped) }
    }
}
