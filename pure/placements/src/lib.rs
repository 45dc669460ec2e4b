//! Namespaces and their volumes on clusters, moved without two users of one volume.
//!
//! # The protocol
//! A namespace, and each of its volumes, has a [`Grant`]: who may use it, in which epoch. A grant is the one truth about its
//! thing, and every change of it is one guarded write. A move records where the namespace is to be, takes everything of it from
//! where it was, waits until the syncer there has given it up and says so, grants the volumes to where it is to be in a greater
//! epoch, and then the namespace. A syncer attaches volumes first and starts workloads after, and stops workloads first.
//!
//! A target that is not heard of keeps what it has: whether it still writes cannot be known. It loses it when it is fenced. A
//! fence is the truth of its [`Target`]: when it is in force, its epoch rises, and everything that was granted in a smaller one is
//! void, for the hub and for the syncer alike. Fences are decided by [`Fences`], what a syncer does by [`syncer`].
//!
//! A hub that was restored from a backup knows nothing of what was granted since. It grants and releases nothing until every
//! target has said what it uses, or is fenced; who uses something in the greatest epoch keeps it. [`Restore`] marks a backup before
//! anybody reads it. A hub that was put back behind everybody's back learns of it by a syncer that knows of greater epochs: then each
//! target, and what is to be granted on it, is marked from then on.
//!
//! # Invariants
//! - At most one target can use a volume that is owned, and run a namespace, if a fence that is in force keeps its target from it.
//! - Data is deleted only when a person deletes the namespace, by who has it and while nobody else does.
//! - The epoch of a grant, and that of a fence, only grow.
//! - Nothing is placed on a target whose fence is not open: what arrives there late is void.
//! - A syncer stops nothing because it does not see it any more.
//! - At rest nothing is written.

mod decide;
mod effect;
mod fences;
mod grant;
mod object;
pub mod plain;
mod report;
mod restore;
mod snapshot;
mod state;
mod steps;
pub mod syncer;
mod target;
#[cfg(test)]
mod tests;
mod window;
mod words;

use std::marker::PhantomData;

use bowline_control::{Controller, Decision, Effect, Millis, Moment, Standing, Write};

use decide::Case;
pub use decide::{Refusal, Step, Wait};
pub use effect::{Candidate, Reply, Survey};
pub use fences::{
    FenceCall, FenceMemory, FenceReply, FenceSnapshot, FenceStep, FenceWait, Fences, Look, Pulse,
};
pub use grant::{Epoch, Grant, Recovery, Said, Thing, ThingOf, Use, UseState};
pub use object::{Id, IdOf, Kind, Object};
pub use restore::Restore;
pub use snapshot::{Memory, Snapshot, Survey as Surveyed};
pub use state::{Claim, Mood, Names, Phase, Placement, Told, Volume, Wish};
pub use target::{By, Fence, FenceState, FenceWish, Target, TargetReport, TargetWish};
pub use window::{Opening, Window};

/// The controller of placements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placements<N> {
    rhythm: Rhythm,
    names: PhantomData<fn() -> N>,
}

/// How often things are done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rhythm {
    /// How long what was learned of the targets is believed.
    pub survey: Millis,
    /// How often it is looked how the lease of a target stands.
    pub pulse: Millis,
    /// Where epochs go on after a restore that nobody had told of.
    pub jump: Jump,
}

/// Where epochs go on after a restore.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Jump {
    /// At the time of the day, in milliseconds: nothing is granted as often as that.
    Clock,
    /// So far above what is known.
    By(u64),
}

impl Jump {
    /// The greatest epoch that may have been given away.
    fn above(self, known: Epoch, wall: Millis) -> Epoch {
        match self {
            Jump::Clock => known.max(Epoch(wall.0)),
            Jump::By(far) => Epoch(known.0.saturating_add(far)),
        }
    }
}

impl Default for Rhythm {
    fn default() -> Rhythm {
        Rhythm { survey: Millis(1_000), pulse: Millis(1_000), jump: Jump::Clock }
    }
}

impl<N: Names> Placements<N> {
    /// A controller with this rhythm.
    pub fn new(rhythm: Rhythm) -> Placements<N> {
        Placements { rhythm, names: PhantomData }
    }

    fn case<'a>(&'a self, s: &'a Snapshot<N>, now: Moment) -> Option<Case<'a, N>> {
        Some(Case { s, placement: s.placement.as_ref()?, rhythm: &self.rhythm, now })
    }
}

impl<N: Names> Controller for Placements<N> {
    type Key = N::Namespace;
    type Object = Object<N>;
    type Snapshot = Snapshot<N>;
    type Step = Step<N>;
    type Wait = Wait<N>;
    type Call = Survey;
    type Reply = Reply<N>;
    type Memory = Memory<N>;

    fn kinds(&self) -> &[Kind] {
        &[Kind::Placement, Kind::Volume, Kind::Target, Kind::Claim]
    }

    fn keys(&self, object: &Object<N>) -> Vec<N::Namespace> {
        match object {
            Object::Placement(placement) => vec![placement.name.clone()],
            Object::Volume(volume) => vec![volume.namespace.clone()],
            Object::Claim(claim) => vec![claim.namespace.clone()],
            Object::Target(_) => Vec::new(),
        }
    }

    fn names(&self, object: &Object<N>) -> Vec<IdOf<N>> {
        let wanted = match object {
            Object::Placement(placement) => placement.desired.iter().chain(&placement.wish.pinned),
            _ => None.iter().chain(&None),
        };
        let only = match object {
            Object::Volume(volume) => volume.only.as_ref(),
            _ => None,
        };
        let mut names: Vec<_> = wanted.chain(only).cloned().collect();
        if let Some((_, grant)) = object.grant() {
            let awaits = grant.recovering.iter().flat_map(|recovery| &recovery.awaits);
            names.extend(grant.users.keys().chain(awaits).cloned());
        }
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(Id::Target).collect()
    }

    fn snapshot(&self, name: &N::Namespace, objects: &[&Object<N>], memory: &Memory<N>) -> Snapshot<N> {
        Snapshot::of(name, objects, memory)
    }

    fn decide(&self, snapshot: &Snapshot<N>, now: Moment) -> Decision<Step<N>, Wait<N>> {
        self.case(snapshot, now).map_or(Decision::Converged, |case| case.decide())
    }

    fn effect(&self, snapshot: &Snapshot<N>, step: &Step<N>, now: Moment) -> Effect<Object<N>, Survey> {
        let Some(case) = self.case(snapshot, now) else {
            unreachable!("a step is about a placement that is there")
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
