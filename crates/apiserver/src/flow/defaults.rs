//! The schemas and levels that every server has, as Kubernetes makes them.

use std::collections::BTreeMap;

use bowline_kernel::View;
use serde_json::{Value, json};

use super::GROUP;
use crate::auth::bootstrap::{Action, Due};
use crate::document::{Document, Json};
use crate::key::{Key, Resource};

/// Who does not want an object kept as it is here says `false`.
const AUTOUPDATE: &str = "apf.kubernetes.io/autoupdate-spec";
/// What no server can be without: these cannot be anything else.
const MANDATORY: [&str; 2] = ["catch-all", "exempt"];

/// What has to be done at start: what is not there is made, what is to be kept as it should be is put back.
pub(crate) fn due(view: &View<Document>) -> Vec<Due> {
    let levels = levels().into_iter().map(|(name, spec)| ("prioritylevelconfigurations", name, spec));
    let schemas = schemas().into_iter().map(|(name, spec)| ("flowschemas", name, spec));
    levels.chain(schemas).filter_map(|(plural, name, spec)| look(view, plural, name, &spec)).collect()
}

/// What no server can be without, and is not there.
pub(crate) fn missing(view: &View<Document>) -> Vec<Due> {
    let due = due(view).into_iter();
    due.filter(|due| MANDATORY.contains(&&*due.key.name) && matches!(due.action, Action::Create(_))).collect()
}

fn look(view: &View<Document>, plural: &str, name: &str, spec: &Value) -> Option<Due> {
    let key = Key::new(Resource::new(GROUP, plural), "", name);
    let kind = if plural == "flowschemas" { "FlowSchema" } else { "PriorityLevelConfiguration" };
    let mut object = match view.get(&key) {
        None => json!({ "metadata": { "name": name, "annotations": { AUTOUPDATE: "true" } } }),
        Some(found) => {
            let found = Value::Object(found.json());
            let keeps = found["metadata"]["annotations"][AUTOUPDATE] == "true" || MANDATORY.contains(&name);
            if !keeps || found["spec"] == *spec || name == "exempt" {
                return None;
            }
            found
        }
    };
    object["apiVersion"] = format!("{GROUP}/v1").into();
    object["kind"] = kind.into();
    object["spec"] = spec.clone();
    let is_new = view.get(&key).is_none();
    let Value::Object(object) = object else { return None };
    let action = if is_new { Action::Create(object) } else { Action::Replace(object) };
    Some(Due { key, action })
}

/// The spec of an object that cannot have another.
pub(crate) fn mandatory(kind: &str, name: &str) -> Option<Json> {
    let specs = if kind == "FlowSchema" { schemas() } else { levels() };
    let spec = MANDATORY.contains(&name).then(|| specs.get(name).cloned()).flatten()?;
    if let Value::Object(spec) = spec { Some(spec) } else { None }
}

fn levels() -> BTreeMap<&'static str, Value> {
    let queued = |shares: u32, lendable: u32, queues: u32, hand: u32| {
        json!({ "type": "Limited", "limited": {
            "nominalConcurrencyShares": shares, "lendablePercent": lendable,
            "limitResponse": { "type": "Queue", "queuing": {
                "queues": queues, "handSize": hand, "queueLengthLimit": 50,
            } },
        } })
    };
    BTreeMap::from([
        (
            "exempt",
            json!({ "type": "Exempt", "exempt": { "nominalConcurrencyShares": 0, "lendablePercent": 0 } }),
        ),
        (
            "catch-all",
            json!({ "type": "Limited", "limited": {
                "nominalConcurrencyShares": 5, "lendablePercent": 0, "limitResponse": { "type": "Reject" },
            } }),
        ),
        ("system", queued(30, 33, 64, 6)),
        ("node-high", queued(40, 25, 64, 6)),
        ("leader-election", queued(10, 0, 16, 4)),
        ("workload-high", queued(40, 50, 128, 6)),
        ("workload-low", queued(100, 90, 128, 6)),
        ("global-default", queued(20, 50, 128, 6)),
    ])
}

fn schemas() -> BTreeMap<&'static str, Value> {
    let everybody = || [group("system:unauthenticated"), group("system:authenticated")];
    let everything = || json!([resources(&["*"], &["*"], &["*"], true)]);
    let all_paths = || json!([{ "verbs": ["*"], "nonResourceURLs": ["*"] }]);
    let of = |subjects: &[Value]| json!([{ "subjects": subjects, "resourceRules": everything(), "nonResourceRules": all_paths() }]);
    let only = |subjects: &[Value], rules: Value| json!([{ "subjects": subjects, "resourceRules": rules }]);
    let leases = |verbs: &[&str]| resources(verbs, &["coordination.k8s.io"], &["leases"], false);
    let in_system = || account("*");
    let probes = json!([{ "subjects": everybody(), "nonResourceRules": [
        { "verbs": ["get"], "nonResourceURLs": ["/healthz", "/readyz", "/livez"] },
    ] }]);
    let electors = [user("system:kube-controller-manager"), user("system:kube-scheduler"), in_system()];
    let nodes = json!([resources(&["*"], &[""], &["nodes", "nodes/status"], true), leases(&["*"])]);
    BTreeMap::from([
        ("exempt", schema("exempt", 1, "", of(&[group("system:masters")]))),
        ("probes", schema("exempt", 2, "", probes)),
        (
            "system-leader-election",
            schema(
                "leader-election",
                100,
                "ByUser",
                only(&electors, json!([leases(&["get", "create", "update"])])),
            ),
        ),
        ("system-node-high", schema("node-high", 400, "ByUser", only(&[group("system:nodes")], nodes))),
        ("system-nodes", schema("system", 500, "ByUser", of(&[group("system:nodes")]))),
        (
            "kube-controller-manager",
            schema("workload-high", 800, "ByNamespace", of(&[user("system:kube-controller-manager")])),
        ),
        ("kube-scheduler", schema("workload-high", 800, "ByNamespace", of(&[user("system:kube-scheduler")]))),
        ("kube-system-service-accounts", schema("workload-high", 900, "ByNamespace", of(&[in_system()]))),
        ("service-accounts", schema("workload-low", 9000, "ByUser", of(&[group("system:serviceaccounts")]))),
        ("global-default", schema("global-default", 9900, "ByUser", of(&everybody()))),
        ("catch-all", schema("catch-all", 10_000, "ByUser", of(&everybody()))),
    ])
}

fn schema(level: &str, precedence: u32, by: &str, rules: Value) -> Value {
    let mut spec = json!({
        "priorityLevelConfiguration": { "name": level }, "matchingPrecedence": precedence, "rules": rules,
    });
    if !by.is_empty() {
        spec["distinguisherMethod"] = json!({ "type": by });
    }
    spec
}

fn resources(verbs: &[&str], groups: &[&str], resources: &[&str], clustered: bool) -> Value {
    let mut rule =
        json!({ "verbs": verbs, "apiGroups": groups, "resources": resources, "namespaces": ["*"] });
    if clustered {
        rule["clusterScope"] = true.into();
    }
    rule
}

fn group(name: &str) -> Value {
    json!({ "kind": "Group", "group": { "name": name } })
}

fn user(name: &str) -> Value {
    json!({ "kind": "User", "user": { "name": name } })
}

fn account(name: &str) -> Value {
    json!({ "kind": "ServiceAccount", "serviceAccount": { "name": name, "namespace": "kube-system" } })
}
