//! What people want of an identity. What makes no sense becomes what is refused with its place in the spec.

use std::collections::BTreeMap;

use bowline_api::identities::{
    DeletionPolicy, Effect, IamRoleServiceAccountSpec, PolicyDocument, Statement as Written,
};
use bowline_identities::Wish;
use bowline_identities::plain::{Grant, Named, Plain, Statement};
use serde_json::Value;

pub(super) fn read(name: &Named, spec: &IamRoleServiceAccountSpec) -> Wish<Plain> {
    let account = spec.service_account_name.as_ref().map_or(name.name.as_str(), |name| name.as_str());
    let mut clusters: Vec<_> = spec.clusters.iter().map(ToString::to_string).collect();
    clusters.sort_unstable();
    clusters.dedup();
    Wish {
        grant: Grant {
            statements: spec.policy.as_ref().map(statements).unwrap_or_default(),
            managed: spec.managed_policy_arns.iter().map(ToString::to_string).collect(),
            boundary: spec.permissions_boundary.as_ref().map(ToString::to_string),
        },
        account: Named { namespace: name.namespace.clone(), name: account.to_owned() },
        clusters,
        adopts: spec.adopt,
        orphans: spec.deletion_policy == DeletionPolicy::Orphan,
    }
}

fn statements(policy: &PolicyDocument) -> Vec<Statement> {
    policy.statement.iter().map(statement).collect()
}

fn statement(written: &Written) -> Statement {
    let keys = |keys: &serde_json::Map<String, Value>| {
        keys.iter().map(|(key, value)| (key.clone(), values(value))).collect::<BTreeMap<_, _>>()
    };
    Statement {
        sid: written.sid.clone(),
        effect: match written.effect {
            Effect::Allow => "Allow".to_owned(),
            Effect::Deny => "Deny".to_owned(),
        },
        actions: written.action.clone(),
        resources: written.resource.all().map(<[_]>::to_vec).unwrap_or_default(),
        condition: written.condition.iter().map(|(operator, of)| (operator.clone(), keys(of))).collect(),
    }
}

/// One value or a list of them. AWS takes numbers and switches as text; what is neither is none, which is refused.
fn values(value: &Value) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    let all: Option<Vec<_>> = match value {
        Value::Array(all) => all.iter().map(text).collect(),
        one => text(one).map(|one| vec![one]),
    };
    all.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wish(spec: Value) -> Wish<Plain> {
        let name = Named { namespace: "team".into(), name: "reader".into() };
        read(&name, &serde_json::from_value(spec).expect("a spec"))
    }

    #[test]
    fn the_shape_of_the_old_operator_means_the_same() {
        let old = json!({ "policy": { "statement": [
            { "resource": "arn:aws:s3:::b/*", "action": ["s3:Get*", "s3:List*"] },
        ] } });
        let new = json!({ "policy": { "statement": [
            { "effect": "Allow", "resource": ["arn:aws:s3:::b/*"], "action": ["s3:Get*", "s3:List*"] },
        ] } });
        assert_eq!(wish(old.clone()), wish(new));
        let Wish { account, clusters, adopts, orphans, grant } = wish(old);
        assert_eq!(
            (account.to_string().as_str(), clusters.len(), adopts, orphans),
            ("team/reader", 0, false, false)
        );
        assert_eq!(grant.statements[0].resources, ["arn:aws:s3:::b/*"]);
    }

    #[test]
    fn all_that_is_wanted_is_read() {
        let arn = "arn:aws:iam::aws:policy/ReadOnlyAccess";
        let wish = wish(json!({
            "policy": { "statement": [{ "sid": "No", "effect": "Deny", "resource": "*", "action": ["*"],
                "condition": { "Bool": { "a": true, "b": ["x", 1] } } }] },
            "managedPolicyArns": [arn], "permissionsBoundary": arn, "serviceAccountName": "other",
            "clusters": ["west", "east"], "deletionPolicy": "Orphan", "adopt": true,
        }));
        assert_eq!(wish.account.to_string(), "team/other");
        assert_eq!(wish.clusters, ["east", "west"], "in order");
        assert!(wish.adopts && wish.orphans);
        assert_eq!(
            (wish.grant.managed.as_slice(), wish.grant.boundary.as_deref()),
            (&[arn.to_owned()][..], Some(arn))
        );
        let statement = &wish.grant.statements[0];
        assert_eq!((statement.sid.as_deref(), statement.effect.as_str()), (Some("No"), "Deny"));
        assert_eq!(statement.condition["Bool"]["a"], ["true"]);
        assert_eq!(statement.condition["Bool"]["b"], ["x", "1"]);
    }

    #[test]
    fn what_makes_no_sense_is_nothing_and_so_refused() {
        let wish = wish(json!({ "policy": { "statement": [{ "resource": { "a": 1 }, "action": ["*"],
            "condition": { "Bool": { "a": {}, "b": ["x", null] } } }] } }));
        let statement = &wish.grant.statements[0];
        assert!(statement.resources.is_empty());
        assert!(statement.condition["Bool"]["a"].is_empty() && statement.condition["Bool"]["b"].is_empty());
    }
}
