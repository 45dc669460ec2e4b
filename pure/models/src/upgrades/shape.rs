//! The controller as it is shipped, taken apart.

use std::sync::LazyLock;

use bowline_control::{Controller, Decision, EffectOf, Millis, Moment, Standing, Write};
use bowline_upgrades::agent::{Act, Idle, Known};
use bowline_upgrades::{
    Call, Command, Id, Kind, Memory, Object, Refusal, Reply, Rhythm, Snapshot, Step, Upgrades, Wait,
};

use super::WITHOUT_CLUSTER;
use super::node::NOW;
use crate::tiny::Tiny;

pub(super) type Shown = Snapshot<Tiny>;
pub(super) type Thing = Object<Tiny>;
pub(super) type Remembered = Memory<Tiny>;
pub(super) type Decided = Decision<Step<Tiny>, Wait<Tiny>>;
pub(super) type Stands<'a> = Standing<'a, Wait<Tiny>>;
pub(super) type Answer = Result<Step<Tiny>, Refusal<Tiny>>;

/// Group and agent as they are shipped, taken apart. Mutants do one thing otherwise.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) snapshot: fn(u8, &[&Thing], &Remembered) -> Shown,
    pub(crate) decide: fn(&Shown, Moment) -> Decided,
    pub(crate) effect: fn(&Shown, &Step<Tiny>, Moment) -> EffectOf<Shape>,
    pub(crate) report: fn(&Shown, Stands<'_>, Moment) -> Option<Write<Thing>>,
    pub(crate) act: fn(&Known<Tiny>) -> Result<Act<Tiny>, Idle>,
    /// What a command would come to.
    pub(crate) would: fn(&Shown, &Command<Tiny>) -> Answer,
    /// What there is, beside nodes.
    pub(crate) kinds: &'static [Kind],
}

pub(crate) static SHAPE: Shape = Shape {
    snapshot: |key, objects, memory| SHIPPED_CONTROLLER.snapshot(&key, objects, memory),
    decide: |snapshot, now| SHIPPED_CONTROLLER.decide(snapshot, now),
    effect: |snapshot, step, now| SHIPPED_CONTROLLER.effect(snapshot, step, now),
    report: |snapshot, standing, now| SHIPPED_CONTROLLER.report(snapshot, standing, now),
    act: |known| known.act(NOW),
    would: |snapshot, command| SHIPPED_CONTROLLER.would(snapshot, command, Moment::default()),
    kinds: WITHOUT_CLUSTER,
};

static SHIPPED_CONTROLLER: LazyLock<Upgrades<Tiny>> =
    LazyLock::new(|| Upgrades::new(Rhythm { pulse: Millis(1_000) }));

impl Controller for Shape {
    type Key = u8;
    type Object = Thing;
    type Snapshot = Shown;
    type Step = Step<Tiny>;
    type Wait = Wait<Tiny>;
    type Call = Call<Tiny>;
    type Reply = Reply<Tiny>;
    type Memory = Remembered;

    fn kinds(&self) -> &[Kind] {
        self.kinds
    }

    fn keys(&self, object: &Thing) -> Vec<u8> {
        SHIPPED_CONTROLLER.keys(object)
    }

    fn names(&self, object: &Thing) -> Vec<Id<u8, u8, u8>> {
        SHIPPED_CONTROLLER.names(object)
    }

    fn snapshot(&self, key: &u8, objects: &[&Thing], memory: &Remembered) -> Shown {
        (self.snapshot)(*key, objects, memory)
    }

    fn decide(&self, snapshot: &Shown, now: Moment) -> Decision<Step<Tiny>, Wait<Tiny>> {
        (self.decide)(snapshot, now)
    }

    fn effect(&self, snapshot: &Shown, step: &Step<Tiny>, now: Moment) -> EffectOf<Shape> {
        (self.effect)(snapshot, step, now)
    }

    fn report(
        &self,
        snapshot: &Shown,
        standing: Standing<'_, Wait<Tiny>>,
        now: Moment,
    ) -> Option<Write<Thing>> {
        (self.report)(snapshot, standing, now)
    }

    fn learn(
        &self,
        memory: &mut Remembered,
        step: &Step<Tiny>,
        reply: Reply<Tiny>,
        now: Moment,
    ) -> Result<(), String> {
        SHIPPED_CONTROLLER.learn(memory, step, reply, now)
    }
}
