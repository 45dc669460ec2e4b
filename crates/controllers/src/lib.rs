//! The controllers, wired: which kinds they watch, what these look like, and who carries what they decide.
//!
//! They run against any Kubernetes API server: the hub in this process, or one elsewhere. What they need of the place
//! where they run is in [`Setup`]; nothing here decides anything.

mod clusters;
pub mod kubeconfig;

use std::sync::Arc;

use bowline_control::Settings;
use bowline_runtime::{Driver, Journal, Metrics, drive};
use kube::Client;
use tokio::sync::watch;

pub use clusters::{Embed, Running, sentence};

/// What the controllers need of the place where they run.
pub struct Setup {
    /// The way to the home.
    pub client: Client,
    /// Who runs embedded clusters, if anybody does here.
    pub embed: Option<Arc<dyn Embed>>,
    /// Where decisions are written.
    pub journal: Option<Arc<Journal>>,
    /// Where they are counted.
    pub metrics: Metrics,
}

/// One of the systems.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum System {
    /// The clusters that all others act on.
    Clusters,
}

impl System {
    /// All of them.
    pub const ALL: [System; 1] = [System::Clusters];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            System::Clusters => "clusters",
        }
    }
}

/// Runs these systems until `stop` says so, and then until what is under way has ended.
pub async fn run(setup: Setup, systems: &[System], stop: watch::Receiver<bool>) {
    let Setup { client, embed, journal, metrics } = setup;
    let all = systems.iter().map(|system| match system {
        System::Clusters => {
            let (controller, wire) = clusters::controller(clusters::home(embed.as_ref()));
            let driver: clusters::ClusterDriver = Driver {
                name: system.name(),
                controller,
                wire,
                outside: clusters::Eyes { client: client.clone(), embed: embed.clone() },
                client: client.clone(),
                settings: Settings::default(),
                workers: clusters::WORKERS,
                journal: journal.clone(),
                metrics: metrics.clone(),
            };
            drive(driver, stopped(stop.clone()))
        }
    });
    futures::future::join_all(all).await;
}

/// Waits until it is said to stop, or nobody is left to say so.
async fn stopped(mut stop: watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}
