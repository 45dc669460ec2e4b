//! What people want of a group.

use bowline_api::upgrades::{
    Command as Written, CommitMode, Mode, NodeGroupSpec, OnCrash as WrittenOnCrash, Verb as WrittenVerb,
};
use bowline_control::Millis;
use bowline_upgrades::plain::Plain;
use bowline_upgrades::{Command, OnCrash, Partitions, Verb, Wish};

pub(super) fn read(spec: &NodeGroupSpec) -> Wish<Plain> {
    let seconds = |seconds: u32| Millis(u64::from(seconds) * 1_000);
    let partitions = spec.partitions.as_ref();
    Wish {
        cluster: spec.cluster.as_ref().map(ToString::to_string),
        versions: spec.versions.iter().map(|version| version.name.to_string()).collect(),
        version: spec.version.as_ref().map(ToString::to_string),
        automatic: spec.mode == Mode::Automatic,
        soak: (spec.commit == CommitMode::Automatic).then(|| seconds(spec.soak_seconds)),
        on_crash: match spec.on_crash {
            WrittenOnCrash::NewVersion => OnCrash::NewVersion,
            WrittenOnCrash::Any => OnCrash::Any,
            WrittenOnCrash::Never => OnCrash::Never,
        },
        most_unavailable: spec.max_unavailable,
        partitions: Partitions {
            count: partitions.map_or(0, |partitions| partitions.count),
            size: partitions.map_or(0, |partitions| partitions.size),
        },
        devices: spec.devices.iter().map(ToString::to_string).collect(),
        interrupts: spec.allow_interruption,
        deadline: Some(seconds(spec.progress_deadline_seconds)),
        command: spec.command.as_ref().map(command),
    }
}

fn command(Written { verb, member, id }: &Written) -> Command<Plain> {
    Command { verb: self::verb(*verb), member: member.as_ref().map(ToString::to_string), ticket: id.clone() }
}

fn verb(verb: WrittenVerb) -> Verb {
    match verb {
        WrittenVerb::Init => Verb::Initialize,
        WrittenVerb::Run => Verb::Run,
        WrittenVerb::Node => Verb::Node,
        WrittenVerb::Commit => Verb::Commit,
        WrittenVerb::Rollback => Verb::Rollback,
        WrittenVerb::Reset => Verb::Reset,
        WrittenVerb::Forward => Verb::Forward,
        WrittenVerb::Forget => Verb::Forget,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn wish(spec: Value) -> Wish<Plain> {
        read(&serde_json::from_value(spec).expect("a spec"))
    }

    #[test]
    fn a_group_of_which_little_is_said_is_upgraded_by_hand_and_plainly() {
        let expected = Wish {
            cluster: None,
            versions: vec!["v1".into()],
            version: None,
            automatic: false,
            soak: None,
            on_crash: OnCrash::NewVersion,
            most_unavailable: 1,
            partitions: Partitions { count: 0, size: 0 },
            devices: Vec::new(),
            interrupts: false,
            deadline: Some(Millis(600_000)),
            command: None,
        };
        assert_eq!(wish(json!({ "versions": [{ "name": "v1", "command": ["x"] }] })), expected);
    }

    #[test]
    fn all_that_is_wanted_is_read() {
        let all = wish(json!({
            "cluster": "east", "versions": [{ "name": "v1", "command": ["x"] }, { "name": "v2", "command": ["y"] }],
            "version": "v2", "mode": "Automatic", "commit": "Automatic", "soakSeconds": 7, "onCrash": "Any", "maxUnavailable": 2,
            "partitions": { "count": 4, "size": 3 }, "devices": ["d2", "d1"], "allowInterruption": true,
            "progressDeadlineSeconds": 9, "command": { "verb": "Node", "member": "n1", "id": "t" },
        }));
        assert_eq!((all.cluster.as_deref(), all.version.as_deref()), (Some("east"), Some("v2")));
        assert_eq!(
            (all.versions, all.devices),
            (vec!["v1".into(), "v2".into()], vec!["d2".into(), "d1".into()])
        );
        assert_eq!((all.automatic, all.interrupts, all.on_crash), (true, true, OnCrash::Any));
        assert_eq!((all.soak, all.deadline), (Some(Millis(7_000)), Some(Millis(9_000))));
        assert_eq!((all.most_unavailable, all.partitions), (2, Partitions { count: 4, size: 3 }));
        let command = Command { verb: Verb::Node, member: Some("n1".into()), ticket: "t".into() };
        assert_eq!(all.command, Some(command));
    }

    #[test]
    fn every_verb_can_be_written() {
        let words = ["Init", "Node", "Run", "Commit", "Rollback", "Reset", "Forward", "Forget"];
        let read = words.map(|word| verb(serde_json::from_value(json!(word)).expect("a verb")));
        assert_eq!(read, Verb::ALL);
    }
}
