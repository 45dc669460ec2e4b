//! What is wrong with objects of built-in kinds, in the words and the order of the real server.

mod certificates;
mod check;
mod cluster;
mod configs;
mod flows;
mod jobs;
mod limits;
mod net;
mod networking;
mod pod;
mod policies;
mod resources;
mod selectors;
mod services;
mod status;
mod storage;
mod workloads;

use bowline_merge::FieldError;

use crate::document::Json;
use crate::kinds::Kind;
use crate::metadata;

use check::Check;
pub(super) use selectors::matches as selects;

/// What is wrong with a new object, but for its metadata.
pub(super) fn create(kind: &Kind, json: &Json) -> Vec<FieldError> {
    let mut found = Check::default();
    let check = &mut found;
    match (&*kind.group, &*kind.kind) {
        ("", "Namespace") => cluster::namespace_finalizers(check, json, false),
        ("events.k8s.io", "Event") => {
            let event = as_kept(json);
            cluster::event(check, &event, true);
            check.extend(metadata::event_rules(kind, json));
            cluster::new_event(check, &event);
        }
        ("networking.k8s.io", "Ingress") => networking::ingress(check, json, true),
        ("batch", "CronJob") => jobs::cron_job(check, json, None),
        ("batch", "Job") => jobs::job(check, json),
        ("", "Pod") => pod::create(check, json),
        _ => content(check, kind, json),
    }
    found.into_errors()
}

/// What is wrong with an object, new or changed, but for its metadata.
fn content(check: &mut Check, kind: &Kind, json: &Json) {
    use crate::builtin::fields::object;
    match (&*kind.group, &*kind.kind) {
        ("", "ConfigMap") => configs::config_map(check, json),
        ("", "Secret") => configs::secret(check, json),
        ("", "Event") => cluster::event(check, json, false),
        ("", "Service") => services::service(check, json),
        ("", "Endpoints") => services::endpoints(check, json),
        ("", "PersistentVolume") => storage::volume(check, json),
        ("", "PersistentVolumeClaim") => storage::claim_spec(check, object(json, "spec"), "spec"),
        ("", "ReplicationController") => workloads::replication_controller(check, json),
        ("", "PodTemplate") => pod::template(check, object(json, "template"), "template"),
        ("", "ResourceQuota") => limits::quota(check, json),
        ("", "LimitRange") => limits::limit_range(check, json),
        ("", "Node") => cluster::node(check, json),
        ("apps", "Deployment") => workloads::deployment(check, json),
        ("apps", "ReplicaSet") => workloads::replica_set(check, json),
        ("apps", "StatefulSet") => workloads::stateful_set(check, json),
        ("apps", "DaemonSet") => workloads::daemon_set(check, json),
        ("storage.k8s.io", "StorageClass") => storage::class(check, json),
        ("scheduling.k8s.io", "PriorityClass") => limits::priority(check, json),
        ("policy", "PodDisruptionBudget") => limits::disruption_budget(check, json),
        ("networking.k8s.io", "Ingress") => networking::ingress(check, json, false),
        ("networking.k8s.io", "NetworkPolicy") => networking::policy(check, json),
        ("networking.k8s.io", "IngressClass") => networking::class(check, json),
        ("discovery.k8s.io", "EndpointSlice") => services::slice(check, json),
        ("coordination.k8s.io", "Lease") => cluster::lease(check, json),
        ("flowcontrol.apiserver.k8s.io", "FlowSchema") => flows::schema(check, json),
        ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration") => flows::level(check, json),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy") => policies::policy(check, json),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding") => {
            policies::binding(check, json)
        }
        _ => {}
    }
}

/// What is wrong with a changed object, and with the change.
pub(super) fn update(kind: &Kind, new: &Json, old: &Json, subresource: &str) -> Vec<FieldError> {
    let mut found = Check::default();
    let check = &mut found;
    let names = (&*kind.group, &*kind.kind);
    match (names, subresource) {
        (("", "Event"), _) => {
            cluster::event(check, new, false);
            return found.into_errors();
        }
        (("events.k8s.io", "Event"), _) => {
            let (now, then) = (as_kept(new), as_kept(old));
            cluster::event(check, &now, true);
            check.extend(metadata::own_rules_of_update(kind, new, old));
            cluster::event_update(check, &now, &then);
            return found.into_errors();
        }
        _ => {}
    }
    // Volumes are looked at as if they were new.
    if names == ("", "PersistentVolume") && subresource.is_empty() {
        check.extend(metadata::own_rules(kind, new));
    } else {
        check.extend(metadata::own_rules_of_update(kind, new, old));
    }
    match subresource {
        "" | "scale" => update_object(check, kind, new, old),
        "status" => status::update(check, kind, new, old),
        "finalize" => cluster::namespace_finalizers(check, new, true),
        "ephemeralcontainers" => {
            check.extend(metadata::own_rules(kind, new));
            pod::ephemeral_containers(check, new, old);
        }
        "resize" => {
            check.extend(metadata::own_rules(kind, new));
            pod::resize(check, new, old);
        }
        "approval" => certificates::request(check, new, old, certificates::By::Approver),
        _ => {}
    }
    found.into_errors()
}

/// An event in the form in which it is kept, which its errors speak of.
fn as_kept(event: &Json) -> Json {
    let mut event = event.clone();
    super::events::to_core(&mut event);
    event
}

fn update_object(check: &mut Check, kind: &Kind, new: &Json, old: &Json) {
    match (&*kind.group, &*kind.kind) {
        ("", "Namespace") => {}
        ("", "ConfigMap") => {
            configs::immutable(check, new, old);
            again(check, kind, new);
        }
        ("", "Secret") => {
            check.unchanged("type", new.get("type"), old.get("type"));
            configs::immutable(check, new, old);
            again(check, kind, new);
        }
        ("", "Service") => services::service_update(check, new, old),
        ("", "Pod") => {
            check.extend(metadata::own_rules(kind, new));
            pod::pod_update(check, new, old);
        }
        ("", "PersistentVolume") => storage::volume_update(check, new, old),
        ("", "PersistentVolumeClaim") => {
            check.extend(metadata::own_rules(kind, new));
            storage::claim_update(check, new, old);
        }
        ("", "ResourceQuota") => {
            content(check, kind, new);
            limits::quota_update(check, new, old);
        }
        ("", "Node") => cluster::node_update(check, new, old),
        ("", "Endpoints" | "LimitRange") | ("policy", "PodDisruptionBudget") => again(check, kind, new),
        ("apps", "Deployment" | "ReplicaSet") => {
            content(check, kind, new);
            workloads::selector_unchanged(check, new, old);
        }
        ("apps", "DaemonSet") => {
            workloads::selector_unchanged(check, new, old);
            content(check, kind, new);
        }
        ("apps", "StatefulSet") => {
            content(check, kind, new);
            workloads::stateful_set_update(check, new, old);
        }
        ("batch", "Job") => jobs::job_update(check, new, old),
        ("batch", "CronJob") => jobs::cron_job(check, new, Some(old)),
        ("storage.k8s.io", "StorageClass") => storage::class_update(check, new, old),
        ("scheduling.k8s.io", "PriorityClass") => limits::priority_update(check, new, old),
        ("discovery.k8s.io", "EndpointSlice") => {
            again(check, kind, new);
            check.unchanged("addressType", new.get("addressType"), old.get("addressType"));
        }
        ("networking.k8s.io", "Ingress") => again(check, kind, new),
        _ => content(check, kind, new),
    }
}

/// What is wrong with a changed object as if it were new, its metadata included.
fn again(check: &mut Check, kind: &Kind, json: &Json) {
    check.extend(metadata::own_rules(kind, json));
    content(check, kind, json);
}
