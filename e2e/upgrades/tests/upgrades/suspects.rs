//! A hub that sees nobody renew suspects itself, until it does, or a person says that it may believe it.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_up::until;
use bowline_e2e_upgrades::{Bed, Group, seat, stays};
use nix::sys::signal::Signal;
use serde_json::Value;

const MEMBERS: [&str; 3] = ["n1", "n2", "n3"];
/// Leases of six seconds are lost by nobody here but who is paused.
const LEASE: &str = "6s";
/// Longer than it takes until somebody is taken for lost whom the hub believes to be.
const TWO_LEASES: Duration = Duration::from_secs(12);

fn signal(bed: &mut Bed, signal: Signal) -> Result<()> {
    MEMBERS.iter().try_for_each(|member| bed.agent("plain", member).signal(signal))
}

fn is_suspect(status: &Value) -> bool {
    let mut conditions = status["conditions"].as_array().into_iter().flatten();
    conditions.any(|one| one["type"] == "HubSuspect" && one["status"] == "True")
}

fn suspects(bed: &Bed) -> Result<()> {
    bed.is("plain", "the hub suspects itself", is_suspect)?;
    Ok(())
}

fn all_are(bed: &Bed, state: &str) -> Result<()> {
    bed.is("plain", &format!("all are {state}, and nothing is suspected"), |status| {
        let is = |member: &&str| {
            seat(status, member).is_ok_and(|seat| seat["state"].as_str().unwrap_or("Present") == state)
        };
        MEMBERS.iter().all(is) && !is_suspect(status)
    })?;
    Ok(())
}

fn counted(bed: &Bed, suspect: &str) -> Result<()> {
    until("it is counted", || {
        let counted = bed.metrics()?;
        let line = format!("bowline_upgrade_suspect{{of=\"hub\"}} {suspect}");
        Ok(if counted.lines().any(|one| one == line) { Ok(()) } else { Err(format!("no {line}: {counted}")) })
    })
}

#[test]
fn a_hub_that_suspects_itself_takes_nobody_for_lost_until_a_person_says_so() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    bed.leases(LEASE);
    // Without devices nobody is fenced: what runs goes on.
    bed.serve(&Group { devices: Vec::new(), ..Group::new("plain") }, 3)?;
    let pids = |bed: &mut Bed| -> Result<Vec<_>> {
        MEMBERS.iter().map(|member| bed.agent("plain", member).pid()?.context("it runs")).collect()
    };
    let before = pids(&mut bed)?;
    bed.says("upgrade trust", 4, &["the hub does not suspect itself"])?;

    signal(&mut bed, Signal::SIGSTOP)?;
    suspects(&bed)?;
    counted(&bed, "1.0")?;
    bed.says("upgrade status plain", 0, &["it suspects itself", "bowline upgrade trust"])?;
    stays(TWO_LEASES, || {
        let status = bed.status("plain")?;
        Ok(if is_suspect(&status) && status["counts"]["present"] == 3 {
            Ok(())
        } else {
            Err(status.to_string())
        })
    })?;
    bed.says("upgrade trust", 0, &["default/plain"])?;
    all_are(&bed, "Lost")?;
    counted(&bed, "0.0")?;
    signal(&mut bed, Signal::SIGCONT)?;
    all_are(&bed, "Present")?;

    // What was said was about that suspicion, and not about the next one, which ends by itself.
    signal(&mut bed, Signal::SIGSTOP)?;
    suspects(&bed)?;
    stays(TWO_LEASES, || {
        let status = bed.status("plain")?;
        Ok(if status["counts"]["present"] == 3 { Ok(()) } else { Err(status.to_string()) })
    })?;
    signal(&mut bed, Signal::SIGCONT)?;
    all_are(&bed, "Present")?;
    ensure!(pids(&mut bed)? == before, "nobody was stopped by any of it");
    Ok(())
}
