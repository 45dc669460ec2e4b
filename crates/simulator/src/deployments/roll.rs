//! How the newest replica set grows while the others shrink.

use super::sets::{Sets, share};
use crate::controller::Snapshot;
use crate::step::{Choice, change, wait};
use crate::thing::{Kind, Thing};

/// How far a deployment may go beside what is wanted.
pub(super) struct Bounds {
    pub(super) surge: i64,
    pub(super) unavailable: i64,
}

/// The bounds of a deployment. As in the real one, something has to be able to move.
pub(super) fn bounds(deployment: &Thing) -> Bounds {
    let wanted = deployment.wanted("replicas", 1);
    let rolling = &deployment.spec()["strategy"]["rollingUpdate"];
    if is_recreated(deployment) {
        return Bounds { surge: 0, unavailable: 0 };
    }
    let surge = share(&rolling["maxSurge"], wanted, true);
    let unavailable = share(&rolling["maxUnavailable"], wanted, false).min(wanted);
    if surge == 0 && unavailable == 0 {
        return Bounds { surge, unavailable: 1 };
    }
    Bounds { surge, unavailable }
}

fn is_recreated(deployment: &Thing) -> bool {
    deployment.spec()["strategy"]["type"] == "Recreate"
}

/// How many pods a new replica set has at first.
pub(super) fn first(deployment: &Thing, sets: &Sets<'_>, snapshot: &Snapshot) -> i64 {
    if is_recreated(deployment) {
        let free = !has_pods(sets, snapshot);
        return if free { deployment.wanted("replicas", 1) } else { 0 };
    }
    grown(deployment, 0, sets)
}

/// The next step of a roll-out; `None` if there is none to take now.
pub(super) fn roll(deployment: &Thing, new: &Thing, sets: &Sets<'_>, snapshot: &Snapshot) -> Option<Choice> {
    if is_recreated(deployment) {
        return recreate(deployment, new, sets, snapshot);
    }
    let has = new.wanted("replicas", 1);
    let wanted = deployment.wanted("replicas", 1);
    let grown = if has > wanted { wanted } else { grown(deployment, has, sets) };
    if grown != has {
        return Some(scale(new, grown));
    }
    shrink(deployment, new, sets)
}

/// So many pods may the newest one have, that all together are not too many.
fn grown(deployment: &Thing, has: i64, sets: &Sets<'_>) -> i64 {
    let wanted = deployment.wanted("replicas", 1);
    let room = wanted + bounds(deployment).surge - sets.wanted();
    (has + room.max(0)).min(wanted)
}

/// An old one shrinks, as far as enough pods stay available: who does not work goes first, then the oldest.
fn shrink(deployment: &Thing, new: &Thing, sets: &Sets<'_>) -> Option<Choice> {
    let least = deployment.wanted("replicas", 1) - bounds(deployment).unavailable;
    // A replica set that has just been scaled down still counts what goes.
    let works = |set: &Thing| set.counted("availableReplicas").min(set.wanted("replicas", 1));
    let missing = new.wanted("replicas", 1) - works(new);
    let room = sets.wanted() - least - missing;
    if room <= 0 {
        return None;
    }
    let broken = sets.old.iter().find_map(|set| {
        let has = set.wanted("replicas", 1);
        let broken = has - works(set);
        (broken > 0).then(|| scale(set, has - broken.min(room)))
    });
    let spare = sets.all().map(works).sum::<i64>() - least;
    broken.or_else(|| {
        let oldest = sets.old.iter().find(|set| set.wanted("replicas", 1) > 0)?;
        let has = oldest.wanted("replicas", 1);
        let goes = spare.min(room).min(has);
        (goes > 0).then(|| scale(oldest, has - goes))
    })
}

/// First all old ones go, and then the new ones come.
fn recreate(deployment: &Thing, new: &Thing, sets: &Sets<'_>, snapshot: &Snapshot) -> Option<Choice> {
    if let Some(old) = sets.old.iter().find(|set| set.wanted("replicas", 1) > 0) {
        return Some(scale(old, 0));
    }
    if has_pods(sets, snapshot) {
        return Some(wait("the old pods to be gone"));
    }
    let wanted = deployment.wanted("replicas", 1);
    (new.wanted("replicas", 1) != wanted).then(|| scale(new, wanted))
}

fn has_pods(sets: &Sets<'_>, snapshot: &Snapshot) -> bool {
    let pods = |set: &Thing| snapshot.owned(set, Kind::Pod).next().is_some();
    sets.old.iter().any(|set| set.counted("replicas") > 0 || pods(set))
}

/// While it is paused, a deployment is scaled, if it is clear what that means.
pub(super) fn scale_paused(deployment: &Thing, sets: &Sets<'_>) -> Option<Choice> {
    let wanted = deployment.wanted("replicas", 1);
    let mut active = sets.all().filter(|set| set.wanted("replicas", 1) > 0);
    let one = match (active.next(), active.next()) {
        (Some(one), None) => one,
        (None, _) => sets.new.or(sets.old.last().copied())?,
        // In the middle of a roll-out it waits for being resumed.
        (Some(_), Some(_)) => return None,
    };
    (one.wanted("replicas", 1) != wanted).then(|| scale(one, wanted))
}

fn scale(set: &Thing, replicas: i64) -> Choice {
    let scaled = set.edit(|set| set.body["spec"]["replicas"] = replicas.into());
    change(&format!("set the replicas to {replicas}"), set, scaled)
}
