//! Software that ends by itself is started again, later each time.

use std::fs;

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_upgrades::{Bed, scripted};
use serde_json::json;

/// How long it is waited at least after each death, in seconds.
const WAITS: [f64; 4] = [0.25, 0.5, 1.0, 2.0];
/// What the clock of the kernel leaves away.
const ROUNDING: f64 = 0.02;

#[test]
fn software_that_ends_by_itself_is_started_later_each_time_and_recovers() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let (starts, works) = (bed.path("starts"), bed.path("works"));
    let script = format!(
        "cut -d' ' -f1 /proc/uptime >> {}; echo I try; test -e {} && exec sleep 600; exit 3",
        starts.display(),
        works.display()
    );
    bed.apply(&scripted("kv", &[("v1", &script, json!({}))], &json!({})))?;
    bed.join("kv", &["n1"])?;
    let member = bed.is_in("kv", "n1", "Failed")?;
    let said = member.to_string();
    ensure!(said.contains("it ended with exit code 3") && said.contains("I try"), "{said}");
    // It is tried again all the same, and that it has failed is forgotten when it works.
    fs::write(&works, "")?;
    bed.is_in("kv", "n1", "Running")?;
    let began: Vec<f64> =
        fs::read_to_string(&starts)?.lines().map(str::parse).collect::<Result<_, _>>().context("times")?;
    ensure!(began.len() > WAITS.len(), "it has failed too early: {began:?}");
    for (pair, least) in began.windows(2).zip(WAITS) {
        ensure!(pair[1] - pair[0] + ROUNDING >= least, "{least} s in {began:?}");
    }
    let kept = bed.agent("kv", "n1").software_said().matches("I try").count();
    ensure!(kept == began.len(), "{kept} of {} are in the log", began.len());
    Ok(())
}
