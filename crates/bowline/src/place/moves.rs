//! `bowline place move`: from one target to another, stage by stage.

use std::time::Duration;

use bowline_api::conditions::ConditionType;
use bowline_api::placements::{Placement, PlacementStatus, Said, VolumeGrant};
use kube::ResourceExt;
use kube::api::Patch;
use serde_json::json;

use super::stage::{Stage, stage};
use super::why::{refusal, tied};
use super::{Hub, Patience, patching, style, word};
use crate::connection::{Wanted, failed};
use crate::exit::{Exit, NoConnection, Refused};
use crate::output::{self, Format};
use crate::palette::{self, paint};

/// How often it is looked how far it is.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Where a namespace is to go.
#[derive(Debug)]
pub(crate) struct Move {
    pub(crate) to: String,
    /// Its window is not waited for.
    pub(crate) now: bool,
}

/// Has a namespace moved. What cannot be had is refused before anything is stopped.
pub(crate) async fn move_to(
    server: &Wanted,
    namespace: &str,
    Move { to, now }: &Move,
    patience: &Patience,
    format: Format,
) -> anyhow::Result<Exit> {
    let hub = Hub::of(server).await?;
    let placement = hub.placed(namespace).await?;
    if placement.metadata.deletion_timestamp.is_some() {
        anyhow::bail!(Refused(format!(
            "the placement of {namespace} is being deleted: wait until it is gone"
        )));
    }
    let target = hub.target(to).await?;
    let is_there = placement.status.as_ref().is_some_and(|status| is_or_may_be_at(status, to));
    if !is_there {
        let why = match refusal(&target) {
            Some(why) => Some(why),
            None => tied(&hub.grants_of(Some(namespace)).await?, to),
        };
        if let Some(why) = why {
            anyhow::bail!(Refused(format!("{namespace} cannot go to {to}: {why}; nothing was stopped")));
        }
    }
    let now_to = now.then_some(to);
    let change = json!({ "spec": { "target": to, "targetSelector": null, "moveNowTo": now_to } });
    let changed = hub.placements(namespace).patch(Placement::NAME, &patching(), &Patch::Merge(change)).await;
    let placement =
        changed.map_err(|error| failed(error, &format!("cannot move the namespace {namespace}")))?;
    if patience.wait {
        return follow(&hub, placement, Some(to), patience, format).await;
    }
    if format.is_text() {
        let when = if placement.spec.move_window.is_some() && !now { ", in its window" } else { "" };
        patience
            .note(&format!("The namespace {namespace} is to go to {to}{when}: see `bowline place status`."));
    } else {
        output::print(&output::document(format, &placement)?)?;
    }
    Ok(Exit::Done)
}

/// Nothing has to go to a target that it is at already. Where it may be after a restore, a person may say it is, heard of or not:
/// until everybody has reported, nothing is stopped for it.
fn is_or_may_be_at(status: &PlacementStatus, to: &str) -> bool {
    let desired = status.desired.iter();
    let awaited = status.recovering.iter().flat_map(|recovering| &recovering.awaits);
    desired.chain(awaited).any(|target| target.as_str() == to)
}

/// Follows a namespace until it is where it is to be, and says each stage that it comes to.
pub(super) async fn follow(
    hub: &Hub,
    placement: Placement,
    to: Option<&str>,
    patience: &Patience,
    format: Format,
) -> anyhow::Result<Exit> {
    let namespace = placement.namespace().unwrap_or_default();
    let wanted = placement.metadata.generation;
    let mut sight = Sight { placement, grants: Vec::new(), is_silent: false };
    let watched = watch(hub, &namespace, (wanted, to), &mut sight, patience);
    let ended = tokio::time::timeout(patience.timeout, watched).await;
    let exit = match ended {
        Ok(exit) => exit?,
        Err(_) if sight.is_silent => {
            let seconds = patience.timeout.as_secs();
            anyhow::bail!(NoConnection(format!(
                "the hub does not answer, and has not for some of the last {seconds} s"
            )));
        }
        Err(_) => {
            let seconds = patience.timeout.as_secs();
            output::note(&format!("The namespace {namespace} is not there within {seconds} s; it goes on."));
            Exit::NotFinished
        }
    };
    let text = if format.is_text() {
        line(&sight.placement) + "\n"
    } else {
        output::document(format, &sight.placement)?
    };
    output::print(&text)?;
    Ok(exit)
}

/// What was seen last.
struct Sight {
    placement: Placement,
    grants: Vec<VolumeGrant>,
    is_silent: bool,
}

async fn watch(
    hub: &Hub,
    namespace: &str,
    (wanted, to): (Option<i64>, Option<&str>),
    sight: &mut Sight,
    patience: &Patience,
) -> anyhow::Result<Exit> {
    let leaves = sight.placement.status.as_ref().is_some_and(|status| !status.users.is_empty());
    let mut story = Story { patience, leaves, told: None };
    loop {
        match look(hub, namespace).await {
            Ok((placement, grants)) => {
                sight.is_silent = false;
                (sight.placement, sight.grants) = (placement, grants);
                let ended = ended(&sight.placement, wanted, to);
                match ended {
                    Some(Exit::Done) => story.ends(),
                    _ => story.comes_to(
                        stage(&sight.placement, &sight.grants, to),
                        message(&sight.placement, wanted),
                    ),
                }
                if let Some(exit) = ended {
                    return Ok(exit);
                }
            }
            Err(error) if error.is::<NoConnection>() => {
                if !sight.is_silent {
                    sight.is_silent = true;
                    patience.note("The hub does not answer; it is asked again.");
                }
            }
            Err(error) => return Err(error),
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// What is waited for, once it is known what is wanted.
fn message(placement: &Placement, wanted: Option<i64>) -> String {
    let status = placement.status.as_ref().filter(|status| status.observed_generation >= wanted);
    status.map_or_else(|| "waits for the hub to look at it".to_owned(), |status| status.message.clone())
}

/// What was told of a move so far.
struct Story<'a> {
    patience: &'a Patience,
    /// Somebody had it in the beginning, and has to give it up.
    leaves: bool,
    told: Option<(Stage, String)>,
}

impl Story<'_> {
    fn says(&self, stage: Stage, words: &str) {
        let stage = paint(palette::STRONG, &format!("{}:", stage.word()));
        self.patience.note(format!("{stage} {words}").trim_end());
    }

    /// What was passed since somebody looked last is told too: a stage may be short.
    fn passes(&self, to: Stage) {
        let Some((last, _)) = &self.told else { return };
        let is_passed = |stage: &Stage| self.leaves || *stage >= Stage::Grant;
        last.between(to).filter(is_passed).for_each(|stage| self.says(stage, "done"));
    }

    fn comes_to(&mut self, stage: Stage, words: String) {
        // That it is up is told when all of it says so.
        let now = (stage.min(Stage::Start), words);
        if self.told.as_ref() == Some(&now) {
            return;
        }
        self.passes(now.0);
        self.says(now.0, &now.1);
        self.told = Some(now);
    }

    fn ends(&self) {
        self.passes(Stage::Done);
    }
}

async fn look(hub: &Hub, namespace: &str) -> anyhow::Result<(Placement, Vec<VolumeGrant>)> {
    Ok((hub.placed(namespace).await?, hub.grants_of(Some(namespace)).await?))
}

/// How it ended, if it has: it runs where it is to be, or it needs a person.
fn ended(placement: &Placement, wanted: Option<i64>, to: Option<&str>) -> Option<Exit> {
    let status = placement.status.as_ref()?;
    let desired = status.desired.as_ref()?.as_str();
    let is_meant = to.is_none_or(|to| to == desired);
    let runs =
        status.users.iter().any(|user| user.target.as_str() == desired && user.said == Some(Said::Ready));
    let is_observed = status.observed_generation >= wanted;
    if is_observed && status.conditions.is_true(&ConditionType::STALLED) {
        return Some(Exit::EndedBadly);
    }
    (is_observed && is_meant && runs && status.conditions.is_true(&ConditionType::READY))
        .then_some(Exit::Done)
}

/// How a placement stands, in a line.
fn line(placement: &Placement) -> String {
    let status = placement.status.clone().unwrap_or_default();
    let message = if status.message.is_empty() { String::new() } else { format!(": {}", status.message) };
    let namespace = placement.namespace().unwrap_or_default();
    format!("{namespace} {}{message}", paint(style(status.phase), word(status.phase)))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn placement(status: Value) -> Placement {
        let object = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "Placement", "spec": { "target": "west" }, "status": status,
            "metadata": { "name": "placement", "namespace": "shop", "generation": 4 },
        });
        serde_json::from_value(object).expect("a placement")
    }

    #[test]
    fn where_it_may_be_after_a_restore_it_need_not_be_heard_of() {
        let of = |status: Value| is_or_may_be_at(&placement(status).status.unwrap_or_default(), "west");
        assert!(of(json!({ "desired": "west" })));
        assert!(!of(json!({ "desired": "east" })));
        assert!(of(json!({ "desired": "east", "recovering": { "restore": 1, "awaits": ["east", "west"] } })));
        assert!(!of(json!({ "desired": "east", "recovering": { "restore": 1, "awaits": ["east"] } })));
    }

    #[test]
    fn it_ends_when_it_runs_where_it_is_to_be_or_needs_a_person() {
        let condition = |kind: &str| json!({ "type": kind, "status": "True", "reason": "X", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z" });
        let of = |observed: i64, desired: &str, said: Value, is: &str| {
            let users = json!([{ "target": desired, "epoch": 2, "said": said }]);
            let status = json!({ "observedGeneration": observed, "desired": desired, "users": users, "conditions": [condition(is)] });
            ended(&placement(status), Some(4), Some("west"))
        };
        assert_eq!(of(4, "west", json!("Ready"), "Ready"), Some(Exit::Done));
        assert_eq!(of(3, "west", json!("Ready"), "Ready"), None, "that was before");
        assert_eq!(of(4, "east", json!("Ready"), "Ready"), None, "that is where it was");
        assert_eq!(of(4, "west", Value::Null, "Reconciling"), None);
        assert_eq!(of(4, "east", json!("Ready"), "Stalled"), Some(Exit::EndedBadly));
        assert_eq!(ended(&placement(json!({})), Some(4), Some("west")), None);
    }
}
