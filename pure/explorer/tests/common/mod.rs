//! A model given by a table, for tests.

#![allow(dead_code, reason = "each test file uses its own part")]

use bowline_explorer::{Class, Field, Model, Options, Property, Report, Trace, Verdict, check};

/// A transition system over numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub(crate) init: Vec<u32>,
    /// From, to, class; a class that is not below `fair` is unfair.
    pub(crate) edges: Vec<(u32, u32, u16)>,
    pub(crate) fair: u16,
    pub(crate) claims: Vec<(&'static str, Claim)>,
}

/// A claim about a table; sets of states are bit masks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Claim {
    Always(u64),
    /// No step from a state of the first set to one of the second.
    NoStep(u64, u64),
    Deadlock,
    Sometimes(u64),
    Eventually(u64),
    EventuallyAlways(u64),
    AlwaysEventually(u64),
    LeadsTo(u64, u64),
}

pub(crate) fn within(set: u64, state: u32) -> bool {
    set >> state & 1 == 1
}

pub(crate) fn set(states: impl IntoIterator<Item = u32>) -> u64 {
    states.into_iter().fold(0, |set, state| set | 1 << state)
}

impl Model for Table {
    type State = u32;
    type Action = (u32, u16);

    fn init(&self) -> Vec<u32> {
        self.init.clone()
    }

    fn actions(&self, state: &u32, out: &mut Vec<(u32, u16)>) {
        out.extend(self.edges.iter().filter(|edge| edge.0 == *state).map(|edge| (edge.1, edge.2)));
    }

    fn next(&self, _: &u32, action: &(u32, u16)) -> u32 {
        action.0
    }

    fn class(&self, action: &(u32, u16)) -> Class {
        if action.1 < self.fair { Class::new(action.1) } else { Class::UNFAIR }
    }

    fn fairness(&self) -> Vec<String> {
        (0..self.fair).map(|class| format!("class {class}")).collect()
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let property = |(name, claim): &(&str, Claim)| match *claim {
            Claim::Always(p) => Property::always(name, move |_, s| within(p, *s)),
            Claim::NoStep(p, q) => {
                Property::always_step(name, move |_, s, _, t| !(within(p, *s) && within(q, *t)))
            }
            Claim::Deadlock => Property::no_deadlock(name),
            Claim::Sometimes(p) => Property::sometimes(name, move |_, s| within(p, *s)),
            Claim::Eventually(p) => Property::eventually(name, move |_, s| within(p, *s)),
            Claim::EventuallyAlways(p) => Property::eventually_always(name, move |_, s| within(p, *s)),
            Claim::AlwaysEventually(p) => Property::always_eventually(name, move |_, s| within(p, *s)),
            Claim::LeadsTo(p, q) => {
                Property::leads_to(name, move |_, s| within(p, *s), move |_, s| within(q, *s))
            }
        };
        self.claims.iter().map(property).collect()
    }

    fn action_name(&self, action: &(u32, u16)) -> String {
        format!("to {} by {}", action.0, action.1)
    }

    fn fields(&self, state: &u32) -> Vec<Field> {
        vec![Field::new("s", state.to_string())]
    }
}

impl Table {
    pub(crate) fn new(init: &[u32], edges: &[(u32, u32, u16)], fair: u16, claim: Claim) -> Table {
        Table { init: init.to_vec(), edges: edges.to_vec(), fair, claims: vec![("P", claim)] }
    }
}

pub(crate) fn run<M: Model>(model: &M) -> Report {
    check(model, &Options::default()).expect("the model is supported")
}

/// The verdict on the first property.
pub(crate) fn verdict<M: Model>(model: &M) -> Verdict {
    run(model).verdicts[0].verdict
}

/// The states of a trace of a table.
pub(crate) fn states(trace: &Trace) -> Vec<u32> {
    trace.steps.iter().map(|step| step.state[0].value.parse().expect("a number")).collect()
}
