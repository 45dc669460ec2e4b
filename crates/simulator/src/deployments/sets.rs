//! The replica sets of a deployment.

use serde_json::Value;

use super::plain;
use crate::controller::Snapshot;
use crate::thing::{Kind, Thing, same};

/// Where a replica set and its deployment say which revision they are.
pub(super) const REVISION: &str = "deployment.kubernetes.io/revision";

/// The replica sets of a deployment.
pub(super) struct Sets<'a> {
    /// The one of its template.
    pub(super) new: Option<&'a Thing>,
    /// The others, the oldest first.
    pub(super) old: Vec<&'a Thing>,
}

impl<'a> Sets<'a> {
    pub(super) fn of(deployment: &'a Thing, snapshot: &'a Snapshot) -> Sets<'a> {
        let mut all: Vec<_> = snapshot.owned(deployment, Kind::ReplicaSet).collect();
        all.sort_by_key(|set| (set.created, set.id.clone()));
        let wanted = plain(deployment.template());
        let is_new = |set: &&Thing| !set.deleting && same(&plain(set.template()), &wanted);
        let new = all.iter().position(is_new).map(|at| all.remove(at));
        Sets { new, old: all }
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &'a Thing> {
        self.old.iter().copied().chain(self.new)
    }

    /// The highest revision of the old ones.
    pub(super) fn last_revision(&self) -> u64 {
        self.old.iter().map(|set| revision(set)).max().unwrap_or(0)
    }

    /// What all of them count together.
    pub(super) fn counted(&self, name: &str) -> i64 {
        self.all().map(|set| set.counted(name)).sum()
    }

    /// How many pods all of them want together.
    pub(super) fn wanted(&self) -> i64 {
        self.all().map(|set| set.wanted("replicas", 1)).sum()
    }

    /// How many of the template's pods there are.
    pub(super) fn updated(&self) -> i64 {
        self.new.map_or(0, |set| set.counted("replicas"))
    }

    /// Whether all pods are of the template, and available.
    pub(super) fn is_complete(&self, deployment: &Thing) -> bool {
        let wanted = deployment.wanted("replicas", 1);
        let seen = self.all().all(|set| set.counted("observedGeneration").unsigned_abs() >= set.generation);
        seen && self.updated() == wanted
            && self.counted("replicas") == wanted
            && self.counted("availableReplicas") == wanted
    }
}

/// The revision of a replica set; 0 if it says none.
pub(super) fn revision(set: &Thing) -> u64 {
    set.annotations.get(REVISION).and_then(|revision| revision.parse().ok()).unwrap_or(0)
}

/// What `maxSurge` or `maxUnavailable` come to: a number, or a part of the replicas.
pub(super) fn share(value: &Value, of: i64, round_up: bool) -> i64 {
    if let Some(number) = value.as_i64() {
        return number;
    }
    let percent = value.as_str().and_then(|text| text.strip_suffix('%')?.parse::<i64>().ok()).unwrap_or(0);
    let hundredfold = of.saturating_mul(percent);
    if round_up { (hundredfold + 99) / 100 } else { hundredfold / 100 }
}
