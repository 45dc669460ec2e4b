//! What is written on objects of the cluster, so that it is known whose they are after a restart.

use std::collections::BTreeMap;

use bowline_api::placements::SyncTarget;
use bowline_placements::Epoch;
use bowline_placements::syncer::Held;
use kube::core::DynamicObject;
use serde_json::{Map, Value, json};

/// Who writes, as servers know it.
pub(crate) const MANAGER: &str = "bowline-syncer";
/// The label of what belongs to a target; its value is the target's name.
pub(crate) const TARGET: &str = SyncTarget::LABEL;
/// The label of what belongs to a placement: its value is the namespace. Updates keep off what has it.
pub(crate) const PLACEMENT: &str = "bowline.dev/placement";
/// The epoch of the grant by which something is there.
const EPOCH: &str = "bowline.dev/epoch";
/// The fence epoch in which it was granted or confirmed.
const FENCE: &str = "bowline.dev/fence-epoch";
/// Whether the workloads of a namespace may be up: [`UP`] or [`STOPPING`]; without it they are not.
pub(crate) const RUNS: &str = "bowline.dev/runs";
/// They may be up.
pub(crate) const UP: &str = "yes";
/// They are being stopped, and may still be up.
pub(crate) const STOPPING: &str = "stopping";
/// The claim of a volume, which outlives it.
pub(crate) const CLAIM: &str = "bowline.dev/claim";
/// The nodes that a volume was attached to when its claim went.
pub(crate) const ATTACHED: &str = "bowline.dev/attached-to";
/// The last restore of the hub when something was copied from it.
pub(crate) const RESTORE: &str = "bowline.dev/restore";
/// What all our labels and annotations begin with.
pub(crate) const OURS: &str = "bowline.dev/";

/// The labels of what belongs to a namespace that a target has.
pub(crate) fn labels(target: &str, namespace: &str) -> BTreeMap<String, String> {
    [(TARGET.to_owned(), target.to_owned()), (PLACEMENT.to_owned(), namespace.to_owned())].into()
}

pub(crate) fn label<'a>(object: &'a DynamicObject, key: &str) -> Option<&'a str> {
    object.metadata.labels.as_ref()?.get(key).map(String::as_str)
}

pub(crate) fn annotation<'a>(object: &'a DynamicObject, key: &str) -> Option<&'a str> {
    object.metadata.annotations.as_ref()?.get(key).map(String::as_str)
}

/// Whether something belongs to a target.
pub(crate) fn is_of(object: &DynamicObject, target: &str) -> bool {
    label(object, TARGET) == Some(target)
}

/// By which grant something is there.
pub(crate) fn held(object: &DynamicObject) -> Option<Held> {
    let epoch = |key| annotation(object, key)?.parse().ok().map(Epoch);
    Some(Held { epoch: epoch(EPOCH)?, fence: epoch(FENCE)? })
}

/// The annotations that say it.
pub(crate) fn of_held(held: Held) -> Map<String, Value> {
    let pairs = [(EPOCH, held.epoch), (FENCE, held.fence)];
    pairs.into_iter().map(|(key, epoch)| (key.to_owned(), json!(epoch.to_string()))).collect()
}

/// The name of a volume, by which the hub knows it.
pub(crate) fn volume(namespace: &str, claim: &str) -> String {
    bowline_api::placements::VolumeGrant::object_name(namespace, claim)
}

/// The namespace and the claim of a volume.
pub(crate) fn parts(volume: &str) -> (&str, &str) {
    volume.split_once('.').unwrap_or((volume, ""))
}
