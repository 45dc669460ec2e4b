//! Who holds a cluster for a stack, and when that is taken away.

use bowline_api::updates::Cluster;
use serde_json::{Value, json};

use super::config;
use super::hub::Hub;

/// A stack on a cluster, on which it is.
fn held() -> Hub {
    let hub = Hub::start();
    hub.cluster("prod", &json!({"selector": {}}));
    hub.file("app/a.yaml", &config("a", "1"));
    hub.update("submit app --cluster prod").is(0, &[]);
    let on = |namespace: &str, stack: &str| json!({"namespace": namespace, "stack": stack, "attempt": 1});
    hub.say_of_cluster(
        "prod",
        &json!({"activity": {"updates": [on("default", "prod"), on("team", "prod")]}}),
    );
    hub
}

fn activity(hub: &Hub) -> Value {
    let clusters = hub.all::<Cluster>();
    json!(clusters[0].status.as_ref().and_then(|status| status.activity.as_ref()))
}

fn lease(hub: &Hub, seconds: u32) {
    hub.create(&json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "bowline-system"}}));
    hub.create(&json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": "bowline-controllers", "namespace": "bowline-system"},
        "spec": {"holderIdentity": "host_1", "leaseDurationSeconds": seconds, "renewTime": "2026-01-01T00:00:00.000000Z"},
    }));
}

#[test]
fn nothing_has_to_be_unlocked_when_nobody_acts() {
    let hub = Hub::start();
    hub.update("unlock prod").is(4, &["there is no stack prod in default, and no cluster is held"]);
    drop(hub);
    let hub = held();
    let before = activity(&hub);
    hub.say_of_stack(
        "prod",
        &json!({"phase": "Partial", "working": 1, "epoch": 1, "message": "waits for web"}),
    );
    hub.update("unlock prod")
        .is(0, &["Nothing has to be unlocked", "Partial, version 1: waits for web", "no controllers run"]);
    lease(&hub, 1);
    hub.update("unlock prod").is(0, &["Looking whether host_1 renews its lease", "no controllers run"]);
    assert_eq!(activity(&hub), before, "it is only explained");
}

#[test]
fn what_is_done_is_not_cut_off() {
    let hub = held();
    hub.say_of_stack("prod", &json!({"phase": "RollingBack", "epoch": 1}));
    lease(&hub, 3600);
    let (before, mut unlocking) = (activity(&hub), hub.start_update("unlock prod"));
    let mut second = 0;
    hub.until("it is refused", || {
        second += 1;
        hub.renew("bowline-controllers", second);
        unlocking.try_wait().expect("it runs").is_some()
    });
    hub.ended(unlocking).is(4, &["host_1 acts for the stack prod (RollingBack)", "Submit a newer version"]);
    assert_eq!(activity(&hub), before);
}

#[test]
fn what_a_stack_that_is_gone_has_left_behind_is_taken_away() {
    let hub = held();
    hub.delete_stack("prod");
    hub.update("unlock prod").is(0, &["prod is not held for default/prod any more", "That is safe"]);
    assert_eq!(activity(&hub)["updates"], json!([{"namespace": "team", "stack": "prod", "attempt": 1}]));
    hub.update("unlock prod").is(4, &["no cluster is held"]);
    hub.update("submit app --cluster prod").is(0, &[]);
    hub.update("unlock prod").is(0, &["Nothing is locked"]);
}
