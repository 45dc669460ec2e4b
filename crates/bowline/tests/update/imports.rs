//! `bowline identity import`: what the old operator has becomes ours.

use bowline_api::identities::IamRoleServiceAccount;
use kube::ResourceExt;
use serde_json::{Value, json};

use super::hub::Hub;

/// A hub on which the old operator was, with these objects.
fn before(objects: &[(&str, Value)]) -> Hub {
    let hub = Hub::start();
    let any = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    hub.create(&json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "iamroleserviceaccounts.irsa.voodoo.io"},
        "spec": {
            "group": "irsa.voodoo.io", "scope": "Namespaced",
            "names": {"plural": "iamroleserviceaccounts", "singular": "iamroleserviceaccount",
                "kind": "IamRoleServiceAccount", "listKind": "IamRoleServiceAccountList"},
            "versions": [{"name": "v1alpha1", "served": true, "storage": true, "schema": {"openAPIV3Schema": any}}],
        },
    }));
    hub.is_served("irsa.voodoo.io", "v1alpha1", "IamRoleServiceAccount");
    for (name, statement) in objects {
        hub.create(&json!({
            "apiVersion": "irsa.voodoo.io/v1alpha1", "kind": "IamRoleServiceAccount",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"policy": {"statement": statement}}, "status": {"condition": "created"},
        }));
    }
    hub
}

fn reads() -> Value {
    json!([{"resource": "arn:aws:s3:::bucket/*", "action": ["s3:Get*", "s3:List*"]}])
}

fn ours(hub: &Hub) -> Vec<String> {
    hub.all::<IamRoleServiceAccount>().iter().map(ResourceExt::name_any).collect()
}

#[test]
fn what_the_old_operator_has_becomes_ours() {
    let hub = before(&[("reader", reads()), ("writer", reads())]);
    let dry =
        hub.bowline("identity import --dry-run").is(0, &["2 identities would be made", "would be made"]);
    assert!(dry.out.starts_with("NAMESPACE"), "{dry:#?}");
    assert!(ours(&hub).is_empty(), "nothing was made");
    let list = hub.bowline("identity import -A --dry-run --adopt --cluster prod -o json").is(0, &[]).out;
    let list: Value = serde_json::from_str(&list).expect("JSON");
    let spec = &list["items"][0]["spec"];
    assert_eq!((&spec["adopt"], &spec["clusters"]), (&json!(true), &json!(["prod"])));

    hub.bowline("identity import reader")
        .is(0, &["1 identity made", "spec.adopt", "default", "reader", "made"]);
    assert_eq!(ours(&hub), ["reader"]);
    hub.bowline("identity import").is(0, &["is there already", "1 identity made"]);
    let all = hub.all::<IamRoleServiceAccount>();
    let statement = &all[0].spec.policy.as_ref().expect("a policy").statement[0];
    assert_eq!(statement.action, ["s3:Get*", "s3:List*"]);
    assert_eq!(statement.resource.all(), Some(&["arn:aws:s3:::bucket/*".to_owned()][..]));
    assert!(!all[0].spec.adopt, "nothing is taken over unless that is asked for");
    hub.bowline("identity import --adopt")
        .is(2, &["nothing is made", "default/reader: there is an identity of that name already"]);
}

#[test]
fn if_one_cannot_be_none_is_made() {
    let hub = before(&[
        ("empty", json!([])),
        ("good", reads()),
        ("refused", json!([{"resource": "arn:aws:s3:::a", "action": ["no action"]}])),
    ]);
    hub.bowline("identity import").is(
        2,
        &[
            "nothing is made, because these cannot be",
            "default/empty: spec.policy.statement: it has no statement",
            "default/refused: ",
            "spec.policy.statement[0].action[0]",
        ],
    );
    assert!(ours(&hub).is_empty());
    hub.bowline("identity import good").is(0, &["1 identity made"]);
    assert_eq!(ours(&hub), ["good"]);
    hub.bowline("identity import other").is(4, &["the old operator has no other in default"]);
    hub.bowline("identity import good -A").is(2, &["--all-namespaces"]);
}

#[test]
fn the_old_operator_may_be_elsewhere_or_nowhere() {
    let hub = Hub::start();
    hub.bowline("identity import").is(4, &["does not know the old operator's kinds", "--from-kubeconfig"]);
    hub.bowline("identity import --from-kubeconfig none").is(2, &["none cannot be used"]);
    hub.bowline("identity import --from-context x").is(2, &["--from-kubeconfig"]);
    drop(hub);
    let hub = before(&[]);
    hub.bowline("identity import").is(0, &["There is nothing to import"]);
    hub.bowline("identity import --from-kubeconfig hub/admin.kubeconfig")
        .is(0, &["There is nothing to import"]);
}
