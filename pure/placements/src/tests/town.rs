//! A hub with a namespace, its targets, and syncers that do at once what they are told.

use std::collections::{BTreeMap, BTreeSet};

use bowline_control::{Controller, Decision, Effect, Millis, Moment, Standing, Version, Write};

use super::Plain;
use crate::syncer::{Act, Held, Here, Known, Local, Stage, View};
use crate::{
    Candidate, Claim, Epoch, FenceCall, FenceMemory, FenceReply, FenceWish, Fences, Grant, Memory, Object,
    Placement, Placements, Pulse, Restore, Rhythm, Target, TargetWish, Thing, Told, Use, UseState, Volume,
    Wait, Window, Wish,
};

pub(super) const SHOP: &str = "shop";

pub(super) struct Town {
    pub(super) placement: Option<Placement<Plain>>,
    pub(super) volumes: BTreeMap<&'static str, Volume<Plain>>,
    pub(super) claims: BTreeMap<&'static str, Claim<Plain>>,
    pub(super) targets: BTreeMap<&'static str, Target<Plain>>,
    pub(super) syncers: BTreeMap<&'static str, Known<Plain>>,
    /// Whose syncer does not reach the hub.
    pub(super) cut: BTreeSet<&'static str>,
    /// Who is kept from its volumes.
    pub(super) blocked: BTreeSet<&'static str>,
    /// Whose nodes do not answer: nothing is detached there.
    pub(super) dead: BTreeSet<&'static str>,
    /// Whose data was deleted.
    pub(super) deleted: BTreeSet<&'static str>,
    /// Volumes that are there, and have data.
    pub(super) made: BTreeSet<&'static str>,
    memory: Memory<Plain>,
    fences: BTreeMap<&'static str, FenceMemory>,
    pub(super) now: Millis,
    pub(super) steps: Vec<String>,
    pub(super) acts: Vec<String>,
    pub(super) writes: usize,
}

/// How often something is done until it leads nowhere.
const MOST: usize = 2_000;

impl Town {
    pub(super) fn new(targets: &[&'static str], volumes: &[&'static str]) -> Town {
        let mut town = Town {
            placement: Some(new_placement()),
            volumes: BTreeMap::new(),
            claims: BTreeMap::new(),
            targets: BTreeMap::new(),
            syncers: BTreeMap::new(),
            cut: BTreeSet::new(),
            blocked: BTreeSet::new(),
            dead: BTreeSet::new(),
            deleted: BTreeSet::new(),
            made: BTreeSet::new(),
            memory: Memory::default(),
            fences: BTreeMap::new(),
            now: Millis(10_000),
            steps: Vec::new(),
            acts: Vec::new(),
            writes: 0,
        };
        targets.iter().for_each(|target| town.join(target));
        volumes.iter().for_each(|volume| town.ask_for(volume, false));
        town
    }

    pub(super) fn join(&mut self, name: &'static str) {
        self.targets.insert(name, new_target(name));
        self.syncers.insert(name, syncer());
    }

    pub(super) fn ask_for(&mut self, volume: &'static str, shared: bool) {
        let claim = Claim { volume, namespace: SHOP, uid: 1, version: Version(1), deleting: false, shared };
        self.claims.insert(volume, claim);
    }

    pub(super) fn placement(&self) -> &Placement<Plain> {
        self.placement.as_ref().expect("the placement")
    }

    /// A person wants the namespace there.
    pub(super) fn pin(&mut self, target: &'static str) {
        let placement = self.placement.as_mut().expect("the placement");
        placement.wish.pinned = Some(target);
        placement.generation += 1;
    }

    pub(super) fn target(&mut self, name: &str) -> &mut Target<Plain> {
        self.targets.get_mut(name).expect("a target")
    }

    pub(super) fn fence(&mut self, name: &str, wish: FenceWish) {
        self.target(name).wish.fence = wish;
    }

    /// A person wants the namespace to stay where it runs until a window opens, but for a target that it may go to at once.
    pub(super) fn stay_until(&mut self, window: Window, now_to: Option<&'static str>) {
        let placement = self.placement.as_mut().expect("the placement");
        (placement.wish.window, placement.wish.now_to) = (Some(window), now_to);
        placement.generation += 1;
    }

    /// A person deletes the namespace.
    pub(super) fn delete_namespace(&mut self) {
        let placement = self.placement.as_mut().expect("the placement");
        (placement.deleting, placement.doomed) = (true, true);
    }

    /// Everything is done that can be, until all wait; what for is told. Nobody uses what somebody else does, at any moment.
    pub(super) fn settle(&mut self) -> Option<Wait<Plain>> {
        for _ in 0..MOST {
            self.nobody_shares();
            if self.targets_act() || self.syncers_act() {
                continue;
            }
            match self.hub_acts() {
                Some(Err(wait)) => return wait,
                Some(Ok(())) => {}
                None => return None,
            }
        }
        panic!("it does not come to rest: {:?} {:?}", tail(&self.steps), tail(&self.acts))
    }

    /// One thing is done.
    pub(super) fn step(&mut self) {
        if !self.targets_act() && !self.syncers_act() {
            self.hub_acts();
        }
    }

    /// The hub does what it has to do about the placement, and nobody else does anything.
    pub(super) fn placement_acts(&mut self) {
        for _ in 0..MOST {
            if !matches!(self.hub_acts(), Some(Ok(()))) {
                return;
            }
        }
    }

    /// When the hub looks again by itself at what it waits for.
    pub(super) fn wakes(&self) -> Option<Millis> {
        let controller = Placements::<Plain>::new(Rhythm::default());
        let objects = self.objects();
        let snapshot = controller.snapshot(&SHOP, &objects.iter().collect::<Vec<_>>(), &self.memory);
        match controller.decide(&snapshot, self.moment()) {
            Decision::Wait { until, .. } => until,
            _ => None,
        }
    }

    /// What the hub does about the placement; `None` if it is gone, and what it waits for if it waits.
    fn hub_acts(&mut self) -> Option<Result<(), Option<Wait<Plain>>>> {
        let controller = Placements::<Plain>::new(Rhythm::default());
        self.placement.as_ref()?;
        let objects = self.objects();
        let snapshot = controller.snapshot(&SHOP, &objects.iter().collect::<Vec<_>>(), &self.memory);
        let (decision, moment) = (controller.decide(&snapshot, self.moment()), self.moment());
        let (standing, wait) = match &decision {
            Decision::Do(step) => {
                self.steps.push(step.to_string());
                match controller.effect(&snapshot, step, moment) {
                    Effect::Write(write) => self.write(write),
                    Effect::Call(_) => {
                        let all = self.targets.values().cloned();
                        let all = all.map(|target| Candidate { target, load: 0 }).collect();
                        controller.learn(&mut self.memory, step, Ok(all), moment).expect("a survey");
                    }
                    Effect::Look(_) => unreachable!("only the loop looks"),
                }
                return Some(Ok(()));
            }
            Decision::Converged => (Standing::Converged, None),
            Decision::Wait { what, .. } => (Standing::Waiting(what), Some(what.clone())),
        };
        match controller.report(&snapshot, standing, self.moment()) {
            Some(write) => self.write(write),
            None => return Some(Err(wait)),
        }
        Some(Ok(()))
    }

    /// One step of one target's fence.
    fn targets_act(&mut self) -> bool {
        let controller = Fences::<Plain>::new(Rhythm::default());
        let names: Vec<_> = self.targets.keys().copied().collect();
        for name in names {
            let memory = self.fences.entry(name).or_default();
            // Whoever looks sees how it is now.
            let restore = self.targets.values().map(|target| target.restore).max().unwrap_or(0);
            let is_new = |look: crate::Look| (look.pulse == Pulse::Lapsed) != self.cut.contains(name);
            if memory.look.is_some_and(|look| is_new(look) || look.restore != restore) {
                memory.look = None;
            }
            let memory = *memory;
            let objects = self.objects();
            let snapshot = controller.snapshot(&name, &objects.iter().collect::<Vec<_>>(), &memory);
            let decision = controller.decide(&snapshot, self.moment());
            let standing = match &decision {
                Decision::Do(step) => {
                    self.steps.push(format!("{name}: {step}"));
                    match controller.effect(&snapshot, step, self.moment()) {
                        Effect::Write(write) => self.write(write),
                        Effect::Call(call) => {
                            let (reply, moment) = (self.called(call), self.moment());
                            let memory = self.fences.entry(name).or_default();
                            controller.learn(memory, step, reply, moment).expect("an answer");
                        }
                        Effect::Look(_) => unreachable!("only the loop looks"),
                    }
                    return true;
                }
                Decision::Converged => Standing::Converged,
                Decision::Wait { what, .. } => Standing::Waiting(what),
            };
            if let Some(write) = controller.report(&snapshot, standing, self.moment()) {
                self.write(write);
                return true;
            }
        }
        false
    }

    fn called(&mut self, call: FenceCall<Plain>) -> FenceReply {
        match call {
            FenceCall::Look(target, version) => {
                let pulse = if self.cut.contains(target) { Pulse::Lapsed } else { Pulse::Live };
                let restore = self.targets.values().map(|target| target.restore).max().unwrap_or(0);
                FenceReply::Pulse(version, Ok(pulse), restore)
            }
            FenceCall::Drive { target, fences, epoch } => {
                if fences {
                    self.blocked.insert(target);
                } else {
                    self.blocked.remove(target);
                }
                FenceReply::Driven(fences, epoch, Ok(fences))
            }
        }
    }

    /// One thing that one syncer does.
    fn syncers_act(&mut self) -> bool {
        let names: Vec<_> = self.syncers.keys().copied().collect();
        let known = names.into_iter().filter(|name| self.targets.contains_key(name)).collect::<Vec<_>>();
        known.into_iter().any(|name| {
            let mut known = self.syncers[name].clone();
            let is_cut = self.cut.contains(name);
            known.tenure = match (is_cut, known.tenure) {
                (true, _) => None,
                (false, tenure) => tenure.or(Some(known.view.as_ref().map_or(1, |view| view.tenure + 1))),
            };
            if let (false, Some(view)) = (is_cut, &mut known.view)
                && Some(view.tenure) == known.tenure
            {
                *view = self.seen_by(name, view.tenure);
            }
            let act = known.act();
            if let Ok(act) = &act {
                self.acts.push(format!("{name}: {act:?}"));
                self.perform(name, &mut known, act.clone());
            } else {
                self.detach(name, &mut known);
            }
            let changed = self.syncers[name] != known;
            self.syncers.insert(name, known);
            act.is_ok() || changed
        })
    }

    /// Nodes that work detach what nobody claims.
    fn detach(&self, name: &str, known: &mut Known<Plain>) {
        let volumes = known.here.values_mut().flat_map(|here| here.volumes.values_mut());
        for local in volumes.filter(|local| local.stage == Stage::Leaving && !self.dead.contains(name)) {
            local.stage = Stage::Idle;
        }
    }

    fn seen_by(&self, name: &str, tenure: u64) -> View<Plain> {
        View {
            tenure,
            target: self.targets[name].clone(),
            placements: self.placement.iter().map(|known| (known.name, known.clone())).collect(),
            volumes: self.volumes.clone(),
        }
    }

    fn perform(&mut self, name: &'static str, known: &mut Known<Plain>, act: Act<Plain>) {
        match act {
            Act::Read => {
                let tenure = known.tenure.expect("a lease");
                known.enforces = self.targets[name].wish.enforces;
                known.view = Some(self.seen_by(name, tenure));
            }
            Act::Accept(epoch) => known.accepted = epoch,
            Act::Report(report) => {
                let mut after = self.targets[name].clone();
                after.report = Some(report);
                self.write(status(Object::Target(after)));
            }
            Act::Confirm(Thing::Namespace(space), held) => {
                known.here.entry(space).or_default().held = Some(held)
            }
            Act::Confirm(Thing::Volume(volume), held) => local(known, volume).held = Some(held),
            Act::Stop(space) => known.here.entry(space).or_default().runs = false,
            Act::Retain(volume) => local(known, volume).retained = true,
            Act::Describe(volume) => self.describe(volume),
            Act::Unclaim(volume) => local(known, volume).stage = Stage::Leaving,
            Act::Remove(volume) => {
                known.here.values_mut().for_each(|here| here.volumes.retain(|name, _| *name != volume));
            }
            Act::Destroy(volume) => {
                local(known, volume).stage = Stage::Destroyed;
                assert!(self.placement().doomed, "{volume} is deleted, and nobody has deleted its namespace");
                self.deleted.insert(volume);
            }
            Act::Clear(space) => {
                let here = known.here.remove(space).expect("a namespace");
                assert!(here.volumes.is_empty() && !here.runs, "{here:?}");
            }
            Act::GiveUp(thing, epoch) => drop(known.given.insert(thing, epoch)),
            Act::Say(thing, said) => self.say(name, thing, said),
            Act::Make(volume, held) => {
                let made = Local { held: Some(held), stage: Stage::Idle, retained: true };
                known.here.entry(SHOP).or_default().volumes.insert(volume, made);
            }
            Act::Claim(volume, held) => {
                let is_new = !known.here.get(SHOP).is_some_and(|here| here.volumes.contains_key(volume));
                assert!(
                    !is_new || self.made.insert(volume),
                    "an empty {volume} is made beside the one that is"
                );
                let fresh = Local { held: Some(held), stage: Stage::Bound, retained: false };
                let here = known.here.entry(SHOP).or_default();
                here.volumes.entry(volume).or_insert(fresh).stage = Stage::Bound;
            }
            Act::Start(space, held) => {
                let here = known.here.entry(space).or_default();
                (here.held, here.runs) = (Some(held), true);
            }
            Act::Adopt(volume, held) => {
                self.adopt(name, volume, held);
                local(known, volume).held = Some(held);
            }
        }
    }

    fn adopt(&mut self, name: &'static str, volume: &'static str, held: Held) {
        let its = Use { epoch: held.epoch, fence: held.fence, state: UseState::Granted, said: None };
        let restore = self.targets[name].restore;
        let grant = Grant { epoch: held.epoch, users: [(name, its)].into(), recovering: None, restore };
        let described = Some("csi".to_owned());
        let made = Volume { grant, described, ..blank(volume) };
        assert!(self.volumes.insert(volume, made).is_none());
        self.writes += 1;
    }

    fn describe(&mut self, volume: &'static str) {
        let described = Some("csi".to_owned());
        let after = Volume { described, ..self.volumes[volume].clone() };
        self.write(status(Object::Volume(after)));
    }

    fn say(&mut self, name: &str, thing: Thing<&'static str, &'static str>, said: crate::Said) {
        let mut object = match thing {
            Thing::Namespace(_) => Object::Placement(self.placement().clone()),
            Thing::Volume(volume) => Object::Volume(self.volumes[volume].clone()),
        };
        let grant = match &mut object {
            Object::Placement(placement) => &mut placement.grant,
            Object::Volume(volume) => &mut volume.grant,
            _ => unreachable!("only these are granted"),
        };
        grant.users.get_mut(name).expect("its use").said = Some(said);
        self.write(status(object));
    }

    pub(super) fn objects(&self) -> Vec<Object<Plain>> {
        let placement = self.placement.iter().cloned().map(Object::Placement);
        let volumes = self.volumes.values().cloned().map(Object::Volume);
        let targets = self.targets.values().cloned().map(Object::Target);
        let claims = self.claims.values().cloned().map(Object::Claim);
        placement.chain(volumes).chain(targets).chain(claims).collect()
    }

    fn write(&mut self, write: Write<Object<Plain>>) {
        self.writes += 1;
        match write {
            Write::Create(Object::Volume(volume)) => drop(self.volumes.insert(volume.name, volume)),
            Write::Delete(Object::Volume(volume)) => {
                self.volumes.get_mut(volume.name).expect("a volume").deleting = true;
            }
            Write::Change { after, .. } | Write::Status { after, .. } => self.put(after),
            other => unreachable!("nobody writes {other:?}"),
        }
    }

    fn put(&mut self, after: Object<Plain>) {
        match after {
            Object::Placement(after) => {
                self.placement = Some(after).filter(|placement| placement.held || !placement.deleting);
                if self.placement.is_none() {
                    self.claims.clear();
                }
            }
            Object::Volume(after) => {
                let name = after.name;
                self.volumes.insert(name, after.clone());
                if after.deleting && !after.held {
                    self.volumes.remove(name);
                }
            }
            Object::Target(mut after) => {
                after.version = Version(after.version.0 + 1);
                let name = after.name;
                self.targets.insert(name, after.clone());
                if after.deleting && !after.held {
                    self.targets.remove(name);
                }
            }
            Object::Claim(_) => unreachable!("claims are people's"),
        }
    }

    pub(super) fn moment(&self) -> Moment {
        Moment { clock: self.now, wall: self.now, ..Moment::default() }
    }

    pub(super) fn told(&self) -> &Told<Plain> {
        self.placement().told.as_ref().expect("something is told")
    }

    /// Who runs the namespace, and is not kept from it.
    pub(super) fn runners(&self) -> Vec<&'static str> {
        let runs = |name: &&str, known: &Known<Plain>| {
            !self.blocked.contains(*name) && known.here.get(SHOP).is_some_and(|here| here.runs)
        };
        self.syncers.iter().filter(|(name, known)| runs(name, known)).map(|(name, _)| *name).collect()
    }

    /// Who can use a volume.
    pub(super) fn users(&self, volume: &str) -> Vec<&'static str> {
        let uses = |name: &&str, known: &Known<Plain>| {
            let local = known.here.get(SHOP).and_then(|here| here.volumes.get(volume));
            !self.blocked.contains(*name)
                && local.is_some_and(|local| matches!(local.stage, Stage::Bound | Stage::Leaving))
        };
        self.syncers.iter().filter(|(name, known)| uses(name, known)).map(|(name, _)| *name).collect()
    }

    fn nobody_shares(&self) {
        assert!(self.runners().len() <= 1, "{:?} {:?}", self.runners(), tail(&self.acts));
        for volume in self.volumes.values().filter(|volume| !volume.shared && !self.enforced()) {
            let users = self.users(volume.name);
            assert!(
                users.len() <= 1,
                "{}: {users:?} {:?} {:?}",
                volume.name,
                tail(&self.steps),
                tail(&self.acts)
            );
        }
    }

    fn enforced(&self) -> bool {
        self.targets.values().any(|target| target.wish.enforces)
    }

    /// What is on the hub now, to go back to.
    pub(super) fn backup(&self) -> Vec<Object<Plain>> {
        self.objects().into_iter().filter(|object| !matches!(object, Object::Claim(_))).collect()
    }

    /// `bowline restore`: the objects of a backup, marked.
    pub(super) fn restore(&mut self, mut backup: Vec<Object<Plain>>) {
        let restore = Restore::of(&backup);
        backup.iter_mut().for_each(|object| restore.mark(object, Epoch(JUMP)));
        self.come_back(backup);
    }

    /// Somebody puts the store back to what it was, and tells nobody.
    pub(super) fn come_back(&mut self, backup: Vec<Object<Plain>>) {
        (self.placement, self.volumes, self.targets) = Default::default();
        backup.into_iter().for_each(|object| self.put(object));
        (self.fences, self.memory) = Default::default();
    }
}

/// Where epochs go on after a restore.
pub(super) const JUMP: u64 = 1_000_000;

fn tail(all: &[String]) -> &[String] {
    &all[all.len().saturating_sub(20)..]
}

fn local<'a>(known: &'a mut Known<Plain>, volume: &str) -> &'a mut Local {
    let mut all = known.here.values_mut().filter_map(|here| here.volumes.get_mut(volume));
    all.next().expect("a volume that is here")
}

fn status(object: Object<Plain>) -> Write<Object<Plain>> {
    Write::Status { before: object.clone(), after: object }
}

pub(super) fn new_placement() -> Placement<Plain> {
    Placement {
        name: SHOP,
        uid: 1,
        version: Version(1),
        generation: 1,
        deleting: false,
        held: false,
        doomed: false,
        wish: Wish::default(),
        desired: None,
        grant: Grant::default(),
        told: None,
    }
}

pub(super) fn new_target(name: &'static str) -> Target<Plain> {
    Target {
        name,
        uid: 1,
        version: Version(1),
        generation: 1,
        deleting: false,
        held: false,
        wish: TargetWish { driver: true, ..TargetWish::default() },
        fence: crate::Fence::default(),
        lapsed: None,
        restore: 0,
        report: None,
        told: None,
    }
}

pub(super) fn blank(name: &'static str) -> Volume<Plain> {
    Volume {
        name,
        namespace: SHOP,
        uid: 1,
        version: Version(1),
        deleting: false,
        held: true,
        shared: false,
        abandoned: false,
        only: None,
        described: None,
        unknown: false,
        destroyed: false,
        grant: Grant::default(),
    }
}

fn syncer() -> Known<Plain> {
    Known {
        tenure: Some(1),
        view: None,
        accepted: Epoch(0),
        enforces: false,
        given: BTreeMap::new(),
        here: BTreeMap::<&'static str, Here<Plain>>::new(),
    }
}
