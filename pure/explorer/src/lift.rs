//! Properties of a model, claimed of another that has it inside: a mutant of it, or it with more beside.

use crate::model::Model;
use crate::property::{Formula, Property, StateFn};

/// Where the model `M` is in the model `W`.
pub struct Lift<W: Model, M: Model> {
    /// The model inside.
    pub model: fn(&W) -> &M,
    /// Its state.
    pub state: fn(&W::State) -> &M::State,
    /// Its action, if the step is one of it.
    pub action: fn(&W::Action) -> Option<&M::Action>,
}

impl<W: Model, M: Model> Clone for Lift<W, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W: Model, M: Model> Copy for Lift<W, M> {}

impl<M: Model + 'static> Property<M> {
    /// The same claim of a model that has this one inside.
    ///
    /// A step of the outer model that changes nothing inside is none here. One that changes it by no action
    /// of the inner model violates every property of steps: these say what its actions may do.
    pub fn lift<W: Model + 'static>(self, lift: Lift<W, M>) -> Property<W> {
        let formulas = self.formulas.into_iter().map(|formula| lift_formula(formula, lift));
        Property { name: self.name, about: self.about, formulas: formulas.collect() }
    }
}

fn lift_formula<W: Model + 'static, M: Model + 'static>(formula: Formula<M>, lift: Lift<W, M>) -> Formula<W> {
    let of_state = |p: StateFn<M>| -> StateFn<W> {
        Box::new(move |model, state| p((lift.model)(model), (lift.state)(state)))
    };
    match formula {
        Formula::Always(p) => Formula::Always(of_state(p)),
        Formula::AlwaysStep(p) => Formula::AlwaysStep(Box::new(move |model, state, action, next| {
            let (state, next) = ((lift.state)(state), (lift.state)(next));
            let allowed = |action| p((lift.model)(model), state, action, next);
            state == next || (lift.action)(action).is_some_and(allowed)
        })),
        Formula::NoDeadlock => Formula::NoDeadlock,
        Formula::Sometimes(p) => Formula::Sometimes(of_state(p)),
        Formula::Eventually(p) => Formula::Eventually(of_state(p)),
        Formula::EventuallyAlways(p) => Formula::EventuallyAlways(of_state(p)),
        Formula::AlwaysEventually(p) => Formula::AlwaysEventually(of_state(p)),
        Formula::LeadsTo(p, q) => Formula::LeadsTo(of_state(p), of_state(q)),
    }
}
