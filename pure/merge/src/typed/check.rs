//! Whether a value has its type: what an applied configuration must fulfil.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use super::{List, MapTy, Scalar, Shape, Ty};
use crate::go;

/// What is wrong, with where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults(Vec<(String, String)>);

impl Faults {
    pub(crate) fn one(message: impl Into<String>) -> Faults {
        Faults(vec![(String::new(), message.into())])
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn extend(&mut self, step: &dyn fmt::Display, other: Faults) {
        self.0.extend(other.0.into_iter().map(|(path, message)| (format!("{step}{path}"), message)));
    }

    pub(crate) fn add(&mut self, message: String) {
        self.0.push((String::new(), message));
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |f: &mut fmt::Formatter<'_>, (path, message): &(String, String)| match path.as_str() {
            "" => f.write_str(message),
            path => write!(f, "{path}: {message}"),
        };
        match &self.0[..] {
            [only] => one(f, only),
            several => {
                f.write_str("errors:")?;
                for fault in several {
                    f.write_str("\n  ")?;
                    one(f, fault)?;
                }
                Ok(())
            }
        }
    }
}

/// Checks a value; the same item twice in a list is a fault unless it may be there.
pub(crate) fn check(ty: Ty<'_>, value: &Value, duplicates: bool) -> Faults {
    match ty.shape(Some(value)) {
        Shape::Scalar(scalar) => check_scalar(scalar, value, ""),
        Shape::List(list) => match value {
            Value::Null => Faults::default(),
            Value::Array(items) => check_items(list, items, duplicates),
            other => Faults::one(format!("expected list, got {}", wrapped(other))),
        },
        Shape::Map(map) => match value {
            Value::Null => Faults::default(),
            Value::Object(fields) => check_fields(map, fields, duplicates),
            other => Faults::one(format!("expected map, got {}", wrapped(other))),
        },
    }
}

/// A scalar of this kind, or null.
pub(super) fn check_scalar(scalar: Scalar, value: &Value, prefix: &str) -> Faults {
    let fits = match scalar {
        _ if value.is_null() => true,
        Scalar::Numeric => value.is_number(),
        Scalar::String => value.is_string(),
        Scalar::Boolean => value.is_boolean(),
        Scalar::Untyped => !value.is_array() && !value.is_object(),
    };
    if fits {
        return Faults::default();
    }
    let what = match scalar {
        Scalar::Numeric => format!("numeric (int or float), got {}", go::type_name(value)),
        Scalar::String => format!("string, got {}", syntax_wrapped(value)),
        Scalar::Boolean => format!("boolean, got {}", wrapped(value)),
        Scalar::Untyped => format!("any scalar, got {}", wrapped(value)),
    };
    Faults::one(format!("{prefix}expected {what}"))
}

fn check_items(list: List<'_>, items: &[Value], duplicates: bool) -> Faults {
    let mut faults = Faults::default();
    let mut seen = BTreeSet::new();
    for (index, value) in items.iter().enumerate() {
        if list.is_atomic() {
            faults.extend(&format!("[{index}]"), check(list.element, value, duplicates));
            continue;
        }
        let item = match list.item(value) {
            Ok(item) => item,
            Err(why) => {
                faults.add(format!("element {index}: {why}"));
                return faults;
            }
        };
        if seen.contains(&item) && !duplicates {
            faults.add(format!("duplicate entries for key {item}"));
        }
        faults.extend(&item, check(list.element, value, duplicates));
        seen.insert(item);
    }
    faults
}

fn check_fields(map: MapTy<'_>, fields: &serde_json::Map<String, Value>, duplicates: bool) -> Faults {
    let mut faults = Faults::default();
    for (name, value) in fields {
        match map.named(name).or_else(|| map.entries()) {
            Some(ty) => faults.extend(&format!(".{name}"), check(ty, value, duplicates)),
            None => {
                faults.extend(&format!(".{name}"), Faults::one("field not declared in schema"));
                break;
            }
        }
    }
    faults
}

/// A value as Go prints the pointer that holds it.
fn wrapped(value: &Value) -> String {
    format!("&{{{}}}", go::show(value))
}

/// The same as Go source.
fn syntax_wrapped(value: &Value) -> String {
    format!("&value.valueUnstructured{{Value:{}}}", syntax(value))
}

fn syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::String(text) => go::quote(text),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(syntax).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Value::Object(fields) => {
            let fields: Vec<_> =
                fields.iter().map(|(name, value)| format!("{}:{}", go::quote(name), syntax(value))).collect();
            format!("map[string]interface {{}}{{{}}}", fields.join(", "))
        }
        scalar => go::show(scalar),
    }
}
