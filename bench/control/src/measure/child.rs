//! A contestant's process.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use bowline_bench_meter::Cost;
use clap::ValueEnum;

use crate::contestants::Contestant;
use crate::tally::Standings;

/// A contestant that runs, until this is dropped.
pub(super) struct Child {
    process: std::process::Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    pub(super) cost: Cost,
}

impl Child {
    pub(super) fn start(
        contestant: Contestant,
        kubeconfig: &Path,
        objects: usize,
        workers: u16,
    ) -> Result<Child> {
        let mut command = Command::new(std::env::current_exe()?);
        let name = contestant.to_possible_value().context("a contestant has a name")?;
        command.arg("contestant").arg(name.get_name()).arg("--kubeconfig").arg(kubeconfig);
        command.arg("--objects").arg(objects.to_string()).arg("--workers").arg(workers.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().context("cannot start a contestant")?;
        let answers = process.stdout.take().context("a contestant answers")?;
        Ok(Child {
            questions: process.stdin.take(),
            answers: BufReader::new(answers),
            cost: Cost::of(&[process.id()]),
            process,
        })
    }

    /// Asks, and waits for the answer.
    pub(super) fn ask(&mut self, question: &str) -> Result<Standings> {
        let questions = self.questions.as_mut().context("nobody can be asked any more")?;
        writeln!(questions, "{question}")?;
        questions.flush()?;
        let mut line = String::new();
        // Others go on meanwhile: those who make halves ready.
        tokio::task::block_in_place(|| self.answers.read_line(&mut line))?;
        serde_json::from_str(&line).with_context(|| format!("the contestant says {line:?}"))
    }

    /// Ends it as one that has to end.
    pub(super) fn end(mut self) -> Result<()> {
        drop(self.questions.take());
        let status = tokio::task::block_in_place(|| self.process.wait())?;
        ensure!(status.success(), "the contestant ended with {status}");
        Ok(())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Both fail only if it has ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
