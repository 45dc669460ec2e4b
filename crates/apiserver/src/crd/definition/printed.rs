//! Definitions as Go prints their inner form in errors: every field, by the name that it has in Go, in order.

use serde_json::{Map, Value};

use super::internal::{Spec, Version};

#[derive(Clone, Copy)]
enum Form {
    /// Printed empty if missing.
    Text,
    Flag,
    /// Printed as null if missing.
    Any,
    Schema,
    Schemas,
    Properties,
    Items,
    SchemaOrFlag,
    Dependencies,
    Docs,
    Rules,
}

/// The fields of a schema: in Go, in JSON, and what they hold.
const FIELDS: &[(&str, &str, Form)] = &[
    ("ID", "id", Form::Text),
    ("Schema", "$schema", Form::Text),
    ("Ref", "$ref", Form::Any),
    ("Description", "description", Form::Text),
    ("Type", "type", Form::Text),
    ("Nullable", "nullable", Form::Flag),
    ("Format", "format", Form::Text),
    ("Title", "title", Form::Text),
    ("Default", "default", Form::Any),
    ("Maximum", "maximum", Form::Any),
    ("ExclusiveMaximum", "exclusiveMaximum", Form::Flag),
    ("Minimum", "minimum", Form::Any),
    ("ExclusiveMinimum", "exclusiveMinimum", Form::Flag),
    ("MaxLength", "maxLength", Form::Any),
    ("MinLength", "minLength", Form::Any),
    ("Pattern", "pattern", Form::Text),
    ("MaxItems", "maxItems", Form::Any),
    ("MinItems", "minItems", Form::Any),
    ("UniqueItems", "uniqueItems", Form::Flag),
    ("MultipleOf", "multipleOf", Form::Any),
    ("Enum", "enum", Form::Any),
    ("MaxProperties", "maxProperties", Form::Any),
    ("MinProperties", "minProperties", Form::Any),
    ("Required", "required", Form::Any),
    ("Items", "items", Form::Items),
    ("AllOf", "allOf", Form::Schemas),
    ("OneOf", "oneOf", Form::Schemas),
    ("AnyOf", "anyOf", Form::Schemas),
    ("Not", "not", Form::Schema),
    ("Properties", "properties", Form::Properties),
    ("AdditionalProperties", "additionalProperties", Form::SchemaOrFlag),
    ("PatternProperties", "patternProperties", Form::Properties),
    ("Dependencies", "dependencies", Form::Dependencies),
    ("AdditionalItems", "additionalItems", Form::SchemaOrFlag),
    ("Definitions", "definitions", Form::Properties),
    ("ExternalDocs", "externalDocs", Form::Docs),
    ("Example", "example", Form::Any),
    ("XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", Form::Any),
    ("XEmbeddedResource", "x-kubernetes-embedded-resource", Form::Flag),
    ("XIntOrString", "x-kubernetes-int-or-string", Form::Flag),
    ("XListMapKeys", "x-kubernetes-list-map-keys", Form::Any),
    ("XListType", "x-kubernetes-list-type", Form::Any),
    ("XMapType", "x-kubernetes-map-type", Form::Any),
    ("XValidations", "x-kubernetes-validations", Form::Rules),
];

/// The Go names of the fields of a schema that are there, with theirs in JSON.
pub(super) fn present(schema: &Map<String, Value>) -> impl Iterator<Item = (&'static str, &'static str)> {
    FIELDS
        .iter()
        .filter(|(_, name, form)| !is_empty(schema.get(*name), *form))
        .map(|(go, name, _)| (*go, *name))
}

/// Drops fields that Go does not write because they are empty, in all schemas below too.
pub(super) fn drop_empty(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    for (_, name, form) in FIELDS {
        if fields.contains_key(*name) && is_empty(fields.get(*name), *form) {
            fields.remove(*name);
        }
    }
    for (_, name, form) in FIELDS {
        let Some(value) = fields.get_mut(*name) else { continue };
        match (form, value) {
            (Form::Schema, value) => drop_empty(value),
            (Form::Items | Form::SchemaOrFlag, value @ Value::Object(_)) => drop_empty(value),
            (Form::Schemas | Form::Items, Value::Array(all)) => all.iter_mut().for_each(drop_empty),
            (Form::Properties, Value::Object(all)) => all.values_mut().for_each(drop_empty),
            _ => {}
        }
    }
}

fn is_empty(value: Option<&Value>, form: Form) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => matches!(form, Form::Text) && text.is_empty(),
        Some(Value::Bool(flag)) => matches!(form, Form::Flag) && !flag,
        Some(Value::Array(list)) => list.is_empty(),
        Some(Value::Object(map)) => matches!(form, Form::Properties | Form::Dependencies) && map.is_empty(),
        Some(Value::Number(_)) => false,
    }
}

/// All versions, as `spec.versions` is printed.
pub(super) fn versions(spec: &Spec<'_>) -> String {
    if spec.is_silent {
        return "null".to_owned();
    }
    let all: Vec<String> = spec.versions.iter().map(version).collect();
    format!("[{}]", all.join(","))
}

fn version(version: &Version<'_>) -> String {
    let raw = version.raw;
    let flag = |name: &str| raw.get(name).and_then(Value::as_bool).unwrap_or(false);
    let parts = &version.parts;
    let open_api = parts.schema.map(|_| optional(parts.open_api(), schema));
    let (columns, selectable) =
        (parts.columns.and_then(Value::as_array), parts.selectable.and_then(Value::as_array));
    object(&[
        ("Name", go(&version.name.into())),
        ("Served", flag("served").to_string()),
        ("Storage", version.storage.to_string()),
        ("Deprecated", flag("deprecated").to_string()),
        ("DeprecationWarning", any(raw.get("deprecationWarning"))),
        ("Schema", open_api.map_or_else(null, |schema| object(&[("OpenAPIV3Schema", schema)]))),
        ("Subresources", optional(parts.subresources, subresources)),
        ("AdditionalPrinterColumns", columns.map_or_else(null, |all| list(all, column))),
        (
            "SelectableFields",
            selectable.map_or_else(null, |all| {
                list(all, |field| object(&[("JSONPath", any(field.get("jsonPath")))]))
            }),
        ),
    ])
}

fn subresources(all: &Value) -> String {
    let scale = |scale: &Value| {
        object(&[
            ("SpecReplicasPath", string(scale.get("specReplicasPath"))),
            ("StatusReplicasPath", string(scale.get("statusReplicasPath"))),
            ("LabelSelectorPath", any(scale.get("labelSelectorPath"))),
        ])
    };
    let status = optional(all.get("status"), |_| "{}".to_owned());
    object(&[("Status", status), ("Scale", optional(all.get("scale"), scale))])
}

fn column(column: &Value) -> String {
    object(&[
        ("Name", string(column.get("name"))),
        ("Type", string(column.get("type"))),
        ("Format", string(column.get("format"))),
        ("Description", string(column.get("description"))),
        ("Priority", column.get("priority").and_then(Value::as_i64).unwrap_or(0).to_string()),
        ("JSONPath", string(column.get("jsonPath"))),
    ])
}

/// A schema, as Go prints it.
pub(super) fn schema(schema: &Value) -> String {
    let fields: Vec<_> =
        FIELDS.iter().map(|(name, key, form)| (*name, field(schema.get(*key), *form))).collect();
    object(&fields)
}

fn field(value: Option<&Value>, form: Form) -> String {
    let value = value.filter(|_| !is_empty(value, form));
    match (form, value) {
        (Form::Text, value) => string(value),
        (Form::Flag, value) => value.is_some().to_string(),
        (Form::Any, value) => any(value),
        (_, None) => null(),
        (Form::Schema, Some(value)) => schema(value),
        (Form::Schemas, Some(value)) => list(value.as_array().map_or(&[], Vec::as_slice), schema),
        (Form::Properties, Some(value)) => entries(value, schema),
        (Form::Items, Some(Value::Array(all))) => {
            object(&[("Schema", null()), ("JSONSchemas", list(all, schema))])
        }
        (Form::Items, Some(value)) => object(&[("Schema", schema(value)), ("JSONSchemas", null())]),
        (Form::SchemaOrFlag, Some(Value::Bool(flag))) => {
            object(&[("Allows", flag.to_string()), ("Schema", null())])
        }
        (Form::SchemaOrFlag, Some(value)) => object(&[("Allows", "true".into()), ("Schema", schema(value))]),
        (Form::Dependencies, Some(value)) => entries(value, |value| {
            let names = value.as_array().map_or_else(null, |_| go(value));
            let inner = if value.is_object() { schema(value) } else { null() };
            object(&[("Schema", inner), ("Property", names)])
        }),
        (Form::Docs, Some(value)) => {
            object(&[("Description", string(value.get("description"))), ("URL", string(value.get("url")))])
        }
        (Form::Rules, Some(value)) => list(value.as_array().map_or(&[], Vec::as_slice), rule),
    }
}

/// A rule, as Go prints it.
pub(super) fn rule(rule: &Value) -> String {
    object(&[
        ("Rule", string(rule.get("rule"))),
        ("Message", string(rule.get("message"))),
        ("MessageExpression", string(rule.get("messageExpression"))),
        ("Reason", any(rule.get("reason"))),
        ("FieldPath", string(rule.get("fieldPath"))),
        ("OptionalOldSelf", any(rule.get("optionalOldSelf"))),
    ])
}

fn entries(map: &Value, print: impl Fn(&Value) -> String) -> String {
    let entries = map.as_object().into_iter().flatten();
    let entries: Vec<_> =
        entries.map(|(name, value)| format!("{}:{}", go(&name.as_str().into()), print(value))).collect();
    format!("{{{}}}", entries.join(","))
}

fn object(fields: &[(&str, String)]) -> String {
    let fields: Vec<_> = fields.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", fields.join(","))
}

fn list(items: &[Value], print: impl Fn(&Value) -> String) -> String {
    let items: Vec<_> = items.iter().map(print).collect();
    format!("[{}]", items.join(","))
}

fn optional(value: Option<&Value>, print: impl Fn(&Value) -> String) -> String {
    value.filter(|value| !value.is_null()).map_or_else(null, print)
}

fn string(value: Option<&Value>) -> String {
    go(&value.and_then(Value::as_str).unwrap_or_default().into())
}

fn any(value: Option<&Value>) -> String {
    value.map_or_else(null, go)
}

fn null() -> String {
    "null".to_owned()
}

/// JSON as Go writes it: `<`, `>` and `&` are escaped.
fn go(value: &Value) -> String {
    let text = value.to_string();
    if !text.contains(['<', '>', '&']) {
        return text;
    }
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// A text in quotes, as Go has it in messages.
pub(super) fn quote(text: &str) -> String {
    Value::from(text).to_string()
}
