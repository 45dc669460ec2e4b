//! Selectors of labels.

use serde_json::Value;

use super::check::Check;
use crate::builtin::fields::{list, object, objects, text, texts};
use crate::document::Json;
use crate::metadata::{self, names};

/// What is wrong with a selector of labels, if there is one.
pub(super) fn labels(check: &mut Check, selector: Option<&Value>, path: &str) {
    let Some(selector) = selector.and_then(Value::as_object) else { return };
    check.extend(metadata::labels(selector.get("matchLabels"), &format!("{path}.matchLabels")));
    for (index, requirement) in objects(selector, "matchExpressions").enumerate() {
        let path = format!("{path}.matchExpressions[{index}]");
        let operator = text(requirement, "operator");
        count(check, operator, list(requirement, "values").len(), &path);
        key_and_values(check, requirement, &path, true);
    }
}

/// What is wrong with the number of values that an operator has.
pub(super) fn count(check: &mut Check, operator: &str, given: usize, path: &str) {
    match operator {
        "In" | "NotIn" if given == 0 => {
            let why = "must be specified when `operator` is 'In' or 'NotIn'";
            check.required(format!("{path}.values"), why);
        }
        "Exists" | "DoesNotExist" if given > 0 => {
            let why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            check.forbidden(format!("{path}.values"), why);
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        _ => check.invalid(format!("{path}.operator"), operator, "not a valid selector operator"),
    }
}

/// What is wrong with the key and the values of a requirement.
pub(super) fn key_and_values(check: &mut Check, requirement: &Json, path: &str, values: bool) {
    let key = text(requirement, "key");
    check.faults(format!("{path}.key"), key, names::qualified(key));
    if values {
        for (index, value) in texts(requirement, "values").enumerate() {
            check.faults(format!("{path}.values[{index}]"), value, names::label_value(value));
        }
    }
}

/// Whether nothing is required.
pub(super) fn is_empty(selector: &Json) -> bool {
    object(selector, "matchLabels").is_empty() && list(selector, "matchExpressions").is_empty()
}

/// Whether a selector selects these labels; `None` if it makes no sense. One that is not there selects nothing.
pub(in crate::builtin) fn matches(selector: Option<&Value>, labels: &Json) -> Option<bool> {
    let Some(selector) = selector.and_then(Value::as_object) else { return Some(false) };
    let mut all = object(selector, "matchLabels").iter().all(|(key, value)| labels.get(key) == Some(value));
    for requirement in objects(selector, "matchExpressions") {
        let value = labels.get(text(requirement, "key"));
        let values = list(requirement, "values");
        let listed = value.is_some_and(|value| values.contains(value));
        all &= match (text(requirement, "operator"), values.is_empty()) {
            ("In", false) => listed,
            ("NotIn", false) => !listed,
            ("Exists", true) => value.is_some(),
            ("DoesNotExist", true) => value.is_none(),
            _ => return None,
        };
    }
    Some(all)
}
