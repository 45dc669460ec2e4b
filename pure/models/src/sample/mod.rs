//! The small controller of `bowline-sample` in the harness: what the loop is proved on.

mod expected;
#[cfg(test)]
pub(crate) mod mutants;
mod names;
mod properties;
mod rehearsal;
#[cfg(test)]
mod tests;

use bowline_control::{Controller, Decision, EffectOf, KindOf, Moment, Standing, Verdict, Write};
use bowline_explorer::Property;
use bowline_sample::{Kind, Object, Pairs, Side, Snapshot, Step, Wait};

pub(crate) use self::expected::EXPECTED;
#[cfg(test)]
pub(crate) use self::names::is_pair;
pub use self::rehearsal::{Move, Part, rehearsal};
use crate::catalogue::{Entry, Size, number};
use crate::harness::{
    Action, Bounds, Deed, Edit, FAULTS, Fault, Flat, Harness, Nothing, Objects, SHIPPED, State, System, Who,
    kinds_of, padded,
};
use crate::tiny::Tiny;

pub(crate) const CONTROL: Entry = Entry {
    name: "control",
    about: "the worker loop on a small controller: lagging caches, lost answers, crashes, competing writers",
    sizes: &[
        number("instances", "pairs", 1, (1, 2)),
        number("workers", "effects under way at a time", 1, (1, 2)),
        number("lag", "changes of a kind that its cache may be behind", 2, (0, 3)),
        number("creates", "how often people make a pair", 1, (1, 3)),
        number("edits", "how often people change what they want", 1, (0, 3)),
        number("deletes", "how often people delete a pair", 1, (0, 3)),
        number("bound", "effects that are too many; 0: they are not counted", 0, (0, 60)),
    ],
    faults: kinds_of::<Sample>(),
    build: |size, faults| {
        let budgets = Fault::NAMES.map(|kind| faults.of(kind));
        Ok(Box::new(Harness::new(Sample(SHAPE), bounds(size, budgets), SHIPPED)))
    },
};

pub(crate) fn bounds(size: &Size, faults: [u8; FAULTS]) -> Bounds {
    Bounds {
        instances: size.small("instances"),
        workers: size.small("workers"),
        lag: size.small("lag"),
        effects: size.small("bound"),
        faults,
        people: padded(["creates", "edits", "deletes"].map(|key| size.small(key))),
    }
}

type Shown = Snapshot<Tiny>;
type Thing = Object<Tiny>;

/// The controller as it is shipped, taken apart. Mutants do one thing otherwise.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    keys: fn(&Thing) -> Vec<u8>,
    snapshot: fn(&u8, &[&Thing]) -> Shown,
    decide: fn(&Shown) -> Decision<Step, Wait>,
    report: fn(&Shown, Standing<'_, Wait>) -> Option<Write<Thing>>,
}

pub(crate) static SHAPE: Shape = Shape {
    keys: |object| shipped().keys(object),
    snapshot: |key, objects| shipped().snapshot(key, objects, &()),
    decide: |snapshot| shipped().decide(snapshot, Moment::default()),
    report: |snapshot, standing| shipped().report(snapshot, standing, Moment::default()),
};

fn shipped() -> Pairs<Tiny> {
    Pairs::default()
}

impl Controller for Shape {
    type Key = u8;
    type Object = Thing;
    type Snapshot = Shown;
    type Step = Step;
    type Wait = Wait;
    type Call = std::convert::Infallible;
    type Reply = std::convert::Infallible;
    type Memory = ();

    fn kinds(&self) -> &[Kind] {
        KINDS
    }

    fn keys(&self, object: &Thing) -> Vec<u8> {
        (self.keys)(object)
    }

    fn snapshot(&self, key: &u8, objects: &[&Thing], _: &()) -> Shown {
        (self.snapshot)(key, objects)
    }

    fn decide(&self, snapshot: &Shown, _: Moment) -> Decision<Step, Wait> {
        (self.decide)(snapshot)
    }

    fn effect(&self, snapshot: &Shown, step: &Step, now: Moment) -> EffectOf<Shape> {
        shipped().effect(snapshot, step, now)
    }

    fn report(&self, snapshot: &Shown, standing: Standing<'_, Wait>, _: Moment) -> Option<Write<Thing>> {
        (self.report)(snapshot, standing)
    }

    fn learn(
        &self,
        memory: &mut (),
        step: &Step,
        reply: std::convert::Infallible,
        now: Moment,
    ) -> Result<(), String> {
        shipped().learn(memory, step, reply, now)
    }
}

const KINDS: &[Kind] = &[Kind::Pair, Kind::Half];

/// The protocol of pairs, and who else is about: people, and those who make halves ready.
pub(crate) struct Sample(pub(crate) Shape);

impl System for Sample {
    type Controller = Shape;
    type Outside = Nothing;

    const BUDGETS: &'static [&'static str] = &["creates", "edits", "deletes"];

    const POINTS: &'static [&'static str] = &[
        "look",
        "report",
        "hold",
        "let go",
        "make left",
        "make right",
        "mend left",
        "mend right",
        "remove left",
        "remove right",
    ];

    fn controller(&self) -> Shape {
        self.0
    }

    fn kinds(&self) -> &'static [KindOf<Thing>] {
        KINDS
    }

    fn kind(slot: u8) -> u8 {
        u8::from(!names::is_pair(slot))
    }

    fn wanted(_slot: u8) -> usize {
        1
    }

    fn id(slot: u8) -> bowline_sample::Id<u8> {
        names::id(slot)
    }

    fn slot(id: &bowline_sample::Id<u8>) -> u8 {
        names::slot(id)
    }

    fn object(slot: u8, flat: Flat) -> Thing {
        names::object(slot, flat)
    }

    fn flat(object: &Thing) -> Flat {
        names::flat(object)
    }

    fn point(verdict: &Verdict<Step, Wait>) -> u8 {
        let side = |side: Side| side as u8;
        match verdict {
            Verdict::Look => 0,
            Verdict::Wait(_) | Verdict::Converged | Verdict::Failing(_) | Verdict::Stalled(_) => 1,
            Verdict::Do(Step::Hold) => 2,
            Verdict::Do(Step::LetGo) => 3,
            Verdict::Do(Step::Make(of)) => 4 + side(*of),
            Verdict::Do(Step::Mend(of)) => 6 + side(*of),
            Verdict::Do(Step::Remove(of)) => 8 + side(*of),
        }
    }

    fn deeds(&self, objects: &Objects, _: &State, instances: u8, out: &mut Vec<Deed>) {
        for slot in (0..objects.len() as u8).filter(|slot| self.uses(*slot, instances)) {
            let there = objects[usize::from(slot)];
            let mut may = |who, what, about| out.push(Deed { who, what, slot, about });
            match there {
                None if names::is_pair(slot) => may(Who::Person(0), Edit::Create(names::NEW_PAIR), "Create"),
                None if names::is_named_half(slot) => {
                    may(Who::Drift, Edit::Create(names::STRANGE_HALF), "Squat")
                }
                None => {}
                Some(flat) if names::is_pair(slot) && flat.deleting => {}
                Some(flat) if names::is_pair(slot) => {
                    may(Who::Person(1), Edit::Replace(names::with_other_value(flat)), "Edit");
                    may(Who::Person(2), Edit::Delete, "Delete");
                }
                Some(flat) => {
                    if !names::is_ready(&flat) && !flat.deleting {
                        may(Who::Runner, Edit::Replace(names::made_ready(flat)), "MakeReady");
                    }
                    may(Who::Drift, Edit::Replace(names::with_other_value(flat)), "Spoil");
                    may(Who::Drift, Edit::Delete, "Steal");
                }
            }
        }
    }

    fn uses(&self, slot: u8, instances: u8) -> bool {
        names::instance(slot) < instances
    }

    fn properties(&self) -> Vec<Property<Harness<Sample>>> {
        properties::all()
    }

    fn place_name(slot: u8) -> String {
        names::place_name(slot)
    }

    fn describe(slot: u8, flat: &Flat) -> String {
        names::describe(slot, flat)
    }

    /// Which halves were made by a request that somebody left behind.
    fn ghost(&self, before: &State, action: &Action, after: &State) -> u8 {
        properties::made_late(before, action, after)
    }
}

#[cfg(test)]
pub(crate) fn at(
    size: &str,
    faults: [u8; FAULTS],
    shape: Shape,
    rules: crate::harness::Rules,
) -> Harness<Sample> {
    let size = CONTROL.size(size).expect("a size that works");
    Harness::new(Sample(shape), bounds(&size, faults), rules)
}
