//! How much an object takes of what quotas count, by the names that they have for it.

use super::{Amounts, class_of, count_name, pod, quantity};
use crate::builtin::fields::{at, flag, list, number, object, objects, text};
use crate::document::Json;
use crate::key::Resource;
use crate::quantity::Quantity;

/// The kinds of which quotas have counted objects from the beginning, by their plain names.
const COUNTED: [&str; 6] = [
    "configmaps",
    "persistentvolumeclaims",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "services",
];
/// What quotas count of pods, beside devices and large pages.
const OF_PODS: [&str; 10] = [
    "cpu",
    "ephemeral-storage",
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "memory",
    "pods",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];
const OF_CLASS: &str = ".storageclass.storage.k8s.io/";

/// Whether anybody counts what a quota names.
pub(super) fn is_counted(name: &str) -> bool {
    let plain = ["requests.storage", "services.loadbalancers", "services.nodeports"];
    name.starts_with("count/")
        || name.starts_with("hugepages-")
        || name.starts_with("requests.")
        || name.contains(OF_CLASS)
        || plain.contains(&name)
        || COUNTED.contains(&name)
        || OF_PODS.contains(&name)
}

/// Whether what an object takes depends on what it says.
pub(super) fn looks_inside(resource: &Resource) -> bool {
    matches!(resource.as_str(), "/pods" | "/services" | "/persistentvolumeclaims")
}

/// How much an object takes.
pub(super) fn amounts(resource: &Resource, json: Option<&Json>) -> Amounts {
    let mut amounts = Amounts::from([(count_name(resource), Quantity::whole(1))]);
    if resource.group().is_empty() && COUNTED.contains(&resource.plural()) {
        amounts.insert(resource.plural().to_owned(), Quantity::whole(1));
    }
    match (resource.as_str(), json) {
        ("/pods", Some(pod)) if !pod::is_over(pod) => amounts.extend(pod::amounts(pod)),
        ("/services", Some(service)) => amounts.extend(of_service(service)),
        ("/persistentvolumeclaims", Some(claim)) => amounts.extend(of_claim(claim)),
        _ => {}
    }
    amounts
}

fn of_service(service: &Json) -> Amounts {
    let spec = object(service, "spec");
    let ports = list(spec, "ports").len();
    let nodes = match text(spec, "type") {
        "NodePort" => ports,
        "LoadBalancer"
            if spec.contains_key("allocateLoadBalancerNodePorts")
                && !flag(spec, "allocateLoadBalancerNodePorts") =>
        {
            objects(spec, "ports").filter(|port| number(port, "nodePort").unwrap_or(0) != 0).count()
        }
        "LoadBalancer" => ports,
        _ => 0,
    };
    let balancers = usize::from(text(spec, "type") == "LoadBalancer");
    let each = [("services.nodeports", nodes), ("services.loadbalancers", balancers)];
    each.into_iter().map(|(name, count)| (name.to_owned(), Quantity::whole(count))).collect()
}

fn of_claim(claim: &Json) -> Amounts {
    let class = class_of(claim);
    let mut amounts = Amounts::new();
    let mut add = |name: &str, amount: Quantity| {
        if !class.is_empty() {
            amounts.insert(format!("{class}{OF_CLASS}{name}"), amount);
        }
        amounts.insert(name.to_owned(), amount);
    };
    add("persistentvolumeclaims", Quantity::whole(1));
    let wanted = at(claim, &["spec", "resources", "requests"]);
    if let Some(storage) = wanted.get("storage").and_then(quantity) {
        add("requests.storage", storage);
    }
    amounts
}
