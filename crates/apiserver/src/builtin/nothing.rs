//! Lists and maps that Go writes also if there is nothing in them: `rules: null` of a role.
//!
//! Who manages which field is found by comparing what was with what is, and both have such a field always. Were it missing in
//! one, it would seem to have gone, and whoever owned it would own it no longer.

use serde_json::Value;

use crate::document::Json;
use crate::protobuf::table::{Count, Field, Message, Table, Type};

/// Whether the field is a list or a map that is written in any case.
pub(super) fn is_always_many(field: &Field) -> bool {
    field.always && !field.pointer && !field.omitzero && field.count != Count::One
}

/// Puts `null` where such a field is missing.
pub(super) fn fill(group: &str, version: &str, kind: &str, json: &mut Json) {
    let table = Table::get();
    if let Some(message) = table.kind(group, version, kind) {
        fill_object(table, message, json);
    }
}

fn fill_object(table: &Table, message: &Message, json: &mut Json) {
    for name in message.by_name.keys() {
        let Some(field) = table.field(message, name) else { continue };
        match json.get_mut(&**name) {
            Some(value) => fill_value(table, field, value),
            None if is_always_many(field) => drop(json.insert(name.to_string(), Value::Null)),
            None => {}
        }
    }
}

fn fill_value(table: &Table, field: &Field, value: &mut Value) {
    let Type::Message(index) = field.kind else { return };
    let message = table.at(index);
    if message.special.is_some() {
        return;
    }
    let fill = |value: &mut Value| {
        if let Value::Object(json) = value {
            fill_object(table, message, json);
        }
    };
    match (field.count, value) {
        (Count::List, Value::Array(items)) => items.iter_mut().for_each(fill),
        (Count::Map, Value::Object(entries)) => entries.values_mut().for_each(fill),
        (_, value) => fill(value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_go_always_writes_is_there() {
        let filled = |group: &str, kind: &str, json: Value| {
            let Value::Object(mut json) = json else { panic!("an object") };
            fill(group, "v1", kind, &mut json);
            Value::Object(json)
        };
        let rbac = "rbac.authorization.k8s.io";
        assert_eq!(filled(rbac, "ClusterRole", json!({})), json!({ "rules": null }));
        assert_eq!(filled(rbac, "ClusterRole", json!({ "rules": [] })), json!({ "rules": [] }));
        let inside = json!({ "rules": [{ "resources": ["pods"] }] });
        let expected = json!({ "rules": [{ "resources": ["pods"], "verbs": null }] });
        assert_eq!(filled(rbac, "Role", inside), expected);
        assert_eq!(filled("", "ConfigMap", json!({})), json!({}));
        assert_eq!(filled("", "Pod", json!({ "spec": {} })), json!({ "spec": { "containers": null } }));
    }
}
