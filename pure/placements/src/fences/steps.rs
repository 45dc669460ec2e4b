//! How a step is one write, or one call.

use bowline_control::{Effect, Write};

use super::decide::Case;
use super::{FenceCall, FenceStep};
use crate::object::Object;
use crate::state::Names;
use crate::target::{Fence, FenceState, Target};

type EffectOf<N> = Effect<Object<N>, FenceCall<N>>;

impl<N: Names> Case<'_, N> {
    pub(super) fn effect(&self, step: FenceStep) -> EffectOf<N> {
        let fence = self.target.fence;
        match step {
            FenceStep::Hold => self.hold(true),
            FenceStep::LetGo => self.hold(false),
            FenceStep::Look => Effect::Call(FenceCall::Look(self.target.name.clone(), self.target.version)),
            FenceStep::Drive(fences) => {
                let epoch = if fences { fence.epoch.next() } else { fence.epoch };
                Effect::Call(FenceCall::Drive { target: self.target.name.clone(), fences, epoch })
            }
            FenceStep::Recover(restore) => {
                let mut after = self.target.clone();
                let said = after.report.as_ref().map_or(fence.epoch, |report| report.fence);
                let above = self.rhythm.jump.above(fence.epoch.max(said), self.now.wall);
                after.recover(restore, above);
                self.status(after)
            }
            FenceStep::Lose => self.status(Target { lapsed: Some(self.now.wall), ..self.target.clone() }),
            FenceStep::Return => self.status(Target { lapsed: None, ..self.target.clone() }),
            FenceStep::Request => self.with_fence(Fence { state: FenceState::Requested, ..fence }),
            // Not before: a fence that is only asked for must not make void what is in use.
            FenceStep::Fence(by) => {
                self.with_fence(Fence { state: FenceState::Fenced, epoch: fence.epoch.next(), by })
            }
            FenceStep::Unfence => self.with_fence(Fence { state: FenceState::Unfencing, ..fence }),
            FenceStep::Open => self.with_fence(Fence { state: FenceState::Open, ..fence }),
        }
    }

    fn hold(&self, held: bool) -> EffectOf<N> {
        let after = Target { held, ..self.target.clone() };
        Effect::Write(Write::Change {
            before: Object::Target(self.target.clone()),
            after: Object::Target(after),
        })
    }

    fn with_fence(&self, fence: Fence) -> EffectOf<N> {
        self.status(Target { fence, ..self.target.clone() })
    }

    fn status(&self, after: Target<N>) -> EffectOf<N> {
        Effect::Write(Write::Status {
            before: Object::Target(self.target.clone()),
            after: Object::Target(after),
        })
    }
}
