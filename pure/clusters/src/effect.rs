//! How a step is done.

use bowline_control::{Effect, Write};

use crate::Step;
use crate::snapshot::Snapshot;
use crate::state::{Cluster, Finding, Id, Names, Server, Way};

/// What is asked of the outside. All of it can be asked twice.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Call<N: Names> {
    /// To look at a cluster; an embedded one is started if it does not run.
    Look {
        /// Its name.
        name: N::Name,
        /// Which of that name.
        uid: N::Uid,
        /// What is wanted of it.
        generation: u64,
        /// How it is reached.
        way: Way<N::Secret>,
        /// It is embedded, and was started once: an empty one in its place would be another one.
        began: bool,
    },
    /// To stop an embedded cluster, with all that it holds.
    Stop {
        /// Its name.
        name: N::Name,
        /// Which of that name.
        uid: N::Uid,
    },
}

/// What the outside says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply<N: Names> {
    /// This was found.
    Found {
        /// Of which cluster.
        uid: N::Uid,
        /// And which wish.
        generation: u64,
        /// What.
        finding: Finding<N::Text>,
        /// What its server is to the hub.
        server: Server,
        /// Which server it is, if it says so.
        known_by: Option<N::Uid>,
    },
    /// This one does not run, and never will again.
    Stopped(N::Uid),
    /// It could not be done, in words for people.
    Failed(String),
}

/// How a step is done, which was decided on this snapshot.
pub(crate) fn effect<N: Names>(snapshot: &Snapshot<N>, step: Step) -> Effect<Cluster<N>, Call<N>> {
    let Some(cluster) = &snapshot.cluster else {
        unreachable!("every step is about a cluster that is there")
    };
    let Cluster { name, uid, generation, way, .. } = cluster.clone();
    let began = cluster.begun().is_some();
    match step {
        Step::Hold => Effect::Write(held(cluster, true)),
        Step::LetGo => Effect::Write(held(cluster, false)),
        Step::Probe => Effect::Call(Call::Look { name, uid, generation, way, began }),
        Step::Stop => Effect::Call(Call::Stop { name, uid }),
    }
}

fn held<N: Names>(cluster: &Cluster<N>, held: bool) -> Write<Cluster<N>> {
    Write::Change { before: cluster.clone(), after: Cluster { held, ..cluster.clone() } }
}

impl<N: Names> Call<N> {
    /// The cluster that it is about.
    pub fn id(&self) -> Id<N::Name> {
        match self {
            Call::Look { name, .. } | Call::Stop { name, .. } => Id(name.clone()),
        }
    }
}
