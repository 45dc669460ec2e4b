//! Identities and what belongs to them, on objects that are nearly good.

use bowline_fuzz::Target;
use bowline_identities::Kind;

use super::wire::IdentityWire;
use crate::fuzz::drawn;

const IDENTITY: &str = r#"{"apiVersion":"bowline.dev/v1alpha1","kind":"IamRoleServiceAccount","metadata":{"name":"reader","namespace":"n","uid":"u",
    "resourceVersion":"7","generation":3,"finalizers":["bowline.dev/identity"]},"spec":{"policy":{"statement":[{"sid":"a","effect":"Deny","action":["s3:*"],
    "resource":"*","condition":{"Bool":{"x":true,"y":["a","b"]}}}]},"managedPolicyArns":["arn:aws:iam::aws:policy/X"],"serviceAccountName":"other",
    "clusters":["b","a"],"deletionPolicy":"Orphan","adopt":true},"status":{"observedGeneration":3,"roleArn":"arn:aws:iam::123456789012:role/x",
    "intentAt":"2026-01-01T00:00:00Z","completeAt":"2026-01-01T00:00:05Z","published":[{"name":"other"},{"cluster":"a","name":"other"}],"message":"m",
    "conditions":[{"type":"Ready","status":"True","reason":"Assumable","message":"m","lastTransitionTime":"2026-01-01T00:00:00Z"},
    {"type":"Synced","status":"False","reason":"Waiting","message":"m","observedGeneration":3,"lastTransitionTime":"2026-01-01T00:00:00Z"}]}}"#;
const ACCOUNT: &str = r#"{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"reader","namespace":"n","uid":"u","resourceVersion":"7",
    "annotations":{"eks.amazonaws.com/role-arn":"arn:aws:iam::123456789012:role/x"},"ownerReferences":[{"apiVersion":"bowline.dev/v1alpha1",
    "kind":"IamRoleServiceAccount","name":"reader","uid":"i"},{"apiVersion":"v1","kind":"Secret","name":"s","uid":"s"}]}}"#;
/// Of `n/reader`.
const TOMBSTONE: &str = r#"{"apiVersion":"bowline.dev/v1alpha1","kind":"IamTombstone","metadata":{"name":"976904eb5cb7331560cb1a250086e605f17d7991",
    "uid":"u","resourceVersion":"7"},"spec":{"namespace":"n","identity":"reader","uids":["a","b"],"deletedAt":"2026-01-01T00:00:00Z","sweeps":1}}"#;
const CLUSTER: &str = r#"{"apiVersion":"bowline.dev/v1alpha1","kind":"Cluster","metadata":{"name":"c","uid":"u","resourceVersion":"7"},"spec":{"embedded":{},
    "oidc":{"issuer":"https://oidc.example/id/X","providerArn":"arn:aws:iam::123456789012:oidc-provider/oidc.example/id/X"}}}"#;

pub(crate) fn targets() -> Vec<Target> {
    vec![
        drawn("identity-object", IDENTITY, IdentityWire, Kind::Identity),
        drawn("account-object", ACCOUNT, IdentityWire, Kind::Account),
        drawn("tombstone-object", TOMBSTONE, IdentityWire, Kind::Tombstone),
        drawn("cluster-of-identities", CLUSTER, IdentityWire, Kind::Cluster),
    ]
}
