//! What was decided, and is on its way to the disk.

use std::cell::Cell;
use tokio::sync::oneshot;

use super::{Durable, Failure};
use crate::audit::{Made, Trail};

/// The answer, if there is something to wait for.
pub(super) type Waiting = Option<oneshot::Receiver<Durable>>;

/// What was decided, and is on its way to the disk.
pub(super) struct Decided<T> {
    pub what: T,
    /// What somebody has changed that asked for it.
    pub made: Vec<Made>,
    pub durable: Waiting,
}

impl<T> Decided<T> {
    /// Waits until it is durable; then it is noted who asked for it.
    pub(super) async fn done(self) -> Result<T, Failure> {
        durability(self.durable).await?;
        Trail::note(&self.made);
        Ok(self.what)
    }
}

/// Waits until something is durable.
pub(super) async fn durability(waiting: Waiting) -> Result<(), Failure> {
    match waiting {
        None => Ok(()),
        Some(durable) => match durable.await {
            Ok(durable) => durable.map_err(Failure::NotDurable),
            Err(_) => Err(Failure::Stopping),
        },
    }
}

thread_local! {
    static DECIDES: Cell<bool> = const { Cell::new(false) };
}

/// This thread decides, as long as this lives: it has the writer's lock, and must not ask for it.
pub(super) struct Deciding;

impl Deciding {
    pub(super) fn begin() -> Deciding {
        DECIDES.set(true);
        Deciding
    }

    pub(super) fn is_on() -> bool {
        DECIDES.get()
    }
}

impl Drop for Deciding {
    fn drop(&mut self) {
        DECIDES.set(false);
    }
}
