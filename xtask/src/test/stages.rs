//! The stages of `cargo xtask test`, in their order: what is quick to say no comes first.

use anyhow::{Context, Result, bail, ensure};

use super::report;
use crate::log::Log;
use crate::workspace::{Workspace, captured};
use crate::{differential, pitfalls, referee, testenv, tidy};

/// One check of the whole.
pub(super) struct Stage {
    /// What `--only` takes.
    pub(super) name: &'static str,
    /// What it does, in a line.
    pub(super) about: &'static str,
    /// The command that runs just this.
    pub(super) alone: &'static str,
    /// Does it. What it returns is a word on how much was checked; an error is a failure.
    pub(super) run: fn(&Workspace, &mut Log) -> Result<String>,
}

/// The stages that need the real Kubernetes, which takes minutes to build.
pub(super) const ON_TESTBED: &[&str] = &[TESTBED, HUB, FIXTURES, HOMES, DIFFERENTIAL];
const TESTBED: &str = "testbed";
const HUB: &str = "hub";
const FIXTURES: &str = "fixtures";
const HOMES: &str = "homes";
const DIFFERENTIAL: &str = "differential";

/// Tests on the test bed that run at once: most of their time they wait, for leases and for what becomes healthy.
const AT_ONCE: &str = "4";

/// To add a stage, add a line here: a task of its own module, with the signature of [`Stage::run`].
pub(super) const STAGES: &[Stage] = &[
    Stage { name: "fmt", about: "the source is formatted", alone: "cargo xtask test --only fmt", run: fmt },
    Stage {
        name: "clippy",
        about: "no lint has anything to say",
        alone: "cargo xtask test --only clippy",
        run: clippy,
    },
    Stage {
        name: "tidy",
        about: "the tree keeps the project's own rules",
        alone: "cargo xtask tidy",
        run: tidy::run,
    },
    Stage {
        name: "test",
        about: "all tests pass, also those in documentation",
        alone: "cargo xtask test --only test",
        run: test,
    },
    Stage {
        name: "pitfalls",
        about: "each known pitfall of the explorer is guarded by a test that fails without its fix",
        alone: "cargo xtask pitfalls",
        run: pitfalls::run,
    },
    Stage {
        name: "referee",
        about: "on random models, and on the seeds, the explorer and TLC say the same",
        // Not `cargo xtask referee`: that compares the seeds only with --seeds.
        alone: "cargo xtask test --only referee",
        run: referee::stage,
    },
    Stage {
        name: "aws",
        about: "identities, and what they call of AWS, do on moto what they do on our strict IAM",
        alone: "cargo xtask test --only aws",
        run: aws,
    },
    Stage {
        name: TESTBED,
        about: "the real Kubernetes can be built, starts and ends, and our tables of its kinds are current",
        alone: "cargo xtask test --only testbed",
        run: testenv::stage,
    },
    Stage {
        name: HUB,
        about: "the hub serves the real kubectl and the real controllers, and loses nothing when it is killed",
        alone: "cargo xtask test --only hub",
        run: hub,
    },
    Stage {
        name: FIXTURES,
        about: "the fault proxy does to the real kube-apiserver what it does to the hub",
        alone: "cargo xtask test --only fixtures",
        run: fixtures,
    },
    Stage {
        name: HOMES,
        about: "what Bowline does, it does on the hub and on a real Kubernetes alike",
        alone: "cargo xtask test --only homes",
        run: homes,
    },
    Stage {
        name: DIFFERENTIAL,
        about: "the hub answers to all scripts as the real server does, and an answer that was changed is found",
        alone: "cargo xtask test --only differential",
        run: differential::stage,
    },
];

fn fmt(workspace: &Workspace, log: &mut Log) -> Result<String> {
    component(workspace, "fmt", "rustfmt")?;
    let ran = log.run(&mut workspace.cargo(["fmt", "--all", "--check"]))?;
    ensure!(ran.success, "not formatted; `cargo fmt --all` does it");
    Ok(String::new())
}

fn clippy(workspace: &Workspace, log: &mut Log) -> Result<String> {
    component(workspace, "clippy", "clippy")?;
    // The benchmark's peers are a workspace of their own, and would break unseen.
    let peers = ["--manifest-path", "bench/peers/Cargo.toml", "--target-dir", "target/peers"];
    // Tests that need the test bed are behind a feature.
    let testbed = [
        "bowline-e2e-aws/testbed",
        "bowline-e2e-identities/testbed",
        "bowline-e2e-hub/testbed",
        "bowline-fixtures/testbed",
        "bowline-e2e-homes/testbed",
        "bowline-e2e-sample/testbed",
        "bowline-e2e-up/testbed",
        "bowline-soak/testbed",
    ];
    let testbed = testbed.join(",");
    let ours = ["--workspace", "--features", &testbed];
    for place in [&ours[..], &peers] {
        let args =
            ["clippy", "--all-targets", "--locked"].iter().chain(place).chain(&["--", "-D", "warnings"]);
        let ran = log.run(&mut workspace.cargo(args))?;
        ensure!(ran.success, "there are lints, or it does not compile");
    }
    Ok(String::new())
}

/// The real binary with real clients.
fn hub(workspace: &Workspace, log: &mut Log) -> Result<String> {
    on_testbed(workspace, log, &["--package", "bowline-e2e-hub", "--package", "bowline-soak"])
}

/// What we put around our programs, with the real server.
fn fixtures(workspace: &Workspace, log: &mut Log) -> Result<String> {
    on_testbed(workspace, log, &["--package", "bowline-fixtures", "--test", "real"])
}

/// The same tests on both homes.
fn homes(workspace: &Workspace, log: &mut Log) -> Result<String> {
    let packages = ["bowline-e2e-homes", "bowline-e2e-sample", "bowline-e2e-up"];
    let which: Vec<_> = packages.iter().flat_map(|package| ["--package", package]).collect();
    on_testbed(workspace, log, &which)
}

/// What is called of AWS on moto, which on our own IAM needs no stage; and identities with the real binary, on both.
fn aws(workspace: &Workspace, log: &mut Log) -> Result<String> {
    let python = testenv::moto::python(workspace, log)?;
    // Of the whole workspace: for one package alone cargo would choose other features of what it shares with others, and
    // build AWS's SDK a second time.
    let features = "bowline-e2e-aws/testbed,bowline-e2e-identities/testbed";
    let tests =
        ["moto", "identities_strict", "identities_moto"].into_iter().flat_map(|test| ["--test", test]);
    let args = ["test", "--workspace", "--features", features, "--locked", "--no-fail-fast"].into_iter();
    let mut tests = workspace.cargo(args.chain(tests));
    tests.env("RUST_TEST_THREADS", AT_ONCE).env(testenv::moto::PYTHON, python);
    let ran = log.run(&mut tests)?;
    ensure!(ran.success, "tests failed, or do not compile");
    Ok(format!("{} tests", report::tests_passed(&ran.output)))
}

/// Tests that need the real Kubernetes.
fn on_testbed(workspace: &Workspace, log: &mut Log, which: &[&str]) -> Result<String> {
    let binaries = testenv::binaries(workspace, log)?;
    let args = ["test", "--features", "testbed", "--locked", "--no-fail-fast"].iter().chain(which);
    let mut tests = workspace.cargo(args);
    tests.env("RUST_TEST_THREADS", AT_ONCE).env(bowline_realkube::BINARIES, binaries);
    let ran = log.run(&mut tests)?;
    ensure!(ran.success, "tests failed, or do not compile");
    Ok(format!("{} tests", report::tests_passed(&ran.output)))
}

fn test(workspace: &Workspace, log: &mut Log) -> Result<String> {
    let ran = log.run(&mut workspace.cargo(["test", "--workspace", "--locked", "--no-fail-fast"]))?;
    ensure!(ran.success, "tests failed, or do not compile");
    match report::tests_passed(&ran.output) {
        // A run of nothing is green as well: it would hide that the tests are no longer found.
        0 => bail!("no test ran"),
        count => Ok(format!("{count} tests")),
    }
}

/// Cargo's own message for a missing component names the toolchain but not always what to do.
fn component(workspace: &Workspace, command: &str, name: &str) -> Result<()> {
    captured(&mut workspace.cargo([command, "--version"]))
        .map(drop)
        .with_context(|| format!("{name} is missing; `rustup component add {name}` installs it"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    fn has_options(task: &str) -> bool {
        let cli = Cli::command();
        cli.find_subcommand(task).is_some_and(|task| task.get_arguments().next().is_some())
    }

    #[test]
    fn names_are_unique_and_each_command_runs_its_stage() {
        for (index, stage) in STAGES.iter().enumerate() {
            assert!(
                STAGES[..index].iter().all(|other| other.name != stage.name),
                "{} is there twice",
                stage.name
            );
            assert!(stage.alone.ends_with(stage.name), "{} is not run by `{}`", stage.name, stage.alone);
            // A task with options of its own may do less without them than the stage does.
            let task = stage.alone == format!("cargo xtask {}", stage.name);
            assert!(!task || !has_options(stage.name), "`{}` may do less than its stage", stage.alone);
        }
    }
}
