//! Placements: what people want of targets and namespaces, and what is shown of them.

use bowline_api::placements::{Placement, SyncTarget, VolumeGrant};
use serde_json::{Value, json};

use super::hub::Hub;

/// A hub with a cluster for each of two targets, and a namespace.
fn hub() -> Hub {
    let hub = Hub::start();
    for kind in ["SyncTarget", "Placement", "VolumeGrant", "Cluster"] {
        hub.is_served("bowline.dev", "v1alpha1", kind);
    }
    hub.create(&json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}));
    for target in ["east", "west"] {
        hub.cluster(target, &json!({"selector": {}}));
        hub.bowline(&format!("place target add {target} --cluster {target}")).is(0, &["bowline join syncer"]);
    }
    hub
}

fn target(hub: &Hub, name: &str) -> SyncTarget {
    let all = hub.all::<SyncTarget>();
    all.into_iter().find(|target| target.metadata.name.as_deref() == Some(name)).expect("a target")
}

fn grant(hub: &Hub, status: &Value) {
    hub.create(&json!({
        "apiVersion": "bowline.dev/v1alpha1", "kind": "VolumeGrant", "metadata": {"name": "shop.data"},
        "spec": {"namespace": "shop", "claim": "data"},
    }));
    hub.say_of_place("VolumeGrant", "shop.data", status);
}

fn conditions(kind: &str) -> Value {
    let at = "2026-01-01T00:00:00Z";
    json!([{"type": kind, "status": "True", "reason": "X", "message": "", "lastTransitionTime": at}])
}

#[test]
fn a_target_is_added_changed_listed_and_removed() {
    let hub = hub();
    hub.bowline("place target add north --cluster nowhere").is(4, &["there is no cluster nowhere"]);
    hub.bowline("place target add east --cluster west").is(2, &["a target stays the cluster that it is"]);
    let line = "place target add east --cluster east --label zone=a --taint gpu --capacity 5 --evict-after 10m --fence-hook power-off";
    hub.bowline(line).is(0, &["The target east was there"]);
    let east = target(&hub, "east");
    assert_eq!(east.metadata.labels.expect("labels").get("zone").map(String::as_str), Some("a"));
    assert_eq!((east.spec.taints[0].key.as_str(), east.spec.evict_after_seconds), ("gpu", Some(600)));
    hub.bowline("place target list -o wide")
        .is(0, &["TARGET", "east", "0/5", "zone=a", "a hook", "a person"]);
    let list: Value =
        serde_json::from_str(&hub.bowline("place target list -o json").is(0, &[]).out).expect("JSON");
    assert_eq!(list["items"].as_array().map(Vec::len), Some(2));
    hub.bowline("place namespace shop --on east").is(0, &[]);
    hub.say_of_place("Placement", "placement", &json!({"desired": "east"}));
    hub.bowline("place target remove east")
        .is(4, &["the namespaces shop", "bowline place drain east", "nothing was changed"]);
    hub.bowline("place target remove west").is(0, &["is removed"]);
    hub.bowline("place target remove weast").is(4, &["there is no target weast; did you mean `east`?"]);
    assert_eq!(hub.all::<SyncTarget>().len(), 1);
}

#[test]
fn a_namespace_is_placed_once_and_moved_where_it_can_go() {
    let hub = hub();
    hub.bowline("place namespace none --on east").is(4, &["kubectl create namespace none"]);
    hub.bowline("place namespace shop --on est").is(4, &["there is no target est; did you mean `east`?"]);
    hub.bowline("place move shop --to west").is(4, &["bowline place namespace shop --on TARGET"]);
    hub.bowline("place namespace shop --on east").is(0, &["is to be placed"]);
    hub.bowline("place namespace shop --on east").is(0, &[]);
    hub.bowline("place namespace shop --on west").is(4, &["bowline place move shop --to TARGET"]);
    let wanted = |hub: &Hub| hub.all::<Placement>().remove(0).spec.target.map(|target| target.to_string());
    assert_eq!(wanted(&hub).as_deref(), Some("east"));
    hub.say_of_place("Placement", "placement", &json!({"desired": "east"}));
    for (line, why) in
        [("cordon west", "uncordon west"), ("drain west", "uncordon west"), ("fence west", "unfence west")]
    {
        hub.bowline(&format!("place {line}")).is(0, &[]);
        hub.bowline("place move shop --to west")
            .is(4, &["shop cannot go to west", why, "nothing was stopped"]);
        hub.bowline("place uncordon west").is(0, &["in service again"]);
        hub.bowline("place unfence west").is(0, &["not fenced"]);
    }
    hub.bowline("place drain east").is(0, &["shop is pinned to east", "bowline place move shop --to TARGET"]);
    hub.bowline("place uncordon east").is(0, &[]);
    grant(&hub, &json!({"onlyOn": "east"}));
    hub.bowline("place move shop --to west")
        .is(4, &["shop.data", "stays on its cluster", "nothing was stopped"]);
    assert_eq!(wanted(&hub).as_deref(), Some("east"), "nothing was changed");
    hub.say_of_place("VolumeGrant", "shop.data", &json!({"onlyOn": null}));
    hub.bowline("place move shop --to west").is(0, &["is to go to west"]);
    assert_eq!(wanted(&hub).as_deref(), Some("west"));
}

#[test]
fn who_waits_for_a_move_is_told_each_stage_and_how_it_ended() {
    let hub = hub();
    hub.bowline("place namespace shop --on east").is(0, &[]);
    let user = |target: &str, epoch: u64, state: &str, said: Value| json!([{"target": target, "epoch": epoch, "state": state, "said": said}]);
    let leaves = user("east", 1, "Releasing", Value::Null);
    let says = |generation: i64| {
        json!({
            "desired": "west", "epoch": 1, "users": leaves, "phase": "Releasing", "observedGeneration": generation,
            "message": "waits for east to give up the namespace shop",
        })
    };
    // What it waited for before it was moved says nothing of the move.
    hub.say_of_place("Placement", "placement", &says(1));
    hub.bowline("place move shop --to west --wait --timeout 2s")
        .is(3, &["stop: waits for the hub to look at it", "not there within 2 s"]);
    hub.say_of_place("Placement", "placement", &says(2));
    hub.bowline("place move shop --to west --wait --timeout 2s").is(
        3,
        &["stop: waits for east to give up the namespace shop", "not there within 2 s", "shop Releasing"],
    );
    let generation = hub.all::<Placement>().remove(0).metadata.generation;
    hub.say_of_place("Placement", "placement", &json!({"users": null}));
    let there = json!({
        "epoch": 2, "users": user("west", 2, "Granted", json!("Ready")), "phase": "Granted", "message": "on west, in epoch 2",
        "observedGeneration": generation, "conditions": conditions("Ready"),
    });
    hub.say_of_place("Placement", "placement", &there);
    hub.bowline("place move shop --to west --wait").is(0, &["shop Granted: on west, in epoch 2"]);
    let stuck = json!({"conditions": conditions("Stalled"), "message": "waits for a person"});
    hub.say_of_place("Placement", "placement", &stuck);
    hub.bowline("place move shop --to west --wait").is(1, &["waits for a person"]);
}

#[test]
fn a_fence_is_recorded_with_who_wants_it_and_who_vouches_for_it() {
    let hub = hub();
    hub.bowline("place fence east").is(0, &["east is to be fenced", "bowline place fence east --confirmed"]);
    let fence = target(&hub, "east").spec.fence.expect("a fence");
    assert!(!fence.confirmed && !fence.by.is_empty(), "{fence:?}");
    hub.bowline("place fence east --confirmed").is(0, &["It is on record that", &fence.by]);
    hub.bowline("place fence est").is(4, &["there is no target est; did you mean `east`?"]);
    assert!(target(&hub, "east").spec.fence.is_some_and(|fence| fence.confirmed));
    hub.say_of_place("SyncTarget", "east", &json!({"fence": "Fenced", "fenceEpoch": 1}));
    hub.bowline("place fence east").is(0, &["east is fenced."]);
    hub.bowline("place unfence east").is(0, &["when its syncer has stopped"]);
    assert_eq!(target(&hub, "east").spec.fence, None);
}

#[test]
fn where_everything_is_and_why_something_is_nowhere_is_shown() {
    let hub = hub();
    hub.bowline("place namespace shop --selector zone=b").is(0, &[]);
    hub.bowline("place status")
        .is(0, &["NAMESPACE", "shop", "Pending", "shop is nowhere:", "east: it lacks the label zone=b"]);
    hub.bowline("place status none").is(4, &["is not placed"]);
    grant(
        &hub,
        &json!({"holder": "east", "epoch": 3, "users": [{"target": "east", "epoch": 3}], "state": "Granted"}),
    );
    hub.bowline("place status shop").is(0, &["shop/data", "east", "Granted"]);
    let all: Value = serde_json::from_str(&hub.bowline("place status -o json").is(0, &[]).out).expect("JSON");
    let counts = ["targets", "placements", "volumes"].map(|part| all[part].as_array().map(Vec::len));
    assert_eq!(counts, [Some(2), Some(1), Some(1)]);
}

#[test]
fn the_history_of_a_volume_has_epochs_fences_and_what_it_rests_on() {
    let hub = hub();
    let event = |second: u32, what: &str, target: &str, epoch: u64| json!({"at": format!("2026-01-01T00:00:{second:02}Z"), "what": what, "target": target, "epoch": epoch});
    let events = json!([
        event(1, "Granted", "east", 1),
        event(4, "Fenced", "east", 1),
        event(5, "Granted", "west", 2)
    ]);
    grant(&hub, &json!({"epoch": 2, "history": events}));
    let request = json!({"by": "anna", "at": "2026-01-01T00:00:02Z", "confirmed": true});
    let fenced = json!({"at": "2026-01-01T00:00:03Z", "fence": "Fenced", "epoch": 1, "fencedBy": "Person", "request": request});
    hub.say_of_place("SyncTarget", "east", &json!({"fence": "Fenced", "fenceEpoch": 1, "history": [fenced]}));
    hub.bowline("place history shop/data").is(
        0,
        &[
            "FenceFenced",
            "east, in epoch 1: from 2026-01-01T00:00:01Z until 2026-01-01T00:00:04Z",
            "west, in epoch 2: from 2026-01-01T00:00:05Z until now",
            "anna vouched for it",
        ],
    );
    let told: Value =
        serde_json::from_str(&hub.bowline("place history shop.data -o json").is(0, &[]).out).expect("JSON");
    assert_eq!(
        (told["events"].as_array().map(Vec::len), told["uses"][0]["ended"].clone()),
        (Some(4), json!("Fenced"))
    );
    hub.bowline("place history shop/other").is(4, &["there is no volume shop/other"]);
    hub.bowline("place history /").is(2, &["NAMESPACE/CLAIM"]);
    hub.say_of_place("VolumeGrant", "shop.data", &json!({"holder": "west"}));
    hub.bowline("place abandon shop/data")
        .is(0, &["is abandoned, in the name of", "west has it", "kubectl patch volumegrant shop.data"]);
    let by = hub.all::<VolumeGrant>().remove(0).spec.abandoned.map(|abandoned| abandoned.by);
    assert!(by.is_some_and(|by| !by.is_empty()));
    hub.bowline("place abandon shop/data").is(0, &["was abandoned by"]);
}

#[test]
fn a_syncer_gets_a_kubeconfig_that_reads_no_secret_of_a_namespace_that_it_has_not() {
    let hub = hub();
    hub.create(&json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "bowline-system"}}));
    hub.bowline("join syncer none").is(4, &["there is no target none"]);
    let said = hub.bowline("join syncer east --ttl 1h").is(0, &["kind: Config", "may act for it until"]);
    hub.file("east.kubeconfig", &said.out);
    hub.bowline("place status --kubeconfig east.kubeconfig").is(4, &["cannot list targets"]);
    hub.bowline("place history shop --kubeconfig east.kubeconfig").is(4, &["is not placed"]);
    hub.bowline("place fence west --kubeconfig east.kubeconfig").is(4, &["forbidden"]);
    hub.bowline("update list -n shop --kubeconfig east.kubeconfig").is(4, &["forbidden"]);
}
