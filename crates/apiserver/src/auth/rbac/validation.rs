//! What roles and bindings must be.

use serde_json::{Map, Value, json};

use super::escalation::Write;
use super::{GROUP, selector};
use crate::auth::causes::{Causes, text, texts};
use crate::auth::names;
use crate::document::Json;
use crate::status::Status;

/// What is wrong with a role or binding, metadata but for its name aside.
///
/// # Errors
/// 422.
pub(super) fn check(write: &Write<'_>) -> Result<(), Status> {
    let mut causes = Causes::default();
    look(write, &mut causes);
    if let Some(old) = write.old {
        // The real server looks twice at what replaces something, and says everything twice.
        look(write, &mut causes);
        check_same_role(old, write.new, &mut causes);
    }
    let kind = match write.plural {
        "roles" => "Role",
        "clusterroles" => "ClusterRole",
        "rolebindings" => "RoleBinding",
        _ => "ClusterRoleBinding",
    };
    causes.check(GROUP, kind, write.name())
}

fn look(write: &Write<'_>, causes: &mut Causes) {
    for why in names::path_segment(write.name()) {
        causes.invalid_text("metadata.name", write.name(), &why);
    }
    let namespaced = matches!(write.plural, "roles" | "rolebindings");
    match write.plural {
        "roles" | "clusterroles" => check_role(write.new, namespaced, causes),
        _ => check_binding(write.new, namespaced, causes),
    }
}

fn list<'a>(object: &'a Map<String, Value>, field: &str) -> impl Iterator<Item = (usize, &'a Value)> {
    object.get(field).and_then(Value::as_array).into_iter().flatten().enumerate()
}

fn check_role(role: &Json, namespaced: bool, causes: &mut Causes) {
    for (index, rule) in list(role, "rules") {
        check_rule(rule, namespaced, &format!("rules[{index}]"), causes);
    }
    let Some(Value::Object(aggregation)) = role.get("aggregationRule").filter(|_| !namespaced) else {
        return;
    };
    let field = "aggregationRule.clusterRoleSelectors";
    if list(aggregation, "clusterRoleSelectors").next().is_none() {
        causes.required(field, "at least one clusterRoleSelector required if aggregationRule is non-nil");
    }
    for (index, each) in list(aggregation, "clusterRoleSelectors") {
        selector::check(each, &format!("{field}[{index}]"), causes);
    }
}

fn check_rule(rule: &Value, namespaced: bool, field: &str, causes: &mut Causes) {
    let has = |name: &str| !texts(rule, name).is_empty();
    if !has("verbs") {
        causes.required(format!("{field}.verbs"), "verbs must contain at least one value");
    }
    if has("nonResourceURLs") {
        let paths = json!(texts(rule, "nonResourceURLs"));
        let field = format!("{field}.nonResourceURLs");
        if namespaced {
            causes.invalid(&field, &paths, "namespaced rules cannot apply to non-resource URLs");
        }
        if has("apiGroups") || has("resources") || has("resourceNames") {
            let why = "rules cannot apply to both regular resources and non-resource URLs";
            causes.invalid(&field, &paths, why);
        }
        return;
    }
    if !has("apiGroups") {
        causes.required(format!("{field}.apiGroups"), "resource rules must supply at least one api group");
    }
    if !has("resources") {
        causes.required(format!("{field}.resources"), "resource rules must supply at least one resource");
    }
}

fn check_binding(binding: &Json, namespaced: bool, causes: &mut Causes) {
    let nothing = Value::Null;
    let reference = binding.get("roleRef").unwrap_or(&nothing);
    let (group, kind, name) = (text(reference, "apiGroup"), text(reference, "kind"), text(reference, "name"));
    if group != GROUP {
        causes.unsupported("roleRef.apiGroup", group, &[GROUP]);
    }
    let kinds: &[&str] = if namespaced { &["Role", "ClusterRole"] } else { &["ClusterRole"] };
    if !kinds.contains(&kind) {
        causes.unsupported("roleRef.kind", kind, kinds);
    }
    if name.is_empty() {
        causes.required("roleRef.name", "");
    }
    for why in names::path_segment(name) {
        causes.invalid_text("roleRef.name", name, &why);
    }
    for (index, subject) in list(binding, "subjects") {
        check_subject(subject, namespaced, &format!("subjects[{index}]"), causes);
    }
}

fn check_subject(subject: &Value, namespaced: bool, field: &str, causes: &mut Causes) {
    let (kind, name, group) = (text(subject, "kind"), text(subject, "name"), text(subject, "apiGroup"));
    if name.is_empty() {
        causes.required(format!("{field}.name"), "");
    }
    match kind {
        "ServiceAccount" => {
            for why in names::subdomain(name).into_iter().filter(|_| !name.is_empty()) {
                causes.invalid_text(format!("{field}.name"), name, &why);
            }
            if !group.is_empty() {
                causes.unsupported(format!("{field}.apiGroup"), group, &[""]);
            }
            if !namespaced && text(subject, "namespace").is_empty() {
                causes.required(format!("{field}.namespace"), "");
            }
        }
        "User" | "Group" if group != GROUP => {
            causes.unsupported(format!("{field}.apiGroup"), group, &[GROUP]);
        }
        "User" | "Group" => {}
        _ => causes.unsupported(format!("{field}.kind"), kind, &["ServiceAccount", "User", "Group"]),
    }
}

fn check_same_role(old: &Json, new: &Json, causes: &mut Causes) {
    let (Some(old), Some(new)) = (old.get("roleRef"), new.get("roleRef")) else { return };
    if ["apiGroup", "kind", "name"].iter().all(|field| text(old, field) == text(new, field)) {
        return;
    }
    let [group, kind, name] = ["apiGroup", "kind", "name"].map(|field| json!(text(new, field)));
    let shown = format!(r#"{{"APIGroup":{group},"Kind":{kind},"Name":{name}}}"#);
    causes.invalid("roleRef", shown, "cannot change roleRef");
}
