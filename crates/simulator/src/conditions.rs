//! Conditions, by Kubernetes' convention.

use bowline_control::Moment;
use serde_json::{Value, json};

use crate::time::written;

/// What a condition says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Condition<'a> {
    pub(crate) kind: &'a str,
    /// `True`, `False` or `Unknown`.
    pub(crate) status: &'a str,
    pub(crate) reason: &'a str,
    pub(crate) message: &'a str,
}

impl<'a> Condition<'a> {
    /// A condition that only says whether.
    pub(crate) fn plain(kind: &'a str, is: bool) -> Condition<'a> {
        Condition { kind, status: if is { "True" } else { "False" }, reason: "", message: "" }
    }
}

/// The condition of a kind, in a status.
pub(crate) fn find<'a>(status: &'a Value, kind: &str) -> Option<&'a Value> {
    status["conditions"].as_array()?.iter().find(|condition| condition["type"] == kind)
}

/// Whether a condition holds.
pub(crate) fn holds(status: &Value, kind: &str) -> bool {
    find(status, kind).is_some_and(|condition| condition["status"] == "True")
}

/// Says a condition in a status. A time is when it began to hold: it does not move while that stays so. Returns the
/// condition, for what else it may carry.
pub(crate) fn say<'a>(status: &'a mut Value, condition: Condition<'_>, now: Moment) -> &'a mut Value {
    if !status["conditions"].is_array() {
        status["conditions"] = json!([]);
    }
    let Some(conditions) = status["conditions"].as_array_mut() else { unreachable!("it was made one") };
    let known = conditions.iter().position(|known| known["type"] == condition.kind);
    let at = known.unwrap_or_else(|| {
        conditions.push(json!({ "type": condition.kind }));
        conditions.len() - 1
    });
    let said = &mut conditions[at];
    if said["status"] != condition.status {
        said["status"] = condition.status.into();
        said["lastTransitionTime"] = written(now.wall).into();
    }
    crate::thing::put(said, "reason", condition.reason.into());
    crate::thing::put(said, "message", condition.message.into());
    said
}

#[cfg(test)]
mod tests {
    use bowline_control::Millis;

    use super::*;

    #[test]
    fn a_time_moves_with_the_status_only() {
        let at = |seconds: u64| Moment { wall: Millis(seconds * 1_000), ..Moment::default() };
        let mut status = json!({});
        let time = |status: &Value| find(status, "Ready").expect("it was said")["lastTransitionTime"].clone();
        say(&mut status, Condition::plain("Ready", true), at(1));
        let first = time(&status);
        say(&mut status, Condition { reason: "Other", ..Condition::plain("Ready", true) }, at(2));
        assert_eq!(time(&status), first);
        say(&mut status, Condition::plain("Ready", false), at(3));
        assert_ne!(time(&status), first);
        assert!(!holds(&status, "Ready"));
    }
}
