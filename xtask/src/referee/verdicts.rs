//! The four seeds: of every property, as written and as intended, our explorer and TLC say the same.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, ensure};
use bowline_explorer::{Judged, Kind, Options};
use bowline_models::{Claim, catalogue};

use super::compare::{expected, length_differs};
use super::court::Court;
use super::specs::{self, Task};

/// Small sizes at which verdicts differ, and the switches.
const SIZES: &[(&str, &str)] = &[
    ("seed/update-cluster", "requests=2,workers=2"),
    ("seed/complete-issu", "nodes=3"),
    ("seed/complete-issu", "nodes=2,partition-size=1,fair=true"),
    ("seed/irsa", "workers=1,attached=true"),
    ("seed/irsa", "workers=2"),
    ("seed/kcp-storage", "clusters=2"),
];

/// A property at a size, and what our explorer says of it.
struct Question {
    model: &'static str,
    size: &'static str,
    claim: Claim,
    ours: Judged,
}

/// Compares the verdicts, several at a time; says how many.
pub(super) fn run(court: &Court<'_>, specs: &Path) -> Result<usize> {
    let questions = questions()?;
    let next = AtomicUsize::new(0);
    let work = || -> Result<()> {
        while let Some(question) = questions.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Question { model, size, claim, .. } = question;
            question.ask(court, specs).with_context(|| format!("{} of {model} {size}", claim.name))?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..Court::workers()).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    Ok(questions.len())
}

fn questions() -> Result<Vec<Question>> {
    let mut questions = Vec::new();
    for (model, size) in SIZES {
        let entry = catalogue().iter().find(|entry| entry.name == *model);
        let entry = entry.with_context(|| format!("there is no model `{model}`"))?;
        let subject = entry.build(&entry.size(size)?)?;
        let verdicts = subject.check(&Options::default())?.verdicts;
        let judged = subject.claims().into_iter().zip(verdicts);
        questions.extend(judged.map(|(claim, ours)| Question { model, size, claim, ours }));
    }
    Ok(questions)
}

impl Question {
    fn ask(&self, court: &Court<'_>, specs: &Path) -> Result<()> {
        let Question { model, size, claim, ours } = self;
        let dir = court.place(&format!("{model}-{size}-{}", claim.name).replace('/', "-"));
        specs::lay(specs, &dir, model, size, Task::Judge(claim))?;
        let (theirs, printed) = court.run_tlc(&dir, specs::MODULE, claim.kind == Kind::Deadlock)?;
        let verdict = ours.verdict;
        ensure!(
            expected(claim.kind, verdict) == Some(theirs.finding),
            "our explorer says {}, TLC {:?}:\n{printed}",
            verdict.as_str(),
            theirs.finding
        );
        if let Some(difference) = length_differs(ours, &theirs) {
            anyhow::bail!("{difference}:\n{printed}");
        }
        fs::remove_dir_all(&dir).with_context(|| format!("cannot remove {}", dir.display()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use bowline_explorer::Verdict;

    use super::*;

    #[test]
    fn every_property_of_every_seed_is_asked_for_and_both_verdicts_occur() -> Result<()> {
        let questions = questions()?;
        for entry in catalogue().iter().filter(|entry| entry.name.starts_with("seed/")) {
            let asked = questions.iter().filter(|question| question.model == entry.name);
            let asked: BTreeSet<_> = asked.map(|question| question.claim.name.clone()).collect();
            let claims = entry.build(&entry.size("")?)?.claims().into_iter().map(|claim| claim.name);
            assert_eq!(asked, claims.collect(), "{}", entry.name);
        }
        for verdict in [Verdict::Holds, Verdict::Violated] {
            for liveness in [false, true] {
                let is = |question: &&Question| {
                    question.ours.verdict == verdict && question.claim.kind.is_liveness() == liveness
                };
                assert!(questions.iter().filter(is).count() > 5, "{verdict:?}, liveness {liveness}");
            }
        }
        Ok(())
    }
}
