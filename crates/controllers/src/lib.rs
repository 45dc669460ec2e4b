//! The controllers, wired: which kinds they watch, what these look like, and who carries what they decide.
//!
//! They run against any Kubernetes API server: the hub in this process, or one elsewhere. What they need of the place
//! where they run is in [`Setup`]; nothing here decides anything.

mod clusters;
mod drawing;
#[cfg(test)]
mod fuzz;
mod hub;
mod identities;
pub mod kubeconfig;
mod leases;
mod placements;
mod times;
mod updates;
mod upgrades;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bowline_api::SYSTEM_NAMESPACE;
use bowline_control::{Settings, lease};
use bowline_runtime::{
    Driver, Election, Identity, InstallError, Journal, Keeper, Leader, Metrics, drive, elect, establish,
    keep, now,
};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::{Api, Client};
use tokio::sync::watch;

use leases::Court;

pub use clusters::{EXPOSED as HUB_EXPOSED, Embed, NotStarted, Running};
pub use hub::KNOWN_BY;
pub use identities::{Cloud, Connected, NoCloud};
pub use placements::{PlacementWire, VOLUME_FINALIZER, mark_restored};
pub use updates::{AT_ONCE as UPDATES_AT_ONCE, latest};
pub use updates::{Action, Against, Blind, Foreseen, Foretold, Preview, Sighted, Submission, Unseen};
pub use upgrades::UpgradeWire;

/// How often it is looked whether Bowline's kinds are still there as they should be.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// The lease of those who lead, in the namespace of the system.
pub const LEASE: &str = "bowline-controllers";

/// What the controllers need of the place where they run.
pub struct Setup {
    /// The way to the home.
    pub client: Client,
    /// Who runs embedded clusters, if anybody does here.
    pub embed: Option<Arc<dyn Embed>>,
    /// Who this process is to others that run these controllers.
    pub identity: Identity,
    /// Where decisions are written.
    pub journal: Option<Arc<Journal>>,
    /// Where they are counted.
    pub metrics: Metrics,
    /// The roles of teams, if they are kept here.
    pub roles: Vec<ClusterRole>,
    /// How many stacks may be worked on at once.
    pub updates_at_once: NonZeroUsize,
    /// What is known of AWS, if anything: without it identities wait.
    pub cloud: Option<Connected>,
    /// The directory of the programs that fence targets, if there are any: no other is run.
    pub fence_hooks: Option<PathBuf>,
}

/// One of the systems.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum System {
    /// The clusters that all others act on.
    Clusters,
    /// Versions of configuration on clusters.
    Updates,
    /// Cloud permissions of service accounts.
    Identities,
    /// The software of groups of nodes.
    Upgrades,
    /// Namespaces and their volumes on clusters.
    Placements,
}

impl System {
    /// All of them.
    pub const ALL: [System; 5] =
        [System::Clusters, System::Updates, System::Identities, System::Upgrades, System::Placements];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            System::Clusters => "clusters",
            System::Updates => "updates",
            System::Identities => "identities",
            System::Upgrades => "upgrades",
            System::Placements => "placements",
        }
    }
}

/// Runs these systems until `stop` says so, and then until what is under way has ended. They act while this process leads. Bowline's kinds
/// are kept on the home meanwhile.
///
/// # Errors
/// If the home refuses what the election needs.
pub async fn run(setup: Setup, systems: &[System], stop: watch::Receiver<bool>) -> Result<(), InstallError> {
    establish(&setup.client, SYSTEM_NAMESPACE, LEASE).await?;
    let election = Election {
        client: setup.client.clone(),
        namespace: SYSTEM_NAMESPACE.into(),
        name: LEASE.into(),
        identity: setup.identity.clone(),
        settings: lease::Settings::default(),
        floor: updates::latest_epoch(&setup.client).await.map_err(not_listed)?,
        metrics: setup.metrics.clone(),
    };
    let (leader, election) = elect(election, stopped(stop.clone()));
    // One for all: a hub that hears of few of those that it should hear of suspects itself.
    let court = Court::new(now().clock);
    let all = systems.iter().map(|system| drive_one(*system, &setup, &court, leader.clone(), stop.clone()));
    let all = futures::future::join_all(all.collect::<Vec<_>>());
    let keeper = Keeper {
        client: setup.client.clone(),
        crds: bowline_api::crds(),
        roles: setup.roles.clone(),
        leader: leader.clone(),
        metrics: setup.metrics.clone(),
        every: LOOK_EVERY,
    };
    let kept = keep(keeper, stopped(stop.clone()));
    let heard = court.listen(&setup.client, stopped(stop.clone()));
    // The lease is given back when nobody holds on to it any more.
    drop(leader);
    futures::join!(all, kept, heard, election);
    Ok(())
}

fn not_listed(why: updates::Unseen) -> InstallError {
    let why = format!("it must come after all that stacks know, and they cannot be listed: {why}");
    InstallError { kind: "Lease".into(), name: LEASE.into(), source: why.into() }
}

/// Who holds the lease of the controllers, as it says. They may have ended: who leads renews it within its term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    /// Who.
    pub holder: String,
    /// When it was renewed last, by the clock of its holder.
    pub renewed: Option<String>,
    /// How long it lasts.
    pub term: Duration,
}

/// Who holds the lease of the controllers of a home, if anybody does.
///
/// # Errors
/// If the Lease cannot be read.
pub async fn held(client: &Client) -> Result<Option<Held>, kube::Error> {
    let leases: Api<Lease> = Api::namespaced(client.clone(), SYSTEM_NAMESPACE);
    let Some(spec) = leases.get_opt(LEASE).await?.and_then(|lease| lease.spec) else { return Ok(None) };
    let seconds = spec.lease_duration_seconds.and_then(|seconds| u64::try_from(seconds).ok());
    let held = |holder| Held {
        holder,
        renewed: spec.renew_time.map(|time| time.0.to_string()),
        term: Duration::from_secs(seconds.unwrap_or(0)),
    };
    Ok(spec.holder_identity.filter(|holder| !holder.is_empty()).map(held))
}

async fn drive_one(
    system: System,
    setup: &Setup,
    court: &Court,
    leader: Leader,
    stop: watch::Receiver<bool>,
) {
    let Setup { client, embed, metrics, cloud, .. } = setup;
    match system {
        System::Clusters => {
            let (controller, wire) = clusters::controller(clusters::home(embed.as_ref()));
            let outside = clusters::Eyes {
                client: client.clone(),
                hub: hub::Hub::new(client.clone()),
                embed: embed.clone(),
                gauges: clusters::Gauges::new(metrics),
            };
            let driver: clusters::ClusterDriver =
                driver(system, setup, leader, (controller, wire, outside), clusters::WORKERS);
            drive(driver, stopped(stop)).await;
        }
        System::Updates => {
            let (controller, wire) = updates::controller();
            let outside = updates::Workshop::new(client.clone(), embed.clone(), metrics);
            let at_once = setup.updates_at_once.get();
            let driver: updates::UpdateDriver =
                driver(system, setup, leader, (controller, wire, outside), at_once);
            let settings = Settings { effects: updates::EFFECTS, ..driver.settings };
            drive(Driver { settings, ..driver }, stopped(stop)).await;
        }
        System::Identities => {
            let children: identities::ChildDriver = driver(
                system,
                setup,
                leader.clone(),
                identities::children(cloud.as_ref()),
                identities::WORKERS,
            );
            let children = Driver { name: identities::CHILDREN, ..children };
            let (controller, wire) = identities::controller(cloud.as_ref());
            let outside = identities::Desk::new(client, embed.clone(), cloud.as_ref(), metrics);
            let driver: identities::IdentityDriver =
                driver(system, setup, leader, (controller, wire, outside), identities::WORKERS);
            let settings = Settings { effects: identities::EFFECTS, ..driver.settings };
            let work = drive(Driver { settings, ..driver }, stopped(stop.clone()));
            let children = drive(children, stopped(stop));
            futures::join!(work, children);
        }
        System::Upgrades => {
            let devices: upgrades::DeviceDriver =
                driver(system, setup, leader.clone(), upgrades::devices(), upgrades::SHOWN_AT_ONCE);
            let settings = Settings { effects: upgrades::SHOWS, ..devices.settings };
            let devices = Driver { name: upgrades::DEVICES, settings, ..devices };
            let (controller, wire) = upgrades::controller();
            let leases = upgrades::Leases::new(client, court, metrics);
            let driver: upgrades::GroupDriver =
                driver(system, setup, leader, (controller, wire, leases.clone()), upgrades::WORKERS);
            let settings = Settings { effects: upgrades::EFFECTS, ..driver.settings };
            let work = drive(Driver { settings, ..driver }, stopped(stop.clone()));
            let watched = leases.watch(stopped(stop.clone()));
            futures::join!(work, watched, drive(devices, stopped(stop)));
        }
        System::Placements => drive_placements(setup, court, leader, stop).await,
    }
}

/// Three controllers: where namespaces are, whether targets are fenced, and what is seen of it.
async fn drive_placements(setup: &Setup, court: &Court, leader: Leader, stop: watch::Receiver<bool>) {
    let Setup { client, embed, metrics, fence_hooks, .. } = setup;
    let system = System::Placements;
    let (controller, wire) = placements::fences();
    let wardens = placements::Wardens::new(client, court, fence_hooks.clone(), embed.clone());
    let fences: placements::FenceDriver = driver(
        system,
        setup,
        leader.clone(),
        (controller, wire, wardens.clone()),
        placements::FENCED_AT_ONCE,
    );
    let fences = Driver { name: placements::FENCES, ..fences };
    let (controller, wire) = placements::signs();
    let asks = placements::Asks(client.clone());
    let signs: placements::SignDriver =
        driver(system, setup, leader.clone(), (controller, wire, asks), placements::SIGNED_AT_ONCE);
    let signs = Driver { name: placements::SIGNS, ..signs };
    let (controller, wire) = placements::controller();
    let roll = placements::Roll::new(metrics);
    let work: placements::PlacementDriver =
        driver(system, setup, leader, (controller, wire, roll), placements::WORKERS);
    let settings = Settings { effects: placements::EFFECTS, ..work.settings };
    let work = drive(Driver { settings, ..work }, stopped(stop.clone()));
    let watched = wardens.watch(stopped(stop.clone()));
    let fences = drive(fences, stopped(stop.clone()));
    futures::join!(work, watched, fences, drive(signs, stopped(stop)));
}

/// How a system is driven, if nothing else is said.
fn driver<C, W, X>(
    system: System,
    setup: &Setup,
    leader: Leader,
    (controller, wire, outside): (C, W, X),
    workers: usize,
) -> Driver<C, W, X> {
    Driver {
        name: system.name(),
        controller,
        wire,
        outside,
        client: setup.client.clone(),
        settings: Settings::default(),
        workers,
        leader: Some(leader),
        journal: setup.journal.clone(),
        metrics: setup.metrics.clone(),
    }
}

/// Waits until it is said to stop, or nobody is left to say so.
async fn stopped(mut stop: watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}
