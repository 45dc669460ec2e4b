//! What is claimed of a model.

use std::fmt;

use crate::model::Model;

pub(crate) type StateFn<M> = Box<dyn Fn(&M, &<M as Model>::State) -> bool + Send + Sync>;
pub(crate) type StepFn<M> =
    Box<dyn Fn(&M, &<M as Model>::State, &<M as Model>::Action, &<M as Model>::State) -> bool + Send + Sync>;

/// A named claim: a formula, or the conjunction of several of one kind.
pub struct Property<M: Model> {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) formulas: Vec<Formula<M>>,
}

/// One temporal formula over a model's states and steps.
pub enum Formula<M: Model> {
    /// Every reachable state satisfies it.
    Always(StateFn<M>),
    /// Every reachable step that changes the state satisfies it: TLA+'s `[][A]_vars`.
    AlwaysStep(StepFn<M>),
    /// Every reachable state has an action.
    NoDeadlock,
    /// Some reachable state satisfies it: guards other properties against vacuity.
    Sometimes(StateFn<M>),
    /// Every fair behaviour satisfies it at some time.
    Eventually(StateFn<M>),
    /// Every fair behaviour satisfies it from some time on.
    EventuallyAlways(StateFn<M>),
    /// Every fair behaviour satisfies it again and again.
    AlwaysEventually(StateFn<M>),
    /// In every fair behaviour the first is followed, at once or later, by the second.
    LeadsTo(StateFn<M>, StateFn<M>),
}

/// The kind of a property, as reports name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Of every state.
    Always,
    /// Of every step.
    AlwaysStep,
    /// No state is without an action.
    Deadlock,
    /// Of some state.
    Sometimes,
    /// `<>P`.
    Eventually,
    /// `<>[]P`.
    EventuallyAlways,
    /// `[]<>P`.
    AlwaysEventually,
    /// `P ~> Q`.
    LeadsTo,
}

impl Kind {
    /// Whether only infinite behaviours can violate it, so that fairness matters.
    pub fn is_liveness(self) -> bool {
        matches!(self, Kind::Eventually | Kind::EventuallyAlways | Kind::AlwaysEventually | Kind::LeadsTo)
    }

    /// The name in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Always => "always",
            Kind::AlwaysStep => "always_step",
            Kind::Deadlock => "deadlock",
            Kind::Sometimes => "sometimes",
            Kind::Eventually => "eventually",
            Kind::EventuallyAlways => "eventually_always",
            Kind::AlwaysEventually => "always_eventually",
            Kind::LeadsTo => "leads_to",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<M: Model> Formula<M> {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Formula::Always(_) => Kind::Always,
            Formula::AlwaysStep(_) => Kind::AlwaysStep,
            Formula::NoDeadlock => Kind::Deadlock,
            Formula::Sometimes(_) => Kind::Sometimes,
            Formula::Eventually(_) => Kind::Eventually,
            Formula::EventuallyAlways(_) => Kind::EventuallyAlways,
            Formula::AlwaysEventually(_) => Kind::AlwaysEventually,
            Formula::LeadsTo(_, _) => Kind::LeadsTo,
        }
    }

    /// See [`Formula::AlwaysEventually`].
    pub fn always_eventually(p: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static) -> Self {
        Formula::AlwaysEventually(Box::new(p))
    }

    /// See [`Formula::LeadsTo`].
    pub fn leads_to(
        p: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
        q: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        Formula::LeadsTo(Box::new(p), Box::new(q))
    }
}

impl<M: Model> Property<M> {
    fn one(name: &str, formula: Formula<M>) -> Self {
        Property { name: name.into(), about: String::new(), formulas: vec![formula] }
    }

    /// The state predicate `p` holds in every reachable state.
    pub fn always(name: &str, p: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static) -> Self {
        Self::one(name, Formula::Always(Box::new(p)))
    }

    /// `p` holds of every reachable step that changes the state: before, action, after.
    pub fn always_step(
        name: &str,
        p: impl Fn(&M, &M::State, &M::Action, &M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self::one(name, Formula::AlwaysStep(Box::new(p)))
    }

    /// No reachable state is without an action.
    pub fn no_deadlock(name: &str) -> Self {
        Self::one(name, Formula::NoDeadlock)
    }

    /// `p` holds in some reachable state.
    pub fn sometimes(name: &str, p: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static) -> Self {
        Self::one(name, Formula::Sometimes(Box::new(p)))
    }

    /// `<>p` in every fair behaviour.
    pub fn eventually(name: &str, p: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static) -> Self {
        Self::one(name, Formula::Eventually(Box::new(p)))
    }

    /// `<>[]p` in every fair behaviour.
    pub fn eventually_always(name: &str, p: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static) -> Self {
        Self::one(name, Formula::EventuallyAlways(Box::new(p)))
    }

    /// `[]<>p` in every fair behaviour.
    pub fn always_eventually(name: &str, p: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static) -> Self {
        Self::one(name, Formula::always_eventually(p))
    }

    /// `p ~> q` in every fair behaviour.
    pub fn leads_to(
        name: &str,
        p: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
        q: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self::one(name, Formula::leads_to(p, q))
    }

    /// The conjunction of one formula for each part of the model: `\A r \in Requests : …`.
    pub fn for_each<I: IntoIterator>(
        name: &str,
        parts: I,
        formula: impl FnMut(I::Item) -> Formula<M>,
    ) -> Self {
        let formulas: Vec<_> = parts.into_iter().map(formula).collect();
        Property { name: name.into(), about: String::new(), formulas }
    }

    /// Says in a line what the property means to people.
    pub fn about(mut self, about: &str) -> Self {
        self.about = about.into();
        self
    }

    /// The kind; all formulas of a property have the same one.
    pub fn kind(&self) -> Kind {
        self.formulas.first().map_or(Kind::Always, Formula::kind)
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it means, in a line; empty if nobody said.
    pub fn meaning(&self) -> &str {
        &self.about
    }

    /// Whether a step satisfies all that the property says of steps.
    pub(crate) fn allows(&self, model: &M, state: &M::State, action: &M::Action, next: &M::State) -> bool {
        self.formulas.iter().all(|formula| match formula {
            Formula::AlwaysStep(p) => p(model, state, action, next),
            _ => true,
        })
    }

    /// Evaluates every predicate of states, to see whether one panics.
    pub(crate) fn try_state(&self, model: &M, state: &M::State) {
        for formula in &self.formulas {
            match formula {
                Formula::AlwaysStep(_) | Formula::NoDeadlock => {}
                Formula::Always(p)
                | Formula::Sometimes(p)
                | Formula::Eventually(p)
                | Formula::EventuallyAlways(p)
                | Formula::AlwaysEventually(p) => drop(p(model, state)),
                Formula::LeadsTo(p, q) => drop((p(model, state), q(model, state))),
            }
        }
    }
}
