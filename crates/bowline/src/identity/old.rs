//! The objects of the operator that identities come from: `irsa.voodoo.io/v1alpha1`.
//!
//! It knows a policy of statements, each with one resource and a list of actions, that are always allowed; the account is called as
//! the object is.

use bowline_api::identities::{
    Effect, IamRoleServiceAccount, IamRoleServiceAccountSpec, PolicyDocument, Resources, Statement,
};
use kube::ResourceExt;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind};
use serde_json::Value;

/// The group of its kinds.
pub(super) const GROUP: &str = "irsa.voodoo.io";

/// Its kind that says which permissions a service account has.
pub(super) fn kind() -> ApiResource {
    let kind = GroupVersionKind::gvk(GROUP, "v1alpha1", "IamRoleServiceAccount");
    ApiResource::from_gvk_with_plural(&kind, "iamroleserviceaccounts")
}

/// What ours has beyond the old one.
#[derive(Clone, Debug, Default)]
pub(super) struct Beyond {
    pub(super) cluster: Option<String>,
    pub(super) adopt: bool,
}

/// Ours, that says the same.
///
/// # Errors
/// What cannot be read of it, and where.
pub(super) fn translated(old: &DynamicObject, beyond: &Beyond) -> Result<IamRoleServiceAccount, String> {
    let statements = old.data.pointer("/spec/policy/statement").and_then(Value::as_array);
    let statements = statements.filter(|statements| !statements.is_empty());
    let statements = statements.ok_or("spec.policy.statement: it has no statement")?;
    let read = |(number, statement): (usize, &Value)| {
        self::statement(statement).map_err(|why| format!("spec.policy.statement[{number}].{why}"))
    };
    let statement = statements.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
    let spec = IamRoleServiceAccountSpec {
        policy: Some(PolicyDocument { statement }),
        clusters: beyond.cluster.iter().map(|cluster| cluster.as_str().into()).collect(),
        adopt: beyond.adopt,
        ..IamRoleServiceAccountSpec::default()
    };
    let mut made = IamRoleServiceAccount::new(&old.name_any(), spec);
    made.metadata.namespace = old.namespace();
    Ok(made)
}

fn statement(old: &Value) -> Result<Statement, String> {
    let resource =
        texts(old.get("resource"), true).ok_or("resource: it is neither a text nor a list of texts")?;
    let action = texts(old.get("action"), false).ok_or("action: it is no list of texts")?;
    Ok(Statement {
        effect: Effect::Allow,
        action,
        resource: Resources::Many(resource),
        ..Statement::default()
    })
}

/// A list of texts that has some; or one of them alone, where that may be.
fn texts(value: Option<&Value>, alone: bool) -> Option<Vec<String>> {
    match value? {
        Value::String(text) if alone => Some(vec![text.clone()]),
        Value::Array(all) if !all.is_empty() => {
            all.iter().map(|one| one.as_str().map(str::to_owned)).collect()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn old(statement: Value) -> DynamicObject {
        serde_json::from_value(json!({
            "apiVersion": "irsa.voodoo.io/v1alpha1", "kind": "IamRoleServiceAccount",
            "metadata": {"name": "s3-get-lister", "namespace": "shop", "uid": "1", "finalizers": ["irsa.irsa.voodoo.io"]},
            "spec": {"policy": {"statement": statement}},
            "status": {"condition": "created"},
        }))
        .expect("an object")
    }

    #[test]
    fn what_it_says_becomes_ours() {
        let statement = json!([{"resource": "arn:aws:s3:::a", "action": ["s3:Get*", "s3:List*"]}]);
        let beyond = Beyond { cluster: Some("prod".to_owned()), adopt: true };
        let ours = translated(&old(statement), &beyond).expect("it can be read");
        let written = serde_json::to_value(&ours).expect("JSON");
        assert_eq!(written["metadata"], json!({"name": "s3-get-lister", "namespace": "shop"}));
        assert_eq!(
            written["spec"],
            json!({
                "policy": {"statement": [
                    {"effect": "Allow", "action": ["s3:Get*", "s3:List*"], "resource": ["arn:aws:s3:::a"]},
                ]},
                "clusters": ["prod"], "deletionPolicy": "Delete", "adopt": true,
            })
        );
        assert_eq!(written.get("status"), None);
    }

    #[test]
    fn what_cannot_be_read_is_told_by_its_place() {
        let why =
            |statement: Value| translated(&old(statement), &Beyond::default()).expect_err("it is refused");
        assert_eq!(why(json!([])), "spec.policy.statement: it has no statement");
        assert_eq!(why(json!("x")), "spec.policy.statement: it has no statement");
        let good = json!({"resource": "arn:aws:s3:::a", "action": ["s3:Get*"]});
        assert!(
            why(json!([good, {"action": ["s3:Get*"]}])).starts_with("spec.policy.statement[1].resource: ")
        );
        for action in [json!([]), json!("s3:Get*"), json!([1]), Value::Null] {
            let statement = json!([{"resource": "arn:aws:s3:::a", "action": action}]);
            assert!(why(statement).starts_with("spec.policy.statement[0].action: "));
        }
    }
}
