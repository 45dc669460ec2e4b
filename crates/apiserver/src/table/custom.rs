//! Tables of kinds that are not built in: their definitions say what the columns are.

use serde_json::{Number, Value, json};

use super::age::human_duration;
use super::columns::of_any;
use super::jsonpath::{Path, Seen};
use crate::document::Json;
use crate::time::Moment;

/// The columns that one version of a definition asks for: a JSON array.
pub(super) fn columns(version: &Value) -> String {
    let mut all = vec![of_any("name").to_owned()];
    match declared(version) {
        Some(declared) => all.extend(declared.iter().map(|column| definition(column).to_string())),
        None => all.push(of_any("age").to_owned()),
    }
    format!("[{}]", all.join(","))
}

/// The cells of an object.
pub(super) fn cells(version: &Value, json: &Json, now: Moment) -> Vec<Value> {
    let metadata = json.get("metadata");
    let of_metadata = |name: &str| metadata.and_then(|metadata| metadata.get(name)).and_then(Value::as_str);
    let mut cells = vec![Value::from(of_metadata("name").unwrap_or_default())];
    match declared(version) {
        Some(declared) => {
            let (object, seen) = (Value::Object(json.clone()), Seen::default());
            cells.extend(declared.iter().map(|column| cell(column, (&object, &seen), now)));
        }
        None => cells.push(match of_metadata("creationTimestamp").and_then(Moment::parse) {
            Some(created) => human_duration(now.since_s(created)).into(),
            None => "<unknown>".into(),
        }),
    }
    cells
}

fn declared(version: &Value) -> Option<&Vec<Value>> {
    version.get("additionalPrinterColumns").and_then(Value::as_array).filter(|columns| !columns.is_empty())
}

fn definition(column: &Value) -> Value {
    let text = |name: &str| column.get(name).and_then(Value::as_str).unwrap_or_default();
    let description = match text("description") {
        "" => format!("Custom resource definition column (in JSONPath format): {}", text("jsonPath")),
        description => description.to_owned(),
    };
    json!({
        "name": text("name"),
        "type": text("type"),
        "format": text("format"),
        "description": description,
        "priority": column.get("priority").and_then(Value::as_i64).unwrap_or(0),
    })
}

fn cell(column: &Value, (object, seen): (&Value, &Seen), now: Moment) -> Value {
    let text = |name: &str| column.get(name).and_then(Value::as_str).unwrap_or_default();
    let Ok(path) = Path::parse(text("jsonPath")) else { return Value::Null };
    let Some(found) = path.first(object, seen) else { return Value::Null };
    match (text("type"), found) {
        ("string", found) => printed(&found).into(),
        ("integer", Value::Number(number)) => integer(&number),
        ("number", Value::Number(number)) => number.into(),
        ("boolean", Value::Bool(flag)) => flag.into(),
        ("date", Value::String(text)) => match Moment::parse(&text) {
            Some(moment) => human_duration(now.since_s(moment)).into(),
            None => "<invalid>".into(),
        },
        _ => Value::Null,
    }
}

/// A value as text, in the real server's way.
fn printed(value: &Value) -> String {
    match value {
        Value::Null => "<no value>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Bool(_) => value.to_string(),
        Value::Number(number) => match number.as_f64() {
            Some(fraction) if number.is_f64() => printed_fraction(fraction),
            _ => number.to_string(),
        },
        // JSON as its writer escapes it, for browsers.
        Value::Array(_) | Value::Object(_) => {
            value.to_string().replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e")
        }
    }
}

/// The shortest form, with an exponent if it is very large or very small.
fn printed_fraction(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || (1e-4..1e21).contains(&size) {
        return number.to_string();
    }
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{digits}e{sign}{exponent:0>2}")
}

#[expect(clippy::cast_possible_truncation, reason = "a fraction is cut off, as the real server does")]
fn integer(number: &Number) -> Value {
    match number.as_i64() {
        Some(whole) => whole.into(),
        None => number.as_f64().map_or(Value::Null, |fraction| (fraction as i64).into()),
    }
}
