//! What can be typed after `cargo xtask`.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

use crate::log::Log;
use crate::workspace::Workspace;
use crate::{audit, bench, differential, generate, pitfalls, referee, test, testenv, tidy};

/// The project's own tooling.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run every check, as CI does
    ///
    /// A stage that fails does not stop the others; the summary says how to run it alone.
    Test(TestArgs),
    /// Check the tree: sizes, edges between crates, licences, text, documents, purity
    Tidy,
    /// Take out the fix for each known pitfall of the explorer, and see its test fail
    Pitfalls,
    /// Check all dependencies with cargo-deny (installed into the cache on first use: minutes)
    Audit(AuditArgs),
    /// Have the real TLC judge random models, and see that our explorer says the same (needs Java)
    Referee(referee::RefereeArgs),
    /// Build the real Kubernetes that tests compare with, and start and stop it (needs Go, or installs it)
    Testenv(testenv::TestenvArgs),
    /// Run request scripts on the real kube-apiserver and on another server, and compare the answers
    Differential(differential::DifferentialArgs),
    /// Write what is generated and committed, or check that it is current
    #[command(subcommand)]
    Generate(generate::Generate),
    /// Measure against others
    #[command(subcommand)]
    Bench(bench::Bench),
    /// Run a command and print what it cost; the benchmarks call it
    #[command(hide = true)]
    Measure(bench::MeasureArgs),
}

#[derive(Args)]
struct TestArgs {
    /// Run this stage alone; may be given several times
    #[arg(long, value_name = "STAGE", value_parser = test::stage_names())]
    only: Vec<String>,
    /// List the stages and stop
    #[arg(long)]
    list: bool,
    /// Show each stage's output as it comes, not only that of a failed stage
    #[arg(long)]
    live: bool,
}

#[derive(Args)]
struct AuditArgs {
    /// Check the advisory database too (cloned from GitHub)
    #[arg(long)]
    advisories: bool,
}

impl Cli {
    /// Does what was asked. An error is yet to be told to the user; a failure without one has been told.
    pub(crate) fn run(self) -> Result<ExitCode> {
        let workspace = Workspace::locate()?;
        let mut log = Log::live();
        let result = match self.command {
            Task::Test(args) if args.list => test::list(),
            Task::Test(args) => return Ok(test::run(&workspace, &args.only, args.live)),
            Task::Tidy => tidy::run(&workspace, &mut log)?,
            Task::Pitfalls => pitfalls::run(&workspace, &mut log)?,
            Task::Audit(args) => audit::run(&workspace, &mut log, args.advisories)?,
            Task::Referee(args) => referee::run(&workspace, &mut log, &args)?,
            Task::Testenv(args) => testenv::run(&workspace, &mut log, &args)?,
            Task::Differential(args) => differential::run(&workspace, &mut log, &args)?,
            Task::Generate(what) => generate::run(&workspace, &mut log, &what)?,
            Task::Bench(bench) => bench::run(&workspace, &mut log, &bench)?,
            Task::Measure(args) => return bench::measure(&args).map(|()| ExitCode::SUCCESS),
        };
        log.line(result);
        Ok(ExitCode::SUCCESS)
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn an_unknown_stage_is_refused_with_the_known_ones() {
        let error = Cli::try_parse_from(["xtask", "test", "--only", "clipy"]).err().map(|e| e.to_string());
        let text = error.unwrap_or_default();
        assert!(text.contains("clipy") && text.contains("fmt, clippy, tidy"), "{text}");
    }
}
