//! `cargo xtask soak`: the hub as people run it, killed again and again under writers, readers and watchers.

use anyhow::{Result, ensure};

use crate::log::Log;
use crate::workspace::Workspace;

/// How to soak.
#[derive(clap::Args)]
pub(crate) struct SoakArgs {
    /// For how long; a part of an hour is one, too: 0.25
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    hours: f64,
    /// What chance begins with, as an earlier run printed it [default: another one each time]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
}

/// Soaks; fails if a promise was not kept.
pub(crate) fn run(workspace: &Workspace, log: &mut Log, args: &SoakArgs) -> Result<String> {
    ensure!(
        args.hours > 0.0 && args.hours <= 1_000.0,
        "--hours takes a number of hours, for example 0.5 or 8"
    );
    let packages = ["--package", "bowline", "--package", "bowline-soak"];
    let built = log.run(workspace.cargo(["build", "--release", "--locked", "--quiet"]).args(packages))?;
    ensure!(built.success, "it does not build");
    let programs = workspace.target_dir().join("release");
    let mut soak = std::process::Command::new(programs.join("bowline-soak"));
    soak.arg("--binary").arg(programs.join("bowline"));
    soak.args(["--seconds", &format!("{:.0}", (args.hours * 3_600.0).max(1.0))]);
    if let Some(seed) = args.seed {
        soak.args(["--seed", &seed.to_string()]);
    }
    let ran = log.run(&mut soak)?;
    ensure!(ran.success, "a promise was not kept, or the hub did not come back: see above");
    Ok("every promise was kept".to_owned())
}
