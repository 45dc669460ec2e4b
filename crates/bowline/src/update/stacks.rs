//! Stacks: made on the first submission, paused and resumed.

use bowline_api::updates::{Stack, StackSpec};
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Resource, ResourceExt};
use serde_json::{Value, json};

use super::{Scope, Settings, Team, WRITER, answered};
use crate::connection::failed;
use crate::exit::{Exit, Refused};
use crate::output;

/// The stack that is submitted to.
pub(super) struct Wish<'a> {
    pub(super) name: &'a str,
    pub(super) cluster: &'a str,
    pub(super) settings: Settings,
}

impl Team {
    /// Refuses a stack that is on another cluster, or goes away. One that is not there yet is none.
    pub(super) async fn look_at_stack(&self, wish: &Wish<'_>) -> anyhow::Result<Option<Stack>> {
        let Wish { name, cluster, .. } = wish;
        let found =
            self.stacks().get_opt(name).await.map_err(|error| failed(error, "cannot read the stack"))?;
        let Some(found) = found else { return Ok(None) };
        stays(&found)?;
        if found.spec.cluster.as_str() != *cluster {
            anyhow::bail!(Refused(format!(
                "the stack {name} is on the cluster {}, not on {cluster}: say --stack with another name",
                found.spec.cluster
            )));
        }
        Ok(Some(found))
    }

    /// The stack, made if it is not there, with what is wished of it written into it.
    pub(super) async fn make_stack(&self, wish: &Wish<'_>) -> anyhow::Result<Stack> {
        let there = match self.look_at_stack(wish).await? {
            Some(there) => there,
            None => {
                let spec = StackSpec { cluster: wish.cluster.into(), ..StackSpec::default() };
                let spec = wish.settings.in_spec(spec);
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
        let (stack, _) = self.tell(there, wish.name, &wish.settings).await?;
        Ok(stack)
    }

    pub(super) async fn change(&self, stack: &str, spec: &Value) -> anyhow::Result<Stack> {
        let params = PatchParams { field_manager: Some(WRITER.into()), ..PatchParams::default() };
        let changed = self.stacks().patch(stack, &params, &Patch::Merge(json!({ "spec": spec }))).await;
        changed.map_err(|error| failed(error, &format!("cannot change the stack {stack}")))
    }
}

/// Says that a stack starts nothing, if it does not.
pub(super) fn note_pause(stack: &Stack) {
    if stack.spec.paused {
        let name = stack.name_any();
        output::note(&format!(
            "The stack {name} is paused: nothing is started until `bowline update resume {name}`."
        ));
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

/// Refuses a stack that goes away.
pub(super) fn stays(stack: &Stack) -> anyhow::Result<()> {
    if stack.meta().deletion_timestamp.is_some() {
        let name = stack.name_any();
        anyhow::bail!(Refused(format!("the stack {name} is being removed: wait until it is gone")));
    }
    Ok(())
}
