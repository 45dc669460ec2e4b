//! Whatever is killed in the middle of an upgrade, it ends, and nothing is lost.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_kv::load::Load;
use bowline_e2e_up::until;
use bowline_e2e_upgrades::{Bed, Group, masters, stays};
use serde_json::json;

/// One crash is no reason to go back here: what is killed is not what is wrong.
pub(super) fn steady() -> Group {
    Group::new("kv").with(&json!({ "onCrash": "Never" }))
}

#[test]
fn software_that_is_killed_is_started_again_in_the_middle_of_an_upgrade() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let group = steady();
    bed.serve(&group, 3)?;
    let load = bed.load(&group, 3)?;
    bed.goes_on(&group, &load)?;
    bed.says("upgrade start kv --to v2", 0, &[])?;
    for member in ["n3", "n2", "n1"] {
        // Whatever it is at: it may be between two lives.
        until("the software runs", || {
            Ok(bed.agent("kv", member).kill_software().map_err(|error| error.to_string()))
        })?;
        bed.goes_on(&group, &load)?;
    }
    bed.is("kv", "all are at v2", everywhere)?;
    let verdict = bed.commits(&group, load)?;
    ensure!(verdict.handovers.iter().any(|handover| !handover.released), "{verdict}");
    Ok(())
}

#[test]
fn agents_that_are_killed_find_their_software_again() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let group = steady();
    bed.serve(&group, 3)?;
    let load = bed.load(&group, 3)?;
    let before = bed.agent("kv", "n1").pid()?.context("it runs")?;
    let masters_before = masters(&bed.status("kv")?);
    for _ in 0..3 {
        bed.agent("kv", "n1").kill()?;
        bed.agent("kv", "n1").live()?;
        bed.goes_on(&group, &load)?;
    }
    // It has gone on, and nobody has missed it.
    stays(Duration::from_secs(4), || {
        let (pid, now) = (bed.agent("kv", "n1").pid()?, masters(&bed.status("kv")?));
        Ok(if pid == Some(before) && now == masters_before {
            Ok(())
        } else {
            Err(format!("{before:?} {masters_before:?} are now {pid:?} {now:?}"))
        })
    })?;
    bed.says("upgrade start kv --to v2", 0, &[])?;
    for member in ["n1", "n2", "n3", "n1", "n2", "n3"] {
        bed.agent("kv", member).kill()?;
        bed.agent("kv", member).live()?;
        load.advance(&["kv-0", "kv-1"], 5, Duration::from_secs(60))?;
    }
    bed.is("kv", "all are at v2", everywhere)?;
    bed.commits(&group, load)?;
    Ok(())
}

#[test]
fn a_hub_that_is_killed_again_and_again_goes_on_with_the_upgrade() -> Result<()> {
    whoever_decides_is_killed_and_goes_on(Kind::Embedded, &[100, 700, 1_500, 300, 2_500])
}

/// Whoever comes after them waits for their lease: on a Kubernetes another one might lead.
#[test]
fn controllers_of_a_real_kubernetes_that_are_killed_go_on_with_the_upgrade() -> Result<()> {
    whoever_decides_is_killed_and_goes_on(Kind::Kubernetes, &[700, 16_500])
}

fn whoever_decides_is_killed_and_goes_on(kind: Kind, pauses_ms: &[u64]) -> Result<()> {
    let mut bed = Bed::start(kind)?;
    let group = steady();
    // Longer than the hub takes to come back: who is master goes on meanwhile.
    bed.leases("15s");
    bed.serve(&group, 3)?;
    let load = bed.load(&group, 3)?;
    bed.says("upgrade start kv --to v2", 0, &[])?;
    let mut went_on = 0;
    for pause in pauses_ms {
        std::thread::sleep(Duration::from_millis(*pause));
        bed.kill_hub()?;
        went_on += masters_write_on(&bed, &group, &load)?;
        bed.live_again()?;
    }
    ensure!(went_on > 0, "nobody has written on in any of the outages");
    bed.is("kv", "all are at v2", everywhere)?;
    bed.commits(&group, load)?;
    Ok(())
}

/// Who is master writes on while nobody decides. What is just then between two masters waits for the next who decides: when serving
/// moves to the other version, that is all devices. Says how many have gone on.
fn masters_write_on(bed: &Bed, group: &Group, load: &Load) -> Result<usize> {
    let goals: Vec<_> = group.devices.iter().map(|device| (device, load.count(device) + 5)).collect();
    let late = |(device, goal): &&(&String, u64)| load.count(device) < *goal;
    until("who is master writes on", || {
        let told = bed.told(&group.name);
        let late: Vec<_> = goals.iter().filter(late).filter(|(device, _)| told.contains(device)).collect();
        Ok(if late.is_empty() { Ok(()) } else { Err(format!("{late:?} have not gone on, of {told:?}")) })
    })?;
    Ok(goals.iter().filter(|goal| !late(goal)).count())
}

#[test]
fn a_shim_that_is_killed_takes_its_software_with_it_and_both_come_back() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let group = steady();
    bed.serve(&group, 3)?;
    let load = bed.load(&group, 3)?;
    for member in ["n1", "n2"] {
        let before = bed.agent("kv", member).pid()?.context("it runs")?;
        bed.agent("kv", member).kill_shim()?;
        until("another process runs", || {
            let now = bed.agent("kv", member).pid().ok().flatten();
            Ok(if now.is_some_and(|now| now != before) { Ok(()) } else { Err(format!("{now:?}")) })
        })?;
        bed.goes_on(&group, &load)?;
    }
    bed.clean(&group, load)?;
    Ok(())
}

/// Every member has v2, and it serves.
pub(super) fn everywhere(status: &serde_json::Value) -> bool {
    let all = status["members"].as_array().into_iter().flatten().all(|member| member["version"] == "v2");
    status["upgradeState"] == "Upgraded" && all && status["inHand"].is_null()
}
