//! Who is asked how the leases of members stand: what the controller of groups asks before it believes that somebody is lost.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bowline_api::upgrades::Member;
use bowline_control::Event;
use bowline_runtime::{Mandate, Metrics, Outside, REQUEST};
use bowline_upgrades::plain::{Named, Plain};
use bowline_upgrades::{Call, Object, Pulse, Reply, Upgrades};
use kube::Client;

use super::gauges::Gauges;
use crate::leases::{self, Court};

/// Who watches over all leases of members.
#[derive(Clone)]
pub(crate) struct Leases {
    leases: leases::Leases,
    gauges: Arc<Gauges>,
}

impl Leases {
    pub(crate) fn new(client: &Client, court: &Court, metrics: &Metrics) -> Leases {
        let leases = leases::Leases::new(client, Member::LABEL, court);
        Leases { leases, gauges: Arc::new(Gauges::new(metrics)) }
    }

    /// Sees renewals, until somebody has enough.
    pub(crate) async fn watch(self, stop: impl Future<Output = ()>) {
        self.leases.watch(stop).await;
    }

    async fn look(&self, call: &Call<Plain>, most: Duration) -> Result<BTreeMap<String, Pulse>, String> {
        let lease = |member: &String| Named {
            namespace: call.group.namespace.clone(),
            name: Member::account_name(&call.group.name, member),
        };
        let names: Vec<_> = call.members.keys().map(lease).collect();
        let said = self.leases.look(&names, most).await?;
        let pulse = |member: &String| said.get(&lease(member)).copied().unwrap_or(Pulse::Silent);
        Ok(call.members.keys().map(|member| (member.clone(), pulse(member))).collect())
    }
}

impl Outside<Upgrades<Plain>> for Leases {
    async fn call(&self, call: Call<Plain>, mandate: &Mandate) -> Reply<Plain> {
        let said = match mandate.left(REQUEST) {
            Some(most) => self.look(&call, most).await,
            None => Err(format!("{} before it was asked", mandate.over())),
        };
        let suspect = self.leases.is_suspect();
        self.gauges.suspects(suspect);
        Reply { to: call, said, suspect }
    }

    fn only_reads(&self, _: &Call<Plain>) -> bool {
        true
    }

    fn asked(&self, call: &Call<Plain>) -> String {
        let members: Vec<_> = call.members.iter().map(|(name, at)| format!("{name}@{at}")).collect();
        format!("how the leases of {} stand", members.join(", "))
    }

    fn heard(&self, reply: &Reply<Plain>) -> String {
        let said = match &reply.said {
            Err(why) => return format!("failed: {why}"),
            Ok(said) => said,
        };
        let of = |wanted: Pulse| {
            let names: Vec<_> =
                said.iter().filter(|(_, pulse)| **pulse == wanted).map(|(name, _)| name.as_str()).collect();
            names.join(", ")
        };
        let suspect = if reply.suspect { "; the hub suspects itself" } else { "" };
        format!(
            "live: [{}], silent: [{}], lapsed: [{}]{suspect}",
            of(Pulse::Live),
            of(Pulse::Silent),
            of(Pulse::Lapsed)
        )
    }

    fn sees(&self, event: &Event<Object<Plain>>) {
        self.gauges.see(event);
    }
}

#[cfg(test)]
mod tests;
