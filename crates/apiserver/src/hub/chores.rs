//! What nobody asks for and must be done: the collector's work, and that of namespaces that go.

use bowline_kernel::{collector, namespaces};

use super::Front;
use crate::time::Moment;

/// So many in one batch: others want to write too.
const AT_ONCE: usize = 256;

/// Does what is due, and says whether something may be left.
pub(super) fn run(front: &mut Front, now: Moment) -> bool {
    for _ in 0..AT_ONCE {
        let Some(key) = front.head.agenda().first().cloned() else { return false };
        let request = front.head.get(&key).and_then(|object| {
            namespaces::look(&front.head, object, &now).or_else(|| collector::look(&front.head, object, &now))
        });
        let Some(request) = request else {
            front.head.settled(&key);
            continue;
        };
        let (outcome, change) = front.head.perform(request);
        if let Err(refusal) = outcome {
            // It was decided on this very state. It comes back when something changes.
            tracing::error!(?key, ?refusal, "a chore was refused");
            front.head.settled(&key);
        }
        front.batch.changes.extend(change);
    }
    true
}
