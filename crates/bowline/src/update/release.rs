//! `bowline update release`.

use anyhow::anyhow;
use bowline_api::updates::{Quarantined, Stack};
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams};
use kube::{Api, ResourceExt};
use serde_json::{Value, json};

use super::named::no_version;
use super::{Named, Scope, TRIES, Team, WRITER, answered, status};
use crate::connection::failed;
use crate::exit::{Exit, Refused};
use crate::output;

/// Lifts the quarantine of the content of a version.
pub(crate) async fn release(scope: &Scope, named: &Named) -> anyhow::Result<Exit> {
    let team = scope.team().await?;
    let (stack, version) = match named {
        Named::Version { stack, version } => (team.stack(stack.as_deref()).await?, *version),
        Named::Update(_) => {
            let update = team.named(named).await?;
            let version = status(&update).version.ok_or_else(|| {
                Refused(format!(
                    "the update {} has no number yet, so it was not rolled back",
                    update.name_any()
                ))
            })?;
            (team.stack(Some(update.spec.stack.as_str())).await?, version.0)
        }
    };
    let name = stack.name_any();
    if stack.spec.released.iter().any(|released| released.0 == version) {
        output::note(&format!(
            "The content of {name}/{version} was released before. Submit it again to have it applied."
        ));
        return Ok(Exit::Done);
    }
    is_there(&stack, version, &team.namespace)?;
    is_quarantined(&stack, version)?;
    team.write_released(&name, version).await?;
    output::note(&format!(
        "The content of {name}/{version} is not quarantined any more. Submit it again to have it applied."
    ));
    Ok(Exit::Done)
}

/// Whether the stack ever had this version: its update may be gone from the history.
fn is_there(stack: &Stack, version: u64, namespace: &str) -> anyhow::Result<()> {
    let submitted = stack.status.as_ref().and_then(|status| status.last_submitted_version);
    if submitted.is_some_and(|last| version <= last.0) {
        return Ok(());
    }
    Err(no_version(version, &stack.name_any(), namespace).into())
}

fn is_quarantined(stack: &Stack, version: u64) -> anyhow::Result<()> {
    // What was released before is still there until the controllers write the status again.
    let is_released = |bad: &&Quarantined| stack.spec.released.contains(&bad.version);
    let quarantined = stack.status.iter().flat_map(|status| &status.quarantined);
    let quarantined: Vec<_> = quarantined.filter(|bad| !is_released(bad)).collect();
    if quarantined.iter().any(|bad| bad.version.0 == version) {
        return Ok(());
    }
    let name = stack.name_any();
    let there = match quarantined.as_slice() {
        [] => format!("nothing of the stack {name} is. What was not rolled back can be submitted as it is"),
        some => {
            let one =
                |bad: &&Quarantined| format!("{name}/{} ({})", bad.version, bad.reason.trim_end_matches('.'));
            let there = some.iter().map(one).collect::<Vec<_>>().join("; ");
            let verb = if some.len() == 1 { "is" } else { "are" };
            let first = some.first().map(|bad| bad.version.0).unwrap_or_default();
            format!("what {verb}: {there}. To release that: bowline update release {name}/{first}")
        }
    };
    Err(anyhow!(Refused(format!("the content of {name}/{version} is not quarantined; {there}"))))
}

impl Team {
    async fn write_released(&self, stack: &str, version: u64) -> anyhow::Result<()> {
        let kind = ApiResource::erase::<Stack>(&());
        let stacks: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), &self.namespace, &kind);
        let wrong = |error| failed(error, &format!("cannot change the stack {stack}"));
        let params = PatchParams { field_manager: Some(WRITER.into()), ..PatchParams::default() };
        for _ in 0..TRIES {
            let there = stacks.get(stack).await.map_err(wrong)?;
            let mut released = released(&there);
            if released.contains(&version) {
                return Ok(());
            }
            released.push(version);
            let metadata = json!({ "resourceVersion": there.resource_version() });
            let change = Patch::Merge(json!({ "metadata": metadata, "spec": { "released": released } }));
            match stacks.patch(stack, &params, &change).await {
                Err(error) if answered(&error, 409) => {}
                Err(error) => return Err(wrong(error)),
                Ok(written) if released_in(&written, version) => return Ok(()),
                Ok(_) => anyhow::bail!(Refused(
                    "the hub has older definitions of Bowline's kinds, without spec.released: upgrade it"
                        .into()
                )),
            }
        }
        Err(anyhow!(Refused(format!("others write the stack {stack} all the time: try it again"))))
    }
}

fn released(stack: &DynamicObject) -> Vec<u64> {
    let listed = stack.data["spec"]["released"].as_array();
    listed.into_iter().flatten().filter_map(Value::as_u64).collect()
}

fn released_in(stack: &DynamicObject, version: u64) -> bool {
    released(stack).contains(&version)
}
