//! What the syncer of a target may do, beside what it may in the namespaces that the target has.

use std::collections::BTreeMap;

use bowline_api::placements::SyncTarget;
use bowline_api::{GROUP, SYSTEM_NAMESPACE};
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding, RoleRef, Subject};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use super::rights::rule;

const RBAC: &str = "rbac.authorization.k8s.io";

/// Whose rights these are.
pub(super) struct SyncerRights<'a> {
    pub(super) target: &'a str,
    /// The SyncTarget: what belongs to it goes with it, and its tokens are worth nothing then.
    pub(super) owner: OwnerReference,
}

impl SyncerRights<'_> {
    /// The name of all that belongs to the syncer.
    pub(super) fn name(&self) -> String {
        SyncTarget::account_name(self.target)
    }

    /// Of what is in no namespace.
    fn cluster_metadata(&self) -> ObjectMeta {
        ObjectMeta { namespace: None, ..self.metadata() }
    }

    pub(super) fn metadata(&self) -> ObjectMeta {
        ObjectMeta {
            name: Some(self.name()),
            namespace: Some(SYSTEM_NAMESPACE.to_owned()),
            labels: Some(BTreeMap::from([(SyncTarget::LABEL.to_owned(), self.target.to_owned())])),
            owner_references: Some(vec![self.owner.clone()]),
            ..ObjectMeta::default()
        }
    }

    /// Who the syncer is.
    pub(super) fn account(&self) -> ServiceAccount {
        ServiceAccount {
            metadata: self.metadata(),
            // No pod of the hub needs it.
            automount_service_account_token: Some(false),
            ..ServiceAccount::default()
        }
    }

    /// What it may do everywhere: see what concerns it, and say what it does with volumes. Nothing in it names a Secret.
    pub(super) fn cluster_role(&self) -> ClusterRole {
        let read = ["get", "list", "watch"];
        let say = ["get", "patch", "update"];
        let rules = vec![
            rule(GROUP, "synctargets", &[self.target], &read),
            rule(GROUP, "synctargets/status", &[self.target], &say),
            rule(GROUP, "placements", &[], &read),
            // It makes those of volumes that were made in its cluster.
            rule(GROUP, "volumegrants", &[], &["create", "get", "list", "watch"]),
            rule(GROUP, "volumegrants/status", &[], &say),
            rule("", "namespaces", &[], &read),
        ];
        ClusterRole { metadata: self.cluster_metadata(), rules: Some(rules), ..ClusterRole::default() }
    }

    pub(super) fn cluster_binding(&self) -> ClusterRoleBinding {
        ClusterRoleBinding {
            metadata: self.cluster_metadata(),
            role_ref: RoleRef {
                api_group: RBAC.to_owned(),
                kind: "ClusterRole".to_owned(),
                name: self.name(),
            },
            subjects: Some(vec![self.subject()]),
        }
    }

    /// What it may do where Bowline has its own things: renew its lease.
    pub(super) fn role(&self) -> Role {
        let name = self.name();
        let verbs = ["get", "list", "watch", "create", "update", "patch"];
        // By a name, and so by PUT or by apply: who may POST could make any.
        let rules = vec![rule("coordination.k8s.io", "leases", &[&name], &verbs)];
        Role { metadata: self.metadata(), rules: Some(rules) }
    }

    /// And see how often the hub was restored: who copies from one that has forgotten something must not take that for removed.
    pub(super) fn restores(&self) -> (Role, RoleBinding) {
        let metadata = ObjectMeta {
            name: Some(format!("{}-restores", self.name())),
            namespace: Some("kube-system".to_owned()),
            ..self.metadata()
        };
        let rules = vec![rule("", "configmaps", &["bowline-restored"], &["get"])];
        let role_ref = RoleRef {
            api_group: RBAC.to_owned(),
            kind: "Role".to_owned(),
            name: metadata.name.clone().unwrap_or_default(),
        };
        let role = Role { metadata: metadata.clone(), rules: Some(rules) };
        (role, RoleBinding { metadata, role_ref, subjects: Some(vec![self.subject()]) })
    }

    pub(super) fn binding(&self) -> RoleBinding {
        RoleBinding {
            metadata: self.metadata(),
            role_ref: RoleRef { api_group: RBAC.to_owned(), kind: "Role".to_owned(), name: self.name() },
            subjects: Some(vec![self.subject()]),
        }
    }

    fn subject(&self) -> Subject {
        Subject {
            kind: "ServiceAccount".to_owned(),
            name: self.name(),
            namespace: Some(SYSTEM_NAMESPACE.to_owned()),
            api_group: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_syncer_reads_no_secrets_everywhere_and_deletes_nothing() {
        let rights = SyncerRights { target: "east", owner: OwnerReference::default() };
        let all = rights.cluster_role().rules.into_iter().chain(rights.role().rules).flatten();
        for rule in all {
            let resources = rule.resources.clone().unwrap_or_default();
            assert!(!resources.iter().any(|resource| resource == "secrets" || resource == "*"), "{rule:?}");
            assert!(!rule.verbs.iter().any(|verb| verb.contains("delete") || verb == "*"), "{rule:?}");
            let of_target =
                resources.iter().any(|resource| resource.starts_with("synctargets") || resource == "leases");
            assert_eq!(rule.resource_names.is_some(), of_target, "{rule:?}");
        }
    }
}
