//! Looks for fair behaviours that violate a liveness property.
//!
//! Such a behaviour ends up in a strongly connected set of states, or stops in one state. Fairness is
//! easier to satisfy in a larger set, so whatever is fair lies within a fair component of the whole
//! graph: these are found once, and each property looks at its own part of them only.

use crate::components::components;
use crate::fairness::Judge;
use crate::graph::{Graph, Node};
use crate::lasso::{Lasso, Stem, around, path_between};

const NO_CYCLE: u32 = u32::MAX;

/// One liveness formula, over numbered labels.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Claim {
    Eventually(usize),
    EventuallyAlways(usize),
    AlwaysEventually(usize),
    LeadsTo(usize, usize),
}

/// What all liveness properties share.
pub(crate) struct Liveness<'g> {
    graph: &'g Graph,
    fair_classes: usize,
    initial: u32,
    /// Whether each node is in a fair component.
    home: Vec<bool>,
    /// The nodes of fair components.
    homes: Vec<Node>,
}

impl<'g> Liveness<'g> {
    /// `initial` counts the initial states: they have the first numbers. `None` if stopped.
    pub(crate) fn new(
        graph: &'g Graph,
        fair_classes: usize,
        initial: u32,
        stopped: impl Fn() -> bool,
    ) -> Option<Self> {
        let mut judge = Judge::new(graph, fair_classes);
        let mut home = vec![false; graph.len() as usize];
        let mut homes = Vec::new();
        let all = 0..graph.len();
        let finished = components(
            graph,
            all,
            |_| true,
            stopped,
            |component| {
                if judge.can_stay(component) {
                    component.iter().for_each(|node| home[*node as usize] = true);
                    homes.extend_from_slice(component);
                }
            },
        );
        finished.then_some(Liveness { graph, fair_classes, initial, home, homes })
    }

    /// Memory held.
    pub(crate) fn bytes(&self) -> usize {
        self.home.capacity() + self.homes.capacity() * size_of::<Node>()
    }

    /// A behaviour that violates the claim, if there is one.
    pub(crate) fn violation(&self, claim: Claim) -> Option<Lasso> {
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
    fn ends_in(&self, region: impl Fn(Node) -> bool, wanted: impl Fn(Node) -> bool) -> Option<Lasso> {
        let stop = (0..self.graph.len()).find(|node| region(*node) && wanted(*node) && self.may_stop(*node));
        let cycles = self.cycles(&region, &wanted);
        let first = |cycle: &Vec<Node>| cycle.iter().copied().min();
        let cycle = cycles.into_iter().min_by_key(first);
        let cycle_start = cycle.as_ref().and_then(first);
        match (stop, cycle, cycle_start) {
            (stop, Some(cycle), Some(start)) if stop.is_none_or(|stop| start < stop) => {
                let cycle = around(self.graph, self.fair_classes, start, &cycle, wanted);
                Some(Lasso { stem: Stem::at(start), cycle })
            }
            (stop, _, _) => stop.map(|stop| Lasso { stem: Stem::at(stop), cycle: Vec::new() }),
        }
    }

    /// A behaviour that is, from some `trigger` state on, in `region` for ever.
    fn stays_after(&self, trigger: impl Fn(Node) -> bool, region: impl Fn(Node) -> bool) -> Option<Lasso> {
        let cycles = self.cycles(&region, |_| true);
        let mut cycle_of = vec![NO_CYCLE; self.graph.len() as usize];
        for (index, cycle) in cycles.iter().enumerate() {
            cycle.iter().for_each(|node| cycle_of[*node as usize] = index as u32);
        }
        let cycle_of = |node: Node| cycles.get(cycle_of[node as usize] as usize);
        let trapped = |node: Node| cycle_of(node).is_some() || self.may_stop(node);
        let starts = (0..self.graph.len()).filter(|node| trigger(*node) && region(*node));
        let stem = path_between(self.graph, starts, &region, |_, node| trapped(node))?;
        let cycle = cycle_of(stem.end)
            .map_or(Vec::new(), |cycle| around(self.graph, self.fair_classes, stem.end, cycle, |_| true));
        Some(Lasso { stem, cycle })
    }

    /// Whether a fair behaviour may stay in this state for ever, doing nothing: no fair class is enabled.
    fn may_stop(&self, node: Node) -> bool {
        self.graph.classes(node).iter().all(|class| usize::from(*class) >= self.fair_classes)
    }

    /// The components within `region` that a fair behaviour can go round in, if they have a `wanted` state.
    fn cycles(&self, region: impl Fn(Node) -> bool, wanted: impl Fn(Node) -> bool) -> Vec<Vec<Node>> {
        let mut cycles = Vec::new();
        let mut judge = Judge::new(self.graph, self.fair_classes);
        let inside = |node: Node| self.home[node as usize] && region(node);
        components(
            self.graph,
            self.homes.iter().copied(),
            inside,
            || false,
            |component| {
                if component.iter().any(|node| wanted(*node)) && judge.can_stay(component) {
                    cycles.push(component.to_vec());
                }
            },
        );
        cycles
    }
}
