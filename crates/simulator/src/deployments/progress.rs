//! What a deployment's status says: how far it is, and whether it gets on.

use bowline_control::{Millis, Moment};
use serde_json::Value;

use super::roll::bounds;
use super::sets::Sets;
use crate::conditions::{self, Condition};
use crate::controller::Snapshot;
use crate::thing::{Thing, put};
use crate::time::{by_the_clock, parsed, seconds, written};

const COMPLETE: &str = "NewReplicaSetAvailable";
const UPDATED: &str = "ReplicaSetUpdated";
const OVERDUE: &str = "ProgressDeadlineExceeded";
const PAUSED: &str = "DeploymentPaused";

/// What a deployment's status says.
pub(crate) fn status(deployment: &Thing, snapshot: &Snapshot, now: Moment) -> Value {
    let sets = Sets::of(deployment, snapshot);
    let mut status = deployment.status.clone();
    let (all, available) = (sets.counted("replicas"), sets.counted("availableReplicas"));
    put(&mut status, "replicas", all.into());
    put(&mut status, "updatedReplicas", sets.updated().into());
    put(&mut status, "readyReplicas", sets.counted("readyReplicas").into());
    put(&mut status, "availableReplicas", available.into());
    let wanted = deployment.wanted("replicas", 1);
    put(&mut status, "unavailableReplicas", (sets.wanted() - available).max(0).into());
    put(&mut status, "observedGeneration", deployment.generation.into());
    let enough = available >= wanted - bounds(deployment).unavailable;
    let (reason, message) = if enough {
        ("MinimumReplicasAvailable", "Deployment has minimum availability.")
    } else {
        ("MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
    };
    let condition = Condition { reason, message, ..Condition::plain("Available", enough) };
    conditions::say(&mut status, condition, now);
    progressing(&mut status, deployment, &sets, now);
    status
}

/// Says whether the deployment gets on. The time of the last progress moves with progress only: it is what the deadline
/// counts from.
fn progressing(status: &mut Value, deployment: &Thing, sets: &Sets<'_>, now: Moment) {
    let before = conditions::find(&deployment.status, "Progressing");
    let name = sets.new.map_or(deployment.id.name.as_str(), |set| set.id.name.as_str());
    let known = before.map_or("", |before| before["reason"].as_str().unwrap_or_default());
    let of_this = before.is_some_and(|before| {
        before["message"].as_str().is_some_and(|message| message.contains(&format!("{name:?}")))
    });
    let last = before.and_then(|before| parsed(before["lastUpdateTime"].as_str()?));
    let (condition, moved) = if deployment.spec()["paused"] == true {
        ((PAUSED, "Unknown", "Deployment is paused".to_owned()), known != PAUSED)
    } else if sets.is_complete(deployment) {
        let message = format!("ReplicaSet {name:?} has successfully progressed.");
        ((COMPLETE, "True", message), known != COMPLETE || !of_this)
    } else if known == COMPLETE && of_this && sets.updated() == sets.counted("replicas") {
        // It was complete: pods come and go, but nothing is rolled out.
        return;
    } else if !of_this || known == COMPLETE || got_on(deployment, sets) {
        ((UPDATED, "True", format!("ReplicaSet {name:?} is progressing.")), true)
    } else if last.is_none_or(|last| now.wall < last.plus(patience(deployment))) {
        return;
    } else {
        let message = format!("ReplicaSet {name:?} has timed out progressing.");
        ((OVERDUE, "False", message), known != OVERDUE)
    };
    let (reason, word, message) = condition;
    let condition = Condition { kind: "Progressing", status: word, reason, message: &message };
    let said = conditions::say(status, condition, now);
    if moved {
        said["lastUpdateTime"] = written(now.wall).into();
    }
}

/// Whether more is done than the status says, or something else is wanted.
fn got_on(deployment: &Thing, sets: &Sets<'_>) -> bool {
    let more = |name: &str| sets.counted(name) > deployment.counted(name);
    let old = deployment.counted("replicas") - deployment.counted("updatedReplicas");
    deployment.counted("observedGeneration").unsigned_abs() != deployment.generation
        || sets.updated() > deployment.counted("updatedReplicas")
        || sets.counted("replicas") - sets.updated() < old
        || more("readyReplicas")
        || more("availableReplicas")
}

fn patience(deployment: &Thing) -> Millis {
    seconds(deployment.wanted("progressDeadlineSeconds", 600))
}

/// When it is too late, if nothing happens; `None` if that has been said, or nobody has begun to wait.
pub(super) fn deadline(deployment: &Thing, now: Moment) -> Option<Millis> {
    let condition = conditions::find(&deployment.status, "Progressing")?;
    if condition["reason"] != UPDATED {
        return None;
    }
    let last = parsed(condition["lastUpdateTime"].as_str()?)?;
    Some(by_the_clock(last.plus(patience(deployment)), now))
}
