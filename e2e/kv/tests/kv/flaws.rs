//! Versions that something is wrong with, and the ways in which a process ends.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Result;
use bowline_e2e_kv::device::Mode;
use bowline_e2e_kv::node::Node;
use nix::sys::signal::Signal;

use crate::bed::{Bed, PATIENCE, duties, far, wait};

fn bed() -> Result<Bed> {
    Bed::new(&["d0"], Mode::Enforces)
}

async fn health(node: &Node) -> Result<u16> {
    Ok(node.ask("GET", "/healthz", "").await?.0.as_u16())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_says_which_it_is_and_that_it_is_well() -> Result<()> {
    let bed = bed()?;
    for version in ["v1", "v2", "v3"] {
        let node = bed.start("n1", version, None, &[])?;
        assert_eq!(health(&node).await?, 200);
        let said: serde_json::Value = serde_json::from_str(&node.ask("GET", "/version", "").await?.1)?;
        assert_eq!(said, serde_json::json!({ "version": version, "pid": node.pid() }));
    }
    assert!(bed.start("n1", "v4", None, &[]).is_err());
    Ok(())
}

#[test]
fn one_crashes_and_one_needs_a_file() -> Result<()> {
    let bed = bed()?;
    assert!(bed.start("n1", "v2", None, &["--crash-at-start"]).is_err());
    let needed = bed.join("needed");
    let path = needed.to_string_lossy().into_owned();
    let args = ["--needs", path.as_str()];
    assert!(bed.start("n1", "v1", None, &args).is_err());
    std::fs::write(&needed, "")?;
    let node = bed.start("n1", "v1", None, &args)?;
    std::fs::remove_file(&needed)?;
    assert!(node.terminate(PATIENCE)?.success(), "who runs needs it no more");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn one_is_never_healthy_and_one_gets_sick() -> Result<()> {
    let bed = bed()?;
    let never = bed.start("n1", "v2", None, &["--unhealthy"])?;
    assert_eq!(health(&never).await?, 500);
    let began = Instant::now();
    let later = bed.start("n2", "v2", None, &["--sick-after", "2"])?;
    assert_eq!(health(&later).await?, 200);
    while health(&later).await? == 200 {
        assert!(began.elapsed() < PATIENCE, "it stays well");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(began.elapsed() >= Duration::from_secs(2));
    Ok(())
}

#[test]
fn one_starts_slowly() -> Result<()> {
    let bed = bed()?;
    let began = Instant::now();
    bed.start("n1", "v2", None, &["--slow-start", "300"])?;
    assert!(began.elapsed() >= Duration::from_millis(300));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn one_does_not_end_when_it_is_told_to() -> Result<()> {
    let bed = bed()?;
    let node = bed.start("n1", "v1", None, &["--ignore-sigterm"])?;
    node.tell(&duties(&node, 1, &[("d0", 1)], far())).await?;
    node.signal(Signal::SIGTERM)?;
    // The signal has arrived when it is no longer pending; then it would end, if it did.
    wait("the signal's arrival", || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", node.pid()))?;
        let pending = status.lines().find_map(|line| line.strip_prefix("ShdPnd:"));
        Ok(pending.is_some_and(|pending| pending.trim().chars().all(|digit| digit == '0')))
    })?;
    assert_eq!(node.ask("PUT", "/kv/a", "1").await?.0, 200);
    assert!(node.terminate(Duration::from_millis(300)).is_err());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn draining_is_waited_for_and_serving_goes_on() -> Result<()> {
    let bed = bed()?;
    let node = bed.start("n1", "v1", None, &["--slow-drain", "300"])?;
    node.tell(&duties(&node, 1, &[("d0", 1)], far())).await?;
    let began = Instant::now();
    let at = node.address().to_string();
    let drained = Command::new(env!("CARGO_BIN_EXE_kv")).args(["drain", "--at", &at]).status()?;
    assert!(drained.success() && began.elapsed() >= Duration::from_millis(300));
    // Who is still master serves, until somebody else does.
    assert_eq!(node.ask("PUT", "/kv/a", "1").await?.0, 200);
    let began = Instant::now();
    assert!(node.terminate(PATIENCE)?.success() && began.elapsed() >= Duration::from_millis(300));
    let nobody = Command::new(env!("CARGO_BIN_EXE_kv")).args(["drain", "--at", &at]).status()?;
    assert!(!nobody.success());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_version_may_refuse_what_a_newer_one_wrote() -> Result<()> {
    let bed = bed()?;
    let newer = bed.start("n2", "v2", None, &[])?;
    let strict = bed.start("n1", "v1", None, &["--refuse-newer"])?;
    newer.tell(&duties(&newer, 1, &[("d0", 1)], far())).await?;
    assert_eq!(newer.ask("PUT", "/kv/a", "1").await?.0, 200);
    newer.tell(&duties(&newer, 2, &[], far())).await?;
    // One that runs does not serve it, and says so.
    assert_eq!(strict.tell(&duties(&strict, 1, &[("d0", 2)], far())).await?.devices, []);
    assert_eq!(strict.ask("GET", "/kv/a", "").await?.0, 503);
    assert_eq!(health(&strict).await?, 500);
    strict.tell(&duties(&strict, 2, &[], far())).await?;
    assert_eq!(health(&strict).await?, 200);
    // One that is to run does not start.
    assert!(bed.start("n3", "v1", None, &["--refuse-newer"]).is_err());
    let lax = bed.start("n3", "v1", None, &[])?;
    lax.tell(&duties(&lax, 1, &[("d0", 3)], far())).await?;
    assert_eq!(lax.ask("GET", "/kv/a", "").await?.1, "1");
    Ok(())
}

#[test]
fn what_the_agent_did_not_say_is_named() -> Result<()> {
    let bed = bed()?;
    let output = Command::new(env!("CARGO_BIN_EXE_kv"))
        .args(["--listen", "127.0.0.1:0", "--devices"])
        .arg(bed.devices())
        .env_remove("BOWLINE_GROUP")
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("BOWLINE_GROUP"), "{said}");
    Ok(())
}
