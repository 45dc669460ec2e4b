//! Keywords of OpenAPI and of Kubernetes' extensions that are not allowed, or not so.

use serde_json::Value;

use super::raw::{Additional, Items, Raw};
use crate::error::FieldError;
use crate::path::FieldPath;
use crate::schema::prune::META_FIELDS;
use crate::schema::rules::Rule;

const TYPES: &[&str] = &["array", "boolean", "integer", "number", "object", "string"];
const REASONS: &[&str] =
    &["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// What holds below a schema.
#[derive(Clone, Default)]
struct Context {
    root: bool,
    inside_meta: bool,
    /// Why defaults are not allowed.
    no_defaults: Option<String>,
}

/// What is wrong with a schema and those below it.
pub(super) fn check(schema: Raw<'_>, at: &FieldPath<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    walk(schema, at, &Context { root: true, ..Context::default() }, &mut errors);
    errors
}

fn walk(schema: Raw<'_>, at: &FieldPath<'_>, context: &Context, errors: &mut Vec<FieldError>) {
    unsupported(schema, at, context, errors);
    if schema.flag("uniqueItems") {
        let what = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        errors.push(FieldError::forbidden(at.field("uniqueItems"), what));
    }
    let below = Context { root: false, ..context.clone() };
    additional(schema, at, &below, errors);
    properties(schema, at, context, &below, errors);
    if let Some(raw) = schema.child("not") {
        walk(raw, &at.field("not"), &below, errors);
    }
    for key in ["allOf", "oneOf", "anyOf"] {
        for (index, raw) in schema.schemas(key) {
            walk(raw, &at.field(key).index(index), &below, errors);
        }
    }
    match schema.items() {
        Items::None => {}
        Items::One(raw) => walk(raw, &at.field("items"), &below, errors),
        Items::Many(list) => {
            for (index, raw) in
                list.iter().enumerate().filter_map(|(index, raw)| Some((index, Raw::of(raw)?)))
            {
                walk(raw, &at.field("items").index(index), &below, errors);
            }
        }
    }
    if schema.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(false)) {
        let place = at.field("x-kubernetes-preserve-unknown-fields");
        errors.push(FieldError::invalid(place, false, "must be true or undefined"));
    }
    map_type(schema, at, errors);
    list_type(schema, at, errors);
    map_keys(schema, at, errors);
    for (index, rule) in schema.list("x-kubernetes-validations").iter().enumerate() {
        let place = at.field("x-kubernetes-validations");
        rule_form(schema, rule, &place.index(index), errors);
    }
}

fn unsupported(schema: Raw<'_>, at: &FieldPath<'_>, context: &Context, errors: &mut Vec<FieldError>) {
    let kind = schema.kind();
    if !kind.is_empty() && !TYPES.contains(&kind) {
        errors.push(FieldError::not_supported(at.field("type"), kind, TYPES));
    }
    let mut forbid = |key: &str, what: &str| errors.push(FieldError::forbidden(at.field(key), what));
    if let Some(why) = context.no_defaults.as_ref().filter(|_| schema.has("default")) {
        forbid("default", &format!("must not be set {why}"));
    }
    if !schema.text("id").is_empty() {
        forbid("id", "id is not supported");
    }
    for key in ["additionalItems", "dependencies", "$ref"] {
        if schema.has(key) {
            forbid(key, &format!("{key} is not supported"));
        }
    }
    for key in ["patternProperties", "definitions"] {
        if schema.has_some(key) {
            forbid(key, &format!("{key} is not supported"));
        }
    }
    if kind == "null" {
        forbid("type", "type cannot be set to null, use nullable as an alternative");
    }
    if matches!(schema.items(), Items::Many(list) if !list.is_empty()) {
        forbid("items", "items must be a schema object and not an array");
    }
    if context.inside_meta && schema.flag("x-kubernetes-embedded-resource") {
        forbid("x-kubernetes-embedded-resource", "must not be used inside of resource meta");
    }
}

fn additional(schema: Raw<'_>, at: &FieldPath<'_>, below: &Context, errors: &mut Vec<FieldError>) {
    let place = at.field("additionalProperties");
    let exclusive = !matches!(schema.additional(), Additional::None | Additional::Bool(true));
    if exclusive && schema.has_some("properties") {
        errors.push(FieldError::forbidden(place, "additionalProperties and properties are mutual exclusive"));
    }
    if let Additional::Of(raw) = schema.additional() {
        let mut below = below.clone();
        if below.inside_meta {
            below.no_defaults = Some("inside additionalProperties applying to object metadata".to_owned());
        }
        walk(raw, &place, &below, errors);
    }
}

fn properties(
    schema: Raw<'_>,
    at: &FieldPath<'_>,
    context: &Context,
    below: &Context,
    errors: &mut Vec<FieldError>,
) {
    let resource = context.root || schema.flag("x-kubernetes-embedded-resource");
    for (name, property) in schema.properties() {
        let place = at.field("properties");
        let place = place.key(name);
        if resource && META_FIELDS.contains(&name) {
            let mut below = Context { inside_meta: true, ..below.clone() };
            if context.root {
                below.no_defaults = Some(format!("in top-level {name}"));
            }
            walk(property, &place, &below, errors);
        } else {
            walk(property, &place, below, errors);
        }
    }
}

fn map_type(schema: Raw<'_>, at: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    let Some(kind) = schema.get("x-kubernetes-map-type").and_then(Value::as_str) else { return };
    wants_type(schema, at, "object", "x-kubernetes-map-type", errors);
    if kind != "atomic" && kind != "granular" {
        let place = at.field("x-kubernetes-map-type");
        errors.push(FieldError::not_supported(place, kind, &["atomic", "granular"]));
    }
}

fn wants_type(
    schema: Raw<'_>,
    at: &FieldPath<'_>,
    wanted: &str,
    key: &str,
    errors: &mut Vec<FieldError>,
) -> bool {
    let (kind, place) = (schema.kind(), at.field("type"));
    let what = format!("must be {wanted} if {key} is specified");
    match kind {
        "" => errors.push(FieldError::required(place, what)),
        kind if kind != wanted => errors.push(FieldError::invalid(place, kind, what)),
        _ => return true,
    }
    false
}

fn list_type(schema: Raw<'_>, at: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    let Some(kind) = schema.get("x-kubernetes-list-type").and_then(Value::as_str) else { return };
    let is_array = wants_type(schema, at, "array", "x-kubernetes-list-type", errors);
    if let (true, "set", Some(item)) = (is_array, kind, schema.item()) {
        let items = at.field("items");
        let what = "must be atomic as item of a list with x-kubernetes-list-type=set";
        let list = item.get("x-kubernetes-list-type");
        let atomic = |value: &Value| value == "atomic";
        match item.kind() {
            "array" if list.is_some_and(|list| !atomic(list)) => {
                let place = items.field("x-kubernetes-list-type");
                errors.push(FieldError::invalid(place, list.cloned().unwrap_or_default(), what));
            }
            "object" if !item.get("x-kubernetes-map-type").is_some_and(atomic) => {
                // Kubernetes shows the list's type here, which is mostly none.
                let place = items.field("x-kubernetes-map-type");
                errors.push(FieldError::invalid(place, list.cloned().unwrap_or_default(), what));
            }
            _ => {}
        }
    }
    if !["atomic", "set", "map"].contains(&kind) {
        let place = at.field("x-kubernetes-list-type");
        errors.push(FieldError::not_supported(place, kind, &["atomic", "set", "map"]));
    }
}

fn map_keys(schema: Raw<'_>, at: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    let kind = schema.get("x-kubernetes-list-type").and_then(Value::as_str);
    let keys = schema.list("x-kubernetes-list-map-keys");
    if !keys.is_empty() {
        let (place, what) =
            (at.field("x-kubernetes-list-type"), "must be map if x-kubernetes-list-map-keys is non-empty");
        match kind {
            None => errors.push(FieldError::required(place, what)),
            Some("map") => {}
            Some(other) => errors.push(FieldError::invalid(place, other, what)),
        }
    }
    if kind == Some("map") {
        map_list(schema, keys, at, errors);
    }
    if let Some(item) = schema.item().filter(|_| matches!(kind, Some("map" | "set"))) {
        items_of_keyed_list(kind.unwrap_or_default(), item, keys, &at.field("items"), errors);
    }
}

fn map_list(schema: Raw<'_>, keys: &[Value], at: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    let place = at.field("x-kubernetes-list-map-keys");
    if keys.is_empty() {
        errors.push(FieldError::required(place, "must not be empty if x-kubernetes-list-type is map"));
    }
    let items = at.field("items");
    let item = match schema.items() {
        Items::None => {
            errors.push(FieldError::required(items, "must have a schema if x-kubernetes-list-type is map"));
            return;
        }
        Items::Many(list) => {
            let what = "must only have a single schema if x-kubernetes-list-type is map";
            errors.push(FieldError::invalid(items, list.to_vec(), what));
            return;
        }
        Items::One(item) => item,
    };
    if item.kind() != "object" {
        let what = "must be object if parent array's x-kubernetes-list-type is map";
        errors.push(FieldError::invalid(items.field("type"), item.kind(), what));
        return;
    }
    let properties = items.field("properties");
    for (index, key) in keys.iter().enumerate().filter_map(|(index, key)| Some((index, key.as_str()?))) {
        match item.property(key).map(Raw::kind) {
            Some("array" | "object") => {
                let what = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                errors.push(FieldError::invalid(properties.key(key).field("type"), item.kind(), what));
            }
            Some(_) => {}
            None => {
                let what = "entries must all be names of item properties";
                errors.push(FieldError::invalid(place, keys.to_vec(), what));
            }
        }
        if keys[..index].iter().any(|other| other == key) {
            errors.push(FieldError::invalid(place, keys.to_vec(), "must not contain duplicate entries"));
        }
    }
}

fn items_of_keyed_list(
    kind: &str,
    item: Raw<'_>,
    keys: &[Value],
    at: &FieldPath<'_>,
    errors: &mut Vec<FieldError>,
) {
    if item.flag("nullable") {
        let what = format!("cannot be nullable when x-kubernetes-list-type is {kind}");
        errors.push(FieldError::forbidden(at.field("nullable"), what));
    }
    if kind != "map" {
        return;
    }
    let required = item.list("required");
    let properties = at.field("properties");
    for key in keys.iter().filter_map(Value::as_str) {
        let Some(property) = item.property(key) else { continue };
        let place = properties.key(key);
        if !property.has("default") && !required.iter().any(|name| name == key) {
            let what = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a \
                required property";
            errors.push(FieldError::required(place.field("default"), what));
        }
        if property.flag("nullable") {
            let what = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
            errors.push(FieldError::forbidden(place.field("nullable"), what));
        }
    }
}

/// The form of a rule; whether the expression compiles is for those who have CEL to say.
fn rule_form(schema: Raw<'_>, rule: &Value, at: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    let Some(map) = rule.as_object() else { return };
    let rule = Rule::parse(map);
    let breaks = |text: &str| text.contains(['\n', '\r']);
    let (expression, message) = (rule.rule.trim(), rule.message.trim());
    let place = at.field("message");
    if expression.is_empty() {
        errors.push(FieldError::required(at.field("rule"), "rule is not specified"));
    } else if !rule.message.is_empty() && message.is_empty() {
        errors.push(FieldError::invalid(place, rule.message.as_str(), "must be non-empty if specified"));
    } else if breaks(message) {
        errors.push(FieldError::invalid(place, rule.message.as_str(), "must not contain line breaks"));
    } else if breaks(expression) && message.is_empty() {
        errors.push(FieldError::required(place, "message must be specified if rule contains line breaks"));
    }
    if !rule.message_expression.is_empty() && rule.message_expression.trim().is_empty() {
        let what = "messageExpression must be non-empty if specified";
        errors.push(FieldError::required(at.field("messageExpression"), what));
    }
    if !rule.reason.is_empty() && !REASONS.contains(&rule.reason.as_str()) {
        errors.push(FieldError::not_supported(at.field("reason"), rule.reason.as_str(), REASONS));
    }
    let path = rule.field_path.as_str();
    let mut refuse = |what: &str| errors.push(FieldError::invalid(at.field("fieldPath"), path, what));
    if path.is_empty() {
        return;
    }
    if path.trim().is_empty() {
        refuse("must be non-empty if specified");
    }
    if breaks(path) {
        refuse("must not contain line breaks");
    }
    if !leads_somewhere(schema, path) {
        refuse("must be a valid path");
    }
}

/// `.a.b` or `['a.b']`, through properties and entries of maps that the schema has.
fn leads_somewhere(schema: Raw<'_>, path: &str) -> bool {
    let mut rest = path;
    let mut schema = schema;
    while !rest.is_empty() {
        let (name, after) = if let Some(after) = rest.strip_prefix("['") {
            match after.split_once("']") {
                Some(split) => split,
                None => return false,
            }
        } else if let Some(after) = rest.strip_prefix('.') {
            after.split_at(after.find(['.', '[']).unwrap_or(after.len()))
        } else {
            return false;
        };
        schema = match (schema.property(name), schema.additional()) {
            _ if name.is_empty() => return false,
            (Some(property), _) => property,
            (None, Additional::Of(entry)) => entry,
            _ => return false,
        };
        rest = after;
    }
    true
}
