//! The decisions of upgrades as they are shipped, taken apart. Mutants do one thing otherwise.

use std::sync::LazyLock;

use bowline_control::{Controller, Decision, Effect, Moment};
use bowline_upgrades::{Call, Command, Object, Refusal, Rhythm, Snapshot, Step, Upgrades, Wait};

use super::few::Few;

pub(super) type Shown = Snapshot<Few>;
pub(super) type Decided = Decision<Step<Few>, Wait<Few>>;
pub(super) type Done = Effect<Object<Few>, Call<Few>>;
pub(super) type Answer = Result<Step<Few>, Refusal<Few>>;

#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) decide: fn(&Shown, Moment) -> Decided,
    pub(super) effect: fn(&Shown, &Step<Few>, Moment) -> Done,
    /// What a command would come to.
    pub(super) would: fn(&Shown, &Command<Few>) -> Answer,
}

pub(super) static SHAPE: Shape = Shape {
    decide: |snapshot, now| SHIPPED.decide(snapshot, now),
    effect: |snapshot, step, now| SHIPPED.effect(snapshot, step, now),
    would: |snapshot, command| SHIPPED.would(snapshot, command, Moment::default()),
};

static SHIPPED: LazyLock<Upgrades<Few>> = LazyLock::new(|| Upgrades::new(Rhythm::default()));
