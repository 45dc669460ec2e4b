//! What AWS takes for a document: what a policy allows, and who may assume a role.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::refusal::Refusal;

/// What a document is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// What is allowed.
    Permissions,
    /// Who may assume a role.
    Trust,
}

/// Longer ones are refused before they are read.
const LONGEST: usize = 131_072;

type Checked = Result<(), Refusal>;

/// Whether a document is one.
pub(super) fn check(text: &str, purpose: Purpose) -> Checked {
    if text.is_empty() || text.chars().count() > LONGEST {
        return Err(Refusal::validation(format!(
            "1 validation error detected: Value at 'policyDocument' failed to satisfy constraint: Member must have \
             length between 1 and {LONGEST}"
        )));
    }
    if !text.chars().all(|c| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{ff}')) {
        return Err(Refusal::validation(
            "1 validation error detected: Value at 'policyDocument' failed to satisfy constraint: Member must satisfy \
             regular expression pattern: [\\u0009\\u000A\\u000D\\u0020-\\u00FF]+",
        ));
    }
    let Ok(Value::Object(document)) = serde_json::from_str(text) else {
        return Err(match purpose {
            Purpose::Permissions => Refusal::malformed("Syntax errors in policy."),
            Purpose::Trust => Refusal::malformed("This policy contains invalid Json"),
        });
    };
    size(text, purpose)?;
    only(&document, &["Version", "Id", "Statement"])?;
    if document.get("Version").is_some_and(|version| version != "2012-10-17" && version != "2008-10-17") {
        return Err(Refusal::malformed("The policy must contain a valid version string"));
    }
    let statements = match document.get("Statement") {
        Some(Value::Array(statements)) if !statements.is_empty() => statements.iter().collect(),
        Some(one @ Value::Object(_)) => vec![one],
        _ => return Err(Refusal::malformed("Syntax errors in policy.")),
    };
    let mut ids = BTreeSet::new();
    statements.into_iter().try_for_each(|statement| check_statement(statement, purpose, &mut ids))
}

/// AWS does not count what stands between the words.
fn size(text: &str, purpose: Purpose) -> Checked {
    let (quota, most) = match purpose {
        Purpose::Permissions => ("PolicySize", 6144),
        Purpose::Trust => ("ACLSizePerRole", 2048),
    };
    let length = text.chars().filter(|c| !c.is_whitespace()).count();
    if length <= most {
        Ok(())
    } else {
        Err(Refusal::limit(format!("Cannot exceed quota for {quota}: {most}")))
    }
}

fn check_statement(statement: &Value, purpose: Purpose, ids: &mut BTreeSet<String>) -> Checked {
    let Value::Object(statement) = statement else {
        return Err(Refusal::malformed("Syntax errors in policy."));
    };
    only(
        statement,
        &[
            "Sid",
            "Effect",
            "Action",
            "NotAction",
            "Resource",
            "NotResource",
            "Principal",
            "NotPrincipal",
            "Condition",
        ],
    )?;
    if let Some(id) = statement.get("Sid") {
        let id = id.as_str().filter(|id| id.chars().all(|c| c.is_ascii_alphanumeric()));
        let id = id.ok_or_else(|| Refusal::malformed("Statement IDs (SID) must be alpha-numeric."))?;
        if !id.is_empty() && !ids.insert(id.to_owned()) {
            return Err(Refusal::malformed("Statement IDs (SID) in a single policy must be unique."));
        }
    }
    if !statement.get("Effect").is_some_and(|effect| effect == "Allow" || effect == "Deny") {
        return Err(Refusal::malformed("Syntax errors in policy."));
    }
    actions(statement)?;
    match purpose {
        Purpose::Permissions => resources(statement)?,
        Purpose::Trust => principals(statement)?,
    }
    statement.get("Condition").map_or(Ok(()), condition)
}

fn actions(statement: &Map<String, Value>) -> Checked {
    let actions = one_of(statement, "Action", "NotAction", "Policy statement must contain actions.")?;
    for action in actions {
        let is_action = action == "*"
            || action.split_once(':').is_some_and(|(vendor, name)| {
                let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
                !vendor.is_empty() && vendor.chars().all(plain) && !name.is_empty()
            });
        if !is_action {
            let message = "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.";
            return Err(Refusal::malformed(message));
        }
    }
    Ok(())
}

fn resources(statement: &Map<String, Value>) -> Checked {
    if statement.contains_key("Principal") || statement.contains_key("NotPrincipal") {
        return Err(Refusal::malformed("Policy document should not specify a principal."));
    }
    for resource in one_of(statement, "Resource", "NotResource", "Policy statement must contain resources.")?
    {
        let is_arn = resource.starts_with("arn:") && resource.splitn(6, ':').count() == 6;
        if resource != "*" && !is_arn {
            return Err(Refusal::malformed(format!("Resource {resource} must be in ARN format or \"*\".")));
        }
    }
    Ok(())
}

fn principals(statement: &Map<String, Value>) -> Checked {
    if statement.contains_key("Resource") || statement.contains_key("NotResource") {
        return Err(Refusal::malformed("Has prohibited field Resource"));
    }
    let principal = match statement.get("Principal") {
        Some(Value::String(anybody)) if anybody == "*" => return Ok(()),
        Some(Value::Object(principal)) => principal,
        _ => return Err(Refusal::malformed("Missing required field Principal")),
    };
    only(principal, &["AWS", "Federated", "Service", "CanonicalUser"])?;
    for federated in principal.get("Federated").map(strings).unwrap_or(Some(Vec::new())).unwrap_or_default() {
        if !federated.contains(":oidc-provider/") && !federated.contains(":saml-provider/") {
            return Err(Refusal::malformed(format!(
                "Invalid principal in policy: \"Federated\":\"{federated}\""
            )));
        }
    }
    if principal.is_empty() { Err(Refusal::malformed("Missing required field Principal")) } else { Ok(()) }
}

fn condition(condition: &Value) -> Checked {
    let wrong = || Refusal::malformed("Syntax errors in policy.");
    for (operator, keys) in condition.as_object().ok_or_else(wrong)? {
        let plain = operator.trim_start_matches("ForAllValues:").trim_start_matches("ForAnyValue:");
        let plain = plain.trim_end_matches("IfExists");
        let kinds =
            ["String", "Numeric", "Date", "Bool", "BinaryEquals", "IpAddress", "NotIpAddress", "Arn", "Null"];
        if !kinds.iter().any(|kind| plain.starts_with(kind)) {
            return Err(Refusal::malformed(format!("Invalid Condition type : {operator}.")));
        }
        for values in keys.as_object().ok_or_else(wrong)?.values() {
            let is_value = |value: &Value| value.is_string() || value.is_boolean() || value.is_number();
            if !is_value(values) && !values.as_array().is_some_and(|values| values.iter().all(is_value)) {
                return Err(wrong());
            }
        }
    }
    Ok(())
}

/// One field or the other, not both: a text, or texts.
fn one_of<'a>(
    statement: &'a Map<String, Value>,
    field: &str,
    not_field: &str,
    missing: &str,
) -> Result<Vec<&'a str>, Refusal> {
    match (statement.get(field), statement.get(not_field)) {
        (Some(value), None) | (None, Some(value)) => {
            let texts = strings(value).ok_or_else(|| Refusal::malformed("Syntax errors in policy."))?;
            if texts.is_empty() { Err(Refusal::malformed(missing)) } else { Ok(texts) }
        }
        (None, None) => Err(Refusal::malformed(missing)),
        (Some(_), Some(_)) => Err(Refusal::malformed("Syntax errors in policy.")),
    }
}

/// A text, or texts.
pub(super) fn strings(value: &Value) -> Option<Vec<&str>> {
    match value {
        Value::String(text) => Some(vec![text]),
        Value::Array(texts) => texts.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

fn only(object: &Map<String, Value>, known: &[&str]) -> Checked {
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(_) => Err(Refusal::malformed("Syntax errors in policy.")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
