//! The controller as it is shipped, taken apart.

use std::sync::LazyLock;

use bowline_control::{Controller, Decision, EffectOf, Moment, Standing, Write};
use bowline_updates::{Call, Id, Kind, Memory, Object, Reply, Rhythm, Snapshot, Step, Updates, Wait};

use super::{KINDS, world};
use crate::tiny::Tiny;

pub(super) type Shown = Snapshot<Tiny>;
pub(super) type Thing = Object<Tiny>;
pub(super) type Known = Memory<Tiny>;

/// The controller as it is shipped, taken apart. Mutants do one thing otherwise.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) snapshot: fn(&[&Thing], &Known) -> Shown,
    pub(crate) decide: fn(&Shown, Moment) -> Decision<Step, Wait>,
    pub(crate) effect: fn(&Shown, &Step, Moment) -> EffectOf<Shape>,
    pub(crate) report: fn(&Shown, Standing<'_, Wait>, Moment) -> Option<Write<Thing>>,
}

pub(crate) static SHAPE: Shape = Shape {
    snapshot: |objects, memory| SHIPPED_CONTROLLER.snapshot(&0, objects, memory),
    decide: |snapshot, now| SHIPPED_CONTROLLER.decide(snapshot, now),
    effect: |snapshot, step, now| SHIPPED_CONTROLLER.effect(snapshot, step, now),
    report: |snapshot, standing, now| SHIPPED_CONTROLLER.report(snapshot, standing, now),
};

static SHIPPED_CONTROLLER: LazyLock<Updates<Tiny>> = LazyLock::new(|| {
    Updates::new(Rhythm { poll: world::SOON, lease: world::SOON, batch: 2, tries: 1, shows: world::SOON })
});

impl Controller for Shape {
    type Key = u8;
    type Object = Thing;
    type Snapshot = Shown;
    type Step = Step;
    type Wait = Wait;
    type Call = Call<Tiny>;
    type Reply = Reply<Tiny>;
    type Memory = Known;

    fn kinds(&self) -> &[Kind] {
        KINDS
    }

    fn keys(&self, object: &Thing) -> Vec<u8> {
        SHIPPED_CONTROLLER.keys(object)
    }

    fn names(&self, object: &Thing) -> Vec<Id<u8, u8, u8>> {
        SHIPPED_CONTROLLER.names(object)
    }

    fn snapshot(&self, _: &u8, objects: &[&Thing], memory: &Known) -> Shown {
        (self.snapshot)(objects, memory)
    }

    fn decide(&self, snapshot: &Shown, now: Moment) -> Decision<Step, Wait> {
        (self.decide)(snapshot, now)
    }

    fn effect(&self, snapshot: &Shown, step: &Step, now: Moment) -> EffectOf<Shape> {
        (self.effect)(snapshot, step, now)
    }

    fn report(&self, snapshot: &Shown, standing: Standing<'_, Wait>, now: Moment) -> Option<Write<Thing>> {
        (self.report)(snapshot, standing, now)
    }

    fn learn(&self, memory: &mut Known, step: &Step, reply: Reply<Tiny>, now: Moment) -> Result<(), String> {
        SHIPPED_CONTROLLER.learn(memory, step, reply, now)
    }
}
