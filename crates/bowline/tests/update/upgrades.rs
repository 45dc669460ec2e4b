//! Groups of nodes: commands and their answers, and what is shown.

use std::io::{BufRead, BufReader};

use bowline_api::upgrades::{Command, Member, Mode, NodeGroup, Verb};
use serde_json::{Value, json};

use super::hub::{Hub, Said};

fn hub() -> Hub {
    let hub = Hub::start();
    hub.is_served("bowline.dev", "v1alpha1", "NodeGroup");
    hub.is_served("bowline.dev", "v1alpha1", "Member");
    let versions = ["v1", "v2"].map(|name| json!({"name": name, "command": ["true"]}));
    hub.create(&json!({
        "apiVersion": "bowline.dev/v1alpha1", "kind": "NodeGroup", "metadata": {"name": "kv", "namespace": "default"},
        "spec": {"versions": versions, "devices": ["d1", "d2"]},
    }));
    hub
}

fn group(hub: &Hub) -> NodeGroup {
    hub.all::<NodeGroup>().remove(0)
}

/// The command that the group has, as soon as it is not this one.
fn commanded(hub: &Hub, before: Option<&str>) -> Command {
    let mut found = None;
    hub.until("a command is given", || {
        found = group(hub).spec.command.filter(|command| Some(command.id.as_str()) != before);
        found.is_some()
    });
    found.expect("it was found")
}

/// Gives a command, and answers it.
fn answered(hub: &Hub, line: &str, status: impl FnOnce(&Command) -> Value) -> (Said, Command) {
    let before = group(hub).spec.command.map(|command| command.id);
    let child = hub.start_any(line);
    let command = commanded(hub, before.as_deref());
    hub.say_of_group("kv", &status(&command));
    (hub.ended(child), command)
}

fn accepts(command: &Command) -> Value {
    json!({"command": {"id": command.id, "refused": null}, "message": "n1 may be moved: bowline upgrade node kv n1"})
}

#[test]
fn a_command_is_given_with_an_id_of_its_own_and_its_answer_is_waited_for() {
    let hub = hub();
    let verbs = [
        ("init", Verb::Init),
        ("run", Verb::Run),
        ("commit", Verb::Commit),
        ("rollback", Verb::Rollback),
        ("reset", Verb::Reset),
        ("forward", Verb::Forward),
    ];
    let mut seen = Vec::new();
    for (word, verb) in verbs {
        let (said, command) = answered(&hub, &format!("upgrade {word} kv"), accepts);
        said.is(0, &["kv Inactive: n1 may be moved"]);
        assert_eq!((command.verb, &command.member), (verb, &None), "{word}");
        assert!(!seen.contains(&command.id), "{word}");
        seen.push(command.id);
    }
    for (word, verb) in [("node", Verb::Node), ("forget", Verb::Forget)] {
        let (said, command) = answered(&hub, &format!("upgrade {word} kv n1 -o json"), accepts);
        let printed: Value = serde_json::from_str(&said.is(0, &[]).out).expect("JSON");
        assert_eq!(printed["status"]["command"]["id"], command.id.as_str());
        assert_eq!(
            (command.verb, command.member.as_ref().map(ToString::to_string).as_deref()),
            (verb, Some("n1"))
        );
    }
    // The member of the command before is gone with it.
    let (said, command) = answered(&hub, "upgrade commit kv", accepts);
    said.is(0, &[]);
    assert_eq!(command.member, None);
}

#[test]
fn a_command_that_may_not_be_given_now_is_refused_with_what_to_do() {
    let hub = hub();
    let why = "n3 is still at v1: run bowline upgrade node kv n3";
    let (said, _) =
        answered(&hub, "upgrade commit kv", |command| json!({"command": {"id": command.id, "refused": why}}));
    said.is(4, &[why]);
    // What was said to the one before is not the answer.
    hub.bowline("upgrade commit kv --timeout 1s")
        .is(3, &["commit was not answered within 1 s", "Do they run?"]);
    // Somebody else was quicker than the controller.
    let before = group(&hub).spec.command.map(|command| command.id);
    let child = hub.start_any("upgrade run kv");
    let first = commanded(&hub, before.as_deref());
    let second = hub.start_any("upgrade rollback kv");
    let command = commanded(&hub, Some(&first.id));
    hub.ended(child).is(4, &["somebody else commanded rollback before this was answered"]);
    hub.say_of_group("kv", &accepts(&command));
    hub.ended(second).is(0, &[]);
}

#[test]
fn a_member_is_moved_while_somebody_waits() {
    let hub = hub();
    for (version, code) in [("v2", 0), ("v1", 1)] {
        let before = group(&hub).spec.command.map(|command| command.id);
        let child = hub.start_any("upgrade node kv n1 --wait");
        let command = commanded(&hub, before.as_deref());
        let member = |version: &str| json!([{"name": "n1", "uid": "1", "version": version}]);
        hub.say_of_group(
            "kv",
            &json!({
                "upgradeState": "Initialized", "servingVersion": "v1", "fromVersion": "v1", "targetVersion": "v2", "attempt": 1,
                "members": member("v1"), "inHand": {"member": "n1", "to": "v2"}, "message": "n1 lets go of d1",
                "command": {"id": command.id},
            }),
        );
        hub.say_of_group("kv", &json!({"message": "n1 starts v2", "inHand": {"moving": true}}));
        hub.say_of_group(
            "kv",
            &json!({"message": "n1 has ended", "inHand": null, "members": member(version)}),
        );
        hub.ended(child).is(code, &["kv Initialized: n1 has ended"]);
    }
}

#[test]
fn an_upgrade_is_started_and_followed_to_its_end() {
    let hub = hub();
    hub.bowline("upgrade start kv --to v3").is(2, &["the group kv has no version v3", "there are: v1, v2"]);
    hub.bowline("upgrade start kv --to v2").is(0, &["The group kv goes to v2", "upgrade status kv --watch"]);
    let spec = group(&hub).spec;
    assert_eq!(
        (spec.mode, spec.version.as_ref().map(ToString::to_string).as_deref()),
        (Mode::Automatic, Some("v2"))
    );
    hub.bowline("upgrade start kv --to v2").is(0, &["is to go to v2 already"]);
    hub.bowline("upgrade start kv --to v2 --wait --timeout 1s").is(3, &["has not come to rest within 1 s"]);
    // It was rolled back: it is tried again by who says so.
    let failed = group(&hub).metadata.generation;
    hub.say_of_group(
        "kv",
        &json!({"observedGeneration": failed, "servingVersion": "v1", "failedVersion": "v2", "failedGeneration": failed,
            "message": "n1 crashed"}),
    );
    hub.bowline("upgrade start kv --to v2").is(0, &["The group kv goes to v2"]);
    let now = group(&hub).metadata.generation;
    assert!(now > failed && group(&hub).spec.mode == Mode::Automatic);
    let child = hub.start_any("upgrade start kv --to v2 --wait");
    let ready = |is: &str| json!([{"type": "Ready", "status": is, "reason": "AsWanted", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}]);
    hub.say_of_group(
        "kv",
        &json!({"observedGeneration": now, "servingVersion": "v2", "members": [{"name": "n1", "uid": "1", "version": "v2"}],
            "failedVersion": null, "failedGeneration": null, "message": "v2 serves, and its devices are evened out", "conditions": ready("False")}),
    );
    hub.say_of_group("kv", &json!({"message": "v2 serves", "conditions": ready("True")}));
    hub.ended(child).is(0, &["kv Inactive: v2 serves"]);
}

fn busy(hub: &Hub) {
    hub.say_of_group(
        "kv",
        &json!({
            "upgradeState": "Upgraded", "servingVersion": "v2", "fromVersion": "v1", "targetVersion": "v2", "attempt": 1,
            "members": [{"name": "n1", "uid": "1", "version": "v2"}, {"name": "n2", "uid": "2", "version": "v1", "state": "Lost"}],
            "devices": [{"name": "d1", "master": "n1", "epoch": 3}, {"name": "d2", "epoch": 0}],
            "counts": {"members": 2, "present": 1, "summary": "1/2"}, "message": "n2 is lost: bowline upgrade forget kv n2",
        }),
    );
}

#[test]
fn groups_are_listed_and_shown() {
    let hub = hub();
    hub.bowline("upgrade list -n kube-system")
        .is(0, &["There are no groups in kube-system", "kubectl apply"]);
    hub.bowline("upgrade status kv").is(0, &["nothing serves", "bowline join node kv"]);
    busy(&hub);
    let list = hub.bowline("upgrade list").is(0, &[]).out;
    let lines: Vec<Vec<&str>> = list.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["NAME", "PHASE", "SERVING", "TARGET", "MEMBERS", "READY", "AGE", "MESSAGE"]);
    assert_eq!(lines[1][..6], ["kv", "Upgraded", "v2", "v2", "1/2", "-"]);
    hub.bowline("upgrade list -A -o wide").is(0, &["NAMESPACE", "default", "Manual", "n2 is lost"]);
    let all: Value = serde_json::from_str(&hub.bowline("upgrade list -o json").is(0, &[]).out).expect("JSON");
    assert_eq!(all["items"][0]["metadata"]["name"], "kv");

    hub.bowline("join node kv n1").is(0, &["kind: Config", "may act for itself"]);
    hub.say_of_member("kv-n1", &json!({"observedGeneration": 1, "phase": "Running", "version": "v2"}));
    let shown =
        hub.bowline("upgrade status kv").is(0, &["v1 → v2, attempt 1; v2 serves", "No master: d2"]).out;
    let row = |name: &str| {
        let line = shown.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{shown}"));
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("MEMBER"), ["MEMBER", "v1", "v2*", "STATE", "PHASE", "MASTER", "OF", "MESSAGE"]);
    assert_eq!(row("n1"), ["n1", "●", "Present", "Running", "d1", "(3)"]);
    assert_eq!(row("n2"), ["n2", "●", "Lost", "-"]);
    let both: Value =
        serde_json::from_str(&hub.bowline("upgrade status kv -o json").is(0, &[]).out).expect("JSON");
    assert_eq!(
        (&both["group"]["status"]["attempt"], &both["members"][0]["metadata"]["name"]),
        (&json!(1), &json!("kv-n1"))
    );
    hub.bowline("upgrade status kv -o yaml").is(0, &["upgradeState: Upgraded"]);
    for line in ["status", "commit", "init"] {
        hub.bowline(&format!("upgrade {line} other"))
            .is(4, &["there is no group other in default", "upgrade list -A"]);
    }
    hub.bowline("upgrade node kv").is(2, &["<MEMBER>"]);
}

/// A group at rest at v1, with members that work there.
fn rests(hub: &Hub, group: &str, names: &[&str]) {
    for name in names {
        hub.bowline(&format!("join node {group} {name}")).is(0, &[]);
        let member = format!("{group}-{name}");
        hub.say_of_member(&member, &json!({"observedGeneration": 1, "phase": "Running", "version": "v1"}));
    }
    let uid = |name: &str| {
        let mut members = hub.all::<Member>().into_iter();
        let member =
            members.find(|member| member.metadata.name.as_deref() == Some(&format!("{group}-{name}")));
        member.and_then(|member| member.metadata.uid).expect("a uid")
    };
    let members: Vec<_> =
        names.iter().map(|name| json!({"name": name, "uid": uid(name), "version": "v1"})).collect();
    let status =
        json!({"upgradeState": "Inactive", "servingVersion": "v1", "attempt": 0, "members": members});
    hub.say_of_group(group, &status);
}

#[test]
fn a_plan_is_explored_before_anything_is_touched() {
    let hub = hub();
    rests(&hub, "kv", &["n1", "n2", "n3"]);
    let version = || group(&hub).metadata.resource_version;
    let before = version();
    let safe = hub.bowline("upgrade preflight kv --to v2 --crashes 1 --automatic");
    safe.is(
        0,
        &[
            "kv: v1 → v2, 3 nodes, up to one crash at any moment: SAFE",
            "states covered",
            "At worst",
            "It may end",
        ],
    );
    let line = "upgrade preflight kv --to v2 --crashes 0 --automatic -o json";
    let found: Value = serde_json::from_str(&hub.bowline(line).is(0, &[]).out).expect("JSON");
    assert_eq!((&found["verdict"], &found["complete"]), (&json!("safe"), &json!(true)), "{found}");
    // One is on its way to v2 when a person goes back, and another one goes back meanwhile.
    assert_eq!((&found["worst"]["nodes"], &found["worst"]["unavailable"]), (&json!(3), &json!(2)), "{found}");
    assert_eq!((&found["ends"]["committed"], &found["violated"]), (&json!(true), &json!([])), "{found}");
    hub.bowline("upgrade preflight kv --to v2 --max-states 10").is(3, &["INCOMPLETE", "--max-states"]);
    hub.bowline("upgrade preflight kv --to v22").is(2, &["has no version v22", "did you mean `v2`?"]);
    hub.bowline("upgrade preflight kv --to v1").is(2, &["v1 is not the next version", "the next one is v2"]);
    assert_eq!(version(), before, "nothing was touched");
    hub.say_of_group(
        "kv",
        &json!({"upgradeState": "Upgraded", "fromVersion": "v1", "targetVersion": "v2", "attempt": 1}),
    );
    hub.bowline("upgrade preflight kv --to v2").is(4, &["not while the group is Upgraded"]);
}

#[test]
fn a_plan_that_is_not_safe_is_shown_with_how_it_comes_about() {
    let hub = hub();
    let versions = ["v1", "v2"].map(|name| json!({"name": name, "command": ["true"]}));
    for (name, interrupts) in [("single", true), ("kept", false)] {
        hub.create(&json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "NodeGroup", "metadata": {"name": name, "namespace": "default"},
            "spec": {"versions": versions, "devices": ["d1"], "mode": "Automatic", "allowInterruption": interrupts},
        }));
        rests(&hub, name, &["only"]);
    }
    let said = hub.bowline("upgrade preflight single --to v2 --crashes 0");
    said.is(
        1,
        &["UNSAFE", "KeepsServing is violated", "the hub: take only in hand", "1 of 1 nodes do not work"],
    );
    let found: Value =
        serde_json::from_str(&hub.bowline("upgrade preflight single --to v2 -o json").is(1, &[]).out)
            .expect("JSON");
    assert_eq!(
        (&found["verdict"], &found["violated"][0]["property"]),
        (&json!("unsafe"), &json!("KeepsServing"))
    );
    hub.bowline("upgrade preflight kept --to v2").is(4, &["without interrupting the service"]);
}

#[test]
fn a_group_is_watched() {
    let hub = hub();
    busy(&hub);
    let mut child = hub.start_any("upgrade status kv --watch");
    let mut lines = BufReader::new(child.stdout.take().expect("its stdout is piped")).lines();
    let mut until = |piece: &str| {
        let found = lines.find(|line| line.as_ref().is_ok_and(|line| line.contains(piece)));
        assert!(found.is_some(), "{piece} is never shown");
    };
    until("n2 is lost");
    hub.say_of_group("kv", &json!({"message": "n2 is back"}));
    until("n2 is back");
    hub.bowline("join node kv n3").is(0, &[]);
    until("not counted yet");
    child.kill().expect("it ends");
    child.wait().expect("it ends");
}

#[test]
fn who_joins_is_a_member_that_goes_with_its_group() {
    let hub = hub();
    let said = hub.bowline("join node kv n1").is(0, &["kubectl delete member kv-n1"]);
    let config: Value = as_json(&said.out);
    assert_eq!(config["current-context"], "kv-n1");
    assert_eq!(config["contexts"][0]["context"]["namespace"], "default");
    assert!(
        config["users"][0]["user"]["token"].as_str().is_some_and(|token| token.matches('.').count() == 2)
    );
    let member = hub.all::<Member>().remove(0);
    assert_eq!(member.spec.group.as_str(), "kv");
    let owners = member.metadata.owner_references.unwrap_or_default();
    assert_eq!(
        (owners[0].kind.as_str(), Some(&owners[0].uid)),
        ("NodeGroup", group(&hub).metadata.uid.as_ref())
    );
    // Its kubeconfig is one that bowline takes.
    hub.file("n1.kubeconfig", &said.out);
    let read = hub.bowline("upgrade list --kubeconfig n1.kubeconfig");
    read.is(4, &["forbidden"]);
}

/// YAML as JSON.
fn as_json(text: &str) -> Value {
    let read = kube::config::Kubeconfig::from_yaml(text).expect("a kubeconfig");
    serde_json::to_value(read).expect("JSON")
}
