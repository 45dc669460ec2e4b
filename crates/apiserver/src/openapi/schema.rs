//! Schemas, from the form of the table to that of each version of OpenAPI.
//!
//! In the table a reference is a bare name, and stands beside what else is said.

use serde_json::{Map, Value, json};

/// Applies `convert` to all schemas in a schema, and what is left to the schema itself.
fn inside(schema: &Value, convert: &dyn Fn(&Value) -> Value) -> Map<String, Value> {
    let fields = schema.as_object().into_iter().flatten();
    let convert_field = |(name, value): (&String, &Value)| {
        let value = match (name.as_str(), value) {
            ("properties" | "patternProperties", Value::Object(all)) => {
                all.iter().map(|(name, schema)| (name.clone(), convert(schema))).collect()
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(all)) => all.iter().map(convert).collect(),
            ("items" | "additionalProperties" | "not", Value::Object(_)) => convert(value),
            _ => value.clone(),
        };
        (name.clone(), value)
    };
    fields.map(convert_field).collect()
}

/// As a component of version 3: what stands beside a reference must not, so the reference is put inside.
pub(super) fn v3(schema: &Value) -> Value {
    let mut fields = inside(schema, &v3);
    if let Some(Value::String(name)) = fields.remove("$ref") {
        let reference = json!({"$ref": format!("#/components/schemas/{name}")});
        if fields.is_empty() {
            return reference;
        }
        fields.insert("allOf".into(), json!([reference]));
    }
    Value::Object(fields)
}

/// As a definition of version 2, which has neither defaults nor alternatives.
pub(super) fn v2(schema: &Value) -> Value {
    let mut fields = inside(schema, &v2);
    let had_choice = fields.contains_key("oneOf");
    for name in ["default", "allOf", "anyOf", "oneOf", "not", "patternProperties"] {
        fields.remove(name);
    }
    // A quantity, or a port: the only built-in schemas with alternatives.
    if had_choice && !fields.contains_key("type") {
        fields.insert("type".into(), "string".into());
    }
    // What version 2 cannot say is not said: it must accept all that is valid.
    let is_true = |name: &str| fields.get(name) == Some(&Value::Bool(true));
    let is_open = is_true("x-kubernetes-preserve-unknown-fields") && !fields.contains_key(ROOT);
    if is_open || is_true("nullable") || is_true("x-kubernetes-int-or-string") {
        for name in ["type", "properties", "items", "additionalProperties", "required", "nullable"] {
            fields.remove(name);
        }
    }
    if let Some(Value::String(name)) = fields.get_mut("$ref") {
        *name = format!("#/definitions/{name}");
    }
    Value::Object(fields)
}

const ROOT: &str = "x-kubernetes-group-version-kind";

/// The names that a schema refers to.
pub(super) fn references(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(reference) if name == "$ref" => found.push(reference.clone()),
                    _ => references(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_says_it_in_its_way() {
        let check = |schema: Value, third: Value, second: Value| {
            assert_eq!(v3(&schema), third);
            assert_eq!(v2(&schema), second);
        };
        check(
            json!({"$ref": "a.B"}),
            json!({"$ref": "#/components/schemas/a.B"}),
            json!({"$ref": "#/definitions/a.B"}),
        );
        check(
            json!({"properties": {"default": {"$ref": "a.B", "default": {}, "description": "d"}}}),
            json!({"properties": {"default": {
                "allOf": [{"$ref": "#/components/schemas/a.B"}], "default": {}, "description": "d"}}}),
            json!({"properties": {"default": {"$ref": "#/definitions/a.B", "description": "d"}}}),
        );
        let port = json!({"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]});
        check(port.clone(), port, json!({"format": "int-or-string", "type": "string"}));
        let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        check(open.clone(), open, json!({"x-kubernetes-preserve-unknown-fields": true}));
    }
}
