//! The controller of `bowline-clusters` in the harness: it calls what is outside, remembers what that said, and looks for ever.

mod expected;
mod grounds;
#[cfg(test)]
pub(crate) mod mutants;
mod names;
mod properties;
#[cfg(test)]
mod tests;

use bowline_clusters::{Cluster, Clusters, Home, Id, Memory, Reply, Rhythm, Snapshot, Step, Wait};
use bowline_control::{Controller, Decision, EffectOf, Moment, Standing, Verdict, Write};
use bowline_explorer::Property;

pub(crate) use self::expected::EXPECTED;
use self::grounds::{Ground, Grounds};
use crate::catalogue::{Entry, Size, SizeKey, Value, number};
use crate::harness::{
    Action, Bounds, Deed, Edit, FAULTS, Fault, Flat, Harness, Objects, SHIPPED, State, System, Who, kinds_of,
    padded,
};
use crate::tiny::Tiny;

pub(crate) const CLUSTERS: Entry = Entry {
    name: "clusters",
    about: "clusters that are looked at for ever, started and stopped if they are embedded, while things go wrong",
    sizes: &[
        number("instances", "clusters", 1, (1, 2)),
        number("workers", "effects under way at a time", 1, (1, 2)),
        number("lag", "changes that the cache may be behind", 2, (0, 3)),
        number("creates", "how often people make a cluster", 2, (1, 3)),
        number("edits", "how often people change what they want", 1, (0, 3)),
        number("deletes", "how often people delete a cluster", 1, (0, 3)),
        number("turns", "how often a cluster falls silent, answers again, or its server ends", 2, (0, 3)),
        number(
            "moves",
            "how often people point a cluster at another server, or back; 0: no server says which one it is",
            0,
            (0, 3),
        ),
        number("bound", "effects that are too many; 0: they are not counted", 0, (0, 60)),
        SizeKey {
            name: "hub",
            about: "the controller runs in the hub; if not, it can neither start nor stop what is embedded",
            default: Value::Flag(true),
            range: (0, 0),
        },
    ],
    faults: kinds_of::<Fleet>(),
    build: |size, faults| {
        let budgets = Fault::NAMES.map(|kind| faults.of(kind));
        Ok(Box::new(Harness::new(fleet(size, SHAPE), bounds(size, budgets), SHIPPED)))
    },
};

fn fleet(size: &Size, shape: Shape) -> Fleet {
    let home = if size.flag("hub") { Home::Hub } else { Home::Elsewhere };
    Fleet { shape: Shape { home, ..shape }, tells: size.small("moves") > 0 }
}

fn bounds(size: &Size, faults: [u8; FAULTS]) -> Bounds {
    Bounds {
        instances: size.small("instances"),
        workers: size.small("workers"),
        lag: size.small("lag"),
        effects: size.small("bound"),
        faults,
        people: padded(BUDGETS.map(|key| size.small(key))),
    }
}

type Shown = Snapshot<Tiny>;
type Thing = Cluster<Tiny>;
type Known = Memory<Tiny>;

/// The controller as it is shipped, taken apart. Mutants do one thing otherwise.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    home: Home,
    snapshot: fn(&[&Thing], &Known) -> Shown,
    decide: fn(Home, &Shown, Moment) -> Decision<Step, Wait>,
    report: fn(&Shown, Standing<'_, Wait>) -> Option<Write<Thing>>,
    learn: fn(&mut Known, Reply<Tiny>, Moment) -> Result<(), String>,
}

pub(crate) static SHAPE: Shape = Shape {
    home: Home::Hub,
    snapshot: |objects, memory| shipped(Home::Hub).snapshot(&0, objects, memory),
    decide: |home, snapshot, now| shipped(home).decide(snapshot, now),
    report: |snapshot, standing| shipped(Home::Hub).report(snapshot, standing, Moment::default()),
    learn: |memory, reply, now| shipped(Home::Hub).learn(memory, &Step::Probe, reply, now),
};

fn shipped(home: Home) -> Clusters<Tiny> {
    Clusters::new(home, Rhythm::default())
}

impl Controller for Shape {
    type Key = u8;
    type Object = Thing;
    type Snapshot = Shown;
    type Step = Step;
    type Wait = Wait;
    type Call = bowline_clusters::Call<Tiny>;
    type Reply = Reply<Tiny>;
    type Memory = Known;

    fn kinds(&self) -> &[()] {
        KINDS
    }

    fn keys(&self, cluster: &Thing) -> Vec<u8> {
        shipped(self.home).keys(cluster)
    }

    fn snapshot(&self, _: &u8, objects: &[&Thing], memory: &Known) -> Shown {
        (self.snapshot)(objects, memory)
    }

    fn decide(&self, snapshot: &Shown, now: Moment) -> Decision<Step, Wait> {
        (self.decide)(self.home, snapshot, now)
    }

    fn effect(&self, snapshot: &Shown, step: &Step, now: Moment) -> EffectOf<Shape> {
        shipped(self.home).effect(snapshot, step, now)
    }

    fn report(&self, snapshot: &Shown, standing: Standing<'_, Wait>, _: Moment) -> Option<Write<Thing>> {
        (self.report)(snapshot, standing)
    }

    fn learn(&self, memory: &mut Known, _: &Step, reply: Reply<Tiny>, now: Moment) -> Result<(), String> {
        (self.learn)(memory, reply, now)
    }
}

const KINDS: &[()] = &[()];
const BUDGETS: [&str; 5] = ["creates", "edits", "deletes", "turns", "moves"];

/// The protocol of clusters, and who else is about: people, and a world that changes by itself.
pub(crate) struct Fleet {
    shape: Shape,
    /// Servers say which they are.
    tells: bool,
}

/// The number in [`System::POINTS`] from which on effects are calls.
const CALLS: usize = 4;

impl System for Fleet {
    type Controller = Shape;
    type Outside = Grounds;

    const BUDGETS: &'static [&'static str] = &BUDGETS;

    const POINTS: &'static [&'static str] = &["look", "report", "hold", "let go", "probe", "stop"];

    fn controller(&self) -> Shape {
        self.shape
    }

    fn kinds(&self) -> &'static [()] {
        KINDS
    }

    fn kind_name(&self, _: u8) -> String {
        "Cluster".to_owned()
    }

    fn kind(_slot: u8) -> u8 {
        0
    }

    fn wanted(_slot: u8) -> usize {
        1
    }

    fn id(slot: u8) -> Id<u8> {
        names::id(slot)
    }

    fn slot(id: &Id<u8>) -> u8 {
        id.0
    }

    fn object(slot: u8, flat: Flat) -> Thing {
        names::object(slot, flat)
    }

    fn flat(object: &Thing) -> Flat {
        names::flat(object)
    }

    fn point(verdict: &Verdict<Step, Wait>) -> u8 {
        match verdict {
            Verdict::Look => 0,
            Verdict::Wait(_) | Verdict::Converged | Verdict::Failing(_) | Verdict::Stalled(_) => 1,
            Verdict::Do(Step::Hold) => 2,
            Verdict::Do(Step::LetGo) => 3,
            Verdict::Do(Step::Probe) => 4,
            Verdict::Do(Step::Stop) => 5,
        }
    }

    /// Only what is outside fails as a provider does.
    fn can_hit(&self, fault: Fault, point: usize) -> bool {
        fault != Fault::Provider || point >= CALLS
    }

    fn deeds(&self, objects: &Objects, s: &State, instances: u8, out: &mut Vec<Deed>) {
        for slot in 0..instances {
            let mut may = |who, what, about| out.push(Deed { who, what, slot, about });
            let Some(flat) = objects[usize::from(slot)] else {
                may(Who::Person(0), Edit::Create(names::EMBEDDED), "Create");
                may(Who::Person(0), Edit::Create(names::BY_KUBECONFIG), "Register");
                if self.shape.home == Home::Elsewhere {
                    may(Who::Person(0), Edit::Create(names::INHERITED), "Inherit");
                }
                continue;
            };
            if !flat.deleting {
                may(Who::Person(1), Edit::Replace(names::with_another_wish(flat)), "Edit");
                may(Who::Person(2), Edit::Delete, "Delete");
                if !names::is_embedded(&flat) {
                    may(Who::Person(4), Edit::Replace(names::moved(flat)), "Point");
                }
            }
            may(Who::Drift, Edit::Replace(names::spoiled(flat)), "Spoil");
            if names::is_held(&flat) {
                may(Who::Drift, Edit::Replace(names::stripped(flat)), "Strip");
            }
            let ground = Ground::of(&s.outside[usize::from(slot)]);
            let mut turns =
                |ground: Ground, about| may(Who::Person(3), Edit::Outside(slot, ground.note()), about);
            match (names::is_embedded(&flat), ground.silent) {
                (true, _) if ground.runs > 0 => turns(Ground { runs: 0, ..ground }, "End"),
                (true, _) => {}
                (false, true) => turns(Ground { silent: false, ..ground }, "Answer"),
                (false, false) => turns(Ground { silent: true, ..ground }, "Silence"),
            }
        }
    }

    fn uses(&self, slot: u8, instances: u8) -> bool {
        slot < instances
    }

    fn properties(&self) -> Vec<Property<Harness<Fleet>>> {
        properties::all()
    }

    fn place_name(slot: u8) -> String {
        names::place_name(slot)
    }

    fn describe(slot: u8, flat: &Flat) -> String {
        names::describe(slot, flat)
    }

    fn ghost(&self, before: &State, action: &Action, after: &State) -> u8 {
        properties::remembered(before, action, after)
    }
}

#[cfg(test)]
pub(crate) fn at(
    size: &str,
    faults: [u8; FAULTS],
    shape: Shape,
    rules: crate::harness::Rules,
) -> Harness<Fleet> {
    let size = CLUSTERS.size(size).expect("a size that works");
    Harness::new(fleet(&size, shape), bounds(&size, faults), rules)
}
