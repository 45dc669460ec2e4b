//! The one way out for all calls of a process: in the order of arrival, so many at once, at the rate of the budget.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep};

use crate::budget::{Budget, Limits, Millis};

/// The gate. A call that has been let through holds a [`Seat`] until it is answered.
pub struct Gate {
    /// Who holds it is next to leave. Tokio hands it on in the order of arrival, and whoever gives up waiting leaves the
    /// queue, so nobody is overtaken and nobody is held up by one who has gone.
    turn: tokio::sync::Mutex<()>,
    seats: Semaphore,
    budget: Mutex<Budget>,
    began: Instant,
}

/// Being under way.
pub(crate) struct Seat<'a> {
    gate: &'a Gate,
    left: Millis,
    _permit: Option<SemaphorePermit<'a>>,
}

impl Gate {
    /// One with nobody in it.
    pub fn new(limits: Limits) -> Gate {
        Gate {
            turn: tokio::sync::Mutex::new(()),
            seats: Semaphore::new(limits.in_flight.max(1) as usize),
            budget: Mutex::new(Budget::new(limits, Millis(0))),
            began: Instant::now(),
        }
    }

    /// Calls a second that leave at most, at this moment.
    pub fn rate(&self) -> u64 {
        self.budget().rate()
    }

    /// Waits until a call may leave.
    pub(crate) async fn enter(&self) -> Seat<'_> {
        let _turn = self.turn.lock().await;
        // Never closed, so there always is one.
        let permit = self.seats.acquire().await.ok();
        loop {
            let now = self.now();
            let taken = self.budget().take(now);
            match taken {
                Ok(()) => return Seat { gate: self, left: now, _permit: permit },
                // A token that is not there yet is not taken: whoever gives up has cost nothing.
                Err(wait) => sleep(Duration::from_millis(wait)).await,
            }
        }
    }

    fn budget(&self) -> MutexGuard<'_, Budget> {
        // Nothing panics while it is held.
        self.budget.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Millis {
        Millis(u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}

impl Seat<'_> {
    /// The call was one too many.
    pub(crate) fn throttled(&self) {
        let now = self.gate.now();
        self.gate.budget().throttled(self.left, now);
    }
}

#[cfg(test)]
mod tests;
