//! What the agent of a node may do.

use std::collections::BTreeMap;

use bowline_api::GROUP;
use bowline_api::upgrades::Member;
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::{PolicyRule, Role, RoleBinding, RoleRef, Subject};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

/// Whose rights these are.
pub(super) struct Rights<'a> {
    pub(super) namespace: &'a str,
    pub(super) group: &'a str,
    pub(super) member: &'a str,
    /// The Member: what belongs to it goes with it, and its tokens are worth nothing then.
    pub(super) owner: OwnerReference,
}

impl Rights<'_> {
    /// The name of all that belongs to the member.
    pub(super) fn name(&self) -> String {
        Member::account_name(self.group, self.member)
    }

    pub(super) fn metadata(&self) -> ObjectMeta {
        ObjectMeta {
            name: Some(self.name()),
            namespace: Some(self.namespace.to_owned()),
            labels: Some(BTreeMap::from([(Member::LABEL.to_owned(), self.group.to_owned())])),
            owner_references: Some(vec![self.owner.clone()]),
            ..ObjectMeta::default()
        }
    }

    /// Who the agent is.
    pub(super) fn account(&self) -> ServiceAccount {
        ServiceAccount {
            metadata: self.metadata(),
            // No pod of the cluster needs it.
            automount_service_account_token: Some(false),
            ..ServiceAccount::default()
        }
    }

    /// All that the agent may do: it reads its group and its own Member, says how it is, renews its own lease, and tells people of it.
    pub(super) fn role(&self) -> Role {
        let object = Member::object_name(self.group, self.member);
        let (group, own) = ([self.group], [object.as_str()]);
        let account = self.name();
        let read = ["get", "list", "watch"];
        let rules = vec![
            rule(GROUP, "nodegroups", &group, &read),
            rule(GROUP, "members", &own, &read),
            rule(GROUP, "members/status", &own, &["get", "update", "patch"]),
            // By a name, and so by PUT or by apply: who may POST could make any.
            rule(
                "coordination.k8s.io",
                "leases",
                &[&account],
                &["get", "list", "watch", "create", "update", "patch"],
            ),
            rule("events.k8s.io", "events", &[], &["create"]),
            rule("", "events", &[], &["create"]),
        ];
        Role { metadata: self.metadata(), rules: Some(rules) }
    }

    pub(super) fn binding(&self) -> RoleBinding {
        RoleBinding {
            metadata: self.metadata(),
            role_ref: RoleRef {
                api_group: "rbac.authorization.k8s.io".to_owned(),
                kind: "Role".to_owned(),
                name: self.name(),
            },
            subjects: Some(vec![Subject {
                kind: "ServiceAccount".to_owned(),
                name: self.name(),
                namespace: Some(self.namespace.to_owned()),
                api_group: None,
            }]),
        }
    }
}

/// These verbs on a kind, and only on those of these names, if any are named.
pub(super) fn rule(group: &str, resource: &str, names: &[&str], verbs: &[&str]) -> PolicyRule {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    PolicyRule {
        api_groups: Some(owned(&[group])),
        resources: Some(owned(&[resource])),
        resource_names: (!names.is_empty()).then(|| owned(names)),
        verbs: owned(verbs),
        ..PolicyRule::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_events_are_allowed_without_a_name_and_only_to_be_made() {
        let rights =
            Rights { namespace: "team", group: "kv", member: "n1", owner: OwnerReference::default() };
        for rule in rights.role().rules.expect("rules") {
            let of_events = rule.resources == Some(vec!["events".to_owned()]);
            assert_eq!(rule.resource_names.is_none(), of_events, "{rule:?}");
            assert!(!of_events || rule.verbs == ["create"], "{rule:?}");
            let taken = rule.verbs.iter().any(|verb| verb.contains("delete") || verb == "*");
            assert!(!taken, "{rule:?}");
        }
    }

    #[test]
    fn all_that_belongs_to_a_member_has_one_name() {
        let rights =
            Rights { namespace: "team", group: "kv", member: "n1", owner: OwnerReference::default() };
        let binding = rights.binding();
        assert_eq!(
            (rights.name().as_str(), binding.role_ref.name.as_str()),
            ("bowline-member-kv-n1", "bowline-member-kv-n1")
        );
        let subjects = binding.subjects.expect("somebody");
        assert_eq!(
            (subjects[0].name.as_str(), subjects[0].namespace.as_deref()),
            ("bowline-member-kv-n1", Some("team"))
        );
    }
}
