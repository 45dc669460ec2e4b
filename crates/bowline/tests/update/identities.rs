//! `bowline identity`: what it says, and what it refuses.

use bowline_api::identities::IamRoleServiceAccount;
use kube::ResourceExt;
use serde_json::{Value, json};

use super::hub::Hub;

const ROLE: &str = "arn:aws:iam::123456789012:role/bowline-demo-default-reader-0123456789abcdef";
const POLICY: &str = "arn:aws:iam::123456789012:policy/bowline-demo-default-reader-0123456789abcdef";

/// An identity that may read a bucket, with this beyond that.
fn identity(hub: &Hub, name: &str, more: &Value) {
    let mut spec = json!({
        "policy": {"statement": [{"action": ["s3:GetObject"], "resource": ["arn:aws:s3:::bucket/*"]}]},
    });
    for (field, value) in more.as_object().into_iter().flatten() {
        spec[field.as_str()] = value.clone();
    }
    hub.create(&json!({
        "apiVersion": "bowline.dev/v1alpha1", "kind": "IamRoleServiceAccount",
        "metadata": {"name": name, "namespace": "default"}, "spec": spec,
    }));
}

/// Says how an identity stands, as the controller would: which conditions are true, why the others are not, and in words.
fn say(hub: &Hub, name: &str, are: &[&str], reason: &str, message: &str, more: &Value) {
    let condition = |kind: &str| {
        let status = if are.contains(&kind) { "True" } else { "False" };
        json!({
            "type": kind, "status": status, "reason": reason, "message": message,
            "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 1,
        })
    };
    let conditions = ["Complete", "Ready", "Synced", "Stalled"].map(condition);
    let mut status = json!({"observedGeneration": 1, "message": message, "conditions": conditions});
    for (field, value) in more.as_object().into_iter().flatten() {
        status[field.as_str()] = value.clone();
    }
    hub.say_of_identity(name, &status);
}

fn done() -> Value {
    json!({"roleArn": ROLE, "policyArn": POLICY, "intentAt": "2026-01-01T00:00:00Z"})
}

/// The links of an explanation: which, in which state, and its message.
fn chain(hub: &Hub, name: &str) -> Vec<(String, String, String)> {
    let said = hub.bowline(&format!("identity explain {name} -o json")).is(0, &[]);
    let told: Value = serde_json::from_str(&said.out).expect("JSON");
    let text = |link: &Value, field: &str| link[field].as_str().unwrap_or_default().to_owned();
    let links = told["chain"].as_array().expect("a list");
    links.iter().map(|link| (text(link, "link"), text(link, "state"), text(link, "message"))).collect()
}

#[track_caller]
fn has(chain: &[(String, String, String)], link: &str, state: &str, message: &str) {
    let found = chain.iter().find(|(which, ..)| which == link).expect("the link");
    assert!(found.1 == state && found.2.contains(message), "{found:?}");
}

#[test]
fn identities_are_listed_and_shown() {
    let hub = Hub::start();
    hub.bowline("identity list").is(0, &["There are no identities in default", "kubectl apply -f"]);
    hub.bowline("identity list -A").is(0, &["There are no identities anywhere"]);
    identity(&hub, "reader", &json!({}));
    identity(&hub, "writer", &json!({"serviceAccountName": "app", "clusters": ["prod"], "adopt": true}));
    let list = hub.bowline("identity list").is(0, &[]).out;
    let lines: Vec<Vec<&str>> = list.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["NAME", "STANDS", "ROLE-ARN", "AGE", "MESSAGE"]);
    assert_eq!(lines[1][..3], ["reader", "unknown", "-"]);
    assert!(list.contains("nobody has looked at it yet"), "{list}");

    say(
        &hub,
        "reader",
        &["Complete", "Ready", "Synced"],
        "AsWanted",
        &format!("the role is {ROLE}"),
        &done(),
    );
    let long = format!("the service account default/app is there, {}", "and is somebody else's, ".repeat(9));
    say(&hub, "writer", &["Stalled"], "NeedsAttention", long.trim_end(), &json!({}));
    let list = hub.bowline("identity list").is(0, &[]).out;
    let lines: Vec<Vec<&str>> = list.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[1][..3], ["reader", "ready", ROLE]);
    assert_eq!(lines[2][..3], ["writer", "stalled", "-"]);
    assert!(list.contains('…') && !list.contains(long.trim_end()), "{list}");
    hub.bowline("identity list -A -o wide").is(
        0,
        &[
            "NAMESPACE",
            "default",
            "POLICY-ARN",
            POLICY,
            " app ",
            " prod ",
            "where it is itself",
            long.trim_end(),
        ],
    );
    let all: Value =
        serde_json::from_str(&hub.bowline("identity list -o json").is(0, &[]).out).expect("JSON");
    assert_eq!(all["items"].as_array().map(Vec::len), Some(2));
    assert_eq!(all["items"][0]["status"]["roleArn"], ROLE);

    is_shown(&hub, long.trim_end());
}

fn is_shown(hub: &Hub, long: &str) {
    let uid = hub.all::<IamRoleServiceAccount>()[0].uid();
    hub.create(&json!({
        "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "e", "namespace": "default"},
        "eventTime": "2026-01-02T03:04:07.000000Z", "reason": "Ready", "note": "the role can be assumed", "type": "Normal",
        "action": "Grant", "reportingController": "bowline", "reportingInstance": "here",
        "regarding": {"apiVersion": "bowline.dev/v1alpha1", "kind": "IamRoleServiceAccount", "name": "reader",
            "namespace": "default", "uid": uid},
    }));
    hub.bowline("identity show reader").is(
        0,
        &[
            "Identity: default/reader",
            "Stands:   ready: the role is arn:",
            "Account:  reader",
            "Allows:   1 statement of its own",
            "Deleted:  policy and role go with it",
            "  Complete  yes",
            "  Stalled   no",
            "2026-01-01T00:00:00Z  something was first to be made in AWS",
            "2026-01-02T03:04:07Z  Ready: the role can be assumed",
        ],
    );
    hub.bowline("identity show writer").is(0, &["Stands:   stalled: ", long, "Adopts:", "Clusters: prod"]);
    let yaml = hub.bowline("identity show reader -o yaml").is(0, &["kind: IamRoleServiceAccount"]);
    assert!(yaml.out.contains(ROLE), "{yaml:#?}");
}

#[test]
fn what_is_not_there_or_makes_no_sense_is_refused() {
    let hub = Hub::start();
    for verb in ["show", "explain"] {
        hub.bowline(&format!("identity {verb} nothing")).is(4, &["there is no identity nothing in default"]);
        hub.bowline(&format!("identity {verb} nothing -n nowhere"))
            .is(4, &["the hub has no namespace nowhere"]);
        hub.bowline(&format!("identity {verb} Not_a_name")).is(2, &["it takes the name of an identity"]);
        hub.bowline(&format!("identity {verb}")).is(2, &["NAME"]);
    }
    hub.bowline("identity list -n nowhere").is(4, &["the hub has no namespace nowhere"]);
    hub.bowline("identity list -A -n default").is(2, &["--namespace"]);
    hub.bowline("identity list -o text").is(2, &["table, wide, json, yaml"]);
    hub.way("gone", |it| it["clusters"][0]["cluster"]["server"] = json!("https://127.0.0.1:1"));
    hub.bowline("identity list --kubeconfig gone").is(5, &["cannot be reached"]);
}

#[test]
fn the_chain_is_explained_as_far_as_it_is() {
    let hub = Hub::start();
    identity(&hub, "reader", &json!({"managedPolicyArns": ["arn:aws:iam::aws:policy/ReadOnlyAccess"]}));
    let new = chain(&hub, "reader");
    has(&new, "identity", "There", "no controller holds it yet");
    has(&new, "policy", "NotYet", "nothing was asked of AWS yet");
    has(&new, "attachment", "NotYet", "the role is to have 2 policies");
    has(&new, "account", "NotYet", "when the role is complete");
    has(&new, "assumable", "NotYet", "");
    hub.bowline("identity explain reader")
        .is(0, &["Stands:    unknown: nobody has looked", "controllers have to run"]);

    let intent = json!({"intentAt": "2026-01-01T00:00:00Z"});
    say(&hub, "reader", &[], "Failing", "could not create the role: Throttling", &intent);
    has(&chain(&hub, "reader"), "role", "NotYet", "it is being made, first ");
    let issuer = json!({
        "issuer": "https://oidc.example/id/X", "providerArn": "arn:aws:iam::123456789012:oidc-provider/oidc.example/id/X",
    });
    hub.create(&json!({
        "apiVersion": "bowline.dev/v1alpha1", "kind": "IamRole", "metadata": {"name": "reader", "namespace": "default"},
        "spec": {"roleName": "bowline-demo-default-reader-0", "serviceAccountName": "reader", "trusts": [issuer]},
    }));
    hub.bowline("identity explain reader").is(0, &["bowline-demo-default-reader-0"]);
    hub.bowline("identity explain reader")
        .is(0, &["failing: could not create the role: Throttling", "tried again"]);

    say(&hub, "reader", &["Complete"], "Waiting", "waits for the role to be assumable", &done());
    let complete = chain(&hub, "reader");
    has(&complete, "attachment", "There", "the role has 2 policies");
    has(&complete, "account", "NotYet", "so it is made next");
    hub.bowline("identity explain reader")
        .is(0, &["waiting: waits for the role to be assumable", POLICY, ROLE, "ON THE HUB"]);
}

#[test]
fn the_account_is_told_from_somebody_elses() {
    let hub = Hub::start();
    identity(&hub, "reader", &json!({}));
    say(&hub, "reader", &["Complete"], "Waiting", "waits", &done());
    let account = |annotation: &str, owners: Value| {
        json!({
            "apiVersion": "v1", "kind": "ServiceAccount", "metadata": {
                "name": "reader", "namespace": "default", "ownerReferences": owners,
                "annotations": {"eks.amazonaws.com/role-arn": annotation},
            },
        })
    };
    hub.create(&account("arn:aws:iam::123456789012:role/other", json!([])));
    has(
        &chain(&hub, "reader"),
        "account",
        "Foreign",
        "set spec.adopt (it has the role arn:aws:iam::123456789012:role/other)",
    );
    hub.delete_account("reader");
    identity(&hub, "writer", &json!({}));
    let uid = hub.all::<IamRoleServiceAccount>()[1].uid();
    let others = json!([{
        "apiVersion": "bowline.dev/v1alpha1", "kind": "IamRoleServiceAccount", "name": "writer", "uid": uid,
    }]);
    hub.create(&account(ROLE, others));
    has(&chain(&hub, "reader"), "account", "Foreign", "it is of the identity writer: name another one");
    hub.delete_account("reader");
    let uid = hub.all::<IamRoleServiceAccount>()[0].uid();
    let owner = json!([{
        "apiVersion": "bowline.dev/v1alpha1", "kind": "IamRoleServiceAccount", "name": "reader", "uid": uid,
    }]);
    hub.create(&account("arn:aws:iam::123456789012:role/before", owner.clone()));
    has(
        &chain(&hub, "reader"),
        "account",
        "NotYet",
        "it still has the role arn:aws:iam::123456789012:role/before",
    );
    hub.delete_account("reader");
    hub.create(&account(ROLE, owner));
    has(&chain(&hub, "reader"), "account", "There", ROLE);
}

#[test]
fn clusters_that_are_missing_or_say_no_issuer_are_named() {
    let hub = Hub::start();
    identity(&hub, "reader", &json!({"clusters": ["prod"]}));
    has(&chain(&hub, "reader"), "account", "NotYet", "there is no such cluster");
    hub.cluster("prod", &json!({"selector": {}}));
    has(&chain(&hub, "reader"), "account", "NotYet", "set its spec.oidc");
    hub.create(&json!({
        "apiVersion": "bowline.dev/v1alpha1", "kind": "Cluster", "metadata": {"name": "east"},
        "spec": {"embedded": {}, "oidc": {"issuer": "https://oidc.example/id/X"}},
    }));
    identity(&hub, "abroad", &json!({"clusters": ["east"]}));
    has(&chain(&hub, "abroad"), "account", "Unknown", "it is made when the role is complete");
    say(&hub, "abroad", &["Complete", "Stalled"], "NeedsAttention", "the service account is there", &done());
    has(&chain(&hub, "abroad"), "account", "Unknown", "a person has to do something first");
    say(&hub, "abroad", &["Complete", "Ready", "Synced"], "AsWanted", "", &done());
    has(&chain(&hub, "abroad"), "account", "There", "as the controller has seen it there");
}

#[test]
fn who_cannot_look_at_aws_is_told_why() {
    let hub = Hub::start();
    identity(&hub, "reader", &json!({}));
    for verb in ["audit", "explain reader --aws"] {
        hub.with_aws(&format!("identity {verb}")).is(2, &["the AWS region is not known", "AWS_REGION"]);
        hub.with_aws(&format!("identity {verb} --aws-endpoint nowhere"))
            .is(2, &["\"nowhere\" is no http:// or https:// address"]);
        hub.with_aws(&format!("identity {verb} --aws-endpoint http://127.0.0.1:1"))
            .is(5, &["cannot look at what there is in AWS", "AWS cannot be reached"]);
    }
    let said = hub.with_aws("identity explain reader").is(0, &[]);
    assert!(!said.out.contains("IN AWS"), "nobody asked for it: {said:#?}");
}
