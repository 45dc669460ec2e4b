//! Why a target cannot be had, as people are told before anything is asked of the hub.

use std::collections::BTreeMap;

use bowline_api::placements::{Fence, Placement, SyncTarget, Taint, VolumeGrant};
use kube::ResourceExt;

/// Why nothing new can be placed on a target, and what to do.
pub(super) fn refusal(target: &SyncTarget) -> Option<String> {
    let name = target.name_any();
    let status = target.status.clone().unwrap_or_default();
    if target.metadata.deletion_timestamp.is_some() {
        Some("it is being deleted".to_owned())
    } else if status.fence != Fence::None || target.spec.fence.is_some() {
        Some(format!("it is fenced, or not unfenced yet; `bowline place unfence {name}`"))
    } else if target.spec.unschedulable || target.spec.drain {
        Some(format!("it is cordoned, or drains; `bowline place uncordon {name}`"))
    } else {
        status.lapsed_since.map(|_| "its syncer is not heard of: does it run?".to_owned())
    }
}

/// A volume that cannot go to a target.
pub(super) fn tied(grants: &[VolumeGrant], to: &str) -> Option<String> {
    let stays = |grant: &&VolumeGrant| {
        let status = grant.status.clone().unwrap_or_default();
        !status.destroyed && status.only_on.is_some_and(|only| only.as_str() != to)
    };
    let grant = grants.iter().find(stays)?;
    Some(format!(
        "it does not reach the storage of the volume {}, which stays on its cluster: copy the data yourself, or stay",
        grant.name_any()
    ))
}

/// Why a namespace that is placed nowhere is not on a target.
pub(super) fn unsuitable(placement: &Placement, target: &SyncTarget, load: usize) -> Option<String> {
    if let Some(why) = refusal(target) {
        return Some(why);
    }
    let empty = BTreeMap::new();
    let wanted = placement.spec.target_selector.as_ref().map_or(&empty, |selector| &selector.match_labels);
    let lacks = wanted.iter().find(|(key, value)| target.labels().get(*key) != Some(value));
    if let Some((key, value)) = lacks {
        return Some(format!("it lacks the label {key}={value}"));
    }
    let is_tolerated = |taint: &&Taint| placement.spec.tolerations.contains(taint);
    if let Some(Taint { key, value }) = target.spec.taints.iter().find(|taint| !is_tolerated(taint)) {
        let value = if value.is_empty() { String::new() } else { format!("={value}") };
        return Some(format!("it has the taint {key}{value}, which is not tolerated"));
    }
    let most = target.spec.capacity.as_ref().and_then(|capacity| capacity.namespaces)?;
    (load >= usize::try_from(most).unwrap_or(usize::MAX))
        .then(|| format!("it has {load} of at most {most} namespaces"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn target(spec: Value, status: Value) -> SyncTarget {
        let mut object = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "SyncTarget", "status": status,
            "metadata": { "name": "east", "labels": { "zone": "a" } }, "spec": { "cluster": "east" },
        });
        for (key, value) in spec.as_object().into_iter().flatten() {
            object["spec"][key.as_str()] = value.clone();
        }
        serde_json::from_value(object).expect("a target")
    }

    fn placement(spec: Value) -> Placement {
        let object = json!({ "apiVersion": "bowline.dev/v1alpha1", "kind": "Placement", "metadata": { "name": "placement" }, "spec": spec });
        serde_json::from_value(object).expect("a placement")
    }

    #[test]
    fn each_reason_is_told() {
        let of = |wish: Value, spec: Value, status: Value, load| {
            unsuitable(&placement(wish), &target(spec, status), load)
        };
        let zone = |zone: &str| json!({ "targetSelector": { "matchLabels": { "zone": zone } } });
        assert_eq!(of(zone("a"), json!({}), json!({}), 5), None);
        let fence = json!({ "by": "anna", "at": "2026-01-01T00:00:00Z" });
        for (wish, spec, status, why) in [
            (json!({}), json!({ "unschedulable": true }), json!({}), "cordoned"),
            (json!({}), json!({ "drain": true }), json!({}), "cordoned"),
            (json!({}), json!({ "fence": fence }), json!({}), "fenced"),
            (json!({}), json!({}), json!({ "fence": "Unfencing" }), "fenced"),
            (json!({}), json!({}), json!({ "lapsedSince": "2026-01-01T00:00:00Z" }), "not heard of"),
            (zone("b"), json!({}), json!({}), "lacks the label zone=b"),
            (json!({}), json!({ "taints": [{ "key": "gpu" }] }), json!({}), "taint gpu,"),
            (json!({}), json!({ "capacity": { "namespaces": 5 } }), json!({}), "5 of at most 5"),
        ] {
            let told = of(wish, spec, status, 5).expect(why);
            assert!(told.contains(why), "{told}");
        }
        let tolerated = json!({ "tolerations": [{ "key": "gpu" }] });
        assert_eq!(of(tolerated, json!({ "taints": [{ "key": "gpu" }] }), json!({}), 0), None);
    }
}
