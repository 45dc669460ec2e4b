//! The cases: for each rule something that it refuses, and for each kind what it lets in.

use serde_json::{Value, json};

use crate::{grants, groups, placements};

/// How something gets to the server.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// A new object.
    Create,
    /// A merge patch of it.
    Change,
    /// A merge patch of its status.
    Status,
}

/// Something that is refused.
#[derive(Debug)]
pub(crate) struct Case {
    /// The kind.
    pub(crate) kind: &'static str,
    /// What is done; only the last of it is refused.
    pub(crate) steps: Vec<(Way, Value)>,
    /// What the server has to say.
    pub(crate) message: &'static str,
    /// By a rule in CEL, not by the schema itself.
    pub(crate) rule: bool,
}

/// Every rule of every kind, by its message.
pub(crate) fn rules() -> Vec<(&'static str, String)> {
    fn of(schema: &Value, found: &mut Vec<String>) {
        match schema {
            Value::Object(fields) => {
                let rules =
                    fields.get("x-kubernetes-validations").and_then(Value::as_array).into_iter().flatten();
                found.extend(rules.filter_map(|rule| rule["message"].as_str().map(str::to_owned)));
                fields.values().for_each(|value| of(value, found));
            }
            Value::Array(items) => items.iter().for_each(|item| of(item, found)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    for definition in bowline_api::crds() {
        let mut found = Vec::new();
        of(&serde_json::to_value(&definition).expect("it is JSON"), &mut found);
        let kind = KINDS.iter().find(|kind| **kind == definition.spec.names.kind).expect("it is known here");
        all.extend(found.into_iter().map(|message| (*kind, message)));
    }
    all
}

const KINDS: [&str; 14] = [
    "Cluster",
    "Stack",
    "Update",
    "Bundle",
    "NodeGroup",
    "Member",
    "Device",
    "IamRoleServiceAccount",
    "IamPolicy",
    "IamRole",
    "IamTombstone",
    "SyncTarget",
    "Placement",
    "VolumeGrant",
];

/// What is let in, step by step.
pub(crate) fn right() -> Vec<(&'static str, Vec<(Way, Value)>)> {
    let mut all: Vec<_> = KINDS.iter().map(|kind| (*kind, vec![(Way::Create, new(kind))])).collect();
    all.push((
        "Cluster",
        vec![
            (Way::Create, named("far", json!({"kubeconfigSecretRef": {"name": "far"}, "allowedNamespaces": {"selector": {}}}))),
            (Way::Change, json!({"spec": {"allowedNamespaces": {"selector": null, "names": ["a", "b"]}, "paused": true}})),
            (Way::Status, json!({"activity": {"updates": [{"namespace": "a", "stack": "shop", "attempt": 1}]}})),
            (Way::Status, json!({"activity": {"updates": null, "upgrade": {"namespace": "a", "group": "g", "attempt": 1}}})),
            (Way::Status, json!({"activity": null})),
        ],
    ));
    all.push((
        "Stack",
        vec![
            (Way::Create, new("Stack")),
            (Way::Status, json!({"phase": "Partial", "lastSubmittedVersion": 1, "epoch": 1, "target": 1})),
            (Way::Status, json!({"phase": "Idle", "lastGood": {"version": 1, "digest": digest('a')}, "appliedVersion": 1})),
            (Way::Status, json!({"epoch": 2, "lastSubmittedVersion": 3, "quarantined": [quarantined('b')]})),
            (Way::Status, json!({"phase": "RollingBack", "working": 3, "resumed": true, "requests": [request(3)]})),
            (Way::Change, json!({"spec": {"paused": true, "drift": "Repair", "released": [2]}})),
        ],
    ));
    all.push(("NodeGroup", groups::life()));
    all.push(("Member", groups::duties()));
    all.push(("VolumeGrant", grants::life()));
    all.push(("VolumeGrant", grants::recovery()));
    all
}

/// What is refused.
pub(crate) fn wrong() -> Vec<Case> {
    let mut all = clusters();
    all.extend(stacks());
    all.extend(submissions());
    all.extend(groups::wrong());
    all.extend(identities());
    all.extend(placements::targets());
    all.extend(placements::placements());
    all.extend(grants::wrong());
    all.extend(schemas());
    all
}

/// A new object that is wrong in one way.
pub(crate) fn created(kind: &'static str, change: Value, message: &'static str) -> Case {
    let mut object = new(kind);
    merge(&mut object, &change);
    Case { kind, steps: vec![(Way::Create, object)], message, rule: true }
}

/// A change of a right object.
pub(crate) fn changed(kind: &'static str, change: Value, message: &'static str) -> Case {
    Case { kind, steps: vec![(Way::Create, new(kind)), (Way::Change, change)], message, rule: true }
}

/// A change of the status of a right object.
pub(crate) fn said(kind: &'static str, first: Value, then: Value, message: &'static str) -> Case {
    let steps = vec![(Way::Create, new(kind)), (Way::Status, first), (Way::Status, then)];
    Case { kind, steps, message, rule: true }
}

/// JSON merge patch.
fn merge(value: &mut Value, change: &Value) {
    let Value::Object(change) = change else {
        *value = change.clone();
        return;
    };
    if !value.is_object() {
        *value = json!({});
    }
    for (key, change) in change {
        match (change, value.as_object_mut()) {
            (Value::Null, Some(fields)) => drop(fields.remove(key)),
            _ => merge(&mut value[key.as_str()], change),
        }
    }
}

pub(crate) fn named(name: &str, spec: Value) -> Value {
    json!({"metadata": {"name": name}, "spec": spec})
}

fn digest(digit: char) -> String {
    format!("sha256:{}", String::from(digit).repeat(64))
}

fn quarantined(digit: char) -> Value {
    json!({"digest": digest(digit), "version": 2, "reason": "it never became healthy"})
}

fn request(version: u64) -> Value {
    let (update, uid) = (format!("shop-{version}"), "00000000-0000-0000-0000-000000000001");
    json!({"version": version, "update": update, "uid": uid, "digest": digest('c'), "phase": "PartialFailure"})
}

fn policy() -> Value {
    json!({"statement": [{"action": ["s3:GetObject"], "resource": "arn:aws:s3:::shop/*"}]})
}

/// A right object of a kind.
pub(crate) fn new(kind: &str) -> Value {
    match kind {
        "Cluster" => named("east", json!({"embedded": {}})),
        "Stack" => named("shop", json!({"cluster": "east"})),
        "Update" => named("shop-1", json!({"stack": "shop", "bundle": digest('a')})),
        "Bundle" => named(
            &digest('a').replace(':', "-"),
            json!({"digest": digest('a'), "objects": 1, "size": 9, "parts": [{"digest": digest('b'), "size": 9}]}),
        ),
        "NodeGroup" | "Member" | "Device" => groups::new(kind),
        "IamRoleServiceAccount" => named("shop", json!({"policy": policy()})),
        "IamPolicy" => named("shop", json!({"policyName": "bowline-shop-1", "policy": policy()})),
        "IamRole" => named(
            "shop",
            json!({
                "roleName": "bowline-shop-1", "serviceAccountName": "shop",
                "trusts": [{
                    "issuer": "https://oidc.example.org/1",
                    "providerArn": "arn:aws:iam::123456789012:oidc-provider/oidc.example.org/1",
                }],
            }),
        ),
        "IamTombstone" => {
            named("a-1", json!({"namespace": "a", "identity": "shop", "uids": ["1"], "sweeps": 1}))
        }
        "SyncTarget" => named(
            "east",
            json!({"cluster": "east", "taints": [{"key": "gpu", "value": "yes"}], "fencing": {"hook": {"name": "fence"}}}),
        ),
        "Placement" => {
            named("placement", json!({"target": "east", "tolerations": [{"key": "gpu", "value": "yes"}]}))
        }
        _ => named("a.data", json!({"namespace": "a", "claim": "data"})),
    }
}

pub(crate) fn long_name() -> Value {
    json!({"metadata": {"name": "n".repeat(64)}})
}

fn clusters() -> Vec<Case> {
    let selector = json!({"matchExpressions": [{"key": "team", "operator": "In"}]});
    let both = json!({"activity": {
        "updates": [{"namespace": "a", "stack": "shop", "attempt": 1}], "upgrade": {"namespace": "a", "group": "g", "attempt": 1},
    }});
    vec![
        created(
            "Cluster",
            long_name(),
            "the name of a cluster is put into labels and has at most 63 characters",
        ),
        created(
            "Cluster",
            json!({"spec": {"kubeconfigSecretRef": {"name": "x"}}}),
            "say how the cluster is reached: either kubeconfigSecretRef or embedded",
        ),
        changed(
            "Cluster",
            json!({"spec": {"embedded": null, "kubeconfigSecretRef": {"name": "x"}}}),
            "an embedded cluster cannot become another one, nor another one embedded: make a new Cluster",
        ),
        created(
            "Cluster",
            json!({"spec": {"allowedNamespaces": {}}}),
            "give either names or a selector; the selector {} means all namespaces",
        ),
        created(
            "Cluster",
            json!({"spec": {"allowedNamespaces": {"selector": selector}}}),
            "In and NotIn need values, Exists and DoesNotExist have none",
        ),
        said("Cluster", json!({}), both, "updates and an upgrade never change a cluster at once"),
    ]
}

fn stacks() -> Vec<Case> {
    vec![
        created("Stack", long_name(), "the name of a stack is put into labels and has at most 63 characters"),
        said(
            "Stack",
            json!({"phase": "Partial"}),
            Value::Null,
            "the status of a stack is what is known of its cluster, and is never taken away",
        ),
        changed(
            "Stack",
            json!({"spec": {"cluster": "west"}}),
            "a stack stays on its cluster: make a new Stack for another one",
        ),
        said("Stack", json!({"epoch": 3}), json!({"epoch": null}), "an epoch never falls"),
        said(
            "Stack",
            json!({"lastSubmittedVersion": 3}),
            json!({"lastSubmittedVersion": null}),
            "a number of a version is never given twice",
        ),
        said(
            "Stack",
            json!({"lastSubmittedVersion": 3}),
            json!({"lastGood": {"version": 4, "digest": digest('a')}}),
            "the last good version is one that was submitted",
        ),
        said(
            "Stack",
            json!({"lastSubmittedVersion": 3, "quarantined": [quarantined('b')]}),
            json!({"lastGood": {"version": 3, "digest": digest('b')}}),
            "what is last good is never quarantined",
        ),
    ]
}

fn submissions() -> Vec<Case> {
    vec![
        changed(
            "Update",
            json!({"spec": {"bundle": digest('b')}}),
            "an update cannot be changed: submit another one",
        ),
        said("Update", json!({"version": 3}), json!({"version": 4}), "a version keeps its number"),
        said(
            "Update",
            json!({"version": 3}),
            Value::Null,
            "the status of an update says that it was numbered, and is never taken away",
        ),
        said(
            "Update",
            json!({}),
            json!({"progress": {"done": 3, "total": 2, "summary": "3/2"}}),
            "no more is done than there is to do",
        ),
        created(
            "Bundle",
            json!({"metadata": {"name": "shop"}}),
            "a bundle is named after its content: sha256- and the digits of its digest",
        ),
        changed(
            "Bundle",
            json!({"spec": {"objects": 2}}),
            "a bundle cannot be changed: other content is another bundle",
        ),
    ]
}

fn identities() -> Vec<Case> {
    vec![
        created(
            "IamRoleServiceAccount",
            json!({"spec": {"policy": null}}),
            "say which permissions: policy, managedPolicyArns or both",
        ),
        changed("IamPolicy", json!({"spec": {"policyName": "other"}}), "a policy cannot be renamed in AWS"),
        changed("IamRole", json!({"spec": {"roleName": "other"}}), "a role cannot be renamed in AWS"),
        changed(
            "IamTombstone",
            json!({"spec": {"identity": "other"}}),
            "a tombstone cannot become that of another identity",
        ),
    ]
}

/// What the schemas themselves refuse.
fn schemas() -> Vec<Case> {
    let case = |kind, change, message| Case { rule: false, ..created(kind, change, message) };
    let mut all = vec![
        case("Stack", json!({"spec": {"timeoutSeconds": 0}}), "should be greater than or equal to 1"),
        case("Stack", json!({"spec": {"drift": "Ignore"}}), "supported values: \"Report\", \"Repair\""),
        case("Stack", json!({"spec": {"cluster": null}}), "spec.cluster: Required value"),
        case("Stack", json!({"spec": {"cluster": "East"}}), "spec.cluster in body should match"),
        case("Update", json!({"spec": {"bundle": "sha256:1"}}), "spec.bundle in body should match"),
        case(
            "SyncTarget",
            json!({"spec": {"evictAfterSeconds": 4_294_967_296_i64}}),
            "should be less than or equal to",
        ),
        case(
            "IamRoleServiceAccount",
            json!({"spec": {"policy": {"statement": [{"action": ["s3"], "resource": "*"}]}}}),
            "spec.policy.statement[0].action[0] in body should match",
        ),
    ];
    all.extend(groups::schemas().into_iter().map(|(kind, change, message)| case(kind, change, message)));
    all
}
