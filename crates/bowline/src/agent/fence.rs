//! Until when the software may run: with the lease, if somebody else may take its place; else for ever.
//!
//! The shim kills it at the deadline, and the file of its duties says it too. Both are moved whenever the lease was renewed, whatever
//! else the agent is at.

use std::io;

use bowline_agent::{Boottime, Duties, Fence as Order, Local, ShimError, Software};
use bowline_control::Millis;
use bowline_runtime::{Leader, now};
use bowline_upgrades::agent::Fence as Stands;
use tokio::sync::{Mutex, MutexGuard, watch};

/// Who moves the deadline.
pub(super) struct Fence {
    software: Local,
    leader: Leader,
    state: Mutex<State>,
    /// The deadline, for who need not wait until it was moved.
    deadline: watch::Sender<Option<Boottime>>,
}

struct State {
    /// It stops when the lease lapses.
    wanted: bool,
    /// The last order that was given.
    order: u64,
    deadline: Option<Boottime>,
    /// What the file says.
    file: Option<Duties>,
}

impl Fence {
    /// Goes on with what an agent before this one has left.
    pub(super) async fn open(software: Local, leader: Leader) -> Result<Fence, ShimError> {
        let order = software.look().await?.fence;
        let file = super::told::found(&software.shim().home().duties());
        let state =
            State { wanted: order.deadline.is_some(), order: order.order, deadline: order.deadline, file };
        let deadline = watch::Sender::new(order.deadline);
        Ok(Fence { software, leader, state: Mutex::new(state), deadline })
    }

    /// Moves the deadline whenever the lease was renewed.
    pub(super) async fn follow(self: std::sync::Arc<Self>) {
        let mut leader = self.leader.clone();
        loop {
            leader.changed().await;
            let mut state = self.state.lock().await;
            if let Err(error) = self.push(&mut state).await {
                tracing::warn!("the deadline of the software cannot be moved: {error}");
            }
        }
    }

    /// When the software is killed, unless that is moved.
    pub(super) fn deadline(&self) -> Option<Boottime> {
        *self.deadline.borrow()
    }

    /// The same, as it is decided by.
    pub(super) fn stands(&self) -> Stands {
        self.deadline().map_or(Stands::Open, |Boottime(then)| Stands::Until(Millis(then)))
    }

    /// What the file says.
    pub(super) async fn file(&self) -> Option<Duties> {
        self.state.lock().await.file.clone()
    }

    /// From now on it stops when the lease lapses, or does not.
    pub(super) async fn want(&self, wanted: bool) -> Result<(), ShimError> {
        let mut state = self.state.lock().await;
        if state.wanted == wanted {
            return Ok(());
        }
        state.wanted = wanted;
        let done = self.push(&mut state).await;
        if done.is_err() {
            state.wanted = !wanted;
        }
        done
    }

    /// What is to be said to the shim with a start.
    pub(super) async fn order(&self) -> Order {
        let mut state = self.state.lock().await;
        self.advance(&mut state);
        Order { order: state.order, deadline: state.deadline }
    }

    /// Puts duties into the file, with the deadline.
    pub(super) async fn write(&self, duties: Duties) -> io::Result<Duties> {
        let mut state = self.state.lock().await;
        let duties = Duties { deadline: state.deadline, ..duties };
        self.put(&mut state, duties.clone()).await?;
        Ok(duties)
    }

    /// The next order, by the lease as it is now. Without a lease the deadline stays where it is.
    fn advance(&self, state: &mut State) {
        state.order += 1;
        state.deadline = match (state.wanted, self.leader.may_act(now().clock)) {
            (false, _) => None,
            (true, Some(tenure)) => Some(Boottime(tenure.until.0)),
            (true, None) => Some(state.deadline.unwrap_or_else(Boottime::now)),
        };
        self.deadline.send_replace(state.deadline);
    }

    async fn push(&self, state: &mut MutexGuard<'_, State>) -> Result<(), ShimError> {
        let before = state.deadline;
        self.advance(state);
        if state.deadline == before {
            return Ok(());
        }
        let done = self.carry(state).await;
        if done.is_err() {
            // It is tried again, and nobody takes it for done meanwhile.
            state.deadline = before;
            self.deadline.send_replace(before);
        }
        done
    }

    /// Tells the shim, and then the software.
    async fn carry(&self, state: &mut State) -> Result<(), ShimError> {
        let (order, deadline) = (state.order, state.deadline);
        self.software.extend(Order { order, deadline }).await?;
        let Some(duties) = state.file.clone() else { return Ok(()) };
        let written = self.put(state, Duties { deadline, ..duties }).await;
        written.map_err(|error| ShimError::Unknown(format!("the duties cannot be written: {error}")))
    }

    async fn put(&self, state: &mut State, duties: Duties) -> io::Result<()> {
        let (path, written) = (self.software.shim().home().duties(), duties.clone());
        tokio::task::spawn_blocking(move || written.write(&path)).await.map_err(io::Error::other)??;
        state.file = Some(duties);
        Ok(())
    }
}
