//! What nobody asks for and must be done: the collector's work, and that of namespaces that go.

use bowline_kernel::{collector, namespaces};

use super::Front;
use crate::key::Key;
use crate::time::Moment;

/// So many in one batch: others want to write too.
const AT_ONCE: usize = 256;

/// Does what is due, and says whether something is left.
///
/// What comes of it waits for the next time. Whoever watches owners and what they own by two streams hears of the
/// end of an owner first, and does not take it that something of an owner is missing.
pub(super) fn run(front: &mut Front, now: Moment) -> bool {
    let due: Vec<_> = front.head.agenda().iter().take(AT_ONCE).cloned().collect();
    let mut left = AT_ONCE;
    for key in due {
        while left > 0 && step(front, &key, now) {
            left -= 1;
        }
    }
    !front.head.agenda().is_empty()
}

/// Does the next thing about an object, and says whether there was one.
fn step(front: &mut Front, key: &Key, now: Moment) -> bool {
    let request = front.head.get(key).and_then(|object| {
        namespaces::look(&front.head, object, &now).or_else(|| collector::look(&front.head, object, &now))
    });
    let Some(request) = request else {
        front.head.settled(key);
        return false;
    };
    if let Err(refusal) = front.perform(request) {
        // It was decided on this very state. It comes back when something changes.
        tracing::error!(?key, ?refusal, "a chore was refused");
        front.head.settled(key);
        return false;
    }
    true
}
