//! The queue as our loop has it: one thread, and as many keys in flight as there are workers.

use std::collections::VecDeque;
use std::hint::black_box;

use anyhow::{Result, ensure};
use bowline_workqueue::{Added, Millis, Priority, Taken, WorkQueue};

use crate::cost::{Meter, Report, resident};
use crate::keys::{Key, shuffle, sorted};

/// All keys wait. Keys are taken until all workers have one; the one that was taken first is done, and added again.
pub(crate) fn cycle(count: usize, workers: usize, cycles: usize) -> Result<Report> {
    let mut queue = filled(count);
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
    let mut keys = sorted(count);
    shuffle(&mut keys);
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
    memory(count, |queue, key, _| queue.add(key, Priority::Change, Millis(0)))
}

/// All keys come later.
pub(crate) fn later_memory(count: usize) -> Result<Report> {
    memory(count, |queue, key, i| queue.add_at(key, rest(i, count), Priority::Change))
}

/// The keys themselves are not counted: they are somebody else's.
fn memory(count: usize, add: impl Fn(&mut WorkQueue<Key>, &Key, u64) -> Added) -> Result<Report> {
    let mut keys = sorted(count);
    shuffle(&mut keys);
    let before = resident()?;
    let mut queue = WorkQueue::new();
    for (key, i) in keys.iter().zip(0..) {
        add(&mut queue, key, i);
    }
    let after = resident()?;
    black_box((queue, keys));
    Ok([("bytes_per_key", (after - before) / count as f64)].into())
}

/// A queue that was shown so many keys by a list, in order, has done them, and in which they wait again, in none.
pub(crate) fn filled(count: usize) -> WorkQueue<Key> {
    let mut keys = sorted(count);
    let mut queue = WorkQueue::new();
    for key in &keys {
        queue.add(key, Priority::Change, Millis(0));
    }
    while let Some(taken) = queue.take(Millis(0)) {
        queue.done(taken.ticket, Millis(0));
    }
    shuffle(&mut keys);
    for key in &keys {
        queue.add(key, Priority::Change, Millis(0));
    }
    queue
}
