//! Service accounts where identities are: whose they are, and which role they have.

use bowline_api::identities::IamRoleServiceAccount;
use bowline_control::Version;
use bowline_identities::Account;
use bowline_identities::plain::{Named, Plain};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;
use kube::core::DynamicObject;

/// The annotation by which pods of an account get a role: the one of EKS.
pub(crate) const ROLE_ARN: &str = "eks.amazonaws.com/role-arn";

pub(super) fn read(raw: &DynamicObject) -> Option<Account<Plain>> {
    let meta = &raw.metadata;
    let namespace = meta.namespace.clone()?;
    let owner = meta.owner_references.iter().flatten().find(|owner| is_identity(owner));
    let of = owner
        .map(|owner| (Named { namespace: namespace.clone(), name: owner.name.clone() }, owner.uid.clone()));
    Some(Account {
        name: Named { namespace, name: meta.name.clone()? },
        uid: meta.uid.clone()?,
        version: Version(meta.resource_version.as_deref()?.parse().ok()?),
        deleting: meta.deletion_timestamp.is_some(),
        of,
        role: meta.annotations.as_ref().and_then(|all| all.get(ROLE_ARN)).cloned(),
    })
}

/// Says whose it is, so that it goes with its identity, and which role it has.
pub(super) fn draw(account: &Account<Plain>, raw: &mut DynamicObject) {
    let mut owners = raw.metadata.owner_references.take().unwrap_or_default();
    let place = owners.iter().position(is_identity).unwrap_or(owners.len());
    owners.retain(|owner| !is_identity(owner));
    if let Some((Named { name, .. }, uid)) = &account.of {
        owners.insert(place.min(owners.len()), owner(name, uid));
    }
    raw.metadata.owner_references = Some(owners).filter(|owners| !owners.is_empty());
    let mut annotations = raw.metadata.annotations.take().unwrap_or_default();
    match &account.role {
        Some(role) => drop(annotations.insert(ROLE_ARN.to_owned(), role.clone())),
        None => drop(annotations.remove(ROLE_ARN)),
    }
    raw.metadata.annotations = Some(annotations).filter(|annotations| !annotations.is_empty());
}

/// Whether an owner is an identity.
pub(super) fn is_identity(owner: &OwnerReference) -> bool {
    let group = owner.api_version.split_once('/').map(|(group, _)| group);
    group == Some(bowline_api::GROUP) && owner.kind == IamRoleServiceAccount::kind(&())
}

/// An identity as an owner.
pub(super) fn owner(name: &str, uid: &str) -> OwnerReference {
    OwnerReference {
        api_version: IamRoleServiceAccount::api_version(&()).into_owned(),
        kind: IamRoleServiceAccount::kind(&()).into_owned(),
        name: name.to_owned(),
        uid: uid.to_owned(),
        // An account that is taken over may have somebody else who controls it, and only one can.
        controller: None,
        block_owner_deletion: None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn raw(more: &Value) -> DynamicObject {
        let mut object = json!({
            "apiVersion": "v1", "kind": "ServiceAccount",
            "metadata": { "name": "reader", "namespace": "team", "uid": "a", "resourceVersion": "7" },
            "secrets": [{ "name": "kept" }],
        });
        for (field, value) in more.as_object().expect("fields") {
            object["metadata"][field] = value.clone();
        }
        serde_json::from_value(object).expect("an object")
    }

    fn named(name: &str) -> Named {
        Named { namespace: "team".into(), name: name.into() }
    }

    #[test]
    fn whose_it_is_and_its_role_come_back_and_the_rest_stays() {
        let theirs = json!({ "apiVersion": "v1", "kind": "Secret", "name": "s", "uid": "s" });
        let more = json!({ "ownerReferences": [theirs], "annotations": { "x": "y" } });
        let before = raw(&more);
        let account = read(&before).expect("an account");
        assert_eq!((&account.of, &account.role), (&None, &None));
        let published = Account {
            of: Some((named("ours"), "i".into())),
            role: Some("arn:aws:iam::123456789012:role/x".into()),
            ..account.clone()
        };
        let mut drawn = before.clone();
        draw(&published, &mut drawn);
        assert_eq!(read(&drawn), Some(published.clone()));
        assert_eq!(drawn.metadata.owner_references.as_ref().map(Vec::len), Some(2));
        let again = drawn.clone();
        draw(&published, &mut drawn);
        assert_eq!(drawn, again);
        draw(&account, &mut drawn);
        assert_eq!(drawn, before);
    }

    #[test]
    fn another_of_the_name_takes_the_place_of_the_one_before() {
        let mut raw = raw(&json!({}));
        let account = read(&raw).expect("an account");
        for uid in ["1", "2"] {
            let of = Some((named("ours"), uid.to_owned()));
            draw(&Account { of: of.clone(), ..account.clone() }, &mut raw);
            assert_eq!(read(&raw).expect("an account").of, of);
            assert_eq!(raw.metadata.owner_references.as_ref().map(Vec::len), Some(1));
        }
    }

    #[test]
    fn kinds_of_others_that_are_called_the_same_own_nothing() {
        let owner =
            json!({ "apiVersion": "other.dev/v1", "kind": "IamRoleServiceAccount", "name": "x", "uid": "x" });
        assert_eq!(read(&raw(&json!({ "ownerReferences": [owner] }))).expect("an account").of, None);
    }
}
