//! Masters that are told wrongly: the judge has to see it.

use anyhow::Result;
use bowline_e2e_kv::device::Mode;
use bowline_e2e_kv::judge::{Rule, Verdict};

use crate::bed::{Bed, duties, far, wait};

/// Two masters at once, for a while; the second does not know that the first was never told to stop.
async fn two_masters(mode: Mode) -> Result<Verdict> {
    let bed = Bed::new(&["d0"], mode)?;
    let (one, other) = (bed.node("n1")?, bed.node("n2")?);
    let load = bed.load(&[&one, &other])?;
    one.tell(&duties(&one, 1, &[("d0", 1)], far())).await?;
    bed.goes_on(&load)?;
    other.tell(&duties(&other, 1, &[("d0", 2)], far())).await?;
    // Clients stay with whom they know, who has no reason to send them away, but the device's refusals.
    bed.goes_on(&load)?;
    wait("a trace of the first in the second's epoch", || {
        let records = bed.records("d0")?;
        let second = records.iter().position(|record| record.epoch == 2);
        Ok(second.is_some_and(|second| records[second..].iter().any(|record| record.epoch == 1)))
    })?;
    bed.judge(&load.stop()?)
}

fn finds(verdict: &Verdict, rule: Rule) -> bool {
    verdict.broken.iter().any(|broken| broken.rule == rule)
}

#[tokio::test(flavor = "multi_thread")]
async fn two_masters_are_found_in_the_log_of_a_device_that_takes_everything() -> Result<()> {
    let verdict = two_masters(Mode::Records).await?;
    for rule in [Rule::EpochsGrow, Rule::Order] {
        assert!(finds(&verdict, rule), "{rule:?} is not found: {verdict}");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_refuses_saves_the_data_and_the_attempt_is_found() -> Result<()> {
    let verdict = two_masters(Mode::Enforces).await?;
    assert!(finds(&verdict, Rule::NoAttempt), "{verdict}");
    let others: Vec<_> = verdict.broken.iter().filter(|broken| broken.rule != Rule::NoAttempt).collect();
    assert!(others.is_empty(), "{others:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn one_epoch_for_two_members_is_found() -> Result<()> {
    let bed = Bed::new(&["d0"], Mode::Enforces)?;
    let (one, other) = (bed.node("n1")?, bed.node("n2")?);
    let load = bed.load(&[&one, &other])?;
    one.tell(&duties(&one, 1, &[("d0", 1)], far())).await?;
    bed.goes_on(&load)?;
    one.tell(&duties(&one, 2, &[], far())).await?;
    other.tell(&duties(&other, 1, &[("d0", 1)], far())).await?;
    bed.goes_on(&load)?;
    let verdict = bed.judge(&load.stop()?)?;
    assert!(finds(&verdict, Rule::OneMember), "{verdict}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_lost_its_end_is_found() -> Result<()> {
    let bed = Bed::new(&["d0"], Mode::Enforces)?;
    let node = bed.node("n1")?;
    let load = bed.load(&[&node])?;
    node.tell(&duties(&node, 1, &[("d0", 1)], far())).await?;
    bed.goes_on(&load)?;
    let book = load.stop()?;
    let path = bed.devices().join("d0/log");
    let log = std::fs::read(&path)?;
    bed.judge(&book)?.clean().map_err(anyhow::Error::msg)?;
    std::fs::write(&path, &log[..log.len() / 2])?;
    let verdict = bed.judge(&book)?;
    assert!(finds(&verdict, Rule::NothingLost), "{verdict}");
    Ok(())
}
