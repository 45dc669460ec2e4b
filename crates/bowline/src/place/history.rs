//! `bowline place history`: who could use a volume when, by epoch, and what that rests on.

use bowline_api::placements::{
    Fence, FenceEvent, FencedBy, GrantEvent, GrantEventKind, Placement, SyncTarget, VolumeGrant,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::ResourceExt;
use serde::Serialize;

use super::Hub;
use super::abandon::grant_name;
use super::target::fence_word;
use crate::columns::Columns;
use crate::connection::{Wanted, failed};
use crate::exit::{Exit, Refused};
use crate::output::{self, Format};
use crate::palette;

/// What has happened to a volume, or to a namespace.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct History {
    /// `NS/PVC`, or `NS`.
    of: String,
    /// Who could use it, from when to when.
    uses: Vec<Stay>,
    /// All that is on record, in order.
    events: Vec<Entry>,
    /// What has to be true for this to be.
    assumptions: Vec<String>,
}

/// A time in which a target could use it.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Stay {
    target: String,
    epoch: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Time>,
    /// Until when; it still can, if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<Time>,
    /// By what it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<GrantEventKind>,
}

/// Something that happened.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    at: Time,
    what: String,
    target: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    epoch: Option<u64>,
    fence_epoch: u64,
    #[serde(skip_serializing_if = "String::is_empty")]
    note: String,
}

/// Shows what has happened to a volume, or to a namespace.
pub(crate) async fn history(server: &Wanted, of: &str, format: Format) -> anyhow::Result<Exit> {
    let hub = Hub::of(server).await?;
    let events = if of.contains(['/', '.']) {
        let name = grant_name(of)?;
        let found =
            hub.grants().get_opt(&name).await.map_err(|error| failed(error, "cannot read the volume"))?;
        let Some(found) = found else {
            anyhow::bail!(Refused(format!("there is no volume {of}: see `bowline place status -o wide`")));
        };
        of_volume(&found)
    } else {
        of_placement(&hub.placed(of).await?)
    };
    let history = told(of, &events, &hub.all_targets().await?);
    let text = if format.is_text() { drawn(&history) } else { output::document(format, &history)? };
    output::print(&text)?;
    Ok(Exit::Done)
}

fn of_volume(grant: &VolumeGrant) -> Vec<GrantEvent> {
    grant.status.clone().unwrap_or_default().history
}

fn of_placement(placement: &Placement) -> Vec<GrantEvent> {
    placement.status.clone().unwrap_or_default().history
}

fn told(of: &str, events: &[GrantEvent], targets: &[SyncTarget]) -> History {
    let concerned =
        |target: &&SyncTarget| events.iter().any(|event| event.target.as_str() == target.name_any());
    let concerned: Vec<_> = targets.iter().filter(concerned).collect();
    // Of the same second, a fence comes before what it has made void.
    let mut entries = Vec::new();
    for target in &concerned {
        let fences = target.status.iter().flat_map(|status| &status.history);
        entries.extend(fences.map(|event| of_fence(&target.name_any(), event)));
    }
    entries.extend(events.iter().map(of_grant));
    entries.sort_by_key(|entry| entry.at.0);
    History {
        of: of.to_owned(),
        uses: stays(events),
        assumptions: assumptions(events, &concerned),
        events: entries,
    }
}

fn of_grant(event: &GrantEvent) -> Entry {
    let note = match event.what {
        GrantEventKind::Granted => "it may use it",
        GrantEventKind::Releasing => "it is to give it up",
        GrantEventKind::Deleting => "it is to delete the data",
        GrantEventKind::Released => "acknowledged by its syncer",
        GrantEventKind::Deleted => "the data is deleted, acknowledged by its syncer",
        GrantEventKind::Fenced => "void: a fence is in force",
        GrantEventKind::Adopted => "found to use it after a restore",
        GrantEventKind::Dropped => "not found to use it after a restore",
    };
    Entry {
        at: event.at.clone(),
        what: format!("{:?}", event.what),
        target: event.target.to_string(),
        epoch: Some(event.epoch.0),
        fence_epoch: event.fence_epoch.0,
        note: note.to_owned(),
    }
}

fn of_fence(target: &str, event: &FenceEvent) -> Entry {
    let person = event.request.as_ref().map_or_else(String::new, |request| {
        let vouches = if request.confirmed { ", who vouches for it" } else { "" };
        format!("wanted by {}{vouches}", request.by)
    });
    let by = match event.fenced_by {
        FencedBy::Person => "by the word of a person",
        FencedBy::Driver => "by its driver",
        FencedBy::Epochs => "by its volumes, which enforce epochs",
    };
    let notes = [if event.fence == Fence::Fenced { by } else { "" }, person.as_str()];
    let notes: Vec<_> = notes.into_iter().filter(|note| !note.is_empty()).collect();
    Entry {
        at: event.at.clone(),
        what: format!("Fence{}", if event.fence == Fence::None { "Open" } else { fence_word(event.fence) }),
        target: target.to_owned(),
        epoch: None,
        fence_epoch: event.epoch.0,
        note: notes.join("; "),
    }
}

/// Who could use it, from when to when. It could until that was acknowledged, or a fence was in force; not only until it was asked to stop.
fn stays(events: &[GrantEvent]) -> Vec<Stay> {
    let mut stays: Vec<Stay> = Vec::new();
    for event in events {
        let (target, epoch) = (event.target.to_string(), event.epoch.0);
        let is_its = |stay: &&mut Stay| stay.target == target && stay.epoch == epoch && stay.until.is_none();
        let known = stays.iter_mut().find(is_its);
        let ends = matches!(
            event.what,
            GrantEventKind::Released
                | GrantEventKind::Deleted
                | GrantEventKind::Fenced
                | GrantEventKind::Dropped
        );
        match (known, ends) {
            (Some(stay), true) => (stay.until, stay.ended) = (Some(event.at.clone()), Some(event.what)),
            (Some(_), false) => {}
            // What is older than what is kept has no beginning.
            (None, true) => stays.push(Stay {
                target,
                epoch,
                from: None,
                until: Some(event.at.clone()),
                ended: Some(event.what),
            }),
            (None, false) => {
                stays.push(Stay { target, epoch, from: Some(event.at.clone()), until: None, ended: None });
            }
        }
    }
    stays
}

/// What has to be true for nobody else to have used it.
fn assumptions(events: &[GrantEvent], targets: &[&SyncTarget]) -> Vec<String> {
    let mut all = Vec::new();
    let has = |what| events.iter().any(|event| event.what == what);
    if has(GrantEventKind::Released) || has(GrantEventKind::Deleted) {
        all.push(
            "A syncer acknowledges when its cluster says that the volume is attached to no node; that rests on the word of that cluster."
                .to_owned(),
        );
    }
    if has(GrantEventKind::Adopted) || has(GrantEventKind::Dropped) {
        all.push(
            "The hub was restored: it knows of no target that joined after the backup, and of such a one nothing is said here."
                .to_owned(),
        );
    }
    for target in targets {
        let name = target.name_any();
        let fences = target.status.iter().flat_map(|status| &status.history);
        for event in fences.filter(|event| event.fence == Fence::Fenced) {
            let epoch = event.epoch;
            all.push(match (event.fenced_by, &event.request) {
                (FencedBy::Person, Some(request)) => format!(
                    "Fence {epoch} of {name}: {} vouched for it at {} that nothing there can write until it is unfenced.",
                    request.by, request.at.0
                ),
                (FencedBy::Person, None) => {
                    format!("Fence {epoch} of {name}: a person vouched for it; who is not on record any more.")
                }
                (FencedBy::Driver, _) => {
                    format!("Fence {epoch} of {name}: its driver said that it is in force, and it really keeps {name} from the storage.")
                }
                (FencedBy::Epochs, _) => format!(
                    "Fence {epoch} of {name}: its volumes refuse a smaller epoch, and its syncer stops when its lease has lapsed by its own clock."
                ),
            });
        }
    }
    if events.len() >= GrantEvent::KEPT {
        all.push(format!(
            "Only the last {} events are kept: what was before is not shown.",
            GrantEvent::KEPT
        ));
    }
    all
}

fn drawn(history: &History) -> String {
    let mut columns = Columns::new(&["TIME", "WHAT", "TARGET", "EPOCH", "FENCE", "NOTE"]);
    for entry in &history.events {
        let plain = |text: String| (palette::PLAIN, text);
        columns.row(vec![
            plain(entry.at.0.to_string()),
            (palette::STRONG, entry.what.clone()),
            plain(entry.target.clone()),
            plain(entry.epoch.map_or_else(|| "-".to_owned(), |epoch| epoch.to_string())),
            plain(entry.fence_epoch.to_string()),
            plain(entry.note.clone()),
        ]);
    }
    let mut text = if history.events.is_empty() {
        format!("Nothing has happened to {} yet: nobody could use it.\n", history.of)
    } else {
        columns.render()
    };
    if !history.uses.is_empty() {
        text += "\nWho could use it:\n";
    }
    for Stay { target, epoch, from, until, .. } in &history.uses {
        let from = from.as_ref().map_or_else(|| "before what is kept".to_owned(), |from| from.0.to_string());
        let until = until.as_ref().map_or_else(|| "now".to_owned(), |until| until.0.to_string());
        text += &format!("  {target}, in epoch {epoch}: from {from} until {until}\n");
    }
    if !history.assumptions.is_empty() {
        text += "\nThis rests on:\n";
        text.extend(history.assumptions.iter().map(|one| format!("  - {one}\n")));
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn events() -> Vec<GrantEvent> {
        let one = |second: u32, what: &str, target: &str, epoch: u64| json!({ "at": format!("2026-01-01T00:00:{second:02}Z"), "what": what, "target": target, "epoch": epoch, "fenceEpoch": 0 });
        let all = json!([
            one(1, "Granted", "east", 1),
            one(2, "Releasing", "east", 1),
            one(5, "Released", "east", 1),
            one(6, "Granted", "west", 2),
            one(9, "Fenced", "west", 2),
            one(10, "Granted", "east", 3),
        ]);
        serde_json::from_value(all).expect("events")
    }

    fn west() -> SyncTarget {
        let request = json!({ "by": "anna", "at": "2026-01-01T00:00:07Z", "confirmed": true });
        let object = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "SyncTarget", "metadata": { "name": "west" }, "spec": { "cluster": "west" },
            "status": { "history": [
                { "at": "2026-01-01T00:00:08Z", "fence": "Fenced", "epoch": 1, "fencedBy": "Person", "request": request },
            ] },
        });
        serde_json::from_value(object).expect("a target")
    }

    #[test]
    fn nobody_could_use_it_at_once_and_each_until_it_said_so_or_was_fenced() {
        let stays = stays(&events());
        let told: Vec<_> = stays
            .iter()
            .map(|stay| {
                let time = |time: &Option<Time>| time.as_ref().map(|time| time.0.as_second() % 60);
                (stay.target.as_str(), stay.epoch, time(&stay.from), time(&stay.until))
            })
            .collect();
        assert_eq!(
            told,
            [("east", 1, Some(1), Some(5)), ("west", 2, Some(6), Some(9)), ("east", 3, Some(10), None)]
        );
    }

    #[test]
    fn fences_stand_among_the_grants_with_who_wanted_them_and_what_it_rests_on_is_told() {
        let history = told("shop/data", &events(), &[west()]);
        let what: Vec<_> = history.events.iter().map(|entry| entry.what.as_str()).collect();
        assert_eq!(what, ["Granted", "Releasing", "Released", "Granted", "FenceFenced", "Fenced", "Granted"]);
        assert!(history.assumptions.iter().any(|one| one.contains("anna vouched for it")), "{history:?}");
        assert!(history.assumptions.iter().any(|one| one.contains("attached to no node")), "{history:?}");
        let text = drawn(&history);
        assert!(
            text.contains("west, in epoch 2: from 2026-01-01T00:00:06Z until 2026-01-01T00:00:09Z"),
            "{text}"
        );
    }

    #[test]
    fn what_began_before_what_is_kept_has_no_beginning() {
        let events = events();
        let stays = stays(&events[2..3]);
        assert_eq!((stays.len(), stays[0].from.is_none(), stays[0].until.is_some()), (1, true, true));
    }
}
