//! Whether an object works, by what it says itself: the rules of kstatus, in sentences. Where they are others, docs/updates.md says so.

use bowline_runtime::clause;
use bowline_updates::Health;
use serde_json::Value;

use super::names::Text;
use super::request::cut;

type Verdict = Health<Text>;

/// A deadline of so many seconds is none, to the controller of Deployments.
const NEVER: i64 = i32::MAX as i64;

/// Whether an object works.
pub(crate) fn health(object: &Value) -> Verdict {
    if !object["metadata"]["deletionTimestamp"].is_null() {
        return waits("it is being deleted");
    }
    let group = object["apiVersion"].as_str().and_then(|version| version.split_once('/'));
    let group = group.map_or("", |(group, _)| group);
    if let Some(verdict) = unobserved(object).or_else(|| unsettled(object)) {
        return verdict;
    }
    match (group, object["kind"].as_str().unwrap_or_default()) {
        ("apps", "Deployment") => deployment(object),
        ("apps", "StatefulSet") => stateful_set(object),
        ("apps", "DaemonSet") => daemon_set(object),
        ("apps", "ReplicaSet") => replica_set(object),
        ("", "Pod") => pod(object),
        ("batch", "Job") => job(object),
        ("", "PersistentVolumeClaim") => claim(object),
        ("", "Service") => service(object),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => definition(object),
        ("apiregistration.k8s.io", "APIService") => by_condition(object, "Available"),
        _ => by_condition(object, "Ready"),
    }
}

/// What is said of an older spec says nothing of this one.
fn unobserved(object: &Value) -> Option<Verdict> {
    let observed = object["status"]["observedGeneration"].as_i64()?;
    let generation = object["metadata"]["generation"].as_i64()?;
    (observed != generation).then(|| waits("its controller has not seen the last change yet"))
}

/// What any object may say, whatever its kind.
fn unsettled(object: &Value) -> Option<Verdict> {
    if let Some(why) = condition(object, "Stalled").filter(|is| is["status"] == "True") {
        return Some(Health::Ill(words("it is stalled", why)));
    }
    let busy = condition(object, "Reconciling").filter(|is| is["status"] == "True");
    busy.map(|why| waits(&words("it is being worked on", why)))
}

fn deployment(object: &Value) -> Verdict {
    if object["status"]["observedGeneration"].is_null() {
        return waits("its controller has not seen it yet");
    }
    if let Some(why) =
        condition(object, "Progressing").filter(|is| is["reason"] == "ProgressDeadlineExceeded")
    {
        return Health::Ill(words("it makes no progress", why));
    }
    let wanted = wanted(object);
    let [updated, all, available, ready] =
        ["updatedReplicas", "replicas", "availableReplicas", "readyReplicas"].map(|name| count(object, name));
    if updated < wanted {
        return waits(&format!("{updated} of {wanted} pods are of the new version"));
    }
    if all > updated {
        return waits(&format!("pods of the old version that are still there: {}", all - updated));
    }
    if let Some(surplus) = surplus(object) {
        return surplus;
    }
    if available < updated || ready < wanted {
        return waits(&format!("{available} of {wanted} pods are available, {ready} are ready"));
    }
    // Whoever has no deadline, or is paused, is not told how it gets on.
    let has_deadline = object["spec"]["progressDeadlineSeconds"].as_i64().is_some_and(|most| most < NEVER);
    let is_complete = condition(object, "Progressing")
        .is_some_and(|is| is["status"] == "True" && is["reason"] == "NewReplicaSetAvailable");
    if has_deadline && object["spec"]["paused"] != true && !is_complete {
        return waits("its new version is not complete yet");
    }
    if is_true(object, "Available") { Health::Well } else { waits("it is not available yet") }
}

/// Pods that are more than wanted, and have still to end.
fn surplus(object: &Value) -> Option<Verdict> {
    let surplus = count(object, "replicas") - wanted(object);
    (surplus > 0).then(|| waits(&format!("pods too many, and still there: {surplus}")))
}

fn stateful_set(object: &Value) -> Verdict {
    if object["spec"]["updateStrategy"]["type"] == "OnDelete" {
        return Health::Well;
    }
    if object["status"]["observedGeneration"].is_null() {
        return waits("its controller has not seen it yet");
    }
    let wanted = wanted(object);
    let [all, ready] = ["replicas", "readyReplicas"].map(|name| count(object, name));
    if all < wanted {
        return waits(&format!("{all} of {wanted} pods are there"));
    }
    if ready < wanted {
        return waits(&format!("{ready} of {wanted} pods are ready"));
    }
    if let Some(surplus) = surplus(object) {
        return surplus;
    }
    let partition = object["spec"]["updateStrategy"]["rollingUpdate"]["partition"].as_i64().unwrap_or(0);
    let updated = count(object, "updatedReplicas");
    if updated < wanted - partition {
        return waits(&format!("{updated} of {} pods are of the new version", wanted - partition));
    }
    let status = &object["status"];
    if partition == 0 && status["currentRevision"] != status["updateRevision"] {
        return waits("not all pods are of the new version");
    }
    Health::Well
}

fn daemon_set(object: &Value) -> Verdict {
    if object["status"]["observedGeneration"].is_null() {
        return waits("its controller has not seen it yet");
    }
    if object["status"]["desiredNumberScheduled"].is_null() {
        return waits("its controller has not counted its nodes yet");
    }
    let [wanted, there, updated, available, ready] = [
        "desiredNumberScheduled",
        "currentNumberScheduled",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberReady",
    ]
    .map(|name| count(object, name));
    if there < wanted {
        return waits(&format!("{there} of {wanted} pods are there"));
    }
    let on_delete = object["spec"]["updateStrategy"]["type"] == "OnDelete";
    if updated < wanted && !on_delete {
        return waits(&format!("{updated} of {wanted} pods are of the new version"));
    }
    if available < wanted || ready < wanted {
        return waits(&format!("{available} of {wanted} pods are available, {ready} are ready"));
    }
    Health::Well
}

fn replica_set(object: &Value) -> Verdict {
    let wanted = wanted(object);
    let [labelled, available, ready] =
        ["fullyLabeledReplicas", "availableReplicas", "readyReplicas"].map(|name| count(object, name));
    if let Some(why) = condition(object, "ReplicaFailure").filter(|is| is["status"] == "True") {
        return waits(&words("pods cannot be made", why));
    }
    if labelled < wanted {
        return waits(&format!("{labelled} of {wanted} pods have its labels"));
    }
    if available < wanted || ready < wanted {
        return waits(&format!("{available} of {wanted} pods are available, {ready} are ready"));
    }
    surplus(object).unwrap_or(Health::Well)
}

fn pod(object: &Value) -> Verdict {
    let said = |what: &str| words(what, &object["status"]);
    match object["status"]["phase"].as_str().unwrap_or_default() {
        "Succeeded" => Health::Well,
        "Failed" => Health::Ill(said("it has failed")),
        _ if is_true(object, "Ready") => Health::Well,
        "Running" => match looping(object) {
            Some(container) => Health::Ill(format!("its container {container} ends again and again")),
            None => waits("it runs, and is not ready"),
        },
        _ => match condition(object, "PodScheduled").filter(|is| is["status"] == "False") {
            Some(why) => waits(&words("there is no node for it", why)),
            None => waits(&said("it does not run yet")),
        },
    }
}

/// A container that is started again and again, and ends.
fn looping(object: &Value) -> Option<&str> {
    let containers = object["status"]["containerStatuses"].as_array()?;
    let is_looping = |one: &&Value| one["state"]["waiting"]["reason"] == "CrashLoopBackOff";
    containers.iter().find(is_looping)?["name"].as_str()
}

/// One that has begun is as it should be: it may take longer than any update, and fails for itself.
fn job(object: &Value) -> Verdict {
    if let Some(why) = condition(object, "Failed").filter(|is| is["status"] == "True") {
        return Health::Ill(words("it has failed", why));
    }
    let has_begun = object["status"]["startTime"].is_string();
    if has_begun || is_true(object, "Complete") || is_true(object, "Suspended") {
        return Health::Well;
    }
    waits("it has not begun yet")
}

fn claim(object: &Value) -> Verdict {
    match object["status"]["phase"].as_str() {
        Some("Bound") => Health::Well,
        Some("Lost") => Health::Ill("its volume is lost".into()),
        _ => waits("it has no volume yet"),
    }
}

fn service(object: &Value) -> Verdict {
    let is_balanced = object["spec"]["type"] == "LoadBalancer";
    let has_address = object["spec"]["clusterIP"].as_str().is_some_and(|address| !address.is_empty());
    // An embedded cluster gives no addresses of its own.
    let is_reached =
        object["status"]["loadBalancer"]["ingress"].as_array().is_some_and(|all| !all.is_empty());
    if is_balanced && !has_address && !is_reached { waits("it has no address yet") } else { Health::Well }
}

fn definition(object: &Value) -> Verdict {
    if let Some(why) = condition(object, "NamesAccepted").filter(|is| is["status"] == "False") {
        return Health::Ill(words("its names are taken", why));
    }
    match condition(object, "Established") {
        Some(is) if is["status"] == "True" => Health::Well,
        Some(is) if is["status"] == "False" && is["reason"] != "Installing" => {
            Health::Ill(words("it is not served", is))
        }
        _ => waits("it is not served yet"),
    }
}

/// Well if the condition holds, or nobody speaks of it.
fn by_condition(object: &Value, kind: &str) -> Verdict {
    let Some(is) = condition(object, kind) else { return Health::Well };
    let generation = object["metadata"]["generation"].as_i64().unwrap_or(0);
    if is["observedGeneration"].as_i64().is_some_and(|observed| observed < generation) {
        return waits("its controller has not seen the last change yet");
    }
    if is["status"] != "True" {
        return waits(&words(&format!("it is not {}", kind.to_lowercase()), is));
    }
    Health::Well
}

fn waits(why: &str) -> Verdict {
    Health::Progressing(why.to_owned())
}

fn condition<'a>(object: &'a Value, kind: &str) -> Option<&'a Value> {
    object["status"]["conditions"].as_array()?.iter().find(|condition| condition["type"] == kind)
}

fn is_true(object: &Value, kind: &str) -> bool {
    condition(object, kind).is_some_and(|condition| condition["status"] == "True")
}

fn wanted(object: &Value) -> i64 {
    object["spec"]["replicas"].as_i64().unwrap_or(1)
}

fn count(object: &Value, name: &str) -> i64 {
    object["status"][name].as_i64().unwrap_or(0)
}

/// What is so, and what its controller says about it.
fn words(what: &str, said: &Value) -> String {
    let text = |name: &str| said[name].as_str().filter(|text| !text.is_empty());
    match text("message").or(text("reason")) {
        Some(why) => cut(format!("{what}: {}", clause(why))),
        None => what.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(api_version: &str, kind: &str, rest: &Value) -> String {
        let mut object = json!({ "apiVersion": api_version, "kind": kind, "metadata": { "generation": 2 } });
        for (field, value) in rest.as_object().expect("fields") {
            object[field.as_str()] = value.clone();
        }
        match health(&object) {
            Health::Well => "well".into(),
            Health::Progressing(why) => format!("waits: {why}"),
            Health::Ill(why) => format!("ill: {why}"),
        }
    }

    fn check(api_version: &str, kind: &str, cases: &[(Value, &str)]) {
        for (rest, expected) in cases {
            assert_eq!(told(api_version, kind, rest), *expected, "{kind} {rest}");
        }
    }

    fn status(status: Value) -> Value {
        json!({ "status": status })
    }

    fn said(kind: &str, truth: &str, reason: &str) -> Value {
        json!({ "type": kind, "status": truth, "reason": reason })
    }

    #[test]
    fn deployments() {
        let full = json!({ "observedGeneration": 2, "replicas": 3, "updatedReplicas": 3, "readyReplicas": 3, "availableReplicas": 3, "conditions": [said("Available", "True", "")] });
        let with = |field: &str, value: Value| {
            let mut status = full.clone();
            status[field] = value;
            json!({ "spec": { "replicas": 3 }, "status": status })
        };
        let mut scaled_down = with("replicas", json!(5));
        for field in ["updatedReplicas", "availableReplicas", "readyReplicas"] {
            scaled_down["status"][field] = json!(5);
        }
        let with_deadline = |reason: &str| {
            let mut object = with(
                "conditions",
                json!([said("Progressing", "True", reason), said("Available", "True", "")]),
            );
            object["spec"]["progressDeadlineSeconds"] = json!(600);
            object
        };
        check(
            "apps/v1",
            "Deployment",
            &[
                (status(json!({})), "waits: its controller has not seen it yet"),
                (with("replicas", json!(3)), "well"),
                (
                    with("observedGeneration", json!(1)),
                    "waits: its controller has not seen the last change yet",
                ),
                (with("updatedReplicas", json!(1)), "waits: 1 of 3 pods are of the new version"),
                (with("replicas", json!(5)), "waits: pods of the old version that are still there: 2"),
                (with("availableReplicas", json!(0)), "waits: 0 of 3 pods are available, 3 are ready"),
                (with("readyReplicas", json!(2)), "waits: 3 of 3 pods are available, 2 are ready"),
                (with("conditions", json!([])), "waits: it is not available yet"),
                (scaled_down, "waits: pods too many, and still there: 2"),
                (with_deadline("ReplicaSetUpdated"), "waits: its new version is not complete yet"),
                (with_deadline("NewReplicaSetAvailable"), "well"),
                (
                    with("conditions", json!([said("Progressing", "False", "ProgressDeadlineExceeded")])),
                    "ill: it makes no progress: ProgressDeadlineExceeded",
                ),
            ],
        );
    }

    #[test]
    fn sets() {
        let of = |spec: Value, status: Value| json!({ "spec": spec, "status": status });
        let stateful = |ready: u8, updated: u8, current: &str| json!({ "observedGeneration": 2, "replicas": 2, "readyReplicas": ready, "updatedReplicas": updated, "currentRevision": current, "updateRevision": "b" });
        let two = json!({ "replicas": 2 });
        let partition = json!({ "replicas": 2, "updateStrategy": { "rollingUpdate": { "partition": 1 } } });
        check(
            "apps/v1",
            "StatefulSet",
            &[
                (of(two.clone(), json!({})), "waits: its controller has not seen it yet"),
                (of(two.clone(), stateful(1, 2, "b")), "waits: 1 of 2 pods are ready"),
                (of(two.clone(), stateful(2, 1, "b")), "waits: 1 of 2 pods are of the new version"),
                (of(two.clone(), stateful(2, 2, "a")), "waits: not all pods are of the new version"),
                (of(two.clone(), stateful(2, 2, "b")), "well"),
                (
                    of(json!({ "replicas": 1 }), stateful(2, 2, "b")),
                    "waits: pods too many, and still there: 1",
                ),
                (of(json!({ "replicas": 3 }), stateful(2, 2, "b")), "waits: 2 of 3 pods are there"),
                (of(partition, stateful(2, 1, "a")), "well"),
                (of(json!({ "updateStrategy": { "type": "OnDelete" } }), json!({})), "well"),
            ],
        );
        let daemons = |updated: u8, available: u8| {
            status(
                json!({ "observedGeneration": 2, "desiredNumberScheduled": 2, "currentNumberScheduled": 2, "updatedNumberScheduled": updated, "numberAvailable": available, "numberReady": 2 }),
            )
        };
        check(
            "apps/v1",
            "DaemonSet",
            &[
                (status(json!({})), "waits: its controller has not seen it yet"),
                (daemons(1, 2), "waits: 1 of 2 pods are of the new version"),
                (daemons(2, 1), "waits: 1 of 2 pods are available, 2 are ready"),
                (
                    status(json!({ "observedGeneration": 2 })),
                    "waits: its controller has not counted its nodes yet",
                ),
                (
                    status(json!({ "observedGeneration": 2, "desiredNumberScheduled": 2 })),
                    "waits: 0 of 2 pods are there",
                ),
                (daemons(2, 2), "well"),
            ],
        );
        let replicas = |all: u8, labelled: u8, ready: u8| json!({ "replicas": all, "fullyLabeledReplicas": labelled, "readyReplicas": ready, "availableReplicas": ready });
        check(
            "apps/v1",
            "ReplicaSet",
            &[
                (of(two.clone(), replicas(2, 2, 1)), "waits: 1 of 2 pods are available, 1 are ready"),
                (of(two.clone(), replicas(2, 2, 2)), "well"),
                (of(two.clone(), replicas(2, 1, 2)), "waits: 1 of 2 pods have its labels"),
                (of(two.clone(), replicas(3, 3, 3)), "waits: pods too many, and still there: 1"),
                (
                    of(two, json!({ "conditions": [said("ReplicaFailure", "True", "Quota")] })),
                    "waits: pods cannot be made: Quota",
                ),
            ],
        );
    }

    #[test]
    fn pods_and_jobs() {
        check(
            "v1",
            "Pod",
            &[
                (status(json!({ "phase": "Succeeded" })), "well"),
                (status(json!({ "phase": "Failed", "message": "OOM." })), "ill: it has failed: OOM"),
                (status(json!({ "phase": "Running" })), "waits: it runs, and is not ready"),
                (
                    status(json!({ "phase": "Running", "containerStatuses": [
                        { "name": "side", "state": { "running": {} } },
                        { "name": "web", "state": { "waiting": { "reason": "CrashLoopBackOff" } } },
                    ] })),
                    "ill: its container web ends again and again",
                ),
                (status(json!({ "phase": "Running", "conditions": [said("Ready", "True", "")] })), "well"),
                (status(json!({ "phase": "Pending" })), "waits: it does not run yet"),
                (
                    status(
                        json!({ "phase": "Pending", "conditions": [said("PodScheduled", "False", "Unschedulable")] }),
                    ),
                    "waits: there is no node for it: Unschedulable",
                ),
            ],
        );
        check(
            "batch/v1",
            "Job",
            &[
                (status(json!({})), "waits: it has not begun yet"),
                (status(json!({ "startTime": "2026-01-01T00:00:00Z", "active": 1 })), "well"),
                (status(json!({ "conditions": [said("Complete", "True", "")] })), "well"),
                (
                    status(
                        json!({ "startTime": "2026-01-01T00:00:00Z", "conditions": [said("Failed", "True", "BackoffLimitExceeded")] }),
                    ),
                    "ill: it has failed: BackoffLimitExceeded",
                ),
                (status(json!({ "conditions": [said("Suspended", "True", "")] })), "well"),
            ],
        );
    }

    #[test]
    fn claims_services_and_definitions() {
        check(
            "v1",
            "PersistentVolumeClaim",
            &[
                (status(json!({ "phase": "Pending" })), "waits: it has no volume yet"),
                (status(json!({ "phase": "Bound" })), "well"),
                (status(json!({ "phase": "Lost" })), "ill: its volume is lost"),
            ],
        );
        let balanced = json!({ "type": "LoadBalancer" });
        check(
            "v1",
            "Service",
            &[
                (json!({ "spec": { "type": "ClusterIP" } }), "well"),
                (
                    json!({ "spec": balanced, "status": { "loadBalancer": {} } }),
                    "waits: it has no address yet",
                ),
                (json!({ "spec": { "type": "LoadBalancer", "clusterIP": "10.0.0.1" } }), "well"),
                (
                    json!({ "spec": balanced, "status": { "loadBalancer": { "ingress": [{ "ip": "1.2.3.4" }] } } }),
                    "well",
                ),
            ],
        );
        check(
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            &[
                (status(json!({})), "waits: it is not served yet"),
                (status(json!({ "conditions": [said("Established", "True", "")] })), "well"),
                (
                    status(json!({ "conditions": [said("Established", "False", "Installing")] })),
                    "waits: it is not served yet",
                ),
                (
                    status(json!({ "conditions": [said("Established", "False", "NotAccepted")] })),
                    "ill: it is not served: NotAccepted",
                ),
                (
                    status(json!({ "conditions": [said("NamesAccepted", "False", "ListKindConflict")] })),
                    "ill: its names are taken: ListKindConflict",
                ),
            ],
        );
    }

    #[test]
    fn anything_with_conditions() {
        let old = json!({ "type": "Ready", "status": "True", "observedGeneration": 1 });
        check(
            "g/v1",
            "Thing",
            &[
                (json!({}), "well"),
                (
                    status(json!({ "observedGeneration": 1 })),
                    "waits: its controller has not seen the last change yet",
                ),
                (
                    status(json!({ "conditions": [said("Ready", "False", "NoKey")] })),
                    "waits: it is not ready: NoKey",
                ),
                (status(json!({ "conditions": [said("Ready", "True", "")] })), "well"),
                (
                    status(json!({ "conditions": [old] })),
                    "waits: its controller has not seen the last change yet",
                ),
                (status(json!({ "conditions": [said("Available", "Unknown", "")] })), "well"),
                (
                    status(json!({ "conditions": [said("Stalled", "True", "Broken")] })),
                    "ill: it is stalled: Broken",
                ),
                (
                    status(json!({ "conditions": [said("Reconciling", "True", "Busy")] })),
                    "waits: it is being worked on: Busy",
                ),
                (
                    json!({ "metadata": { "deletionTimestamp": "2026-01-01T00:00:00Z" } }),
                    "waits: it is being deleted",
                ),
            ],
        );
        check(
            "apiregistration.k8s.io/v1",
            "APIService",
            &[
                (
                    status(json!({ "conditions": [said("Available", "False", "MissingEndpoints")] })),
                    "waits: it is not available: MissingEndpoints",
                ),
                (status(json!({ "conditions": [said("Available", "True", "Passed")] })), "well"),
            ],
        );
        check(
            "batch/v1",
            "Job",
            &[(
                status(json!({ "conditions": [said("Stalled", "True", "Broken")] })),
                "ill: it is stalled: Broken",
            )],
        );
        // A kind of somebody else that is called the same is judged by its conditions.
        check("example.com/v1", "Deployment", &[(json!({}), "well")]);
    }
}
