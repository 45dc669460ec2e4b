//! A naive search that knows states by what `fields` shows, and what it finds wrong with a model.

use std::collections::{BTreeMap, BTreeSet};

use bowline_explorer::{Class, Model};

/// Everything that can be reached, by what it looks like.
pub(crate) struct Reached<M: Model> {
    pub(crate) states: BTreeMap<String, M::State>,
    generated: usize,
    depth: usize,
}

impl<M: Model> Reached<M> {
    pub(crate) fn counts(&self) -> (usize, usize, usize) {
        (self.states.len(), self.generated, self.depth)
    }
}

pub(crate) fn show<M: Model>(model: &M, state: &M::State) -> String {
    model.fields(state).into_iter().map(|field| format!("{} = {}\n", field.name, field.value)).collect()
}

/// Explores breadth-first, taking states for equal if they look equal; so it counts right only if
/// `fields` shows everything.
pub(crate) fn reach<M: Model>(model: &M) -> Reached<M> {
    let mut reached = Reached { states: BTreeMap::new(), generated: 0, depth: 0 };
    let mut frontier: Vec<_> = model.init().into_iter().map(|state| model.canonical(state)).collect();
    while !frontier.is_empty() {
        reached.generated += frontier.len();
        let mut found = Vec::new();
        for state in frontier {
            if reached.states.insert(show(model, &state), state.clone()).is_none() {
                found.push(state);
            }
        }
        reached.depth += usize::from(!found.is_empty());
        let next = found.iter().flat_map(|state| successors(model, state));
        frontier = next.map(|state| model.canonical(state)).collect();
    }
    reached
}

pub(crate) fn successors<M: Model>(model: &M, state: &M::State) -> Vec<M::State> {
    let mut actions = Vec::new();
    model.actions(state, &mut actions);
    actions.iter().map(|action| model.next(state, action)).collect()
}

/// Checks what the explorer asks of every model, and what people do.
pub(crate) fn is_well_formed<M: Model>(model: &M) {
    let names =
        |state: &M::State| model.fields(state).into_iter().map(|field| field.name).collect::<Vec<_>>();
    let first = model.init().first().map(&names);
    for state in reach(model).states.values() {
        assert_eq!(Some(names(state)), first, "every state has the same variables");
        let mut actions = Vec::new();
        model.actions(state, &mut actions);
        let called: BTreeSet<_> = actions.iter().map(|action| model.action_name(action)).collect();
        assert_eq!(called.len(), actions.len(), "every enabled action has a name of its own: {called:?}");
        actions.iter().for_each(|action| is_in_its_class(model, action));
    }
    for property in model.properties() {
        assert!(!property.meaning().is_empty(), "{} says what it means", property.name());
    }
}

/// A class is called like its actions, up to what they choose: `ApplyFinish(w1)`; or it is `Next`, or the one who is sure to do
/// something to a place.
fn is_in_its_class<M: Model>(model: &M, action: &M::Action) {
    let class = model.class(action);
    if class == Class::UNFAIR {
        return;
    }
    let mut classes = (0..).zip(model.fairness());
    let name = classes.find(|(index, _)| Class::new(*index) == class).map(|(_, name)| name);
    let name = name.expect("the class has a name");
    let action = model.action_name(action);
    let place = name.strip_prefix("Runner");
    assert!(
        name == "Next"
            || action.starts_with(name.trim_end_matches(')'))
            || place.is_some_and(|place| action.ends_with(place)),
        "{action} is in {name}"
    );
}
