//! What is not part of what somebody wants, though it may stand in a manifest.

use serde_json::{Map, Number, Value};

/// What a server sets in the metadata: with it, `kubectl get -o yaml` could not be submitted again.
const SET_BY_SERVERS: &[&str] = &[
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generateName",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// Annotations that say what others have done. The first would also keep values that were taken out since.
const SET_BY_OTHERS: &[&str] =
    &["kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision"];

/// What updates say on all that they put on a cluster: it is said anew by each.
const SET_BY_US: &[&str] =
    &["bowline.dev/attempt", "bowline.dev/object", "bowline.dev/stack", "bowline.dev/stack-uid"];

/// Takes out what servers and controllers set, and `null`, which says that there is nothing.
pub(crate) fn clean(object: &mut Map<String, Value>) {
    object.remove("status");
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        for field in SET_BY_SERVERS {
            metadata.remove(*field);
        }
        for (field, marks) in
            [("annotations", SET_BY_OTHERS), ("annotations", SET_BY_US), ("labels", SET_BY_US)]
        {
            if let Some(Value::Object(map)) = metadata.get_mut(field) {
                map.retain(|key, _| !marks.contains(&key.as_str()));
            }
        }
        for field in ["annotations", "labels", "ownerReferences"] {
            if metadata.get(field).is_some_and(is_empty) {
                metadata.remove(field);
            }
        }
    }
    for value in object.values_mut() {
        plain_numbers(value);
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

/// Beyond this not every whole number is a float.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Whole numbers are written as such: `1.0` and `1` are the same to every server.
fn plain_numbers(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < EXACT);
            if let Some(float) = float {
                // It is whole, and small enough.
                #[allow(clippy::cast_possible_truncation)]
                let whole = float as i64;
                *number = Number::from(whole);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(plain_numbers),
        Value::Object(map) => map.values_mut().for_each(plain_numbers),
        _ => {}
    }
}
