//! Versions of a cluster's configuration: the newest valid one wins, one worker applies it, and what fails is rolled back.
//!
//! # The protocol
//! A [`Stack`] is one line of versions on one [`Cluster`]; an [`Update`] asks for a version. The stack's [`Status`] is the one
//! truth: each of its changes is one guarded write, and updates only show it. A version is numbered, judged, and queued; the
//! newest takes the place of all that wait. It is planned ([`Plan`]) before anything is changed for it, and what it is going to
//! touch is recorded ([`Inventory`]) before it is touched. Then it is applied, wave by wave, until a look at the whole
//! shows that all is as it should be, and healthy. If that fails, the last good version is put back in the same way; so is
//! nothing at all, if there is none.
//!
//! # Invariants
//! - Who acts for a stack has taken it over in its epoch, and every change of its status is guarded.
//! - A version is never started while a newer valid one waits.
//! - Content that was rolled back is not applied again, unless a person releases it.
//! - A version that was rejected, or failed, has not touched the cluster.
//! - Last good is a version that succeeded.
//! - Nothing is deleted that the stack did not make; what it took over is given back as it was.
//! - The cluster is entered before it is touched, and left when nothing can arrive there any more.

mod decide;
mod effect;
mod inventory;
mod object;
mod outlook;
mod plan;
mod report;
mod snapshot;
mod state;
mod steps;
#[cfg(test)]
mod tests;
mod words;

use bowline_control::{Controller, Decision, Effect, Millis, Moment, Standing, Write};

use decide::Case;
pub use decide::{Aim, Fault, Objection, Step, Wait};
pub use effect::{Ask, Call, Outcome, Reply};
pub use inventory::{Content, Inventory, Origin, Wanted};
pub use object::{Id, IdOf, Kind, Object};
pub use outlook::{Outlook, Prospect};
pub use plan::{Act, Deed, Fit, Health, Live, Plan, Sight, Sights, Whose};
pub use snapshot::{Admission, Fetched, Look, Memory, Snapshot};
pub use state::{
    Cluster, Good, Mood, Names, Number, Phase, Quarantined, Quota, Request, Shown, Stack, Stage, Status,
    Told, Update, Wish,
};

/// The controller of updates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Updates<N> {
    rhythm: Rhythm,
    names: std::marker::PhantomData<N>,
}

/// How long things take, and how much is done at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rhythm {
    /// How often it is looked whether everything is healthy.
    pub poll: Millis,
    /// Nothing that a worker sent arrives later than this after it was lost.
    pub lease: Millis,
    /// How many objects are written at a time.
    pub batch: usize,
    /// More writes than this that did not work are too many.
    pub tries: u8,
    /// How often people are shown how much is done, at most.
    pub shows: Millis,
}

impl Default for Rhythm {
    fn default() -> Rhythm {
        Rhythm { poll: Millis(1_000), lease: Millis(30_000), batch: 200, tries: 10, shows: Millis(1_000) }
    }
}

impl<N> Updates<N> {
    /// A controller with this rhythm.
    pub fn new(rhythm: Rhythm) -> Updates<N> {
        Updates { rhythm, names: std::marker::PhantomData }
    }
}

impl<N: Names> Updates<N> {
    fn case<'a>(&'a self, s: &'a Snapshot<N>, now: Moment) -> Option<Case<'a, N>> {
        s.stack.as_ref().map(|stack| Case { s, stack, rhythm: &self.rhythm, now })
    }
}

impl<N: Names> Controller for Updates<N> {
    type Key = N::Stack;
    type Object = Object<N>;
    type Snapshot = Snapshot<N>;
    type Step = Step;
    type Wait = Wait;
    type Call = Call<N>;
    type Reply = Reply<N>;
    type Memory = Memory<N>;

    fn kinds(&self) -> &[Kind] {
        &[Kind::Stack, Kind::Update, Kind::Cluster]
    }

    fn keys(&self, object: &Object<N>) -> Vec<N::Stack> {
        match object {
            Object::Stack(stack) => vec![stack.name.clone()],
            Object::Update(update) => vec![update.stack.clone()],
            Object::Cluster(_) => Vec::new(),
        }
    }

    fn names(&self, object: &Object<N>) -> Vec<IdOf<N>> {
        match object {
            Object::Stack(stack) => vec![Id::Cluster(stack.wish.cluster.clone())],
            Object::Update(_) | Object::Cluster(_) => Vec::new(),
        }
    }

    fn snapshot(&self, _: &N::Stack, objects: &[&Object<N>], memory: &Memory<N>) -> Snapshot<N> {
        Snapshot::of(objects, memory)
    }

    fn decide(&self, snapshot: &Snapshot<N>, now: Moment) -> Decision<Step, Wait> {
        decide::decide(snapshot, &self.rhythm, now)
    }

    fn effect(&self, snapshot: &Snapshot<N>, step: &Step, now: Moment) -> Effect<Object<N>, Call<N>> {
        let Some(case) = self.case(snapshot, now) else {
            unreachable!("every step is about a stack that is there")
        };
        case.effect(*step)
    }

    fn report(
        &self,
        snapshot: &Snapshot<N>,
        standing: Standing<'_, Wait>,
        now: Moment,
    ) -> Option<Write<Object<N>>> {
        report::report(self.case(snapshot, now).as_ref(), snapshot, standing)
    }

    fn learn(&self, memory: &mut Memory<N>, step: &Step, reply: Reply<N>, now: Moment) -> Result<(), String> {
        memory.learn(step, reply, &self.rhythm, now.clock)
    }
}
