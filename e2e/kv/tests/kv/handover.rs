//! Masters change while everybody writes, and nothing is lost.

use std::time::Duration;

use anyhow::{Result, ensure};
use bowline_e2e_kv::clock::now;
use bowline_e2e_kv::device::{self, Act, Mode};
use nix::sys::signal::Signal;

use crate::bed::{Bed, PATIENCE, duties, far, soon, wait};

/// Of ways that end well nobody knows whether the protocol or the device is to be thanked, unless the device takes everything.
const MODE: Mode = Mode::Records;
const BOTH: [&str; 2] = ["d0", "d1"];

#[tokio::test(flavor = "multi_thread")]
async fn devices_are_handed_to_and_fro_by_letters() -> Result<()> {
    let bed = Bed::new(&BOTH, MODE)?;
    let nodes = [bed.node("n1")?, bed.node("n2")?];
    let load = bed.load(&[&nodes[0], &nodes[1]])?;
    let mut revision = 1;
    let acting = nodes[0].tell(&duties(&nodes[0], 1, &[("d0", 1), ("d1", 1)], far())).await?;
    assert_eq!(acting.devices.len(), 2);
    bed.goes_on(&load)?;
    for epoch in 2..12 {
        let (from, to) = (&nodes[epoch % 2], &nodes[(epoch + 1) % 2]);
        revision += 1;
        let acting = from.tell(&duties(from, revision, &[], far())).await?;
        assert_eq!((acting.revision, acting.devices.len()), (revision, 0));
        let epoch = epoch as u64;
        let told = duties(to, revision, &[("d0", epoch), ("d1", epoch)], far());
        assert_eq!(to.tell(&told).await?.devices, told.devices);
        load.advance(&BOTH, 10, PATIENCE)?;
    }
    let verdict = bed.clean(load)?;
    assert_eq!(verdict.handovers.len(), 20);
    assert!(verdict.handovers.iter().all(|handover| handover.released), "{:?}", verdict.handovers);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn devices_are_handed_over_by_files_alone() -> Result<()> {
    let bed = Bed::new(&BOTH, MODE)?;
    let (one, other) = (bed.node("n1")?, bed.node("n2")?);
    let load = bed.load(&[&one, &other])?;
    one.write(&duties(&one, 1, &[("d0", 1)], far()))?;
    other.write(&duties(&other, 1, &[("d1", 1)], far()))?;
    bed.goes_on(&load)?;
    one.write(&duties(&one, 2, &[], far()))?;
    bed.last_is("d0", &Act::Release, 1)?;
    other.write(&duties(&other, 2, &[("d1", 1), ("d0", 2)], far()))?;
    bed.goes_on(&load)?;
    // A file that is gone names nothing.
    std::fs::remove_file(bed.join("n2.json"))?;
    bed.last_is("d0", &Act::Release, 2)?;
    bed.last_is("d1", &Act::Release, 1)?;
    one.write(&duties(&one, 3, &[("d0", 3), ("d1", 2)], None))?;
    bed.goes_on(&load)?;
    let verdict = bed.clean(load)?;
    assert_eq!(verdict.handovers.len(), 3);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_master_is_killed_and_another_takes_its_place() -> Result<()> {
    let bed = Bed::new(&BOTH, MODE)?;
    let (mut one, other) = (bed.node("n1")?, bed.node("n2")?);
    let load = bed.load(&[&one, &other])?;
    one.tell(&duties(&one, 1, &[("d0", 1), ("d1", 1)], far())).await?;
    let mut revision = 1;
    for epoch in [2, 4, 6] {
        bed.goes_on(&load)?;
        let address = one.address();
        one.kill()?;
        revision += 1;
        other.tell(&duties(&other, revision, &[("d0", epoch), ("d1", epoch)], far())).await?;
        bed.goes_on(&load)?;
        // What its file still says is from before.
        std::fs::remove_file(bed.join("n1.json"))?;
        one = bed.start("n1", "v2", Some(address), &[])?;
        revision += 1;
        other.tell(&duties(&other, revision, &[], far())).await?;
        one.tell(&duties(&one, revision, &[("d0", epoch + 1), ("d1", epoch + 1)], far())).await?;
    }
    bed.goes_on(&load)?;
    let verdict = bed.clean(load)?;
    assert_eq!(verdict.handovers.iter().filter(|handover| handover.released).count(), 6);
    assert_eq!(verdict.handovers.iter().filter(|handover| !handover.released).count(), 6);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_master_is_killed_and_comes_back_in_its_epoch() -> Result<()> {
    let bed = Bed::new(&["d0"], MODE)?;
    let mut node = bed.node("n1")?;
    let load = bed.load(&[&node])?;
    node.write(&duties(&node, 1, &[("d0", 1)], far()))?;
    for _ in 0..3 {
        bed.goes_on(&load)?;
        let address = node.address();
        node.kill()?;
        node = bed.start("n1", "v1", Some(address), &[])?;
    }
    bed.goes_on(&load)?;
    assert_eq!(bed.clean(load)?.handovers.len(), 3);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadline_that_is_moved_goes_on_and_one_that_passes_ends_it() -> Result<()> {
    let bed = Bed::new(&["d0"], MODE)?;
    let (one, other) = (bed.node("n1")?, bed.node("n2")?);
    let load = bed.load(&[&one, &other])?;
    let mut deadline = soon(1_500);
    let first = deadline;
    one.write(&duties(&one, 1, &[("d0", 1)], deadline))?;
    wait("more than a second of writes", || {
        deadline = soon(1_500);
        one.write(&duties(&one, 1, &[("d0", 1)], deadline))?;
        Ok(first < Some(now().millis()))
    })?;
    bed.goes_on(&load)?;
    wait("the deadline", || Ok(deadline < Some(now().millis())))?;
    // Nobody tells the first: it has to know.
    other.write(&duties(&other, 1, &[("d0", 2)], far()))?;
    bed.goes_on(&load)?;
    let (status, _) = one.ask("GET", "/kv/key-0", "").await?;
    assert_eq!(status, 421);
    let verdict = bed.clean(load)?;
    assert_eq!(verdict.handovers.len(), 1);
    assert!(!verdict.handovers[0].released);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_master_that_is_paused_over_its_deadline_does_nothing_when_it_wakes() -> Result<()> {
    let bed = Bed::new(&["d0"], MODE)?;
    let (one, other) = (bed.node("n1")?, bed.node("n2")?);
    let load = bed.load(&[&one, &other])?;
    one.tell(&duties(&one, 1, &[("d0", 1)], far())).await?;
    bed.goes_on(&load)?;
    let deadline = soon(500);
    one.tell(&duties(&one, 1, &[("d0", 1)], deadline)).await?;
    // Not between its last look at the clock and its write: against that no deadline helps, but a device that refuses.
    wait("a pause outside of an act", || {
        one.signal(Signal::SIGSTOP)?;
        wait("the pause", || is_paused(one.pid()))?;
        if device::is_free(&bed.devices().join("d0"))? {
            return Ok(true);
        }
        one.signal(Signal::SIGCONT)?;
        Ok(false)
    })?;
    wait("the deadline", || Ok(deadline < Some(now().millis())))?;
    other.tell(&duties(&other, 1, &[("d0", 2)], far())).await?;
    bed.goes_on(&load)?;
    one.signal(Signal::SIGCONT)?;
    bed.goes_on(&load)?;
    // It has answered what it was asked meanwhile.
    assert_eq!(one.ask("GET", "/kv/key-0", "").await?.0, 421);
    bed.clean(load)?;
    Ok(())
}

fn is_paused(pid: u32) -> Result<bool> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task"))?;
    for task in tasks {
        let stat = std::fs::read_to_string(task?.path().join("stat"))?;
        let state = stat.rsplit_once(") ").map(|(_, rest)| rest.starts_with('T'));
        if state != Some(true) {
            return Ok(false);
        }
    }
    Ok(true)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_master_that_is_told_to_end_finishes_and_gives_back() -> Result<()> {
    let bed = Bed::new(&BOTH, MODE)?;
    let (one, other) = (bed.node("n1")?, bed.node("n2")?);
    let load = bed.load(&[&one, &other])?;
    one.tell(&duties(&one, 1, &[("d0", 1), ("d1", 1)], far())).await?;
    bed.goes_on(&load)?;
    let status = one.terminate(PATIENCE)?;
    ensure!(status.success(), "it ended with {status}");
    for device in BOTH {
        let last = bed.records(device)?.pop().map(|record| record.act);
        assert_eq!(last, Some(Act::Release), "{device}");
    }
    other.tell(&duties(&other, 1, &[("d0", 2), ("d1", 2)], far())).await?;
    bed.goes_on(&load)?;
    let verdict = bed.clean(load)?;
    assert!(verdict.handovers.iter().all(|handover| handover.released));
    let longest = verdict.without_master().map(|spread| spread.max);
    assert!(longest < Some(Duration::from_secs(30)), "{longest:?}");
    Ok(())
}
