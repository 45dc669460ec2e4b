//! Controllers that take a failure for something else.

use bowline_control::{Decision, EffectOf, Moment};
use bowline_updates::{Fault, Quarantined, Stage, Step, Wait};

use super::{SHAPE, Shape, otherwise, rewritten};
use crate::tiny::Words;
use crate::updates::shape::Shown;

pub(super) fn forgets_what_failed(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    otherwise(shown, now, |shown| {
        if let Some(stack) = &mut shown.stack {
            stack.status.quarantined.clear();
        }
    })
}

pub(super) fn calls_it_failed(shown: &Shown, step: &Step, now: Moment) -> EffectOf<Shape> {
    rewritten(shown, step, now, |_, after| {
        if let Step::BackOut(_) = step {
            for request in &mut after.status.requests {
                if request.stage == Stage::PartialFailure {
                    request.stage = Stage::Failed;
                }
            }
        }
    })
}

pub(super) fn does_not_start_after_a_failure(shown: &Shown, now: Moment) -> Decision<Step, Wait> {
    let has_failed = shown.stack.as_ref().is_some_and(|stack| !stack.status.quarantined.is_empty());
    match (SHAPE.decide)(shown, now) {
        Decision::Do(Step::Start(_)) if has_failed => Decision::Wait { what: Wait::Person, until: None },
        other => other,
    }
}

pub(super) fn blames_what_may_not_be_there(shown: &Shown, step: &Step, now: Moment) -> EffectOf<Shape> {
    rewritten(shown, step, now, |before, after| {
        let number = before.status.phase.number().filter(|_| *step == Step::BackOut(Fault::NotAllowed));
        if let Some(request) = number.and_then(|number| before.request(number)) {
            let (digest, number) = (request.digest, request.number);
            after.status.quarantined.push(Quarantined { digest, number, why: Words });
        }
    })
}
