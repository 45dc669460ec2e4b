//! Which strongly connected sets of states a fair behaviour can stay in for ever.

use crate::graph::{Graph, Node};

const NOWHERE: u32 = u32::MAX;

/// Judges components. Weak fairness of a class: it is taken again and again, or disabled again and
/// again. So a behaviour can visit just the states of a component for ever if each fair class has a
/// step inside, or a state in which it is disabled.
pub(crate) struct Judge<'g> {
    graph: &'g Graph,
    /// The component in which each node was last put.
    component: Vec<u32>,
    current: u32,
    classes: Vec<ClassTally>,
}

#[derive(Clone)]
struct ClassTally {
    /// In how many states of the component the class is enabled.
    enabled: u32,
    /// The last of them.
    last: Node,
    taken: bool,
}

impl<'g> Judge<'g> {
    pub(crate) fn new(graph: &'g Graph, fair_classes: usize) -> Self {
        let tally = ClassTally { enabled: 0, last: NOWHERE, taken: false };
        Judge {
            graph,
            component: vec![NOWHERE; graph.len() as usize],
            current: 0,
            classes: vec![tally; fair_classes],
        }
    }

    /// Whether some behaviour that visits all of these states, and no others, for ever is fair.
    ///
    /// A single state without an edge to itself cannot be gone round in.
    pub(crate) fn can_stay(&mut self, component: &[Node]) -> bool {
        if let [node] = component
            && !self.graph.targets(*node).contains(node)
        {
            return false;
        }
        self.current += 1;
        for node in component {
            self.component[*node as usize] = self.current;
        }
        for tally in &mut self.classes {
            *tally = ClassTally { enabled: 0, last: NOWHERE, taken: false };
        }
        for node in component {
            for (class, target) in self.graph.classes(*node).iter().zip(self.graph.targets(*node)) {
                let Some(tally) = self.classes.get_mut(usize::from(*class)) else { continue };
                // Enabled is a matter of the whole graph, taken a matter of this component.
                if tally.last != *node {
                    tally.last = *node;
                    tally.enabled += 1;
                }
                tally.taken |= self.component[*target as usize] == self.current;
            }
        }
        self.classes.iter().all(|tally| tally.taken || tally.enabled < component.len() as u32)
    }
}
