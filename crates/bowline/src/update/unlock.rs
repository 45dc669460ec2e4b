//! `bowline update unlock`: who holds a cluster for a stack, and whether that may be taken away.

use std::time::Duration;

use bowline_api::updates::{Cluster, Stack, StackPhase};
use bowline_controllers::{Held, held, latest};
use kube::api::{ListParams, Patch, PatchParams};
use kube::{Api, Client, ResourceExt};
use serde_json::json;

use super::{Scope, Team, WRITER, answered};
use crate::connection::failed;
use crate::exit::{Exit, Refused};
use crate::output;

/// How often the lease is looked at.
const EVERY: Duration = Duration::from_millis(500);

/// Explains why nothing is locked, refuses, or takes away what a stack that is gone has left behind.
pub(crate) async fn unlock(scope: &Scope, stack: &str) -> anyhow::Result<Exit> {
    let team = scope.perhaps_team().await?;
    let found = team.stacks().get_opt(stack).await;
    let found = found.map_err(|error| failed(error, "cannot read the stack"))?;
    let clusters = team.held_for(stack).await?;
    match found {
        Some(found) => team.explain(&found, &clusters).await,
        None if clusters.is_empty() => Err(Refused(format!(
            "there is no stack {stack} in {}, and no cluster is held for one of that name",
            team.namespace
        ))
        .into()),
        None => team.take_away(stack, clusters).await,
    }
}

impl Team {
    /// The clusters that say that this stack is on them.
    async fn held_for(&self, stack: &str) -> anyhow::Result<Vec<Cluster>> {
        let all = self.clusters().list(&ListParams::default()).await;
        let all = all.map_err(|error| failed(error, "cannot list clusters"))?.items;
        Ok(all.into_iter().filter(|cluster| self.is_on(stack, cluster)).collect())
    }

    fn is_on(&self, stack: &str, cluster: &Cluster) -> bool {
        let activity = cluster.status.iter().filter_map(|status| status.activity.as_ref());
        let mut updates = activity.flat_map(|activity| &activity.updates);
        updates.any(|held| held.stack.as_str() == stack && held.namespace.as_str() == self.namespace)
    }

    fn clusters(&self) -> Api<Cluster> {
        Api::all(self.client.clone())
    }

    async fn explain(&self, stack: &Stack, clusters: &[Cluster]) -> anyhow::Result<Exit> {
        let name = stack.name_any();
        let status = stack.status.clone().unwrap_or_default();
        if status.phase == StackPhase::Idle {
            let held = match clusters {
                [] => "holds no cluster".to_owned(),
                [cluster, ..] => {
                    format!("lets the cluster {} go when it has looked at it once more", cluster.name_any())
                }
            };
            output::note(&format!("Nothing is locked: the stack {name} does nothing, and {held}."));
            return Ok(Exit::Done);
        }
        let what = match status.working {
            Some(version) => format!("{:?}, version {}", status.phase, version.0),
            None => format!("{:?}", status.phase),
        };
        let message = if status.message.is_empty() { String::new() } else { format!(": {}", status.message) };
        match acting(&self.client).await? {
            Some(held) => Err(Refused(format!(
                "{} acts for the stack {name} ({what}{message}), and renews its lease: what it does must not be cut \
                 off. Submit a newer version, which takes over, or end those controllers: others take over when their \
                 lease has lapsed, within {} s, and nobody has to unlock anything",
                held.holder,
                held.term.as_secs()
            ))
            .into()),
            None => {
                output::note(&format!(
                    "Nothing has to be unlocked: the stack {name} is not at rest ({what}{message}), but no controllers \
                     run. The next that are started take it over in an epoch of their own, go on where it was left or \
                     roll it back, and whatever the old ones sent late is refused. Start them: bowline up, or bowline \
                     controllers"
                ));
                Ok(Exit::Done)
            }
        }
    }

    /// A stack that went without its controllers has left its clusters held: nobody else would ever leave them.
    async fn take_away(&self, stack: &str, clusters: Vec<Cluster>) -> anyhow::Result<Exit> {
        // Who acts now may go on as long as its lease lasts. Who was lost may have sent something just before.
        let term = acting(&self.client).await?.map_or(Duration::ZERO, |Held { term, .. }| term);
        let wait = term + latest();
        output::note(&format!(
            "The stack {stack} is gone. What was sent for it may arrive for another {} s: waiting.",
            wait.as_secs()
        ));
        tokio::time::sleep(wait).await;
        let again = self.stacks().get_opt(stack).await;
        if again.map_err(|error| failed(error, "cannot read the stack"))?.is_some() {
            anyhow::bail!(Refused(format!("the stack {stack} was made again meanwhile: look once more")));
        }
        for cluster in clusters {
            let name = cluster.name_any();
            self.leave(stack, cluster).await?;
            output::note(&format!(
                "The cluster {name} is not held for {}/{stack} any more. That is safe: the stack is gone, so nobody acts \
                 for it. What it left on the cluster is still there, with the label bowline.dev/stack-uid.",
                self.namespace
            ));
        }
        Ok(Exit::Done)
    }

    async fn leave(&self, stack: &str, cluster: Cluster) -> anyhow::Result<()> {
        let name = cluster.name_any();
        let wrong = |error| failed(error, &format!("cannot change the status of the cluster {name}"));
        let mut cluster = cluster;
        for _ in 0..super::TRIES {
            let mut activity = cluster.status.unwrap_or_default().activity.unwrap_or_default();
            activity
                .updates
                .retain(|held| held.stack.as_str() != stack || held.namespace.as_str() != self.namespace);
            let change = json!({
                "metadata": { "resourceVersion": cluster.metadata.resource_version },
                "status": { "activity": { "updates": activity.updates } },
            });
            let params = PatchParams { field_manager: Some(WRITER.into()), ..PatchParams::default() };
            match self.clusters().patch_status(&name, &params, &Patch::Merge(change)).await {
                Err(error) if answered(&error, 409) => {
                    cluster = self.clusters().get(&name).await.map_err(wrong)?;
                }
                written => return written.map(drop).map_err(wrong),
            }
        }
        Err(Refused(format!("others write the cluster {name} all the time: try it again")).into())
    }
}

/// Who leads the controllers, if anybody does: one who leads renews its lease within its term.
async fn acting(client: &Client) -> anyhow::Result<Option<Held>> {
    let look = async || {
        let wrong = |error| failed(error, "cannot see who leads the controllers (a Lease in bowline-system)");
        held(client).await.map_err(wrong)
    };
    let Some(first) = look().await? else { return Ok(None) };
    output::note(&format!("Looking whether {} renews its lease ...", first.holder));
    let ends = tokio::time::Instant::now() + first.term;
    while tokio::time::Instant::now() < ends {
        tokio::time::sleep(EVERY).await;
        match look().await? {
            Some(held) if held != first => return Ok(Some(held)),
            Some(_) => {}
            None => return Ok(None),
        }
    }
    Ok(None)
}
