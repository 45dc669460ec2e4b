//! Amounts of resources.

use serde_json::Value;

use super::check::Check;
use crate::builtin::fields::object;
use crate::document::Json;
use crate::metadata::names;
use crate::quantity::Quantity;

/// Whose resources they are: they have other names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// Of a container.
    Container,
    /// Of a quota.
    Quota,
}

const CONTAINER: [&str; 3] = ["cpu", "ephemeral-storage", "memory"];
const INTEGERS: [&str; 13] = [
    "pods",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "resourcequotas",
    "services.nodeports",
    "services.loadbalancers",
    "count/pods",
    "count/services",
    "count/secrets",
    "count/configmaps",
];
const QUOTA: [&str; 18] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.storage",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "persistentvolumeclaims",
    "configmaps",
    "services.nodeports",
];

/// Whether a resource without a domain is known at all.
fn is_standard(name: &str) -> bool {
    CONTAINER.contains(&name) || is_quota(name) || name == "storage"
}

/// Whether it can be limited by a quota.
pub(super) fn is_quota(name: &str) -> bool {
    QUOTA.contains(&name)
        || name == "services.loadbalancers"
        || ["hugepages-", "requests.hugepages-"].iter().any(|prefix| name.starts_with(prefix))
}

/// Whether it is one of Kubernetes' own.
fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// Whether it is somebody's, and counted in whole ones.
fn is_extended(name: &str) -> bool {
    !is_native(name)
        && !name.starts_with("requests.")
        && names::qualified(&format!("requests.{name}")).is_empty()
}

/// The name of a resource.
fn name(check: &mut Check, name: &str, path: &str, whose: Names) {
    let faults = names::qualified(name);
    let plain = !name.contains('/');
    if !faults.is_empty() {
        check.faults(path, name, faults);
    } else if plain && !is_standard(name) && !name.starts_with("hugepages-") {
        check.invalid(path, name, "must be a standard resource type or fully qualified");
    }
    match whose {
        Names::Container if plain => {
            if !CONTAINER.contains(&name) && !name.starts_with("hugepages-") {
                check.invalid(path, name, "must be a standard resource for containers");
            }
        }
        Names::Container => {
            if !is_native(name) && !is_extended(name) {
                check.invalid(path, name, "doesn't follow extended resource name standard");
            }
        }
        Names::Quota => {
            if plain && !is_quota(name) {
                check.invalid(path, name, "must be a standard resource for quota");
            }
        }
    }
}

/// An amount of a resource.
pub(super) fn amount(check: &mut Check, name: &str, amount: Quantity, path: &str) {
    if amount.nanos() < 0 {
        check.invalid(path, amount.to_string(), "must be greater than or equal to 0");
    }
    if (INTEGERS.contains(&name) || is_extended(name)) && !amount.is_whole() {
        check.invalid(path, amount.to_string(), "must be an integer");
    }
}

/// Amounts by the names of their resources.
pub(super) fn amounts(check: &mut Check, amounts: &Json, path: &str, whose: Names) {
    for (resource, value) in amounts {
        let path = format!("{path}[{resource}]");
        name(check, resource, &path, whose);
        if let Some(quantity) = quantity(value) {
            amount(check, resource, quantity, &path);
        }
    }
}

/// The amount that a value is.
pub(super) fn quantity(value: &Value) -> Option<Quantity> {
    value.as_str().and_then(Quantity::parse)
}

/// What a container needs, and may have.
pub(super) fn requirements(check: &mut Check, resources: &Json, path: &str) {
    let (limits, requests) = (object(resources, "limits"), object(resources, "requests"));
    amounts(check, limits, &format!("{path}.limits"), Names::Container);
    for (resource, value) in requests {
        let here = format!("{path}.requests[{resource}]");
        name(check, resource, &here, Names::Container);
        let Some(requested) = quantity(value) else { continue };
        amount(check, resource, requested, &here);
        let overcommit = is_native(resource) && !resource.starts_with("hugepages-");
        match limits.get(resource).and_then(quantity) {
            Some(limit) if requested != limit && !overcommit => {
                let why = format!("must be equal to {resource} limit of {limit}");
                check.invalid(format!("{path}.requests"), requested.to_string(), why);
            }
            Some(limit) if requested.nanos() > limit.nanos() => {
                let why = format!("must be less than or equal to {resource} limit of {limit}");
                check.invalid(format!("{path}.requests"), requested.to_string(), why);
            }
            None if !overcommit => {
                check
                    .required(format!("{path}.limits"), "Limit must be set for non overcommitable resources");
            }
            _ => {}
        }
    }
    let any = |test: fn(&str) -> bool| limits.keys().chain(requests.keys()).any(|name| test(name));
    if any(|name| name.starts_with("hugepages-")) && !any(|name| matches!(name, "cpu" | "memory")) {
        check.forbidden(path, "HugePages require cpu or memory");
    }
}
