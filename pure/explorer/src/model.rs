//! What is explored: a transition system with named, classed actions.

use std::hash::Hash;

use crate::property::Property;

/// A transition system.
///
/// States are compared, hashed and kept by the million: make them flat and small. An action that
/// [`Model::actions`] lists is one transition; two actions may lead to the same state.
pub trait Model: Sync + Sized {
    /// One state of the system. States that are not equal should also hash differently.
    type State: Clone + Eq + Hash + Send + Sync;
    /// What takes the system from one state to the next.
    type Action: Clone + Send + Sync;

    /// The initial states, at least one.
    fn init(&self) -> Vec<Self::State>;

    /// Appends every action that is enabled in `state`, always in the same order.
    ///
    /// Bounds of a model belong here, as enabling conditions: what is not listed does not happen.
    fn actions(&self, state: &Self::State, out: &mut Vec<Self::Action>);

    /// The state after `action`, which is one that [`Model::actions`] listed for `state`.
    fn next(&self, state: &Self::State, action: &Self::Action) -> Self::State;

    /// What is claimed of the system.
    fn properties(&self) -> Vec<Property<Self>>;

    /// The fairness class of an action; weak fairness is per class.
    fn class(&self, _action: &Self::Action) -> Class {
        Class::UNFAIR
    }

    /// The names of the weakly fair classes: the name at index `i` is that of `Class::new(i)`.
    fn fairness(&self) -> Vec<String> {
        Vec::new()
    }

    /// Brings a state into normal form: equal up to the names of opaque things (versions, uids).
    ///
    /// Two states with one normal form must have the same future: steps of the same fairness classes to
    /// states that again have one normal form, and the same truth of every predicate. So what is
    /// renamed must not be what a class or a property names: that would be symmetry. A step that
    /// changes a state is a step, also if the normal form stays the same.
    fn canonical(&self, state: Self::State) -> Self::State {
        state
    }

    /// The representative of a state among those that a permutation of like parts gives, or `None`
    /// if the model has no such symmetry. Used on request, and only for safety. The permutations must
    /// preserve steps, and the truth of every property of states and steps.
    fn representative(&self, _state: &Self::State) -> Option<Self::State> {
        None
    }

    /// How people call an action.
    fn action_name(&self, action: &Self::Action) -> String;

    /// A state as people read it: variables and their values, always the same variables in the
    /// same order, so that two states can be compared line by line.
    fn fields(&self, state: &Self::State) -> Vec<Field>;
}

/// The fairness class of an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Class(pub(crate) u16);

impl Class {
    /// Nothing obliges an action of this class to happen.
    pub const UNFAIR: Class = Class(u16::MAX);

    /// The class whose name is at `index` in [`Model::fairness`].
    pub const fn new(index: u16) -> Class {
        assert!(index != u16::MAX, "there are fewer classes than that");
        Class(index)
    }
}

/// A variable of a state, and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The variable, with its index if it has one: `workers[w1].st`.
    pub name: String,
    /// The value.
    pub value: String,
}

impl Field {
    /// A variable and its value.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Field {
        Field { name: name.into(), value: value.into() }
    }
}
