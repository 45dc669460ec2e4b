//! How much a pod takes: what its containers ask for, and what runs before and beside them.

use std::collections::{BTreeMap, BTreeSet};

use super::{Amounts, amounts as read};
use crate::builtin::fields::{at, object, objects, text};
use crate::document::Json;
use crate::quantity::Quantity;

/// What a pod has to say if a quota limits it.
const SAID: [&str; 6] = ["cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"];
/// What may be said for a whole pod.
const OF_WHOLE: [&str; 2] = ["cpu", "memory"];

/// Whether it runs no more.
pub(super) fn is_over(pod: &Json) -> bool {
    matches!(text(object(pod, "status"), "phase"), "Failed" | "Succeeded")
}

/// How much it takes.
pub(super) fn amounts(pod: &Json) -> Amounts {
    let spec = object(pod, "spec");
    let mut amounts = named(&of_pod(spec, "requests"), &of_pod(spec, "limits"));
    amounts.insert("pods".to_owned(), Quantity::whole(1));
    amounts
}

/// What requests and limits are called by quotas.
fn named(requests: &Amounts, limits: &Amounts) -> Amounts {
    let mut amounts = Amounts::new();
    for (name, amount) in requests {
        match name.as_str() {
            "cpu" | "memory" | "ephemeral-storage" => {
                amounts.insert(name.clone(), *amount);
                amounts.insert(format!("requests.{name}"), *amount);
            }
            _ if name.starts_with("hugepages-") => {
                amounts.insert(name.clone(), *amount);
                amounts.insert(format!("requests.{name}"), *amount);
            }
            // Devices have names of their makers.
            _ if name.contains('/') && !name.contains("kubernetes.io/") => {
                amounts.insert(format!("requests.{name}"), *amount);
            }
            _ => {}
        }
    }
    for name in ["cpu", "memory", "ephemeral-storage"] {
        if let Some(amount) = limits.get(name) {
            amounts.insert(format!("limits.{name}"), *amount);
        }
    }
    amounts
}

/// What all of a pod has of `requests` or `limits` at its worst moment.
fn of_pod(spec: &Json, what: &str) -> Amounts {
    let of = |container: &Json| read(at(container, &["resources", what]));
    let mut sum = Amounts::new();
    for container in objects(spec, "containers") {
        add(&mut sum, &of(container));
    }
    // Those that start first come one after the other; those of them that stay are there beside all later ones.
    let (mut stay, mut before) = (Amounts::new(), Amounts::new());
    for container in objects(spec, "initContainers") {
        let mut now = of(container);
        if text(container, "restartPolicy") == "Always" {
            add(&mut sum, &now);
            add(&mut stay, &now);
            now.clone_from(&stay);
        } else {
            add(&mut now, &stay);
        }
        most(&mut before, &now);
    }
    most(&mut sum, &before);
    for (name, amount) in read(at(spec, &["resources", what])) {
        if OF_WHOLE.contains(&name.as_str()) || name.starts_with("hugepages-") {
            sum.insert(name, amount);
        }
    }
    let overhead = read(object(spec, "overhead"));
    if what == "requests" {
        add(&mut sum, &overhead);
    } else {
        // What has no limit has none with it either.
        let limited = overhead.into_iter().filter(|(name, _)| sum.contains_key(name)).collect();
        add(&mut sum, &limited);
    }
    sum
}

fn add(sum: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        let old = sum.get(name).copied().unwrap_or_else(|| Quantity::whole(0));
        sum.insert(name.clone(), old.plus(*amount));
    }
}

fn most(one: &mut Amounts, other: &Amounts) {
    for (name, amount) in other {
        let old = one.entry(name.clone()).or_insert(*amount);
        if old.nanos() < amount.nanos() {
            *old = *amount;
        }
    }
}

/// What its containers have to say because it is limited, and do not.
pub(super) fn unsaid(hard: &Amounts, pod: &Json) -> Option<String> {
    let needed: BTreeSet<&str> = hard.keys().map(String::as_str).filter(|name| SAID.contains(name)).collect();
    let spec = object(pod, "spec");
    let says =
        |resources: &Json| named(&read(object(resources, "requests")), &read(object(resources, "limits")));
    let whole = says(object(spec, "resources"));
    if needed.iter().all(|name| whole.contains_key(*name)) {
        return None;
    }
    let mut missing: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for container in objects(spec, "containers").chain(objects(spec, "initContainers")) {
        let said = says(object(container, "resources"));
        for name in needed.iter().filter(|name| !said.contains_key(**name)) {
            missing.entry(name).or_default().insert(text(container, "name"));
        }
    }
    let each = missing.into_iter().map(|(name, containers)| {
        format!("{name} for: {}", containers.into_iter().collect::<Vec<_>>().join(","))
    });
    let each: Vec<_> = each.collect();
    (!each.is_empty()).then(|| format!("must specify {}", each.join("; ")))
}
