//! What people are told of a pair.

use bowline_control::{Standing, Write};

use crate::Wait;
use crate::snapshot::Snapshot;
use crate::state::{Names, Object, Pair, Phase, Status};

/// The write that makes the pair say how it stands; `None` if it does.
pub(crate) fn report<N: Names>(
    snapshot: &Snapshot<N>,
    standing: Standing<'_, Wait>,
) -> Option<Write<Object<N>>> {
    let pair = snapshot.pair.as_ref()?;
    let phase = match standing {
        // What is not held any more goes, and nobody reads it.
        Standing::Converged if pair.deleting => return None,
        Standing::Converged => Phase::Ready,
        Standing::Waiting(what) => Phase::Waiting(*what),
        Standing::Failing(why) => Phase::Failing(why.into()),
        Standing::Stalled(why) => Phase::Stalled(why.into()),
    };
    let status = Status { phase, observed: pair.generation };
    (pair.status != status).then(|| Write::Status {
        before: Object::Pair(pair.clone()),
        after: Object::Pair(Pair { status, ..pair.clone() }),
    })
}
