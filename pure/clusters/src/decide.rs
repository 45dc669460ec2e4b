//! What is to be done about a cluster.

use std::fmt;

use bowline_control::{Decision, Millis};

use crate::snapshot::{Probe, Snapshot};
use crate::state::{Cluster, Finding, Found, Names, Server, Status, Way};
use crate::{Home, Rhythm};

/// A step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// Put our finalizer on an embedded cluster.
    Hold,
    /// Look at the cluster; an embedded one is started if it does not run.
    Probe,
    /// Stop an embedded cluster for good.
    Stop,
    /// Take our finalizer off.
    LetGo,
}

/// What is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wait {
    /// The time of the next look.
    NextLook,
    /// The hub that it runs in: it alone can start it, and stop it.
    ItsHub,
}

/// What is to be done.
pub(crate) fn decide<N: Names>(
    snapshot: &Snapshot<N>,
    home: Home,
    rhythm: Rhythm,
    now: Millis,
) -> Decision<Step, Wait> {
    let Some(cluster) = &snapshot.cluster else { return Decision::Converged };
    if cluster.deleting {
        return take_down(snapshot, cluster, home);
    }
    match home {
        // There is nothing to look at: it could only be started in a hub.
        Home::Elsewhere if cluster.way == Way::Embedded => return ITS_HUB,
        // First of all: a server that is started without it may run on when the cluster is deleted.
        Home::Hub if cluster.way == Way::Embedded && !cluster.held => return Decision::Do(Step::Hold),
        Home::Hub | Home::Elsewhere => {}
    }
    match &snapshot.probe {
        // What was found is told first, however late it is: else, where turns come late, nobody would ever be told.
        Some(probe) if now < due(probe, rhythm) || !is_told(snapshot, cluster, probe) => {
            Decision::Wait { what: Wait::NextLook, until: Some(due(probe, rhythm)) }
        }
        _ => Decision::Do(Step::Probe),
    }
}

/// Nothing changes before its hub runs, and then it is that hub that decides.
const ITS_HUB: Decision<Step, Wait> = Decision::Wait { what: Wait::ItsHub, until: None };

fn is_told<N: Names>(snapshot: &Snapshot<N>, cluster: &Cluster<N>, probe: &Probe<N>) -> bool {
    let is_it =
        |status: &Status<N::Text>| status.finding == probe.finding && status.observed == probe.generation;
    cluster.status.as_ref().is_some_and(is_it) && cluster.server == snapshot.server
}

fn due<N: Names>(probe: &Probe<N>, rhythm: Rhythm) -> Millis {
    probe.at.plus(if probe.finding.found.is_ready() { rhythm.well } else { rhythm.ill })
}

const EXPOSED: &str = "it is this hub itself: whoever may submit to it is an administrator of the hub. Name the namespaces that may, \
                       and no others (`bowline cluster add NAME --kubeconfig FILE --allow NAMESPACE`), or remove it (`bowline \
                       cluster remove`)";
const UNSAID: &str = "it may be this hub itself, where whoever may submit is an administrator of the hub: it serves Bowline's kinds, or does not say \
                      what it serves, and its credentials may not read the namespace kube-system, by which it would be told apart. Let \
                      them get that, or name the namespaces that may submit, and no others (`bowline cluster add NAME --kubeconfig \
                      FILE --allow NAMESPACE`)";
const OTHER_SERVER: &str = "its kubeconfig leads to another server than before, and nothing is done there. Add it again with a kubeconfig of its \
                            own server (`bowline cluster add NAME --kubeconfig FILE`), and all goes on; or, if the other one is to take \
                            its place, remove it and add it again (`bowline cluster remove NAME --force`), with those who may use it \
                            (`--allow`): to whatever uses it, it is another cluster then";
const UNTOLD: &str = "and whether its kubeconfig leads to another server than before cannot be told, for its credentials may not read the \
                      namespace kube-system: let them get that";
const GUARDED: &str = "it is this hub itself: whoever may submit from the namespaces that may use it is an administrator of the hub";

impl<N: Names> Probe<N> {
    /// What is done on a cluster is done with the rights of its kubeconfig. On the hub these reach everything that Bowline
    /// itself rests on, so that whoever may use it there may do everything: nobody may without being named.
    ///
    /// And a cluster is one server for as long as it is there: what its stacks have seen and done was seen and done on that one.
    pub(crate) fn guarded(self, cluster: &Cluster<N>) -> Probe<N> {
        let (found, words) = match (self.finding.found, self.server) {
            (Found::Usable | Found::Limited, _) if cluster.is_not(self.known_by.as_ref()) => {
                (Found::OtherServer, OTHER_SERVER.to_owned())
            }
            (Found::Usable | Found::Limited, Server::Hub) if !cluster.named => {
                (Found::Exposed, EXPOSED.into())
            }
            (Found::Usable | Found::Limited, Server::Unsaid) if !cluster.named => {
                (Found::Exposed, UNSAID.into())
            }
            (Found::Usable, Server::Hub) => (Found::Usable, GUARDED.into()),
            // It is said beside what else they may not: who may do everything has been asked, and only did not answer.
            (Found::Limited, _) if self.known_by.is_none() => {
                (Found::Limited, format!("{}; {UNTOLD}", self.finding.words.as_ref()))
            }
            _ => return self,
        };
        Probe { finding: Finding { found, words: words.as_str().into(), ..self.finding }, ..self }
    }
}

fn take_down<N: Names>(snapshot: &Snapshot<N>, cluster: &Cluster<N>, home: Home) -> Decision<Step, Wait> {
    match home {
        _ if !cluster.held => Decision::Converged,
        Home::Elsewhere => ITS_HUB,
        Home::Hub if snapshot.stopped => Decision::Do(Step::LetGo),
        Home::Hub => Decision::Do(Step::Stop),
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Step::Hold => "hold the cluster",
            Step::Probe => "look at the cluster",
            Step::Stop => "stop the cluster for good",
            Step::LetGo => "let the cluster go",
        })
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Wait::NextLook => "the time of the next look",
            Wait::ItsHub => "the hub that it runs in: only `bowline up` there can start it, and stop it",
        })
    }
}
