//! Groups that are small, and groups beside each other.

use anyhow::Result;
use bowline_e2e_homes::Kind;
use bowline_e2e_upgrades::{Bed, Group};
use serde_json::json;

#[test]
fn two_groups_are_upgraded_at_once() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let groups = [Group::new("kv"), Group::new("other")];
    for group in &groups {
        bed.serve(group, 3)?;
    }
    let loads = [bed.load(&groups[0], 3)?, bed.load(&groups[1], 3)?];
    for group in &groups {
        bed.says(&format!("upgrade start {} --to v2", group.name), 0, &[])?;
    }
    for group in &groups {
        bed.says(&format!("upgrade start {} --to v2 --wait", group.name), 0, &["Upgraded"])?;
        bed.says(&format!("upgrade commit {}", group.name), 0, &[])?;
        bed.rests_at(&group.name, "v2")?;
    }
    for (group, load) in groups.iter().zip(loads) {
        bed.goes_on(group, &load)?;
        bed.clean(group, load)?;
    }
    Ok(())
}

#[test]
fn a_group_of_one_is_told_that_it_cannot_be_upgraded_without_an_interruption() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let group = Group { partitions: Some(1), ..Group::new("kv") };
    bed.serve(&group, 1)?;
    let load = bed.load(&group, 1)?;
    let why = ["no member could be moved without interrupting the service", "allowInterruption"];
    bed.says("upgrade init kv", 4, &why)?;
    bed.says("upgrade start kv --to v2 --wait", 1, &why)?;
    bed.goes_on(&group, &load)?;
    bed.kubectl()?.ok(
        &format!("patch nodegroup kv --type=merge -p {}", json!({ "spec": { "allowInterruption": true } })),
        "",
    )?;
    bed.says("upgrade start kv --to v2 --wait", 0, &["Upgraded"])?;
    bed.commits(&group, load)?;
    Ok(())
}

#[test]
fn a_group_of_two_is_upgraded_if_it_needs_no_quorum_of_two() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let quorum = Group { partitions: Some(2), ..Group::new("pair") };
    bed.serve(&quorum, 2)?;
    bed.says(
        "upgrade start pair --to v2 --wait",
        1,
        &["no member could be moved without interrupting the service"],
    )?;
    let group = Group { partitions: None, ..Group::new("kv") };
    bed.serve(&group, 2)?;
    let load = bed.load(&group, 2)?;
    bed.says("upgrade start kv --to v2 --wait", 0, &["Upgraded"])?;
    bed.commits(&group, load)?;
    Ok(())
}
