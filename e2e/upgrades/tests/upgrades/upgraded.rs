//! A group is upgraded, and committed.

use anyhow::{Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_upgrades::{Bed, Group, masters};
use serde_json::json;

/// All goes by itself, and nobody who writes loses anything.
fn a_group_is_upgraded_by_itself(kind: Kind) -> Result<()> {
    let mut bed = Bed::start(kind)?;
    let group = Group::new("kv");
    bed.serve(&group, 3)?;
    let load = bed.load(&group, 3)?;
    bed.goes_on(&group, &load)?;
    bed.says("upgrade start kv --to v2 --wait", 0, &["kv", "Upgraded"])?;
    bed.goes_on(&group, &load)?;
    bed.says("upgrade commit kv", 0, &["Inactive"])?;
    bed.rests_at("kv", "v2")?;
    // What is evened out is for a moment between two masters.
    bed.is("kv", "every device has a master", |status| masters(status).len() == 4)?;
    bed.goes_on(&group, &load)?;
    let verdict = bed.clean(&group, load)?;
    ensure!(verdict.handovers.len() >= 4, "{verdict}");
    Ok(())
}

#[test]
fn a_group_of_the_hub_is_upgraded_by_itself() -> Result<()> {
    a_group_is_upgraded_by_itself(Kind::Embedded)
}

#[test]
fn a_group_of_a_real_kubernetes_is_upgraded_by_itself() -> Result<()> {
    a_group_is_upgraded_by_itself(Kind::Kubernetes)
}

#[test]
fn who_waits_for_a_commit_by_itself_is_told_when_nothing_is_left_to_do() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let group = Group::new("kv").with(&json!({ "commit": "Automatic", "soakSeconds": 2 }));
    bed.serve(&group, 3)?;
    let load = bed.load(&group, 3)?;
    bed.goes_on(&group, &load)?;
    bed.says("upgrade start kv --to v2 --wait", 0, &["kv Inactive: 3 members work at v2"])?;
    // It is so when the command ends, and not only later: all are at v2, and have what they are to have.
    let status = bed.status("kv")?;
    let masters = masters(&status);
    let of = |member: &&str| masters.values().filter(|master| *master == member).count();
    let counts: Vec<_> = ["n1", "n2", "n3"].iter().map(of).collect();
    ensure!(counts.iter().all(|count| (1..=2).contains(count)), "4 devices are spread over 3: {status:#}");
    let all = status["members"].as_array().into_iter().flatten().all(|member| member["version"] == "v2");
    ensure!(all && status["servingVersion"] == "v2" && status["upgradeState"] == "Inactive", "{status:#}");
    bed.goes_on(&group, &load)?;
    bed.clean(&group, load)?;
    Ok(())
}
