//! The kinds that a definition adds.

use std::cmp::Ordering;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::custom::Custom;
use super::definition::{condition, text};
use crate::document::{Counting, Json};
use crate::key::Resource;
use crate::kinds::{Kind, Subresource};

const VERBS: &[&str] = &["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/// The kinds of a definition that is established: its served versions, the most important first.
pub fn kinds(crd: &Json) -> Vec<Arc<Kind>> {
    if condition(crd, "Established") != Some("True") {
        return Vec::new();
    }
    let versions = crd.get("spec").and_then(|spec| spec.get("versions")).and_then(Value::as_array);
    let served = |version: &&Json| version.get("served").and_then(Value::as_bool) == Some(true);
    let mut versions: Vec<&Json> =
        versions.into_iter().flatten().filter_map(Value::as_object).filter(served).collect();
    versions.sort_by(|a, b| by_priority(text(a, "name"), text(b, "name")));
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

/// Kubernetes' order of versions: `v10`, `v2`, `v1`, `v11beta2`, `v10beta3`, `v3alpha1`, then others by name.
pub fn by_priority(left: &str, right: &str) -> Ordering {
    match (Rank::of(left), Rank::of(right)) {
        (Some(left), Some(right)) => right.cmp(&left),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => left.cmp(right),
    }
}

/// How stable a version is, its number, and that of its beta or alpha.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank(u8, u64, u64);

impl Rank {
    fn of(version: &str) -> Option<Rank> {
        let rest = version.strip_prefix('v')?;
        let (major, stability, minor) = if let Some((major, minor)) = rest.split_once("alpha") {
            (major, 0, minor)
        } else if let Some((major, minor)) = rest.split_once("beta") {
            (major, 1, minor)
        } else {
            return number(rest).map(|major| Rank(2, major, 0));
        };
        Some(Rank(stability, number(major)?, number(minor)?))
    }
}

/// A number without a leading zero.
fn number(text: &str) -> Option<u64> {
    let well_formed = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    well_formed.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_an_order() {
        let mut versions = [
            "v1",
            "v3alpha1",
            "foo10",
            "v2",
            "v11beta2",
            "v10",
            "v10beta3",
            "v12alpha1",
            "foo1",
            "v11alpha2",
        ];
        versions.sort_by(|a, b| by_priority(a, b));
        let expected = [
            "v10",
            "v2",
            "v1",
            "v11beta2",
            "v10beta3",
            "v12alpha1",
            "v11alpha2",
            "v3alpha1",
            "foo1",
            "foo10",
        ];
        assert_eq!(versions, expected);
    }
}
