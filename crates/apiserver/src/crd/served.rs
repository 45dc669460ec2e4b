//! The kinds that a definition adds.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::custom::Custom;
use super::definition::{condition, text};
use crate::discovery::priority;
use crate::document::{Counting, Json};
use crate::key::Resource;
use crate::kinds::{Kind, Subresource};

const VERBS: &[&str] = &["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/// The kinds of a definition that is established: its served versions, the most important first.
pub(crate) fn kinds(crd: &Json) -> Vec<Arc<Kind>> {
    if condition(crd, "Established") != Some("True") {
        return Vec::new();
    }
    let versions = crd.get("spec").and_then(|spec| spec.get("versions")).and_then(Value::as_array);
    let served = |version: &&Json| version.get("served").and_then(Value::as_bool) == Some(true);
    let mut versions: Vec<&Json> =
        versions.into_iter().flatten().filter_map(Value::as_object).filter(served).collect();
    versions.sort_by(|a, b| priority::compare(text(a, "name"), text(b, "name")));
    versions.into_iter().map(|version| Arc::new(kind(crd, version))).collect()
}

fn kind(crd: &Json, version: &Json) -> Kind {
    let empty = Map::new();
    let spec = crd.get("spec").and_then(Value::as_object).unwrap_or(&empty);
    // What was accepted may be older than what is asked for.
    let accepted =
        crd.get("status").and_then(|status| status.get("acceptedNames")).and_then(Value::as_object);
    let names = accepted.unwrap_or(&empty);
    let group = text(spec, "group");
    let list = |name: &str| -> Vec<Box<str>> {
        let list = names.get(name).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str).map(Into::into).collect()
    };
    let custom = Custom::compile(crd, version);
    let verbs = VERBS.iter().map(|verb| (*verb).into()).collect();
    Kind {
        group: group.into(),
        version: text(version, "name").into(),
        kind: text(names, "kind").into(),
        list_kind: text(names, "listKind").into(),
        plural: text(names, "plural").into(),
        singular: text(names, "singular").into(),
        short_names: list("shortNames"),
        categories: list("categories"),
        namespaced: text(spec, "scope") == "Namespaced",
        verbs,
        subresources: subresources(&custom, text(names, "kind")),
        resource: Resource::new(group, text(names, "plural")),
        counting: if custom.has_status() { Counting::Spec } else { Counting::SpecAndStatus },
        custom: Some(Arc::new(custom)),
    }
}

fn subresources(custom: &Custom, kind: &str) -> Vec<Subresource> {
    let verbs = || ["get", "patch", "update"].into_iter().map(Into::into).collect();
    let mut all = Vec::new();
    if custom.has_status() {
        all.push(Subresource {
            name: "status".into(),
            group: "".into(),
            version: "".into(),
            kind: kind.into(),
            verbs: verbs(),
        });
    }
    if custom.has_scale() {
        all.push(Subresource {
            name: "scale".into(),
            group: "autoscaling".into(),
            version: "v1".into(),
            kind: "Scale".into(),
            verbs: verbs(),
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_established_definition_adds_its_served_versions() {
        let names = json!({"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList",
            "shortNames": ["th"], "categories": ["all"]});
        let version = |name: &str, served: bool, subresources: Value| json!({"name": name, "served": served, "storage": name == "v1", "subresources": subresources});
        let scale = json!({"status": {}, "scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}});
        let mut crd = json!({"spec": {"group": "x.dev", "scope": "Namespaced", "names": names, "versions": [
                version("v1beta1", true, json!(null)), version("v2", false, json!(null)), version("v1", true, scale)]},
            "status": {"acceptedNames": names, "conditions": [{"type": "Established", "status": "True"}]}});
        let shown: Vec<String> = kinds(crd.as_object().expect("a definition"))
            .iter()
            .map(|kind| {
                let below: Vec<&str> = kind.subresources.iter().map(|below| &*below.name).collect();
                format!(
                    "{} {} {:?} {below:?} {:?}",
                    kind.api_version(),
                    kind.plural,
                    kind.short_names,
                    kind.counting
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                r#"x.dev/v1 things ["th"] ["status", "scale"] Spec"#,
                r#"x.dev/v1beta1 things ["th"] [] SpecAndStatus"#,
            ]
        );
        crd["status"]["conditions"][0]["status"] = json!("False");
        assert_eq!(kinds(crd.as_object().expect("a definition")).len(), 0);
    }
}
