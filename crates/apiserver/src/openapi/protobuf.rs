//! OpenAPI 2 as protobuf, in the messages of gnostic: from the JSON of each part.
//!
//! What this server never writes is not translated: parameters by reference, examples, limits.

use serde_json::Value;

/// The whole document.
pub(super) fn document(info: &Value, paths: &[u8], definitions: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(paths.len() + definitions.len() + 64);
    text(1, "2.0", &mut out);
    message(2, &mut out, |out| {
        text_of(info, "title", 1, out);
        text_of(info, "version", 2, out);
    });
    bytes(8, paths, &mut out);
    bytes(9, definitions, &mut out);
    out
}

/// Appends a path to the paths.
pub(super) fn named_path(path: &str, item: &Value, out: &mut Vec<u8>) {
    message(2, out, |out| {
        text(1, path, out);
        message(2, out, |out| path_item(item, out));
    });
}

/// Appends a definition to the definitions.
pub(super) fn named_schema(name: &str, value: &Value, out: &mut Vec<u8>) {
    message(1, out, |out| {
        text(1, name, out);
        message(2, out, |out| schema(value, out));
    });
}

fn path_item(item: &Value, out: &mut Vec<u8>) {
    for (method, field) in [("get", 2), ("put", 3), ("post", 4), ("delete", 5), ("patch", 8)] {
        if let Some(value) = item.get(method) {
            message(field, out, |out| operation(value, out));
        }
    }
    each(item, "parameters", |value| message(9, out, |out| parameter(value, out)));
}

fn operation(value: &Value, out: &mut Vec<u8>) {
    texts(value, "tags", 1, out);
    text_of(value, "description", 3, out);
    text_of(value, "operationId", 5, out);
    texts(value, "produces", 6, out);
    texts(value, "consumes", 7, out);
    each(value, "parameters", |value| message(8, out, |out| parameter(value, out)));
    message(9, out, |out| {
        for (code, response) in value.get("responses").and_then(Value::as_object).into_iter().flatten() {
            message(1, out, |out| {
                text(1, code, out);
                message(2, out, |out| message(1, out, |out| answer(response, out)));
            });
        }
    });
    texts(value, "schemes", 10, out);
    extensions(value, 13, out);
}

fn answer(response: &Value, out: &mut Vec<u8>) {
    text_of(response, "description", 1, out);
    if let Some(value) = response.get("schema") {
        message(2, out, |out| message(1, out, |out| schema(value, out)));
    }
}

/// `ParametersItem` of `Parameter`, which is of the body, of the query or of the path.
fn parameter(value: &Value, out: &mut Vec<u8>) {
    message(1, out, |out| match value.get("in").and_then(Value::as_str) {
        Some("body") => message(1, out, |out| {
            text_of(value, "description", 1, out);
            text_of(value, "name", 2, out);
            text_of(value, "in", 3, out);
            flag_of(value, "required", 4, out);
            if let Some(value) = value.get("schema") {
                message(5, out, |out| schema(value, out));
            }
        }),
        place => message(2, out, |out| {
            let (field, type_field) = if place == Some("path") { (4, 5) } else { (3, 6) };
            message(field, out, |out| {
                flag_of(value, "required", 1, out);
                text_of(value, "in", 2, out);
                text_of(value, "description", 3, out);
                text_of(value, "name", 4, out);
                text_of(value, "type", type_field, out);
            });
        }),
    });
}

fn schema(value: &Value, out: &mut Vec<u8>) {
    text_of(value, "$ref", 1, out);
    text_of(value, "format", 2, out);
    text_of(value, "title", 3, out);
    text_of(value, "description", 4, out);
    double_of(value, "multipleOf", 6, out);
    double_of(value, "maximum", 7, out);
    flag_of(value, "exclusiveMaximum", 8, out);
    double_of(value, "minimum", 9, out);
    flag_of(value, "exclusiveMinimum", 10, out);
    number_of(value, "maxLength", 11, out);
    number_of(value, "minLength", 12, out);
    text_of(value, "pattern", 13, out);
    number_of(value, "maxItems", 14, out);
    number_of(value, "minItems", 15, out);
    flag_of(value, "uniqueItems", 16, out);
    number_of(value, "maxProperties", 17, out);
    number_of(value, "minProperties", 18, out);
    texts(value, "required", 19, out);
    each(value, "enum", |value| message(20, out, |out| text(2, &yaml(value), out)));
    match value.get("additionalProperties") {
        Some(Value::Bool(allowed)) => message(21, out, |out| flag(2, *allowed, out)),
        Some(value) => message(21, out, |out| message(1, out, |out| schema(value, out))),
        None => {}
    }
    if let Some(name) = value.get("type").and_then(Value::as_str) {
        message(22, out, |out| text(1, name, out));
    }
    if let Some(value) = value.get("items") {
        message(23, out, |out| message(1, out, |out| schema(value, out)));
    }
    if let Some(Value::Object(properties)) = value.get("properties") {
        message(25, out, |out| properties.iter().for_each(|(name, value)| named_schema(name, value, out)));
    }
    extensions(value, 31, out);
}

/// What begins with `x-`, as YAML; JSON is YAML.
fn extensions(value: &Value, field: u32, out: &mut Vec<u8>) {
    let fields = value.as_object().into_iter().flatten();
    for (name, value) in fields.filter(|(name, _)| name.starts_with("x-")) {
        message(field, out, |out| {
            text(1, name, out);
            message(2, out, |out| text(2, &yaml(value), out));
        });
    }
}

fn yaml(value: &Value) -> String {
    format!("{value}\n")
}

fn each<'a>(value: &'a Value, name: &str, put: impl FnMut(&'a Value)) {
    value.get(name).and_then(Value::as_array).into_iter().flatten().for_each(put);
}

fn texts(value: &Value, name: &str, field: u32, out: &mut Vec<u8>) {
    each(value, name, |value| text(field, value.as_str().unwrap_or_default(), out));
}

fn text_of(value: &Value, name: &str, field: u32, out: &mut Vec<u8>) {
    if let Some(value) = value.get(name).and_then(Value::as_str) {
        text(field, value, out);
    }
}

fn flag_of(value: &Value, name: &str, field: u32, out: &mut Vec<u8>) {
    if value.get(name).and_then(Value::as_bool) == Some(true) {
        flag(field, true, out);
    }
}

fn number_of(value: &Value, name: &str, field: u32, out: &mut Vec<u8>) {
    if let Some(number) = value.get(name).and_then(Value::as_u64) {
        key(field, 0, out);
        varint(number, out);
    }
}

fn double_of(value: &Value, name: &str, field: u32, out: &mut Vec<u8>) {
    if let Some(number) = value.get(name).and_then(Value::as_f64) {
        key(field, 1, out);
        out.extend_from_slice(&number.to_le_bytes());
    }
}

fn flag(field: u32, value: bool, out: &mut Vec<u8>) {
    key(field, 0, out);
    out.push(value.into());
}

fn text(field: u32, value: &str, out: &mut Vec<u8>) {
    bytes(field, value.as_bytes(), out);
}

fn message(field: u32, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let mut inner = Vec::new();
    write(&mut inner);
    bytes(field, &inner, out);
}

fn bytes(field: u32, value: &[u8], out: &mut Vec<u8>) {
    key(field, 2, out);
    varint(value.len() as u64, out);
    out.extend_from_slice(value);
}

fn key(field: u32, wire_type: u32, out: &mut Vec<u8>) {
    varint(u64::from(field << 3 | wire_type), out);
}

#[expect(clippy::cast_possible_truncation, reason = "seven bits are taken at a time")]
fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_is_what_gnostic_reads() {
        let mut out = Vec::new();
        named_schema("A", &json!({"type": "string", "x-k": [1]}), &mut out);
        let expected = [
            b"\x0a\x20\x0a\x01A\x12\x1b".as_slice(),
            b"\xb2\x01\x08\x0a\x06string",
            b"\xfa\x01\x0d\x0a\x03x-k\x12\x06\x12\x04[1]\n",
        ];
        assert_eq!(out, expected.concat());
    }
}
