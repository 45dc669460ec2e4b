//! `bowline upgrade start`: to a version, by itself.

use anyhow::anyhow;
use bowline_api::conditions::ConditionType;
use bowline_api::upgrades::{Mode, NodeGroup, UpgradeState};
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

use super::follow::{Patience, Waited};
use super::{said, show, stays};
use crate::connection::failed;
use crate::exit::{BadUsage, Exit};
use crate::nearest::there_are;
use crate::output::{self, Format};
use crate::team::{Scope, Team, WRITER};

/// Has a group upgraded to a version by itself.
pub(crate) async fn start(
    scope: &Scope,
    name: &str,
    to: &str,
    patience: &Patience,
    format: Format,
) -> anyhow::Result<Exit> {
    let team = scope.team().await?;
    let mut group = team.group(name).await?;
    stays(&group)?;
    let declared: Vec<_> = group.spec.versions.iter().map(|version| version.name.as_str()).collect();
    if !declared.contains(&to) {
        let hint = there_are(to, &declared);
        return Err(anyhow!(BadUsage(format!(
            "the group {name} has no version {to}: declare it in spec.versions{hint}"
        ))));
    }
    if is_wanted(&group, to) {
        if !has_failed(&group) {
            patience.note(&format!("The group {name} is to go to {to} already."));
        } else {
            // A version that was rolled back is tried again when what is wanted has changed.
            group = team.wish(name, &json!({ "mode": Mode::Manual })).await?;
        }
    }
    if !is_wanted(&group, to) {
        group = team.wish(name, &json!({ "mode": Mode::Automatic, "version": to })).await?;
        patience
            .note(&format!("The group {name} goes to {to}: see `bowline upgrade status {name} --watch`."));
    }
    if !patience.wait {
        show(&group, format)?;
        return Ok(Exit::Done);
    }
    let wanted = group.metadata.generation;
    let waited = team
        .until(group, patience, true, |group| ended(group, to, wanted).map(|end| Ok((end, group.clone()))));
    let (exit, group) = match waited.await? {
        Waited::Came(came) => came,
        Waited::Late(group) => {
            let seconds = patience.timeout.as_secs();
            output::note(&format!("The group {name} has not come to rest within {seconds} s, and goes on."));
            (Exit::NotFinished, *group)
        }
    };
    show(&group, format)?;
    Ok(exit)
}

fn is_wanted(group: &NodeGroup, to: &str) -> bool {
    let wanted = group.spec.version.as_ref().is_some_and(|version| version.as_str() == to);
    wanted && group.spec.mode == Mode::Automatic
}

/// Whether what is wanted now was rolled back.
fn has_failed(group: &NodeGroup) -> bool {
    said(group).failed_generation.is_some_and(|failed| Some(failed) == group.metadata.generation)
}

/// How it ended, if it has come to rest: committed, with nothing under way any more; with nothing left to do before a person commits; or
/// badly. Whether something is left to do is the hub's to say: it knows who is lost, who does not work yet, and what is evened out.
fn ended(group: &NodeGroup, to: &str, wanted: Option<i64>) -> Option<Exit> {
    let said = said(group);
    let serves = said.serving_version.as_ref().is_some_and(|version| version.as_str() == to);
    let is_observed = said.observed_generation >= wanted;
    let is_ready = said.conditions.is_true(&ConditionType::READY);
    let asks = said
        .conditions
        .get(&ConditionType::RECONCILING)
        .is_some_and(|condition| condition.reason == NodeGroup::AWAITS_COMMAND);
    match said.upgrade_state {
        UpgradeState::Inactive if serves && is_observed && is_ready => Some(Exit::Done),
        UpgradeState::Upgraded if serves && is_observed && asks => Some(Exit::Done),
        UpgradeState::Inactive if said.failed_generation >= wanted && said.failed_version.is_some() => {
            Some(Exit::EndedBadly)
        }
        _ if is_observed && said.conditions.is_true(&ConditionType::STALLED) => Some(Exit::EndedBadly),
        _ => None,
    }
}

impl Team {
    async fn wish(&self, group: &str, spec: &Value) -> anyhow::Result<NodeGroup> {
        let params = PatchParams { field_manager: Some(WRITER.into()), ..PatchParams::default() };
        let changed = self.groups().patch(group, &params, &Patch::Merge(json!({ "spec": spec }))).await;
        changed.map_err(|error| failed(error, &format!("cannot change the group {group}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(status: &Value) -> NodeGroup {
        let object = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "NodeGroup", "metadata": { "name": "kv", "generation": 4 },
            "spec": { "versions": [{ "name": "v2", "command": ["x"] }], "version": "v2", "mode": "Automatic" },
            "status": status,
        });
        serde_json::from_value(object).expect("a group")
    }

    fn condition(kind: &str, is: bool, reason: &str) -> Value {
        let status = if is { "True" } else { "False" };
        json!({ "type": kind, "status": status, "reason": reason, "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z" })
    }

    #[test]
    fn it_ends_where_it_rests() {
        let of = |status: Value| ended(&group(&status), "v2", Some(4));
        let inactive = |observed: i64, ready: bool| json!({ "observedGeneration": observed, "servingVersion": "v2", "conditions": [condition("Ready", ready, "AsWanted")] });
        assert_eq!(of(inactive(4, true)), Some(Exit::Done));
        assert_eq!(of(inactive(3, true)), None, "that was before");
        assert_eq!(of(inactive(4, false)), None, "its devices are evened out");
        let upgraded = |observed: i64, why: &str| {
            let conditions = [condition("Ready", false, "Waiting"), condition("Reconciling", true, why)];
            json!({ "observedGeneration": observed, "upgradeState": "Upgraded", "servingVersion": "v2", "conditions": conditions })
        };
        assert_eq!(of(upgraded(4, "Waiting")), None, "somebody is being moved, or does not work yet");
        assert_eq!(of(upgraded(4, "AwaitsCommand")), Some(Exit::Done), "the commit is a person's");
        assert_eq!(of(upgraded(3, "AwaitsCommand")), None, "that was before");
        let failed = |generation: i64| json!({ "observedGeneration": 4, "servingVersion": "v1", "failedVersion": "v2", "failedGeneration": generation });
        assert_eq!(of(failed(4)), Some(Exit::EndedBadly));
        assert_eq!(of(failed(3)), None, "that was before");
        let stalled = json!([condition("Stalled", true, "NeedsAttention")]);
        let stuck = json!({ "observedGeneration": 4, "upgradeState": "Initialized", "conditions": stalled });
        assert_eq!(of(stuck), Some(Exit::EndedBadly));
    }

    #[test]
    fn what_was_rolled_back_is_known_by_what_was_wanted_then() {
        let of = |generation: i64| {
            has_failed(&group(&json!({ "failedVersion": "v2", "failedGeneration": generation })))
        };
        assert!(of(4) && !of(3));
        let wanted = group(&json!({}));
        assert!(is_wanted(&wanted, "v2") && !is_wanted(&wanted, "v1") && !has_failed(&wanted));
    }
}
