//! Ingresses and policies of networks.

use serde_json::Value;

use super::check::Check;
use super::{net, selectors};
use crate::builtin::fields::{at, list, maybe_object, maybe_text, number, object, objects, text, texts};
use crate::document::Json;
use crate::metadata::names;

/// An ingress.
pub(super) fn ingress(check: &mut Check, json: &Json, is_new: bool) {
    let spec = object(json, "spec");
    if list(spec, "rules").is_empty() && !spec.contains_key("defaultBackend") {
        check.invalid("spec", Value::Null, "either `defaultBackend` or `rules` must be specified");
    }
    if let Some(default) = maybe_object(spec, "defaultBackend") {
        backend(check, default, "spec.defaultBackend");
    }
    for (index, rule) in objects(spec, "rules").enumerate() {
        let path = format!("spec.rules[{index}]");
        let host = text(rule, "host");
        if !host.is_empty() {
            if host.parse::<std::net::IpAddr>().is_ok() {
                check.invalid(format!("{path}.host"), host, "must be a DNS name, not an IP address");
            }
            host_name(check, host, &format!("{path}.host"));
        }
        if let Some(http) = maybe_object(rule, "http") {
            if list(http, "paths").is_empty() {
                check.required(format!("{path}.http.paths"), "");
            }
            for (index, found) in objects(http, "paths").enumerate() {
                http_path(check, found, &format!("{path}.http.paths[{index}]"));
            }
        }
    }
    for (index, tls) in objects(spec, "tls").enumerate() {
        let path = format!("spec.tls[{index}]");
        for (index, host) in texts(tls, "hosts").enumerate() {
            host_name(check, host, &format!("{path}.hosts[{index}]"));
        }
        match text(tls, "secretName") {
            "" => {}
            name => check.faults(format!("{path}.secretName"), name, names::subdomain(name)),
        }
    }
    if let Some(class) = maybe_text(spec, "ingressClassName") {
        check.faults("spec.ingressClassName", class, names::subdomain(class));
    }
    let annotated = text(at(json, &["metadata", "annotations"]), "kubernetes.io/ingress.class");
    if is_new
        && !annotated.is_empty()
        && maybe_text(spec, "ingressClassName").is_some_and(|class| class != annotated)
    {
        let why = "must match `ingressClassName` when both are specified";
        check.invalid("annotations.kubernetes.io/ingress.class", annotated, why);
    }
}

fn host_name(check: &mut Check, host: &str, path: &str) {
    let faults = if host.contains('*') { names::wildcard_subdomain(host) } else { names::subdomain(host) };
    check.faults(path, host, faults);
}

fn http_path(check: &mut Check, found: &Json, path: &str) {
    const SEQUENCES: [&str; 6] = ["//", "/./", "/../", "%2f", "%2F", ""];
    let Some(kind) = maybe_text(found, "pathType") else {
        return check.required(format!("{path}.pathType"), "pathType must be specified");
    };
    let (named, here) = (text(found, "path"), format!("{path}.path"));
    match kind {
        "Exact" | "Prefix" => {
            if !named.starts_with('/') {
                check.invalid(&here, named, "must be an absolute path");
            }
            for sequence in
                SEQUENCES.iter().filter(|sequence| !sequence.is_empty() && named.contains(**sequence))
            {
                check.invalid(&here, named, format!("must not contain '{sequence}'"));
            }
            for end in ["/..", "/."].iter().filter(|end| named.ends_with(**end)) {
                check.invalid(&here, named, format!("cannot end with '{end}'"));
            }
        }
        "ImplementationSpecific" => {
            if !named.is_empty() && !named.starts_with('/') {
                check.invalid(here, named, "must be an absolute path");
            }
        }
        _ => check.one_of(format!("{path}.pathType"), kind, &["Exact", "ImplementationSpecific", "Prefix"]),
    }
    backend(check, object(found, "backend"), &format!("{path}.backend"));
}

fn backend(check: &mut Check, backend: &Json, path: &str) {
    match (maybe_object(backend, "resource"), maybe_object(backend, "service")) {
        (Some(_), Some(_)) => check.invalid(path, "", "cannot set both resource and service backends"),
        (None, None) => check.invalid(path, "", "resource or service backend is required"),
        (Some(resource), None) => {
            for name in ["kind", "name"] {
                match text(resource, name) {
                    "" => check.required(format!("{path}.resource.{name}"), ""),
                    value => {
                        check.faults(format!("{path}.resource.{name}"), value, names::path_segment(value))
                    }
                }
            }
        }
        (None, Some(service)) => service_backend(check, service, path),
    }
}

fn service_backend(check: &mut Check, service: &Json, path: &str) {
    match text(service, "name") {
        "" => check.required(format!("{path}.service.name"), ""),
        name => check.faults(format!("{path}.service.name"), name, names::label_1035(name)),
    }
    let port = object(service, "port");
    match (text(port, "name"), number(port, "number").unwrap_or(0)) {
        ("", 0) => check.required(path, "port name or number is required"),
        ("", value) => check.faults(format!("{path}.service.port.number"), value, names::port_number(value)),
        (name, 0) => check.faults(format!("{path}.service.port.name"), name, names::port(name)),
        _ => check.invalid(path, "", "cannot set both port name & port number"),
    }
}

/// A class of ingresses.
pub(super) fn class(check: &mut Check, json: &Json) {
    let controller = text(object(json, "spec"), "controller");
    if controller.len() > 250 {
        check.too_long("spec.controller", 250);
    }
    match controller.split_once('/') {
        _ if controller.is_empty() => check.required("spec.controller", ""),
        Some((domain, path)) if !domain.is_empty() && !path.is_empty() => {
            check.faults("spec.controller", domain, names::subdomain(domain));
        }
        _ => {
            let why = "must be a domain-prefixed path (such as \"acme.io/foo\")";
            check.invalid("spec.controller", controller, why);
        }
    }
}

/// A policy of a network.
pub(super) fn policy(check: &mut Check, json: &Json) {
    let spec = object(json, "spec");
    selectors::labels(check, spec.get("podSelector"), "spec.podSelector");
    for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
        for (index, rule) in objects(spec, direction).enumerate() {
            let path = format!("spec.{direction}[{index}]");
            for (index, port) in objects(rule, "ports").enumerate() {
                policy_port(check, port, &format!("{path}.ports[{index}]"));
            }
            for (index, peer) in objects(rule, peers).enumerate() {
                policy_peer(check, peer, &format!("{path}.{peers}[{index}]"));
            }
        }
    }
    let types = list(spec, "policyTypes");
    if types.len() > 2 {
        return check.invalid("spec.policyTypes", types, "may not specify more than two policyTypes");
    }
    for (index, kind) in texts(spec, "policyTypes").enumerate() {
        check.one_of(format!("spec.policyTypes[{index}]"), kind, &["Ingress", "Egress"]);
    }
}

fn policy_port(check: &mut Check, port: &Json, path: &str) {
    if let Some(protocol) = maybe_text(port, "protocol") {
        check.one_of(format!("{path}.protocol"), protocol, &["TCP", "UDP", "SCTP"]);
    }
    let end = number(port, "endPort");
    match port.get("port") {
        None => {
            if let Some(end) = end {
                check.invalid(
                    format!("{path}.endPort"),
                    end,
                    "may not be specified when `port` is not specified",
                );
            }
        }
        Some(Value::String(name)) => {
            if let Some(end) = end {
                check.invalid(
                    format!("{path}.endPort"),
                    end,
                    "may not be specified when `port` is non-numeric",
                );
            }
            check.faults(format!("{path}.port"), name.as_str(), names::port(name));
        }
        Some(value) => {
            let value = value.as_i64().unwrap_or(0);
            check.faults(format!("{path}.port"), value, names::port_number(value));
            if let Some(end) = end {
                if end < value {
                    check.invalid(
                        format!("{path}.endPort"),
                        value,
                        "must be greater than or equal to `port`",
                    );
                }
                check.faults(format!("{path}.endPort"), end, names::port_number(end));
            }
        }
    }
}

fn policy_peer(check: &mut Check, peer: &Json, path: &str) {
    let mut peers = 0;
    for name in ["podSelector", "namespaceSelector"] {
        if peer.contains_key(name) {
            peers += 1;
            selectors::labels(check, peer.get(name), &format!("{path}.{name}"));
        }
    }
    let block = maybe_object(peer, "ipBlock");
    if let Some(block) = block {
        match text(block, "cidr") {
            "" => check.required(format!("{path}.ipBlock.cidr"), ""),
            range => {
                net::check_range(check, &format!("{path}.ipBlock.cidr"), range);
                for (index, except) in texts(block, "except").enumerate() {
                    net::check_range(check, &format!("{path}.ipBlock.except[{index}]"), except);
                }
            }
        }
    }
    if peers == 0 && block.is_none() {
        check.required(path, "must specify a peer");
    } else if peers > 0 && block.is_some() {
        check.forbidden(path, "may not specify both ipBlock and another peer");
    }
}
