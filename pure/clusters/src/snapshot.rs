//! What is known of a cluster.

use bowline_control::Millis;

use crate::effect::Reply;
use crate::state::{Cluster, Finding, Names, Server};

/// A cluster, and what was found by looking at it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot<N: Names> {
    /// The cluster, if it is there.
    pub cluster: Option<Cluster<N>>,
    /// The last look at this very cluster, as it is wanted now.
    pub probe: Option<Probe<N>>,
    /// Which server it is: the one that it was, or else the one by which it can be used now.
    pub server: Option<N::Uid>,
    /// Its server was stopped for good.
    pub stopped: bool,
}

/// What is remembered of a cluster until the next crash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Memory<N: Names> {
    /// The last look at it.
    pub probe: Option<Probe<N>>,
    /// Which one was stopped for good.
    pub stopped: Option<N::Uid>,
}

/// A look at a cluster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe<N: Names> {
    /// At which one.
    pub uid: N::Uid,
    /// What was wanted of it.
    pub generation: u64,
    /// When it was answered.
    pub at: Millis,
    /// What was found.
    pub finding: Finding<N::Text>,
    /// What its server is to the hub.
    pub server: Server,
    /// Which server it is, if it says so.
    pub known_by: Option<N::Uid>,
}

impl<N: Names> Default for Memory<N> {
    fn default() -> Memory<N> {
        Memory { probe: None, stopped: None }
    }
}

impl<N: Names> Memory<N> {
    pub(crate) fn learn(&mut self, reply: Reply<N>, at: Millis) -> Result<(), String> {
        match reply {
            Reply::Found { uid, generation, finding, server, known_by } => {
                self.probe = Some(Probe { uid, generation, at, finding, server, known_by });
            }
            Reply::Stopped(uid) => {
                self.probe = None;
                self.stopped = Some(uid);
            }
            Reply::Failed(why) => return Err(why),
        }
        Ok(())
    }
}

impl<N: Names> Probe<N> {
    /// That an embedded cluster was started once must not be forgotten while it does not start: an empty one would be
    /// made in its place.
    fn at_home(self, cluster: &Cluster<N>) -> Probe<N> {
        let place = self.finding.place.or_else(|| cluster.begun().cloned());
        Probe { finding: Finding { place, ..self.finding }, ..self }
    }
}

impl<N: Names> Snapshot<N> {
    pub(crate) fn of(objects: &[&Cluster<N>], memory: &Memory<N>) -> Snapshot<N> {
        let Some(cluster) = objects.first() else {
            return Snapshot { cluster: None, probe: None, server: None, stopped: false };
        };
        // What was found of another one of that name, or of another wish, says nothing.
        let is_of_this =
            |probe: &&Probe<N>| probe.uid == cluster.uid && probe.generation == cluster.generation;
        let probe = memory.probe.as_ref().filter(is_of_this);
        let probe = probe.map(|probe| probe.clone().at_home(cluster).guarded(cluster));
        // Who cannot be used yet may still be meant to be another one.
        let first = probe.as_ref().filter(|probe| probe.finding.found.is_ready());
        let first = first.and_then(|probe| probe.known_by.clone());
        Snapshot {
            cluster: Some((*cluster).clone()),
            probe,
            server: cluster.server.clone().or(first),
            stopped: memory.stopped.as_ref() == Some(&cluster.uid),
        }
    }
}
