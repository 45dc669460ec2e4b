//! Step by step, by commands.

use anyhow::{Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_up::until;
use bowline_e2e_upgrades::{Bed, Group, masters, seat};

#[test]
fn a_group_is_upgraded_step_by_step_and_a_command_at_the_wrong_time_is_told_the_right_one() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let group = Group::new("kv");
    bed.serve(&group, 3)?;
    let load = bed.load(&group, 3)?;
    for (verb, said) in [
        ("run", "not while the group is Inactive"),
        ("commit", "upgrade init"),
        ("node kv n1", "upgrade init"),
    ] {
        let line = if verb.contains(' ') { format!("upgrade {verb}") } else { format!("upgrade {verb} kv") };
        bed.says(&line, 4, &[said])?;
    }
    bed.says("upgrade init kv", 0, &["Initialized"])?;
    bed.says("upgrade init kv", 4, &["not while the group is Initialized"])?;
    until("it is counted", || {
        let counted = bed.metrics()?;
        let is = |line: &str| counted.lines().any(|one| one == format!("bowline_upgrade_{line}"));
        let all = is("under_way{group=\"default/kv\"} 1.0")
            && is("members_present{group=\"default/kv\"} 3.0")
            && is("devices_without_master{group=\"default/kv\"} 0.0");
        Ok(if all { Ok(()) } else { Err(counted) })
    })?;
    bed.says("upgrade run kv", 4, &["v2 cannot serve yet", "move more members"])?;
    bed.says("upgrade node kv nobody", 4, &["the group has no member nobody"])?;
    bed.says("upgrade node kv n1 --wait", 0, &[])?;
    let status = bed.status("kv")?;
    ensure!(seat(&status, "n1")?["version"] == "v2" && status["servingVersion"] == "v1", "{status}");
    ensure!(masters(&status).values().all(|master| master != "n1"), "who serves is at v1: {status}");
    bed.says(
        "upgrade node kv n2",
        4,
        &["without n2 the serving version would lose a quorum", "upgrade run"],
    )?;
    bed.says("upgrade run kv", 0, &["Upgraded"])?;
    bed.goes_on(&group, &load)?;
    let status = bed.status("kv")?;
    ensure!(masters(&status).values().all(|master| master == "n1"), "{status}");
    bed.says("upgrade commit kv", 4, &["is not at v2 yet", "bowline upgrade node"])?;
    bed.says("upgrade node kv n2 --wait", 0, &[])?;
    bed.says("upgrade status kv", 0, &["n1", "n2", "n3", "v1", "v2"])?;
    bed.says("upgrade node kv n3 --wait", 0, &[])?;
    bed.says("upgrade node kv n3", 4, &["n3 is at v2 already"])?;
    bed.says("upgrade commit kv", 0, &[])?;
    bed.rests_at("kv", "v2")?;
    bed.says("upgrade init kv", 4, &["v2 is the last of `spec.versions`"])?;
    bed.says("upgrade rollback kv", 4, &["not while the group is Inactive"])?;
    // What an upgrade has brought together is spread again.
    bed.is("kv", "everybody is master of something", |status| {
        let masters = masters(status);
        ["n1", "n2", "n3"].iter().all(|member| masters.values().any(|master| master == member))
    })?;
    bed.goes_on(&group, &load)?;
    bed.clean(&group, load)?;
    Ok(())
}

#[test]
fn what_was_upgraded_on_the_hub_is_rolled_back_and_reset() -> Result<()> {
    what_was_upgraded_is_rolled_back_and_reset(Kind::Embedded)
}

#[test]
fn what_was_upgraded_on_a_real_kubernetes_is_rolled_back_and_reset() -> Result<()> {
    what_was_upgraded_is_rolled_back_and_reset(Kind::Kubernetes)
}

fn what_was_upgraded_is_rolled_back_and_reset(kind: Kind) -> Result<()> {
    let mut bed = Bed::start(kind)?;
    let group = Group::new("kv");
    bed.serve(&group, 3)?;
    let load = bed.load(&group, 3)?;
    bed.says("upgrade init kv", 0, &[])?;
    bed.says("upgrade node kv n1 --wait", 0, &[])?;
    bed.says("upgrade reset kv", 4, &["members have the new version already", "rollback"])?;
    bed.says("upgrade run kv", 0, &[])?;
    bed.says("upgrade node kv n2 --wait", 0, &[])?;
    bed.goes_on(&group, &load)?;
    bed.says("upgrade rollback kv", 0, &["RolledBack"])?;
    bed.says("upgrade reset kv", 4, &["is not at v1 yet"])?;
    for member in ["n2", "n1"] {
        bed.says(&format!("upgrade node kv {member} --wait"), 0, &[])?;
        bed.goes_on(&group, &load)?;
    }
    bed.says("upgrade reset kv", 0, &["Inactive"])?;
    bed.rests_at("kv", "v1")?;
    bed.goes_on(&group, &load)?;
    // And once more, to the end.
    bed.says("upgrade start kv --to v2 --wait", 0, &[])?;
    bed.commits(&group, load)?;
    Ok(())
}

#[test]
fn a_group_in_which_every_node_was_upgraded_goes_back_while_it_serves() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let group = Group::new("kv");
    bed.serve(&group, 3)?;
    let load = bed.load(&group, 3)?;
    bed.says("upgrade start kv --to v2 --wait", 0, &["Upgraded"])?;
    bed.goes_on(&group, &load)?;
    // By itself all the way back: it is what a person wants now.
    bed.says("upgrade rollback kv", 0, &["RolledBack"])?;
    bed.rests_at("kv", "v1")?;
    let status = bed.status("kv")?;
    ensure!(status["failedVersion"] == "v2", "it is not tried again by itself: {status}");
    bed.goes_on(&group, &load)?;
    bed.clean(&group, load)?;
    Ok(())
}
