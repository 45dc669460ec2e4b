//! Schemas that are refused, and why.

use serde_json::{Value, json};

use super::*;

fn found(schema: &Value) -> Vec<String> {
    check(schema, &FieldPath::Root.field("s")).iter().map(ToString::to_string).collect()
}

/// The schema of a field `f`.
fn field(schema: &Value) -> Vec<String> {
    found(&json!({"type": "object", "properties": {"f": schema}}))
}

#[test]
fn a_good_one_is_let_pass() {
    let good = json!({"type": "object", "properties": {
        "metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 5}}},
        "spec": {"type": "object", "required": ["a"], "properties": {
            "a": {"type": "string", "default": "x", "pattern": "^x$"},
            "port": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]},
            "list": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}}}},
            "any": {"x-kubernetes-preserve-unknown-fields": true},
        }, "anyOf": [{"required": ["a"]}, {"properties": {"a": {"minLength": 1}}}]},
    }});
    assert_eq!(found(&good), Vec::<String>::new());
}

#[test]
fn roots_that_are_refused() {
    assert_eq!(found(&json!({})), ["s.type: Required value: must not be empty at the root"]);
    assert_eq!(
        found(&json!({"type": "string"})),
        ["s.type: Invalid value: \"string\": must be object at the root"]
    );
    assert_eq!(
        found(&json!({"type": "object", "nullable": true})),
        ["s.nullable: Forbidden: nullable cannot be true at the root"]
    );
    let metadata = json!({"type": "object", "properties": {"labels": {"type": "object"}}});
    assert_eq!(
        found(&json!({"type": "object", "properties": {"metadata": metadata}})),
        [
            "s.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but \
            metadata is implicitly specified"
        ]
    );
}

#[test]
fn fields_that_are_refused() {
    for (schema, expected) in [
        (json!({}), ".type: Required value: must not be empty for specified object fields"),
        (json!({"type": "array"}), ".items: Required value: must be specified"),
        (
            json!({"type": "array", "items": {}}),
            ".items.type: Required value: must not be empty for specified array items",
        ),
        (
            json!({"type": "string", "anyOf": [{"type": "string"}]}),
            ".anyOf[0].type: Forbidden: must be empty to be structural",
        ),
        (
            json!({"type": "string", "pattern": "("}),
            ".pattern: Invalid value: \"(\": must be a valid regular expression, but isn't: error parsing regexp: \
                missing closing ): `(`",
        ),
        (
            json!({"type": "array", "uniqueItems": true, "items": {"type": "string"}}),
            ".uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}}),
            ".additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
        ),
        (
            json!({"type": "string", "default": 1}),
            ".default: Invalid value: \"integer\":  in body must be of type string: \"integer\"",
        ),
        (
            json!({"type": "object", "default": {"x": 1}, "properties": {"a": {"type": "string"}}}),
            ".default: Invalid value: {\"x\":1}: must not have unknown fields",
        ),
        (
            json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object", "properties": {"k": {"type": "string"}}}}),
            ".items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it \
                must have a default or be a required property",
        ),
        (
            json!({"type": "string", "x-kubernetes-validations": [{"rule": " "}]}),
            ".x-kubernetes-validations[0].rule: Required value: rule is not specified",
        ),
        (
            json!({"type": "object", "x-kubernetes-preserve-unknown-fields": false}),
            ".x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined",
        ),
        (
            json!({"type": "object", "x-kubernetes-embedded-resource": true}),
            ".properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without \
                x-kubernetes-preserve-unknown-fields",
        ),
    ] {
        assert_eq!(field(&schema), [format!("s.properties[f]{expected}")], "{schema}");
    }
}

/// Only at the root, as in Kubernetes: below, what is not described is not seen.
#[test]
fn what_combined_schemas_look_at_is_described() {
    let combined = json!([{"properties": {"b": {"minimum": 1}}}]);
    assert_eq!(
        found(&json!({"type": "object", "oneOf": combined})),
        ["s.properties[b]: Required value: because it is defined in s.oneOf[0].properties[b]"]
    );
    assert_eq!(field(&json!({"type": "object", "oneOf": combined})), Vec::<String>::new());
}

#[test]
fn defaults_have_no_place_in_metadata() {
    let metadata = json!({"type": "object", "properties": {"name": {"type": "string", "default": "x"}}});
    assert_eq!(
        found(&json!({"type": "object", "properties": {"metadata": metadata}})),
        ["s.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata"]
    );
}
