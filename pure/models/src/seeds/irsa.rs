//! Irsa: an operator turns an iamroleserviceaccount into a policy, a role and a service account.
//!
//! The specification as it is written, defects included (`Irsa.tla`), without `[]TypeOk` in `Spec`,
//! which would only hide type errors.

mod expected;
mod properties;
mod resources;
mod state;
mod steps;

use std::ops::Range;

use bowline_explorer::{Class, Field, Model, Property};

pub(super) use self::expected::EXPECTED;
use self::resources::{Arn, AwsRole};
use self::state::{CAPACITY, Req, State};
use self::steps::Step;
use super::names;
use crate::catalogue::{Catalogued, Entry, Size, SizeKey, Value};

pub(crate) const ENTRY: Entry = Entry {
    name: "seed/irsa",
    about: "the seed IRSA operator as written: a policy, a role and a service account, by a work queue",
    sizes: &[
        SizeKey {
            name: "workers",
            about: "reconcile loops that run at a time",
            default: Value::Number(2),
            range: (1, CAPACITY as u32),
        },
        SizeKey {
            name: "attached",
            about: "whether policy and role exist in AWS at the beginning, attached",
            default: Value::Flag(false),
            range: (0, 0),
        },
    ],
    faults: &[],
    build: |size, _| Ok(Box::new(IrsaOperator::new(size))),
};

/// The model at a size.
pub(crate) struct IrsaOperator {
    pub(super) workers: u8,
    pub(super) attached: bool,
}

/// A step, with its worker if one does it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    Add,
    Termination,
    Worker(Step, u8),
}

impl IrsaOperator {
    pub(super) fn new(size: &Size) -> IrsaOperator {
        IrsaOperator { workers: size.small("workers"), attached: size.flag("attached") }
    }

    fn worker_ids(&self) -> Range<u8> {
        0..self.workers
    }

    /// `Converged`, which enables `Termination`.
    #[inline]
    fn has_converged(&self, s: &State) -> bool {
        let rests = |w| {
            let worker = s.worker(w);
            worker.idle && worker.req == Req::NULL
        };
        steps::irsa_is_complete(s)
            && s.role().is_complete()
            && s.policy().is_complete()
            && s.sa().is_complete()
            && s.aws_policy_arn() != Arn::NULL
            && s.aws_role().arn != Arn::NULL
            && s.aws_role().attached_policy != Arn::NULL
            && self.worker_ids().all(rests)
    }

    /// `ENABLED Actions`: whether anything but `Termination` may happen.
    fn has_work(&self, s: &State) -> bool {
        !s.modified().is_empty() || self.worker_ids().any(|w| has_step(s, w))
    }
}

/// Whether worker `w` may do anything.
fn has_step(s: &State, w: u8) -> bool {
    let mut any = false;
    Step::enabled(s, w, |_| any = true);
    any
}

impl Catalogued for IrsaOperator {}

impl Model for IrsaOperator {
    type State = State;
    type Action = Action;

    fn init(&self) -> Vec<State> {
        let mut state = State::initial(self.workers);
        if self.attached {
            state.set_aws_policy_arn(Arn::POLICY);
            state.set_aws_role(AwsRole { arn: Arn::ROLE, attached_policy: Arn::POLICY });
        }
        vec![state]
    }

    #[inline]
    fn actions(&self, s: &State, out: &mut Vec<Action>) {
        if !s.modified().is_empty() {
            out.push(Action::Add);
        }
        for w in self.worker_ids() {
            Step::enabled(s, w, |step| out.push(Action::Worker(step, w)));
        }
        if self.has_converged(s) {
            out.push(Action::Termination);
        }
    }

    #[inline]
    fn next(&self, state: &State, action: &Action) -> State {
        let mut s = *state;
        match *action {
            Action::Add => steps::add(&mut s),
            Action::Termination => {}
            Action::Worker(step, w) => step.take(&mut s, w),
        }
        s
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties::all()
    }

    #[inline]
    fn class(&self, action: &Action) -> Class {
        match *action {
            Action::Add => Class::new(0),
            Action::Termination => Class::new(1),
            Action::Worker(step, w) => Class::new(2 + u16::from(w) * Step::ALL.len() as u16 + step as u16),
        }
    }

    fn fairness(&self) -> Vec<String> {
        let steps = self.worker_ids().flat_map(|w| Step::ALL.map(|step| Action::Worker(step, w)));
        [Action::Add, Action::Termination].into_iter().chain(steps).map(|a| self.action_name(&a)).collect()
    }

    fn representative(&self, state: &State) -> Option<State> {
        Some(state.sorted(self.workers))
    }

    fn action_name(&self, action: &Action) -> String {
        match *action {
            Action::Add => "Add".into(),
            Action::Termination => "Termination".into(),
            Action::Worker(step, w) => format!("{step:?}({})", worker(w)),
        }
    }

    fn fields(&self, s: &State) -> Vec<Field> {
        let mut fields = resource_fields(s);
        let wq = s.wq();
        let name = |req: Req| req.name().to_owned();
        fields.push(Field::new("wq.dirty", names::set(wq.dirty.iter().map(name))));
        fields.push(Field::new("wq.processing", names::set(wq.processing.iter().map(name))));
        fields.push(Field::new("wq.queue", names::sequence(wq.queue.iter().map(name))));
        for w in self.worker_ids() {
            let state = s.worker(w);
            fields.push(Field::new(format!("workers[{}].idle", worker(w)), names::boolean(state.idle)));
            fields.push(Field::new(format!("workers[{}].req", worker(w)), state.req.name()));
        }
        fields.push(Field::new("modified", names::sequence(s.modified().iter().map(name))));
        fields
    }
}

fn worker(w: u8) -> String {
    names::indexed("w", w)
}

fn resource_fields(s: &State) -> Vec<Field> {
    let (irsa, policy, role, sa, aws_role) = (s.irsa(), s.policy(), s.role(), s.sa(), s.aws_role());
    let sa_name = |there: bool| names::or_null(there.then_some("saName"));
    vec![
        Field::new("irsa.st", irsa.st.name()),
        Field::new("irsa.saName", sa_name(true)),
        Field::new("irsa.stmt", "statement"),
        Field::new("irsa.roleARN", irsa.role_arn.name()),
        Field::new("irsa.policyARN", irsa.policy_arn.name()),
        Field::new("policy.st", policy.st.name()),
        Field::new("policy.stmt", names::or_null(policy.stmt.then_some("statement"))),
        Field::new("policy.awsPolicyArn", policy.aws_policy_arn.name()),
        Field::new("role.st", role.st.name()),
        Field::new("role.saName", sa_name(role.sa_name)),
        Field::new("role.roleArn", role.role_arn.name()),
        Field::new("role.policyArn", role.policy_arn.name()),
        Field::new("role.policiesAttached", names::boolean(role.policies_attached)),
        Field::new("sa.st", sa.st.name()),
        Field::new("sa.name", sa_name(sa.name)),
        Field::new("sa.roleArn", sa.role_arn.name()),
        Field::new("awsPolicy.arn", s.aws_policy_arn().name()),
        Field::new("awsRole.arn", aws_role.arn.name()),
        Field::new("awsRole.attachedPolicy", aws_role.attached_policy.name()),
    ]
}
