//! What can be typed after `cargo xtask`.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

use crate::log::Log;
use crate::workspace::Workspace;
use crate::{
    audit, bench, differential, explore, fuzz, generate, kubectls, pitfalls, referee, soak, test, testenv,
    tidy,
};

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
    /// Explore the controllers at two instances and two workers, under every fault and every two (up to an hour)
    Explore(explore::ExploreArgs),
    /// Kill a hub again and again under writers, readers and watchers, and hold all they were told against one history
    Soak(soak::SoakArgs),
    /// Try every parser of the hub on input that is nearly good
    Fuzz(fuzz::FuzzArgs),
    /// Have the real TLC judge random models, and see that our explorer says the same (needs Java)
    Referee(referee::RefereeArgs),
    /// Build the real Kubernetes that tests compare with, and start and stop it (needs Go, or installs it)
    Testenv(testenv::TestenvArgs),
    /// Try every kubectl command that the hub promises with the kubectl of each version that it promises (builds them)
    Kubectls(kubectls::KubectlsArgs),
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
            Task::Explore(args) => explore::run(&workspace, &mut log, &args)?,
            Task::Soak(args) => soak::run(&workspace, &mut log, &args)?,
            Task::Fuzz(args) => fuzz::run(&workspace, &mut log, &args)?,
            Task::Referee(args) => referee::run(&workspace, &mut log, &args)?,
            Task::Testenv(args) => testenv::run(&workspace, &mut log, &args)?,
            Task::Kubectls(args) => kubectls::run(&workspace, &mut log, &args)?,
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
    use std::fs;

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

    #[test]
    fn one_random_model_is_not_several() {
        let refused = |line: &str| Cli::try_parse_from(line.split_whitespace()).is_err();
        assert!(!refused("xtask referee --only 5 --seed 2"));
        assert!(refused("xtask referee --only 5 --models 3"));
    }

    /// What a document tells people to type: lines after a prompt, and what is set as code.
    fn commands(document: &str) -> Vec<&str> {
        let typed = document.lines().filter_map(|line| line.trim().strip_prefix("$ "));
        let set_as_code = document.split('`').filter(|code| !code.contains('\n'));
        let commands = typed.chain(set_as_code).filter(|text| text.starts_with("cargo xtask "));
        commands.map(|text| text.split(" # ").next().unwrap_or(text)).collect()
    }

    /// Why a command cannot be typed, if it cannot.
    fn complaint(command: &str) -> Option<String> {
        // `cargo` is not there; `xtask` is the name of the program.
        let error = Cli::try_parse_from(command.split_whitespace().skip(1)).err()?;
        error.use_stderr().then(|| format!("`{command}`: {error}"))
    }

    #[test]
    fn what_documents_tell_people_to_type_can_be_typed() -> Result<()> {
        let root = Workspace::locate()?.root().to_path_buf();
        let mut documents =
            vec![root.join("README.md"), root.join("ARCHITECTURE.md"), root.join("bench/README.md")];
        for entry in fs::read_dir(root.join("docs"))? {
            documents.push(entry?.path());
        }
        let mut found = 0;
        for document in documents.iter().filter(|path| path.is_file()) {
            let text = fs::read_to_string(document)?;
            let commands = commands(&text);
            found += commands.len();
            let complaints: Vec<String> = commands.into_iter().filter_map(complaint).collect();
            assert!(complaints.is_empty(), "{}: {}", document.display(), complaints.join("\n"));
        }
        assert!(found > 10, "only {found} commands were found");
        Ok(())
    }

    #[test]
    fn a_command_that_cannot_be_typed_is_complained_about() {
        let document =
            "```console\n$ cargo xtask bench explorer # long\n$ cargo test\n```\nOr `cargo xtask tidy`.\n";
        assert_eq!(commands(document), ["cargo xtask bench explorer", "cargo xtask tidy"]);
        for command in ["cargo xtask bench explorer", "cargo xtask --help", "cargo xtask referee --seeds"] {
            assert_eq!(complaint(command), None);
        }
        // A stage of the tests is not a task, nor is a task's second word anything.
        for command in
            ["cargo xtask fmt", "cargo xtask bench explore", "cargo xtask bench", "cargo xtask tidy --all"]
        {
            assert!(complaint(command).is_some(), "{command}");
        }
    }
}
