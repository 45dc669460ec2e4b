//! The names of a kind.

use bowline_merge::FieldError;
use serde_json::Value;

use super::text;
use crate::metadata::names::{label_1035, subdomain};

/// What is wrong with a label, in one text.
pub(super) fn label_fault(label: &str) -> Option<String> {
    Some(label_1035(label).join(",")).filter(|faults| !faults.is_empty())
}

pub(super) fn group(group: &str, errors: &mut Vec<FieldError>) {
    const AT: &str = "spec.group";
    if group.is_empty() {
        errors.push(FieldError::required(AT, ""));
    } else if let faults = subdomain(group)
        && !faults.is_empty()
    {
        errors.push(FieldError::invalid(AT, group, faults.join(",")));
    } else if !group.contains('.') {
        errors.push(FieldError::invalid(AT, group, "should be a domain with at least one dot"));
    }
}

/// Checks the names that are there, at a path.
pub(super) fn check(names: &Value, at: &str, errors: &mut Vec<FieldError>) {
    let Some(names) = names.as_object() else { return };
    for field in ["plural", "singular"] {
        let name = text(names, field);
        if let Some(fault) = label_fault(name).filter(|_| !name.is_empty()) {
            errors.push(FieldError::invalid(format!("{at}.{field}"), name, fault));
        }
    }
    for field in ["kind", "listKind"] {
        let name = text(names, field);
        if let Some(fault) = label_fault(&name.to_lowercase()).filter(|_| !name.is_empty()) {
            let fault = format!("may have mixed case, but should otherwise match: {fault}");
            errors.push(FieldError::invalid(format!("{at}.{field}"), name, fault));
        }
    }
    labels(names.get("shortNames"), &format!("{at}.shortNames"), errors);
    let (kind, list) = (text(names, "kind"), text(names, "listKind"));
    if !kind.is_empty() && kind == list {
        let why = "kind and listKind may not be the same";
        errors.push(FieldError::invalid(format!("{at}.listKind"), list, why));
    }
    labels(names.get("categories"), &format!("{at}.categories"), errors);
}

fn labels(names: Option<&Value>, at: &str, errors: &mut Vec<FieldError>) {
    for (index, name) in names.and_then(Value::as_array).into_iter().flatten().enumerate() {
        let name = name.as_str().unwrap_or_default();
        if let Some(fault) = label_fault(name) {
            errors.push(FieldError::invalid(format!("{at}[{index}]"), name, fault));
        }
    }
}
