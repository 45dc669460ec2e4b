//! What can be seen of versions, and of the updates that ask for them.

use bowline_updates::{Number, Phase, Stack, Stage};

use super::{is_paused, is_stalled, stack, updates};
use crate::harness::{Action, State};
use crate::tiny::Tiny;
use crate::updates::memory;
use crate::updates::world::World;

pub(super) fn discards_only_what_has_ended(before: &State, after: &State, key: u8) -> bool {
    let good = stack(before, key).and_then(|stack| stack.status.good).map(|good| good.number);
    let is_left =
        |update: &bowline_updates::Update<Tiny>| updates(after, key).any(|left| left.name == update.name);
    updates(before, key).filter(|update| !is_left(update)).all(|update| {
        update.shown.is_some_and(|shown| shown.stage.is_last() && (good.is_none() || shown.number != good))
    })
}

pub(super) fn has_no_more_than_it_keeps(s: &State, key: u8) -> bool {
    let Some(stack) = stack(s, key) else { return true };
    let good = stack.status.good.map(|good| good.number);
    let ended = updates(s, key).filter(|update| {
        let shown = update.shown.as_ref().filter(|shown| shown.stage.is_last() && shown.number.is_some());
        shown.is_some_and(|shown| good.is_none() || shown.number != good)
    });
    ended.count() <= usize::try_from(stack.wish.history).unwrap_or(usize::MAX)
}

pub(super) fn is_one(stack: &Stack<Tiny>) -> bool {
    let worked_on = stack.status.requests.iter().filter(|request| {
        matches!(request.stage, Stage::Processing | Stage::Partial | Stage::PartialFailure)
    });
    let worked_on: Vec<_> = worked_on.map(|request| request.number).collect();
    let queued = stack.status.requests.iter().filter(|request| request.stage == Stage::Queued).count();
    worked_on == stack.status.phase.number().into_iter().collect::<Vec<_>>() && queued <= 1
}

pub(super) fn are_in_order(s: &State, stack: &Stack<Tiny>) -> bool {
    let shown = updates(s, stack.name).filter_map(|update| Some((update.name, update.shown?.number?)));
    let known = stack.status.requests.iter().map(|request| (request.update, request.number));
    let mut all: Vec<_> = shown.chain(known).collect();
    all.sort_unstable();
    all.dedup();
    all.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1)
}

/// The version that a step starts, or begins.
fn goes_on_with(was: &Stack<Tiny>, is: &Stack<Tiny>) -> Option<Number> {
    match is.status.phase {
        phase if phase == was.status.phase => None,
        Phase::Starting(number) | Phase::Partial(number) => Some(number),
        _ => None,
    }
}

pub(super) fn is_outdated(s: &State, was: &Stack<Tiny>, is: &Stack<Tiny>) -> bool {
    // What was started before somebody has paused it is gone on with, and the newer one is not started.
    let goes_on = |number: &Number| was.status.phase == Phase::Starting(*number) && is_paused(s, was.name);
    let starts = goes_on_with(was, is).filter(|number| !goes_on(number));
    let newer = |number| {
        move |request: &bowline_updates::Request<Tiny>| {
            request.stage == Stage::Queued && request.number > number
        }
    };
    starts.is_some_and(|number| was.status.requests.iter().any(newer(number)))
}

pub(super) fn is_tried_again(was: &Stack<Tiny>, is: &Stack<Tiny>) -> bool {
    let digest = |number| is.request(number).map(|request| request.digest);
    goes_on_with(was, is).and_then(digest).is_some_and(|digest| was.quarantine(&digest).is_some())
}

pub(super) fn is_blamed_for_no_permission(
    before: &State,
    action: &Action,
    was: &Stack<Tiny>,
    is: &Stack<Tiny>,
) -> bool {
    // What was decided is written before anything else is learned.
    let is_barred = memory::is_barred(&before.keys[usize::from(is.name)].memory);
    let is_new = is.status.quarantined.iter().any(|bad| !was.status.quarantined.contains(bad));
    *action == Action::Carry(is.name) && is_barred && is_new
}

pub(super) fn has_touched(was: &Stack<Tiny>, is: &Stack<Tiny>) -> bool {
    let ended = is.status.requests.iter().filter(|now| matches!(now.stage, Stage::Rejected | Stage::Failed));
    let mut before = ended.filter_map(|now| was.request(now.number));
    before.any(|before| matches!(before.stage, Stage::Partial | Stage::PartialFailure))
}

pub(super) fn has_succeeded(was: &Stack<Tiny>, is: &Stack<Tiny>) -> bool {
    let Some(good) = &is.status.good else { return false };
    was.status.phase == Phase::Partial(good.number)
        && is
            .request(good.number)
            .is_some_and(|request| request.stage == Stage::Succeeded && request.digest == good.digest)
}

pub(super) fn has_the_newest(s: &State, key: u8) -> bool {
    let Some(stack) = stack(s, key) else { return true };
    let numbered = updates(s, key).filter_map(|update| Some((update.shown.as_ref()?.number?, update.digest)));
    let Some((newest, digest)) = numbered.max() else { return true };
    let is_sick = World::of(&s.outside[usize::from(key)]).sick >> digest & 1 == 1;
    // What was taken back has no number that anybody sees.
    let is_last = newest == stack.status.submitted;
    let is_good = stack.status.good.as_ref().is_some_and(|good| good.number == newest);
    !is_last || is_sick || stack.quarantine(&digest).is_some() || is_good
}

/// Whether an update shows how it ended. One that a stack which goes has not numbered any more has not begun.
pub(super) fn is_over(s: &State, key: u8, update: &bowline_updates::Update<Tiny>) -> bool {
    let goes = stack(s, key).is_none_or(|stack| stack.deleting);
    match &update.shown {
        Some(shown) if shown.stage == Stage::PartialFailure => goes || is_stalled(s, key),
        Some(shown) if shown.number.is_some() => shown.stage.is_last(),
        _ => goes,
    }
}
