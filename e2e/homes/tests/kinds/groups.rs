//! Groups, members and devices.

use serde_json::{Value, json};

use crate::cases::{Case, Way, changed, created, long_name, named, said};

/// A right object of these kinds.
pub(crate) fn new(kind: &str) -> Value {
    match kind {
        "NodeGroup" => named(
            "kv",
            json!({
                "cluster": "east", "versions": [first(), second()], "version": "v1",
                "partitions": {"count": 2, "size": 3}, "devices": ["d1"],
                "command": {"verb": "Node", "member": "n1", "id": "1"},
            }),
        ),
        "Member" => named("kv-a-n1", json!({"group": "kv", "desired": {"version": "v1"}})),
        _ => named("kv-d1", json!({"group": "kv", "device": "d1"})),
    }
}

fn first() -> Value {
    json!({"name": "v1", "command": ["/bin/kv"], "probe": {"http": {"port": 80}}})
}

fn second() -> Value {
    json!({"name": "v2", "command": ["/bin/kv2"], "notify": {"port": 81}})
}

fn status(epoch: u64, master: &str) -> Value {
    json!({
        "upgradeState": "Initialized", "servingVersion": "v1", "fromVersion": "v1", "targetVersion": "v2", "attempt": 1,
        "members": [{"name": "n1", "uid": "1", "version": "v1"}],
        "devices": [{"name": "d1", "master": master, "epoch": epoch}],
    })
}

/// What becomes of a group.
pub(crate) fn life() -> Vec<(Way, Value)> {
    let third = json!({"name": "v3", "command": ["/bin/kv3"]});
    let between = json!({"name": "v1.5", "command": ["/bin/kv15"]});
    vec![
        (Way::Create, new("NodeGroup")),
        (Way::Status, status(1, "n1")),
        (
            Way::Status,
            json!({"inHand": {"member": "n1", "to": "v2"}, "devices": [{"name": "d1", "master": "n1", "epoch": 1, "leaving": true}]}),
        ),
        (Way::Status, status(2, "n2")),
        (
            Way::Status,
            json!({"memberships": [{"version": "v1", "partitions": [{"partition": 0, "members": ["n1"]}]}]}),
        ),
        (
            Way::Status,
            json!({"command": {"id": "1", "refused": "not now"}, "counts": {"members": 1, "summary": "0/1"}}),
        ),
        (Way::Change, json!({"spec": {"command": {"verb": "Commit", "id": "2", "member": null}}})),
        (Way::Change, json!({"spec": {"versions": [first(), between, second(), third]}})),
        (Way::Change, json!({"spec": {"versions": [first(), second()]}})),
        (
            Way::Status,
            json!({"upgradeState": "Inactive", "servingVersion": "v2", "fromVersion": null, "targetVersion": null,
            "members": [{"name": "n1", "uid": "1", "version": "v2", "state": "Lost"}], "failedVersion": "v2", "failedGeneration": 3}),
        ),
        (Way::Change, json!({"spec": {"versions": [second()], "version": "v2", "devices": []}})),
    ]
}

/// What becomes of a member.
pub(crate) fn duties() -> Vec<(Way, Value)> {
    let duty = |epoch: u64| json!([{"name": "d1", "epoch": epoch}]);
    vec![
        (Way::Create, new("Member")),
        (
            Way::Change,
            json!({"spec": {"desired": {"fenced": true, "devices": duty(1), "partitions": [{"partition": 0, "members": ["a-n1"]}]}}}),
        ),
        (
            Way::Status,
            json!({"observedGeneration": 2, "version": "v1", "phase": "Running", "devices": duty(1), "seen": duty(1)}),
        ),
        (
            Way::Change,
            json!({"spec": {"desired": {"drain": true, "devices": [{"name": "d1", "epoch": 1, "leaving": true}]}}}),
        ),
        (Way::Status, json!({"phase": "Drained", "devices": null, "seen": duty(2)})),
        (Way::Status, json!({"seen": null})),
    ]
}

/// What is refused.
pub(crate) fn wrong() -> Vec<Case> {
    let mut all = groups();
    all.extend(truths());
    all.extend(members());
    all
}

fn groups() -> Vec<Case> {
    let two_probes =
        json!([{"name": "v1", "command": ["a"], "probe": {"http": {"port": 1}, "tcp": {"port": 1}}}]);
    let other = json!([first(), {"name": "v2", "command": ["/bin/kv3"]}]);
    vec![
        created(
            "NodeGroup",
            long_name(),
            "the name of a group is put into labels and has at most 63 characters",
        ),
        created(
            "NodeGroup",
            json!({"spec": {"version": "v3"}}),
            "version is none of versions: declare it there, or name one that is",
        ),
        changed(
            "NodeGroup",
            json!({"spec": {"cluster": null}}),
            "a group stays on its cluster: make a new NodeGroup for another one",
        ),
        created(
            "NodeGroup",
            json!({"spec": {"versions": two_probes}}),
            "a probe is one of http, tcp and exec",
        ),
        changed(
            "NodeGroup",
            json!({"spec": {"partitions": null}}),
            "partitions cannot be changed, for memberships are recorded by them: make a new NodeGroup",
        ),
        changed(
            "NodeGroup",
            json!({"spec": {"versions": other}}),
            "a version that was declared stays as it is: declare another one; or, while no member has it, take it out first and put \
             it back then",
        ),
        changed(
            "NodeGroup",
            json!({"spec": {"versions": [second(), first()]}}),
            "versions keep their order, for a group goes from each to the next: put new ones after or between them",
        ),
        created(
            "NodeGroup",
            json!({"spec": {"command": {"verb": "Commit"}}}),
            "Node and Forget need a member, and no other command has one",
        ),
        changed(
            "NodeGroup",
            json!({"spec": {"command": {"member": "n2"}}}),
            "another command needs another id, or it would not be seen as one",
        ),
    ]
}

/// What a status may not say, and what it keeps people from.
fn truths() -> Vec<Case> {
    let in_use = Case {
        steps: vec![
            (Way::Create, new("NodeGroup")),
            (
                Way::Status,
                json!({"servingVersion": "v2", "members": [{"name": "n1", "uid": "1", "version": "v1"}]}),
            ),
            (Way::Change, json!({"spec": {"versions": [second()], "version": "v2"}})),
        ],
        ..changed(
            "NodeGroup",
            Value::Null,
            "a version that serves, that a member has or that an upgrade is about stays declared: take it out when no member has it, \
             or forget the members that do",
        )
    };
    vec![
        in_use,
        said(
            "NodeGroup",
            status(1, "n1"),
            Value::Null,
            "the status of a group is what is known of its nodes, and is never taken away",
        ),
        said(
            "NodeGroup",
            json!({}),
            json!({"upgradeState": "Upgraded", "servingVersion": "v2"}),
            "an upgrade is from one version to another, and one of them serves",
        ),
        said(
            "NodeGroup",
            json!({}),
            json!({"targetVersion": "v2"}),
            "fromVersion and targetVersion come and go together",
        ),
        said(
            "NodeGroup",
            json!({}),
            json!({"failedVersion": "v2"}),
            "failedVersion and failedGeneration come and go together",
        ),
        said(
            "NodeGroup",
            json!({"attempt": 2}),
            json!({"attempt": 1}),
            "a number of an attempt is never given twice",
        ),
        said("NodeGroup", status(2, "n1"), status(1, "n1"), "an epoch never falls"),
        said("NodeGroup", status(2, "n1"), status(2, "n2"), "another master has a greater epoch"),
    ]
}

fn members() -> Vec<Case> {
    let seen = |epoch: u64| json!({"seen": [{"name": "d1", "epoch": epoch}]});
    vec![
        created(
            "Member",
            json!({"metadata": {"name": "kv--n1"}}),
            "a Member is named after its group and itself: group-member",
        ),
        created(
            "Member",
            json!({"metadata": {"name": format!("kv-{}", "n".repeat(64))}}),
            "the name of a member is put into labels: after its group and a dash it has at most 63 characters",
        ),
        changed(
            "Member",
            json!({"spec": {"group": "kv-a"}}),
            "a member stays in its group: make a new Member for another one",
        ),
        said("Member", seen(2), seen(1), "what was seen is not unseen"),
        created(
            "Device",
            json!({"metadata": {"name": "d1"}}),
            "a Device is named after its group and itself: group-device",
        ),
        changed("Device", json!({"spec": {"device": "d2"}}), "a device stays what it is"),
    ]
}

/// What the schemas themselves refuse.
pub(crate) fn schemas() -> Vec<(&'static str, Value, &'static str)> {
    let twice = json!([{"name": "v1", "command": ["a"]}, {"name": "v1", "command": ["b"]}]);
    vec![
        ("NodeGroup", json!({"spec": {"versions": []}}), "should have at least 1 items"),
        ("NodeGroup", json!({"spec": {"versions": twice}}), "Duplicate value: {\"name\":\"v1\"}"),
        ("NodeGroup", json!({"spec": {"devices": ["d1", "d1"]}}), "Duplicate value: \"d1\""),
        (
            "NodeGroup",
            json!({"spec": {"partitions": {"count": null}}}),
            "spec.partitions.count: Required value",
        ),
        ("NodeGroup", json!({"spec": {"maxUnavailable": 0}}), "should be greater than or equal to 1"),
        ("NodeGroup", json!({"spec": {"command": {"verb": "Begin"}}}), "supported values: \"Init\""),
        (
            "Member",
            json!({"spec": {"desired": {"version": "v 1"}}}),
            "spec.desired.version in body should match",
        ),
    ]
}
