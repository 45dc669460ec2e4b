//! Who runs embedded clusters: the hub. Elsewhere there is nobody.

use futures::future::BoxFuture;
use kube::Client;

/// Runs embedded clusters.
pub trait Embed: Send + Sync + 'static {
    /// Starts a cluster, unless it runs.
    fn start<'a>(&'a self, name: &'a str, uid: &'a str) -> BoxFuture<'a, Result<Running, String>>;

    /// Stops a cluster, and removes all that it holds.
    fn stop<'a>(&'a self, name: &'a str, uid: &'a str) -> BoxFuture<'a, Result<(), String>>;
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
