//! Cloud permissions of service accounts: policy, role, attachment and annotated account appear, stay right, and go.
//!
//! # The protocol
//! An [`Identity`] says what an account may do. Before anything is made in AWS, that is recorded in its [`Status`], the one
//! truth. Then it is looked what is there under the identity's names, which are always the same; what is missing is made, what is
//! ours and different is corrected, and what is not ours is left alone. What was seen is remembered, and patched with what
//! our own writes answer, until the next look. When the role has all of its policies, that is recorded, and only then the
//! account says which role it has. It is ready when the role can be assumed.
//!
//! A deleted identity takes all that with it, unless it is to be left. What was sent to AWS may arrive late, and AWS has no
//! guards: so absence has to be seen twice, and what is left of the identity is a [`Tombstone`]; by it, what arrived late is
//! looked for three times more.
//!
//! # Invariants
//! - Nothing is made in AWS before the identity is held, and that is recorded.
//! - No account says that it has a role which was not complete.
//! - Nothing that is not ours is changed or deleted; unless a person wants it to be taken over.
//! - An identity that is to leave AWS as it is changes nothing there when it is deleted, nor later.
//! - An identity is let go when nothing of it was seen twice, and with a tombstone.
//! - At rest nothing is written, and AWS is looked at once in a while.

mod aws;
mod decide;
mod effect;
mod object;
pub mod plain;
mod repair;
mod report;
mod snapshot;
mod state;
mod steps;
#[cfg(test)]
mod tests;
mod words;

use bowline_control::{Controller, Decision, Effect, Millis, Moment, Standing, Write};

pub use aws::{Holder, Policy, Published, Role, Whose};
use decide::Case;
pub use decide::{Step, Wait};
pub use effect::{Ask, Call, Others, Reply, Said};
pub use object::{Id, IdOf, Kind, Object};
pub use repair::Repair;
pub use report::{Condition, Notice};
pub use snapshot::{Elsewhere, Failures, Look, Memory, Refused, Snapshot, Trial};
pub use state::{Account, Cluster, Identity, Mood, Names, Spot, Status, Told, Tombstone, Wanted, Wish};

/// The controller of identities.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identities<N: Names> {
    /// What is known of AWS; `None` if nobody has said.
    home: Option<N::Home>,
    rhythm: Rhythm,
}

/// How long things take, and how often they are done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rhythm {
    /// So long after a write AWS may still show what was before; and so long a new role may not be assumable.
    pub settle: Millis,
    /// How often it is looked for what others have changed.
    pub drift: Millis,
    /// When something is tried again that a person has to change.
    pub retry: Millis,
    /// When it is looked for what arrived late, after an identity is gone.
    pub sweeps: Vec<Millis>,
    /// A step that does not work more often than this is for a person to look at.
    pub tries: u8,
    /// How many versions of a policy AWS keeps.
    pub versions: u8,
    /// How many policies a role has room for at least; more if somebody has asked AWS for that.
    pub attachments: u8,
    /// Whether an account's own token can be tried.
    pub assumes: bool,
}

impl Default for Rhythm {
    fn default() -> Rhythm {
        const MINUTE: u64 = 60_000;
        Rhythm {
            settle: Millis(MINUTE),
            drift: Millis(10 * MINUTE),
            retry: Millis(MINUTE),
            sweeps: [15, 60, 24 * 60].map(|minutes| Millis(minutes * MINUTE)).to_vec(),
            tries: 5,
            versions: 5,
            attachments: 10,
            assumes: false,
        }
    }
}

impl<N: Names> Identities<N> {
    /// A controller that knows this of AWS, if anything, with this rhythm.
    pub fn new(home: Option<N::Home>, rhythm: Rhythm) -> Identities<N> {
        Identities { home, rhythm }
    }

    fn case<'a>(&'a self, s: &'a Snapshot<N>, now: Moment) -> Case<'a, N> {
        Case { s, home: self.home.as_ref(), rhythm: &self.rhythm, now }
    }
}

impl<N: Names> Controller for Identities<N> {
    type Key = N::Name;
    type Object = Object<N>;
    type Snapshot = Snapshot<N>;
    type Step = Step;
    type Wait = Wait;
    type Call = Call<N>;
    type Reply = Reply<N>;
    type Memory = Memory<N>;

    fn kinds(&self) -> &[Kind] {
        &[Kind::Identity, Kind::Account, Kind::Tombstone, Kind::Cluster]
    }

    fn keys(&self, object: &Object<N>) -> Vec<N::Name> {
        match object {
            Object::Identity(identity) => vec![identity.name.clone()],
            Object::Account(account) => account.of.iter().map(|(name, _)| name.clone()).collect(),
            Object::Tombstone(tombstone) => vec![tombstone.name.clone()],
            Object::Cluster(_) => Vec::new(),
        }
    }

    fn names(&self, object: &Object<N>) -> Vec<IdOf<N>> {
        let Object::Identity(identity) = object else { return Vec::new() };
        let here = [Id::Account(identity.wish.account.clone())];
        let elsewhere = identity.status.published.iter().filter_map(|(cluster, _)| cluster.as_ref());
        let clusters = identity.wish.clusters.iter().chain(elsewhere).cloned().map(Id::Cluster);
        let mut names: Vec<_> = here.into_iter().chain(clusters).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn snapshot(&self, name: &N::Name, objects: &[&Object<N>], memory: &Memory<N>) -> Snapshot<N> {
        Snapshot::of(name, objects, memory)
    }

    fn decide(&self, snapshot: &Snapshot<N>, now: Moment) -> Decision<Step, Wait> {
        decide::decide(&self.case(snapshot, now))
    }

    fn effect(&self, snapshot: &Snapshot<N>, step: &Step, now: Moment) -> Effect<Object<N>, Call<N>> {
        self.case(snapshot, now).effect(*step)
    }

    fn report(
        &self,
        snapshot: &Snapshot<N>,
        standing: Standing<'_, Wait>,
        now: Moment,
    ) -> Option<Write<Object<N>>> {
        report::report(&self.case(snapshot, now), standing)
    }

    fn learn(&self, memory: &mut Memory<N>, step: &Step, reply: Reply<N>, now: Moment) -> Result<(), String> {
        memory.learn(*step, reply, &self.rhythm, now.clock)
    }
}
