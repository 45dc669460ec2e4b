//! The queue as our loop has it: one thread, and as many keys in flight as there are workers.

use std::collections::VecDeque;
use std::hint::black_box;

use anyhow::{Result, ensure};
use bowline_workqueue::{Millis, Priority, Taken, WorkQueue};

use crate::cost::{Meter, Report, resident};
use crate::keys::{Key, keys};

/// All keys wait. Keys are taken until all workers have one; the one that was taken first is done, and added again.
pub(crate) fn cycle(count: usize, workers: usize, cycles: usize) -> Result<Report> {
    let mut queue = filled(&keys(count));
    let mut flying: VecDeque<Taken<Key>> = VecDeque::with_capacity(workers);
    let meter = Meter::begin()?;
    for cycle in 0..cycles {
        // Nobody reads a clock here: the loop does, once for all that it does in a turn.
        let now = Millis(cycle as u64 / 1024);
        while flying.len() < workers
            && let Some(taken) = queue.take(now)
        {
            flying.push_back(taken);
        }
        let Some(Taken { key, ticket, .. }) = flying.pop_front() else { continue };
        queue.done(ticket, now);
        queue.add(&key, Priority::Change, now);
    }
    let report = meter.per_operation(cycles)?;
    let left = queue.counts(Millis(0)).depth + flying.len();
    ensure!(left == count, "{left} keys are left");
    Ok(report)
}

/// All keys come later, each at a moment of its own; then that time is over, and each is taken and done.
pub(crate) fn later(count: usize, rounds: usize) -> Result<Report> {
    let keys = keys(count);
    let mut queue = WorkQueue::new();
    let mut now = Millis(0);
    let mut done = 0;
    let meter = Meter::begin()?;
    for _ in 0..rounds {
        for (key, i) in keys.iter().zip(0..) {
            queue.add_at(key, now.plus(rest(i, count)), Priority::Change);
        }
        now = now.plus(Millis(count as u64 + 1));
        while let Some(taken) = queue.take(now) {
            queue.done(taken.ticket, now);
            done += 1;
        }
    }
    let report = meter.per_operation(rounds * count)?;
    ensure!(done == rounds * count, "{done} keys came");
    Ok(report)
}

/// When the `i`-th of so many keys comes: one a millisecond, in an order that is none. The factor is a prime.
fn rest(i: u64, count: usize) -> Millis {
    Millis(i * 48_271 % count as u64 + 1)
}

/// All keys wait.
pub(crate) fn waiting_memory(count: usize) -> Result<Report> {
    memory(count, filled)
}

/// All keys come later.
pub(crate) fn later_memory(count: usize) -> Result<Report> {
    memory(count, |keys| {
        let mut queue = WorkQueue::new();
        for (key, i) in keys.iter().zip(0..) {
            queue.add_at(key, rest(i, keys.len()), Priority::Change);
        }
        queue
    })
}

/// The keys themselves are not counted: they are somebody else's.
fn memory(count: usize, fill: impl Fn(&[Key]) -> WorkQueue<Key>) -> Result<Report> {
    let keys = keys(count);
    let before = resident()?;
    let queue = fill(&keys);
    let after = resident()?;
    black_box((queue, keys));
    Ok([("bytes_per_key", (after - before) / count as f64)].into())
}

/// A queue in which they wait.
pub(crate) fn filled(keys: &[Key]) -> WorkQueue<Key> {
    let mut queue = WorkQueue::new();
    for key in keys {
        queue.add(key, Priority::Change, Millis(0));
    }
    queue
}
