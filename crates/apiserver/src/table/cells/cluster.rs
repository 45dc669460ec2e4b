//! Nodes, namespaces, settings, and what else a cluster consists of.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Object, any_text, text_of};

pub(super) fn of(plural: &str, object: &Object<'_>) -> Option<Vec<Value>> {
    let number = |count: usize| Value::from(count);
    Some(match plural {
        "namespaces" => vec![object.name(), object.text("status.phase").into(), object.age()],
        "configmaps" => {
            vec![object.name(), number(object.count("data") + object.count("binaryData")), object.age()]
        }
        "secrets" => {
            vec![object.name(), object.text("type").into(), number(object.count("data")), object.age()]
        }
        "serviceaccounts" => vec![object.name(), number(object.count("secrets")), object.age()],
        "nodes" => node(object),
        "resourcequotas" => quota(object),
        "leases" => vec![object.name(), object.text("spec.holderIdentity").into(), object.age()],
        "runtimeclasses" => vec![object.name(), object.text("handler").into(), object.age()],
        "priorityclasses" => vec![
            object.name(),
            object.number("value").into(),
            object.flag("globalDefault").unwrap_or(false).into(),
            object.age(),
            object.text("preemptionPolicy").into(),
        ],
        "deviceclasses" | "resourceclaimtemplates" => vec![object.name(), object.age()],
        "resourceclaims" => vec![object.name(), claim_state(object).into(), object.age()],
        "resourceslices" => vec![
            object.name(),
            object.text("spec.nodeName").into(),
            object.text("spec.driver").into(),
            object.text("spec.pool.name").into(),
            object.age(),
        ],
        _ => return None,
    })
}

fn node(object: &Object<'_>) -> Vec<Value> {
    let ready =
        object.list("status.conditions").iter().rfind(|condition| text_of(condition, "type") == "Ready");
    let mut status = match ready.map(|condition| text_of(condition, "status")) {
        Some("True") => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    }
    .to_owned();
    if object.flag("spec.unschedulable") == Some(true) {
        status.push_str(",SchedulingDisabled");
    }
    let address = |kind: &str| {
        let found = object.list("status.addresses").iter().find(|address| text_of(address, "type") == kind);
        Value::from(found.map_or("<none>", |address| text_of(address, "address")))
    };
    let info = |name: &str| object.text_or(&format!("status.nodeInfo.{name}"), "<unknown>").into();
    vec![
        object.name(),
        status.into(),
        roles(object).into(),
        object.age(),
        object.text("status.nodeInfo.kubeletVersion").into(),
        address("InternalIP"),
        address("ExternalIP"),
        info("osImage"),
        info("kernelVersion"),
        info("containerRuntimeVersion"),
    ]
}

fn roles(object: &Object<'_>) -> String {
    let labels = object.at("metadata.labels").and_then(Value::as_object).into_iter().flatten();
    let roles = labels.filter_map(|(name, value)| match name.strip_prefix("node-role.kubernetes.io/") {
        Some(role) => Some(role),
        None if name == "kubernetes.io/role" => value.as_str(),
        None => None,
    });
    let roles: BTreeSet<_> = roles.filter(|role| !role.is_empty()).collect();
    match roles.is_empty() {
        true => "<none>".to_owned(),
        false => roles.into_iter().collect::<Vec<_>>().join(","),
    }
}

fn quota(object: &Object<'_>) -> Vec<Value> {
    let (mut requests, mut limits) = (Vec::new(), Vec::new());
    let used = object.at("status.used");
    for (name, hard) in object.at("status.hard").and_then(Value::as_object).into_iter().flatten() {
        let used = used.and_then(|used| used.get(name)).map_or_else(|| "0".to_owned(), any_text);
        let list = if name.starts_with("limits.") { &mut limits } else { &mut requests };
        list.push(format!("{name}: {used}/{}", any_text(hard)));
    }
    vec![object.name(), requests.join(", ").into(), limits.join(", ").into(), object.age()]
}

fn claim_state(object: &Object<'_>) -> String {
    let mut states = Vec::new();
    if object.is_going() {
        states.push("deleted");
    }
    if object.at("status.allocation").is_some() {
        states.push("allocated");
        if object.count("status.reservedFor") > 0 {
            states.push("reserved");
        }
    } else if !object.is_going() {
        states.push("pending");
    }
    states.join(",")
}
