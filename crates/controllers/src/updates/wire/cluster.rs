//! Clusters: whether they can be used, and who is on them.

use bowline_api::conditions::ConditionType;
use bowline_api::updates::{Activity, ClusterSpec, ClusterStatus, UpdateActivity};
use bowline_control::Version;
use bowline_updates::{Cluster, Quota};
use kube::core::DynamicObject;
use serde_json::json;

use super::super::names::{StackName, Text};
use super::{put, status};
use crate::clusters::EXPOSED;

pub(super) fn read(raw: &DynamicObject) -> Option<Cluster<Text>> {
    let meta = &raw.metadata;
    let spec: ClusterSpec = serde_json::from_value(raw.data["spec"].clone()).ok()?;
    let status: ClusterStatus = serde_json::from_value(raw.data["status"].clone()).unwrap_or_default();
    let activity = status.activity.unwrap_or_default();
    let updates = activity.updates.into_iter().map(|UpdateActivity { namespace, stack, attempt }| {
        (StackName { namespace: namespace.to_string(), name: stack.to_string() }, attempt)
    });
    let ready = status.conditions.get(&ConditionType::READY);
    Some(Cluster {
        name: meta.name.clone()?,
        uid: meta.uid.clone()?,
        version: Version(meta.resource_version.as_deref()?.parse().ok()?),
        generation: u64::try_from(meta.generation.unwrap_or(0)).unwrap_or(0),
        deleting: meta.deletion_timestamp.is_some(),
        ready: status.conditions.is_true(&ConditionType::READY),
        why: ready.map_or(String::new(), |ready| ready.message.clone()),
        exposed: ready.is_some_and(|ready| ready.reason == EXPOSED),
        paused: spec.paused,
        quota: Quota { waiting: spec.quota.max_queued_per_namespace, hourly: spec.quota.max_per_hour },
        updates: updates.collect(),
        upgrade: activity.upgrade.is_some(),
    })
}

/// Says who is on it, and leaves alone what others say.
pub(super) fn draw_status(cluster: &Cluster<Text>, raw: &mut DynamicObject) {
    let fields = status(raw);
    let activity = fields.get("activity").cloned().unwrap_or_default();
    let mut activity: Activity = serde_json::from_value(activity).unwrap_or_default();
    let updates = cluster.updates.iter().map(|(stack, attempt)| UpdateActivity {
        namespace: stack.namespace.as_str().into(),
        stack: stack.name.as_str().into(),
        attempt: *attempt,
    });
    activity.updates = updates.collect();
    put(fields, "activity", (activity != Activity::default()).then(|| json!(activity)));
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn raw(status: &Value) -> DynamicObject {
        let object = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "Cluster",
            "metadata": { "name": "prod", "uid": "u", "resourceVersion": "7" },
            "spec": { "embedded": {}, "paused": true }, "status": status,
        });
        serde_json::from_value(object).expect("an object")
    }

    #[test]
    fn who_is_on_it_comes_back_and_others_keep_what_they_say() {
        let ready = json!([{ "type": "Ready", "status": "True", "reason": "Usable", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z" }]);
        let upgrade = json!({ "namespace": "a", "group": "g", "attempt": 1 });
        let exposed = json!([{ "type": "Ready", "status": "False", "reason": "HubExposed", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z" }]);
        for (said, is_ready, is_upgraded) in [
            (json!({}), false, false),
            (json!({ "conditions": ready }), true, false),
            (json!({ "conditions": exposed }), false, false),
            (json!({ "activity": { "upgrade": upgrade }, "version": "v1" }), false, true),
        ] {
            let mut raw = raw(&said);
            let cluster = read(&raw).expect("a cluster");
            assert_eq!((cluster.ready, cluster.upgrade, cluster.paused), (is_ready, is_upgraded, true));
            assert_eq!(cluster.exposed, said["conditions"] == exposed);
            let stack = |name: &str| StackName { namespace: "a".into(), name: name.into() };
            let entered = Cluster { updates: vec![(stack("x"), 3), (stack("y"), 1)], ..cluster.clone() };
            draw_status(&entered, &mut raw);
            assert_eq!(read(&raw).expect("a cluster"), entered);
            draw_status(&cluster, &mut raw);
            assert_eq!(raw.data["status"], said, "who has left leaves nothing behind");
        }
    }
}
