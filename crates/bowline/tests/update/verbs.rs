//! What else people do with versions.

use bowline_api::updates::Update;
use kube::ResourceExt;
use serde_json::{Value, json};

use super::config;
use super::hub::Hub;

/// Two versions: the first is good, the second was rolled back.
fn history() -> (Hub, Vec<Update>) {
    let hub = Hub::start();
    hub.cluster("prod", &json!({"selector": {}}));
    let mut updates = Vec::new();
    for (version, phase) in [(1, "Succeeded"), (2, "RolledBack")] {
        hub.file("app/a.yaml", &config("a", &version.to_string()));
        hub.update("submit app --cluster prod").is(0, &[]);
        let update = hub.next_update();
        let times = ("2026-01-02T03:04:05Z", "2026-01-02T03:04:09Z");
        let progress = json!({"done": 1, "total": 1, "summary": "1/1"});
        hub.say(
            &update,
            &json!({"version": version, "phase": phase, "message": format!("why {version}"), "progress": progress,
                "startedAt": times.0, "finishedAt": times.1}),
        );
        updates.push(update);
    }
    let digest = |update: &Update| update.spec.bundle.to_string();
    hub.say_of_stack(
        "prod",
        &json!({
            "phase": "Idle", "lastSubmittedVersion": 2, "appliedVersion": 1, "epoch": 1, "attempt": 2,
            "lastGood": {"version": 1, "digest": digest(&updates[0])},
            "quarantined": [{"digest": digest(&updates[1]), "version": 2, "reason": "why 2"}],
        }),
    );
    (hub, updates)
}

#[test]
fn versions_are_listed_and_shown() {
    let (hub, updates) = history();
    let list = hub.update("list").is(0, &[]).out;
    let lines: Vec<Vec<&str>> = list.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["STACK", "VERSION", "PHASE", "PROGRESS", "AGE", "MESSAGE"]);
    assert_eq!(lines[1][..4], ["prod", "1", "Succeeded", "1/1"]);
    assert_eq!(lines[2][..4], ["prod", "2", "RolledBack", "1/1"]);
    assert!(list.contains("why 2"), "{list}");
    hub.update("list -A -o wide")
        .is(0, &["NAMESPACE", "default", &updates[0].name_any(), "sha256:", "BY", " admin "]);
    hub.update("list --cluster other").is(0, &["There are no updates in default"]);
    hub.update("list --cluster prod").is(0, &["RolledBack"]);
    let all: Value =
        serde_json::from_str(&hub.update("list -o json --stack prod").is(0, &[]).out).expect("JSON");
    assert_eq!(all["items"].as_array().map(Vec::len), Some(2));

    let uid = updates[1].uid();
    hub.create(&json!({
        "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "e", "namespace": "default"},
        "eventTime": "2026-01-02T03:04:07.000000Z", "reason": "RollingBack", "note": "web was not healthy", "type": "Warning",
        "action": "Rollback", "reportingController": "bowline", "reportingInstance": "x",
        "regarding": {"kind": "Update", "uid": uid, "name": updates[1].name_any(), "namespace": "default"},
    }));
    let shown = hub
        .update("show 2")
        .is(0, &["Update:   prod/2", "Phase:    RolledBack", "Message:  why 2", "By:       admin"])
        .out;
    let steps = [
        "03:04:05Z  a worker began",
        "03:04:07Z  RollingBack: web was not healthy",
        "03:04:09Z  it ended: RolledBack",
    ];
    let places: Vec<_> =
        steps.iter().map(|step| shown.find(step).unwrap_or_else(|| panic!("{step}: {shown}"))).collect();
    assert!(places.is_sorted(), "{shown}");
    hub.update(&format!("show {} -o yaml", updates[0].name_any())).is(0, &["phase: Succeeded"]);
    hub.update("show 7").is(4, &["there is no version 7 of prod in default"]);
    hub.update("show other/1").is(4, &["there is no stack other in default"]);
    hub.update("show nobody").is(4, &["there is no update nobody"]);
    hub.update("show prod/x").is(2, &["the number of a version"]);
    hub.update("submit app --cluster prod --stack web").is(0, &[]);
    hub.update("show 2").is(2, &["say which stack is meant", "prod, web"]);
}

#[test]
fn the_last_good_version_is_submitted_again() {
    let (hub, updates) = history();
    let again = hub.update("rollback --cluster prod").is(0, &["the content of prod/1 again"]);
    let found = hub.all::<Update>();
    let made = found.iter().find(|update| update.name_any() == again.name()).expect("it was made");
    assert_eq!(made.spec.bundle, updates[0].spec.bundle);
    let waited = hub.meanwhile("rollback --stack prod --wait", || {
        let is_new = |update: &Update| update.status.is_none() && update.name_any() != again.name();
        let mut update = None;
        hub.until("it is submitted", || {
            update = hub.all::<Update>().into_iter().find(is_new);
            update.is_some()
        });
        hub.say(&update.expect("it was found"), &json!({"version": 4, "phase": "Succeeded"}));
    });
    waited.is(0, &["prod/4 Succeeded"]);
    hub.update("submit app --cluster prod --stack web").is(0, &[]);
    hub.update("rollback --cluster prod").is(2, &["default has several stacks on prod", "prod, web"]);
    hub.update("rollback --stack web").is(4, &["no version of the stack web has succeeded yet"]);
    hub.update("rollback --cluster other").is(4, &["default has no stack on the cluster other"]);
    hub.update("rollback").is(2, &["--cluster", "--stack"]);
}

/// It is a version like any other: what would be rejected is not submitted, and what waits is told so.
#[test]
fn a_rollback_is_checked_as_a_submission_is() {
    let (hub, _) = history();
    let refused = |words: &[&str]| {
        let before = hub.all::<Update>().len();
        hub.update("rollback --stack prod").is(4, words);
        assert_eq!(hub.all::<Update>().len(), before, "nothing is submitted");
    };
    let others = json!({"spec": {"allowedNamespaces": {"names": ["team-a"], "selector": null}}});
    hub.change_cluster("prod", &others);
    refused(&["the namespace default may not use the cluster prod", "the namespaces team-a may"]);
    let all = json!({"spec": {"allowedNamespaces": {"names": null, "selector": {}}}});
    let generation = hub.change_cluster("prod", &all).metadata.generation;
    let stands = |reason: &str, message: &str| {
        let ready = json!({
            "type": "Ready", "status": "False", "reason": reason, "message": message,
            "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": generation,
        });
        hub.say_of_cluster("prod", &json!({"conditions": [ready], "observedGeneration": generation}));
    };
    stands("HubExposed", "it is this hub itself");
    refused(&[
        "the cluster prod takes no versions: it is this hub itself",
        "bowline cluster add prod --kubeconfig FILE --allow NAMESPACE",
    ]);
    stands("NoAnswer", "its server does not answer");
    hub.update("pause prod").is(0, &[]);
    let waits = [
        "The cluster prod is not ready: its server does not answer.",
        "What is submitted waits until it is",
        "The stack prod is paused: nothing is started until `bowline update resume prod`",
        "Submitted the content of prod/1 again",
    ];
    hub.update("rollback --cluster prod").is(0, &waits);
    hub.change_cluster("prod", &json!({"metadata": {"finalizers": ["bowline.dev/test"]}}));
    hub.delete_cluster("prod");
    refused(&["the cluster prod is being removed"]);
    hub.change_cluster("prod", &json!({"metadata": {"finalizers": null}}));
    refused(&["there is no cluster prod: see `bowline cluster list`"]);
    hub.hold_stack("prod");
    hub.delete_stack("prod");
    refused(&["the stack prod is being removed: wait until it is gone"]);
}

#[test]
fn stacks_are_paused_and_resumed_and_content_is_released() {
    let (hub, updates) = history();
    hub.update("pause prod").is(0, &["The stack prod is paused: no version is started"]);
    assert_eq!(hub.stack("prod")["spec"]["paused"], true);
    hub.update("pause prod").is(0, &["is paused already"]);
    let paused = "The stack prod is paused: nothing is started until `bowline update resume prod`";
    hub.update("submit app --cluster prod").is(0, &[paused]);
    hub.update("rollback --stack prod").is(0, &[paused]);
    hub.update("resume prod").is(0, &["The stack prod is not paused any more"]);
    assert_ne!(hub.stack("prod")["spec"]["paused"], true);
    hub.update("pause other").is(4, &["there is no stack other in default"]);

    hub.update("release 1").is(
        4,
        &["the content of prod/1 is not quarantined; what is: prod/2 (why 2). To release that: bowline update release prod/2"],
    );
    hub.update("release prod/2").is(0, &["Submit it again"]);
    assert_eq!(hub.stack("prod")["spec"]["released"], json!([2]));
    hub.update(&format!("release {}", updates[1].name_any())).is(0, &["Submit it again"]);
    assert_eq!(hub.stack("prod")["spec"]["released"], json!([2]));
    // No controllers run here, so that its status still says it: nobody is told to release it once more.
    hub.update("release 1")
        .is(4, &["the content of prod/1 is not quarantined; nothing of the stack prod is"]);
    hub.update("submit app --cluster prod --stack web").is(0, &[]);
    for never in ["prod/3", "web/1"] {
        let (stack, version) = never.split_once('/').expect("a version of a stack");
        let told = format!("there is no version {version} of {stack} in default: see `bowline update list`");
        hub.update(&format!("release {never}")).is(4, &[&told]);
    }
}

#[test]
fn how_a_stack_works_is_set_with_a_submission_and_without() {
    let (hub, _) = history();
    let spec = || {
        let spec = hub.stack("prod")["spec"].take();
        ["timeoutSeconds", "maxDeletions", "drift", "driftIntervalSeconds"].map(|field| spec[field].clone())
    };
    assert_eq!(spec(), [json!(300), json!(10), json!("Report"), json!(600)]);
    let said = hub.update("set prod --drift repair --drift-interval 5m");
    said.is(
        0,
        &["The stack prod is changed: ", "what others change is put right, and looked for every 300 s"],
    );
    assert_eq!(spec(), [json!(300), json!(10), json!("Repair"), json!(300)]);
    hub.update("set prod --drift repair").is(0, &["The stack prod is so already: "]);
    hub.update("submit app --cluster prod --health-timeout 1m --max-deletions 0").is(0, &[]);
    assert_eq!(spec(), [json!(60), json!(0), json!("Repair"), json!(300)]);
    hub.update("submit app --cluster prod").is(0, &[]);
    assert_eq!(spec(), [json!(60), json!(0), json!("Repair"), json!(300)], "what is not said stays");
    hub.update("submit app --cluster prod --stack web --drift repair").is(0, &[]);
    assert_eq!(hub.stack("web")["spec"]["drift"], "Repair", "a new one is made so");

    hub.update("set prod --drift maybe").is(2, &["report", "repair"]);
    hub.update("set prod --drift-interval 0s").is(2, &["at least one second"]);
    hub.update("set prod --drift-interval 48h").is(2, &["driftIntervalSeconds"]);
    hub.update("set prod").is(2, &["--drift", "--health-timeout"]);
    hub.update("set other --drift report").is(4, &["there is no stack other in default"]);
    assert_eq!(spec(), [json!(60), json!(0), json!("Repair"), json!(300)]);
}

#[test]
fn changes_are_printed_as_they_come() {
    use std::io::BufRead;
    let (hub, updates) = history();
    let mut watching = hub.spawn("watch");
    let mut lines = std::io::BufReader::new(watching.stdout.take().expect("its stdout is piped")).lines();
    let mut next = || lines.next().expect("a line").expect("it can be read");
    let mut first = [next(), next()];
    first.sort();
    assert_eq!(first, ["prod/1 Succeeded 1/1: why 1", "prod/2 RolledBack 1/1: why 2"]);
    hub.say(&updates[1], &json!({"message": "other words"}));
    assert_eq!(next(), "prod/2 RolledBack 1/1: other words");
    watching.kill().expect("it runs");
    watching.wait().expect("it ends");
}
