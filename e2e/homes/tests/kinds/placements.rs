//! The rules of targets and of placements.

use serde_json::{Value, json};

use crate::cases::{Case, changed, created, long_name, said};

pub(crate) fn targets() -> Vec<Case> {
    let network = |cluster: &str| json!({"cluster": cluster, "cidrs": ["10.0.0.0/24"], "className": "fast"});
    vec![
        created(
            "SyncTarget",
            long_name(),
            "the name of a target is part of labels and has at most 63 characters",
        ),
        changed(
            "SyncTarget",
            json!({"spec": {"cluster": "west"}}),
            "a target stays the cluster that it is: make a new SyncTarget for another one",
        ),
        created(
            "SyncTarget",
            json!({"spec": {"fencing": {"networkFence": network("west")}}}),
            "a target is fenced by a hook or by a NetworkFence: give one of them",
        ),
        created(
            "SyncTarget",
            json!({"spec": {"fencing": {"hook": null, "networkFence": network("east")}}}),
            "a target is not fenced by what runs on itself: name another Cluster that reaches the storage",
        ),
        created(
            "SyncTarget",
            json!({"spec": {"fencing": {"hook": null, "networkFence": {"cluster": "west", "cidrs": ["10.0.0.0/24"]}}}}),
            "give a className, or a driver with its secret",
        ),
        said("SyncTarget", json!({"fenceEpoch": 2}), json!({"fenceEpoch": 1}), "an epoch never falls"),
        said(
            "SyncTarget",
            json!({"fence": "Requested", "fenceEpoch": 2}),
            json!({"fence": "Fenced"}),
            "the fence epoch rises when a fence comes into force",
        ),
        said(
            "SyncTarget",
            json!({"fence": "Fenced", "fenceEpoch": 2}),
            json!({"fence": "None"}),
            "a fence is taken down before there is none",
        ),
        said("SyncTarget", json!({"restore": 2}), json!({"restore": 1}), "a restore is not undone"),
        said(
            "SyncTarget",
            json!({"fenceEpoch": 1}),
            Value::Null,
            "the status of a target is what is known of its fence, and is never taken away",
        ),
    ]
}

pub(crate) fn placements() -> Vec<Case> {
    let user = |target: &str, epoch: u64| json!({"target": target, "epoch": epoch});
    vec![
        said(
            "Placement",
            json!({"epoch": 1}),
            Value::Null,
            "the status of a placement is who runs the namespace, and is never taken away",
        ),
        created(
            "Placement",
            json!({"metadata": {"name": "other"}}),
            "a namespace has one Placement, and that is called placement: change that one",
        ),
        created(
            "Placement",
            json!({"spec": {"targetSelector": {}}}),
            "give either the target or a selector of targets; with neither, any target will do",
        ),
        created(
            "Placement",
            json!({"spec": {"moveWindow": {"from": "22:00", "to": "22:00"}}}),
            "a window shuts at another time than it opens; to move at any time, give none",
        ),
        said("Placement", json!({"epoch": 2}), json!({"epoch": 1}), "an epoch never falls"),
        said(
            "Placement",
            json!({"epoch": 2}),
            json!({"epoch": 2, "users": [user("east", 2)]}),
            "who is granted something new is granted it in a greater epoch",
        ),
        said(
            "Placement",
            json!({"epoch": 1, "users": [user("east", 1)]}),
            json!({"epoch": 2, "users": [user("east", 1), user("west", 2)]}),
            "a holder lets go, or is fenced, before there is another one",
        ),
    ]
}
