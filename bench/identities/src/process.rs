//! The process that the IAM is.

use std::process::Stdio;

use anyhow::{Context, Result};
use bowline_bench_meter::Cost;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::iam::{Counted, Question};

/// An IAM that runs until this is dropped.
pub(crate) struct Iam {
    _child: Child,
    questions: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    endpoint: String,
    cost: Cost,
}

impl Iam {
    /// Starts one.
    pub(crate) async fn start(latency_ms: u64) -> Result<Iam> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["iam", "--latency-ms", &latency_ms.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let cost = Cost::of(&[child.id().context("the IAM has ended")?]);
        let questions = child.stdin.take().context("the IAM takes no questions")?;
        let answers = child.stdout.take().context("the IAM says nothing")?;
        let mut answers = BufReader::new(answers).lines();
        let endpoint = read(&mut answers).await?;
        Ok(Iam { _child: child, questions, answers, endpoint, cost })
    }

    /// What clients are told for AWS's address.
    pub(crate) fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// What it costs.
    pub(crate) fn cost(&self) -> &Cost {
        &self.cost
    }

    /// What has come so far.
    pub(crate) async fn counts(&mut self) -> Result<Counted> {
        self.ask(&Question::Counts).await
    }

    /// From now on tokens of the hub's accounts are believed that one of these keys has signed.
    pub(crate) async fn believe(&mut self, keys: Value) -> Result<()> {
        self.ask(&Question::Believe(keys)).await.map(drop)
    }

    async fn ask(&mut self, question: &Question) -> Result<Counted> {
        let line = serde_json::to_string(question)? + "\n";
        self.questions.write_all(line.as_bytes()).await?;
        read(&mut self.answers).await
    }
}

async fn read<T: DeserializeOwned>(answers: &mut Lines<BufReader<ChildStdout>>) -> Result<T> {
    let line = answers.next_line().await?.context("the IAM has ended")?;
    Ok(serde_json::from_str(&line)?)
}
