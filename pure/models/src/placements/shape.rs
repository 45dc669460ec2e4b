//! The controllers and the syncer as they are shipped, taken apart.

use std::sync::LazyLock;

use bowline_control::{Controller, Decision, EffectOf, Moment, Standing, Write};
use bowline_placements::syncer::{Act, Idle, Known};
use bowline_placements::{
    FenceSnapshot, FenceStep, FenceWait, Fences, Id, Jump, Kind, Memory, Object, Placements, Reply, Rhythm,
    Snapshot, Step, Survey, Wait,
};

use super::KINDS;
use crate::tiny::Tiny;

pub(super) type Shown = Snapshot<Tiny>;
pub(super) type Thing = Object<Tiny>;
pub(super) type Remembered = Memory<Tiny>;
pub(super) type Decided = Decision<Step<Tiny>, Wait<Tiny>>;
/// What a syncer does next, or waits for.
pub(super) type Next = Result<Act<Tiny>, Idle<Tiny>>;
pub(super) type Stands<'a> = Standing<'a, Wait<Tiny>>;

/// Hub and syncer as they are shipped, taken apart. Mutants do one thing otherwise.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) snapshot: fn(u8, &[&Thing], &Remembered) -> Shown,
    pub(crate) decide: fn(&Shown, Moment) -> Decided,
    pub(crate) effect: fn(&Shown, &Step<Tiny>, Moment) -> EffectOf<Shape>,
    pub(crate) report: fn(&Shown, Stands<'_>, Moment) -> Option<Write<Thing>>,
    pub(crate) act: fn(&Known<Tiny>) -> Next,
    pub(crate) fence: fn(&FenceSnapshot<Tiny>, Moment) -> Decision<FenceStep, FenceWait>,
}

pub(crate) static SHAPE: Shape = Shape {
    snapshot: |key, objects, memory| HUB.snapshot(&key, objects, memory),
    decide: |snapshot, now| HUB.decide(snapshot, now),
    effect: |snapshot, step, now| HUB.effect(snapshot, step, now),
    report: |snapshot, standing, now| HUB.report(snapshot, standing, now),
    act: Known::act,
    fence: |snapshot, now| FENCES.decide(snapshot, now),
};

/// Epochs go on above all that were given away; where that is, is for who sees them all (`restore.rs`).
fn rhythm() -> Rhythm {
    Rhythm { jump: Jump::By(0), ..Rhythm::default() }
}

static HUB: LazyLock<Placements<Tiny>> = LazyLock::new(|| Placements::new(rhythm()));
pub(super) static FENCES: LazyLock<Fences<Tiny>> = LazyLock::new(|| Fences::new(rhythm()));

impl Controller for Shape {
    type Key = u8;
    type Object = Thing;
    type Snapshot = Shown;
    type Step = Step<Tiny>;
    type Wait = Wait<Tiny>;
    type Call = Survey;
    type Reply = Reply<Tiny>;
    type Memory = Remembered;

    /// Nobody asks for volumes here.
    fn kinds(&self) -> &[Kind] {
        KINDS
    }

    fn keys(&self, object: &Thing) -> Vec<u8> {
        HUB.keys(object)
    }

    fn names(&self, object: &Thing) -> Vec<Id<u8, u8, u8>> {
        HUB.names(object)
    }

    fn snapshot(&self, key: &u8, objects: &[&Thing], memory: &Remembered) -> Shown {
        (self.snapshot)(*key, objects, memory)
    }

    fn decide(&self, snapshot: &Shown, now: Moment) -> Decided {
        (self.decide)(snapshot, now)
    }

    fn effect(&self, snapshot: &Shown, step: &Step<Tiny>, now: Moment) -> EffectOf<Shape> {
        (self.effect)(snapshot, step, now)
    }

    fn report(&self, snapshot: &Shown, standing: Stands<'_>, now: Moment) -> Option<Write<Thing>> {
        (self.report)(snapshot, standing, now)
    }

    fn learn(
        &self,
        memory: &mut Remembered,
        step: &Step<Tiny>,
        reply: Reply<Tiny>,
        now: Moment,
    ) -> Result<(), String> {
        HUB.learn(memory, step, reply, now)
    }
}
