//! Brings the workloads of an embedded cluster to life: what controllers, scheduler and kubelet would do, without running
//! anything. It is something to try updates, roll-backs and failures on.
//!
//! Deployments roll by their strategy, stateful sets go in order, jobs complete, pods become ready on the one node
//! `simulated`, claims are bound to volumes that are made for them, load balancers get an address. The annotation
//! `bowline.dev/simulate` on a pod or on a template says what goes wrong: `never-ready`, `crash-loop` or `failed`.
//!
//! There is one controller ([`controller`]), and a module for each kind: what is to be done, and what its status says, both
//! as functions of the object, of what concerns it, and of the time. What is made has a name that follows from its owner:
//! it can be killed at any time, and makes nothing twice.
//!
//! # What is not simulated
//! Endpoints and traffic; events; probes, and pods that take their time; autoscalers, disruption budgets, cron jobs;
//! claims that grow; volumes that fit a claim by size and class, and do not name it.

mod claims;
mod conditions;
mod controller;
mod daemon_sets;
mod deployments;
mod home;
mod jobs;
mod names;
mod outside;
mod pods;
mod replica_sets;
mod revisions;
mod services;
mod stateful_sets;
mod step;
mod thing;
mod time;
mod volumes;
mod wire;

use std::future::Future;
use std::time::Duration;

use bowline_control::Settings;
use bowline_runtime::{Driver, Metrics, drive};
use kube::Client;

/// The one node, and the class of volumes that stay where they are made.
const NODE: &str = "simulated";
/// The class of volumes that any cluster can attach.
const SHARED: &str = "simulated-shared";
/// Whose volumes these are.
const DRIVER: &str = "shared.simulated.bowline.dev";
/// Writes that are under way at a time.
const WORKERS: usize = 16;
/// A set makes its pods one by one, and comes to rest when all are there: so many may one have.
const EFFECTS: u32 = 20_000;
/// How long it rests before it tries again to make the node.
const REST: Duration = Duration::from_secs(1);

/// Simulates the workloads of a cluster, as its administrator, until `stop`; then until what is under way has ended.
pub async fn simulate(client: Client, metrics: Metrics, stop: impl Future<Output = ()> + Send) {
    let mut stop = std::pin::pin!(stop);
    loop {
        let furnished = tokio::select! {
            furnished = home::furnish(&client) => furnished,
            () = &mut stop => return,
        };
        let Err(error) = furnished else { break };
        tracing::warn!(%error, "the simulated node cannot be made; it is tried again after a rest");
        tokio::select! {
            () = tokio::time::sleep(REST) => {}
            () = &mut stop => return,
        }
    }
    let driver = Driver {
        name: "simulator",
        controller: controller::Workloads,
        wire: wire::ThingWire,
        outside: outside::Scheduler(client.clone()),
        client,
        settings: Settings { effects: EFFECTS, ..Settings::default() },
        workers: WORKERS,
        leader: None,
        journal: None,
        metrics,
    };
    drive(driver, stop).await;
}
