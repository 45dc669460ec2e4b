//! What the server adds to new objects because of others: accounts, priorities, classes.

use http::StatusCode;
use serde_json::{Value, json};

use super::Neighbours;
use super::fields::{at, enter, fill, flag, list, number, object, objects, objects_mut, text};
use crate::document::Json;
use crate::kinds::Kind;
use crate::random;
use crate::status::{Details, Status};

/// Where the token of a pod's account is.
const TOKEN_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// Adds it, or says why the object may not be.
pub(super) fn admit(kind: &Kind, json: &mut Json, neighbours: &dyn Neighbours) -> Result<(), Status> {
    match (&*kind.group, &*kind.kind) {
        ("", "Pod") => {
            account(kind, json, neighbours)?;
            priority(kind, json, neighbours)?;
            tolerate(json);
            Ok(())
        }
        ("", "Node") => {
            taint(json);
            Ok(())
        }
        ("", "PersistentVolumeClaim") => {
            protect(json, "kubernetes.io/pvc-protection");
            storage_class(json, neighbours);
            Ok(())
        }
        ("", "PersistentVolume") => {
            protect(json, "kubernetes.io/pv-protection");
            Ok(())
        }
        ("networking.k8s.io", "Ingress") => ingress_class(json, neighbours),
        ("scheduling.k8s.io", "PriorityClass") => one_default(kind, json, neighbours),
        _ => Ok(()),
    }
}

/// The server does not allow it.
pub(super) fn forbidden(kind: &Kind, json: &Json, why: &str) -> Status {
    let name = text(object(json, "metadata"), "name");
    Status::failure(
        StatusCode::FORBIDDEN,
        "Forbidden",
        format!("{} {name:?} is forbidden: {why}", kind.qualified()),
    )
    .of(Details {
        name: name.to_owned(),
        group: kind.group.to_string(),
        kind: kind.plural.to_string(),
        ..Details::default()
    })
}

fn account(kind: &Kind, json: &mut Json, neighbours: &dyn Neighbours) -> Result<(), Status> {
    if at(json, &["metadata", "annotations"]).contains_key("kubernetes.io/config.mirror") {
        let named = !text(object(json, "spec"), "serviceAccountName").is_empty();
        let why = "a mirror pod may not reference service accounts";
        return if named { Err(forbidden(kind, json, why)) } else { Ok(()) };
    }
    let namespace = text(object(json, "metadata"), "namespace").to_owned();
    let spec = enter(json, "spec");
    fill(spec, "serviceAccountName", "default");
    let name = text(spec, "serviceAccountName").to_owned();
    spec.insert("serviceAccount".into(), name.clone().into());
    let Some(account) = neighbours.get("/serviceaccounts", &namespace, &name) else {
        let why =
            format!("error looking up service account {namespace}/{name}: serviceaccount {name:?} not found");
        return Err(forbidden(kind, json, &why));
    };
    let spec = enter(json, "spec");
    let wanted = |holder: &Json| holder.get("automountServiceAccountToken").and_then(Value::as_bool);
    if wanted(spec).or_else(|| wanted(&account)).unwrap_or(true) {
        mount_token(spec);
    }
    if list(spec, "imagePullSecrets").is_empty() && !list(&account, "imagePullSecrets").is_empty() {
        spec.insert("imagePullSecrets".into(), list(&account, "imagePullSecrets").into());
    }
    Ok(())
}

fn mount_token(spec: &mut Json) {
    let taken: Vec<String> = objects(spec, "volumes").map(|volume| text(volume, "name").to_owned()).collect();
    let given = taken.iter().find(|name| name.starts_with("kube-api-access-")).cloned();
    let is_new = given.is_none();
    let volume = given.unwrap_or_else(|| {
        std::iter::repeat_with(|| format!("kube-api-access-{}", random::suffix()))
            .find(|name| !taken.contains(name))
            .unwrap_or_default()
    });
    let mut needed = false;
    for name in ["initContainers", "containers"] {
        for container in objects_mut(spec, name) {
            if objects(container, "volumeMounts").any(|mount| text(mount, "mountPath") == TOKEN_PATH) {
                continue;
            }
            let mut mounts = list(container, "volumeMounts").to_vec();
            mounts.push(json!({"name": volume, "readOnly": true, "mountPath": TOKEN_PATH}));
            container.insert("volumeMounts".into(), mounts.into());
            needed = true;
        }
    }
    if needed && is_new {
        let mut volumes = list(spec, "volumes").to_vec();
        volumes.push(json!({"name": volume, "projected": {"defaultMode": 420, "sources": [
            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
            {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
            {"downwardAPI": {"items": [
                {"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}},
            ]}},
        ]}}));
        spec.insert("volumes".into(), volumes.into());
    }
}

fn priority(kind: &Kind, json: &mut Json, neighbours: &dyn Neighbours) -> Result<(), Status> {
    let name = text(object(json, "spec"), "priorityClassName").to_owned();
    let class =
        if name.is_empty() { default_priority(neighbours) } else { priority_class(neighbours, &name) };
    if class.is_none() && !name.is_empty() {
        return Err(forbidden(kind, json, &format!("no PriorityClass with name {name} was found")));
    }
    let class = class.unwrap_or_default();
    let value = number(&class, "value").unwrap_or(0);
    let policy =
        if class.is_empty() { "PreemptLowerPriority" } else { text(&class, "preemptionPolicy") }.to_owned();
    let spec = object(json, "spec");
    if let Some(said) = number(spec, "priority").filter(|said| *said != value) {
        let why = format!(
            "the integer value of priority ({said}) must not be provided in pod spec; priority admission controller \
             computed {value} from the given PriorityClass name"
        );
        return Err(forbidden(kind, json, &why));
    }
    let said = text(spec, "preemptionPolicy");
    if !said.is_empty() && !policy.is_empty() && said != policy {
        let why = format!(
            "the string value of PreemptionPolicy ({said}) must not be provided in pod spec; priority admission \
             controller computed {policy} from the given PriorityClass name"
        );
        return Err(forbidden(kind, json, &why));
    }
    let spec = enter(json, "spec");
    spec.insert("priority".into(), value.into());
    if !policy.is_empty() {
        spec.insert("preemptionPolicy".into(), policy.into());
    }
    if name.is_empty() && !class.is_empty() {
        spec.insert("priorityClassName".into(), text(object(&class, "metadata"), "name").into());
    }
    Ok(())
}

const PRIORITIES: &str = "scheduling.k8s.io/priorityclasses";

fn priority_class(neighbours: &dyn Neighbours, name: &str) -> Option<Json> {
    neighbours.get(PRIORITIES, "", name)
}

fn default_priority(neighbours: &dyn Neighbours) -> Option<Json> {
    let all = neighbours.list(PRIORITIES).into_iter().filter(|class| flag(class, "globalDefault"));
    all.min_by_key(|class| number(class, "value").unwrap_or(0))
}

fn one_default(kind: &Kind, json: &Json, neighbours: &dyn Neighbours) -> Result<(), Status> {
    if !flag(json, "globalDefault") {
        return Ok(());
    }
    match default_priority(neighbours) {
        None => Ok(()),
        Some(other) => {
            let name = text(object(&other, "metadata"), "name");
            let why =
                format!("PriorityClass {name} is already marked as default. Only one default can exist");
            Err(forbidden(kind, json, &why))
        }
    }
}

/// Pods stay for a while on a node that is lost.
fn tolerate(json: &mut Json) {
    let spec = enter(json, "spec");
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        let tolerated = objects(spec, "tolerations").any(|toleration| {
            [key, ""].contains(&text(toleration, "key"))
                && ["NoExecute", ""].contains(&text(toleration, "effect"))
        });
        if !tolerated {
            let mut all = list(spec, "tolerations").to_vec();
            all.push(
                json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}),
            );
            spec.insert("tolerations".into(), all.into());
        }
    }
}

/// A node that joins is not ready.
fn taint(json: &mut Json) {
    const KEY: &str = "node.kubernetes.io/not-ready";
    let spec = enter(json, "spec");
    let tainted = objects(spec, "taints")
        .any(|taint| (text(taint, "key"), text(taint, "effect")) == (KEY, "NoSchedule"));
    if !tainted {
        let mut all = list(spec, "taints").to_vec();
        all.push(json!({"key": KEY, "effect": "NoSchedule"}));
        spec.insert("taints".into(), all.into());
    }
}

/// What is in use is not removed.
fn protect(json: &mut Json, finalizer: &str) {
    let metadata = enter(json, "metadata");
    if !list(metadata, "finalizers").iter().any(|name| name == finalizer) {
        let mut all = list(metadata, "finalizers").to_vec();
        all.push(finalizer.into());
        metadata.insert("finalizers".into(), all.into());
    }
}

fn storage_class(json: &mut Json, neighbours: &dyn Neighbours) {
    const ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";
    let annotated = at(json, &["metadata", "annotations"]).contains_key(ANNOTATION);
    if annotated || object(json, "spec").contains_key("storageClassName") {
        return;
    }
    let marks =
        ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];
    let classes = neighbours.list("storage.k8s.io/storageclasses");
    if let Some(name) = newest_default(&classes, &marks) {
        enter(json, "spec").insert("storageClassName".into(), name.into());
    }
}

fn ingress_class(json: &mut Json, neighbours: &dyn Neighbours) -> Result<(), Status> {
    let annotated = at(json, &["metadata", "annotations"]).contains_key("kubernetes.io/ingress.class");
    if annotated || object(json, "spec").contains_key("ingressClassName") {
        return Ok(());
    }
    let classes = neighbours.list("networking.k8s.io/ingressclasses");
    if let Some(name) = newest_default(&classes, &["ingressclass.kubernetes.io/is-default-class"]) {
        enter(json, "spec").insert("ingressClassName".into(), name.into());
    }
    Ok(())
}

/// Of the classes that are marked as the default, the newest, and of several the first by name.
fn newest_default(classes: &[Json], marks: &[&str]) -> Option<String> {
    let marked = classes.iter().filter(|class| {
        let annotations = at(class, &["metadata", "annotations"]);
        marks.iter().any(|mark| text(annotations, mark) == "true")
    });
    let order = |class: &&Json| {
        let metadata = object(class, "metadata");
        (text(metadata, "creationTimestamp").to_owned(), std::cmp::Reverse(text(metadata, "name").to_owned()))
    };
    marked.max_by_key(order).map(|class| text(object(class, "metadata"), "name").to_owned())
}
