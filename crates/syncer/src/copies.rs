//! What is copied down, and what goes up.
//!
//! A copy says what people say on the hub. What a controller of the cluster fills in is not said, and so it is left alone: addresses
//! and ports of Services, the selector of a Job, what nodes and sets note on objects.

use kube::core::DynamicObject;
use serde_json::{Map, Value, json};

use crate::kinds::Kind;
use crate::marks::{self, OURS, RESTORE};

/// Labels and annotations that say something of the object on the hub, and nothing of its copy.
const OF_THE_HUB: [&str; 4] = [
    OURS,
    "state.bowline.dev/",
    "kubectl.kubernetes.io/last-applied-configuration",
    "deployment.kubernetes.io/",
];
/// What Kubernetes puts on the pods of a Job, and into its selector.
const OF_JOBS: [&str; 4] =
    ["controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"];
/// What every namespace is given by Kubernetes.
const AUTHORITY: &str = "kube-root-ca.crt";

/// Of which target a copy is, and after which restore of the hub it was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark<'a> {
    pub(crate) target: &'a str,
    pub(crate) restore: &'a str,
}

/// Whether an object of the hub is copied at all.
pub(crate) fn is_copied(kind: Kind, object: &DynamicObject) -> bool {
    let meta = &object.metadata;
    let is_made = meta.owner_references.iter().flatten().any(|owner| owner.controller == Some(true));
    if is_made || meta.deletion_timestamp.is_some() {
        return false;
    }
    let name = meta.name.as_deref().unwrap_or_default();
    match kind {
        Kind::Account => name != "default",
        Kind::Config => name != AUTHORITY,
        Kind::Secret => {
            let sort = object.data["type"].as_str().unwrap_or_default();
            sort != "kubernetes.io/service-account-token" && !sort.starts_with(OURS)
        }
        // What has ended would run once more.
        Kind::Job => !has_ended(object),
        // The one of the API server.
        Kind::Service => meta.namespace.as_deref() != Some("default") || name != "kubernetes",
        Kind::Claim => false,
        Kind::Deployment | Kind::StatefulSet => true,
    }
}

fn has_ended(job: &DynamicObject) -> bool {
    let conditions = job.data.pointer("/status/conditions").and_then(Value::as_array);
    let ends =
        |one: &Value| (one["type"] == "Complete" || one["type"] == "Failed") && one["status"] == "True";
    conditions.into_iter().flatten().any(ends)
}

/// How an object of the hub is to be in the cluster.
pub(crate) fn copy(kind: Kind, object: &DynamicObject, mark: Mark<'_>) -> Value {
    let resource = kind.resource();
    let meta = &object.metadata;
    let namespace = meta.namespace.clone().unwrap_or_default();
    let mut labels = kept(meta.labels.as_ref());
    labels.extend(marks::labels(mark.target, &namespace).into_iter().map(|(key, value)| (key, json!(value))));
    let mut annotations = kept(meta.annotations.as_ref());
    annotations.insert(RESTORE.to_owned(), json!(mark.restore));
    let mut copy = json!({
        "apiVersion": resource.api_version, "kind": resource.kind,
        "metadata": { "name": meta.name, "namespace": namespace, "labels": labels, "annotations": annotations },
    });
    let fields = match kind {
        Kind::Config => &["data", "binaryData", "immutable"][..],
        Kind::Secret => &["data", "type", "immutable"],
        Kind::Account => &["imagePullSecrets", "automountServiceAccountToken"],
        _ => &["spec"],
    };
    for field in fields {
        if let Some(value) = object.data.get(*field).filter(|value| !value.is_null()) {
            copy[*field] = value.clone();
        }
    }
    match kind {
        Kind::Service => service(&mut copy["spec"]),
        Kind::StatefulSet => set(&mut copy["spec"]),
        Kind::Job => job(&mut copy["spec"]),
        _ => {}
    }
    copy
}

fn kept(all: Option<&std::collections::BTreeMap<String, String>>) -> Map<String, Value> {
    let is_of_the_hub = |key: &str| OF_THE_HUB.iter().any(|of| key.starts_with(of));
    let kept = all.into_iter().flatten().filter(|(key, _)| !is_of_the_hub(key));
    kept.map(|(key, value)| (key.clone(), json!(value))).collect()
}

/// Addresses and ports are the cluster's; that there is to be none is people's.
fn service(spec: &mut Value) {
    let Some(fields) = spec.as_object_mut() else { return };
    let is_headless = fields.get("clusterIP").is_some_and(|address| address == "None");
    for field in ["clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort"] {
        fields.remove(field);
    }
    if !is_headless {
        fields.remove("clusterIP");
    }
    for port in fields.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(port) = port.as_object_mut() {
            port.remove("nodePort");
        }
    }
}

/// The data of a set's claims goes with the namespace on the hub, and never with the set or its size.
fn set(spec: &mut Value) {
    spec["persistentVolumeClaimRetentionPolicy"] = json!({ "whenDeleted": "Retain", "whenScaled": "Retain" });
    for template in spec["volumeClaimTemplates"].as_array_mut().into_iter().flatten() {
        if let Some(template) = template.as_object_mut() {
            template.remove("status");
        }
    }
}

/// Which pods are a Job's is said by its uid, and that is another one in each cluster.
fn job(spec: &mut Value) {
    if spec["manualSelector"] == true {
        return;
    }
    if let Some(fields) = spec.as_object_mut() {
        fields.remove("selector");
    }
    if let Some(labels) = spec.pointer_mut("/template/metadata/labels").and_then(Value::as_object_mut) {
        labels.retain(|key, _| !OF_JOBS.contains(&key.as_str()));
    }
}

/// What of a copy is people's: if that is as it was when it was written last, nobody has touched it since.
pub(crate) fn touched(copy: &DynamicObject) -> Value {
    let mut data = copy.data.clone();
    if let Some(fields) = data.as_object_mut() {
        fields.remove("status");
    }
    json!([data, copy.metadata.labels, copy.metadata.annotations])
}

/// The status that an object of the hub is to have, by that of its copy; `None` if it has it.
pub(crate) fn shown(
    kind: Kind,
    object: &DynamicObject,
    copy: &DynamicObject,
    current: bool,
) -> Option<Value> {
    if !kind.has_status() {
        return None;
    }
    let mut status = copy.data.get("status").filter(|status| status.is_object())?.clone();
    let is = &object.data["status"];
    if let Some(observed) = status.get("observedGeneration").cloned() {
        // Generations are counted on each side; what was seen here is what the hub says if that was copied, and seen.
        let seen = current && observed.as_i64() == copy.metadata.generation;
        status["observedGeneration"] =
            if seen { json!(object.metadata.generation) } else { is["observedGeneration"].clone() };
        if status["observedGeneration"].is_null() {
            status.as_object_mut()?.remove("observedGeneration");
        }
    }
    if kind == Kind::Claim {
        let fields = status.as_object_mut()?;
        fields.retain(|name, _| ["phase", "accessModes", "capacity"].contains(&name.as_str()));
    }
    let was = is.as_object().cloned().unwrap_or_default();
    // What is not said any more goes.
    for name in was.keys().filter(|name| kind != Kind::Claim || *name == "capacity") {
        if status.get(name).is_none() {
            status[name] = Value::Null;
        }
    }
    let is_same =
        status.as_object()?.iter().all(|(name, value)| is.get(name).unwrap_or(&Value::Null) == value);
    (!is_same).then_some(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: Mark<'_> = Mark { target: "east", restore: "2.0" };

    fn object(kind: Kind, value: Value) -> DynamicObject {
        let resource = kind.resource();
        let mut value = value;
        value["apiVersion"] = json!(resource.api_version);
        value["kind"] = json!(resource.kind);
        if value["metadata"].is_null() {
            value["metadata"] = json!({});
        }
        value["metadata"]["namespace"] = json!("shop");
        if value["metadata"]["name"].is_null() {
            value["metadata"]["name"] = json!("x");
        }
        serde_json::from_value(value).expect("an object")
    }

    #[test]
    fn what_the_cluster_fills_in_is_left_to_it() {
        let spec = json!({
            "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"], "ipFamilies": ["IPv4"], "selector": { "app": "a" },
            "ports": [{ "port": 80, "nodePort": 30080 }],
        });
        let service = copy(Kind::Service, &object(Kind::Service, json!({ "spec": spec })), MARK);
        assert_eq!(service["spec"], json!({ "selector": { "app": "a" }, "ports": [{ "port": 80 }] }));
        let headless =
            object(Kind::Service, json!({ "spec": { "clusterIP": "None", "clusterIPs": ["None"] } }));
        assert_eq!(copy(Kind::Service, &headless, MARK)["spec"], json!({ "clusterIP": "None" }));
        let labels = json!({ "controller-uid": "u", "batch.kubernetes.io/job-name": "x", "app": "a" });
        let job = json!({ "spec": { "selector": { "matchLabels": labels }, "template": { "metadata": { "labels": labels } } } });
        let job = copy(Kind::Job, &object(Kind::Job, job), MARK);
        assert_eq!(job["spec"], json!({ "template": { "metadata": { "labels": { "app": "a" } } } }));
    }

    #[test]
    fn claims_of_a_set_outlive_it_whatever_it_says() {
        let spec = json!({ "persistentVolumeClaimRetentionPolicy": { "whenDeleted": "Delete" } });
        let set = copy(Kind::StatefulSet, &object(Kind::StatefulSet, json!({ "spec": spec })), MARK);
        assert_eq!(set["spec"]["persistentVolumeClaimRetentionPolicy"]["whenDeleted"], "Retain");
    }

    #[test]
    fn a_copy_has_the_labels_of_people_and_ours() {
        let labels = json!({ "app": "a", "state.bowline.dev/east": "Sync" });
        let notes = json!({ "kubectl.kubernetes.io/last-applied-configuration": "{}", "b": "c" });
        let meta = json!({ "metadata": { "labels": labels, "annotations": notes, "uid": "u", "resourceVersion": "1" }, "data": { "a": "b" } });
        let copied = copy(Kind::Config, &object(Kind::Config, meta), MARK);
        let expected = json!({
            "name": "x", "namespace": "shop",
            "labels": { "app": "a", "bowline.dev/target": "east", "bowline.dev/placement": "shop" },
            "annotations": { "b": "c", "bowline.dev/restore": "2.0" },
        });
        assert_eq!(copied["metadata"], expected);
        assert_eq!(copied["data"], json!({ "a": "b" }));
    }

    #[test]
    fn what_is_not_peoples_is_not_copied() {
        let of = |kind, value: Value| is_copied(kind, &object(kind, value));
        assert!(of(Kind::Config, json!({})));
        assert!(!of(Kind::Config, json!({ "metadata": { "name": "kube-root-ca.crt" } })));
        assert!(!of(Kind::Account, json!({ "metadata": { "name": "default" } })));
        assert!(!of(Kind::Secret, json!({ "type": "kubernetes.io/service-account-token" })));
        assert!(!of(Kind::Secret, json!({ "type": "bowline.dev/part" })));
        let owner = json!([{ "apiVersion": "v1", "kind": "X", "name": "x", "uid": "u", "controller": true }]);
        assert!(!of(Kind::Job, json!({ "metadata": { "ownerReferences": owner } })));
        let ended = json!({ "status": { "conditions": [{ "type": "Complete", "status": "True" }] } });
        assert!(!of(Kind::Job, ended), "it would run once more");
    }

    #[test]
    fn a_generation_is_shown_as_seen_when_its_copy_was() {
        let hub = json!({ "metadata": { "generation": 7 }, "spec": {}, "status": { "observedGeneration": 6, "replicas": 1, "gone": 1 } });
        let hub = object(Kind::Deployment, hub);
        let here = |observed: i64| {
            let status = json!({ "observedGeneration": observed, "replicas": 2 });
            object(Kind::Deployment, json!({ "metadata": { "generation": 3 }, "status": status }))
        };
        let shown_by = |observed, current| shown(Kind::Deployment, &hub, &here(observed), current);
        assert_eq!(shown_by(3, true), Some(json!({ "observedGeneration": 7, "replicas": 2, "gone": null })));
        assert_eq!(shown_by(2, true).map(|shown| shown["observedGeneration"].clone()), Some(json!(6)));
        assert_eq!(shown_by(3, false).map(|shown| shown["observedGeneration"].clone()), Some(json!(6)));
        let same =
            json!({ "metadata": { "generation": 7 }, "status": { "observedGeneration": 7, "replicas": 2 } });
        assert_eq!(shown(Kind::Deployment, &object(Kind::Deployment, same), &here(3), true), None);
    }

    #[test]
    fn of_a_claim_it_is_shown_what_it_got() {
        let hub = object(Kind::Claim, json!({ "status": { "phase": "Pending" } }));
        let here =
            json!({ "status": { "phase": "Bound", "capacity": { "storage": "1Gi" }, "conditions": [] } });
        let shown = shown(Kind::Claim, &hub, &object(Kind::Claim, here), true);
        assert_eq!(shown, Some(json!({ "phase": "Bound", "capacity": { "storage": "1Gi" } })));
    }
}
