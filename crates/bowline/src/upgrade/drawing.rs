//! A group as people see it: its members × its versions, who is master of what, and what is waited for.

use std::collections::{BTreeMap, BTreeSet};

use anstyle::Style;
use bowline_api::upgrades::{
    CommitMode, GroupMember, Member, MemberPhase, MemberState, Mode, NodeGroup, NodeGroupStatus,
};
use kube::ResourceExt;

use super::{said, style, word};
use crate::columns::{Columns, short};
use crate::palette::{self, paint};

/// How much of a member's message the table shows.
const MESSAGE: usize = 60;
/// How many devices of a member are named.
const SOME: usize = 6;

/// Draws a group with its members.
pub(super) fn draw(group: &NodeGroup, members: &[Member], wide: bool) -> String {
    let said = said(group);
    let mut text: String = head(group, &said)
        .iter()
        .map(|(name, value)| format!("{:<11}{value}\n", format!("{name}:")))
        .collect();
    let table = table(group, &said, members, wide);
    if !table.is_empty() {
        text.push_str(&format!("\n{table}"));
    }
    if wide {
        text.push_str(&partitions(&said));
    }
    text
}

fn head(group: &NodeGroup, said: &NodeGroupStatus) -> Vec<(&'static str, String)> {
    let name = format!("{}/{}", group.namespace().unwrap_or_default(), group.name_any());
    let phase = paint(style(said.upgrade_state), word(said.upgrade_state));
    let mut rows = vec![("Group", format!("{name} {phase}"))];
    let serving = said
        .serving_version
        .as_ref()
        .map_or("nothing serves".to_owned(), |version| format!("{version} serves"));
    rows.push(match (&said.from_version, &said.target_version) {
        (Some(from), Some(to)) => ("Upgrade", format!("{from} → {to}, attempt {}; {serving}", said.attempt)),
        _ => ("Version", serving),
    });
    let commit = match group.spec.commit {
        CommitMode::Manual => "committed by a person".to_owned(),
        CommitMode::Automatic => format!("committed by itself after {} s", group.spec.soak_seconds),
    };
    rows.push(match group.spec.mode {
        Mode::Manual => ("Mode", format!("Manual: step by step, by commands; {commit}")),
        Mode::Automatic => {
            let wanted =
                group.spec.version.as_ref().map_or("the version that it has".to_owned(), ToString::to_string);
            ("Mode", format!("Automatic, to {wanted}; {commit}"))
        }
    });
    if let Some(failed) = &said.failed_version {
        rows.push(("Failed", format!("{failed} was rolled back")));
    }
    if let Some(hand) = &said.in_hand {
        let how = if hand.moving { "it is to run that now" } else { "it lets go of what it does first" };
        rows.push(("Moving", format!("{} to {}: {how}", hand.member, hand.to)));
    }
    let lost: Vec<_> = without_master(said);
    if !lost.is_empty() {
        rows.push(("No master", paint(palette::WARN, &some(&lost))));
    }
    if let Some(why) = said.command.as_ref().and_then(|command| command.refused.as_ref()) {
        rows.push(("Refused", why.clone()));
    }
    if !said.message.is_empty() {
        rows.push(("Stands", said.message.clone()));
    }
    rows
}

/// The devices that nobody has now.
fn without_master(said: &NodeGroupStatus) -> Vec<String> {
    let without = said.devices.iter().filter(|device| device.master.is_none() || device.leaving);
    without.map(|device| device.name.to_string()).collect()
}

/// The first ones of these, and how many more there are.
fn some(names: &[String]) -> String {
    let more = names.len().saturating_sub(SOME);
    let first = names.iter().take(SOME).cloned().collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{first} and {more} more") } else { first }
}

/// The versions that anybody has, serves or goes to, in the order in which they are declared.
fn versions(group: &NodeGroup, said: &NodeGroupStatus) -> Vec<String> {
    let named = [&said.serving_version, &said.from_version, &said.target_version].into_iter().flatten();
    let used: BTreeSet<_> = named.chain(said.members.iter().map(|member| &member.version)).collect();
    let declared = group.spec.versions.iter().map(|version| &version.name);
    let mut all: Vec<_> = declared.filter(|version| used.contains(version)).collect();
    let undeclared: Vec<_> = used.iter().filter(|version| !all.contains(*version)).copied().collect();
    all.extend(undeclared);
    all.into_iter().map(ToString::to_string).collect()
}

fn table(group: &NodeGroup, said: &NodeGroupStatus, members: &[Member], wide: bool) -> String {
    let reports: BTreeMap<&str, &Member> = members
        .iter()
        .filter_map(|member| {
            let name = member.metadata.name.as_deref()?;
            Member::name_in(member.spec.group.as_str(), name).map(|name| (name, member))
        })
        .collect();
    let seats: BTreeMap<&str, &GroupMember> =
        said.members.iter().map(|member| (member.name.as_str(), member)).collect();
    let names: BTreeSet<&str> = seats.keys().chain(reports.keys()).copied().collect();
    if names.is_empty() {
        let name = group.name_any();
        return format!(
            "It has no members. To let a node join: bowline join node {name} NODE > NODE.kubeconfig\n"
        );
    }
    let versions = versions(group, said);
    let serving = said.serving_version.as_ref().map(ToString::to_string);
    let heading = |version: &String| {
        if Some(version) == serving.as_ref() { format!("{version}*") } else { version.clone() }
    };
    let headings: Vec<_> = ["MEMBER".to_owned()]
        .into_iter()
        .chain(versions.iter().map(heading))
        .chain(["STATE", "PHASE", "MASTER OF", "MESSAGE"].map(str::to_owned))
        .collect();
    let mut columns = Columns::new(&headings.iter().map(String::as_str).collect::<Vec<_>>());
    for name in names {
        let (seat, report) = (seats.get(name).copied(), reports.get(name).copied());
        let mut row = vec![(palette::STRONG, name.to_owned())];
        row.extend(
            versions.iter().map(|version| (palette::PLAIN, mark(said, name, seat, version).to_owned())),
        );
        row.push(state(seat));
        row.push(phase(seat, report));
        row.push((palette::PLAIN, mastered(said, name)));
        let message =
            report.and_then(|member| member.status.as_ref()).map_or("", |status| status.message.as_str());
        row.push((palette::FAINT, if wide { message.to_owned() } else { short(message, MESSAGE) }));
        columns.row(row);
    }
    columns.render()
}

/// Whether a member has a version, or goes to it.
fn mark(said: &NodeGroupStatus, name: &str, seat: Option<&GroupMember>, version: &str) -> &'static str {
    let goes = said.in_hand.as_ref().filter(|hand| hand.member.as_str() == name);
    if goes.is_some_and(|hand| hand.to.as_str() == version) {
        "→"
    } else if seat.is_some_and(|seat| seat.version.as_str() == version) {
        "●"
    } else {
        ""
    }
}

fn state(seat: Option<&GroupMember>) -> (Style, String) {
    let Some(seat) = seat else { return (palette::FAINT, "not counted yet".into()) };
    match seat.state {
        MemberState::Present => (palette::PLAIN, "Present".into()),
        MemberState::Crashed => (palette::BAD, "Crashed".into()),
        MemberState::Lost => (palette::BAD, "Lost".into()),
    }
}

/// How its agent says that it is, and with which version, if that is not the one that its group knows.
fn phase(seat: Option<&GroupMember>, report: Option<&Member>) -> (Style, String) {
    let Some(status) = report.and_then(|member| member.status.as_ref()) else {
        return (palette::FAINT, "-".into());
    };
    let (style, word) = match status.phase {
        MemberPhase::Running => (palette::GOOD, "Running"),
        MemberPhase::Unhealthy => (palette::BAD, "Unhealthy"),
        MemberPhase::Failed => (palette::BAD, "Failed"),
        MemberPhase::Restarting => (palette::WARN, "Restarting"),
        MemberPhase::Stopped => (palette::PLAIN, "Stopped"),
        MemberPhase::Starting => (palette::PLAIN, "Starting"),
        MemberPhase::Draining => (palette::PLAIN, "Draining"),
        MemberPhase::Drained => (palette::PLAIN, "Drained"),
        MemberPhase::Stopping => (palette::PLAIN, "Stopping"),
    };
    let other = status.version.as_ref().filter(|version| seat.is_none_or(|seat| seat.version != **version));
    let other = other.map_or_else(String::new, |version| format!(" {version}"));
    (style, format!("{word}{other}"))
}

/// What a member is master of, in which epoch.
fn mastered(said: &NodeGroupStatus, name: &str) -> String {
    let its = said
        .devices
        .iter()
        .filter(|device| device.master.as_ref().is_some_and(|master| master.as_str() == name));
    let its: Vec<_> = its
        .map(|device| {
            let leaves = if device.leaving { ", leaving" } else { "" };
            format!("{} ({}{leaves})", device.name, device.epoch)
        })
        .collect();
    some(&its)
}

fn partitions(said: &NodeGroupStatus) -> String {
    let mut columns = Columns::new(&["VERSION", "PARTITION", "MEMBERS"]);
    let mut any = false;
    for membership in &said.memberships {
        for partition in &membership.partitions {
            any = true;
            let members: Vec<_> = partition.members.iter().map(ToString::to_string).collect();
            let plain = |text: String| (palette::PLAIN, text);
            columns.row(vec![
                plain(membership.version.to_string()),
                plain(partition.partition.to_string()),
                plain(members.join(", ")),
            ]);
        }
    }
    if any { format!("\n{}", columns.render()) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn group(status: &Value) -> NodeGroup {
        let versions = ["v1", "v2", "v3"].map(|name| json!({ "name": name, "command": ["x"] }));
        let object = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "NodeGroup", "metadata": { "name": "kv", "namespace": "team" },
            "spec": { "versions": versions }, "status": status,
        });
        serde_json::from_value(object).expect("a group")
    }

    fn member(name: &str, status: &Value) -> Member {
        let object = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "Member", "metadata": { "name": format!("kv-{name}") },
            "spec": { "group": "kv" }, "status": status,
        });
        serde_json::from_value(object).expect("a member")
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    fn busy() -> Value {
        json!({
            "upgradeState": "Upgraded", "servingVersion": "v2", "fromVersion": "v1", "targetVersion": "v2", "attempt": 3,
            "members": [
                { "name": "n1", "uid": "1", "version": "v2" }, { "name": "n2", "uid": "2", "version": "v1" },
                { "name": "n3", "uid": "3", "version": "v1", "state": "Lost" },
            ],
            "inHand": { "member": "n2", "to": "v2" },
            "devices": [
                { "name": "d1", "master": "n1", "epoch": 7 }, { "name": "d2", "master": "n2", "epoch": 2, "leaving": true },
                { "name": "d3", "master": "n1", "epoch": 1 },
            ],
            "memberships": [{ "version": "v2", "partitions": [{ "partition": 0, "members": ["n1", "n2"] }] }],
            "message": "n2 lets go of d2",
        })
    }

    #[test]
    fn members_and_versions_are_drawn_with_masters_and_what_is_waited_for() {
        let members = [
            member("n1", &json!({ "phase": "Running", "version": "v2" })),
            member("n2", &json!({ "phase": "Draining", "version": "v1", "message": "3 requests are open" })),
            member("n4", &json!({ "phase": "Stopped" })),
        ];
        assert_eq!(
            plain(&draw(&group(&busy()), &members, false)),
            "Group:     team/kv Upgraded\n\
             Upgrade:   v1 → v2, attempt 3; v2 serves\n\
             Mode:      Manual: step by step, by commands; committed by a person\n\
             Moving:    n2 to v2: it lets go of what it does first\n\
             No master: d2\n\
             Stands:    n2 lets go of d2\n\
             \n\
             MEMBER  v1  v2*  STATE            PHASE     MASTER OF        MESSAGE\n\
             n1          ●    Present          Running   d1 (7), d3 (1)\n\
             n2      ●   →    Present          Draining  d2 (2, leaving)  3 requests are open\n\
             n3      ●        Lost             -\n\
             n4               not counted yet  Stopped\n"
        );
        let wide = plain(&draw(&group(&busy()), &members, true));
        assert!(wide.contains("VERSION  PARTITION  MEMBERS\nv2       0          n1, n2\n"), "{wide}");
    }

    #[test]
    fn a_new_group_says_how_nodes_join() {
        let text = plain(&draw(&group(&Value::Null), &[], false));
        assert!(
            text.contains("Version:   nothing serves") && text.contains("bowline join node kv"),
            "{text}"
        );
    }

    #[test]
    fn what_runs_and_is_not_what_the_group_knows_is_said_and_so_is_a_refusal() {
        let mut status = busy();
        status["command"] = json!({ "id": "t", "refused": "not now" });
        status["failedVersion"] = json!("v2");
        let text = plain(&draw(
            &group(&status),
            &[member("n1", &json!({ "phase": "Running", "version": "v1" }))],
            false,
        ));
        for piece in ["Running v1", "Refused:   not now", "Failed:    v2 was rolled back"] {
            assert!(text.contains(piece), "{text}");
        }
    }

    #[test]
    fn many_devices_are_counted() {
        let names: Vec<_> = (0..9).map(|number| format!("d{number}")).collect();
        assert_eq!(some(&names), "d0, d1, d2, d3, d4, d5 and 3 more");
        assert_eq!(some(&names[..2]), "d0, d1");
    }
}
