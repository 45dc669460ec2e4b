//! What is done to containers to see how they are, and when they start and stop.

use serde_json::Value;

use crate::builtin::fields::{list, maybe_object, number, objects, text};
use crate::builtin::validate::check::Check;
use crate::document::Json;
use crate::metadata::names;

/// The hooks and probes of a container.
pub(super) fn of_container(check: &mut Check, container: &Json, path: &str, grace: i64) {
    if let Some(lifecycle) = maybe_object(container, "lifecycle") {
        for name in ["postStart", "preStop"] {
            if let Some(hook) = maybe_object(lifecycle, name) {
                handler(check, hook, &format!("{path}.lifecycle.{name}"), grace);
            }
        }
    }
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let Some(found) = maybe_object(container, name) else { continue };
        let path = format!("{path}.{name}");
        probe(check, found, &path, grace);
        let threshold = number(found, "successThreshold").unwrap_or(0);
        if name == "readinessProbe" {
            if let Some(value) = number(found, "terminationGracePeriodSeconds") {
                let why = "must not be set for readinessProbes";
                check.invalid(format!("{path}.terminationGracePeriodSeconds"), value, why);
            }
        } else if threshold != 1 {
            check.invalid(format!("{path}.successThreshold"), threshold, "must be 1");
        }
    }
}

fn probe(check: &mut Check, probe: &Json, path: &str, grace: i64) {
    const NUMBERS: [&str; 5] =
        ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"];
    handler(check, probe, path, grace);
    for name in NUMBERS {
        check.field_not_negative(probe, path, name);
    }
    if let Some(value) = number(probe, "terminationGracePeriodSeconds").filter(|value| *value <= 0) {
        check.invalid(format!("{path}.terminationGracePeriodSeconds"), value, "must be greater than 0");
    }
}

fn handler(check: &mut Check, handler: &Json, path: &str, grace: i64) {
    let mut found = false;
    for name in ["exec", "httpGet", "tcpSocket", "grpc", "sleep"] {
        let Some(action) = maybe_object(handler, name) else { continue };
        let path = format!("{path}.{name}");
        if found {
            check.forbidden(path, "may not specify more than 1 handler type");
            continue;
        }
        found = true;
        match name {
            "exec" if list(action, "command").is_empty() => check.required(format!("{path}.command"), ""),
            "exec" => {}
            "httpGet" => http_get(check, action, &path),
            "tcpSocket" => port(check, action.get("port"), &format!("{path}.port")),
            "grpc" => {
                let value = number(action, "port").unwrap_or(0);
                check.faults(format!("{path}.port"), value, names::port_number(value));
            }
            _ => {
                let value = number(action, "seconds").unwrap_or(0);
                if value < 0 || value > grace {
                    let why =
                        format!("must be non-negative and less than terminationGracePeriodSeconds ({grace})");
                    check.invalid(path, value, why);
                }
            }
        }
    }
    if !found {
        check.required(path, "must specify a handler type");
    }
}

fn http_get(check: &mut Check, action: &Json, path: &str) {
    if text(action, "path").is_empty() {
        check.required(format!("{path}.path"), "");
    }
    port(check, action.get("port"), &format!("{path}.port"));
    check.one_of(format!("{path}.scheme"), text(action, "scheme"), &["HTTP", "HTTPS"]);
    for header in objects(action, "httpHeaders") {
        let name = text(header, "name");
        check.faults(format!("{path}.httpHeaders"), name, names::header(name));
    }
}

/// A port by its number or its name.
pub(in crate::builtin::validate) fn port(check: &mut Check, port: Option<&Value>, path: &str) {
    match port {
        Some(Value::String(name)) => check.faults(path, name.as_str(), names::port(name)),
        other => {
            let value = other.and_then(Value::as_i64).unwrap_or(0);
            check.faults(path, value, names::port_number(value));
        }
    }
}
