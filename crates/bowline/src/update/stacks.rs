//! Stacks: made on the first submission, paused and resumed.

use std::time::Duration;

use bowline_api::updates::{Stack, StackSpec};
use kube::Resource;
use kube::api::{Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use super::{Scope, Team, WRITER, answered};
use crate::connection::failed;
use crate::exit::{Exit, Refused};
use crate::output;

/// The stack that is submitted to.
pub(super) struct Wish<'a> {
    pub(super) name: &'a str,
    pub(super) cluster: &'a str,
    pub(super) health_timeout: Option<Duration>,
}

impl Wish<'_> {
    fn seconds(&self) -> Option<u32> {
        // What is longer than any may be, the server refuses.
        self.health_timeout.map(|timeout| u32::try_from(timeout.as_secs()).unwrap_or(u32::MAX))
    }
}

impl Team {
    /// Refuses a stack that is on another cluster, or goes away. One that is not there yet is none.
    pub(super) async fn look_at_stack(&self, wish: &Wish<'_>) -> anyhow::Result<Option<Stack>> {
        let Wish { name, cluster, .. } = wish;
        let found =
            self.stacks().get_opt(name).await.map_err(|error| failed(error, "cannot read the stack"))?;
        let Some(found) = found else { return Ok(None) };
        if found.meta().deletion_timestamp.is_some() {
            anyhow::bail!(Refused(format!("the stack {name} is being removed: wait until it is gone")));
        }
        if found.spec.cluster.as_str() != *cluster {
            anyhow::bail!(Refused(format!(
                "the stack {name} is on the cluster {}, not on {cluster}: say --stack with another name",
                found.spec.cluster
            )));
        }
        Ok(Some(found))
    }

    /// The stack, made if it is not there, with the wish for its timeout written into it.
    pub(super) async fn make_stack(&self, wish: &Wish<'_>) -> anyhow::Result<Stack> {
        let there = match self.look_at_stack(wish).await? {
            Some(there) => there,
            None => {
                let mut spec = StackSpec { cluster: wish.cluster.into(), ..StackSpec::default() };
                spec.timeout_seconds = wish.seconds().unwrap_or(spec.timeout_seconds);
                let params = PostParams { field_manager: Some(WRITER.into()), ..PostParams::default() };
                match self.stacks().create(&params, &Stack::new(wish.name, spec)).await {
                    // Somebody else was faster.
                    Err(error) if answered(&error, 409) => self.stack(Some(wish.name)).await?,
                    made => {
                        made.map_err(|error| failed(error, &format!("cannot make the stack {}", wish.name)))?
                    }
                }
            }
        };
        match wish.seconds() {
            Some(seconds) if seconds != there.spec.timeout_seconds => {
                self.change(wish.name, &json!({ "timeoutSeconds": seconds })).await
            }
            _ => Ok(there),
        }
    }

    async fn change(&self, stack: &str, spec: &Value) -> anyhow::Result<Stack> {
        let params = PatchParams { field_manager: Some(WRITER.into()), ..PatchParams::default() };
        let changed = self.stacks().patch(stack, &params, &Patch::Merge(json!({ "spec": spec }))).await;
        changed.map_err(|error| failed(error, &format!("cannot change the stack {stack}")))
    }
}

/// Has a stack start nothing, or start again.
pub(crate) async fn pause(scope: &Scope, stack: &str, paused: bool) -> anyhow::Result<Exit> {
    let team = scope.team().await?;
    let before = team.stack(Some(stack)).await?.spec.paused;
    if before != paused {
        team.change(stack, &json!({ "paused": paused })).await?;
    }
    let already = if before == paused { " already" } else { "" };
    output::note(&if paused {
        format!(
            "The stack {stack} is paused{already}: no version is started. What runs, or rolls back, finishes."
        )
    } else {
        format!(
            "The stack {stack} is not paused{}: versions are started.",
            if already.is_empty() { " any more" } else { "" }
        )
    });
    Ok(Exit::Done)
}
