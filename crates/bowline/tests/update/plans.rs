//! What `plan` and `diff` refuse, and that they make nothing. The cluster that is looked at is the hub itself.

use bowline_api::updates::{Bundle, Cluster, Stack, Update};
use serde_json::{Value, json};

use super::config;
use super::hub::Hub;

/// The administrator's way to the hub, as one's own to a cluster.
const OWN: &str = "--cluster-kubeconfig hub/admin.kubeconfig";

fn ready() -> Hub {
    let hub = Hub::start();
    hub.cluster("prod", &json!({"selector": {}}));
    hub.file("app/a.yaml", &config("a", "1"));
    hub
}

fn is_untouched(hub: &Hub) -> bool {
    (hub.all::<Update>().len(), hub.all::<Stack>().len(), hub.all::<Bundle>().len()) == (0, 0, 0)
}

#[test]
fn what_cannot_be_submitted_cannot_be_planned() {
    let hub = ready();
    hub.cluster("closed", &json!({"names": ["team-a"]}));
    hub.file("bad/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: [\n");
    for verb in ["plan", "diff"] {
        hub.update(&format!("{verb} bad --cluster prod")).is(2, &["bad/a.yaml:", "it does not parse"]);
        hub.update(&format!("{verb} app --cluster other")).is(4, &["there is no cluster other"]);
        hub.update(&format!("{verb} app --cluster closed")).is(4, &["may not use the cluster closed"]);
        hub.update(&format!("{verb} app")).is(2, &["--cluster"]);
        hub.update(&format!("{verb} app --cluster prod"))
            .is(4, &["runs inside the hub, and has not been started", "--cluster-kubeconfig FILE"]);
        hub.update(&format!("{verb} app --cluster prod --cluster-kubeconfig none"))
            .is(2, &["none cannot be used"]);
    }
    let gone = json!({"endpoint": {"server": "https://127.0.0.1:1", "kubeconfig": "/not/here"}});
    hub.say_of_cluster("prod", &gone);
    hub.update("plan app --cluster prod").is(4, &["its kubeconfig /not/here cannot be read here"]);
    hub.way("nowhere", |it| it["clusters"][0]["cluster"]["server"] = json!("https://127.0.0.1:1"));
    hub.update("plan app --cluster prod --cluster-kubeconfig nowhere")
        .is(5, &["the cluster prod does not say its kinds", "Is it reached from here?"]);
    hub.update(&format!("plan app --cluster prod --kubeconfig nowhere {OWN}")).is(5, &["cannot be reached"]);
    assert!(is_untouched(&hub), "nothing was made");
}

#[test]
fn a_plan_has_a_form_for_machines_and_one_for_people() {
    let hub = ready();
    let plan = hub.update(&format!("plan app --cluster prod -o json {OWN}")).is(0, &[]);
    let mut plan: Value = serde_json::from_str(&plan.out).expect("one document");
    let bundle = plan["bundle"].take();
    let hash = plan["plan"]["hash"].take().as_str().expect("a hash").to_owned();
    assert!(bundle.as_str().is_some_and(|bundle| bundle.starts_with("sha256:")), "{bundle}");
    let expected = json!({
        "cluster": "prod", "namespace": "default", "stack": "prod", "firstSubmission": true, "version": 1, "bundle": null,
        "verdict": "Waits", "waits": {"reason": "ClusterReady", "message": "it would wait for its cluster to be ready"},
        "plan": {"hash": null, "create": 1, "change": 0, "delete": 0},
        "objects": [{"action": "Create", "apiVersion": "v1", "kind": "ConfigMap", "name": "a"}],
    });
    assert_eq!(plan, expected);
    let said = hub.update(&format!("plan app --cluster prod --stack web -n default {OWN}")).is(0, &[]);
    assert_eq!(
        said.out,
        format!(
            "ACTION  OBJECT       WHY\ncreate  ConfigMap a\n\n1 to create, 0 to change, 0 to delete, 0 as wanted.\n\
             It would not start at once: it would wait for its cluster to be ready.\nPlan: {hash}\n"
        )
    );
    let hint = format!("bowline update submit app --cluster prod --stack web -n default --plan-hash {hash}");
    assert!(said.err.contains(&hint), "{said:#?}");
    hub.update_with(&format!("plan - --cluster prod -o yaml {OWN}"), &config("a", "1"))
        .is(0, &[&format!("\n  hash: {hash}\n")]);
    assert!(is_untouched(&hub), "nothing was made");
}

#[test]
fn a_diff_says_what_differs_and_ends_with_it_if_asked() {
    let hub = ready();
    let diff = hub.update(&format!("diff app --cluster prod {OWN}")).is(0, &[]);
    assert!(diff.out.starts_with("--- /dev/null\n+++ planned/v1/ConfigMap/a\n@@ -0,0 +1,"), "{diff:#?}");
    assert!(diff.out.contains("\n+  key: \"1\"\n"), "{diff:#?}");
    hub.update(&format!("diff app --cluster prod --exit-code {OWN}")).is(1, &[]);
    let other = json!({"bowline.dev/stack": "default/other", "bowline.dev/object": "ConfigMap/default/a"});
    hub.create(
        &json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default",
        "labels": {"bowline.dev/stack-uid": "x"}, "annotations": other}}),
    );
    hub.update(&format!("diff app --cluster prod {OWN}"))
        .is(0, &["ConfigMap a is refused: ConfigMap a belongs to the stack default/other"]);
    let plan = hub.update(&format!("plan app --cluster prod {OWN}"));
    plan.is(
        1,
        &["refused  ConfigMap a", "It would fail, and change nothing: ConfigMap a belongs to the stack"],
    );
    assert!(is_untouched(&hub), "nothing was made");
}

#[test]
fn a_cluster_is_reached_by_its_secret_by_those_who_may_read_it() {
    let hub = ready();
    hub.kubeconfig_cluster("far");
    let plan = hub.update("plan app --cluster far -o json").is(0, &["\"action\": \"Create\""]);
    let own = hub.update(&format!("plan app --cluster far -o json {OWN}")).is(0, &[]);
    assert_eq!(plan.out, own.out, "it is the same server");
    let submitter = hub.person("submitter", &[("bowline.dev", "stacks"), ("bowline.dev", "clusters")]);
    hub.update(&format!("plan app --cluster far {submitter}"))
        .is(4, &["the Secret bowline-system/far cannot be read", "--cluster-kubeconfig FILE"]);
    hub.update(&format!("diff app --cluster far {submitter} {OWN}")).is(0, &["+++ planned/v1/ConfigMap/a"]);
}

#[test]
fn credentials_that_the_cluster_refuses_are_named_with_how_to_renew_them() {
    let hub = ready();
    hub.way("expired", |way| way["users"][0]["user"] = json!({ "token": "sekrit" }));
    hub.bowline("cluster add far --kubeconfig expired --no-wait").is(0, &[]);
    let secret =
        hub.all::<Cluster>().into_iter().find_map(|it| it.spec.kubeconfig_secret_ref).expect("a Secret");
    let there =
        format!("in the Secret bowline-system/{} of the hub, and are wrong, or have expired", secret.name);
    for verb in ["plan", "diff"] {
        let renewed = "`bowline cluster add far --kubeconfig FILE`";
        let said = hub.update(&format!("{verb} app --cluster far")).is(4, &["(401)", &there, renewed]);
        assert!(!said.err.contains("sekrit"), "{said:#?}");
    }
    hub.update("plan app --cluster far --cluster-kubeconfig expired")
        .is(4, &["your own, in expired, and are wrong", "--cluster-kubeconfig FILE"]);
    // They are known, and may not.
    let nobody = hub.person("nobody", &[]).replace("--kubeconfig", "--cluster-kubeconfig");
    hub.update(&format!("plan app --cluster far {nobody}"))
        .is(4, &["is forbidden", "That was asked with your own, in nobody.kubeconfig"]);
    assert!(is_untouched(&hub), "nothing was made");
}

#[test]
fn who_may_not_look_is_told_what_is_missing() {
    let hub = ready();
    let nobody = hub.person("nobody", &[]);
    hub.update(&format!("plan app --cluster prod {OWN} {nobody}")).is(4, &["cannot get resource"]);
    let submitter = hub.person("submitter", &[("bowline.dev", "stacks"), ("bowline.dev", "clusters")]);
    hub.update(&format!("plan app --cluster prod {OWN} {submitter}")).is(0, &["1 to create"]);
    // From the second version on, what was touched has to be read.
    hub.update("submit app --cluster prod").is(0, &[]);
    let inventory = format!("sha256:{}", "0".repeat(64));
    hub.say_of_stack("prod", &json!({"phase": "Idle", "epoch": 1, "attempt": 1, "inventory": inventory}));
    hub.update(&format!("plan app --cluster prod {OWN} {submitter}"))
        .is(4, &["cannot get resource \"secrets\"", "in Secrets of bowline-system", "bowline update show"]);
    hub.update(&format!("plan app --cluster prod {OWN}")).is(4, &["is not kept any more"]);
}
