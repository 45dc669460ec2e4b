//! The controller as it is shipped, taken apart.

use std::sync::LazyLock;

use bowline_control::{Controller, Decision, EffectOf, Millis, Moment, Standing, Write};
use bowline_identities::{Call, Id, Identities, Kind, Memory, Object, Reply, Rhythm, Snapshot, Step, Wait};

use super::KINDS;
use crate::tiny::Tiny;

pub(super) type Shown = Snapshot<Tiny>;
pub(super) type Thing = Object<Tiny>;
pub(super) type Remembered = Memory<Tiny>;

/// The controller as it is shipped, taken apart. Mutants do one thing otherwise.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) snapshot: fn(u8, &[&Thing], &Remembered) -> Shown,
    pub(crate) decide: fn(&Shown, Moment) -> Decision<Step, Wait>,
    pub(crate) effect: fn(&Shown, &Step, Moment) -> EffectOf<Shape>,
    pub(crate) report: fn(&Shown, Standing<'_, Wait>, Moment) -> Option<Write<Thing>>,
    pub(crate) learn: fn(&mut Remembered, &Step, Reply<Tiny>, Moment) -> Result<(), String>,
}

pub(crate) static SHAPE: Shape = Shape {
    snapshot: |key, objects, memory| SHIPPED_CONTROLLER.snapshot(&key, objects, memory),
    decide: |snapshot, now| SHIPPED_CONTROLLER.decide(snapshot, now),
    effect: |snapshot, step, now| SHIPPED_CONTROLLER.effect(snapshot, step, now),
    report: |snapshot, standing, now| SHIPPED_CONTROLLER.report(snapshot, standing, now),
    learn: |memory, step, reply, now| SHIPPED_CONTROLLER.learn(memory, step, reply, now),
};

/// How many versions of a policy there can be, so that there can be too many.
pub(super) const VERSIONS: u8 = 2;
/// How many policies a role has room for, so that it can be full.
pub(super) const ATTACHMENTS: u8 = 2;
/// How often it is looked for what arrived late.
pub(super) const SWEEPS: u8 = 2;
const SOON: Millis = Millis(1_000);

static SHIPPED_CONTROLLER: LazyLock<Identities<Tiny>> = LazyLock::new(|| {
    let rhythm = Rhythm {
        settle: SOON,
        drift: SOON,
        retry: SOON,
        sweeps: vec![SOON; SWEEPS.into()],
        tries: 1,
        versions: VERSIONS,
        attachments: ATTACHMENTS,
        ..Rhythm::default()
    };
    Identities::new(Some(()), rhythm)
});

impl Controller for Shape {
    type Key = u8;
    type Object = Thing;
    type Snapshot = Shown;
    type Step = Step;
    type Wait = Wait;
    type Call = Call<Tiny>;
    type Reply = Reply<Tiny>;
    type Memory = Remembered;

    /// No identity names a cluster here.
    fn kinds(&self) -> &[Kind] {
        KINDS
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

    fn decide(&self, snapshot: &Shown, now: Moment) -> Decision<Step, Wait> {
        (self.decide)(snapshot, now)
    }

    fn effect(&self, snapshot: &Shown, step: &Step, now: Moment) -> EffectOf<Shape> {
        (self.effect)(snapshot, step, now)
    }

    fn report(&self, snapshot: &Shown, standing: Standing<'_, Wait>, now: Moment) -> Option<Write<Thing>> {
        (self.report)(snapshot, standing, now)
    }

    fn learn(
        &self,
        memory: &mut Remembered,
        step: &Step,
        reply: Reply<Tiny>,
        now: Moment,
    ) -> Result<(), String> {
        (self.learn)(memory, step, reply, now)
    }
}
