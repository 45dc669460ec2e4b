//! `cargo xtask fuzz`: every parser of the hub on input that is nearly good, for as long as somebody wants.

use std::process::Command;

use anyhow::{Result, ensure};
use clap::Args;

use crate::log::Log;
use crate::workspace::{Workspace, cargo};

/// How long, and what.
#[derive(Args)]
pub(crate) struct FuzzArgs {
    /// How long to go on with each target
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
    /// Where to begin; the same seed tries the same inputs [default: another one each time, printed]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The target; a name that there is not is told those that there are [default: all]
    target: Option<String>,
}

/// Runs the targets, one after the other.
pub(crate) fn run(workspace: &Workspace, log: &mut Log, args: &FuzzArgs) -> Result<String> {
    let mut command = Command::new(cargo());
    command.current_dir(workspace.root()).env("BOWLINE_FUZZ_SECONDS", args.seconds.to_string());
    if let Some(target) = &args.target {
        command.env("BOWLINE_FUZZ_TARGET", target);
    }
    if let Some(seed) = args.seed {
        command.env("BOWLINE_FUZZ_SEED", seed.to_string());
    }
    command.args([
        "test",
        "--locked",
        "--package",
        "bowline-apiserver",
        "--test",
        "fuzz",
        "--",
        "--nocapture",
    ]);
    ensure!(log.run(&mut command)?.success, "an input does harm; see above");
    Ok("no input did harm".to_owned())
}
