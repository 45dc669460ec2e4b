//! Where pods may run.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::builtin::fields::{list, maybe_object, number, object, objects, text, texts};
use crate::builtin::validate::check::Check;
use crate::builtin::validate::selectors;
use crate::document::Json;
use crate::metadata::names;

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
pub(in crate::builtin::validate) const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// Near what a pod may be.
pub(super) fn affinity(check: &mut Check, affinity: &Json, path: &str) {
    if let Some(nodes) = maybe_object(affinity, "nodeAffinity") {
        let path = format!("{path}.nodeAffinity");
        if let Some(selector) = maybe_object(nodes, REQUIRED) {
            node_selector(check, selector, &format!("{path}.{REQUIRED}"));
        }
        for (index, term) in objects(nodes, PREFERRED).enumerate() {
            let path = format!("{path}.{PREFERRED}[{index}]");
            weight(check, term, &path);
            node_selector_term(check, object(term, "preference"), &format!("{path}.preference"), false);
        }
    }
    for name in ["podAffinity", "podAntiAffinity"] {
        let Some(pods) = maybe_object(affinity, name) else { continue };
        let path = format!("{path}.{name}");
        for (index, term) in objects(pods, REQUIRED).enumerate() {
            pod_term(check, term, &format!("{path}.{REQUIRED}[{index}]"));
        }
        for (index, term) in objects(pods, PREFERRED).enumerate() {
            let path = format!("{path}.{PREFERRED}[{index}]");
            weight(check, term, &path);
            pod_term(check, object(term, "podAffinityTerm"), &format!("{path}.podAffinityTerm"));
        }
    }
}

fn weight(check: &mut Check, term: &Json, path: &str) {
    let value = number(term, "weight").unwrap_or(0);
    if !(1..=100).contains(&value) {
        check.invalid(format!("{path}.weight"), value, "must be in the range 1-100");
    }
}

/// Nodes by their labels.
pub(in crate::builtin::validate) fn node_selector(check: &mut Check, selector: &Json, path: &str) {
    let path = format!("{path}.nodeSelectorTerms");
    if list(selector, "nodeSelectorTerms").is_empty() {
        return check.required(path, "must have at least one node selector term");
    }
    for (index, term) in objects(selector, "nodeSelectorTerms").enumerate() {
        node_selector_term(check, term, &format!("{path}[{index}]"), true);
    }
}

/// One way to be selected.
pub(in crate::builtin::validate) fn node_selector_term(
    check: &mut Check,
    term: &Json,
    path: &str,
    values: bool,
) {
    for (index, requirement) in objects(term, "matchExpressions").enumerate() {
        let path = format!("{path}.matchExpressions[{index}]");
        let operator = text(requirement, "operator");
        let given = list(requirement, "values").len();
        match operator {
            "In" | "NotIn" | "Exists" | "DoesNotExist" => selectors::count(check, operator, given, &path),
            "Gt" | "Lt" if given != 1 => {
                let why = "must be specified single value when `operator` is 'Lt' or 'Gt'";
                check.required(format!("{path}.values"), why);
            }
            "Gt" | "Lt" => {}
            _ => check.invalid(format!("{path}.operator"), operator, "not a valid selector operator"),
        }
        selectors::key_and_values(check, requirement, &path, values);
    }
    for (index, requirement) in objects(term, "matchFields").enumerate() {
        let path = format!("{path}.matchFields[{index}]");
        match text(requirement, "operator") {
            "In" | "NotIn" => {
                if list(requirement, "values").len() != 1 {
                    let why =
                        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
                    check.required(format!("{path}.values"), why);
                }
            }
            operator => check.invalid(format!("{path}.operator"), operator, "not a valid selector operator"),
        }
        match text(requirement, "key") {
            "metadata.name" => {
                for (index, value) in texts(requirement, "values").enumerate() {
                    check.faults(format!("{path}.values[{index}]"), value, names::subdomain(value));
                }
            }
            key => check.invalid(format!("{path}.key"), key, "not a valid field selector key"),
        }
    }
}

fn pod_term(check: &mut Check, term: &Json, path: &str) {
    selectors::labels(check, term.get("labelSelector"), &format!("{path}.labelSelector"));
    selectors::labels(check, term.get("namespaceSelector"), &format!("{path}.namespaceSelector"));
    for name in texts(term, "namespaces") {
        check.faults(format!("{path}.namespace"), name, names::label(name));
    }
    let key = text(term, "topologyKey");
    if key.is_empty() {
        check.required(format!("{path}.topologyKey"), "can not be empty");
    }
    check.faults(format!("{path}.topologyKey"), key, names::qualified(key));
}

/// What a pod waits for.
pub(super) fn gates(check: &mut Check, spec: &Json, path: &str) {
    for (index, gate) in objects(spec, "readinessGates").enumerate() {
        let condition = text(gate, "conditionType");
        let path = format!("{path}.readinessGates[{index}].conditionType");
        check.faults(path, condition, names::qualified(condition));
    }
    let mut taken = BTreeSet::new();
    for (index, gate) in objects(spec, "schedulingGates").enumerate() {
        let (name, path) = (text(gate, "name"), format!("{path}.schedulingGates[{index}]"));
        check.faults(&path, name, names::qualified(name));
        if !taken.insert(name) {
            check.duplicate(path, name);
        }
    }
}

/// How pods are spread.
pub(super) fn spread(check: &mut Check, spec: &Json, path: &str) {
    let all: Vec<&Json> = objects(spec, "topologySpreadConstraints").collect();
    let pairs = all.iter().map(|other| (text(other, "topologyKey"), text(other, "whenUnsatisfiable")));
    let last: BTreeMap<_, _> = pairs.enumerate().map(|(index, pair)| (pair, index)).collect();
    for (index, constraint) in all.iter().enumerate() {
        let path = format!("{path}[{index}]");
        let skew = number(constraint, "maxSkew").unwrap_or(0);
        if skew <= 0 {
            check.invalid(format!("{path}.maxSkew"), skew, "must be greater than zero");
        }
        let (key, otherwise) = (text(constraint, "topologyKey"), text(constraint, "whenUnsatisfiable"));
        if key.is_empty() {
            check.required(format!("{path}.topologyKey"), "can not be empty");
        }
        check.one_of(format!("{path}.whenUnsatisfiable"), otherwise, &["DoNotSchedule", "ScheduleAnyway"]);
        if last.get(&(key, otherwise)).is_some_and(|last| *last > index) {
            let pair = format!("{{{key}, {otherwise}}}");
            check.duplicate(format!("{path}.{{topologyKey, whenUnsatisfiable}}"), pair);
        }
        domains(check, constraint, otherwise, &path);
        for name in ["nodeAffinityPolicy", "nodeTaintsPolicy"] {
            let policy = text(constraint, name);
            if !policy.is_empty() {
                check.one_of(format!("{path}.{name}"), policy, &["Honor", "Ignore"]);
            }
        }
        selectors::labels(check, constraint.get("labelSelector"), &format!("{path}.labelSelector"));
    }
}

fn domains(check: &mut Check, constraint: &Json, otherwise: &str, path: &str) {
    let Some(least) = number(constraint, "minDomains") else { return };
    let path = format!("{path}.minDomains");
    if least <= 0 {
        check.invalid(&path, least, "must be greater than zero");
    }
    if otherwise != "DoNotSchedule" {
        let why = format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {otherwise}");
        check.invalid(path, least, why);
    }
}

/// What a pod puts up with.
pub(super) fn tolerations(check: &mut Check, spec: &Json, path: &str) {
    for (index, toleration) in objects(spec, "tolerations").enumerate() {
        let path = format!("{path}[{index}]");
        let (key, operator) = (text(toleration, "key"), text(toleration, "operator"));
        let (value, effect) = (text(toleration, "value"), text(toleration, "effect"));
        if !key.is_empty() {
            check.faults(format!("{path}.key"), key, names::qualified(key));
        } else if operator != "Exists" {
            let why =
                "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            check.invalid(format!("{path}.operator"), operator, why);
        }
        if toleration.get("tolerationSeconds").is_some_and(Value::is_number) && effect != "NoExecute" {
            let why = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            check.invalid(format!("{path}.effect"), effect, why);
        }
        match operator {
            "Equal" | "" => {
                let faults = names::label_value(value);
                if !faults.is_empty() {
                    check.invalid(format!("{path}.operator"), value, faults.join(";"));
                }
            }
            "Exists" if !value.is_empty() => {
                let why = "value must be empty when `operator` is 'Exists'";
                check.invalid(format!("{path}.operator"), value, why);
            }
            "Exists" => {}
            _ => check.one_of(format!("{path}.operator"), operator, &["Equal", "Exists"]),
        }
        if !effect.is_empty() {
            check.one_of(format!("{path}.effect"), effect, &EFFECTS);
        }
    }
}
