//! Where both sides are heard.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result};

use super::compare::differences;
use super::draw::draw;
use super::output::Outcome;
use super::program::Program;
use super::scratch::{Scratch, write};
use super::shrink::shrink;
use super::subject::{Ours, explore};
use super::tla;
use super::tlc::{Run, Tlc};

/// How long TLC may take for one model; it takes about a second.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often TLC is asked at most to make a disagreement smaller.
const QUESTIONS: usize = 150;

/// TLC and a place to work.
pub(super) struct Court<'a> {
    tlc: &'a Tlc,
    scratch: Scratch,
    jvm: Vec<String>,
}

/// A program and what both sides say of it.
pub(super) struct Case {
    /// The program.
    pub(super) program: Program,
    /// What our explorer says; `None` if it does not know what to say, which is a difference.
    pub(super) ours: Option<Ours>,
    /// What TLC printed.
    pub(super) printed: String,
    /// In what they differ.
    pub(super) differences: Vec<String>,
}

impl Court<'_> {
    /// Sees that TLC runs, and has the Java VM remember TLC's classes: most of a run is loading them.
    pub(super) fn open(tlc: &Tlc) -> Result<Court<'_>> {
        let options = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m", "-Xlog:disable"];
        let mut court =
            Court { tlc, scratch: Scratch::new("referee")?, jvm: options.map(String::from).to_vec() };
        let archive = court.scratch.path().join("classes.jsa");
        court.jvm.push(format!("-XX:ArchiveClassesAtExit={}", archive.display()));
        court
            .ask_tlc(&draw(1, 7), "first")
            .context("TLC does not run; it is started with options that Java 17 and newer know")?;
        court.jvm.pop();
        court.jvm.extend(["-Xshare:auto".into(), format!("-XX:SharedArchiveFile={}", archive.display())]);
        Ok(court)
    }

    /// Hears the cases with these numbers, several at a time; stops at the first disagreement and returns it.
    pub(super) fn hear_all(
        &self,
        seed: u64,
        numbers: Range<u64>,
        mut agreed: impl FnMut(&Case),
    ) -> Result<Option<(u64, Case)>> {
        let next = AtomicU64::new(numbers.start);
        let stop = AtomicBool::new(false);
        let (send, receive) = mpsc::channel();
        let (next, stop, end) = (&next, &stop, numbers.end);
        let work = move |send: mpsc::Sender<(u64, Result<Case>)>| {
            while !stop.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= end {
                    break;
                }
                let case = self.hear(draw(seed, number), &format!("model-{number}"));
                if send.send((number, case)).is_err() {
                    break;
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..Court::workers() {
                let send = send.clone();
                scope.spawn(move || work(send));
            }
            drop(send);
            for (number, case) in receive {
                let case = case.with_context(|| format!("model {number} of seed {seed}"));
                match case {
                    Ok(case) if case.differences.is_empty() => agreed(&case),
                    other => {
                        stop.store(true, Ordering::Relaxed);
                        return other.map(|case| Some((number, case)));
                    }
                }
            }
            Ok(None)
        })
    }

    fn hear(&self, program: Program, name: &str) -> Result<Case> {
        let (outcome, printed) = self.ask_tlc(&program, name)?;
        let (ours, differences) = match explore(&program) {
            Ok([exact, fingerprint]) => {
                let mut all = differences(&program, &exact, &outcome);
                let more = differences(&program, &fingerprint, &outcome).into_iter();
                all.extend(more.map(|difference| format!("with fingerprints, {difference}")));
                (Some(exact), all)
            }
            Err(error) => (None, vec![format!("{error:#}")]),
        };
        Ok(Case { program, ours, printed, differences })
    }

    fn ask_tlc(&self, program: &Program, name: &str) -> Result<(Outcome, String)> {
        let dir = self.place(name);
        let printed = tla::print(program);
        write(&dir, &[("Referee.tla", &printed.module), ("Referee.cfg", &printed.cfg)])?;
        let answer = self.run_tlc(&dir, tla::MODULE, printed.deadlock)?;
        fs::remove_dir_all(&dir).with_context(|| format!("cannot remove {}", dir.display()))?;
        Ok(answer)
    }

    /// How many runs of TLC at a time: one more than there are processors, because at its end a Java VM sleeps
    /// for a third of a second.
    pub(super) fn workers() -> usize {
        std::thread::available_parallelism().map_or(2, usize::from) + 1
    }

    /// A directory for a case, not yet made.
    pub(super) fn place(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// Runs TLC on a small module that was written into a directory.
    pub(super) fn run_tlc(&self, dir: &Path, module: &str, deadlock: bool) -> Result<(Outcome, String)> {
        self.tlc.run(&Run { dir, module, jvm: &self.jvm, workers: 1, deadlock, patience: PATIENCE })
    }

    /// Writes a case into a directory, and the smallest one like it into one inside.
    pub(super) fn keep(&self, dir: &Path, case: &Case) -> Result<()> {
        case.write(dir)?;
        eprintln!("making the model smaller: at most {QUESTIONS} runs of TLC");
        let program = shrink(&case.program, QUESTIONS, |program| {
            self.hear(program.clone(), "smaller").is_ok_and(|case| !case.differences.is_empty())
        });
        self.hear(program, "smallest")?.write(&dir.join("smallest"))
    }
}

impl Case {
    fn write(&self, dir: &Path) -> Result<()> {
        let tla = tla::print(&self.program);
        let ours = self.ours.as_ref().map_or_else(String::new, |ours| format!("{:#?}\n", ours.report));
        let differences = self.differences.join("\n") + "\n";
        write(
            dir,
            &[
                ("Referee.tla", &tla.module),
                ("Referee.cfg", &tla.cfg),
                ("tlc.txt", &self.printed),
                ("ours.txt", &ours),
                ("differences.txt", &differences),
            ],
        )
    }
}
