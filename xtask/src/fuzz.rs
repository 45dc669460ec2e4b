//! `cargo xtask fuzz`: every parser on input that is nearly good, for as long as somebody wants.

use std::process::Command;

use anyhow::{Result, bail, ensure};
use clap::Args;

use crate::log::Log;
use crate::workspace::Workspace;

/// The crates that read something from outside. Each has one test of this name, of `bowline_fuzz::run`.
const PACKAGES: [&str; 5] =
    ["bowline-agent", "bowline-apiserver", "bowline-bundle", "bowline-controllers", "bowline"];
const TEST: &str = "what_is_nearly_";
/// How such a test says what it would try.
const LISTED: &str = "fuzz target ";

/// How long, and what.
#[derive(Args)]
pub(crate) struct FuzzArgs {
    /// How long to go on with each target; as many as there are processors run at once
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
    /// Where to begin; the same seed tries the same inputs [default: another one each time, printed]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Say what targets there are
    #[arg(long, conflicts_with_all = ["seconds", "seed", "target"])]
    list: bool,
    /// The target [default: all]
    target: Option<String>,
}

/// Runs the targets.
pub(crate) fn run(workspace: &Workspace, log: &mut Log, args: &FuzzArgs) -> Result<String> {
    ensure!(log.run(tests(workspace).arg("--no-run"))?.success, "it does not build");
    let known = known(workspace)?;
    if args.list {
        return Ok(format!("there are {} targets: {}", known.len(), known.join(", ")));
    }
    if let Some(target) = &args.target
        && !known.contains(target)
    {
        bail!("there is no target {target}; there are: {}", known.join(", "));
    }
    let mut command = tests(workspace);
    command
        .args(["--no-fail-fast", "--", "--nocapture", TEST])
        .env("BOWLINE_FUZZ_SECONDS", args.seconds.to_string());
    if let Some(target) = &args.target {
        command.env("BOWLINE_FUZZ_TARGET", target);
    }
    if let Some(seed) = args.seed {
        command.env("BOWLINE_FUZZ_SEED", seed.to_string());
    }
    if !log.run(&mut command)?.success {
        let kept = std::env::temp_dir().join("bowline-fuzz-TARGET-PID");
        bail!("an input does harm, see above; it is in {}", kept.display());
    }
    let tried = if args.target.is_some() { 1 } else { known.len() };
    Ok(format!("no input did harm to {tried} of {} parsers", known.len()))
}

/// The tests of all these crates. Some see what only the crate itself sees, and are inside of it.
fn tests(workspace: &Workspace) -> Command {
    let mut command =
        workspace.cargo(["test", "--locked", "--quiet", "--lib", "--bin", "bowline", "--test", "fuzz"]);
    for package in PACKAGES {
        command.args(["--package", package]);
    }
    command
}

/// What targets there are.
fn known(workspace: &Workspace) -> Result<Vec<String>> {
    let mut list = tests(workspace);
    list.args(["--", "--nocapture", TEST]).env("BOWLINE_FUZZ_LIST", "1");
    let ran = Log::quiet().run(&mut list)?;
    ensure!(ran.success, "the targets cannot be listed:\n{}", ran.output);
    let listed =
        ran.output.lines().filter_map(|line| line.split_once(LISTED).map(|(_, name)| name.to_owned()));
    Ok(listed.collect())
}
