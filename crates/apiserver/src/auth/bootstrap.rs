//! What a fresh server has: namespaces, priority classes, and the default roles, which are kept complete.

pub(crate) mod own;

use bowline_kernel::View;
use serde_json::{Map, Value, json};

use super::causes::text;
use super::rbac::{GROUP, Rule, missing};
use crate::document::{Document, Json};
use crate::key::{Key, Resource};

/// What a fresh Kubernetes 1.34 has; `data/README.md` says how it is made.
static OBJECTS: &str = include_str!("../../data/roles.json");

/// Who does not want their role kept complete says `false` here.
const AUTOUPDATE: &str = "rbac.authorization.kubernetes.io/autoupdate";

/// Something that has to be done at start.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Due {
    /// To which object.
    pub key: Key,
    /// What.
    pub action: Action,
}

/// What has to be done with an object. Its JSON has `apiVersion` and `kind`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Action {
    /// It is not there.
    Create(Json),
    /// It lacks something: what it has to be.
    Replace(Json),
    /// A binding of another role: it has to go, and be made anew.
    Recreate(Json),
}

/// What has to be done at start, in this order.
///
/// # Panics
/// If the data that is compiled in is broken: the tests see that it is not.
pub(crate) fn due(view: &View<Document>) -> Vec<Due> {
    let objects: Vec<Json> = serde_json::from_str(OBJECTS).expect("the data is a list of objects");
    objects.into_iter().filter_map(|wanted| look(view, wanted)).collect()
}

fn look(view: &View<Document>, wanted: Json) -> Option<Due> {
    let resource = resource_of(wanted.get("kind")?.as_str()?)?;
    let metadata = wanted.get("metadata")?;
    let key = Key::new(resource, text(metadata, "namespace"), text(metadata, "name"));
    let action = match view.get(&key) {
        None => Action::Create(wanted),
        Some(_) if key.resource.group() != GROUP => return None,
        Some(found) => reconcile(&found.json(), wanted)?,
    };
    Some(Due { key, action })
}

/// The resource of a kind of which there is something at start.
pub(super) fn resource_of(kind: &str) -> Option<Resource> {
    Some(match kind {
        "Namespace" => Resource::new("", "namespaces"),
        "PriorityClass" => Resource::new("scheduling.k8s.io", "priorityclasses"),
        "ClusterRole" => Resource::new(GROUP, "clusterroles"),
        "ClusterRoleBinding" => Resource::new(GROUP, "clusterrolebindings"),
        "Role" => Resource::new(GROUP, "roles"),
        "RoleBinding" => Resource::new(GROUP, "rolebindings"),
        _ => return None,
    })
}

/// What to do so that `found` has all that is `wanted`. More than that is left alone.
fn reconcile(found: &Json, wanted: Json) -> Option<Action> {
    if found.get("metadata")?.get("annotations").is_some_and(|all| text(all, AUTOUPDATE) == "false") {
        return None;
    }
    let mut new = found.clone();
    for field in ["apiVersion", "kind"] {
        new.insert(field.into(), wanted.get(field)?.clone());
    }
    let mut changed = merge_metadata(&mut new, &wanted);
    if let Some(role) = wanted.get("roleRef") {
        if found.get("roleRef") != Some(role) {
            return Some(Action::Recreate(wanted));
        }
        changed |= add_to_list(&mut new, "subjects", |found| missing_subjects(found, &wanted));
    } else {
        changed |= add_to_list(&mut new, "rules", |found| {
            let [found, wanted] = [found.clone(), wanted.clone()].map(Value::Object);
            let lacking = missing(&Rule::of_role(&found), &Rule::of_role(&wanted));
            lacking.iter().map(|rule| json!(rule)).collect()
        });
        changed |= merge_aggregation(&mut new, &wanted);
    }
    changed.then_some(Action::Replace(new))
}

/// Labels and annotations that are not there are added; what they say otherwise is left alone.
fn merge_metadata(new: &mut Json, wanted: &Json) -> bool {
    let mut changed = false;
    let Some(Value::Object(metadata)) = new.get_mut("metadata") else { return false };
    for field in ["labels", "annotations"] {
        let wanted = wanted.get("metadata").and_then(|metadata| metadata.get(field));
        for (name, value) in wanted.and_then(Value::as_object).into_iter().flatten() {
            let all = metadata.entry(field).or_insert_with(|| json!({}));
            if let Some(all) = all.as_object_mut().filter(|all| !all.contains_key(name)) {
                all.insert(name.clone(), value.clone());
                changed = true;
            }
        }
    }
    changed
}

fn add_to_list(new: &mut Json, field: &str, lacking: impl Fn(&Json) -> Vec<Value>) -> bool {
    let lacking = lacking(new);
    let changed = !lacking.is_empty();
    if changed {
        let mut list = new.get(field).and_then(Value::as_array).cloned().unwrap_or_default();
        list.extend(lacking);
        new.insert(field.into(), list.into());
    }
    changed
}

fn missing_subjects(found: &Json, wanted: &Json) -> Vec<Value> {
    let same = |one: &Value, other: &Value| {
        ["kind", "apiGroup", "name", "namespace"].iter().all(|field| text(one, field) == text(other, field))
    };
    let list = |object: &Json| object.get("subjects").and_then(Value::as_array).cloned().unwrap_or_default();
    let found = list(found);
    list(wanted).into_iter().filter(|wanted| !found.iter().any(|found| same(found, wanted))).collect()
}

fn merge_aggregation(new: &mut Json, wanted: &Json) -> bool {
    let selectors = |object: &Map<String, Value>| {
        let rule = object.get("aggregationRule").filter(|rule| !rule.is_null())?;
        Some(rule.get("clusterRoleSelectors").and_then(Value::as_array).cloned().unwrap_or_default())
    };
    match (selectors(new), selectors(wanted)) {
        (None, None) => false,
        (Some(_), None) => new.remove("aggregationRule").is_some(),
        (found, Some(wanted)) => {
            let mut all = found.unwrap_or_default();
            let before = all.len();
            let lacking: Vec<_> = wanted.into_iter().filter(|wanted| !all.contains(wanted)).collect();
            all.extend(lacking);
            let changed = all.len() > before;
            new.insert("aggregationRule".into(), json!({ "clusterRoleSelectors": all }));
            changed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::testing::view;

    fn everything() -> Vec<Value> {
        serde_json::from_str(OBJECTS).expect("the data is JSON")
    }

    fn said(change: impl Fn(&mut Vec<Value>)) -> Vec<String> {
        let mut objects = everything();
        change(&mut objects);
        let due = due(&view(objects));
        due.into_iter()
            .map(|due| {
                let (what, json) = match due.action {
                    Action::Create(json) => ("create", json),
                    Action::Replace(json) => ("replace", json),
                    Action::Recreate(json) => ("recreate", json),
                };
                let list = json.get("rules").or(json.get("subjects")).and_then(Value::as_array);
                format!("{what} {} {}", due.key.name, list.map_or(0, Vec::len))
            })
            .collect()
    }

    fn find<'a>(objects: &'a mut [Value], kind: &str, name: &str) -> &'a mut Value {
        let mut objects = objects.iter_mut();
        objects
            .find(|object| object["kind"] == kind && object["metadata"]["name"] == name)
            .expect("it is there")
    }

    #[test]
    fn a_fresh_server_gets_everything_and_its_namespaces_first() {
        let due = due(&view([]));
        assert_eq!(due.len(), 137);
        let names: Vec<_> = due.iter().take(4).map(|due| &*due.key.name).collect();
        assert_eq!(names, ["kube-system", "kube-public", "default", "kube-node-lease"]);
        assert!(due.iter().all(|due| matches!(due.action, Action::Create(_))));
    }

    #[test]
    fn what_is_complete_is_left_alone() {
        assert_eq!(said(|_| ()), [""; 0]);
        assert_eq!(
            said(|objects| {
                let role = find(objects, "ClusterRole", "system:discovery");
                role["rules"]
                    .as_array_mut()
                    .unwrap()
                    .push(json!({"verbs": ["x"], "nonResourceURLs": ["/x"]}));
                find(objects, "ClusterRole", "admin")["rules"] = json!([{"verbs": ["x"]}]);
            }),
            [""; 0]
        );
    }

    #[test]
    fn what_is_missing_comes_back_unless_it_is_not_wanted() {
        let lacking = |object: &mut Value| {
            object["rules"] = json!([{"verbs": ["get"], "nonResourceURLs": ["/healthz"]}]);
        };
        assert_eq!(
            said(|objects| lacking(find(objects, "ClusterRole", "system:discovery"))),
            ["replace system:discovery 11"]
        );
        assert_eq!(
            said(|objects| {
                let role = find(objects, "ClusterRole", "system:discovery");
                lacking(role);
                role["metadata"]["annotations"][AUTOUPDATE] = json!("false");
            }),
            [""; 0]
        );
        assert_eq!(
            said(|objects| {
                let binding = find(objects, "ClusterRoleBinding", "system:public-info-viewer");
                binding["subjects"] = json!([{"kind": "User", "apiGroup": GROUP, "name": "eve"}]);
                let binding = find(objects, "ClusterRoleBinding", "system:discovery");
                binding["roleRef"]["name"] = json!("other");
                find(objects, "ClusterRole", "view")["aggregationRule"] = Value::Null;
                objects.retain(|object| object["metadata"]["name"] != "default");
            }),
            [
                "create default 0",
                "replace view 0",
                "recreate system:discovery 1",
                "replace system:public-info-viewer 3"
            ]
        );
    }
}
