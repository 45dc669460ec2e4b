//! What a syncer does for its target: one thing at a time, by what it has read and what is in its cluster.
//!
//! # Invariants
//! - Nothing is brought up without a lease, and not by what was read before the lease was held: who comes back reads first.
//! - Nothing is brought up that was granted in another fence epoch than the one that it has accepted, or that was given up.
//! - Volumes are attached before workloads start, and workloads are stopped before volumes are given up.
//! - That something was given up is said after it was noted that it will not be taken again, and that after nothing can use it.
//! - Nothing is stopped because it is not seen. It is stopped because it is to be given up, because a fence has made it void, or
//!   because it was granted in a greater epoch since.
//! - What runs is not stopped because the hub is away; unless the volumes enforce epochs, and somebody else may have been
//!   granted what runs here.

mod down;
mod up;

use std::collections::{BTreeMap, BTreeSet};

use crate::grant::{Epoch, Grant, Said, Thing, ThingOf, Use, UseState};
use crate::state::{Names, Placement, Volume};
use crate::target::{Target, TargetReport};

/// What a syncer knows. All but what it has read is kept in its cluster, and is there after a restart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known<N: Names> {
    /// It holds its lease, in this tenure: another one each time that it has the lease again.
    pub tenure: Option<u64>,
    /// What it has read of the hub, if anything.
    pub view: Option<View<N>>,
    /// The greatest fence epoch that it has accepted.
    pub accepted: Epoch,
    /// The volumes of its target enforce epochs, as far as it has read.
    pub enforces: bool,
    /// In which epoch it has given things up.
    pub given: BTreeMap<ThingOf<N>, Epoch>,
    /// What is in its cluster.
    pub here: BTreeMap<N::Namespace, Here<N>>,
}

/// What a syncer has read of the hub: all that concerns its target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View<N: Names> {
    /// In which tenure.
    pub tenure: u64,
    /// Its target.
    pub target: Target<N>,
    /// The namespaces.
    pub placements: BTreeMap<N::Namespace, Placement<N>>,
    /// The volumes.
    pub volumes: BTreeMap<N::Volume, Volume<N>>,
}

/// A namespace in a cluster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Here<N: Names> {
    /// We have made it; else it is somebody else's, and nothing in it is touched.
    pub ours: bool,
    /// By which grant it is there; `None` if it has nothing but volumes yet.
    pub held: Option<Held>,
    /// Its workloads may be up.
    pub runs: bool,
    /// Its volumes.
    pub volumes: BTreeMap<N::Volume, Local>,
}

impl<N: Names> Default for Here<N> {
    fn default() -> Here<N> {
        Here { ours: true, held: None, runs: false, volumes: BTreeMap::new() }
    }
}

/// By which grant something is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    /// Its epoch.
    pub epoch: Epoch,
    /// The fence epoch that it was granted or confirmed in.
    pub fence: Epoch,
}

/// A volume in a cluster.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Local {
    /// By which grant; `None` if a controller of the cluster has made it, and it was not adopted yet.
    pub held: Option<Held>,
    /// How far it is.
    pub stage: Stage,
    /// It is read back that its data stays when its claim goes.
    pub retained: bool,
}

/// How far a volume is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    /// The volume is there, nobody claims it, and it is attached nowhere.
    Idle,
    /// It is claimed: pods can use it.
    Bound,
    /// Its claim is gone, and it may still be attached somewhere.
    Leaving,
    /// Its data is deleted, or will be without any doing.
    Destroyed,
    /// It is claimed, and there is none yet: the cluster makes it when it sees fit, at the latest when a pod asks for it.
    Asked,
}

/// What a syncer does. Each can be done twice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Act<N: Names> {
    /// Read all that concerns the target at the hub.
    Read,
    /// Note that nothing of a smaller fence epoch is begun any more.
    Accept(Epoch),
    /// Tell the hub how it stands.
    Report(TargetReport<N>),
    /// Note that the hub has confirmed what is there.
    Confirm(ThingOf<N>, Held),
    /// Stop the workloads of a namespace.
    Stop(N::Namespace),
    /// See to it that a volume's data stays when its claim goes.
    Retain(N::Volume),
    /// Tell the hub what a volume is.
    Describe(N::Volume),
    /// Delete the claim of a volume, whose data stays.
    Unclaim(N::Volume),
    /// Remove a volume that nobody claims; its data stays, or was deleted.
    Remove(N::Volume),
    /// Delete a volume with its data.
    Destroy(N::Volume),
    /// Remove a namespace in which nothing is left.
    Clear(N::Namespace),
    /// Note that a thing is not taken in this epoch any more.
    GiveUp(ThingOf<N>, Epoch),
    /// Tell the hub something of a thing.
    Say(ThingOf<N>, Said),
    /// Make a volume as it was described, for its claim.
    Make(N::Volume, Held),
    /// Claim a volume; one that was never described is made by that.
    Claim(N::Volume, Held),
    /// Bring a namespace up.
    Start(N::Namespace, Held),
    /// Make the grant of a volume that a controller of the cluster has made, or that the hub has forgotten.
    Adopt(N::Volume, Held),
}

/// What a syncer waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Idle<N: Names> {
    /// Its lease.
    Lease,
    /// A volume to be detached from a node that works; a node that does not needs a fence.
    Detached(N::Volume),
    /// Somebody to remove a namespace that is in the cluster and not ours.
    Foreign(N::Namespace),
    /// Nothing: all is as the hub wants it.
    Nothing,
}

impl<N: Names> Known<N> {
    /// What is to be done; or what is waited for.
    ///
    /// # Errors
    /// What is waited for.
    pub fn act(&self) -> Result<Act<N>, Idle<N>> {
        self.act_beside(&BTreeSet::new())
    }

    /// The same, with nothing in these namespaces: something is under way there, or is waited for. What is done in one rests on
    /// nothing in another, so whoever does the first thing of each at once has done them one after the other.
    ///
    /// # Errors
    /// What is waited for.
    pub fn act_beside(&self, busy: &BTreeSet<N::Namespace>) -> Result<Act<N>, Idle<N>> {
        let Some(tenure) = self.tenure else { return self.alone(busy) };
        let Some(view) = self.view.as_ref().filter(|view| view.tenure == tenure) else {
            return Ok(Act::Read);
        };
        let fence = view.target.fence.epoch;
        if fence > self.accepted {
            return Ok(Act::Accept(fence));
        }
        let report = self.report(view);
        let told = view.target.report.as_ref();
        // Before anything else: whoever believes that nobody is here is refused from now on.
        let is_known = |told: &TargetReport<N>| told.tenure == tenure && told.restore == report.restore;
        if !told.is_some_and(is_known) {
            return Ok(Act::Report(report));
        }
        let next = self.down(view, busy).or_else(|| self.say(view, busy)).or_else(|| self.up(view, busy));
        if let Some(act) = next {
            return Ok(act);
        }
        if told == Some(&report) { Err(self.idle(view)) } else { Ok(Act::Report(report)) }
    }

    /// Whether what people have in a namespace on the hub is to be there in the cluster too, and what is not on the hub is not: it is
    /// up here, by a grant that holds. Nothing is taken down by a view of another tenure, or by none.
    pub fn mirrors(&self, name: &N::Namespace) -> bool {
        let current = self.view.as_ref().filter(|view| Some(view.tenure) == self.tenure);
        let Some((view, here)) = current.zip(self.here.get(name)) else { return false };
        let its = self.may_use(view, &Thing::Namespace(name.clone()));
        let is_held = |its: Use| here.held.is_some_and(|held| held.epoch == its.epoch);
        here.ours && here.runs && its.is_some_and(|its| its.state == UseState::Granted && is_held(its))
    }

    /// Who may be replaced by somebody else stops. Everybody else goes on: a hub that is away stops nobody.
    fn alone(&self, busy: &BTreeSet<N::Namespace>) -> Result<Act<N>, Idle<N>> {
        let mut running =
            self.here.iter().filter(|(name, here)| here.runs && here.ours && !busy.contains(*name));
        match running.next() {
            Some((namespace, _)) if self.enforces => Ok(Act::Stop(namespace.clone())),
            _ => Err(Idle::Lease),
        }
    }

    fn idle(&self, view: &View<N>) -> Idle<N> {
        let volumes = self.here.values().flat_map(|here| &here.volumes);
        let mut leaving = volumes.filter(|(_, local)| local.stage == Stage::Leaving);
        let is_wanted = |name: &N::Namespace| view.use_of(&Thing::Namespace(name.clone())).is_some();
        let is_foreign =
            |name: &&N::Namespace| self.here.get(*name).is_some_and(|here| !here.ours) && is_wanted(name);
        match leaving.next() {
            Some((volume, _)) => Idle::Detached(volume.clone()),
            None => view.placements.keys().find(is_foreign).cloned().map_or(Idle::Nothing, Idle::Foreign),
        }
    }

    /// What the hub is to know.
    fn report(&self, view: &View<N>) -> TargetReport<N> {
        let fence = view.target.fence.epoch;
        let uses =
            self.held().filter(|(_, held)| held.fence < fence).map(|(thing, held)| (thing, held.epoch));
        TargetReport {
            fence: self.accepted,
            tenure: view.tenure,
            restore: view.target.restore,
            uses: uses.collect(),
            ahead: self.is_ahead(view),
        }
    }

    /// Whether the hub is older than what is here: what it knows of restores it has marked by greater fence epochs.
    fn is_ahead(&self, view: &View<N>) -> bool {
        let fence = view.target.fence.epoch;
        let is_forgotten = |thing: &ThingOf<N>, held: Held| {
            let grant = view.grant(thing);
            grant.is_none_or(|grant| grant.recovering.is_none() && grant.epoch < held.epoch)
        };
        // What was given up was to be: it is granted again in a greater epoch only.
        let is_undone = |(thing, its): &(ThingOf<N>, Use)| {
            let given = self.given.get(thing).is_some_and(|given| *given >= its.epoch);
            its.fence >= fence && its.state == UseState::Granted && given
        };
        self.accepted > fence
            || self.held().any(|(thing, held)| held.fence >= fence && is_forgotten(&thing, held))
            || view.uses().any(|one| is_undone(&one))
    }

    /// Everything that is here by a grant: namespaces, and after each its volumes.
    fn held(&self) -> impl Iterator<Item = (ThingOf<N>, Held)> {
        self.here.iter().flat_map(|(name, here)| here.held_as(name))
    }

    /// By which grant a thing is here.
    fn held_of(&self, thing: &ThingOf<N>) -> Option<Held> {
        self.held().find(|(held, _)| held == thing).map(|(_, held)| held)
    }
}

impl<N: Names> Here<N> {
    /// What is here by a grant, in the namespace of this name: itself, and after it its volumes.
    fn held_as(&self, name: &N::Namespace) -> impl Iterator<Item = (ThingOf<N>, Held)> {
        let namespace = self.held.map(|held| (Thing::Namespace(name.clone()), held));
        let volumes = self.volumes.iter();
        let volumes =
            volumes.filter_map(|(volume, local)| Some((Thing::Volume(volume.clone()), local.held?)));
        namespace.into_iter().chain(volumes)
    }
}

impl<N: Names> View<N> {
    /// The namespace that a thing is, or is in.
    fn space_of<'a>(&'a self, thing: &'a ThingOf<N>) -> Option<&'a N::Namespace> {
        match thing {
            Thing::Namespace(name) => Some(name),
            Thing::Volume(volume) => self.volumes.get(volume).map(|known| &known.namespace),
        }
    }

    fn grant(&self, thing: &ThingOf<N>) -> Option<&Grant<N>> {
        match thing {
            Thing::Namespace(namespace) => self.placements.get(namespace).map(|known| &known.grant),
            Thing::Volume(volume) => self.volumes.get(volume).map(|known| &known.grant),
        }
    }

    /// What the target may do with a thing.
    fn use_of(&self, thing: &ThingOf<N>) -> Option<Use> {
        self.grant(thing)?.users.get(&self.target.name).copied()
    }

    /// Everything that the target may do something with, or is to give up; not what a restore has left open.
    fn uses(&self) -> impl Iterator<Item = (ThingOf<N>, Use)> {
        let namespaces = self.placements.keys().cloned().map(Thing::Namespace);
        let things = namespaces.chain(self.volumes.keys().cloned().map(Thing::Volume));
        things.filter_map(|thing| {
            let known = self.grant(&thing).is_some_and(|grant| grant.recovering.is_none());
            let its = self.use_of(&thing).filter(|_| known)?;
            Some((thing, its))
        })
    }
}
