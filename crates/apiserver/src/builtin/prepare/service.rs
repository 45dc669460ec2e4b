//! The addresses that a service says, and those that it had.

use serde_json::{Value, json};

use crate::builtin::fields::{copy, enter, fill, list, number, object, objects, objects_mut, text};
use crate::document::Json;

/// A new service: the two fields of its address agree, and it has families.
pub(super) fn create(json: &mut Json) {
    let spec = enter(json, "spec");
    let address = text(spec, "clusterIP").to_owned();
    if !address.is_empty() && list(spec, "clusterIPs").is_empty() {
        spec.insert("clusterIPs".into(), json!([address]));
    }
    families(spec);
}

fn families(spec: &mut Json) {
    if text(spec, "type") == "ExternalName" {
        return;
    }
    let headless = text(spec, "clusterIP") == "None";
    // Who selects nothing says its endpoints, which may be of any family.
    if headless && object(spec, "selector").is_empty() && !spec.contains_key("ipFamilyPolicy") {
        let said = list(spec, "ipFamilies").len();
        if said == 0 {
            spec.insert("ipFamilies".into(), json!(["IPv4", "IPv6"]));
        }
        let policy = if said == 1 { "SingleStack" } else { "RequireDualStack" };
        fill(spec, "ipFamilyPolicy", policy);
        return;
    }
    fill(spec, "ipFamilyPolicy", "SingleStack");
    if list(spec, "ipFamilies").is_empty() {
        spec.insert("ipFamilies".into(), json!(["IPv4"]));
    }
}

/// A changed service keeps what it was given and does not say.
pub(super) fn update(new: &mut Json, old: &Json) {
    let before = object(old, "spec");
    let spec = enter(new, "spec");
    let addressed = |spec: &Json| text(spec, "type") != "ExternalName";
    let exposed = |spec: &Json| matches!(text(spec, "type"), "NodePort" | "LoadBalancer");
    let checked =
        |spec: &Json| text(spec, "type") == "LoadBalancer" && text(spec, "externalTrafficPolicy") == "Local";
    if addressed(before) && addressed(spec) {
        for name in ["clusterIP", "clusterIPs"] {
            if !spec.contains_key(name) {
                copy(spec, before, name);
            }
        }
    }
    if exposed(before) && exposed(spec) {
        keep_ports(spec, before);
    }
    if checked(before) && checked(spec) && !spec.contains_key("healthCheckNodePort") {
        copy(spec, before, "healthCheckNodePort");
    }
    follow_address(spec, before);
    if addressed(spec) {
        if addressed(before) {
            for name in ["ipFamilies", "ipFamilyPolicy"] {
                if !spec.contains_key(name) {
                    copy(spec, before, name);
                }
            }
        }
        families(spec);
    }
}

fn keep_ports(spec: &mut Json, before: &Json) {
    let ports = |spec: &Json| -> Vec<i64> {
        objects(spec, "ports").filter_map(|port| number(port, "nodePort")).filter(|port| *port != 0).collect()
    };
    let (now, then) = (ports(spec), ports(before));
    let used: Vec<i64> = then.into_iter().filter(|port| now.contains(port)).collect();
    for port in objects_mut(spec, "ports") {
        if number(port, "nodePort").unwrap_or(0) != 0 {
            continue;
        }
        let same = objects(before, "ports").find(|other| text(other, "name") == text(port, "name"));
        let given = same.and_then(|other| number(other, "nodePort"));
        if let Some(given) = given.filter(|given| *given != 0 && !used.contains(given)) {
            port.insert("nodePort".into(), given.into());
        }
    }
}

/// Clients that know only the older field change both with it.
fn follow_address(spec: &mut Json, before: &Json) {
    let (then, now) = (text(before, "clusterIP"), text(spec, "clusterIP").to_owned());
    if then == now || spec.get("clusterIPs") != before.get("clusterIPs") {
        return;
    }
    if now.is_empty() {
        spec.remove("clusterIPs");
    } else {
        spec.insert("clusterIPs".into(), Value::from(vec![now]));
    }
}
