//! Pods, as their owners see them.

use bowline_control::{Millis, Moment};

use crate::conditions;
use crate::thing::Thing;
use crate::time::{parsed, seconds};

/// A pod, as its owner sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<'a> {
    pub(crate) pod: &'a Thing,
    /// It is neither being deleted nor has it ended.
    pub(crate) active: bool,
    /// It is active, and works.
    pub(crate) ready: bool,
}

impl<'a> Seen<'a> {
    pub(crate) fn of(pod: &'a Thing) -> Seen<'a> {
        let ended = matches!(pod.status["phase"].as_str(), Some("Succeeded" | "Failed"));
        let active = !pod.deleting && !ended;
        Seen { pod, active, ready: active && conditions::holds(&pod.status, "Ready") }
    }

    /// Whether it has ended so.
    pub(crate) fn has_ended(&self, phase: &str) -> bool {
        self.pod.status["phase"] == phase
    }
}

/// From when on a pod is available, by the clock on the wall, if it stays ready; `None` if it is not ready.
pub(crate) fn available_at(seen: Seen<'_>, min_ready_s: i64, now: Moment) -> Option<Millis> {
    if !seen.ready {
        return None;
    }
    let ready = conditions::find(&seen.pod.status, "Ready")?;
    let since = ready["lastTransitionTime"].as_str().and_then(parsed).unwrap_or(now.wall);
    // A clock that was set back makes nobody wait.
    Some(if min_ready_s > 0 { since.plus(seconds(min_ready_s)) } else { since.min(now.wall) })
}
