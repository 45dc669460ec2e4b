//! A model with one claim that is always true.

use bowline_explorer::{Class, Field, Model, Property};

/// The model inside, to be counted: stateright stops at once when there is nothing to check, so all
/// contestants check the same that costs nothing.
pub(crate) struct Counting<M>(pub(crate) M);

impl<M: Model> Model for Counting<M> {
    type State = M::State;
    type Action = M::Action;

    fn init(&self) -> Vec<M::State> {
        self.0.init()
    }

    #[inline]
    fn actions(&self, state: &M::State, out: &mut Vec<M::Action>) {
        self.0.actions(state, out);
    }

    #[inline]
    fn next(&self, state: &M::State, action: &M::Action) -> M::State {
        self.0.next(state, action)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("Counted", |_, _| true)]
    }

    #[inline]
    fn class(&self, action: &M::Action) -> Class {
        self.0.class(action)
    }

    fn fairness(&self) -> Vec<String> {
        self.0.fairness()
    }

    #[inline]
    fn canonical(&self, state: M::State) -> M::State {
        self.0.canonical(state)
    }

    fn representative(&self, state: &M::State) -> Option<M::State> {
        self.0.representative(state)
    }

    fn action_name(&self, action: &M::Action) -> String {
        self.0.action_name(action)
    }

    fn fields(&self, state: &M::State) -> Vec<Field> {
        self.0.fields(state)
    }
}
