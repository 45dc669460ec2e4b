//! `bowline update show`.

use bowline_api::updates::{Update, UpdatePhase};
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::jiff::Timestamp;
use kube::ResourceExt;

use super::submit::submitter;
use super::{Named, Scope, status, title, word};
use crate::ago::passed;
use crate::exit::Exit;
use crate::output::{self, Format};

/// Shows an update, and what happened to it.
pub(crate) async fn show(scope: &Scope, named: &Named, format: Format) -> anyhow::Result<Exit> {
    let team = scope.team().await?;
    let update = team.named(named).await?;
    let text = if format.is_text() {
        told(&update) + &timeline(&update, &team.events_of(update.uid()).await)
    } else {
        output::document(format, &update)?
    };
    output::print(&text)?;
    Ok(Exit::Done)
}

fn told(update: &Update) -> String {
    let said = status(update);
    let mut rows = vec![
        ("Update", title(update)),
        ("Name", update.name_any()),
        ("Stack", update.spec.stack.to_string()),
        ("Phase", word(said.phase).to_owned()),
    ];
    if !said.message.is_empty() {
        rows.push(("Message", said.message));
    }
    rows.extend(said.progress.map(|progress| ("Progress", progress.summary)));
    if let Some(plan) = said.plan {
        let counts =
            format!("{} to create, {} to change, {} to delete", plan.create, plan.change, plan.delete);
        rows.push(("Plan", format!("{counts} ({})", plan.hash)));
    }
    rows.extend(update.spec.plan_hash.as_ref().map(|hash| ("Only if", format!("the plan is {hash}"))));
    rows.push(("Bundle", update.spec.bundle.to_string()));
    rows.extend(Some(submitter(update)).filter(|who| !who.is_empty()).map(|who| ("By", who)));
    rows.push(("Age", update.creation_timestamp().as_ref().map(passed).unwrap_or_default()));
    rows.iter().map(|(name, value)| format!("{:<10}{value}\n", format!("{name}:"))).collect()
}

/// What happened, in its order.
fn timeline(update: &Update, events: &[Event]) -> String {
    let said = status(update);
    let mut steps: Vec<(Timestamp, String)> = Vec::new();
    steps.extend(update.creation_timestamp().map(|at| (at.0, "it was submitted".to_owned())));
    // A status knows seconds, and events know more: what an event tells too is said where the event puts it.
    let is_told =
        |phase: UpdatePhase| events.iter().any(|event| event.reason.as_deref() == Some(word(phase)));
    let began = said.started_at.filter(|_| !is_told(UpdatePhase::Processing));
    steps.extend(began.map(|at| (at.0, "a worker began with it".to_owned())));
    steps.extend(events.iter().filter_map(|event| {
        let at = event.event_time.as_ref().map(|at| at.0);
        let at = at.or_else(|| event.metadata.creation_timestamp.as_ref().map(|at| at.0))?;
        let reason = event.reason.clone().unwrap_or_default();
        Some((at, format!("{reason}: {}", event.note.clone().unwrap_or_default())))
    }));
    let ended = said.finished_at.filter(|_| !is_told(said.phase));
    steps.extend(ended.map(|at| (at.0, format!("it ended: {}", word(said.phase)))));
    steps.sort_by_key(|(at, _)| *at);
    let lines = steps.iter().map(|(at, what)| format!("  {}  {what}\n", at.strftime("%Y-%m-%dT%H:%M:%SZ")));
    format!("Timeline:\n{}", lines.collect::<String>())
}
