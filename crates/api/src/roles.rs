//! What teams may do with the kinds.

use std::collections::BTreeMap;

use k8s_openapi::api::rbac::v1::{ClusterRole, PolicyRule};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::GROUP;

const READ: &[&str] = &["get", "list", "watch"];
const WRITE: &[&str] = &["create", "delete", "deletecollection", "patch", "update"];

/// What a team works with. Devices and grants are the hub's and its agents', clusters and targets belong to whoever runs the
/// hub; members are made by whoever administers the namespace.
const OF_TEAMS: &[&str] = &["bundles", "nodegroups", "placements", "stacks", "updates"];

/// Whoever may write these may have every permission in the cloud that the hub can give: that is not for everybody who
/// may edit.
const OF_ADMINISTRATORS: &[&str] = &["iamroleserviceaccounts"];

/// Whoever lets nodes join makes their Members, and gives their agents rights that one has to have oneself to give them.
fn of_joining() -> Vec<PolicyRule> {
    let events = PolicyRule {
        api_groups: Some(vec!["events.k8s.io".to_owned()]),
        resources: Some(vec!["events".to_owned()]),
        verbs: vec!["create".to_owned()],
        ..PolicyRule::default()
    };
    vec![rule(&["members"], WRITE), rule(&["members/status"], &["get", "patch", "update"]), events]
}

/// The roles for teams, which are added to the roles `view`, `edit` and `admin` that every cluster has.
pub fn cluster_roles() -> Vec<ClusterRole> {
    let every = crate::crds();
    let mut every: Vec<_> = every.iter().map(|definition| definition.spec.names.plural.as_str()).collect();
    every.sort_unstable();
    vec![
        role("view", vec![rule(&every, READ)]),
        role("edit", vec![rule(OF_TEAMS, WRITE)]),
        role("admin", [vec![rule(OF_ADMINISTRATORS, WRITE)], of_joining()].concat()),
    ]
}

/// A role of Kubernetes' own takes in what carries its label, and each of them the one before: `edit` has what is
/// added to `view`, and `admin` what is added to `edit`.
fn role(to: &str, rules: Vec<PolicyRule>) -> ClusterRole {
    let label = (format!("rbac.authorization.k8s.io/aggregate-to-{to}"), "true".to_owned());
    let metadata = ObjectMeta {
        name: Some(format!("bowline-{to}")),
        labels: Some(BTreeMap::from([label, crate::version()])),
        ..ObjectMeta::default()
    };
    ClusterRole { metadata, rules: Some(rules), ..ClusterRole::default() }
}

fn rule(resources: &[&str], verbs: &[&str]) -> PolicyRule {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    PolicyRule {
        api_groups: Some(vec![GROUP.to_owned()]),
        resources: Some(owned(resources)),
        verbs: owned(verbs),
        ..PolicyRule::default()
    }
}
