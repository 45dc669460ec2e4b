//! A schema is structural: types are said once, outside of what combines schemas.

use serde_json::{Value, json};

use super::raw::{Additional, Items, Raw};
use super::regexes;
use crate::error::FieldError;
use crate::path::FieldPath;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// What a structural schema has no place for, anywhere below.
pub(super) fn unsupported(schema: Raw<'_>) -> Option<String> {
    let said = |what: &str| Some(format!("OpenAPIV3Schema '{what}' is not supported"));
    for (key, name) in [("id", "id"), ("$schema", "schema"), ("$ref", "$ref")] {
        if !schema.text(key).is_empty() {
            return said(name);
        }
    }
    for key in ["patternProperties", "dependencies"] {
        if schema.has_some(key) {
            return said(key);
        }
    }
    if schema.has("additionalItems") {
        return said("additionalItems");
    }
    if schema.has_some("definitions") {
        return said("definitions");
    }
    if schema.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(false)) {
        return Some(
            "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined".to_owned(),
        );
    }
    if let Items::Many(list) = schema.items()
        && !list.is_empty()
    {
        return Some("OpenAPIV3Schema 'items' must be a schema, but is an array".to_owned());
    }
    let combined =
        ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|key| schema.schemas(key).map(|(_, raw)| raw));
    let mut below = combined.chain(schema.child("not")).chain(schema.item());
    below.find_map(unsupported).or_else(|| schema.properties().find_map(|(_, raw)| unsupported(raw))).or_else(
        || match schema.additional() {
            Additional::Of(raw) => unsupported(raw),
            _ => None,
        },
    )
}

/// What is not structural, sorted.
pub(super) fn check(schema: Raw<'_>, at: &FieldPath<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    invariants(schema, Level::Root, at, &mut errors);
    values_complete(schema, Some(schema), at, at, &mut errors);
    errors.sort_by_cached_key(ToString::to_string);
    errors
}

fn invariants(schema: Raw<'_>, level: Level, at: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    if schema.kind() == "array" && schema.item().is_none() {
        errors.push(FieldError::required(at.field("items"), "must be specified"));
    }
    if let Some(item) = schema.item() {
        invariants(item, Level::Item, &at.field("items"), errors);
    }
    for (name, property) in schema.properties() {
        invariants(property, Level::Field, &at.field("properties").key(name), errors);
    }
    if schema.has_additional() {
        let at = at.field("additionalProperties");
        if level == Level::Root {
            errors.push(FieldError::forbidden(at, "must not be used at the root"));
        }
        if let Additional::Of(raw) = schema.additional() {
            invariants(raw, Level::Field, &at, errors);
        }
    }
    extensions(schema, at, errors);
    let int_or_string = json!([{"type": "integer"}, {"type": "string"}]);
    let plain = schema.get("anyOf") == Some(&int_or_string);
    let first = schema.list("allOf").first().and_then(|first| first.get("anyOf")) == Some(&int_or_string);
    values(schema, plain, first, at, errors);
    types(schema, level, at, errors);
    metadata(schema, level, at, errors);
}

fn extensions(schema: Raw<'_>, at: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    if !schema.flag("x-kubernetes-int-or-string") {
        return;
    }
    for key in ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] {
        if schema.flag(key) {
            let what = "must be false if x-kubernetes-int-or-string is true";
            errors.push(FieldError::invalid(at.field(key), true, what));
        }
    }
}

fn types(schema: Raw<'_>, level: Level, at: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    let (kind, embedded) = (schema.kind(), schema.flag("x-kubernetes-embedded-resource"));
    let open =
        schema.flag("x-kubernetes-int-or-string") || schema.flag("x-kubernetes-preserve-unknown-fields");
    let place = at.field("type");
    if embedded && kind != "object" {
        let what = "must be object if x-kubernetes-embedded-resource is true";
        errors.push(match kind {
            "" => FieldError::required(place, what),
            kind => FieldError::invalid(place, kind, what),
        });
    } else if kind.is_empty() && !open {
        let what = match level {
            Level::Root => "must not be empty at the root",
            Level::Item => "must not be empty for specified array items",
            Level::Field => "must not be empty for specified object fields",
        };
        errors.push(FieldError::required(place, what));
    }
    if embedded && schema.has_additional() {
        let what = "must not be used if x-kubernetes-embedded-resource is set";
        errors.push(FieldError::forbidden(at.field("additionalProperties"), what));
    }
    if level == Level::Root && !kind.is_empty() && kind != "object" {
        errors.push(FieldError::invalid(place, kind, "must be object at the root"));
    }
}

fn metadata(schema: Raw<'_>, level: Level, at: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    let embedded = schema.flag("x-kubernetes-embedded-resource");
    let resource = level == Level::Root || embedded;
    let properties = at.field("properties");
    for name in ["kind", "apiVersion"] {
        if let Some(property) = schema.property(name).filter(|raw| resource && raw.kind() != "string") {
            let place = properties.key(name);
            errors.push(FieldError::invalid(place.field("type"), property.kind(), "must be string"));
        }
    }
    if let Some(metadata) = schema.property("metadata") {
        let place = properties.key("metadata");
        if resource && metadata.kind() != "object" {
            errors.push(FieldError::invalid(place.field("type"), metadata.kind(), "must be object"));
        }
        if level == Level::Root && restricts_more_than_names(metadata) {
            let what = "must not specify anything other than name and generateName, but metadata is implicitly specified";
            errors.push(FieldError::forbidden(place, what));
        }
    }
    let preserve = schema.flag("x-kubernetes-preserve-unknown-fields");
    if embedded && !preserve && schema.properties().next().is_none() {
        let what = "must not be empty if x-kubernetes-embedded-resource is true without \
            x-kubernetes-preserve-unknown-fields";
        errors.push(FieldError::required(properties, what));
    }
}

fn restricts_more_than_names(metadata: Raw<'_>) -> bool {
    let empty = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    };
    metadata.0.iter().any(|(key, value)| match key.as_str() {
        "type" | "default" | "example" | "externalDocs" => false,
        "properties" => metadata.properties().any(|(name, _)| name != "name" && name != "generateName"),
        _ => !empty(value),
    })
}

/// What combines schemas says nothing that belongs outside.
fn values(
    schema: Raw<'_>,
    skip_any: bool,
    skip_first: bool,
    at: &FieldPath<'_>,
    errors: &mut Vec<FieldError>,
) {
    if !skip_any {
        for (index, raw) in schema.schemas("anyOf") {
            nested(raw, false, &at.field("anyOf").index(index), errors);
        }
    }
    for (index, raw) in schema.schemas("allOf") {
        nested(raw, skip_first && index == 0, &at.field("allOf").index(index), errors);
    }
    for (index, raw) in schema.schemas("oneOf") {
        nested(raw, false, &at.field("oneOf").index(index), errors);
    }
    if let Some(raw) = schema.child("not") {
        nested(raw, false, &at.field("not"), errors);
    }
    let pattern = schema.text("pattern");
    if let Some(why) = regexes::fault(pattern) {
        let what = format!("must be a valid regular expression, but isn't: {why}");
        errors.push(FieldError::invalid(at.field("pattern"), pattern, what));
    }
}

fn nested(schema: Raw<'_>, skip_any: bool, at: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    const EMPTY: &str = "must be empty to be structural";
    const FALSE: &str = "must be false to be structural";
    const UNDEFINED: &str = "must be undefined to be structural";
    values(schema, skip_any, false, at, errors);
    if let Some(item) = schema.item() {
        nested(item, false, &at.field("items"), errors);
    }
    for (name, property) in schema.properties() {
        nested(property, false, &at.field("properties").key(name), errors);
    }
    let mut forbid = |key: &str, what: &str| errors.push(FieldError::forbidden(at.field(key), what));
    for key in ["type", "title", "description"] {
        if !schema.text(key).is_empty() {
            forbid(key, EMPTY);
        }
    }
    if !matches!(schema.additional(), Additional::None | Additional::Bool(false)) {
        forbid("additionalProperties", UNDEFINED);
    }
    for key in ["default", "x-kubernetes-list-type", "x-kubernetes-map-type"] {
        if schema.has(key) {
            forbid(key, UNDEFINED);
        }
    }
    for key in [
        "nullable",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
    ] {
        if schema.flag(key) {
            forbid(key, FALSE);
        }
    }
    for key in ["x-kubernetes-list-map-keys", "x-kubernetes-validations"] {
        if schema.has_some(key) {
            forbid(key, EMPTY);
        }
    }
    if schema.property("metadata").is_some() {
        let properties = at.field("properties");
        let what = "must not be specified in a nested context";
        errors.push(FieldError::forbidden(properties.key("metadata"), what));
    }
}

/// What combined schemas look at is described outside of them.
fn values_complete(
    values: Raw<'_>,
    structure: Option<Raw<'_>>,
    at: &FieldPath<'_>,
    from: &FieldPath<'_>,
    errors: &mut Vec<FieldError>,
) {
    if let Some(not) = values.child("not") {
        complete(not, structure, at, &from.field("not"), errors);
    }
    for key in ["allOf", "anyOf", "oneOf"] {
        for (index, raw) in values.schemas(key) {
            complete(raw, structure, at, &from.field(key).index(index), errors);
        }
    }
}

fn complete(
    values: Raw<'_>,
    structure: Option<Raw<'_>>,
    at: &FieldPath<'_>,
    from: &FieldPath<'_>,
    errors: &mut Vec<FieldError>,
) {
    let Some(structure) = structure else {
        errors.push(FieldError::required(at, format!("because it is defined in {from}")));
        return;
    };
    values_complete(values, Some(structure), at, from, errors);
    if let Some(item) = values.item() {
        complete(item, structure.item(), &at.field("items"), &from.field("items"), errors);
    }
    let (at, from) = (at.field("properties"), from.field("properties"));
    for (name, property) in values.properties() {
        complete(property, structure.property(name), &at.key(name), &from.key(name), errors);
    }
}
