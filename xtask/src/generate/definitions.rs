//! The schemas of all kinds, from the server's OpenAPI.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value};

const PREFIX: &str = "#/components/schemas/";
/// What a schema may say. Anything else is new: it is to be looked at, not to be lost.
const KNOWN: &[&str] = &[
    "$ref",
    "additionalProperties",
    "default",
    "description",
    "enum",
    "format",
    "items",
    "oneOf",
    "properties",
    "required",
    "type",
    "x-kubernetes-group-version-kind",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-patch-merge-key",
    "x-kubernetes-patch-strategy",
    "x-kubernetes-unions",
];

/// All definitions by name. Each group's document has those that it needs: where two have the same, they
/// have to agree.
pub(super) fn all(get: &dyn Fn(&str) -> Result<Value>) -> Result<BTreeMap<String, Value>> {
    let root = get("/openapi/v3")?;
    let mut all = BTreeMap::new();
    for (path, entry) in root["paths"].as_object().context("/openapi/v3 has no paths")? {
        let url = entry["serverRelativeURL"].as_str().with_context(|| format!("{path} has no URL"))?;
        let document = get(url)?;
        for (name, schema) in document["components"]["schemas"].as_object().into_iter().flatten() {
            let definition = simple(schema).with_context(|| format!("{name} of {path}"))?;
            let known = all.entry(name.clone()).or_insert_with(|| definition.clone());
            ensure!(*known == definition, "{name} is another one in {path}");
        }
    }
    Ok(all)
}

/// A reference is a bare name and stands beside what is said about it, not in an `allOf` of one.
fn simple(schema: &Value) -> Result<Value> {
    let mut result = Map::new();
    for (key, value) in schema.as_object().context("a schema is no object")? {
        let (key, value) = match key.as_str() {
            "allOf" => {
                let [only] = value.as_array().map(Vec::as_slice).unwrap_or_default() else {
                    anyhow::bail!("an allOf of several")
                };
                ("$ref", reference(only.get("$ref").context("an allOf of no reference")?)?)
            }
            "$ref" => ("$ref", reference(value)?),
            "properties" => {
                let each = value.as_object().into_iter().flatten();
                let each = each.map(|(name, schema)| Ok((name.clone(), simple(schema)?)));
                ("properties", Value::Object(each.collect::<Result<_>>()?))
            }
            "items" => ("items", simple(value)?),
            "additionalProperties" if value.is_object() => ("additionalProperties", simple(value)?),
            other => (other, value.clone()),
        };
        ensure!(KNOWN.contains(&key), "`{key}` is new");
        result.insert(key.to_owned(), value);
    }
    Ok(Value::Object(result))
}

fn reference(value: &Value) -> Result<Value> {
    let name = value.as_str().and_then(|text| text.strip_prefix(PREFIX));
    name.map(Value::from).with_context(|| format!("{value} refers to something else"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_are_bare_names_beside_their_defaults() -> Result<()> {
        let schema = json!({"type": "object", "properties": {
            "a": {"allOf": [{"$ref": "#/components/schemas/x.Y"}], "default": {}},
            "b": {"type": "array", "items": {"$ref": "#/components/schemas/x.Z"}, "x-kubernetes-list-type": "atomic"},
            "properties": {"additionalProperties": {"type": "string"}},
        }});
        let expected = json!({"type": "object", "properties": {
            "a": {"$ref": "x.Y", "default": {}},
            "b": {"type": "array", "items": {"$ref": "x.Z"}, "x-kubernetes-list-type": "atomic"},
            "properties": {"additionalProperties": {"type": "string"}},
        }});
        assert_eq!(simple(&schema)?, expected);
        Ok(())
    }

    #[test]
    fn what_is_not_understood_is_not_passed_over() {
        for bad in [
            json!({"x-kubernetes-new": true}),
            json!({"allOf": [{"type": "string"}]}),
            json!({"$ref": "elsewhere.json"}),
            json!({"items": {"anyOf": []}}),
        ] {
            assert!(simple(&bad).is_err(), "{bad}");
        }
    }
}
