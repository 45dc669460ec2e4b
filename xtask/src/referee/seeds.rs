//! The four seeds: our models of them and their specifications have the same states, also at sizes that
//! nobody has looked at.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bowline_explorer::Options;
use bowline_models::catalogue;

use super::output::Finding;
use super::scratch::Scratch;
use super::specs::{self, Task};
use super::tlc::{Run, Tlc};
use crate::log::Log;

/// Sizes that are pinned nowhere: the models cannot have been made to fit them.
const SIZES: &[(&str, &str)] = &[
    ("seed/update-cluster", "requests=1,workers=4"),
    ("seed/update-cluster", "requests=2,workers=6"),
    ("seed/update-cluster", "requests=3,workers=5"),
    ("seed/update-cluster", "requests=3,workers=4"),
    ("seed/complete-issu", "nodes=2,versions=4,partition-size=2"),
    ("seed/complete-issu", "nodes=3,devices=2,versions=4,partitions=2,partition-size=1"),
    ("seed/complete-issu", "nodes=4,versions=2,partition-size=3"),
    ("seed/complete-issu", "nodes=4,versions=3,partition-size=1"),
    ("seed/complete-issu", "nodes=5,versions=2,partition-size=2"),
    ("seed/irsa", "workers=5"),
    ("seed/kcp-storage", "clusters=7"),
    ("seed/kcp-storage", "clusters=9"),
];

/// How long TLC may take for one of them.
const PATIENCE: Duration = Duration::from_secs(600);

/// Compares the seeds with their specifications; says at how many sizes.
pub(super) fn run(tlc: &Tlc, specs: &Path, log: &mut Log) -> Result<usize> {
    let scratch = Scratch::new("seeds")?;
    for (number, (model, size)) in SIZES.iter().enumerate() {
        let dir = scratch.path().join(number.to_string());
        specs::lay(specs, &dir, model, size, Task::Count)?;
        let jvm = ["-XX:+UseParallelGC", "-Xmx2g"].map(String::from);
        let run = Run {
            dir: &dir,
            module: specs::MODULE,
            jvm: &jvm,
            workers: 1,
            deadlock: false,
            patience: PATIENCE,
        };
        let (outcome, _) = tlc.run(&run).with_context(|| format!("{model} {size}"))?;
        ensure!(outcome.finding == Finding::NoError, "TLC says of {model} {size}: {:?}", outcome.finding);
        let counts = outcome.counts.context("TLC counted nothing")?;
        let theirs = (counts.distinct, counts.generated, outcome.depth.unwrap_or_default());
        let ours = ours(model, size)?;
        ensure!(
            ours == theirs,
            "{model} {size}: distinct states, generated states and depth are {ours:?} by us and {theirs:?} by TLC; \
             the model in pure/models is not the specification"
        );
        let (distinct, generated, depth) = ours;
        log.line(format!(
            "{model} {size}: {distinct} distinct, {generated} generated, depth {depth}: both agree"
        ));
    }
    Ok(SIZES.len())
}

fn ours(model: &str, size: &str) -> Result<(u64, u64, u32)> {
    let entry = catalogue().iter().find(|entry| entry.name == model);
    let entry = entry.with_context(|| format!("there is no model `{model}`"))?;
    let subject = entry.build(&entry.size(size)?)?;
    let report = subject.check(&Options { properties: Some(&[]), ..Options::default() })?;
    Ok((report.distinct, report.generated, report.depth))
}

#[cfg(test)]
mod tests {
    use bowline_models::expected;

    use super::*;

    #[test]
    fn no_size_is_pinned() -> Result<()> {
        for (model, size) in SIZES {
            let entry = catalogue().iter().find(|entry| entry.name == *model).context("no such model")?;
            let size = entry.size(size)?;
            for pinned in expected().filter(|pinned| pinned.model == *model) {
                assert_ne!(entry.size(pinned.size)?, size, "{model} {}", pinned.size);
            }
        }
        Ok(())
    }
}
