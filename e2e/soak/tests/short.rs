//! A short soak in every test run; `cargo xtask soak` is the long one.

use std::time::Duration;

use anyhow::{Result, ensure};
use bowline_e2e_hub::bowline;
use bowline_soak::run::{Plan, soak};

#[test]
fn a_hub_that_is_killed_again_and_again_keeps_its_promises() -> Result<()> {
    let plan = Plan { time: Duration::from_secs(20), seed: 20_261_117, longest: Duration::from_secs(5) };
    let mut told = Vec::new();
    let report = soak(bowline(), &plan, &mut |line| told.push(line.to_owned()))?;
    ensure!(report.broken.is_empty(), "{report}: {:#?}", report.broken);
    let why = report.proves_nothing();
    ensure!(why.is_none(), "{why:?}: {told:#?}");
    Ok(())
}
