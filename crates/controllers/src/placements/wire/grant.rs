//! Grants: who may use something, and what has happened to it.

use std::collections::BTreeMap;

use bowline_api::Epoch as ApiEpoch;
use bowline_api::placements::{
    GrantEvent, GrantEventKind, GrantUser, Recovering, Said as WrittenSaid, UseState as WrittenState,
};
use bowline_placements::plain::Plain;
use bowline_placements::{Epoch, Grant, Recovery, Said, Use, UseState};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::{Map, Value, json};

use crate::drawing::put;

type Fields = Map<String, Value>;

/// What a grant says, in the status of its object.
pub(super) struct Written<'a> {
    pub(super) epoch: ApiEpoch,
    pub(super) users: &'a [GrantUser],
    pub(super) recovering: Option<&'a Recovering>,
    pub(super) restore: u64,
}

pub(super) fn read(written: &Written<'_>) -> Grant<Plain> {
    let Written { epoch, users, recovering, restore } = *written;
    let recovering = recovering.map(|recovering| Recovery {
        restore: recovering.restore,
        awaits: recovering.awaits.iter().map(ToString::to_string).collect(),
    });
    let users = users.iter().map(|user| (user.target.to_string(), one(user)));
    Grant { epoch: Epoch(epoch.0), users: users.collect(), recovering, restore }
}

fn one(user: &GrantUser) -> Use {
    Use {
        epoch: Epoch(user.epoch.0),
        fence: Epoch(user.fence_epoch.0),
        state: match user.state {
            WrittenState::Granted => UseState::Granted,
            WrittenState::Releasing => UseState::Releasing,
            WrittenState::Deleting => UseState::Deleting,
        },
        said: user.said.map(|said| match said {
            WrittenSaid::Ready => Said::Ready,
            WrittenSaid::Released => Said::Released,
            WrittenSaid::Deleted => Said::Deleted,
        }),
    }
}

fn written((target, its): (&String, &Use)) -> GrantUser {
    GrantUser {
        target: target.as_str().into(),
        epoch: ApiEpoch(its.epoch.0),
        fence_epoch: ApiEpoch(its.fence.0),
        state: match its.state {
            UseState::Granted => WrittenState::Granted,
            UseState::Releasing => WrittenState::Releasing,
            UseState::Deleting => WrittenState::Deleting,
        },
        said: its.said.map(|said| match said {
            Said::Ready => WrittenSaid::Ready,
            Said::Released => WrittenSaid::Released,
            Said::Deleted => WrittenSaid::Deleted,
        }),
    }
}

/// What is in fields, if it can be read.
fn listed<T: serde::de::DeserializeOwned>(fields: &Fields, name: &str) -> Vec<T> {
    fields.get(name).cloned().and_then(|said| serde_json::from_value(said).ok()).unwrap_or_default()
}

/// Says who may use it, and what has happened to it since what is there was written.
pub(super) fn draw(grant: &Grant<Plain>, fields: &mut Fields, now: &Time) {
    let before: Vec<GrantUser> = listed(fields, "users");
    let before = before.iter().map(|user| (user.target.to_string(), one(user))).collect();
    let news = happened(&before, fields.contains_key("recovering"), grant, now);
    if !news.is_empty() {
        let mut history: Vec<GrantEvent> = listed(fields, "history");
        history.extend(news);
        let old = history.len().saturating_sub(GrantEvent::KEPT);
        put(fields, "history", Some(json!(history[old..])));
    }
    let users: Vec<_> = grant.users.iter().map(written).collect();
    put(fields, "holder", grant.holder().map(|holder| json!(holder)));
    put(fields, "epoch", Some(json!(grant.epoch.0)));
    put(fields, "users", (!users.is_empty()).then(|| json!(users)));
    let recovering = grant.recovering.as_ref().map(|recovery| Recovering {
        restore: recovery.restore,
        awaits: recovery.awaits.iter().map(|target| target.as_str().into()).collect(),
    });
    put(fields, "recovering", recovering.map(|recovering| json!(recovering)));
    put(fields, "restore", (grant.restore > 0).then(|| json!(grant.restore)));
}

/// What has happened between two sights of who may use something. Who left has said so, or was fenced.
fn happened(
    before: &BTreeMap<String, Use>,
    was_recovering: bool,
    grant: &Grant<Plain>,
    now: &Time,
) -> Vec<GrantEvent> {
    let event = |what, target: &String, its: &Use| GrantEvent {
        at: now.clone(),
        what,
        target: target.as_str().into(),
        epoch: ApiEpoch(its.epoch.0),
        fence_epoch: ApiEpoch(its.fence.0),
    };
    let after = &grant.users;
    let is_same = |target: &String, its: &Use| after.get(target).is_some_and(|now| now.epoch == its.epoch);
    let mut events: Vec<_> = before
        .iter()
        .filter(|(target, its)| !is_same(target, its))
        .map(|(target, its)| event(left(its, was_recovering), target, its))
        .collect();
    for (target, its) in after {
        let was = before.get(target).filter(|was| was.epoch == its.epoch);
        let what = match (was, its.state) {
            (Some(was), state) if was.state == state => continue,
            (None, UseState::Granted) if was_recovering => GrantEventKind::Adopted,
            (_, UseState::Granted) => GrantEventKind::Granted,
            (_, UseState::Releasing) => GrantEventKind::Releasing,
            (_, UseState::Deleting) => GrantEventKind::Deleting,
        };
        events.push(event(what, target, its));
    }
    events
}

fn left(its: &Use, was_recovering: bool) -> GrantEventKind {
    match (its.state, its.said) {
        _ if was_recovering => GrantEventKind::Dropped,
        (UseState::Releasing, Some(Said::Released)) => GrantEventKind::Released,
        (UseState::Deleting, Some(Said::Deleted)) => GrantEventKind::Deleted,
        _ => GrantEventKind::Fenced,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Time {
        Time(k8s_openapi::jiff::Timestamp::from_second(second).expect("a time"))
    }

    fn grant(epoch: u64, users: &[(&str, u64, UseState, Option<Said>)]) -> Grant<Plain> {
        let its = |epoch, state, said| Use { epoch: Epoch(epoch), fence: Epoch(0), state, said };
        let users =
            users.iter().map(|(name, epoch, state, said)| ((*name).to_owned(), its(*epoch, *state, *said)));
        Grant { epoch: Epoch(epoch), users: users.collect(), recovering: None, restore: 0 }
    }

    /// What is in the history after all of these were drawn one after the other.
    fn told(grants: &[Grant<Plain>]) -> Vec<String> {
        let mut fields = Fields::new();
        for (second, grant) in (0..).zip(grants) {
            draw(grant, &mut fields, &at(second));
        }
        let history: Vec<GrantEvent> = listed(&fields, "history");
        let line = |one: &GrantEvent| format!("{:?} {} {}", one.what, one.target, one.epoch);
        history.iter().map(line).collect()
    }

    #[test]
    fn a_move_is_told_with_epochs_and_how_each_has_left() {
        use UseState::{Deleting, Granted, Releasing};
        let moved = [
            grant(1, &[("east", 1, Granted, None)]),
            grant(1, &[("east", 1, Granted, Some(Said::Ready))]),
            grant(1, &[("east", 1, Releasing, None)]),
            grant(1, &[("east", 1, Releasing, Some(Said::Released))]),
            grant(1, &[]),
            grant(2, &[("west", 2, Granted, None)]),
            grant(2, &[]),
            grant(3, &[("east", 3, Deleting, None)]),
            grant(3, &[("east", 3, Deleting, Some(Said::Deleted))]),
            grant(3, &[]),
        ];
        let expected = [
            "Granted east 1",
            "Releasing east 1",
            "Released east 1",
            "Granted west 2",
            "Fenced west 2",
            "Deleting east 3",
            "Deleted east 3",
        ];
        assert_eq!(told(&moved), expected);
    }

    #[test]
    fn a_syncer_that_says_something_changes_nothing_in_the_history_and_so_does_drawing_again() {
        let ready = grant(1, &[("east", 1, UseState::Granted, Some(Said::Ready))]);
        let mut fields = Fields::new();
        draw(&ready, &mut fields, &at(1));
        let once = fields.clone();
        draw(&ready, &mut fields, &at(9));
        assert_eq!(fields, once);
    }

    #[test]
    fn after_a_restore_it_is_told_who_was_found() {
        let mut lost = grant(5, &[("east", 1, UseState::Granted, None)]);
        lost.recovering = Some(Recovery { restore: 1, awaits: ["east".to_owned()].into() });
        let found = grant(7, &[("west", 7, UseState::Granted, None)]);
        assert_eq!(told(&[lost, found])[1..], ["Dropped east 1", "Adopted west 7"]);
    }

    #[test]
    fn the_newest_are_kept() {
        let grants: Vec<_> =
            (1..200).map(|epoch| grant(epoch, &[("east", epoch, UseState::Granted, None)])).collect();
        let told = told(&grants);
        assert_eq!(
            (told.len(), told.last().map(String::as_str)),
            (GrantEvent::KEPT, Some("Granted east 199"))
        );
    }
}
