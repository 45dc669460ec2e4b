//! Requests for certificates: what may be answered to them, and by whom.

use std::collections::BTreeSet;

use super::check::Check;
use crate::builtin::fields::{object, objects, text};
use crate::document::Json;

const CONDITIONS: &str = "status.conditions";

/// Who answers a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum By {
    /// Who decides whether there shall be a certificate.
    Approver,
    /// Who makes it.
    Signer,
}

/// What is wrong with what was answered to a request for a certificate. What was wrong before may stay so.
pub(super) fn request(check: &mut Check, new: &Json, old: &Json, by: By) {
    let (now, then) = (object(new, "status"), object(old, "status"));
    conditions(check, now, then);
    let count = |status: &Json, kind: &str| {
        objects(status, "conditions").filter(|condition| text(condition, "type") == kind).count()
    };
    for kind in ["Approved", "Denied", "Failed"] {
        if count(now, kind) < count(then, kind) {
            check.forbidden(CONDITIONS, format!("updates may not remove a condition of type {kind:?}"));
        }
    }
    if by == By::Approver {
        return;
    }
    for kind in ["Approved", "Denied"] {
        if count(now, kind) > count(then, kind) {
            check.forbidden(CONDITIONS, format!("updates may not add a condition of type {kind:?}"));
        }
    }
    let (new, old) = (text(now, "certificate"), text(then, "certificate"));
    if new != old && !old.is_empty() {
        check.forbidden("status.certificate", "updates may not modify existing certificate content");
    }
}

fn conditions(check: &mut Check, now: &Json, then: &Json) {
    let before: Vec<&str> = objects(then, "conditions").map(|condition| text(condition, "type")).collect();
    let had_both = before.contains(&"Approved") && before.contains(&"Denied");
    let had_twice = before.iter().collect::<BTreeSet<_>>().len() < before.len();
    let mut seen = BTreeSet::new();
    for (index, condition) in objects(now, "conditions").enumerate() {
        let path = format!("{CONDITIONS}[{index}]");
        let kind = text(condition, "type");
        if kind.is_empty() && !before.contains(&"") {
            check.required(format!("{path}.type"), "");
        }
        let allowed: &[&str] = match kind {
            "Approved" | "Denied" | "Failed" => &["True"],
            _ => &["False", "True", "Unknown"],
        };
        match text(condition, "status") {
            "" => check.required(format!("{path}.status"), ""),
            status => check.one_of(format!("{path}.status"), status, allowed),
        }
        let other = match kind {
            "Approved" => Some("Denied"),
            "Denied" => Some("Approved"),
            _ => None,
        };
        if !had_both && other.is_some_and(|other| seen.contains(other)) {
            check.invalid(CONDITIONS, kind, "Approved and Denied conditions are mutually exclusive");
        }
        if !seen.insert(kind) && !had_twice {
            check.duplicate(format!("{path}.type"), kind);
        }
    }
}
