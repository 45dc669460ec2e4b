//! Versions that do not work.

use anyhow::{Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_up::until;
use bowline_e2e_upgrades::{Bed, Group, seat};
use serde_json::json;

#[test]
fn a_version_that_crashes_at_its_start_is_rolled_back_by_itself() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let group = Group::new("kv").flaw("v2", "--crash-at-start");
    bed.serve(&group, 3)?;
    let load = bed.load(&group, 3)?;
    bed.goes_on(&group, &load)?;
    let said = bed.says("upgrade start kv --to v2 --wait", 1, &[])?;
    ensure!(!said.contains("Upgraded"), "v2 never served: {said}");
    bed.rests_at("kv", "v1")?;
    bed.is("kv", "it says why it does not try again", |status| {
        let said = status["message"].as_str().unwrap_or_default();
        status["failedVersion"] == "v2"
            && said.contains("v2 was rolled back, and is not tried again until the spec changes")
    })?;
    let events = bed.kubectl()?.ok("get events.events.k8s.io -o wide", "")?;
    for reason in ["Initialized", "MemberCrashed", "RolledBack", "Reset"] {
        ensure!(events.contains(reason), "{reason} is not in {events}");
    }
    bed.goes_on(&group, &load)?;
    bed.clean(&group, load)?;
    Ok(())
}

#[test]
fn a_version_that_gets_sick_after_it_serves_is_rolled_back_when_it_has_not_gone_on_for_too_long() -> Result<()>
{
    let mut bed = Bed::start(Kind::Embedded)?;
    let group =
        Group::new("kv").flaw("v2", "--sick-after 10").with(&json!({ "progressDeadlineSeconds": 20 }));
    bed.serve(&group, 3)?;
    let load = bed.load(&group, 3)?;
    bed.goes_on(&group, &load)?;
    bed.says("upgrade start kv --to v2", 0, &[])?;
    bed.is("kv", "v2 was rolled back", |status| status["failedVersion"] == "v2")?;
    bed.rests_at("kv", "v1")?;
    bed.goes_on(&group, &load)?;
    bed.clean(&group, load)?;
    Ok(())
}

#[test]
fn an_old_version_that_cannot_start_any_more_is_left_by_going_forward() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let needed = bed.path("v1-needs-this");
    std::fs::write(&needed, "")?;
    let group = Group::new("kv").flaw("v1", &format!("--needs {}", needed.display()));
    bed.serve(&group, 3)?;
    let load = bed.load(&group, 3)?;
    bed.says("upgrade init kv", 0, &[])?;
    bed.says("upgrade node kv n1 --wait", 0, &[])?;
    bed.says("upgrade run kv", 0, &[])?;
    bed.says("upgrade node kv n2 --wait", 0, &[])?;
    bed.says("upgrade node kv n3 --wait", 0, &[])?;
    std::fs::remove_file(&needed)?;
    bed.says("upgrade rollback kv", 0, &["RolledBack"])?;
    bed.says("upgrade node kv n3", 0, &[])?;
    bed.is("kv", "n3 does not start", |status| {
        seat(status, "n3").is_ok_and(|seat| seat["state"] == "Crashed")
    })?;
    // While it is started once more it says nothing of the last time.
    let kubectl = bed.kubectl()?;
    until("it says why", || {
        let member = kubectl.ok("get member kv-n3 -o json", "")?;
        Ok(if member.contains("there is no") { Ok(()) } else { Err(member) })
    })?;
    bed.goes_on(&group, &load)?;
    bed.says("upgrade forward kv", 0, &["Upgraded"])?;
    bed.says("upgrade node kv n3 --wait", 0, &[])?;
    bed.commits(&group, load)?;
    Ok(())
}
