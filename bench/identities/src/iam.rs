//! The IAM, as a process: it answers questions about itself by lines.

use std::time::Duration;

use anyhow::{Context, Result};
use bowline_e2e_aws::fake::Fake;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};

/// Who signs the tokens of a hub's accounts, without `https://`.
const ISSUER: &str = "kubernetes.default.svc";
/// Whom the tokens are made out for.
const AUDIENCE: &str = "sts.amazonaws.com";

/// A question, which is answered by [`Counted`].
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Question {
    /// What has come so far.
    Counts,
    /// Tokens of the hub's accounts are believed from now on, if one of these keys has signed them.
    Believe(Value),
}

/// What has come so far.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Counted {
    /// Calls.
    pub(crate) calls: u64,
    /// Of these, those that have changed something.
    pub(crate) writes: u64,
    /// Of these, those that were refused, but for what is not there.
    pub(crate) refused: u64,
    /// Calls that were under way at a time, at most.
    pub(crate) most: u64,
}

/// Says where it is by a line, and answers until its standard input ends.
pub(crate) async fn run(latency_ms: u64) -> Result<()> {
    let fake = Fake::start().await?;
    fake.answer_after(Duration::from_millis(latency_ms));
    println!("{}", serde_json::to_string(&fake.endpoint())?);
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let question = serde_json::from_str(&line).context("the question is not understood")?;
        if let Question::Believe(keys) = question {
            fake.provide(ISSUER, &[AUDIENCE], keys);
        }
        println!("{}", serde_json::to_string(&counted(&fake))?);
    }
    Ok(())
}

fn counted(fake: &Fake) -> Counted {
    let calls = fake.calls();
    let is_refused = |word: &&str| *word != "NoSuchEntity";
    Counted {
        calls: calls.len() as u64,
        writes: fake.writes().len() as u64,
        refused: calls.iter().filter_map(|call| call.refused).filter(is_refused).count() as u64,
        most: fake.most_at_once() as u64,
    }
}
