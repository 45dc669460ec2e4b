//! Flow schemas and priority levels.

use serde_json::Value;

use super::check::Check;
use crate::builtin::fields::{list, maybe_object, number, object, objects, text, texts};
use crate::document::Json;
use crate::flow::defaults;
use crate::metadata::names;

const VERBS: [&str; 8] = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update"];
const MOST_PRECEDENCE: i64 = 10_000;
const MOST_QUEUES: i64 = 10_000_000;
/// So many bits a hash has from which a hand is dealt.
const BITS: f64 = 60.0;

/// A flow schema.
pub(super) fn schema(check: &mut Check, json: &Json) {
    let (name, spec) = (text(object(json, "metadata"), "name"), object(json, "spec"));
    let precedence = number(spec, "matchingPrecedence").unwrap_or(0);
    let path = "spec.matchingPrecedence";
    if precedence <= 0 {
        check.invalid(path, precedence, "must be a positive value");
    }
    if precedence > MOST_PRECEDENCE {
        check.invalid(path, precedence, format!("must not be greater than {MOST_PRECEDENCE}"));
    }
    if precedence == 1 && name != "exempt" {
        check.invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
    }
    if let Some(method) = maybe_object(spec, "distinguisherMethod") {
        let kind = text(method, "type");
        check.one_of("spec.distinguisherMethod.type", kind, &["ByNamespace", "ByUser"]);
    }
    let path = "spec.priorityLevelConfiguration.name";
    match text(object(spec, "priorityLevelConfiguration"), "name") {
        "" => check.required(path, "must reference a priority level"),
        level => check.faults(path, level, names::subdomain(level)),
    }
    for (index, rule) in objects(spec, "rules").enumerate() {
        rules(check, rule, &format!("spec.rules[{index}]"));
    }
    fixed(check, "FlowSchema", name, spec);
}

/// What every server has cannot be anything else.
fn fixed(check: &mut Check, kind: &str, name: &str, spec: &Json) {
    let Some(mut wanted) = defaults::mandatory(kind, name) else { return };
    let why = if (kind, name) == ("PriorityLevelConfiguration", "exempt") {
        wanted.insert("exempt".into(), spec.get("exempt").cloned().unwrap_or(Value::Null));
        "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value".to_owned()
    } else {
        format!("spec of '{name}' must equal the fixed value")
    };
    if wanted != *spec {
        check.invalid("spec", spec.clone(), why);
    }
}

fn rules(check: &mut Check, rule: &Json, path: &str) {
    if list(rule, "subjects").is_empty() {
        check.required(format!("{path}.subjects"), "subjects must contain at least one value");
    }
    for (index, subject) in objects(rule, "subjects").enumerate() {
        self::subject(check, subject, &format!("{path}.subjects[{index}]"));
    }
    if list(rule, "resourceRules").is_empty() && list(rule, "nonResourceRules").is_empty() {
        check.required(path, "at least one of resourceRules and nonResourceRules has to be non-empty");
    }
    for (index, rule) in objects(rule, "resourceRules").enumerate() {
        resources(check, rule, &format!("{path}.resourceRules[{index}]"));
    }
    for (index, rule) in objects(rule, "nonResourceRules").enumerate() {
        let path = format!("{path}.nonResourceRules[{index}]");
        verbs(check, rule, &path);
        some(check, rule, &path, "nonResourceURLs", "nonResourceURLs must contain at least one value");
        if both(check, rule, &path, "nonResourceURLs", "non-resource URLs") {
            continue;
        }
        for (index, url) in texts(rule, "nonResourceURLs").enumerate().filter(|(_, url)| *url != "*") {
            if let Some(why) = wrong_path(url) {
                check.invalid(format!("{path}.nonResourceURLs[{index}]"), url, why);
            }
        }
    }
}

fn subject(check: &mut Check, subject: &Json, path: &str) {
    const KINDS: [(&str, &str); 3] =
        [("ServiceAccount", "serviceAccount"), ("User", "user"), ("Group", "group")];
    let kind = text(subject, "kind");
    let Some((_, own)) = KINDS.iter().find(|(name, _)| *name == kind) else {
        return check.one_of(format!("{path}.kind"), kind, &["Group", "ServiceAccount", "User"]);
    };
    match maybe_object(subject, own) {
        None => check
            .required(format!("{path}.{own}"), &format!("{own} is required when subject kind is '{kind}'")),
        Some(named) => {
            let name = text(named, "name");
            if name.is_empty() {
                check.required(format!("{path}.{own}.name"), "");
            } else if kind == "ServiceAccount" && name != "*" {
                check.faults(format!("{path}.{own}.name"), name, names::subdomain(name));
            }
            if kind == "ServiceAccount" {
                let at = format!("{path}.{own}.namespace");
                match text(named, "namespace") {
                    "" => check.required(at, "must specify namespace for service account"),
                    namespace => check.faults(at, namespace, names::label(namespace)),
                }
            }
        }
    }
    for (other, field) in KINDS.iter().filter(|(name, field)| *name != kind && subject.contains_key(*field)) {
        let why = format!("{field} is forbidden when subject kind is not '{other}'");
        check.forbidden(format!("{path}.{field}"), why);
    }
}

fn some(check: &mut Check, rule: &Json, path: &str, name: &str, why: &str) {
    if list(rule, name).is_empty() {
        check.required(format!("{path}.{name}"), why);
    }
}

/// Whether all are meant and some are named: then there is no more to be said.
fn both(check: &mut Check, rule: &Json, path: &str, name: &str, what: &str) -> bool {
    let all = texts(rule, name).any(|item| item == "*");
    if all && list(rule, name).len() > 1 {
        let value = Value::from(list(rule, name).to_vec());
        let why = format!("if '*' is present, must not specify other {what}");
        check.invalid(format!("{path}.{name}"), value, why);
    }
    all
}

fn verbs(check: &mut Check, rule: &Json, path: &str) {
    some(check, rule, path, "verbs", "verbs must contain at least one value");
    let known = |verb: &str| VERBS.contains(&verb) || verb == "watch";
    if !both(check, rule, path, "verbs", "verbs") && !texts(rule, "verbs").all(known) {
        let mut supported = VERBS.to_vec();
        supported.push("watch");
        let value = Value::from(list(rule, "verbs").to_vec());
        check.push(bowline_merge::FieldError::not_supported(format!("{path}.verbs"), value, &supported));
    }
}

fn resources(check: &mut Check, rule: &Json, path: &str) {
    verbs(check, rule, path);
    some(check, rule, path, "apiGroups", "resource rules must supply at least one api group");
    both(check, rule, path, "apiGroups", "api groups");
    some(check, rule, path, "resources", "resource rules must supply at least one resource");
    both(check, rule, path, "resources", "resources");
    let clustered = rule.get("clusterScope").and_then(Value::as_bool) == Some(true);
    if list(rule, "namespaces").is_empty() && !clustered {
        let why = "resource rules that are not cluster scoped must supply at least one namespace";
        check.required(format!("{path}.namespaces"), why);
    } else if !both(check, rule, path, "namespaces", "namespaces") {
        for (index, namespace) in texts(rule, "namespaces").enumerate() {
            for fault in names::label(namespace) {
                let why = format!("each member of this list must be '*' or a DNS-1123 label; {fault}");
                check.invalid(format!("{path}.namespaces[{index}]"), namespace, why);
            }
        }
    }
}

fn wrong_path(path: &str) -> Option<&'static str> {
    let stars = path.matches('*').count();
    match path {
        "" => Some("must not be empty"),
        "/" => None,
        _ if !path.starts_with('/') => Some("must start with slash"),
        _ if path.contains(' ') => Some("must not contain white-space"),
        _ if path.contains("//") => Some("must not contain double slash"),
        _ if stars > 1 || stars == 1 && !path.ends_with("/*") => Some("wildcard can only do suffix matching"),
        _ => None,
    }
}

/// A priority level.
pub(super) fn level(check: &mut Check, json: &Json) {
    let (name, spec) = (text(object(json, "metadata"), "name"), object(json, "spec"));
    let kind = text(spec, "type");
    if (name == "exempt") != (kind == "Exempt") {
        check.invalid("spec.type", kind, "must be 'Exempt' if and only if `name` is 'exempt'");
    }
    match kind {
        "Exempt" => {
            if spec.contains_key("limited") {
                check.forbidden("spec.limited", "must be nil if the type is not Limited");
            }
            shares(check, object(spec, "exempt"), "spec.exempt");
        }
        "Limited" => {
            if spec.contains_key("exempt") {
                check.forbidden("spec.exempt", "must be nil if the type is Limited");
            }
            match maybe_object(spec, "limited") {
                None => check.required("spec.limited", "must not be empty when type is Limited"),
                Some(limited) => self::limited(check, limited),
            }
        }
        other => check.one_of("spec.type", other, &["Exempt", "Limited"]),
    }
    fixed(check, "PriorityLevelConfiguration", name, spec);
}

fn shares(check: &mut Check, holder: &Json, path: &str) {
    if let Some(shares) = number(holder, "nominalConcurrencyShares").filter(|shares| *shares < 0) {
        check.invalid(format!("{path}.nominalConcurrencyShares"), shares, "must be a non-negative integer");
    }
}

fn percent(check: &mut Check, holder: &Json, path: &str) {
    if let Some(percent) = number(holder, "lendablePercent").filter(|percent| !(0..=100).contains(percent)) {
        check.invalid(format!("{path}.lendablePercent"), percent, "must be between 0 and 100, inclusive");
    }
}

fn limited(check: &mut Check, limited: &Json) {
    shares(check, limited, "spec.limited");
    let response = object(limited, "limitResponse");
    let path = "spec.limited.limitResponse";
    match (text(response, "type"), maybe_object(response, "queuing")) {
        ("Reject", None) => {}
        ("Reject", Some(_)) => {
            check.forbidden(
                format!("{path}.queuing"),
                "must be nil if limited.limitResponse.type is not Limited",
            );
        }
        ("Queue", None) => {
            let why = "must not be empty if limited.limitResponse.type is Limited";
            check.required(format!("{path}.queuing"), why);
        }
        ("Queue", Some(queuing)) => self::queuing(check, queuing, &format!("{path}.queuing")),
        (other, _) => check.one_of(format!("{path}.type"), other, &["Queue", "Reject"]),
    }
    percent(check, limited, "spec.limited");
    if let Some(limit) = number(limited, "borrowingLimitPercent").filter(|limit| *limit < 0) {
        let why = "if specified, must be a non-negative integer";
        check.invalid("spec.limited.borrowingLimitPercent", limit, why);
    }
}

fn queuing(check: &mut Check, queuing: &Json, path: &str) {
    let of = |name: &str| number(queuing, name).unwrap_or(0);
    let (length, queues, hand) = (of("queueLengthLimit"), of("queues"), of("handSize"));
    if length <= 0 {
        check.invalid(format!("{path}.queueLengthLimit"), length, "must be positive");
    }
    if queues <= 0 {
        check.invalid(format!("{path}.queues"), queues, "must be positive");
    } else if queues > MOST_QUEUES {
        check.invalid(format!("{path}.queues"), queues, format!("must not be greater than {MOST_QUEUES}"));
    }
    let at = format!("{path}.handSize");
    if hand <= 0 {
        check.invalid(at, hand, "must be positive");
    } else if hand > queues {
        check.invalid(at, hand, format!("should not be greater than queues ({queues})"));
    } else if bits(queues, hand) > BITS {
        let why = format!(
            "required entropy bits of deckSize {queues} and handSize {hand} should not be greater than {BITS}"
        );
        check.invalid(at, hand, why);
    }
}

/// How many bits it takes to deal a hand.
fn bits(queues: i64, hand: i64) -> f64 {
    // Past this it is too many anyway.
    let cards = (0..hand.min(64)).map(|dealt| ((queues - dealt) as f64).log2());
    cards.sum::<f64>().ceil()
}
