//! The fields of kinds as a page for people: what `kubectl explain` says, of all at once.

use serde_json::{Map, Value};

/// The page of these definitions.
pub(super) fn page(definitions: &[Value]) -> String {
    let head = "# The fields\n\nOf all kinds, as `bowline crds -o markdown` prints them. What each kind is for stands in [kinds.md](kinds.md). \
                Fields with a * are required. `metadata` is Kubernetes' own.\n";
    let kinds = definitions.iter().filter_map(kind);
    std::iter::once(head.to_owned()).chain(kinds).collect::<Vec<_>>().join("\n")
}

fn kind(definition: &Value) -> Option<String> {
    let names = &definition["spec"]["names"];
    let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let short = names["shortNames"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let short: Vec<_> = short.map(|name| format!("`{name}`")).collect();
    let short = if short.is_empty() { String::new() } else { format!(", short {}", short.join(" and ")) };
    let mut text = format!(
        "## {}\n\n{} ({}{short})\n",
        names["kind"].as_str()?,
        cell(&described(schema)),
        definition["spec"]["scope"].as_str()?.to_lowercase(),
    );
    for part in ["spec", "status"] {
        let rows = rows(schema["properties"].get(part)?, part);
        text += &format!("\n| `{part}` | type | what it is |\n| --- | --- | --- |\n{rows}");
    }
    Some(text)
}

/// A row for each field below this one, in the order of the schema.
fn rows(schema: &Value, path: &str) -> String {
    let required: Vec<_> = schema["required"].as_array().into_iter().flatten().collect();
    let fields = schema["properties"].as_object().into_iter().flatten();
    fields
        .map(|(name, field)| {
            let star = if required.iter().any(|required| *required == name) { "*" } else { "" };
            let (kind, inner) = unwrapped(field);
            let below = format!("{path}.{name}{}", suffix(field));
            let shown = below.split_once('.').map_or(&*below, |(_, inside)| inside);
            format!("| `{shown}`{star} | {kind} | {} |\n{}", cell(&told(field)), rows(inner, &below))
        })
        .collect()
}

/// What tells a list or a map from one.
fn suffix(field: &Value) -> &'static str {
    match field["type"].as_str() {
        Some("array") => "[]",
        Some("object") if field.get("additionalProperties").is_some() => "{}",
        _ => "",
    }
}

/// The type of a field, and the schema of what it consists of.
fn unwrapped(field: &Value) -> (String, &Value) {
    match field["type"].as_str() {
        Some("array") => {
            let (kind, below) = unwrapped(&field["items"]);
            (format!("list of {kind}"), below)
        }
        Some("object") if field["additionalProperties"].is_object() => {
            let (kind, below) = unwrapped(&field["additionalProperties"]);
            (format!("map of {kind}"), below)
        }
        Some(kind) => (kind.to_owned(), field),
        None if field["x-kubernetes-int-or-string"] == true => ("number or string".to_owned(), field),
        None => ("anything".to_owned(), field),
    }
}

/// What it is for, what may stand there, and what does if nothing is said.
fn told(field: &Value) -> String {
    let mut told = vec![described(field)];
    let values = field["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let values: Vec<_> = values.map(|value| format!("`{value}`")).collect();
    if !values.is_empty() {
        told.push(format!("One of {}.", values.join(", ")));
    }
    let empty = Map::new();
    let bounds = field.as_object().unwrap_or(&empty);
    let bound = |key: &str, words: &str| bounds.get(key).map(|value| format!("{words} {value}"));
    let bounds: Vec<_> = [
        bound("minimum", "at least"),
        bound("maximum", "at most"),
        bound("minLength", "length at least"),
        bound("maxLength", "length at most"),
        bound("minItems", "items at least"),
        bound("maxItems", "items at most"),
        bound("maxProperties", "entries at most"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !bounds.is_empty() {
        told.push(format!("Bounds: {}.", bounds.join(", ")));
    }
    if let Some(default) = field.get("default") {
        told.push(format!("Default: `{default}`."));
    }
    let rules = field["x-kubernetes-validations"].as_array().into_iter().flatten();
    told.extend(rules.filter_map(|rule| rule["message"].as_str()).map(|rule| format!("Rule: {rule}.")));
    told.retain(|text| !text.is_empty());
    told.join(" ")
}

fn described(schema: &Value) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    crate::output::sentence(text.trim()).trim_start_matches('.').to_owned()
}

/// A text that fits into a cell of a table.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_field_has_a_row_with_what_may_stand_there() {
        let schema = json!({"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string", "description": "What it\nis called", "maxLength": 63},
            "mode": {"type": "string", "enum": ["A", "B"], "default": "A"},
            "parts": {"type": "array", "maxItems": 3, "items": {"type": "object", "properties": {"size": {"type": "integer", "minimum": 1}}}},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}, "description": "a | b"},
        }});
        let expected = "\
| `labels{}` | map of string | a \\| b. |
| `mode` | string | One of `A`, `B`. Default: `\"A\"`. |
| `name`* | string | What it is called. Bounds: length at most 63. |
| `parts[]` | list of object | Bounds: items at most 3. |
| `parts[].size` | integer | Bounds: at least 1. |
";
        assert_eq!(rows(&schema, "spec"), expected);
    }
}
