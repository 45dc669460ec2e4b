//! The software of a running group of nodes, upgraded in service: node by node, with masters handed over; committed, or
//! rolled back.
//!
//! # The protocol
//! A [`Group`]'s [`Status`] is the one truth: how far an upgrade has come, which version serves, which version each member is to
//! have, who is in hand, who is in which partition, and who is master of which device in which epoch. All of it is changed by
//! one guarded write a step; what a [`Member`] is to do follows from it, and is written to the member. An agent does what its
//! member says, and reports.
//!
//! A device is handed over in three steps: it is recorded that it leaves its master; the master lets go and says so, or its
//! lease has lapsed after it was told; then it is given to somebody else, in a greater epoch. So nobody is given what
//! somebody may still act for.
//!
//! # Invariants
//! - At most two versions, neighbours, among members that have a place.
//! - Two members never act as master of a device at once, if who is fenced stops when its lease lapses.
//! - A member is moved only if the version that serves keeps somebody, and a quorum of every partition, without it; unless
//!   that was waived, or it does not work anyway.
//! - What serves changes only to a version of which somebody works.
//! - An upgrade ends only when everybody who is there has the version that stays.
//! - At rest nothing is written.

pub mod agent;
mod decide;
mod effect;
pub mod leases;
mod member;
mod object;
pub mod plain;
mod report;
mod snapshot;
mod state;
mod steps;
#[cfg(test)]
mod tests;
mod words;

use std::marker::PhantomData;

use bowline_control::{Controller, Decision, Effect, Millis, Moment, Standing, Write};

use decide::Case;
pub use decide::{Refusal, Step, Wait};
pub use effect::{Call, Pulse, Reply};
pub use member::{Condition, Desired, Duty, Member, Report};
pub use object::{Id, IdOf, Kind, Object};
pub use snapshot::{Look, Memory, Snapshot};
pub use state::{
    Answered, Cluster, Command, Epoch, Group, Hand, Lists, Mastery, Mood, Names, OnCrash, Pair, Partitions,
    Phase, Seat, SeatState, Status, Told, Verb, Wish,
};
pub use words::refused;

/// The controller of groups.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Upgrades<N> {
    rhythm: Rhythm,
    names: PhantomData<fn() -> N>,
}

/// How often things are done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rhythm {
    /// How often it is looked how the leases stand.
    pub pulse: Millis,
}

impl Default for Rhythm {
    fn default() -> Rhythm {
        Rhythm { pulse: Millis(1_000) }
    }
}

impl<N: Names> Upgrades<N> {
    /// A controller with this rhythm.
    pub fn new(rhythm: Rhythm) -> Upgrades<N> {
        Upgrades { rhythm, names: PhantomData }
    }

    /// What a command would come to, if it were given now; or why it would be refused.
    ///
    /// # Errors
    /// Why it would be refused.
    pub fn would(
        &self,
        snapshot: &Snapshot<N>,
        command: &Command<N>,
        now: Moment,
    ) -> Result<Step<N>, Refusal<N>> {
        match self.case(snapshot, now) {
            Some(case) => case.commanded(command).map(|(step, _)| step),
            None => Err(Refusal::Nobody),
        }
    }

    fn case<'a>(&'a self, s: &'a Snapshot<N>, now: Moment) -> Option<Case<'a, N>> {
        Some(Case { s, group: s.group.as_ref()?, rhythm: &self.rhythm, now })
    }
}

impl<N: Names> Controller for Upgrades<N> {
    type Key = N::Group;
    type Object = Object<N>;
    type Snapshot = Snapshot<N>;
    type Step = Step<N>;
    type Wait = Wait<N>;
    type Call = Call<N>;
    type Reply = Reply<N>;
    type Memory = Memory<N>;

    fn kinds(&self) -> &[Kind] {
        &[Kind::Group, Kind::Member, Kind::Cluster]
    }

    fn keys(&self, object: &Object<N>) -> Vec<N::Group> {
        match object {
            Object::Group(group) => vec![group.name.clone()],
            Object::Member(member) => vec![member.group.clone()],
            Object::Cluster(_) => Vec::new(),
        }
    }

    fn names(&self, object: &Object<N>) -> Vec<IdOf<N>> {
        let Object::Group(group) = object else { return Vec::new() };
        group.wish.cluster.iter().cloned().map(Id::Cluster).collect()
    }

    fn snapshot(&self, name: &N::Group, objects: &[&Object<N>], memory: &Memory<N>) -> Snapshot<N> {
        Snapshot::of(name, objects, memory)
    }

    fn decide(&self, snapshot: &Snapshot<N>, now: Moment) -> Decision<Step<N>, Wait<N>> {
        self.case(snapshot, now).map_or(Decision::Converged, |case| case.decide())
    }

    fn effect(&self, snapshot: &Snapshot<N>, step: &Step<N>, now: Moment) -> Effect<Object<N>, Call<N>> {
        let Some(case) = self.case(snapshot, now) else {
            unreachable!("a step is about a group that is there")
        };
        case.effect(step)
    }

    fn report(
        &self,
        snapshot: &Snapshot<N>,
        standing: Standing<'_, Wait<N>>,
        now: Moment,
    ) -> Option<Write<Object<N>>> {
        self.case(snapshot, now).and_then(|case| report::report(&case, standing))
    }

    fn learn(
        &self,
        memory: &mut Memory<N>,
        _step: &Step<N>,
        reply: Reply<N>,
        now: Moment,
    ) -> Result<(), String> {
        memory.learn(reply, now.clock)
    }
}
