//! What people are told.

use bowline_control::{Standing, Write};

use crate::Wait;
use crate::snapshot::Snapshot;
use crate::state::{Cluster, Finding, Found, Names, Status};

const ELSEWHERE: &str = "an embedded cluster runs inside the hub of `bowline up`, and the controllers that lead run elsewhere: if \
                         `up` runs here, end the others (`bowline controllers`), and it is started; if not, this is another \
                         home: register a cluster by its kubeconfig";
const DELETED_ELSEWHERE: &str = "it is being deleted, and only the hub that it runs in can stop it: run `bowline up` \
                                 there, or, if that hub is gone for good, take its finalizer off";

/// The write that makes the cluster show how it stands; `None` if it does.
pub(crate) fn report<N: Names>(
    snapshot: &Snapshot<N>,
    standing: Standing<'_, Wait>,
) -> Option<Write<Cluster<N>>> {
    let cluster = snapshot.cluster.as_ref()?;
    // Where it was reached, and what release it was, stays true while something else goes wrong.
    let known = cluster.status.as_ref().map(|status| &status.finding);
    let trouble = |found, why: &str| Finding {
        found,
        words: why.into(),
        release: known.and_then(|finding| finding.release.clone()),
        place: cluster.place.clone(),
    };
    let finding = match standing {
        // What is not held any more goes, and nobody reads it.
        Standing::Converged => return None,
        Standing::Waiting(Wait::NextLook) => snapshot.probe.as_ref()?.finding.clone(),
        Standing::Waiting(Wait::ItsHub) if cluster.deleting => trouble(Found::NotHere, DELETED_ELSEWHERE),
        Standing::Waiting(Wait::ItsHub) => trouble(Found::NotHere, ELSEWHERE),
        Standing::Failing(why) => trouble(Found::Failing, why),
        Standing::Stalled(why) => trouble(Found::Stalled, why),
    };
    let status = Some(Status { finding, observed: cluster.generation });
    let after = Cluster { status, server: snapshot.server.clone(), ..cluster.clone() };
    (after != *cluster).then(|| Write::Status { before: cluster.clone(), after })
}
