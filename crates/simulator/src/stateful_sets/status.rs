//! What a stateful set's status says.

use serde_json::Value;

use super::{ordinals, pods};
use crate::controller::Snapshot;
use crate::revisions;
use crate::thing::{Thing, put};

/// The revision that its template is.
pub(super) fn update_revision(set: &Thing) -> String {
    format!("{}-{}", set.id.name, revisions::hash(set))
}

/// The revision that all its pods were of, the last time that they were of one.
pub(super) fn current_revision(set: &Thing) -> String {
    let said = set.status["currentRevision"].as_str().filter(|said| !said.is_empty());
    said.map_or_else(|| update_revision(set), str::to_owned)
}

/// What a stateful set's status says.
pub(crate) fn status(set: &Thing, snapshot: &Snapshot) -> Value {
    let mut status = set.status.clone();
    let update = update_revision(set);
    let mut current = current_revision(set);
    let there: Vec<_> = pods(set, snapshot).map(|(_, seen)| seen).filter(|seen| seen.active).collect();
    let ready = there.iter().filter(|seen| seen.ready).count();
    let of = |revision: &String| {
        there.iter().filter(|seen| seen.pod.labels.get(revisions::LABEL) == Some(revision)).count()
    };
    let wanted = ordinals(set).count();
    if there.len() == wanted && ready == wanted && of(&update) == wanted {
        current.clone_from(&update);
    }
    put(&mut status, "replicas", there.len().into());
    put(&mut status, "readyReplicas", ready.into());
    put(&mut status, "availableReplicas", ready.into());
    put(&mut status, "currentReplicas", of(&current).into());
    put(&mut status, "updatedReplicas", of(&update).into());
    put(&mut status, "currentRevision", current.into());
    put(&mut status, "updateRevision", update.into());
    put(&mut status, "observedGeneration", set.generation.into());
    if !status["replicas"].is_number() {
        status["replicas"] = 0.into();
    }
    status
}
