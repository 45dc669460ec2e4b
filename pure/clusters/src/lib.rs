//! The clusters that Bowline acts on: whether they can be reached, and what they lack.
//!
//! # The protocol
//! A cluster is looked at when it is new, when somebody changes it, and then again and again: more often while something is
//! wrong with it. What is found is shown in its status, and written only if it is not what the status says.
//!
//! An embedded one is an API server inside the hub. Whoever looks at it starts it, if it does not run. It is held by a
//! finalizer before it is started first; when it is deleted it is stopped, with all that it holds, and let go then.
//! Who does not run in a hub can do none of that, and waits for the hub that it runs in.
//!
//! # Invariants
//! - No server runs of an embedded cluster that is not there.
//! - A status never says what was found of another cluster of that name, or of an older wish.
//! - The hub itself, registered as a cluster, can be used by those alone who are named.
//! - At rest nothing is written.

mod decide;
mod effect;
mod report;
mod snapshot;
mod state;
#[cfg(test)]
mod tests;

use bowline_control::{Controller, Decision, Effect, Millis, Moment, Standing, Write};

pub use decide::{Step, Wait};
pub use effect::{Call, Reply};
pub use snapshot::{Memory, Probe, Snapshot};
pub use state::{Cluster, Finding, Found, Id, Names, Place, Server, Status, Way};

/// The controller of clusters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clusters<N> {
    rhythm: Rhythm,
    home: Home,
    names: std::marker::PhantomData<N>,
}

/// How often clusters are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rhythm {
    /// Those that are well.
    pub well: Millis,
    /// Those that are not.
    pub ill: Millis,
}

impl Default for Rhythm {
    fn default() -> Rhythm {
        Rhythm { well: Millis(30_000), ill: Millis(5_000) }
    }
}

/// Where the controller runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    /// In the hub: embedded clusters can be started here.
    Hub,
    /// Anywhere else.
    Elsewhere,
}

impl<N> Clusters<N> {
    /// A controller that looks at clusters in this rhythm.
    pub fn new(home: Home, rhythm: Rhythm) -> Clusters<N> {
        Clusters { rhythm, home, names: std::marker::PhantomData }
    }
}

impl<N: Names> Controller for Clusters<N> {
    type Key = N::Name;
    type Object = Cluster<N>;
    type Snapshot = Snapshot<N>;
    type Step = Step;
    type Wait = Wait;
    type Call = Call<N>;
    type Reply = Reply<N>;
    type Memory = Memory<N>;

    fn kinds(&self) -> &[()] {
        &[()]
    }

    fn keys(&self, cluster: &Cluster<N>) -> Vec<N::Name> {
        vec![cluster.name.clone()]
    }

    fn snapshot(&self, _: &N::Name, objects: &[&Cluster<N>], memory: &Memory<N>) -> Snapshot<N> {
        Snapshot::of(objects, memory)
    }

    fn decide(&self, snapshot: &Snapshot<N>, now: Moment) -> Decision<Step, Wait> {
        decide::decide(snapshot, self.home, self.rhythm, now.clock)
    }

    fn effect(&self, snapshot: &Snapshot<N>, step: &Step, _now: Moment) -> Effect<Cluster<N>, Call<N>> {
        effect::effect(snapshot, *step)
    }

    fn report(
        &self,
        snapshot: &Snapshot<N>,
        standing: Standing<'_, Wait>,
        _now: Moment,
    ) -> Option<Write<Cluster<N>>> {
        report::report(snapshot, standing)
    }

    fn learn(&self, memory: &mut Memory<N>, _: &Step, reply: Reply<N>, now: Moment) -> Result<(), String> {
        memory.learn(reply, now.clock)
    }
}
