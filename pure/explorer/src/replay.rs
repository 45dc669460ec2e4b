//! Turns what a search remembers (parents, edges) back into behaviours that people can read, by
//! running the model along them.

use crate::graph::Graph;
use crate::lasso::Lasso;
use crate::model::Model;
use crate::panics::{Panicked, fields, locate, name};
use crate::plan::Plan;
use crate::property::Property;
use crate::report::{Cycle, Step, Trace};
use crate::shard::{Shard, StateId};
use crate::shelf::Shelf;

/// Replays paths of one search.
pub(crate) struct Replay<'a, M: Model, H> {
    pub(crate) plan: &'a Plan<'a, M>,
    pub(crate) shards: &'a [Shard<H>],
}

/// A behaviour being put together.
struct Behaviour<M: Model> {
    state: M::State,
    steps: Vec<Step>,
}

impl<M: Model, H: Shelf<M::State>> Replay<'_, M, H> {
    /// A shortest path to a state.
    pub(crate) fn to_state(&self, id: StateId) -> Trace {
        Trace { steps: self.shortest(id).steps, cycle: None }
    }

    /// A shortest path to a state, then a step there that violates the property.
    pub(crate) fn to_step(&self, id: StateId, property: &Property<M>) -> Trace {
        let model = self.plan.model;
        let mut behaviour = self.shortest(id);
        let mut actions = Vec::new();
        model.actions(&behaviour.state, &mut actions);
        let step = actions.iter().find_map(|action| {
            let next = model.next(&behaviour.state, action);
            let violates =
                next != behaviour.state && !property.allows(model, &behaviour.state, action, &next);
            violates.then(|| (action, model.canonical(next)))
        });
        let (action, next) = step.expect("symmetry preserves properties of steps");
        behaviour.push(model, action, next);
        Trace { steps: behaviour.steps, cycle: None }
    }

    /// A shortest path to the state in which the model panicked, and at what it did.
    pub(crate) fn to_panic(&self, panicked: &Panicked) -> (Trace, String) {
        if panicked.state == StateId::NONE {
            return (
                Trace { steps: Vec::new(), cycle: None },
                format!("initial states: {}", panicked.message),
            );
        }
        let behaviour = self.shortest(panicked.state);
        let message = locate(self.plan, &behaviour.state, &panicked.message);
        (Trace { steps: behaviour.steps, cycle: None }, message)
    }

    /// A lasso; every step of it is one of the model's, and takes the class that its edge does.
    pub(crate) fn lasso(&self, graph: &Graph, lasso: &Lasso) -> Trace {
        let mut behaviour = self.shortest(graph.id(lasso.stem.start));
        for edge in &lasso.stem.edges {
            self.follow(graph, &mut behaviour, *edge);
        }
        let loops_to = behaviour.steps.len();
        for edge in &lasso.cycle {
            self.follow(graph, &mut behaviour, *edge);
        }
        // The last step returns to the state from which the cycle began.
        let action = match lasso.cycle.is_empty() {
            true => None,
            false => behaviour.steps.pop().and_then(|step| step.action),
        };
        Trace { steps: behaviour.steps, cycle: Some(Cycle { loops_to, action }) }
    }

    fn shortest(&self, id: StateId) -> Behaviour<M> {
        let mut path = vec![id];
        let mut at = id;
        loop {
            at = self.shards[at.shard()].parents[at.local() as usize];
            if at == StateId::NONE {
                break;
            }
            path.push(at);
        }
        let mut ids = path.into_iter().rev();
        let first = ids.next().unwrap_or(id);
        let initial = self.plan.model.init().into_iter().map(|state| self.plan.model.canonical(state));
        let initial = initial.into_iter().find(|state| self.is(first, state));
        let state = initial.expect("the first state of a path is an initial one");
        let step = Step { action: None, state: fields(self.plan.model, &state) };
        let mut behaviour = Behaviour { state, steps: vec![step] };
        ids.for_each(|id| self.advance(&mut behaviour, id, None));
        behaviour
    }

    fn follow(&self, graph: &Graph, behaviour: &mut Behaviour<M>, edge: u32) {
        let target = graph.id(graph.target(edge));
        self.advance(behaviour, target, Some(graph.class(edge)));
    }

    /// Takes the first step to the state `id`, and of this class if one is given.
    fn advance(&self, behaviour: &mut Behaviour<M>, id: StateId, class: Option<u16>) {
        let model = self.plan.model;
        let mut actions = Vec::new();
        model.actions(&behaviour.state, &mut actions);
        let right_class = |action: &M::Action| class.is_none_or(|class| model.class(action).0 == class);
        let step = actions.iter().filter(|action| right_class(action)).find_map(|action| {
            let next = model.next(&behaviour.state, action);
            // Stuttering is no step, also where the normal form of a real one is the same state.
            let changed = next != behaviour.state;
            let next = model.canonical(next);
            (changed && self.is(id, &next)).then_some((action, next))
        });
        let (action, next) = step.expect("a step that was explored can be taken again");
        behaviour.push(model, action, next);
    }

    /// Whether the search keeps this state under this id.
    fn is(&self, id: StateId, state: &M::State) -> bool {
        let shelf = &self.shards[id.shard()].shelf;
        match self.plan.symmetry {
            false => shelf.holds(id.local(), H::mark(state), state),
            true => {
                let state = self.plan.normal(state.clone());
                shelf.holds(id.local(), H::mark(&state), &state)
            }
        }
    }
}

impl<M: Model> Behaviour<M> {
    fn push(&mut self, model: &M, action: &M::Action, next: M::State) {
        self.steps.push(Step { action: Some(name(model, action)), state: fields(model, &next) });
        self.state = next;
    }
}
