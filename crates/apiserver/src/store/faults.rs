//! Every write, every change of the length and every sync of 2,000 operations goes wrong once, in every way.
//!
//! What a start finds afterwards is what was acknowledged, or the start says that something is damaged. A disk that
//! fails or loses its power must not even be told of: nothing is lost then.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

use bowline_kernel::Version;

use super::anchor::Anchored;
use super::keyring::Keyring;
use super::redb_store::{RedbStore, make_on};
use super::{CommitError, Store, StoreError};

pub(in crate::store) mod platter;
mod power;
mod stops;
pub(in crate::store) mod workload;

use platter::{Fault, Platter, SECTOR, Step, apply};
use workload::{Batch, Contents, Dice, OPERATIONS, found, workload};

/// Nothing is read twice from the disk with this.
const CACHE: usize = 1 << 20;
/// Everything is.
const NO_CACHE: usize = 0;
const SEED: u64 = 7;

/// The workload, and what it asks of a disk.
struct Run {
    batches: Vec<Batch>,
    /// What is on the disk before.
    empty: Vec<u8>,
    /// What each batch asks.
    steps: Vec<Vec<Step>>,
}

fn run() -> Run {
    let batches = workload(OPERATIONS, SEED);
    let platter = Platter::new(Vec::new());
    make_on(Box::new(Arc::clone(&platter))).expect("it can be made");
    let empty = platter.bytes();
    let mut store = open_at(&platter, CACHE).expect("it is whole");
    platter.record();
    let steps = batches.iter().map(|batch| {
        store.commit(&batch.changes).expect("nothing goes wrong");
        platter.steps()
    });
    let steps = steps.collect();
    Run { batches, empty, steps }
}

impl Run {
    /// Each batch, what is on the disk before it, and what it asks of it.
    fn each(&self, mut look: impl FnMut(usize, &[u8], &[Step])) {
        let mut image = self.empty.clone();
        for (number, steps) in self.steps.iter().enumerate() {
            look(number, &image, steps);
            for step in steps {
                apply(&mut image, step, None).expect("nothing goes wrong");
            }
        }
    }
}

/// A store on a disk. Some of what it keeps is encrypted.
fn open_at(disk: &Arc<Platter>, cache_bytes: usize) -> Result<RedbStore, StoreError> {
    static KEYRING: LazyLock<Keyring> = LazyLock::new(|| Keyring::made().expect("there are random numbers"));
    RedbStore::open_at(Box::new(Arc::clone(disk)), cache_bytes, KEYRING.clone())
}

/// A store on a disk, held to what is noted on another.
fn start(
    disk: &Arc<Platter>,
    note: &Arc<Platter>,
    cache_bytes: usize,
) -> Result<Anchored<RedbStore>, StoreError> {
    let store = open_at(disk, cache_bytes)?;
    Ok(Anchored::on(Box::new(Arc::clone(note)), store))
}

/// A note that says that this was acknowledged.
fn note(version: Version) -> Arc<Platter> {
    let note = Platter::new(Vec::new());
    super::anchor::acknowledge(&Arc::clone(&note), version).expect("nothing goes wrong");
    note
}

/// What a start finds on a disk, all of it.
fn restart(disk: &Arc<Platter>, note: &Arc<Platter>) -> Result<(Version, Contents), StoreError> {
    let (state, contents) = found(&start(disk, note, CACHE)?)?;
    Ok((state.version, contents))
}

/// How often what happened.
#[derive(Debug, Default)]
struct Tally {
    /// The process stopped while it ran.
    stopped: u64,
    /// A commit was refused.
    refused: u64,
    /// All was as if nothing had happened.
    harmless: u64,
    /// It was said that something is damaged.
    told: u64,
    /// The same, and only because of what is noted beside: the file was whole, and of before the last write.
    told_by_note: u64,
}

impl Tally {
    /// Judges what a start finds after a disk has lied: what was acknowledged last, or damage that is told. What nobody
    /// was told of may be there as a whole.
    fn judge(
        &mut self,
        disk: &Arc<Platter>,
        note: &Arc<Platter>,
        acknowledged: Option<&Batch>,
        untold: Option<&Batch>,
        what: &dyn Fn() -> String,
    ) {
        let fits = |version: Version, contents: &Contents| {
            let is_after = |batch: &Batch| version == batch.last() && *contents == *batch.after;
            let is_before = |batch: &Batch| version.next() == batch.first() && *contents == *batch.before;
            let nothing_told = acknowledged.is_none() && untold.is_some_and(is_before);
            acknowledged.is_some_and(is_after) || untold.is_some_and(is_after) || nothing_told
        };
        match restart(disk, note) {
            Ok((version, contents)) => {
                assert!(fits(version, &contents), "version {version} is not what was written: {}", what());
                self.harmless += 1;
            }
            Err(StoreError::Damaged(_)) => {
                self.told += 1;
                // Nothing but a whole older state passes all that is checked in the file: that of one commit before.
                if let Ok((version, contents)) = restart(disk, &Platter::new(Vec::new())) {
                    let is_older =
                        |batch: &Batch| version.next() == batch.first() && contents == *batch.before;
                    assert!(acknowledged.is_some_and(is_older), "{}", what());
                    self.told_by_note += 1;
                }
            }
            Err(error) => unreachable!("{error}: {}", what()),
        }
    }
}

/// In what ways a disk can lie about a step.
fn lies(step: &Step, disk_len: usize, dice: &mut Dice) -> Vec<Fault> {
    match step {
        Step::Write(_, data) => {
            let sectors = (data.len() / SECTOR).max(1) as u64;
            let pages = (disk_len / 4096) as u64;
            vec![
                Fault::Lost,
                Fault::Torn(dice.below(sectors) as usize),
                Fault::Astray(dice.below(pages) * 4096),
                Fault::Flipped(dice.below(data.len() as u64 * 8) as usize),
            ]
        }
        Step::SetLen(_) => vec![Fault::Lost],
        // What was not synced is still there if only the process ends; see `power.rs` for all else.
        Step::Sync => Vec::new(),
    }
}

#[test]
fn a_disk_that_lies_is_found_out_by_the_next_start() {
    let run = run();
    let mut dice = Dice(SEED);
    let mut tally = Tally::default();
    run.each(|number, before, steps| {
        let batch = &run.batches[number];
        let note = note(batch.last());
        for at in 0..steps.len() {
            for fault in lies(&steps[at], before.len(), &mut dice) {
                let mut image = before.to_vec();
                for (place, step) in steps.iter().enumerate() {
                    apply(&mut image, step, (place == at).then_some(fault)).expect("a lie is no error");
                }
                let what = || format!("batch {number}, step {at} of {}: {fault:?}", steps.len());
                tally.judge(&Platter::new(image), &note, Some(batch), None, &what);
            }
        }
    });
    println!("{tally:?}");
    assert!(tally.harmless > 100 && tally.told > tally.told_by_note && tally.told_by_note > 100, "{tally:?}");
}

#[test]
fn a_disk_that_lies_is_found_out_also_by_who_goes_on() {
    let run = run();
    let mut dice = Dice(SEED + 1);
    let mut tally = Tally::default();
    run.each(|number, before, _| {
        let follow = &run.batches[number..run.batches.len().min(number + 2)];
        for (at, step) in (0..).zip(steps_of(before, &run.batches[number])) {
            // One way of lying for each step, in turn: the next start has seen them all.
            let lies = lies(&step, before.len(), &mut dice);
            let Some(fault) = lies.get((number + at as usize) % lies.len().max(1)).copied() else { continue };
            let what = || format!("batch {number}, step {at}, then {} more: {fault:?}", follow.len() - 1);
            let disk = Platter::new(before.to_vec());
            goes_on(&disk, follow, at, fault, dice.below(2) == 0, &mut tally, &what);
        }
    });
    println!("{tally:?}");
    assert!(tally.harmless > 100 && tally.told > 100, "{tally:?}");
    assert!(tally.stopped > 100 && tally.refused > 100, "{tally:?}");
}

/// What the first commit after a start asks of the disk: with it goes what redb had to repair.
fn steps_of(before: &[u8], batch: &Batch) -> Vec<Step> {
    let disk = Platter::new(before.to_vec());
    let mut store = open_at(&disk, NO_CACHE).expect("it is whole");
    disk.record();
    store.commit(&batch.changes).expect("nothing goes wrong");
    disk.steps()
}

/// Commits on a disk that lies once, and reads again what it wrote; then starts again.
fn goes_on(
    disk: &Arc<Platter>,
    batches: &[Batch],
    at: u64,
    fault: Fault,
    is_killed: bool,
    tally: &mut Tally,
    what: &dyn Fn() -> String,
) {
    let note = Platter::new(Vec::new());
    let mut store = start(disk, &note, NO_CACHE).expect("it is whole");
    disk.plant(at, fault);
    let mut acknowledged = None;
    for batch in batches {
        // What redb makes of pages that are not what it wrote: the process stops, and nobody is told anything.
        match catch_unwind(AssertUnwindSafe(|| store.commit(&batch.changes))) {
            Ok(Ok(())) => acknowledged = Some(batch),
            Ok(Err(CommitError::Unknown(_))) | Err(_) => {
                tally.stopped += 1;
                let image = Platter::new(disk.bytes());
                std::mem::forget(store);
                return tally.judge(&image, &note, acknowledged, Some(batch), what);
            }
            // It was found out in time: what is in the file is whole, and goes on.
            Ok(Err(CommitError::Refused(_))) => {
                tally.refused += 1;
                store.commit(&batch.changes).unwrap_or_else(|error| unreachable!("{error}: {}", what()));
                acknowledged = Some(batch);
            }
        }
    }
    let image = disk.bytes();
    drop(store);
    let disk = if is_killed { &Platter::new(image) } else { disk };
    tally.judge(disk, &note, acknowledged, None, what);
}
