//! The children of an identity: its policy and its role, each as an object that people can read.
//!
//! They are projections: all that they say follows from the identity, whose status is the one truth, and nothing is decided by
//! what they say. So they have a controller of their own, beside the one of identities. Whoever changes or deletes one finds it
//! put right; one that somebody else has made is left alone. They are owned by the identity, and collected with it.

mod face;

use std::convert::Infallible;
use std::fmt;

use bowline_control::{Controller, Decision, Effect, Moment, Standing, Version, Write};
use serde_json::Value;

pub use self::face::{Said, Shown};
use super::{Home, Named, Plain};
use crate::state::{Cluster, Identity};

/// The controller of children.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Children {
    home: Option<Home>,
}

/// What a child is of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// The policy (`IamPolicy`).
    Policy,
    /// The role (`IamRole`).
    Role,
}

impl Part {
    /// Both of them.
    pub const ALL: [Part; 2] = [Part::Policy, Part::Role];
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Policy => "policy",
            Part::Role => "role",
        })
    }
}

/// A child. It has the name of its identity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Child {
    /// What it is of.
    pub part: Part,
    /// Its name.
    pub name: Named,
    /// Which of those that had that name.
    pub uid: String,
    /// The version of its last change.
    pub version: Version,
    /// It is being deleted.
    pub deleting: bool,
    /// The uid of the identity that owns it.
    pub owner: Option<String>,
    /// What is wanted in AWS, as JSON.
    pub spec: Value,
    /// What there is; `None` if nobody has said.
    pub shown: Option<Shown>,
}

/// An object that the controller knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Member {
    /// An identity.
    Identity(Box<Identity<Plain>>),
    /// A cluster.
    Cluster(Cluster<Plain>),
    /// A child.
    Child(Child),
}

/// Where an object is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MemberId {
    /// An identity.
    Identity(Named),
    /// A cluster.
    Cluster(String),
    /// A child.
    Child(Part, Named),
}

/// A kind of objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MemberKind {
    /// Identities.
    Identity,
    /// Clusters.
    Cluster,
    /// Children of a part.
    Child(Part),
}

impl bowline_control::Id for MemberId {
    type Kind = MemberKind;

    fn kind(&self) -> MemberKind {
        match self {
            MemberId::Identity(_) => MemberKind::Identity,
            MemberId::Cluster(_) => MemberKind::Cluster,
            MemberId::Child(part, _) => MemberKind::Child(*part),
        }
    }
}

impl fmt::Display for MemberId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemberId::Identity(name) => write!(f, "the identity {name}"),
            MemberId::Cluster(name) => write!(f, "the cluster {name}"),
            MemberId::Child(part, name) => write!(f, "the {part} of the identity {name}"),
        }
    }
}

impl bowline_control::Object for Member {
    type Id = MemberId;
    type Uid = String;

    fn id(&self) -> MemberId {
        match self {
            Member::Identity(identity) => MemberId::Identity(identity.name.clone()),
            Member::Cluster(cluster) => MemberId::Cluster(cluster.name.clone()),
            Member::Child(child) => MemberId::Child(child.part, child.name.clone()),
        }
    }

    fn uid(&self) -> String {
        match self {
            Member::Identity(identity) => identity.uid.clone(),
            Member::Cluster(cluster) => cluster.uid.clone(),
            Member::Child(child) => child.uid.clone(),
        }
    }

    fn version(&self) -> Version {
        match self {
            Member::Identity(identity) => identity.version,
            Member::Cluster(cluster) => cluster.version,
            Member::Child(child) => child.version,
        }
    }

    fn wish(&self) -> Option<u64> {
        None
    }
}

/// A step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// Make a child.
    Make(Part),
    /// Change what is wanted of it.
    Change(Part),
    /// Change what there is of it.
    Show(Part),
    /// Delete it.
    Remove(Part),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Make(part) => write!(f, "make the child of the {part}"),
            Step::Change(part) => write!(f, "say what is wanted of the {part}"),
            Step::Show(part) => write!(f, "say what there is of the {part}"),
            Step::Remove(part) => write!(f, "delete the child of the {part}"),
        }
    }
}

/// What is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wait {
    /// A child of that name to go, which is being deleted or somebody else's.
    Gone(Part),
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wait::Gone(part) = self;
        write!(
            f,
            "an object with the name of the child of the {part} to be gone, which is not the identity's"
        )
    }
}

/// An identity, its clusters and its children.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Family {
    identity: Option<Box<Identity<Plain>>>,
    clusters: Vec<Cluster<Plain>>,
    children: Vec<Child>,
}

impl Family {
    fn child(&self, part: Part) -> Option<&Child> {
        self.children.iter().find(|child| child.part == part)
    }
}

impl Children {
    /// A controller that knows this of AWS, if anything.
    pub fn new(home: Option<Home>) -> Children {
        Children { home }
    }

    /// What is to be done about a part of an identity.
    fn judge(&self, family: &Family, identity: &Identity<Plain>, part: Part) -> Option<Decision<Step, Wait>> {
        let wanted = self.wanted(family, part);
        let Some(child) = family.child(part) else {
            return (wanted.is_some() && !identity.deleting).then_some(Decision::Do(Step::Make(part)));
        };
        if child.deleting || child.owner.as_ref() != Some(&identity.uid) {
            return wanted.map(|_| Decision::Wait { what: Wait::Gone(part), until: None });
        }
        let Some((spec, shown)) = wanted else {
            // Of a role it may only not be known whom it trusts.
            return (part == Part::Policy).then_some(Decision::Do(Step::Remove(part)));
        };
        // What is called otherwise in AWS by now is another one.
        if face::aws_name(part, &spec) != face::aws_name(part, &child.spec) {
            return Some(Decision::Do(Step::Remove(part)));
        }
        if child.spec != spec {
            return Some(Decision::Do(Step::Change(part)));
        }
        (child.shown.as_ref() != Some(&shown)).then_some(Decision::Do(Step::Show(part)))
    }

    /// What a child says; `None` if there is none, or not all is known that it says.
    fn wanted(&self, family: &Family, part: Part) -> Option<(Value, Shown)> {
        let (home, identity) = (self.home.as_ref()?, family.identity.as_ref()?);
        let spec = match part {
            Part::Policy => face::policy(home, identity)?,
            Part::Role => face::role(home, identity, &family.clusters)?,
        };
        Some((spec, face::shown(part, identity)))
    }
}

impl Controller for Children {
    type Key = Named;
    type Object = Member;
    type Snapshot = Family;
    type Step = Step;
    type Wait = Wait;
    // It has no outside.
    type Call = Infallible;
    type Reply = Infallible;
    type Memory = ();

    fn kinds(&self) -> &[MemberKind] {
        const ALL: [MemberKind; 4] = [
            MemberKind::Identity,
            MemberKind::Cluster,
            MemberKind::Child(Part::Policy),
            MemberKind::Child(Part::Role),
        ];
        &ALL
    }

    fn keys(&self, object: &Member) -> Vec<Named> {
        match object {
            Member::Identity(identity) => vec![identity.name.clone()],
            Member::Child(child) => vec![child.name.clone()],
            Member::Cluster(_) => Vec::new(),
        }
    }

    fn names(&self, object: &Member) -> Vec<MemberId> {
        let Member::Identity(identity) = object else { return Vec::new() };
        identity.wish.clusters.iter().cloned().map(MemberId::Cluster).collect()
    }

    fn snapshot(&self, name: &Named, objects: &[&Member], (): &()) -> Family {
        let mut family = Family::default();
        for object in objects {
            match object {
                Member::Identity(identity) if identity.name == *name => {
                    family.identity = Some(identity.clone())
                }
                Member::Identity(_) => {}
                Member::Cluster(cluster) => family.clusters.push(cluster.clone()),
                Member::Child(child) => family.children.push(child.clone()),
            }
        }
        family
    }

    fn decide(&self, family: &Family, _now: Moment) -> Decision<Step, Wait> {
        let Some(identity) = &family.identity else { return Decision::Converged };
        // Before that nothing is made in AWS; and what is let go is collected with all that it owns.
        if identity.status.intent.is_none() || !identity.held {
            return Decision::Converged;
        }
        let mut waits = None;
        for part in Part::ALL {
            match self.judge(family, identity, part) {
                Some(Decision::Do(step)) => return Decision::Do(step),
                Some(wait) => waits = waits.or(Some(wait)),
                None => {}
            }
        }
        waits.unwrap_or(Decision::Converged)
    }

    fn effect(&self, family: &Family, step: &Step, _now: Moment) -> Effect<Member, Infallible> {
        let (Step::Make(part) | Step::Change(part) | Step::Show(part) | Step::Remove(part)) = *step;
        let child = || family.child(part).cloned().unwrap_or_else(|| unreachable!("{step} is about a child"));
        let wanted = || {
            let wanted = family.identity.as_ref().zip(self.wanted(family, part));
            wanted.unwrap_or_else(|| unreachable!("{step} is for an identity"))
        };
        let write = match step {
            Step::Make(_) => {
                let (identity, (spec, _)) = wanted();
                Write::Create(Member::Child(Child {
                    part,
                    name: identity.name.clone(),
                    uid: identity.uid.clone(),
                    version: Version(0),
                    deleting: false,
                    owner: Some(identity.uid.clone()),
                    spec,
                    shown: None,
                }))
            }
            Step::Change(_) => {
                let before = child();
                let after = Child { spec: wanted().1.0, ..before.clone() };
                Write::Change { before: Member::Child(before), after: Member::Child(after) }
            }
            Step::Show(_) => {
                let before = child();
                let after = Child { shown: Some(wanted().1.1), ..before.clone() };
                Write::Status { before: Member::Child(before), after: Member::Child(after) }
            }
            Step::Remove(_) => Write::Delete(Member::Child(child())),
        };
        Effect::Write(write)
    }

    /// The identity says how it stands; its children repeat it.
    fn report(&self, _: &Family, _: Standing<'_, Wait>, _: Moment) -> Option<Write<Member>> {
        None
    }

    fn learn(&self, (): &mut (), _: &Step, reply: Infallible, _: Moment) -> Result<(), String> {
        match reply {}
    }
}

#[cfg(test)]
mod tests;
