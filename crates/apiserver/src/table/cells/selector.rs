//! Labels and selectors, as people write them.

use serde_json::Value;

/// `a=b,c=d`, or `<none>`.
pub(super) fn labels(labels: Option<&Value>) -> String {
    or_none(equals(labels).join(","))
}

/// A `LabelSelector`, or `<none>` for one that selects everything or nothing.
pub(super) fn format(selector: Option<&Value>) -> String {
    plain(selector).map_or_else(|| "<error>".to_owned(), or_none)
}

/// A `LabelSelector`; `None` if it makes no sense.
pub(super) fn plain(selector: Option<&Value>) -> Option<String> {
    let Some(selector) = selector else { return Some(String::new()) };
    let mut requirements: Vec<_> = equals(selector.get("matchLabels"))
        .into_iter()
        .map(|text| (key_of(&text).to_owned(), text))
        .collect();
    for expression in selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten() {
        let key = expression.get("key").and_then(Value::as_str).unwrap_or_default();
        let values = expression.get("values").and_then(Value::as_array).into_iter().flatten();
        let mut values: Vec<_> = values.filter_map(Value::as_str).collect();
        values.sort_unstable();
        let values = values.join(",");
        let text = match expression.get("operator").and_then(Value::as_str)? {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "Exists" => key.to_owned(),
            "DoesNotExist" => format!("!{key}"),
            _ => return None,
        };
        requirements.push((key.to_owned(), text));
    }
    requirements.sort_by(|(a, _), (b, _)| a.cmp(b));
    let texts: Vec<_> = requirements.into_iter().map(|(_, text)| text).collect();
    Some(texts.join(","))
}

fn equals(labels: Option<&Value>) -> Vec<String> {
    let labels = labels.and_then(Value::as_object).into_iter().flatten();
    labels.map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default())).collect()
}

fn key_of(text: &str) -> &str {
    text.split('=').next().unwrap_or(text)
}

fn or_none(text: String) -> String {
    if text.is_empty() { "<none>".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn selectors_are_sorted_by_their_keys() {
        let selector = json!({
            "matchLabels": {"b": "1"},
            "matchExpressions": [
                {"key": "c", "operator": "In", "values": ["y", "x"]},
                {"key": "a", "operator": "DoesNotExist"},
            ],
        });
        assert_eq!(super::format(Some(&selector)), "!a,b=1,c in (x,y)");
        assert_eq!(super::format(Some(&json!({}))), "<none>");
        assert_eq!(
            super::format(Some(&json!({"matchExpressions": [{"key": "a", "operator": "X"}]}))),
            "<error>"
        );
    }
}
