//! What syncers may do, and how namespaces say where they are.

use k8s_openapi::api::rbac::v1::{ClusterRole, PolicyRule};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::placement::Placement;
use crate::GROUP;

/// What a label begins with that says what a target does with a namespace or a claim; the name of the target follows.
pub const STATE_LABEL: &str = "state.bowline.dev/";

/// The value of such a label: the target syncs it.
pub const SYNCS: &str = "Sync";

/// What a syncer may do in the namespaces that its target has: a ClusterRole, which the hub binds in each of them for as long.
pub const SYNCER_ROLE: &str = "bowline-syncer";

const READ: &[&str] = &["get", "list", "watch"];
const SAY: &[&str] = &["get", "patch", "update"];

/// What is copied down, by API group.
const COPIED: &[(&str, &[&str])] = &[
    ("", &["configmaps", "persistentvolumeclaims", "secrets", "serviceaccounts", "services"]),
    ("apps", &["deployments", "statefulsets"]),
    ("batch", &["jobs"]),
];

/// Whose status is copied up.
const SHOWN: &[(&str, &[&str])] = &[
    ("", &["persistentvolumeclaims/status", "services/status"]),
    ("apps", &["deployments/status", "statefulsets/status"]),
    ("batch", &["jobs/status"]),
];

/// The role [`SYNCER_ROLE`].
pub fn syncer_role() -> ClusterRole {
    let of = |(group, resources): &(&str, &[&str]), verbs| rule(group, resources, &[], verbs);
    let mut rules: Vec<_> = COPIED.iter().map(|copied| of(copied, READ)).collect();
    rules.extend(SHOWN.iter().map(|shown| of(shown, SAY)));
    rules.push(rule(GROUP, &["placements"], &[Placement::NAME], READ));
    rules.push(rule(GROUP, &["placements/status"], &[Placement::NAME], SAY));
    rules.push(rule("events.k8s.io", &["events"], &[], &["create"]));
    let metadata = ObjectMeta {
        name: Some(SYNCER_ROLE.to_owned()),
        labels: Some([crate::version()].into()),
        ..ObjectMeta::default()
    };
    ClusterRole { metadata, rules: Some(rules), ..ClusterRole::default() }
}

fn rule(group: &str, resources: &[&str], names: &[&str], verbs: &[&str]) -> PolicyRule {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    PolicyRule {
        api_groups: Some(owned(&[group])),
        resources: Some(owned(resources)),
        resource_names: (!names.is_empty()).then(|| owned(names)),
        verbs: owned(verbs),
        ..PolicyRule::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_syncer_changes_nothing_but_status_where_its_target_is() {
        for rule in syncer_role().rules.expect("rules") {
            let writes = rule.verbs.iter().any(|verb| !READ.contains(&verb.as_str()));
            let resources = rule.resources.expect("resources");
            let of_events = resources == ["events"];
            let of_status = resources.iter().all(|resource| resource.ends_with("/status"));
            assert!(!writes || of_events || of_status, "{resources:?}");
            assert!(!rule.verbs.iter().any(|verb| verb.contains("delete") || verb == "*"), "{resources:?}");
        }
    }
}
