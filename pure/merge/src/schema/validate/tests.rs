//! What the validator says.

use serde_json::{Value, json};

use super::*;

fn found(schema: &Value, value: &Value) -> Vec<String> {
    check(&FieldPath::Root, &Node::parse(&json!({"properties": {"x": schema}})), &json!({"x": value}), None)
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn types() {
    for (schema, good, bad, expected) in [
        (json!({"type": "string"}), json!("a"), json!(1), "must be of type string: \"integer\""),
        (json!({"type": "integer"}), json!(1.0), json!(1.5), "must be of type integer: \"number\""),
        (json!({"type": "number"}), json!(1), json!(true), "must be of type number: \"boolean\""),
        (json!({"type": "object"}), json!({}), json!([]), "must be of type object: \"array\""),
        (json!({"type": "array"}), json!([]), json!({}), "must be of type array: \"object\""),
        (
            json!({"x-kubernetes-int-or-string": true}),
            json!("a"),
            json!(true),
            "must be of type integer,string: \"boolean\"",
        ),
        (
            json!({"type": "string", "nullable": true}),
            json!(null),
            json!(1),
            "must be of type string: \"integer\"",
        ),
        (
            json!({"type": "string", "format": "date"}),
            json!("2024-01-01"),
            json!("x"),
            "must be of type date: \"x\"",
        ),
        (
            json!({"type": "string", "format": "odd"}),
            json!("x"),
            json!(1),
            "must be of type string: \"integer\"",
        ),
    ] {
        assert_eq!(found(&schema, &good), Vec::<String>::new(), "{schema} {good}");
        let errors = found(&schema, &bad);
        let shown = expected.rsplit(": ").next().unwrap();
        assert_eq!(errors, [format!("x: Invalid value: {shown}: x in body {expected}")], "{schema} {bad}");
    }
}

#[test]
fn bounds() {
    for (schema, value, expected) in [
        (json!({"maxLength": 2}), json!("abc"), "x: Too long: may not be more than 2 bytes"),
        (
            json!({"minLength": 2}),
            json!("a"),
            "x: Invalid value: \"a\": x in body should be at least 2 chars long",
        ),
        (json!({"pattern": "^a+$"}), json!("b"), "x: Invalid value: \"b\": x in body should match '^a+$'"),
        (json!({"maximum": 5}), json!(6), "x: Invalid value: 6: x in body should be less than or equal to 5"),
        (
            json!({"maximum": 5, "exclusiveMaximum": true}),
            json!(5),
            "x: Invalid value: 5: x in body should be less than 5",
        ),
        (
            json!({"minimum": 1.5}),
            json!(1.25),
            "x: Invalid value: 1.25: x in body should be greater than or equal to 1.5",
        ),
        (json!({"multipleOf": 2}), json!(3), "x: Invalid value: 3: x in body should be a multiple of 2"),
        (json!({"maxItems": 1}), json!([1, 2]), "x: Too many: 2: must have at most 1 item"),
        (json!({"minItems": 1}), json!([]), "x: Invalid value: 0: x in body should have at least 1 items"),
        (json!({"maxProperties": 0}), json!({"a": 1}), "x: Too many: 1: must have at most 0 items"),
        (
            json!({"minProperties": 1}),
            json!({}),
            "x: Invalid value: 0: x in body should have at least 1 properties",
        ),
        (json!({"required": ["a"]}), json!({}), "x.a: Required value"),
        (
            json!({"enum": ["a", 1]}),
            json!("b"),
            "x: Unsupported value: \"b\": supported values: \"a\", \"1\"",
        ),
        (
            json!({"uniqueItems": true}),
            json!([1, 1]),
            "x: Invalid value: \"\": x in body shouldn't contain duplicates",
        ),
    ] {
        assert_eq!(found(&schema, &value), [expected], "{schema} {value}");
    }
}

#[test]
fn combinations() {
    let schema = json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
    assert_eq!(found(&schema, &json!({"b": 1})).len(), 0);
    assert_eq!(
        found(&schema, &json!({})),
        [
            "<nil>: Invalid value: \"\": \"x\" must validate at least one schema (anyOf)",
            "x.a: Required value"
        ]
    );
    let schema = json!({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]});
    assert_eq!(
        found(&schema, &json!({"a": 1, "b": 1})),
        [
            "<nil>: Invalid value: \"\": \"x\" must validate one and only one schema (oneOf). Found 2 valid alternatives"
        ]
    );
    let schema = json!({"allOf": [{"minimum": 5}, {"maximum": 3}]});
    assert_eq!(found(&schema, &json!(4)).len(), 3);
    let schema = json!({"not": {"enum": ["a"]}});
    assert_eq!(
        found(&schema, &json!("a")),
        ["<nil>: Invalid value: \"\": \"x\" must not validate the schema (not)"]
    );
}

#[test]
fn what_did_not_change_is_let_be() {
    let schema = Schema::stored(&json!({"properties": {
        "a": {"type": "string", "maxLength": 1},
        "l": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
            "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer", "minimum": 5}}}},
        "s": {"type": "array", "items": {"type": "integer", "minimum": 5}},
    }}));
    let old = json!({"a": "long", "l": [{"k": "x", "v": 1}], "s": [1]});
    let found = |new: &Value| {
        schema
            .validate_update(&FieldPath::Root, new, Some(&old))
            .iter()
            .map(|e| e.path.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(found(&old), Vec::<String>::new());
    // The item of the set cannot be told to be the same when the list changes.
    assert_eq!(
        found(&json!({"a": "long", "l": [{"k": "y", "v": 2}, {"k": "x", "v": 1}], "s": [1, 6]})),
        ["l[0].v", "s[0]"]
    );
    assert_eq!(found(&json!({"a": "longer"})), ["a"]);
}
