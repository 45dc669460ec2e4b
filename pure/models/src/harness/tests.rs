//! The harness itself: the normal form hides nothing, and what is flat loses nothing.

use bowline_explorer::{Model, SplitMix};

use super::{FAULTS, Flat, Harness, SHIPPED, State, System};
use crate::sample::{SHAPE, Sample, at};

fn model(size: &str) -> Harness<Sample> {
    at(size, [1; FAULTS], SHAPE, SHIPPED)
}

/// Where an action of this name leads, if it is enabled.
fn follow(model: &Harness<Sample>, state: &State, name: &str) -> Option<State> {
    let mut actions = Vec::new();
    model.actions(state, &mut actions);
    let action = actions.iter().find(|action| model.action_name(action) == name)?;
    Some(model.next(state, action))
}

fn names(model: &Harness<Sample>, state: &State) -> Vec<String> {
    let mut actions = Vec::new();
    model.actions(state, &mut actions);
    actions.iter().map(|action| model.action_name(action)).collect()
}

#[test]
fn a_step_before_the_normal_form_is_one_after_it() {
    let mut random = SplitMix::new(7);
    for walk in 0..400 {
        let model = model(if walk % 2 == 0 {
            "creates=2,deletes=2,edits=1"
        } else {
            "instances=2,workers=2,bound=5"
        });
        // This one is never normalised.
        let mut raw = model.init().remove(0);
        for step in 0..60 {
            let normal = model.canonical(raw);
            assert_eq!(
                names(&model, &raw),
                names(&model, &normal),
                "walk {walk}, step {step}: the same can happen"
            );
            let choices = names(&model, &raw);
            let Some(choice) = choices.get(random.below(choices.len().max(1))) else { break };
            let next = follow(&model, &raw, choice).expect("it is enabled");
            let other = follow(&model, &normal, choice).expect("it is enabled");
            assert_eq!(model.canonical(next), model.canonical(other), "walk {walk}, step {step}: {choice}");
            raw = next;
        }
    }
}

#[test]
fn the_normal_form_is_its_own() {
    let mut random = SplitMix::new(8);
    let model = model("instances=2,workers=2,creates=2");
    let mut state = model.init().remove(0);
    for _ in 0..3_000 {
        let choices = names(&model, &state);
        let Some(choice) = choices.get(random.below(choices.len().max(1))) else {
            state = model.init().remove(0);
            continue;
        };
        state = model.canonical(follow(&model, &state, choice).expect("it is enabled"));
        assert_eq!(model.canonical(state), state, "after {choice}");
    }
}

#[test]
fn what_is_flat_loses_nothing() {
    for slot in 0..super::SLOTS as u8 {
        let owner = (!crate::sample::is_pair(slot)).then_some((slot / 4 * 4, 3));
        for body in [[0, 0, 0, 0], [1, 1, 0, 0]] {
            let generation = u8::from(crate::sample::is_pair(slot)) * 2;
            let finalizers = u8::from(crate::sample::is_pair(slot));
            let flat = Flat { uid: 2, version: 9, generation, deleting: true, finalizers, owner, body };
            assert_eq!(Sample::flat(&Sample::object(slot, flat)), flat);
            assert_eq!(Sample::slot(&Sample::id(slot)), slot);
        }
    }
}
