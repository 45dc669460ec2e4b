//! Services, and where they lead.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::check::{Check, duplicate_struct};
use super::{net, pod};
use crate::builtin::fields::{list, maybe_object, maybe_text, number, object, objects, text, texts};
use crate::document::Json;
use crate::metadata::{self, names};

const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];

/// A service.
pub(super) fn service(check: &mut Check, json: &Json) {
    let spec = object(json, "spec");
    let (kind, headless) = (text(spec, "type"), text(spec, "clusterIP") == "None");
    if list(spec, "ports").is_empty() && !headless && kind != "ExternalName" {
        check.required("spec.ports", "");
    }
    match kind {
        "LoadBalancer" | "NodePort" if headless => {
            let why = format!("may not be set to 'None' for {kind} services");
            check.invalid("spec.clusterIPs[0]", "None", why);
        }
        "ExternalName" => external_name(check, spec),
        _ => {}
    }
    ports(check, spec);
    check.extend(metadata::labels(spec.get("selector"), "spec.selector"));
    affinity(check, spec);
    if kind != "ExternalName" {
        cluster_addresses(check, spec);
    }
    for (index, address) in texts(spec, "externalIPs").enumerate() {
        let (path, before) = (format!("spec.externalIPs[{index}]"), check.count());
        net::address(check, &path, address);
        if check.count() == before {
            net::endpoint(check, &path, address);
        }
    }
    match kind {
        "" => check.required("spec.type", ""),
        _ => check.one_of("spec.type", kind, &["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]),
    }
    node_ports(check, spec, kind);
    ranges(check, spec, kind);
    balancer(check, spec, kind);
    traffic(check, spec, kind);
}

fn external_name(check: &mut Check, spec: &Json) {
    for name in ["clusterIPs", "ipFamilies"] {
        if !list(spec, name).is_empty() {
            check.forbidden(format!("spec.{name}"), "may not be set for ExternalName services");
        }
    }
    if spec.contains_key("ipFamilyPolicy") {
        check.forbidden("spec.ipFamilyPolicy", "may not be set for ExternalName services");
    }
    match text(spec, "externalName").trim_end_matches('.') {
        "" => check.required("spec.externalName", ""),
        name => check.faults("spec.externalName", name, names::subdomain(name)),
    }
}

fn ports(check: &mut Check, spec: &Json) {
    let several = list(spec, "ports").len() > 1;
    let mut taken = BTreeSet::new();
    for (index, port) in objects(spec, "ports").enumerate() {
        let path = format!("spec.ports[{index}]");
        let name = text(port, "name");
        if name.is_empty() {
            if several {
                check.required(format!("{path}.name"), "");
            }
        } else {
            check.faults(format!("{path}.name"), name, names::label(name));
            if !taken.insert(name) {
                check.duplicate(format!("{path}.name"), name);
            }
        }
        let value = number(port, "port").unwrap_or(0);
        check.faults(format!("{path}.port"), value, names::port_number(value));
        match text(port, "protocol") {
            "" => check.required(format!("{path}.protocol"), ""),
            protocol => check.one_of(format!("{path}.protocol"), protocol, &PROTOCOLS),
        }
        pod::port(check, port.get("targetPort"), &format!("{path}.targetPort"));
        if let Some(protocol) = maybe_text(port, "appProtocol") {
            check.faults(format!("{path}.appProtocol"), protocol, names::qualified(protocol));
        }
    }
}

fn affinity(check: &mut Check, spec: &Json) {
    let config = maybe_object(spec, "sessionAffinityConfig");
    match text(spec, "sessionAffinity") {
        "" => check.required("spec.sessionAffinity", ""),
        affinity => check.one_of("spec.sessionAffinity", affinity, &["ClientIP", "None"]),
    }
    if text(spec, "sessionAffinity") == "ClientIP" {
        let client = config.map(|config| object(config, "clientIP"));
        let path = "spec.sessionAffinityConfig.clientIP.timeoutSeconds";
        match client.and_then(|client| number(client, "timeoutSeconds")) {
            None => check.required("spec.sessionAffinityConfig", "when session affinity type is ClientIP"),
            Some(seconds) if !(1..=86400).contains(&seconds) => {
                check.invalid(path, seconds, "must be greater than 0 and less than 86400");
            }
            Some(_) => {}
        }
    } else if text(spec, "sessionAffinity") == "None" && config.is_some() {
        check.forbidden("spec.sessionAffinityConfig", "must not be set when session affinity is None");
    }
}

fn cluster_addresses(check: &mut Check, spec: &Json) {
    const FAMILIES: [&str; 2] = ["IPv4", "IPv6"];
    const PATH: &str = "spec.clusterIPs";
    let (one, all) = (text(spec, "clusterIP"), list(spec, "clusterIPs"));
    if one.is_empty() {
        if !all.is_empty() {
            check.invalid(PATH, all, "must be empty when `clusterIP` is not specified");
        }
    } else if all.is_empty() {
        check.required(PATH, "");
    } else if all[0] != one {
        check.invalid(PATH, all, "first value must match `clusterIP`");
    }
    let mut seen = BTreeSet::new();
    for (index, family) in texts(spec, "ipFamilies").enumerate() {
        let path = format!("spec.ipFamilies[{index}]");
        check.one_of(&path, family, &FAMILIES);
        if !seen.insert(family) {
            check.duplicate(&path, family);
        }
        if family == "IPv6" && one != "None" {
            check.invalid(path, family, "not configured on this cluster");
        }
    }
    if let Some(policy) = maybe_text(spec, "ipFamilyPolicy") {
        check.one_of("spec.ipFamilyPolicy", policy, &["PreferDualStack", "RequireDualStack", "SingleStack"]);
    }
    for (index, address) in texts(spec, "clusterIPs").enumerate() {
        if index == 0 && address == "None" {
            if all.len() > 1 {
                check.invalid(PATH, all, "'None' must be the first and only value");
            }
            continue;
        }
        net::address(check, &format!("{PATH}[{index}]"), address);
    }
    if all.len() > 2 {
        check.invalid(PATH, all, "may only hold up to 2 values");
    }
}

fn node_ports(check: &mut Check, spec: &Json, kind: &str) {
    let mut taken = BTreeSet::new();
    for (index, port) in objects(spec, "ports").enumerate() {
        if kind == "ClusterIP" && number(port, "nodePort").unwrap_or(0) != 0 {
            let why = "may not be used when `type` is 'ClusterIP'";
            check.forbidden(format!("spec.ports[{index}].nodePort"), why);
        }
    }
    for (index, port) in objects(spec, "ports").enumerate() {
        let Some(given) = number(port, "nodePort").filter(|given| *given != 0) else { continue };
        if !taken.insert((text(port, "protocol"), given)) {
            check.duplicate(format!("spec.ports[{index}].nodePort"), given);
        }
    }
    let mut taken = BTreeSet::new();
    for (index, port) in objects(spec, "ports").enumerate() {
        let (protocol, value) = (text(port, "protocol"), number(port, "port").unwrap_or(0));
        if !taken.insert((protocol, value)) {
            let written = format!(
                "{{\"Name\":\"\",\"Protocol\":{},\"AppProtocol\":null,\"Port\":{value},\"TargetPort\":0,\"NodePort\":0}}",
                Value::from(protocol)
            );
            check.push(duplicate_struct(&format!("spec.ports[{index}]"), &written, ""));
        }
    }
}

fn ranges(check: &mut Check, spec: &Json, kind: &str) {
    const PATH: &str = "spec.LoadBalancerSourceRanges";
    if list(spec, "loadBalancerSourceRanges").is_empty() {
        return;
    }
    if kind != "LoadBalancer" {
        check.forbidden(PATH, "may only be used when `type` is 'LoadBalancer'");
    }
    for (index, range) in texts(spec, "loadBalancerSourceRanges").enumerate() {
        net::check_range(check, &format!("{PATH}[{index}]"), range.trim());
    }
}

fn balancer(check: &mut Check, spec: &Json, kind: &str) {
    const WHY: &str = "may only be used when `type` is 'LoadBalancer'";
    if kind != "LoadBalancer" && spec.contains_key("allocateLoadBalancerNodePorts") {
        check.forbidden("spec.allocateLoadBalancerNodePorts", WHY);
    }
    if let Some(class) = maybe_text(spec, "loadBalancerClass") {
        if kind == "LoadBalancer" {
            check.faults("spec.loadBalancerClass", class, names::qualified(class));
        } else {
            check.forbidden("spec.loadBalancerClass", WHY);
        }
    }
}

fn traffic(check: &mut Check, spec: &Json, kind: &str) {
    let exposed = matches!(kind, "NodePort" | "LoadBalancer")
        || (kind == "ClusterIP" && !list(spec, "externalIPs").is_empty());
    let outside = text(spec, "externalTrafficPolicy");
    match (exposed, outside) {
        (false, "") => {}
        (false, _) => {
            let why = "may only be set for externally-accessible services";
            check.invalid("spec.externalTrafficPolicy", outside, why);
        }
        (true, "") => check.required("spec.externalTrafficPolicy", ""),
        (true, _) => check.one_of("spec.externalTrafficPolicy", outside, &["Cluster", "Local"]),
    }
    let health = number(spec, "healthCheckNodePort").unwrap_or(0);
    let checked = kind == "LoadBalancer" && outside == "Local";
    if !checked && health != 0 {
        let why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
        check.invalid("spec.healthCheckNodePort", health, why);
    } else if checked && health == 0 {
        check.required("spec.healthCheckNodePort", "");
    } else if checked {
        check.faults("spec.healthCheckNodePort", health, names::port_number(health));
    }
    match maybe_text(spec, "internalTrafficPolicy") {
        None if matches!(kind, "NodePort" | "LoadBalancer" | "ClusterIP") => {
            check.required("spec.internalTrafficPolicy", "");
        }
        None => {}
        Some(policy) => check.one_of("spec.internalTrafficPolicy", policy, &["Cluster", "Local"]),
    }
    if let Some(distribution) = maybe_text(spec, "trafficDistribution") {
        check.one_of("spec.trafficDistribution", distribution, &["PreferClose"]);
    }
}

/// What changes of a service.
pub(super) fn service_update(check: &mut Check, new: &Json, old: &Json) {
    let (now, then) = (object(new, "spec"), object(old, "spec"));
    let both = |test: fn(&Json) -> bool| test(now) && test(then);
    let internal = both(|spec| text(spec, "type") != "ExternalName");
    let headless = both(|spec| text(spec, "clusterIP") == "None");
    if internal && !headless {
        let (after, before) = (list(now, "clusterIPs"), list(then, "clusterIPs"));
        let value = if after.is_empty() { Value::Null } else { json!(after) };
        if after.is_empty() && !before.is_empty() {
            check.invalid("spec.clusterIPs[0]", value, "primary clusterIP can not be unset");
        } else if !before.is_empty() && after.first() != before.first() {
            check.invalid("spec.clusterIPs[0]", value, "may not change once set");
        }
    }
    let balanced = |spec: &Json| text(spec, "type") == "LoadBalancer";
    if balanced(now) && balanced(then) && now.get("loadBalancerClass") != then.get("loadBalancerClass") {
        let value = now.get("loadBalancerClass").cloned().unwrap_or(Value::Null);
        check.invalid("spec.loadBalancerClass", value, "may not change once set");
    }
    let checked = |spec: &Json| balanced(spec) && text(spec, "externalTrafficPolicy") == "Local";
    if checked(now) && checked(then) && now.get("healthCheckNodePort") != then.get("healthCheckNodePort") {
        check.forbidden("spec.healthCheckNodePort", "field is immutable");
    }
    service(check, new);
}

/// Endpoints.
pub(super) fn endpoints(check: &mut Check, json: &Json) {
    for (index, subset) in objects(json, "subsets").enumerate() {
        let path = format!("subsets[{index}]");
        if list(subset, "addresses").is_empty() && list(subset, "notReadyAddresses").is_empty() {
            check.required(&path, "must specify `addresses` or `notReadyAddresses`");
        }
        for name in ["addresses", "notReadyAddresses"] {
            for (index, address) in objects(subset, name).enumerate() {
                endpoint_address(check, address, &format!("{path}.{name}[{index}]"));
            }
        }
        let several = list(subset, "ports").len() > 1;
        for (index, port) in objects(subset, "ports").enumerate() {
            let path = format!("{path}.ports[{index}]");
            match text(port, "name") {
                "" if several => check.required(format!("{path}.name"), ""),
                "" => {}
                name => check.faults(format!("{path}.name"), name, names::label(name)),
            }
            let value = number(port, "port").unwrap_or(0);
            check.faults(format!("{path}.port"), value, names::port_number(value));
            match text(port, "protocol") {
                "" => check.required(format!("{path}.protocol"), ""),
                protocol => check.one_of(format!("{path}.protocol"), protocol, &PROTOCOLS),
            }
        }
    }
}

fn endpoint_address(check: &mut Check, address: &Json, path: &str) {
    let value = text(address, "ip");
    net::address(check, &format!("{path}.ip"), value);
    match text(address, "hostname") {
        "" => {}
        name => check.faults(format!("{path}.hostname"), name, names::label(name)),
    }
    if let Some(node) = maybe_text(address, "nodeName") {
        check.faults(format!("{path}.nodeName"), node, names::subdomain(node));
    }
    net::endpoint(check, &format!("{path}.ip"), value);
}

/// A slice of endpoints.
pub(super) fn slice(check: &mut Check, json: &Json) {
    let kind = text(json, "addressType");
    match kind {
        "" => check.required("addressType", ""),
        _ => check.one_of("addressType", kind, &["FQDN", "IPv4", "IPv6"]),
    }
    slice_ports(check, json);
    if list(json, "endpoints").len() > 1000 {
        return check.too_many("endpoints", list(json, "endpoints").len(), 1000);
    }
    for (index, endpoint) in objects(json, "endpoints").enumerate() {
        let path = format!("endpoints[{index}]");
        let count = list(endpoint, "addresses").len();
        if count == 0 {
            check.required(format!("{path}.addresses"), "must contain at least 1 address");
        } else if count > 100 {
            check.too_many(format!("{path}.addresses"), count, 100);
        }
        for (index, address) in texts(endpoint, "addresses").enumerate() {
            slice_address(check, kind, address, &format!("{path}.addresses"), index);
        }
        if let Some(node) = maybe_text(endpoint, "nodeName") {
            check.faults(format!("{path}.nodeName"), node, names::subdomain(node));
        }
        if let Some(host) = maybe_text(endpoint, "hostname") {
            check.faults(format!("{path}.hostname"), host, names::label(host));
        }
    }
}

fn slice_address(check: &mut Check, kind: &str, address: &str, path: &str, index: usize) {
    let here = format!("{path}[{index}]");
    if !matches!(kind, "IPv4" | "IPv6") {
        return;
    }
    let before = check.count();
    net::address(check, &here, address);
    if check.count() != before {
        return;
    }
    if net::is_v4(address) != (kind == "IPv4") {
        check.invalid(path, address, format!("must be an {kind} address"));
    }
    net::endpoint(check, &here, address);
}

fn slice_ports(check: &mut Check, json: &Json) {
    let mut taken = BTreeSet::new();
    if list(json, "ports").len() > 20_000 {
        return check.too_many("ports", list(json, "ports").len(), 20_000);
    }
    for (index, port) in objects(json, "ports").enumerate() {
        let path = format!("ports[{index}]");
        let name = text(port, "name");
        if !name.is_empty() {
            check.faults(format!("{path}.name"), name, names::label(name));
        }
        if !taken.insert(name) {
            check.duplicate(format!("{path}.name"), name);
        }
        match maybe_text(port, "protocol") {
            None => check.required(format!("{path}.protocol"), ""),
            Some(protocol) => check.one_of(format!("{path}.protocol"), protocol, &PROTOCOLS),
        }
        if let Some(protocol) = maybe_text(port, "appProtocol") {
            check.faults(format!("{path}.appProtocol"), protocol, names::qualified(protocol));
        }
    }
}
