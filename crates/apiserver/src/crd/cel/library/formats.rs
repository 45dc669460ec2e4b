//! Named formats: `format.dns1123Label().validate(x)`.

use std::sync::Arc;

use super::super::value::{self, Value};
use super::url;
use crate::metadata::names;

const NAMES: &[&str] = &[
    "byte",
    "date",
    "datetime",
    "dns1035Label",
    "dns1035LabelPrefix",
    "dns1123Label",
    "dns1123LabelPrefix",
    "dns1123Subdomain",
    "dns1123SubdomainPrefix",
    "labelValue",
    "qualifiedName",
    "uri",
    "uuid",
];

/// The format of this name.
pub(super) fn named(name: &str) -> Option<Value> {
    NAMES.iter().find(|known| **known == name).map(|name| Value::Format(name))
}

/// What is wrong with a text; nothing if it is of the format.
pub(super) fn validate(format: &str, text: &str) -> Value {
    let faults = faults(format, text);
    let list = Value::list(faults.iter().map(|fault| Value::text(fault)).collect());
    Value::Optional((!faults.is_empty()).then(|| Arc::new(list)))
}

fn faults(format: &str, text: &str) -> Vec<String> {
    let check = |valid: bool, why: &str| if valid { Vec::new() } else { vec![why.to_owned()] };
    match format {
        "dns1123Label" => names::label(text),
        "dns1123LabelPrefix" => names::label(&names::masked(text)),
        "dns1123Subdomain" => names::subdomain(text),
        "dns1123SubdomainPrefix" => names::subdomain(&names::masked(text)),
        "dns1035Label" => names::label_1035(text),
        "dns1035LabelPrefix" => names::label_1035(&names::masked(text)),
        "qualifiedName" => names::qualified(text),
        "labelValue" => names::label_value(text),
        "uri" => url::Url::parse(text).err().into_iter().collect(),
        "uuid" => check(is_uuid(text), "does not match the UUID format"),
        "byte" => check(is_base64(text), "invalid base64"),
        "date" => check(is_date(text), "invalid date"),
        _ => check(value::timestamp(&text.to_ascii_uppercase()).is_some(), "invalid datetime"),
    }
}

fn is_uuid(text: &str) -> bool {
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    let dashed = text.len() == 32
        || (text.len() == 36 && [8, 13, 18, 23].iter().all(|at| text.as_bytes()[*at] == b'-'));
    dashed && digits.len() == 32 && digits.chars().all(|c| c.is_ascii_hexdigit())
}

fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    let padding = text.len() - body.len();
    let known = |c: char| c.is_ascii_alphanumeric() || c == '+' || c == '/';
    !text.is_empty() && text.len().is_multiple_of(4) && padding <= 2 && body.chars().all(known)
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}
