//! Admission policies and their bindings.

use std::collections::BTreeSet;

use serde_json::Value;

use super::check::Check;
use super::selectors;
use crate::builtin::fields::{list, maybe_object, maybe_text, object, objects, text, texts};
use crate::crd::policy::{Language, Wanted, is_identifier};
use crate::document::Json;
use crate::metadata::names;

const MOST_CONDITIONS: usize = 64;
const MOST_NOTES: usize = 20;
const LONGEST_NOTE: usize = 5 * 1024;

/// A policy.
pub(super) fn policy(check: &mut Check, json: &Json) {
    let spec = object(json, "spec");
    check.one_of("spec.failurePolicy", text(spec, "failurePolicy"), &["Fail", "Ignore"]);
    if let Some(kind) = maybe_object(spec, "paramKind") {
        param_kind(check, kind);
    }
    match maybe_object(spec, "matchConstraints") {
        None => check.required("spec.matchConstraints", ""),
        Some(matching) => {
            match_resources(check, matching, "spec.matchConstraints");
            if list(matching, "resourceRules").is_empty() {
                check.required("spec.matchConstraints.resourceRules", "");
            }
        }
    }
    let has_params = spec.contains_key("paramKind");
    conditions(check, spec, &Language::new(has_params));
    let mut language = Language::new(has_params);
    for (index, variable) in objects(spec, "variables").enumerate() {
        self::variable(check, variable, &mut language, &format!("spec.variables[{index}]"));
    }
    if list(spec, "validations").is_empty() && list(spec, "auditAnnotations").is_empty() {
        let why = "validations or auditAnnotations must contain at least one item";
        check.required("spec.validations", why);
        check.required("spec.auditAnnotations", why);
        return;
    }
    for (index, validation) in objects(spec, "validations").enumerate() {
        self::validation(check, validation, &language, &format!("spec.validations[{index}]"));
    }
    notes(check, json, &language);
}

fn param_kind(check: &mut Check, kind: &Json) {
    let version = text(kind, "apiVersion");
    match version.split('/').collect::<Vec<_>>().as_slice() {
        [""] => check.required("spec.paramKind.apiVersion", ""),
        [version] => param_version(check, version, version),
        [group, tail] => {
            let faults = if group.is_empty() { Vec::new() } else { names::subdomain(group) };
            if !faults.is_empty() {
                check.invalid("spec.paramKind.apiVersion", *group, faults.join(","));
            }
            param_version(check, version, tail);
        }
        _ => {
            let why = format!("unexpected GroupVersion string: {version}");
            check.invalid("spec.paramKind.apiVersion", version, why);
        }
    }
    let name = text(kind, "kind");
    let faults = names::label_1035(&name.to_lowercase());
    if name.is_empty() {
        check.required("spec.paramKind.kind", "");
    } else if !faults.is_empty() {
        let why = format!("may have mixed case, but should otherwise match: {}", faults.join(","));
        check.invalid("spec.paramKind.kind", name, why);
    }
}

fn param_version(check: &mut Check, whole: &str, version: &str) {
    let faults = names::label_1035(version);
    if version.is_empty() {
        check.invalid("spec.paramKind.apiVersion", whole, "version must be specified");
    } else if !faults.is_empty() {
        check.invalid("spec.paramKind.apiVersion", version, faults.join(","));
    }
}

/// What a policy or a binding is about.
fn match_resources(check: &mut Check, matching: &Json, path: &str) {
    check.one_of(format!("{path}.matchPolicy"), text(matching, "matchPolicy"), &["Equivalent", "Exact"]);
    for name in ["namespaceSelector", "objectSelector"] {
        selectors::labels(check, matching.get(name), &format!("{path}.{name}"));
    }
    for name in ["resourceRules", "excludeResourceRules"] {
        for (index, rule) in objects(matching, name).enumerate() {
            self::rule(check, rule, &format!("{path}.{name}[{index}]"));
        }
    }
}

fn rule(check: &mut Check, rule: &Json, path: &str) {
    let mut seen = BTreeSet::new();
    for (index, name) in texts(rule, "resourceNames").enumerate() {
        let at = format!("{path}.resourceNames[{index}]");
        check.faults(&at, name, names::path_segment(name));
        if !seen.insert(name) {
            check.duplicate(&at, name);
        }
    }
    let value = |name: &str| rule.get(name).cloned().unwrap_or(Value::Null);
    let both = |name: &str| {
        let all: Vec<_> = texts(rule, name).collect();
        all.len() > 1 && all.contains(&"*")
    };
    if list(rule, "operations").is_empty() {
        check.required(format!("{path}.operations"), "");
    }
    if both("operations") {
        let why = "if '*' is present, must not specify other operations";
        check.invalid(format!("{path}.operations"), value("operations"), why);
    }
    for (index, operation) in texts(rule, "operations").enumerate() {
        let known = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
        check.one_of(format!("{path}.operations[{index}]"), operation, &known);
    }
    for (name, what) in [("apiGroups", "API groups"), ("apiVersions", "API versions")] {
        if list(rule, name).is_empty() {
            check.required(format!("{path}.{name}"), "");
        }
        if both(name) {
            let why = format!("if '*' is present, must not specify other {what}");
            check.invalid(format!("{path}.{name}"), value(name), why);
        }
    }
    for (index, _) in texts(rule, "apiVersions").enumerate().filter(|(_, version)| version.is_empty()) {
        check.required(format!("{path}.apiVersions[{index}]"), "");
    }
    resources(check, rule, &format!("{path}.resources"));
    if let Some(scope) = maybe_text(rule, "scope") {
        check.one_of(format!("{path}.scope"), scope, &["*", "Cluster", "Namespaced"]);
    }
}

fn resources(check: &mut Check, rule: &Json, path: &str) {
    let all: Vec<_> = texts(rule, "resources").collect();
    if all.is_empty() {
        check.required(path, "");
    }
    let (mut any_part, mut any_resource, mut plain) = (BTreeSet::new(), BTreeSet::new(), false);
    for (index, both) in all.iter().enumerate() {
        let at = format!("{path}[{index}]");
        let Some((resource, part)) = both.split_once('/') else {
            if both.is_empty() {
                check.required(&at, "");
            } else {
                plain = *both != "*";
            }
            continue;
        };
        if any_part.contains(resource) {
            check.invalid(&at, *both, format!("if '{resource}/*' is present, must not specify {both}"));
        }
        if any_resource.contains(part) {
            check.invalid(&at, *both, format!("if '*/{part}' is present, must not specify {both}"));
        }
        if part == "*" {
            any_part.insert(resource);
        }
        if resource == "*" {
            any_resource.insert(part);
        }
    }
    let value = rule.get("resources").cloned().unwrap_or(Value::Null);
    if all.len() > 1 && all.contains(&"*/*") {
        check.invalid(path, value.clone(), "if '*/*' is present, must not specify other resources");
    }
    if plain && all.contains(&"*") {
        let why = "if '*' is present, must not specify other resources without subresources";
        check.invalid(path, value, why);
    }
}

fn conditions(check: &mut Check, spec: &Json, language: &Language) {
    let all = list(spec, "matchConditions").len();
    if all > MOST_CONDITIONS {
        check.too_many("spec.matchConditions", all, MOST_CONDITIONS);
    }
    let mut seen = BTreeSet::new();
    for (index, condition) in objects(spec, "matchConditions").enumerate() {
        let path = format!("spec.matchConditions[{index}]");
        let (name, source) = (text(condition, "name"), text(condition, "expression").trim());
        if source.is_empty() {
            check.required(format!("{path}.expression"), "");
        } else if let Err(why) = language.read(source, Wanted::Bool, true) {
            check.invalid(format!("{path}.expression"), source, why);
        }
        if name.is_empty() {
            check.required(format!("{path}.name"), "");
        } else {
            check.faults(format!("{path}.name"), name, names::qualified(name));
            if !seen.insert(name) {
                check.duplicate(format!("{path}.name"), name);
            }
        }
    }
}

fn variable(check: &mut Check, variable: &Json, language: &mut Language, path: &str) {
    let (name, source) = (text(variable, "name"), text(variable, "expression"));
    if name.trim().is_empty() {
        check.required(format!("{path}.name"), "name is not specified");
    } else if !is_identifier(name) {
        check.invalid(format!("{path}.name"), name, "must be a valid CEL identifier");
    }
    if source.trim().is_empty() {
        check.required(format!("{path}.expression"), "expression is not specified");
    } else if let Err(why) = language.define(name, source) {
        check.invalid(format!("{path}.expression"), source, why);
    }
}

fn validation(check: &mut Check, validation: &Json, language: &Language, path: &str) {
    let source = text(validation, "expression");
    if source.trim().is_empty() {
        check.required(format!("{path}.expression"), "expression is not specified");
    } else if let Err(why) = language.read(source, Wanted::Bool, true) {
        check.invalid(format!("{path}.expression"), source, why);
    }
    let message = text(validation, "messageExpression");
    if !message.is_empty() && message.trim().is_empty() {
        check.invalid(format!("{path}.messageExpression"), message, "must be non-empty if specified");
    } else if !message.is_empty()
        && let Err(why) = language.read(message, Wanted::Text, false)
    {
        check.invalid(format!("{path}.messageExpression"), message, why);
    }
    let message = text(validation, "message");
    if !message.is_empty() && message.trim().is_empty() {
        check.invalid(format!("{path}.message"), message, "must be non-empty if specified");
    } else if message.trim().contains(['\n', '\r']) {
        check.invalid(format!("{path}.message"), message, "must not contain line breaks");
    }
    if let Some(reason) = maybe_text(validation, "reason") {
        check.one_of(format!("{path}.reason"), reason, &["Forbidden", "Invalid", "RequestEntityTooLarge"]);
    }
}

fn notes(check: &mut Check, json: &Json, language: &Language) {
    let spec = object(json, "spec");
    if list(spec, "auditAnnotations").len() > MOST_NOTES {
        let all = Value::from(list(spec, "auditAnnotations").to_vec());
        let why = format!("must not have more than {MOST_NOTES} auditAnnotations");
        check.invalid("spec.auditAnnotations", all, why);
    }
    let policy = text(object(json, "metadata"), "name");
    let mut seen = BTreeSet::new();
    for (index, note) in objects(spec, "auditAnnotations").enumerate() {
        let path = format!("spec.auditAnnotations[{index}]");
        let (key, source) = (text(note, "key"), text(note, "valueExpression").trim());
        let whole = format!("{policy}/{key}");
        check.faults(format!("{path}.key"), whole.as_str(), names::qualified(&whole));
        let at = format!("{path}.valueExpression");
        if source.is_empty() {
            check.required(at, "valueExpression is not specified");
        } else if source.len() > LONGEST_NOTE {
            check.required(at, &format!("must not exceed {LONGEST_NOTE} bytes in length"));
        } else if let Err(why) = language.read(source, Wanted::TextOrNull, true) {
            check.invalid(at, text(note, "valueExpression"), why);
        }
        if !seen.insert(key) {
            check.duplicate(format!("{path}.key"), key);
        }
    }
}

/// A binding.
pub(super) fn binding(check: &mut Check, json: &Json) {
    let spec = object(json, "spec");
    let policy = text(spec, "policyName");
    if policy.is_empty() {
        check.required("spec.policyName", "");
    } else {
        check.faults("spec.policyName", policy, names::subdomain(policy));
    }
    if let Some(reference) = maybe_object(spec, "paramRef") {
        param_ref(check, reference);
    }
    if let Some(matching) = maybe_object(spec, "matchResources") {
        match_resources(check, matching, "spec.matchResources");
    }
    let mut seen = BTreeSet::new();
    for (index, action) in texts(spec, "validationActions").enumerate() {
        let at = format!("spec.validationActions[{index}]");
        check.one_of(&at, action, &["Audit", "Deny", "Warn"]);
        if !seen.insert(action) {
            check.duplicate(&at, action);
        }
    }
    if seen.contains("Deny") && seen.contains("Warn") {
        let all = Value::from(list(spec, "validationActions").to_vec());
        let why = "must not contain both Deny and Warn (repeating the same validation failure information in the API \
                   response and headers serves no purpose)";
        check.invalid("spec.validationActions", all, why);
    }
    if seen.is_empty() {
        check.required("spec.validationActions", "at least one validation action is required");
    }
}

fn param_ref(check: &mut Check, reference: &Json) {
    let name = text(reference, "name");
    let selector = maybe_object(reference, "selector");
    let exclusive = "name and selector are mutually exclusive";
    if !name.is_empty() {
        check.faults("spec.paramRef.name", name, names::path_segment(name));
        if selector.is_some() {
            check.forbidden("spec.paramRef.name", exclusive);
        }
    }
    if selector.is_some() {
        selectors::labels(check, reference.get("selector"), "spec.paramRef.selector");
        if !name.is_empty() {
            check.forbidden("spec.paramRef.selector", exclusive);
        }
    }
    if name.is_empty() && selector.is_none() {
        check.required("spec.paramRef", "one of name or selector must be specified");
    }
    match text(reference, "parameterNotFoundAction") {
        "" => check.required("spec.paramRef.parameterNotFoundAction", ""),
        action => check.one_of("spec.paramRef.parameterNotFoundAction", action, &["Deny", "Allow"]),
    }
}
