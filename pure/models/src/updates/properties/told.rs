//! What is claimed of what people are told.

use bowline_explorer::Property;
use bowline_updates::{Mood, Phase, Stack};

use super::{Claim, pairs};
use crate::harness::{Action, State};
use crate::tiny::Tiny;

pub(super) fn all() -> Vec<Claim> {
    vec![
        Property::always_step("DriftIsTold", |_, before: &State, _: &Action, after: &State| {
            pairs(before, after).all(|(was, is)| !begins_to_mend(&was, &is) || says(&is, &[Mood::Drifted]))
        })
        .about("what is put right because others have changed it is told before that"),
        Property::always_step("GoingIsTold", |_, before: &State, action: &Action, after: &State| {
            let ours = !matches!(action, Action::Deed(_));
            pairs(before, after).all(|(was, is)| {
                let is_new = ours && is.deleting && was.told != is.told;
                !is_new || says(&is, &[Mood::Going, Mood::Drifted, Mood::Stuck])
            })
        })
        .about("a stack that is being deleted says what it waits for, what it puts right before it goes, or what is wrong, and never that all is well"),
    ]
}

fn begins_to_mend(was: &Stack<Tiny>, is: &Stack<Tiny>) -> bool {
    was.status.phase == Phase::Idle && is.status.phase == Phase::RollingBack(None)
}

fn says(stack: &Stack<Tiny>, moods: &[Mood]) -> bool {
    stack.told.as_ref().is_some_and(|told| moods.contains(&told.mood))
}
