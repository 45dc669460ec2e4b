//! Who runs embedded clusters: the hub. Elsewhere there is nobody.

use futures::future::BoxFuture;
use kube::Client;

/// Runs embedded clusters.
pub trait Embed: Send + Sync + 'static {
    /// Starts a cluster, unless it runs. One that `began` before has its files: without them it is not started, because an
    /// empty one in its place would be another one.
    fn start<'a>(
        &'a self,
        name: &'a str,
        uid: &'a str,
        began: bool,
    ) -> BoxFuture<'a, Result<Running, NotStarted>>;

    /// The way to a cluster, in this process, if it runs.
    fn client(&self, name: &str, uid: &str) -> Option<Client>;

    /// Stops a cluster, and removes all that it holds.
    fn stop<'a>(&'a self, name: &'a str, uid: &'a str) -> BoxFuture<'a, Result<(), String>>;
}

/// Why an embedded cluster cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotStarted {
    /// It does not start, in words for people.
    Failed(String),
    /// Its files were taken away.
    Lost {
        /// Where they were.
        directory: String,
        /// Its server still runs, on files that have no name any more.
        runs: bool,
    },
}

/// An embedded cluster that runs.
#[derive(Clone)]
pub struct Running {
    /// The way to it, in this process.
    pub client: Client,
    /// Its address, for others.
    pub server: String,
    /// The file with its administrator's kubeconfig.
    pub kubeconfig: String,
}
