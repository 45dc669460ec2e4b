//! The built-in kinds: a table that is generated from the real server, less what is not served here.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::document::Counting;
use crate::key::Resource;
use crate::kinds::{Kind, Subresource};

/// `resources` and `definitions` of the real server, in its order.
static TABLE: &str = include_str!("../data/builtins.json");

/// Something that the real server serves, and this one does not.
#[derive(Debug)]
pub struct NotServed {
    /// The group.
    pub group: &'static str,
    /// The version; empty for all.
    pub version: &'static str,
    /// The plural name of the kind; empty for all of the group.
    pub plural: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// All that the real server serves by default, and this one does not. The document of differences is made of it.
pub static NOT_SERVED: &[NotServed] = &[
    NotServed {
        group: "",
        version: "",
        plural: "componentstatuses",
        reason: "deprecated, and there are no components: one process is all there is",
    },
    NotServed {
        group: "apiregistration.k8s.io",
        version: "",
        plural: "",
        reason: "there is no aggregation: every group is served by this process",
    },
    NotServed {
        group: "admissionregistration.k8s.io",
        version: "v1",
        plural: "mutatingwebhookconfigurations",
        reason: "there are no webhooks; policies are evaluated",
    },
    NotServed {
        group: "admissionregistration.k8s.io",
        version: "v1",
        plural: "validatingwebhookconfigurations",
        reason: "there are no webhooks; policies are evaluated",
    },
    NotServed {
        group: "autoscaling",
        version: "v1",
        plural: "horizontalpodautoscalers",
        reason: "kept as autoscaling/v2 only: v1 packs what it cannot say into annotations",
    },
];

/// The kinds whose objects have a `metadata.generation`, and what counts it.
///
/// As the real server does it, where in addition a priority class never gets past 1, and a CSI driver has none until
/// its spec changes.
static COUNTED: &[(&str, &str)] = &[
    ("admissionregistration.k8s.io", "validatingadmissionpolicies"),
    ("admissionregistration.k8s.io", "validatingadmissionpolicybindings"),
    ("", "pods"),
    ("", "podtemplates"),
    ("", "replicationcontrollers"),
    ("apiextensions.k8s.io", "customresourcedefinitions"),
    ("apps", "daemonsets"),
    ("apps", "replicasets"),
    ("apps", "statefulsets"),
    ("batch", "cronjobs"),
    ("batch", "jobs"),
    ("flowcontrol.apiserver.k8s.io", "flowschemas"),
    ("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations"),
    ("networking.k8s.io", "ingressclasses"),
    ("networking.k8s.io", "ingresses"),
    ("networking.k8s.io", "networkpolicies"),
    ("policy", "poddisruptionbudgets"),
    ("resource.k8s.io", "deviceclasses"),
    ("resource.k8s.io", "resourceslices"),
    ("scheduling.k8s.io", "priorityclasses"),
];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    group: Box<str>,
    version: Box<str>,
    plural: Box<str>,
    singular: Box<str>,
    kind: Box<str>,
    namespaced: bool,
    verbs: Vec<Box<str>>,
    #[serde(default)]
    short_names: Vec<Box<str>>,
    #[serde(default)]
    categories: Vec<Box<str>>,
    #[serde(default)]
    subresources: Vec<Subresource>,
    storage_version_hash: Option<String>,
}

/// All built-in kinds that are served, in the order in which the real server lists them.
pub(crate) fn kinds() -> Vec<Arc<Kind>> {
    static KINDS: LazyLock<Vec<Arc<Kind>>> = LazyLock::new(|| {
        let rows: Vec<Row> = part("resources");
        rows.into_iter().filter(is_served).map(|row| Arc::new(kind(row))).collect()
    });
    KINDS.clone()
}

/// What discovery says of the versions in which the real server keeps its objects, by `apps/v1/deployments`.
pub(crate) fn storage_hashes() -> BTreeMap<String, String> {
    let rows: Vec<Row> = part("resources");
    let hashes = rows.into_iter().filter_map(|row| {
        let hash = row.storage_version_hash.clone()?;
        let kind = kind(row);
        Some((format!("{}/{}", kind.api_version(), kind.plural), hash))
    });
    hashes.collect()
}

/// The schema that is called `name`: `io.k8s.api.core.v1.Pod`. References in it are bare names.
pub(crate) fn definition(name: &str) -> Option<Value> {
    let raw = DEFINITIONS.get(name)?;
    Some(serde_json::from_str(raw.get()).expect("the table is generated"))
}

/// How the schema of a built-in kind is called.
pub(crate) fn definition_name(group: &str, version: &str, kind: &str) -> String {
    match group {
        "" => format!("io.k8s.api.core.{version}.{kind}"),
        "apiextensions.k8s.io" => {
            format!("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.{version}.{kind}")
        }
        _ => {
            let package = group.split('.').next().unwrap_or(group);
            format!("io.k8s.api.{package}.{version}.{kind}")
        }
    }
}

/// The definitions are indexed when one is asked for, and parsed one by one: most servers never need most of them.
static DEFINITIONS: LazyLock<BTreeMap<&'static str, &'static RawValue>> =
    LazyLock::new(|| part("definitions"));

/// A part of the table: nothing else is parsed for it.
fn part<T: Deserialize<'static>>(name: &str) -> T {
    let (_, rest) = TABLE.split_once(&format!("\n\"{name}\": ")).expect("the table has this part");
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<T>();
    values.next().expect("the part is not empty").expect("the table is generated")
}

fn is_served(row: &Row) -> bool {
    let all_or = |wanted: &str, is: &str| wanted.is_empty() || wanted == is;
    !NOT_SERVED.iter().any(|not| {
        not.group == &*row.group && all_or(not.version, &row.version) && all_or(not.plural, &row.plural)
    })
}

fn counting(group: &str, plural: &str) -> Counting {
    match (group, plural) {
        ("apps", "deployments") => Counting::SpecAndAnnotations,
        ("discovery.k8s.io", "endpointslices") => Counting::SpecAndLabels,
        kind if COUNTED.contains(&kind) => Counting::Spec,
        _ => Counting::Nothing,
    }
}

fn kind(row: Row) -> Kind {
    // An event is one object, whichever group it is asked of.
    let home = if &*row.group == "events.k8s.io" { "" } else { &*row.group };
    Kind {
        list_kind: format!("{}List", row.kind).into(),
        resource: Resource::new(home, &row.plural),
        counting: counting(&row.group, &row.plural),
        custom: None,
        group: row.group,
        version: row.version,
        kind: row.kind,
        plural: row.plural,
        singular: row.singular,
        short_names: row.short_names,
        categories: row.categories,
        namespaced: row.namespaced,
        verbs: row.verbs,
        subresources: row.subresources,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_that_is_stored_has_a_schema() {
        let kinds = kinds();
        assert_eq!(kinds.len(), 61);
        for kind in &kinds {
            let name = definition_name(&kind.group, &kind.version, &kind.kind);
            let definition = definition(&name).unwrap_or_else(|| panic!("{name}"));
            let types = &definition["x-kubernetes-group-version-kind"][0];
            assert_eq!(types["kind"], *kind.kind, "{name}");
        }
    }

    #[test]
    fn the_table_of_differences_says_why_something_is_not_served() {
        let document = include_str!("../../../docs/differences.md");
        let kinds = kinds();
        let is_served = |group: &str, version: &str| {
            kinds.iter().any(|kind| &*kind.group == group && &*kind.version == version)
        };
        for NotServed { group, version, plural, reason } in NOT_SERVED {
            let place = match (*group, *version) {
                ("", _) => format!("/body/resources/{plural}"),
                (group, version) if is_served(group, version) => format!("/body/resources/{plural}"),
                (group, "") => format!("/body/groups/{group}"),
                (group, version) => format!("/body/groups/{group}/versions/{version}"),
            };
            assert!(document.contains(&format!("| `{place}` | {reason} |")), "{place}");
        }
    }

    #[test]
    fn each_table_speaks_of_kinds_that_there_are() {
        let rows: Vec<Row> = part("resources");
        for not in NOT_SERVED {
            let found = rows
                .iter()
                .any(|row| not.group == &*row.group && (not.plural.is_empty() || not.plural == &*row.plural));
            assert!(found, "{not:?}");
        }
        for (group, plural) in COUNTED {
            assert!(rows.iter().any(|row| *group == &*row.group && *plural == &*row.plural), "{plural}");
        }
    }
}
