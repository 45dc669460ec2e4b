//! The queue as an object that threads share, which is how client-go's is used: a lock around it, and somewhere to wait.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use anyhow::{Result, ensure};
use bowline_workqueue::{Millis, Priority, Taken, Ticket, WorkQueue};

use crate::alone::filled;
use crate::cost::{Meter, Report};
use crate::keys::Key;

/// So many cycles are claimed at a time, so that claiming costs nothing.
const BATCH: i64 = 1000;
/// Nobody reads a clock here, nor does client-go's queue, which has no metrics.
const NOW: Millis = Millis(0);

struct Shared {
    inside: Mutex<Inside>,
    bell: Condvar,
}

struct Inside {
    queue: WorkQueue<Key>,
    /// Who waits at the bell: to ring it costs a call of the system.
    asleep: usize,
}

impl Shared {
    fn with<T>(&self, act: impl FnOnce(&mut WorkQueue<Key>) -> T) -> T {
        act(&mut self.inside.lock().unwrap_or_else(PoisonError::into_inner).queue)
    }

    fn add(&self, key: &Key) {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        inside.queue.add(key, Priority::Change, NOW);
        let somebody_sleeps = inside.asleep > 0;
        drop(inside);
        if somebody_sleeps {
            self.bell.notify_one();
        }
    }

    /// Waits until there is a key.
    fn take(&self) -> Taken<Key> {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(taken) = inside.queue.take(NOW) {
                return taken;
            }
            inside.asleep += 1;
            inside = self.bell.wait(inside).unwrap_or_else(PoisonError::into_inner);
            inside.asleep -= 1;
        }
    }

    /// A key that was added meanwhile would wait now, and somebody would have to be woken: here nobody adds one.
    fn done(&self, ticket: Ticket) {
        self.with(|queue| queue.done(ticket, NOW));
    }
}

/// All keys wait; each worker, which is a thread, takes one, is done with it, and adds it again.
pub(crate) fn cycle(count: usize, workers: usize, cycles: usize) -> Result<Report> {
    let shared =
        Shared { inside: Mutex::new(Inside { queue: filled(count), asleep: 0 }), bell: Condvar::new() };
    let unclaimed = AtomicI64::new(i64::try_from(cycles)?);
    let meter = Meter::begin()?;
    let performed: i64 = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(|| work(&shared, &unclaimed))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or(0)).sum()
    });
    let report = meter.per_operation(cycles)?;
    let left = shared.with(|queue| queue.counts(NOW).depth);
    ensure!(
        performed == i64::try_from(cycles)? && left == count,
        "{performed} cycles, and {left} keys are left"
    );
    Ok(report)
}

/// How many cycles this one has performed.
fn work(shared: &Shared, unclaimed: &AtomicI64) -> i64 {
    let mut performed = 0;
    loop {
        let mine = unclaimed.fetch_sub(BATCH, Ordering::Relaxed).min(BATCH);
        if mine <= 0 {
            return performed;
        }
        for _ in 0..mine {
            let Taken { key, ticket, .. } = shared.take();
            shared.done(ticket);
            shared.add(&key);
        }
        performed += mine;
    }
}
