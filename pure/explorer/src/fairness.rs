//! Which strongly connected sets of states a fair behaviour can stay in for ever.

use crate::graph::{Graph, Node};

/// Judges components. Weak fairness of a class: it is taken again and again, or disabled again and
/// again. So a behaviour can visit just the states of a component for ever if each fair class has a
/// step inside, or a state in which it is disabled.
pub(crate) struct Judge<'g> {
    graph: &'g Graph,
    fair_classes: u16,
    /// The component in which each node was last put.
    component: Vec<u32>,
    current: u32,
    /// Classes with neither a step inside nor a state in which they are disabled so far.
    open: Vec<u16>,
}

impl<'g> Judge<'g> {
    pub(crate) fn new(graph: &'g Graph, fair_classes: usize) -> Self {
        Judge {
            graph,
            fair_classes: fair_classes as u16,
            component: vec![0; graph.len() as usize],
            current: 0,
            open: Vec::new(),
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
        self.open.clear();
        self.open.extend(0..self.fair_classes);
        for node in component {
            if self.open.is_empty() {
                break;
            }
            let (classes, targets) = (self.graph.classes(*node), self.graph.targets(*node));
            let (inside, current) = (&self.component, self.current);
            self.open.retain(|open| {
                // Enabled is a matter of the whole graph, taken a matter of this component.
                let mut steps = classes.iter().zip(targets).filter(|(class, _)| *class == open).peekable();
                steps.peek().is_some() && steps.all(|(_, target)| inside[*target as usize] != current)
            });
        }
        self.open.is_empty()
    }
}
