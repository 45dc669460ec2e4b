//! Targets, tried by as many threads as there are processors.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::Target;
use crate::mutate::{Dice, mutated};
use crate::plan::Plan;
use crate::watch::{PATIENCE, Watch, give_up, kept};

/// Where the inputs begin that are the same in each run.
const FIXED: u64 = 1;
/// Of an input that does harm, so much is shown.
const SHOWN: usize = 2000;

/// Tries the targets: each with so many inputs from a fixed seed on, and as many from another one; or as the environment says.
///
/// # Panics
/// If an input does harm.
pub fn run(targets: &[Target], inputs: usize) {
    if let Err(harm) = run_as(&Plan::read(), targets, inputs) {
        panic!("{harm}");
    }
}

/// The same; what does harm is an error.
pub(crate) fn run_as(plan: &Plan, targets: &[Target], inputs: usize) -> Result<(), String> {
    let chosen: Vec<_> =
        targets.iter().filter(|target| plan.only.as_ref().is_none_or(|only| only == target.name)).collect();
    if plan.list {
        chosen.iter().for_each(|target| println!("fuzz target {}", target.name));
        return Ok(());
    }
    let threads = thread::available_parallelism().map_or(1, Into::into).min(chosen.len());
    let (next, watch) = (AtomicUsize::new(0), Watch::new(threads));
    let (sender, ends) = mpsc::channel();
    let harms = thread::scope(|scope| {
        for number in 0..threads {
            let (sender, next, watch, chosen) = (sender.clone(), &next, &watch, &chosen);
            scope.spawn(move || {
                while let Some(target) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // What overflows the stack is told by the name of its thread.
                    let named = thread::Builder::new().name(target.name.to_owned());
                    let run = thread::scope(|scope| {
                        let file = File::create(kept(target.name))?;
                        let trial = Trial { target, plan, inputs, number, watch, file };
                        named.spawn_scoped(scope, move || trial.run())?.join().map_err(panicked)
                    });
                    let end = run.unwrap_or_else(|error| Err(format!("{}: {error}", target.name)));
                    sender.send(end).expect("somebody waits for it");
                }
            });
        }
        drop(sender);
        told(&ends, &watch)
    });
    if harms.is_empty() { Ok(()) } else { Err(harms.join("\n\n")) }
}

/// Tells how each target ends; what did harm comes back.
fn told(ends: &mpsc::Receiver<Result<String, String>>, watch: &Watch) -> Vec<String> {
    let mut harms = Vec::new();
    loop {
        match ends.recv_timeout(Duration::from_secs(1)) {
            Ok(Ok(line)) => println!("{line}"),
            Ok(Err(harm)) => harms.push(harm),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                if let Some(target) = watch.stuck() {
                    give_up(target);
                }
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => return harms,
        }
    }
}

/// A target in one thread.
struct Trial<'a> {
    target: &'a Target,
    plan: &'a Plan,
    inputs: usize,
    number: usize,
    watch: &'a Watch,
    /// Has the last input.
    file: File,
}

/// How many inputs there were, and how long the slowest took.
#[derive(Default)]
struct Tally {
    tried: usize,
    slowest: Duration,
}

impl Trial<'_> {
    fn run(&self) -> Result<String, String> {
        let (name, start, seed) = (self.target.name, Instant::now(), self.plan.seed);
        let mut tally = Tally::default();
        // The seeds themselves come first.
        for input in &self.target.seeds {
            self.tries(input)
                .map_err(|wrong| self.harm(&wrong, input, "it is one of those that all begin with"))?;
        }
        match self.plan.time {
            Some(time) => self.runs(seed, |_| start.elapsed() < time, &mut tally)?,
            None => {
                for seed in [FIXED, seed] {
                    self.runs(seed, |tried| tried < self.inputs, &mut tally)?;
                }
            }
        }
        // What was fine is not kept.
        let _ = std::fs::remove_file(kept(name));
        let (Tally { tried, slowest }, took) = (tally, start.elapsed());
        Ok(format!("{name}: {tried} inputs in {took:.1?}, the slowest in {slowest:.1?}; seed {seed}"))
    }

    /// Tries inputs from a seed on.
    fn runs(&self, seed: u64, goes_on: impl Fn(usize) -> bool, tally: &mut Tally) -> Result<(), String> {
        let mut dice = Dice(seed);
        for tried in 0.. {
            if !goes_on(tried) {
                break;
            }
            let input = mutated(&self.target.seeds, &mut dice);
            let start = Instant::now();
            self.tries(&input).map_err(|wrong| {
                let again = format!("again: cargo xtask fuzz {} --seed {seed}", self.target.name);
                self.harm(&wrong, &input, &format!("it is input {tried} from seed {seed} on; {again}"))
            })?;
            tally.tried += 1;
            tally.slowest = tally.slowest.max(start.elapsed());
        }
        Ok(())
    }

    /// Tries an input.
    fn tries(&self, input: &[u8]) -> Result<(), String> {
        let (name, start) = (self.target.name, Instant::now());
        self.keep(input).map_err(|error| format!("it cannot be kept: {error}"))?;
        self.watch.note(self.number, Some((name, start)));
        // Nothing is used after it has panicked.
        let tried = catch_unwind(AssertUnwindSafe(|| (self.target.check)(input)));
        self.watch.note(self.number, None);
        tried.unwrap_or_else(|panic| Err(format!("it panics: {}", said(&*panic))))?;
        if start.elapsed() > PATIENCE {
            return Err(format!("it took {:?}", start.elapsed()));
        }
        Ok(())
    }

    /// Keeps an input. The file stays open: who makes it anew each time waits for the disk.
    fn keep(&self, input: &[u8]) -> std::io::Result<()> {
        self.file.write_all_at(input, 0)?;
        self.file.set_len(input.len() as u64)
    }

    fn harm(&self, wrong: &str, input: &[u8], which: &str) -> String {
        let name = self.target.name;
        let shown: String = input.escape_ascii().map(char::from).take(SHOWN).collect();
        let more = if input.len() > SHOWN { " …" } else { "" };
        format!("{name}: {wrong}\n{which}; it is in {}:\n{shown}{more}", kept(name).display())
    }
}

fn panicked(panic: Box<dyn std::any::Any + Send>) -> std::io::Error {
    std::io::Error::other(said(&*panic))
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a word").to_owned()
}
