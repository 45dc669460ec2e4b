//! `bowline update rollback`.

use bowline_api::updates::{Stack, UpdateSpec};
use kube::ResourceExt;
use kube::api::ListParams;

use super::stacks::{note_pause, stays};
use super::submit::takes_versions;
use super::{Following, Scope, Team};
use crate::connection::failed;
use crate::exit::{BadUsage, Exit, Refused};
use crate::output::Format;

/// Which line of versions.
pub(crate) struct Line {
    /// The one on this cluster.
    pub(crate) cluster: Option<String>,
    /// The one of this name, if there are several.
    pub(crate) stack: Option<String>,
}

/// Submits the content of the last good version again, as a new version.
pub(crate) async fn rollback(
    scope: &Scope,
    line: &Line,
    following: &Following,
    format: Format,
) -> anyhow::Result<Exit> {
    let team = scope.team().await?;
    let stack = match (&line.stack, &line.cluster) {
        (None, Some(cluster)) => team.stack_on(cluster).await?,
        (name, _) => team.stack(name.as_deref()).await?,
    };
    let on = stack.spec.cluster.as_str();
    if let Some(cluster) = line.cluster.as_ref().filter(|cluster| *cluster != on) {
        let name = stack.name_any();
        anyhow::bail!(Refused(format!("the stack {name} is on the cluster {on}, not on {cluster}")));
    }
    let name = stack.name_any();
    let Some(good) = stack.status.clone().and_then(|status| status.last_good) else {
        anyhow::bail!(Refused(format!(
            "no version of the stack {name} has succeeded yet: there is nothing to go back to"
        )));
    };
    stays(&stack)?;
    team.may_use(on).await?.as_ref().map_or(Ok(()), takes_versions)?;
    note_pause(&stack);
    let spec = UpdateSpec { stack: name.as_str().into(), bundle: good.digest, plan_hash: None };
    let update = team.ask(&stack, spec).await?;
    team.give_if_there(&update).await?;
    following.note(&format!(
        "Submitted the content of {name}/{} again to the stack {name} in {}, as {}.",
        good.version,
        team.namespace,
        update.name_any()
    ));
    team.end(update, following, format).await
}

impl Team {
    /// The only stack of this namespace on a cluster.
    async fn stack_on(&self, cluster: &str) -> anyhow::Result<Stack> {
        let all = self.stacks().list(&ListParams::default()).await;
        let mut on = all.map_err(|error| failed(error, "cannot list stacks"))?.items;
        on.retain(|stack| stack.spec.cluster.as_str() == cluster);
        let namespace = &self.namespace;
        if on.len() > 1 {
            let mut names: Vec<_> = on.iter().map(ResourceExt::name_any).collect();
            names.sort();
            let names = names.join(", ");
            anyhow::bail!(BadUsage(format!(
                "{namespace} has several stacks on {cluster}: say --stack; there are {names}"
            )));
        }
        on.pop().ok_or_else(|| Refused(format!("{namespace} has no stack on the cluster {cluster}")).into())
    }
}
