//! `bowline identity show`.

use bowline_api::conditions::{Condition, ConditionType, Truth};
use bowline_api::identities::{DeletionPolicy, IamRoleServiceAccount};
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::jiff::Timestamp;
use kube::ResourceExt;

use super::standing::Standing;
use super::{account, clusters, get, named, status};
use crate::ago::passed;
use crate::exit::Exit;
use crate::figures::counted;
use crate::output::{self, Format};
use crate::team::Scope;

/// The conditions, in the order in which they come true.
static CONDITIONS: [ConditionType; 4] =
    [ConditionType::COMPLETE, ConditionType::READY, ConditionType::SYNCED, ConditionType::STALLED];

/// Shows an identity, and what happened to it.
pub(crate) async fn show(scope: &Scope, name: &str, format: Format) -> anyhow::Result<Exit> {
    let team = scope.team().await?;
    let identity = get(&team, name).await?;
    let text = if format.is_text() {
        told(&identity) + &timeline(&identity, &team.events_of(identity.uid()).await)
    } else {
        output::document(format, &identity)?
    };
    output::print(&text)?;
    Ok(Exit::Done)
}

fn told(identity: &IamRoleServiceAccount) -> String {
    let (spec, said) = (&identity.spec, status(identity));
    let mut rows = vec![("Identity", named(identity).to_string()), ("Stands", Standing::of(identity).line())];
    rows.extend(said.role_arn.map(|arn| ("Role", arn.to_string())));
    rows.extend(said.policy_arn.map(|arn| ("Policy", arn.to_string())));
    rows.push(("Account", account(identity)));
    rows.push(("Clusters", clusters(identity)));
    if let Some(policy) = &spec.policy {
        rows.push((
            "Allows",
            counted(policy.statement.len() as u64, "statement") + " of its own (see -o yaml)",
        ));
    }
    rows.extend(spec.managed_policy_arns.iter().map(|arn| ("And", arn.to_string())));
    rows.extend(spec.permissions_boundary.iter().map(|arn| ("At most", arn.to_string())));
    let end = match spec.deletion_policy {
        DeletionPolicy::Delete => "policy and role go with it",
        DeletionPolicy::Orphan => "policy and role stay in AWS",
    };
    rows.push(("Deleted", end.to_owned()));
    if spec.adopt {
        rows.push(("Adopts", "what is there under its names, and is somebody else's".to_owned()));
    }
    rows.push(("Age", identity.creation_timestamp().as_ref().map(passed).unwrap_or_default()));
    let mut text: String =
        rows.iter().map(|(name, value)| format!("{:<10}{value}\n", format!("{name}:"))).collect();
    let conditions = CONDITIONS.iter().filter_map(|kind| {
        let condition = identity.status.as_ref()?.conditions.get(kind)?;
        Some(line(condition))
    });
    let conditions: String = conditions.collect();
    if !conditions.is_empty() {
        text.push_str(&format!("Conditions:\n{conditions}"));
    }
    text
}

fn line(condition: &Condition) -> String {
    let is = match condition.status {
        Truth::True => "yes",
        Truth::False => "no",
        Truth::Unknown => "unknown",
    };
    let since = passed(&condition.last_transition_time);
    let line = format!("  {:<9} {is:<8} for {since}  {}", condition.kind.as_str(), condition.message);
    format!("{}\n", line.trim_end())
}

/// What happened, in its order.
fn timeline(identity: &IamRoleServiceAccount, events: &[Event]) -> String {
    let mut steps: Vec<(Timestamp, String)> = Vec::new();
    steps.extend(identity.creation_timestamp().map(|at| (at.0, "it was made".to_owned())));
    let intent = status(identity).intent_at;
    steps.extend(intent.map(|at| (at.0, "something was first to be made in AWS".to_owned())));
    steps.extend(events.iter().filter_map(|event| {
        let at = event.event_time.as_ref().map(|at| at.0);
        let at = at.or_else(|| event.metadata.creation_timestamp.as_ref().map(|at| at.0))?;
        let reason = event.reason.clone().unwrap_or_default();
        Some((at, format!("{reason}: {}", event.note.clone().unwrap_or_default())))
    }));
    let deleted = identity.metadata.deletion_timestamp.as_ref();
    steps.extend(deleted.map(|at| (at.0, "it was to be deleted".to_owned())));
    steps.sort_by_key(|(at, _)| *at);
    let lines = steps.iter().map(|(at, what)| format!("  {}  {what}\n", at.strftime("%Y-%m-%dT%H:%M:%SZ")));
    format!("Timeline:\n{}", lines.collect::<String>())
}
