//! The controller: which objects concern which, and who decides about which kind.

use bowline_control::{Controller, Decision, Effect, EffectOf, Moment, Standing, Write};
use serde_json::Value;

use crate::step::{Bind, Choice, Step, Wait};
use crate::thing::{Id, Kind, Thing, same};
use crate::{
    claims, daemon_sets, deployments, jobs, names, pods, replica_sets, services, stateful_sets, volumes,
};

/// The controller of all workloads. A key is an object; it sees what it owns, and what it hangs on.
pub(crate) struct Workloads;

/// An object, and what concerns it.
pub(crate) struct Snapshot {
    pub(crate) it: Option<Thing>,
    pub(crate) near: Vec<Thing>,
}

impl Snapshot {
    /// What is near, of a kind.
    pub(crate) fn near(&self, kind: Kind) -> impl Iterator<Item = &Thing> {
        self.near.iter().filter(move |thing| thing.id.kind == kind)
    }

    /// What an owner controls, of a kind.
    pub(crate) fn owned<'a>(&'a self, owner: &'a Thing, kind: Kind) -> impl Iterator<Item = &'a Thing> {
        self.near(kind).filter(move |thing| thing.is_of(owner))
    }
}

impl Controller for Workloads {
    type Key = Id;
    type Object = Thing;
    type Snapshot = Snapshot;
    type Step = Step;
    type Wait = Wait;
    type Call = Bind;
    type Reply = Result<(), String>;
    type Memory = ();

    fn kinds(&self) -> &[Kind] {
        &Kind::ALL
    }

    fn keys(&self, thing: &Thing) -> Vec<Id> {
        keys(thing)
    }

    fn snapshot(&self, key: &Id, objects: &[&Thing], _memory: &()) -> Snapshot {
        let mut snapshot = Snapshot { it: None, near: Vec::new() };
        for object in objects {
            if object.id == *key {
                snapshot.it = Some(Thing::clone(object));
            } else {
                snapshot.near.push(Thing::clone(object));
            }
        }
        snapshot
    }

    fn decide(&self, snapshot: &Snapshot, now: Moment) -> Choice {
        let Some(it) = &snapshot.it else { return Decision::Converged };
        match it.id.kind {
            Kind::Pod => pods::decide(it),
            Kind::Claim => claims::decide(it, snapshot),
            Kind::Volume => volumes::decide(it, snapshot),
            // What it owns is collected.
            _ if it.deleting => Decision::Converged,
            Kind::Deployment => deployments::decide(it, snapshot, now),
            Kind::ReplicaSet => replica_sets::decide(it, snapshot, now),
            Kind::StatefulSet => stateful_sets::decide(it, snapshot),
            Kind::DaemonSet => daemon_sets::decide(it, snapshot),
            Kind::Job => jobs::decide(it, snapshot, now),
            Kind::Service | Kind::Revision => Decision::Converged,
        }
    }

    fn effect(&self, _snapshot: &Snapshot, step: &Step, _now: Moment) -> EffectOf<Workloads> {
        match step {
            Step::Write { write, .. } => Effect::Write(Write::clone(write)),
            Step::Bind(bind) => Effect::Call(bind.clone()),
        }
    }

    fn report(
        &self,
        snapshot: &Snapshot,
        _standing: Standing<'_, Wait>,
        now: Moment,
    ) -> Option<Write<Thing>> {
        let it = snapshot.it.as_ref().filter(|it| !it.deleting)?;
        let status = status(it, snapshot, now)?;
        let after = it.edit(|it| it.status = status);
        (!same(&it.status, &after.status)).then(|| Write::Status { before: it.clone(), after })
    }

    fn learn(
        &self,
        _memory: &mut (),
        _step: &Step,
        reply: Result<(), String>,
        _now: Moment,
    ) -> Result<(), String> {
        reply
    }
}

/// What an object's status should say; `None` if it has none.
fn status(it: &Thing, snapshot: &Snapshot, now: Moment) -> Option<Value> {
    Some(match it.id.kind {
        Kind::Deployment => deployments::status(it, snapshot, now),
        Kind::ReplicaSet => replica_sets::status(it, snapshot, now),
        Kind::StatefulSet => stateful_sets::status(it, snapshot),
        Kind::DaemonSet => daemon_sets::status(it, snapshot),
        Kind::Job => jobs::status(it, snapshot, now),
        Kind::Pod => pods::status(it, now),
        Kind::Claim => claims::status(it, snapshot),
        Kind::Volume => volumes::status(it, snapshot),
        Kind::Service => services::status(it),
        Kind::Revision => return None,
    })
}

/// Whom an object concerns: itself, who controls it, who would make it under its name, and what it hangs on.
fn keys(thing: &Thing) -> Vec<Id> {
    let Id { kind, namespace, name } = &thing.id;
    let there = |kind, name: &str| Id::new(kind, namespace, name);
    let mut keys = Vec::new();
    if *kind != Kind::Revision {
        keys.push(thing.id.clone());
    }
    keys.extend(thing.owner_id());
    match kind {
        Kind::ReplicaSet => {
            keys.extend(names::stem(name).map(|stem| there(Kind::Deployment, stem)));
        }
        Kind::Pod => {
            keys.extend(names::ordinal(name).map(|(stem, _)| there(Kind::StatefulSet, stem)));
            let set = thing.owner.as_ref().filter(|owner| owner.kind == Kind::ReplicaSet.name());
            let stem = set.and_then(|set| names::stem(&set.name));
            keys.extend(stem.map(|stem| there(Kind::Deployment, stem)));
            keys.extend(pods::claims(thing).map(|claim| there(Kind::Claim, claim)));
        }
        Kind::Claim => {
            // A claim of a set is called after its template, the set and the number: any part may have dashes.
            let stem = names::ordinal(name).map_or("", |(stem, _)| stem);
            let sets = stem.match_indices('-').map(|(at, _)| &stem[at + 1..]);
            keys.extend(sets.map(|set| there(Kind::StatefulSet, set)));
            keys.extend(claims::volumes(thing).map(|volume| Id::new(Kind::Volume, "", &volume)));
        }
        Kind::Volume => keys.extend(volumes::claim(thing)),
        Kind::Revision => {
            let stem = names::stem(name).unwrap_or_default();
            keys.extend([Kind::StatefulSet, Kind::DaemonSet].map(|kind| there(kind, stem)));
        }
        _ => {}
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_made_for_somebody_concerns_them() {
        let id = |kind, name| Id::new(kind, "ns", name);
        let claim = Thing::blank(id(Kind::Claim, "data-my-web-0"), json!({"spec": {"volumeName": "v"}}));
        assert!(keys(&claim).contains(&id(Kind::StatefulSet, "web")));
        assert!(keys(&claim).contains(&id(Kind::StatefulSet, "my-web")));
        assert!(keys(&claim).contains(&Id::new(Kind::Volume, "", "v")));
        let set = Thing::blank(id(Kind::ReplicaSet, "my-web-abc"), Value::Null);
        let pod = Thing::child(&set, Kind::Pod, "my-web-abc-xyz", Value::Null);
        assert!(keys(&set).contains(&id(Kind::Deployment, "my-web")));
        assert!(keys(&pod).contains(&id(Kind::Deployment, "my-web")));
        assert!(keys(&pod).contains(&id(Kind::ReplicaSet, "my-web-abc")));
    }
}
