//! A hub that is away stops nobody but masters.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_upgrades::{Bed, Group, masters};

const MEMBERS: [&str; 3] = ["n1", "n2", "n3"];

/// Leases of two seconds, ten of which pass.
const TEN_LEASES: Duration = Duration::from_secs(20);

#[test]
fn a_hub_that_is_away_for_ten_leases_stops_nobody_in_a_group_without_devices() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let group = Group { devices: Vec::new(), ..Group::new("plain") };
    bed.leases("2s");
    bed.serve(&group, 3)?;
    let pids = |bed: &mut Bed| -> Result<Vec<_>> {
        MEMBERS.iter().map(|member| bed.agent("plain", member).pid()?.context("it runs")).collect()
    };
    let before = pids(&mut bed)?;
    bed.kill_hub()?;
    let began = std::time::Instant::now();
    while began.elapsed() < TEN_LEASES {
        let now = pids(&mut bed)?;
        ensure!(now == before, "after {:?}: {now:?} and not {before:?}", began.elapsed());
        std::thread::sleep(Duration::from_millis(100));
    }
    // An agent that begins while the hub is away finds it, and leaves it alone.
    bed.agent("plain", "n2").kill()?;
    bed.agent("plain", "n2").live()?;
    bed.live_again()?;
    bed.is("plain", "all are there", |status| {
        status["counts"]["present"] == 3 && status["message"] == "3 members work at v1"
    })?;
    ensure!(pids(&mut bed)? == before, "nobody was started again");
    // And it can be upgraded, with leases that are not lost where everything is slow.
    for member in MEMBERS {
        let agent = bed.agent("plain", member);
        agent.kill()?;
        agent.lease("10s");
        agent.live()?;
    }
    bed.says("upgrade start plain --to v2 --wait", 0, &[])?;
    bed.says("upgrade commit plain", 0, &[])?;
    bed.rests_at("plain", "v2")?;
    Ok(())
}

#[test]
fn masters_stop_when_the_hub_is_away_for_longer_than_their_lease_and_come_back_with_it() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let group = Group::new("kv");
    bed.leases("6s");
    bed.serve(&group, 3)?;
    bed.is("kv", "everybody is master of something", |status| {
        let masters = masters(status);
        MEMBERS.iter().all(|member| masters.values().any(|master| master == member))
    })?;
    let load = bed.load(&group, 3)?;
    bed.goes_on(&group, &load)?;
    bed.kill_hub()?;
    bowline_e2e_up::until("masters have stopped", || {
        let runs: Vec<_> =
            MEMBERS.iter().filter(|member| bed.agent("kv", member).pid().ok().flatten().is_some()).collect();
        Ok(if runs.is_empty() { Ok(()) } else { Err(format!("{runs:?} run")) })
    })?;
    bed.live_again()?;
    bed.is("kv", "all devices have masters that work", |status| {
        let ready = status["conditions"]
            .as_array()
            .into_iter()
            .flatten()
            .any(|one| one["type"] == "Ready" && one["status"] == "True");
        ready && masters(status).len() == 4
    })?;
    bed.goes_on(&group, &load)?;
    bed.clean(&group, load)?;
    Ok(())
}
