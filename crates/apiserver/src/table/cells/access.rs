//! Who may do what, and certificates.

use serde_json::Value;

use super::{Object, human_duration, text_of};

pub(super) fn of(plural: &str, object: &Object<'_>) -> Option<Vec<Value>> {
    Some(match plural {
        "rolebindings" | "clusterrolebindings" => binding(object),
        "certificatesigningrequests" => request(object),
        _ => return None,
    })
}

fn binding(object: &Object<'_>) -> Vec<Value> {
    let role = format!("{}/{}", object.text("roleRef.kind"), object.text("roleRef.name"));
    let subjects = |kind: &str| {
        let of_kind = object.list("subjects").iter().filter(|subject| text_of(subject, "kind") == kind);
        let names = of_kind.map(|subject| match kind {
            "ServiceAccount" => format!("{}/{}", text_of(subject, "namespace"), text_of(subject, "name")),
            _ => text_of(subject, "name").to_owned(),
        });
        Value::from(names.collect::<Vec<_>>().join(", "))
    };
    let mut cells = vec![object.name(), role.into(), object.age()];
    cells.extend(["User", "Group", "ServiceAccount"].map(subjects));
    cells
}

fn request(object: &Object<'_>) -> Vec<Value> {
    let duration = object.at("spec.expirationSeconds").and_then(Value::as_i64).map(human_duration);
    let conditions = object.list("status.conditions");
    let has = |name: &str| conditions.iter().any(|condition| text_of(condition, "type") == name);
    let mut state = if has("Denied") {
        "Denied".to_owned()
    } else if has("Approved") {
        "Approved".to_owned()
    } else {
        "Pending".to_owned()
    };
    if has("Failed") {
        state.push_str(",Failed");
    }
    if !object.text("status.certificate").is_empty() {
        state.push_str(",Issued");
    }
    vec![
        object.name(),
        object.age(),
        object.text_or("spec.signerName", "<none>").into(),
        object.text("spec.username").into(),
        duration.unwrap_or_else(|| "<none>".to_owned()).into(),
        state.into(),
    ]
}
