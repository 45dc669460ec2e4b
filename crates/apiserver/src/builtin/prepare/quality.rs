//! How much a pod can count on the resources that it asks for.

use std::collections::BTreeMap;

use crate::builtin::fields::{object, objects};
use crate::document::Json;
use crate::quantity::Quantity;

const COUNTED: [&str; 2] = ["cpu", "memory"];

/// `Guaranteed` if every container has limits that are its requests, `BestEffort` if none has any.
pub(in crate::builtin) fn class(spec: &Json) -> &'static str {
    let (mut requests, mut limits) = (BTreeMap::new(), BTreeMap::new());
    let mut guaranteed = true;
    if let Some(resources) = spec.get("resources").and_then(serde_json::Value::as_object) {
        add(&mut requests, object(resources, "requests"));
        let found = add(&mut limits, object(resources, "limits"));
        guaranteed = found == COUNTED.len();
    } else {
        for container in objects(spec, "containers").chain(objects(spec, "initContainers")) {
            let resources = object(container, "resources");
            add(&mut requests, object(resources, "requests"));
            let found = add(&mut limits, object(resources, "limits"));
            guaranteed &= found == COUNTED.len();
        }
    }
    if requests.is_empty() && limits.is_empty() {
        "BestEffort"
    } else if guaranteed && requests == limits {
        "Guaranteed"
    } else {
        "Burstable"
    }
}

/// Adds what counts, and says of how many resources there is more than nothing.
fn add(sum: &mut BTreeMap<&'static str, i128>, amounts: &Json) -> usize {
    let mut found = 0;
    for name in COUNTED {
        let amount = amounts.get(name).and_then(serde_json::Value::as_str).and_then(Quantity::parse);
        if let Some(amount) = amount.filter(|amount| amount.nanos() > 0) {
            *sum.entry(name).or_default() += amount.nanos();
            found += 1;
        }
    }
    found
}
