//! Clusters: who changes them.

use bowline_api::updates::{Activity, ClusterStatus, UpgradeActivity};
use bowline_control::Version;
use bowline_upgrades::Cluster;
use bowline_upgrades::plain::{Named, Plain};
use kube::core::DynamicObject;
use serde_json::{Value, json};

use crate::drawing::{put, status};

/// A cluster. Who cannot read who is on it does not take it for free.
pub(super) fn read(raw: &DynamicObject) -> Option<Cluster<Plain>> {
    let meta = &raw.metadata;
    let status: ClusterStatus = match raw.data.get("status").filter(|said| !said.is_null()) {
        None => ClusterStatus::default(),
        Some(said) => serde_json::from_value(said.clone()).ok()?,
    };
    let Activity { updates, upgrade } = status.activity.unwrap_or_default();
    let upgrade = upgrade.map(|UpgradeActivity { namespace, group, attempt }| {
        (Named { namespace: namespace.to_string(), name: group.to_string() }, attempt)
    });
    Some(Cluster {
        name: meta.name.clone()?,
        uid: meta.uid.clone()?,
        version: Version(meta.resource_version.as_deref()?.parse().ok()?),
        deleting: meta.deletion_timestamp.is_some(),
        updates: !updates.is_empty(),
        upgrade,
    })
}

/// Says which group is upgraded on it, and leaves alone what others say.
pub(super) fn draw_status(cluster: &Cluster<Plain>, raw: &mut DynamicObject) {
    let fields = status(raw);
    let mut activity = match fields.remove("activity") {
        Some(Value::Object(activity)) => activity,
        _ => serde_json::Map::new(),
    };
    let upgrade = cluster.upgrade.as_ref().map(|(group, attempt)| UpgradeActivity {
        namespace: group.namespace.as_str().into(),
        group: group.name.as_str().into(),
        attempt: *attempt,
    });
    put(&mut activity, "upgrade", upgrade.map(|upgrade| json!(upgrade)));
    put(fields, "activity", (!activity.is_empty()).then_some(Value::Object(activity)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(status: &Value) -> DynamicObject {
        let object = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "Cluster",
            "metadata": { "name": "prod", "uid": "u", "resourceVersion": "7" },
            "spec": { "embedded": {}, "paused": true }, "status": status,
        });
        serde_json::from_value(object).expect("an object")
    }

    fn group() -> Named {
        Named { namespace: "a".into(), name: "kv".into() }
    }

    #[test]
    fn who_is_on_it_comes_back_and_others_keep_what_they_say() {
        let updates = json!([{ "namespace": "a", "stack": "s", "attempt": 3 }]);
        for (said, is_updated) in [
            (json!({}), false),
            (json!({ "version": "v1" }), false),
            (json!({ "activity": { "updates": updates }, "version": "v1" }), true),
        ] {
            let mut raw = raw(&said);
            let cluster = read(&raw).expect("a cluster");
            assert_eq!((cluster.updates, &cluster.upgrade), (is_updated, &None));
            let entered = Cluster { upgrade: Some((group(), 4)), ..cluster.clone() };
            draw_status(&entered, &mut raw);
            assert_eq!(read(&raw), Some(entered));
            draw_status(&cluster, &mut raw);
            assert_eq!(raw.data["status"], said, "who has left leaves nothing behind");
        }
    }

    #[test]
    fn a_cluster_of_which_it_cannot_be_said_who_is_on_it_is_none() {
        assert_eq!(read(&raw(&json!({ "activity": { "upgrade": { "group": 3 } } }))), None);
        assert!(read(&raw(&Value::Null)).is_some());
    }
}
