//! An agent that is paused or dead for longer than its lease does not keep what it was master of.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_up::until;
use bowline_e2e_upgrades::{Bed, Group, masters, seat};
use nix::sys::signal::Signal;

/// It has to lapse here. Whoever else loses it on a slow machine comes back, which is no harm to these stories.
const LEASE: &str = "6s";

/// Waits until a member is lost, and others have what it had.
fn is_missed(bed: &Bed, member: &str) -> Result<()> {
    bed.is("kv", &format!("{member} is lost and others have what it had"), |status| {
        let is_lost = seat(status, member).is_ok_and(|seat| seat["state"] == "Lost");
        let masters = masters(status);
        is_lost && masters.len() == 4 && masters.values().all(|master| master != member)
    })
    .map(drop)
}

fn is_back(bed: &Bed, member: &str) -> Result<()> {
    bed.is("kv", &format!("{member} is back, and master of something"), |status| {
        let present =
            seat(status, member).is_ok_and(|seat| seat["state"].is_null() || seat["state"] == "Present");
        present && masters(status).values().any(|master| master == member)
    })
    .map(drop)
}

#[test]
fn an_agent_that_is_paused_past_its_lease_is_fenced_and_comes_back() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let group = Group::new("kv");
    bed.leases(LEASE);
    bed.serve(&group, 3)?;
    let load = bed.load(&group, 3)?;
    bed.goes_on(&group, &load)?;
    bed.is("kv", "n1 is master of something", |status| {
        masters(status).values().any(|master| master == "n1")
    })?;
    bed.agent("kv", "n1").signal(Signal::SIGSTOP)?;
    is_missed(&bed, "n1")?;
    // Its shim has killed it, and not the agent, which cannot.
    let shim = bed.agent("kv", "n1").shim()?;
    ensure!(shim["run"]["end"]["cause"] == "deadline", "{shim}");
    bed.goes_on(&group, &load)?;
    bed.agent("kv", "n1").signal(Signal::SIGCONT)?;
    is_back(&bed, "n1")?;
    bed.goes_on(&group, &load)?;
    bed.clean(&group, load)?;
    Ok(())
}

#[test]
fn an_agent_that_is_killed_and_stays_away_is_fenced() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let group = Group::new("kv");
    bed.leases(LEASE);
    bed.serve(&group, 3)?;
    let load = bed.load(&group, 3)?;
    let pid = bed.agent("kv", "n2").pid()?.context("it runs")?;
    bed.agent("kv", "n2").kill()?;
    ensure!(bed.agent("kv", "n2").pid()? == Some(pid), "the software goes on at first");
    is_missed(&bed, "n2")?;
    until("the shim has killed it", || {
        let shim = bed.agent("kv", "n2").shim()?;
        Ok(if shim["run"]["end"]["cause"] == "deadline" { Ok(()) } else { Err(shim.to_string()) })
    })?;
    bed.goes_on(&group, &load)?;
    bed.says("upgrade status kv", 0, &["lost: n2", "upgrade forget"])?;
    bed.says("upgrade forget kv n1", 4, &["n1 is not lost", "kubectl delete member"])?;
    bed.says("upgrade forget kv n2", 0, &["kv Inactive"])?;
    ensure!(seat(&bed.status("kv")?, "n2").is_err(), "it is counted no more");
    // Who comes back all the same is new.
    bed.agent("kv", "n2").live()?;
    is_back(&bed, "n2")?;
    bed.goes_on(&group, &load)?;
    bed.clean(&group, load)?;
    Ok(())
}

#[test]
fn software_that_is_paused_loses_its_devices_and_does_nothing_when_it_goes_on() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let group = Group::new("kv");
    bed.serve(&group, 3)?;
    let load = bed.load(&group, 3)?;
    bed.goes_on(&group, &load)?;
    let pid = bed.agent("kv", "n3").pid()?.context("it runs")?;
    nix::sys::signal::kill(pid, Signal::SIGSTOP)?;
    // It does not hear that its devices are taken away, and is killed for that; another process of it starts.
    until("it is another process", || {
        let now = bed.agent("kv", "n3").pid()?;
        Ok(if now.is_some_and(|now| now != pid) { Ok(()) } else { Err(format!("{now:?}")) })
    })?;
    bed.is("kv", "all devices have masters", |status| masters(status).len() == 4)?;
    load.advance(&["kv-0", "kv-1", "kv-2", "kv-3"], 30, Duration::from_secs(120))?;
    bed.clean(&group, load)?;
    Ok(())
}
