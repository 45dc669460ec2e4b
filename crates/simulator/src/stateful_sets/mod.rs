//! Stateful sets: pods with a number each and claims that stay, one after the other unless they may come at once.

mod claims;
mod status;
#[cfg(test)]
mod tests;

use bowline_control::Decision;

pub(crate) use status::status;

use crate::controller::Snapshot;
use crate::names;
use crate::pods::{Seen, Template, make};
use crate::revisions;
use crate::step::{Choice, adopt, create, delete, wait};
use crate::thing::{Kind, Thing};

/// The label that tells a pod's own name, so that a service can be made for it.
const POD_NAME: &str = "statefulset.kubernetes.io/pod-name";
/// The label that tells its number.
const POD_INDEX: &str = "apps.kubernetes.io/pod-index";

/// What is to be done about a stateful set.
pub(crate) fn decide(set: &Thing, snapshot: &Snapshot) -> Choice {
    let current = status::current_revision(set);
    if let Some(kept) = revisions::keep(set, snapshot, &[&current]) {
        return kept;
    }
    let mut waits = None;
    for ordinal in ordinals(set) {
        match bring_up(set, snapshot, ordinal) {
            None => {}
            Some(Decision::Wait { .. }) if !is_ordered(set) && waits.is_some() => {}
            Some(wait @ Decision::Wait { .. }) if !is_ordered(set) => waits = Some(wait),
            Some(choice) => return choice,
        }
    }
    if let Some(choice) = take_down(set, snapshot) {
        return choice;
    }
    if let Some(choice) = update(set, snapshot) {
        return choice;
    }
    waits.unwrap_or(Decision::Converged)
}

/// One after the other, and each only when those before it work.
fn is_ordered(set: &Thing) -> bool {
    set.spec()["podManagementPolicy"] != "Parallel"
}

/// The numbers that are wanted.
fn ordinals(set: &Thing) -> std::ops::Range<i64> {
    let start = set.spec()["ordinals"]["start"].as_i64().unwrap_or(0);
    start..start.saturating_add(set.wanted("replicas", 1))
}

fn name(set: &Thing, ordinal: i64) -> String {
    format!("{}-{ordinal}", set.id.name)
}

/// The pods of a set, by their numbers.
fn pods<'a>(set: &'a Thing, snapshot: &'a Snapshot) -> impl Iterator<Item = (i64, Seen<'a>)> {
    snapshot.owned(set, Kind::Pod).filter_map(|pod| {
        let (stem, ordinal) = names::ordinal(&pod.id.name)?;
        (stem == set.id.name).then(|| (ordinal, Seen::of(pod)))
    })
}

/// What the pod of a number lacks; `None` if it works.
fn bring_up(set: &Thing, snapshot: &Snapshot, ordinal: i64) -> Option<Choice> {
    if let Some(claim) = claims::missing(set, snapshot, ordinal) {
        return Some(create(claim));
    }
    let name = name(set, ordinal);
    let Some(pod) = snapshot.near(Kind::Pod).find(|pod| pod.id.name == name) else {
        return Some(create(pod(set, snapshot, ordinal)));
    };
    if !pod.is_of(set) {
        let is_ours = pod.owner.is_none() && pod.is_selected_by(&set.spec()["selector"]);
        return Some(if is_ours && !pod.deleting {
            adopt(pod, set)
        } else {
            wait(format!("the {} to be gone, which is not the set's", pod.id))
        });
    }
    let seen = Seen::of(pod);
    if pod.deleting {
        Some(wait(format!("the {} to be gone", pod.id)))
    } else if !seen.active {
        // It has ended, and is made again.
        Some(delete(pod))
    } else if !seen.ready {
        Some(wait(format!("the {} to be ready", pod.id)))
    } else {
        None
    }
}

/// The pod of a number. Below the partition it is of the template that was there before.
fn pod(set: &Thing, snapshot: &Snapshot, ordinal: i64) -> Thing {
    let before = status::current_revision(set);
    let old = revisions::template(set, snapshot, &before).filter(|_| ordinal < partition(set));
    let (template, revision) = match old {
        Some(template) => (template, before.clone()),
        None => (set.template(), status::update_revision(set)),
    };
    let (name, index) = (name(set, ordinal), ordinal.to_string());
    let labels =
        [(revisions::LABEL, revision.as_str()), (POD_NAME, name.as_str()), (POD_INDEX, index.as_str())];
    let pod = make(&Template { owner: set, template, name: &name, labels: &labels });
    claims::mount(set, ordinal, pod)
}

/// Who is not wanted any more goes, the highest number first.
fn take_down(set: &Thing, snapshot: &Snapshot) -> Option<Choice> {
    let wanted = ordinals(set);
    let unwanted = pods(set, snapshot).filter(|(ordinal, _)| !wanted.contains(ordinal));
    let mut unwanted: Vec<_> = unwanted.collect();
    unwanted.sort_by_key(|(ordinal, _)| std::cmp::Reverse(*ordinal));
    let going = unwanted.iter().find(|(_, seen)| seen.pod.deleting);
    if is_ordered(set)
        && let Some((_, seen)) = going
    {
        return Some(wait(format!("the {} to be gone", seen.pod.id)));
    }
    unwanted.iter().find(|(_, seen)| !seen.pod.deleting).map(|(_, seen)| delete(seen.pod))
}

/// Who is of an old template is made again, the highest number first, each when those above it work.
fn update(set: &Thing, snapshot: &Snapshot) -> Option<Choice> {
    if set.spec()["updateStrategy"]["type"] == "OnDelete" {
        return None;
    }
    let revision = status::update_revision(set);
    let mut pods: Vec<_> = pods(set, snapshot).filter(|(ordinal, _)| *ordinal >= partition(set)).collect();
    pods.sort_by_key(|(ordinal, _)| std::cmp::Reverse(*ordinal));
    for (_, seen) in pods {
        if seen.pod.labels.get(revisions::LABEL) != Some(&revision) && !seen.pod.deleting {
            return Some(delete(seen.pod));
        }
        if !seen.ready {
            return Some(wait(format!("the {} to be ready", seen.pod.id)));
        }
    }
    None
}

fn partition(set: &Thing) -> i64 {
    set.spec()["updateStrategy"]["rollingUpdate"]["partition"].as_i64().unwrap_or(0)
}
