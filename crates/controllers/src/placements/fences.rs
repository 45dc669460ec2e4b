//! Who is asked how the lease of a syncer stands, and who fences its target.

mod hook;
mod network;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bowline_api::SYSTEM_NAMESPACE;
use bowline_api::placements::{Fencing, SyncTarget};
use bowline_control::Event;
use bowline_placements::plain::Plain;
use bowline_placements::{FenceCall, FenceReply, Fences, Kind, Object, Pulse};
use bowline_runtime::{Mandate, Outside, REQUEST, sentence};
use bowline_upgrades::plain::Named;
use kube::{Api, Client};

use self::hook::Hooks;
use self::network::Fenced;
use crate::clusters::Embed;
use crate::leases::{Court, Leases};
use crate::updates::Targets;

/// To fence a target, or to unfence it, in an epoch.
#[derive(Clone, Copy, Debug)]
struct Order<'a> {
    target: &'a str,
    fences: bool,
    epoch: u64,
}

/// Who watches over targets.
#[derive(Clone)]
pub(crate) struct Wardens {
    client: Client,
    leases: Leases,
    hooks: Hooks,
    targets: Arc<Targets>,
    /// By target: the last restore of the hub that it knows of.
    restores: Arc<Mutex<BTreeMap<String, u64>>>,
}

impl Wardens {
    pub(crate) fn new(
        client: &Client,
        court: &Court,
        hooks: Option<PathBuf>,
        embed: Option<Arc<dyn Embed>>,
    ) -> Wardens {
        Wardens {
            client: client.clone(),
            leases: Leases::new(client, SyncTarget::LABEL, court),
            hooks: Hooks(hooks),
            targets: Arc::new(Targets::new(client.clone(), embed)),
            restores: Arc::default(),
        }
    }

    /// Sees the renewals of syncers, until somebody has enough.
    pub(crate) async fn watch(self, stop: impl Future<Output = ()>) {
        self.leases.watch(stop).await;
    }

    async fn look(&self, target: &str, most: Duration) -> Result<Pulse, String> {
        let name = Named { namespace: SYSTEM_NAMESPACE.to_owned(), name: SyncTarget::account_name(target) };
        let said = self.leases.look(std::slice::from_ref(&name), most).await?;
        Ok(match said.get(&name) {
            Some(bowline_upgrades::Pulse::Live) => Pulse::Live,
            Some(bowline_upgrades::Pulse::Lapsed) => Pulse::Lapsed,
            Some(bowline_upgrades::Pulse::Silent) | None => Pulse::Silent,
        })
    }

    /// The last restore of the hub that any target knows of.
    fn restored(&self) -> u64 {
        let restores = self.restores.lock().unwrap_or_else(PoisonError::into_inner);
        restores.values().copied().max().unwrap_or(0)
    }

    /// Has a target fenced or unfenced by what it says, and says whether the fence is in force then.
    async fn drive(&self, order: Order<'_>, mandate: &Mandate) -> Result<bool, String> {
        match self.fencing(order.target).await? {
            Fencing { hook: Some(hook), .. } => self.hooks.drive(&hook, order, mandate).await,
            Fencing { network_fence: Some(fence), .. } => {
                let way = self.targets.reach(fence.cluster.as_str()).await.map_err(String::from)?;
                Fenced { client: &way.client, fence: &fence }.drive(order, mandate).await
            }
            Fencing { hook: None, network_fence: None } => {
                Err("spec.fencing names nothing that fences".to_owned())
            }
        }
    }

    async fn fencing(&self, target: &str) -> Result<Fencing, String> {
        let targets: Api<SyncTarget> = Api::all(self.client.clone());
        let read = tokio::time::timeout(REQUEST, targets.get_opt(target)).await;
        let read = read.map_err(|_| "the target was not read in time".to_owned())?;
        let found = read.map_err(|error| sentence(&error))?.ok_or("there is no such target any more")?;
        found.spec.fencing.ok_or_else(|| "spec.fencing was taken away".to_owned())
    }
}

impl Outside<Fences<Plain>> for Wardens {
    async fn call(&self, call: FenceCall<Plain>, mandate: &Mandate) -> FenceReply {
        match call {
            FenceCall::Look(target, version) => {
                let said = match mandate.left(REQUEST) {
                    Some(most) => self.look(&target, most).await,
                    None => Err(format!("{} before it was asked", mandate.over())),
                };
                FenceReply::Pulse(version, said, self.restored())
            }
            FenceCall::Drive { target, fences, epoch } => {
                let order = Order { target: &target, fences, epoch: epoch.0 };
                FenceReply::Driven(fences, epoch, self.drive(order, mandate).await)
            }
        }
    }

    fn only_reads(&self, call: &FenceCall<Plain>) -> bool {
        matches!(call, FenceCall::Look(..))
    }

    fn asked(&self, call: &FenceCall<Plain>) -> String {
        match call {
            FenceCall::Look(target, version) => format!("how the lease of {target}@{version} stands"),
            FenceCall::Drive { target, fences: true, epoch } => format!("to fence {target} in epoch {epoch}"),
            FenceCall::Drive { target, fences: false, epoch } => {
                format!("to unfence {target} in epoch {epoch}")
            }
        }
    }

    fn heard(&self, reply: &FenceReply) -> String {
        match reply {
            FenceReply::Pulse(_, Ok(pulse), 0) => format!("{pulse:?}"),
            FenceReply::Pulse(_, Ok(pulse), restore) => format!("{pulse:?}, after restore {restore}"),
            FenceReply::Driven(_, _, Ok(true)) => "it is fenced".to_owned(),
            FenceReply::Driven(_, _, Ok(false)) => "it is not fenced".to_owned(),
            FenceReply::Pulse(_, Err(why), _) | FenceReply::Driven(_, _, Err(why)) => {
                format!("failed: {why}")
            }
        }
    }

    fn sees(&self, event: &Event<Object<Plain>>) {
        let mut restores = self.restores.lock().unwrap_or_else(PoisonError::into_inner);
        let mut put = |object: &Object<Plain>| {
            if let Object::Target(target) = object {
                restores.insert(target.name.clone(), target.restore);
            }
        };
        match event {
            // Of one that is gone it is still known that there was a restore.
            Event::Listed(Kind::Target, all) => all.iter().for_each(put),
            Event::Put(object) => put(object),
            Event::Listed(..) | Event::Gone(_) | Event::ListBegins(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
