//! What an agent can do to software, however it runs.

use std::io;
use std::time::Duration;

use crate::client::{Shim, ShimError};
use crate::commands::{Command, Failure};
use crate::duties::{Duties, Notify, Told};
use crate::home::Home;
use crate::probe::Probe;
use crate::protocol::{Fence, Launch, Limits, Status};

/// The software of one member. Every call can be made twice, and says what came of it; none decides anything.
pub trait Software: Send + Sync {
    /// What runs.
    fn look(&self) -> impl Future<Output = Result<Status, ShimError>> + Send;

    /// What runs, as soon as it is something else than at this change, or after some time.
    fn watch(&self, change: u64, within: Duration) -> impl Future<Output = Result<Status, ShimError>> + Send;

    /// Lets it run until then. If it runs, nothing is done but that.
    fn start(&self, launch: Launch, fence: Fence) -> impl Future<Output = Result<Status, ShimError>> + Send;

    /// Lets it run until then.
    fn extend(&self, fence: Fence) -> impl Future<Output = Result<Status, ShimError>> + Send;

    /// Lets it finish what it is at, by a command of its own.
    fn drain(&self, command: &Command) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Asks it to end, and kills it after some time. It is under way when this comes back.
    fn stop(&self, grace: Duration) -> impl Future<Output = Result<Status, ShimError>> + Send;

    /// Kills it. It is under way when this comes back.
    fn kill(&self) -> impl Future<Output = Result<Status, ShimError>> + Send;

    /// Tells it what it is.
    fn tell(&self, duties: &Duties, notify: Option<&Notify>)
    -> impl Future<Output = io::Result<Told>> + Send;

    /// Asks it once whether it works.
    fn probe(&self, probe: &Probe) -> impl Future<Output = Result<(), String>> + Send;
}

/// Software as a process of this machine, with a shim as its parent.
#[derive(Clone, Debug)]
pub struct Local {
    shim: Shim,
    log: Limits,
}

impl Local {
    /// The software of the member whose directory this is. Of what drains it, so much is kept.
    pub fn new(home: Home, log: Limits) -> Local {
        Local { shim: Shim::of(home), log }
    }

    /// The shim.
    pub fn shim(&self) -> &Shim {
        &self.shim
    }
}

impl Software for Local {
    async fn look(&self) -> Result<Status, ShimError> {
        self.shim.open().await
    }

    async fn watch(&self, change: u64, within: Duration) -> Result<Status, ShimError> {
        self.shim.wait(change, within).await
    }

    async fn start(&self, launch: Launch, fence: Fence) -> Result<Status, ShimError> {
        self.shim.open().await?;
        self.shim.start(launch, fence).await
    }

    async fn extend(&self, fence: Fence) -> Result<Status, ShimError> {
        self.shim.extend(fence).await
    }

    async fn drain(&self, command: &Command) -> Result<(), Failure> {
        command.run_logged(&self.shim.home().drain_log(), self.log).await
    }

    async fn stop(&self, grace: Duration) -> Result<Status, ShimError> {
        self.shim.stop(grace).await
    }

    async fn kill(&self) -> Result<Status, ShimError> {
        self.shim.kill().await
    }

    async fn tell(&self, duties: &Duties, notify: Option<&Notify>) -> io::Result<Told> {
        duties.tell(self.shim.home(), notify).await
    }

    async fn probe(&self, probe: &Probe) -> Result<(), String> {
        probe.ask().await
    }
}
