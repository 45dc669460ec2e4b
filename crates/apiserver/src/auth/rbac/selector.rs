//! Label selectors as objects have them: `matchLabels` and `matchExpressions`.

use serde_json::Value;

use crate::auth::causes::{Causes, text, texts};
use crate::auth::names;

/// Whether labels match. A selector that makes no sense matches nothing.
pub(super) fn matches<'a>(selector: &Value, label: impl Fn(&str) -> Option<&'a str>) -> bool {
    let equal = selector.get("matchLabels").and_then(Value::as_object).into_iter().flatten();
    let mut equal = equal.map(|(key, value)| value.as_str().is_some_and(|value| label(key) == Some(value)));
    equal.all(|is| is) && expressions(selector).iter().all(|expression| holds(expression, &label))
}

fn expressions(selector: &Value) -> &[Value] {
    selector.get("matchExpressions").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn holds<'a>(expression: &Value, label: impl Fn(&str) -> Option<&'a str>) -> bool {
    let found = label(text(expression, "key"));
    let listed = || found.is_some_and(|found| texts(expression, "values").iter().any(|value| value == found));
    match text(expression, "operator") {
        "In" => listed(),
        "NotIn" => !listed(),
        "Exists" => found.is_some(),
        "DoesNotExist" => found.is_none(),
        _ => false,
    }
}

/// What is wrong with a selector.
pub(super) fn check(selector: &Value, field: &str, causes: &mut Causes) {
    let mut broken = false;
    for (key, value) in selector.get("matchLabels").and_then(Value::as_object).into_iter().flatten() {
        let field = format!("{field}.matchLabels");
        for why in names::qualified(key) {
            broken = true;
            causes.invalid_text(&field, key, &why);
        }
        let value = value.as_str().unwrap_or_default();
        for why in names::label_value(value) {
            broken = true;
            causes.invalid_text(&field, value, &why);
        }
    }
    for (index, expression) in expressions(selector).iter().enumerate() {
        let field = format!("{field}.matchExpressions[{index}]");
        broken |= check_requirement(expression, &field, false, causes);
    }
    if broken {
        causes.invalid(field, "null", "invalid label selector.");
    }
}

/// What is wrong with a requirement on labels; whether it cannot be used at all.
pub(in crate::auth) fn check_requirement(
    requirement: &Value,
    field: &str,
    allow_unknown: bool,
    causes: &mut Causes,
) -> bool {
    let values = texts(requirement, "values");
    let mut broken = check_operator(requirement, &values, field, allow_unknown, causes);
    let key = text(requirement, "key");
    for why in names::qualified(key) {
        broken = true;
        causes.invalid_text(format!("{field}.key"), key, &why);
    }
    for (index, value) in values.iter().enumerate() {
        for why in names::label_value(value) {
            broken = true;
            causes.invalid_text(format!("{field}.values[{index}]"), value, &why);
        }
    }
    broken
}

/// What is wrong with an operator and the number of its values.
pub(in crate::auth) fn check_operator(
    requirement: &Value,
    values: &[String],
    field: &str,
    allow_unknown: bool,
    causes: &mut Causes,
) -> bool {
    let operator = text(requirement, "operator");
    match operator {
        "In" | "NotIn" if values.is_empty() => {
            causes
                .required(format!("{field}.values"), "must be specified when `operator` is 'In' or 'NotIn'");
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            causes.forbidden(
                format!("{field}.values"),
                "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            );
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => return false,
        _ if allow_unknown => return false,
        _ => causes.invalid_text(format!("{field}.operator"), operator, "not a valid selector operator"),
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn selectors_match_labels() {
        let labels = |key: &str| match key {
            "a" => Some("1"),
            "b" => Some(""),
            _ => None,
        };
        for (selector, expected) in [
            (json!({}), true),
            (json!({"matchLabels": {"a": "1"}}), true),
            (json!({"matchLabels": {"a": "1", "b": "x"}}), false),
            (json!({"matchLabels": {"c": ""}}), false),
            (json!({"matchExpressions": [{"key": "a", "operator": "In", "values": ["0", "1"]}]}), true),
            (json!({"matchExpressions": [{"key": "c", "operator": "NotIn", "values": ["1"]}]}), true),
            (json!({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["1"]}]}), false),
            (json!({"matchExpressions": [{"key": "b", "operator": "Exists"}]}), true),
            (json!({"matchExpressions": [{"key": "b", "operator": "DoesNotExist"}]}), false),
            (json!({"matchExpressions": [{"key": "b", "operator": "Foo"}]}), false),
        ] {
            assert_eq!(matches(&selector, labels), expected, "{selector}");
        }
    }
}
