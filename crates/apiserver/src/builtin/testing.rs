//! Comparing objects with the real server's.

use serde_json::Value;

use super::shape;
use crate::document::Json;

/// An object as it is kept, whatever it was sent as.
pub(crate) fn shaped(json: Json) -> Value {
    Value::Object(well_typed(json).expect("the types are right"))
}

/// The same, if its types are right.
pub(crate) fn well_typed(mut json: Json) -> Option<Json> {
    let text = |name: &str| json.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
    shape::read(group, version, &kind, &mut json).ok()?;
    shape::write(group, version, &kind, &mut json);
    Some(json)
}

/// Where two values differ.
pub(crate) fn differences(path: &str, ours: &Value, theirs: &Value, found: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let mut names: Vec<_> = ours.keys().chain(theirs.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                match (ours.get(name), theirs.get(name)) {
                    (Some(a), Some(b)) => differences(&format!("{path}.{name}"), a, b, found),
                    (a, b) => found.push(format!("{path}.{name}: {a:?}, expected {b:?}")),
                }
            }
        }
        (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => {
            for (index, (a, b)) in ours.iter().zip(theirs).enumerate() {
                differences(&format!("{path}[{index}]"), a, b, found);
            }
        }
        _ if ours != theirs => found.push(format!("{path}:\n      {ours}\n  not {theirs}")),
        _ => {}
    }
}
