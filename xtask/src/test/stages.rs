//! The stages of `cargo xtask test`, and which jobs each of them has.

use anyhow::{Context, Result, bail, ensure};

use super::lanes::{Found, Job, Lane};
use super::programs::{self, Program};
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
    /// How it is done.
    pub(super) work: Work,
}

/// How a stage is done.
pub(super) enum Work {
    /// By a task. What it returns is a word on how much was checked; an error is a failure.
    Task(Lane, fn(&Workspace, &mut Log) -> Result<String>),
    /// By building the programs that run tests, for the stages that run some.
    Build,
    /// By running tests: its suites, or all that are in no suite.
    Tests,
}

/// The stages that need the real Kubernetes, which takes minutes to build.
pub(super) const ON_TESTBED: &[&str] = &[AWS, TESTBED, HUB, FIXTURES, HOMES, DIFFERENTIAL];
const BUILD: &str = "build";
const TEST: &str = "test";
const AWS: &str = "aws";
const TESTBED: &str = "testbed";
const HUB: &str = "hub";
const FIXTURES: &str = "fixtures";
const HOMES: &str = "homes";
const DIFFERENTIAL: &str = "differential";

/// Tests of a suite that run at once: most of their time they wait, for leases and for what becomes healthy.
const AT_ONCE: &str = "4";

/// The tests that need more than cargo: the stage, the directory of the package, the test. What takes longest comes first, so
/// that nobody waits for it alone in the end. All others are in the stage `test`.
const SUITES: &[(&str, &str, &str)] = &[
    (HOMES, "e2e/up", "up"),
    (HOMES, "e2e/upgrades", "upgrades"),
    (HOMES, "e2e/placements", "placed"),
    (AWS, "e2e/identities", "identities_strict"),
    (AWS, "e2e/identities", "identities_moto"),
    (AWS, "e2e/identities", "identities_readme"),
    (HOMES, "e2e/sample", "pairs"),
    (HUB, "e2e/hub", "crash"),
    (HUB, "e2e/hub", "controllers"),
    (HUB, "e2e/hub", "kubectl"),
    (HUB, "e2e/hub", "readme"),
    (HUB, "e2e/hub", "canary"),
    (HUB, "e2e/hub", "backup"),
    (HUB, "e2e/hub", "audit"),
    (HUB, "e2e/soak", "short"),
    (HOMES, "e2e/homes", "kinds"),
    (FIXTURES, "e2e/fixtures", "real"),
    (AWS, "e2e/aws", "moto"),
];

/// To add a stage, add a line here: a task of its own module, or tests, which are suites above.
pub(super) const STAGES: &[Stage] = &[
    Stage {
        name: "fmt",
        about: "the source is formatted",
        alone: "cargo xtask test --only fmt",
        work: Work::Task(Lane::First, fmt),
    },
    Stage {
        name: "clippy",
        about: "no lint has anything to say, and the binary compiles by itself",
        alone: "cargo xtask test --only clippy",
        work: Work::Task(Lane::Computes, clippy),
    },
    Stage {
        name: "tidy",
        about: "the tree keeps the project's own rules",
        alone: "cargo xtask tidy",
        work: Work::Task(Lane::First, tidy::run),
    },
    Stage {
        name: BUILD,
        about: "all tests compile, and what they are about",
        alone: "cargo xtask test --only build",
        work: Work::Build,
    },
    Stage {
        name: TEST,
        about: "all tests pass, also those in documentation",
        alone: "cargo xtask test --only test",
        work: Work::Tests,
    },
    Stage {
        name: "pitfalls",
        about: "each known pitfall of the explorer is guarded by a test that fails without its fix",
        alone: "cargo xtask pitfalls",
        work: Work::Task(Lane::Computes, pitfalls::run),
    },
    Stage {
        name: "referee",
        about: "on random models, and on the seeds, the explorer and TLC say the same",
        // Not `cargo xtask referee`: that compares the seeds only with --seeds.
        alone: "cargo xtask test --only referee",
        work: Work::Task(Lane::Computes, referee::stage),
    },
    Stage {
        name: AWS,
        about: "identities, and what they call of AWS, do on moto what they do on our strict IAM",
        alone: "cargo xtask test --only aws",
        work: Work::Tests,
    },
    Stage {
        name: TESTBED,
        about: "the real Kubernetes can be built, starts and ends, and our tables of its kinds are current",
        alone: "cargo xtask test --only testbed",
        work: Work::Task(Lane::Waits, testenv::stage),
    },
    Stage {
        name: HUB,
        about: "the hub serves the real kubectl and the real controllers, and loses nothing when it is killed",
        alone: "cargo xtask test --only hub",
        work: Work::Tests,
    },
    Stage {
        name: FIXTURES,
        about: "the fault proxy does to the real kube-apiserver what it does to the hub",
        alone: "cargo xtask test --only fixtures",
        work: Work::Tests,
    },
    Stage {
        name: HOMES,
        about: "what Bowline does, it does on the hub and on a real Kubernetes alike",
        alone: "cargo xtask test --only homes",
        work: Work::Tests,
    },
    Stage {
        name: DIFFERENTIAL,
        about: "the hub answers to all scripts as the real server does, and an answer that was changed is found",
        alone: "cargo xtask test --only differential",
        work: Work::Task(Lane::Waits, differential::stage),
    },
];

/// The stages with these names, or all; and the one that builds what they run.
pub(super) fn chosen(only: &[String]) -> Vec<&'static Stage> {
    let is_named = |stage: &&Stage| only.is_empty() || only.iter().any(|name| name == stage.name);
    let runs_tests = STAGES.iter().filter(is_named).any(|stage| matches!(stage.work, Work::Tests));
    let is_needed = |stage: &&Stage| matches!(stage.work, Work::Build) && runs_tests;
    STAGES.iter().filter(|stage| is_named(stage) || is_needed(stage)).collect()
}

/// The tests that these stages run, by name; nothing, if it is all of them.
pub(super) fn tests_of(stages: &[&Stage]) -> Option<Vec<&'static str>> {
    let names = |name: &str| stages.iter().any(|stage| stage.name == name);
    let runs_tests = stages.iter().any(|stage| matches!(stage.work, Work::Tests));
    // Somebody who wants it to be built and nothing else wants all of it.
    let all = names(TEST) || !runs_tests;
    (!all).then(|| SUITES.iter().filter(|(stage, ..)| names(stage)).map(|(.., test)| *test).collect())
}

/// The jobs of a stage that runs a task.
pub(super) fn task<'a>(stage: &'static Stage, workspace: &'a Workspace) -> Option<Job<'a>> {
    let Work::Task(lane, run) = stage.work else { return None };
    let run = Box::new(move |log: &mut Log| run(workspace, log).map(Found::Words));
    Some(Job { stage: stage.name, name: String::new(), lane, run })
}

/// The stage that builds the programs, if it is among these.
pub(super) fn builds(stages: &[&Stage]) -> Option<&'static str> {
    stages.iter().find(|stage| matches!(stage.work, Work::Build)).map(|stage| stage.name)
}

/// The jobs of all of these stages that run tests. If the programs were not built, each is a job that fails.
pub(super) fn tests<'a>(
    stages: &[&'static Stage],
    workspace: &'a Workspace,
    programs: Option<&[Program]>,
) -> Vec<Job<'a>> {
    let runs_tests = stages.iter().filter(|stage| matches!(stage.work, Work::Tests));
    let Some(programs) = programs else {
        return runs_tests
            .map(|stage| fails(stage.name, "it was not run: what it runs was not built"))
            .collect();
    };
    let is_chosen = |name: &str| stages.iter().any(|stage| stage.name == name);
    let suites = SUITES.iter().filter(|(stage, ..)| is_chosen(stage));
    let suites = suites.map(|&(stage, package, test)| {
        let Some(program) = programs.iter().find(|program| program.is_test(package, test)).cloned() else {
            // A run of nothing is green as well: it would hide that the tests are no longer found.
            return fails(stage, &format!("there is no test {test} in {package}"));
        };
        let run = Box::new(move |log: &mut Log| suite(workspace, log, stage, &program));
        Job { stage, name: format!("{package} {test}"), lane: Lane::Waits, run }
    });
    let loose = if is_chosen(TEST) { loose(workspace, programs) } else { Vec::new() };
    suites.chain(loose).collect()
}

/// A job that fails because of this.
fn fails<'a>(stage: &'static str, why: &str) -> Job<'a> {
    let why = why.to_owned();
    Job { stage, name: String::new(), lane: Lane::Waits, run: Box::new(move |_| bail!(why)) }
}

/// What is in no suite. What `pure/` has computes, and knows no clock.
fn loose<'a>(workspace: &'a Workspace, programs: &[Program]) -> Vec<Job<'a>> {
    let in_suite =
        |program: &&Program| SUITES.iter().any(|(_, package, test)| program.is_test(package, test));
    let loose = programs.iter().filter(|program| !in_suite(program)).cloned();
    let jobs = loose.map(|program| {
        let lane = if program.package.starts_with("pure/") { Lane::Computes } else { Lane::Waits };
        let name = program.name();
        let run = Box::new(move |log: &mut Log| passed(log, &mut program.command(workspace)));
        Job { stage: TEST, name, lane, run } as Job<'a>
    });
    let documents = Job {
        stage: TEST,
        name: "documentation".to_owned(),
        lane: Lane::Computes,
        run: Box::new(|log: &mut Log| documents(workspace, log)),
    };
    jobs.chain([documents]).collect()
}

/// Runs a suite, with what it needs beside it.
fn suite(workspace: &Workspace, log: &mut Log, stage: &str, program: &Program) -> Result<Found> {
    let mut command = program.command(workspace);
    command.env("RUST_TEST_THREADS", AT_ONCE);
    if stage == AWS {
        command.env(testenv::moto::PYTHON, testenv::moto::python(workspace, log)?);
    }
    command.env(bowline_realkube::BINARIES, testenv::binaries(workspace, log)?);
    passed(log, &mut command)
}

/// The tests in documentation. They have no programs of their own.
fn documents(workspace: &Workspace, log: &mut Log) -> Result<Found> {
    let args = programs::of_workspace(workspace)?;
    passed(log, workspace.cargo(["test", "--doc", "--no-fail-fast"]).args(args))
}

/// Runs tests, all of which have to pass.
fn passed(log: &mut Log, tests: &mut std::process::Command) -> Result<Found> {
    let ran = log.run(tests)?;
    ensure!(ran.success, "tests failed");
    Ok(Found::Tests(report::tests_passed(&ran.output)))
}

fn fmt(workspace: &Workspace, log: &mut Log) -> Result<String> {
    component(workspace, "fmt", "rustfmt")?;
    let ran = log.run(&mut workspace.cargo(["fmt", "--all", "--check"]))?;
    ensure!(ran.success, "not formatted; `cargo fmt --all` does it");
    Ok(String::new())
}

fn clippy(workspace: &Workspace, log: &mut Log) -> Result<String> {
    component(workspace, "clippy", "clippy")?;
    let ours = programs::of_workspace(workspace)?;
    let ours: Vec<_> = ["--all-targets"].into_iter().chain(ours.iter().map(String::as_str)).collect();
    // The benchmark's peers are a workspace of their own, and would break unseen.
    let peers = ["--manifest-path", "bench/peers/Cargo.toml", "--target-dir", "target/peers", "--locked"];
    let peers: Vec<_> = ["--all-targets"].into_iter().chain(peers).collect();
    // All others are built with what anybody asks of a dependency: that the binary asks for all that it needs would not be seen.
    // What only tests ask of tokio gives nothing to it, and without that all that is built on tokio would be checked twice.
    let alone = ["--package", "bowline", "--locked", "--features", "tokio/test-util"];
    for place in [&ours[..], &peers, &alone] {
        let args = ["clippy"].iter().chain(place).chain(&["--", "-D", "warnings"]);
        let ran = log.run(&mut workspace.cargo(args))?;
        ensure!(ran.success, "there are lints, or it does not compile");
    }
    Ok(String::new())
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

    fn named(only: &[&str]) -> Vec<&'static Stage> {
        chosen(&only.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn what_runs_tests_is_built_before_and_only_that() {
        let names = |only: &[&str]| named(only).iter().map(|stage| stage.name).collect::<Vec<_>>();
        assert_eq!(names(&[]).len(), STAGES.len());
        assert_eq!(names(&["fmt", "tidy"]), ["fmt", "tidy"]);
        assert_eq!(names(&[HUB]), [BUILD, HUB]);
        assert_eq!(tests_of(&named(&[FIXTURES])), Some(vec!["real"]));
        assert_eq!(tests_of(&named(&[AWS])).map(|tests| tests.len()), Some(4));
        assert_eq!(tests_of(&named(&[])), None);
        assert_eq!(tests_of(&named(&[BUILD])), None);
    }

    #[test]
    fn every_suite_belongs_to_a_stage_that_runs_tests_and_every_such_stage_has_one() {
        let runs_tests = |stage: &&Stage| matches!(stage.work, Work::Tests) && stage.name != TEST;
        let of_stages: std::collections::BTreeSet<_> =
            STAGES.iter().filter(runs_tests).map(|stage| stage.name).collect();
        assert_eq!(
            SUITES.iter().map(|(stage, ..)| *stage).collect::<std::collections::BTreeSet<_>>(),
            of_stages
        );
    }

    #[test]
    fn a_suite_that_is_not_there_is_a_failure() -> Result<()> {
        let workspace = Workspace::locate()?;
        let why = |programs: Option<&[Program]>| {
            let jobs = tests(&named(&[FIXTURES]), &workspace, programs);
            let ran = jobs.into_iter().map(|job| (job.run)(&mut Log::quiet()));
            ran.filter_map(|result| result.err().map(|error| error.to_string())).collect::<Vec<_>>()
        };
        assert_eq!(why(Some(&[])), ["there is no test real in e2e/fixtures"]);
        assert_eq!(why(None), ["it was not run: what it runs was not built"]);
        Ok(())
    }

    /// What needs the test bed and is in no suite would run without it, and what is in a suite without needing it could run
    /// everywhere.
    #[test]
    fn what_needs_the_test_bed_is_in_a_suite() -> Result<()> {
        let root = Workspace::locate()?.root().to_path_buf();
        let mut needy = Vec::new();
        for entry in std::fs::read_dir(root.join("e2e"))? {
            let directory = entry?.path();
            // Not all that lies there is a package.
            let Ok(manifest) = std::fs::read_to_string(directory.join("Cargo.toml")) else { continue };
            let manifest: toml::Table = manifest.parse()?;
            let package = directory.strip_prefix(&root)?.to_str().context("a name")?.to_owned();
            let tests = manifest.get("test").and_then(toml::Value::as_array).cloned().unwrap_or_default();
            let needs = |test: &&toml::Value| test.get("required-features").is_some();
            let names = tests.iter().filter(needs).filter_map(|test| test.get("name")?.as_str());
            needy.extend(names.map(|name| (package.clone(), name.to_owned())));
        }
        let is_suite = |package: &str, test: &str| SUITES.iter().any(|(_, p, t)| (*p, *t) == (package, test));
        let missing: Vec<_> = needy.iter().filter(|(package, test)| !is_suite(package, test)).collect();
        assert!(missing.is_empty() && needy.len() > 10, "{missing:?} of {}", needy.len());
        Ok(())
    }
}
