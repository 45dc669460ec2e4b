//! The harness itself: the normal form hides nothing, and what is flat loses nothing.

use bowline_explorer::{Model, SplitMix};

use super::{FAULTS, Flat, Harness, Rules, SHIPPED, State, System, What, padded};
use crate::clusters::{self, Fleet};
use crate::sample::{SHAPE, Sample, at};

mod lamps;
mod reductions;

fn model(size: &str) -> Harness<Sample> {
    at(size, [1; FAULTS], SHAPE, SHIPPED)
}

fn fleet(size: &str) -> Harness<Fleet> {
    clusters::at(size, [1; FAULTS], clusters::SHAPE, SHIPPED)
}

/// Answers of the API come apart from what they answer.
fn apart() -> Rules {
    Rules { apart: true, ..SHIPPED }
}

/// Where an action of this name leads, if it is enabled.
fn follow<S: System>(model: &Harness<S>, state: &State, name: &str) -> Option<State> {
    let mut actions = Vec::new();
    model.actions(state, &mut actions);
    let action = actions.iter().find(|action| model.action_name(action) == name)?;
    Some(model.next(state, action))
}

fn names<S: System>(model: &Harness<S>, state: &State) -> Vec<String> {
    let mut actions = Vec::new();
    model.actions(state, &mut actions);
    actions.iter().map(|action| model.action_name(action)).collect()
}

#[test]
fn a_step_before_the_normal_form_is_one_after_it() {
    let mut random = SplitMix::new(7);
    for walk in 0..400 {
        let two = walk % 2 > 0;
        let pairs = ["creates=2,deletes=2,edits=1", "instances=2,workers=2,bound=5"];
        steps_agree(&model(pairs[usize::from(two)]), &mut random, walk);
        let clusters = ["creates=3,deletes=2", "instances=2,workers=2,bound=5,deletes=2"];
        steps_agree(&fleet(clusters[usize::from(two)]), &mut random, walk);
    }
}

#[test]
fn and_so_it_is_while_answers_are_on_their_way() {
    let mut random = SplitMix::new(9);
    for walk in 0..400 {
        let size = ["creates=2,deletes=2,edits=1", "instances=2,workers=2"][walk % 2];
        steps_agree(&at(size, [1; FAULTS], SHAPE, apart()), &mut random, walk);
        let fleet = clusters::at("instances=2,workers=2", [1; FAULTS], clusters::SHAPE, apart());
        steps_agree(&fleet, &mut random, walk);
    }
}

fn steps_agree<S: System>(model: &Harness<S>, random: &mut SplitMix, walk: usize) {
    // This one is never normalised.
    let mut raw = model.init().remove(0);
    for step in 0..60 {
        let normal = model.canonical(raw);
        let choices = names(model, &raw);
        assert_eq!(choices, names(model, &normal), "walk {walk}, step {step}: the same can happen");
        let Some(choice) = choices.get(random.below(choices.len().max(1))) else { break };
        let next = follow(model, &raw, choice).expect("it is enabled");
        let other = follow(model, &normal, choice).expect("it is enabled");
        assert_eq!(model.canonical(next), model.canonical(other), "walk {walk}, step {step}: {choice}");
        raw = next;
    }
}

#[test]
fn the_normal_form_is_its_own() {
    let mut random = SplitMix::new(8);
    is_its_own(&model("instances=2,workers=2,creates=2"), &mut random);
    is_its_own(&fleet("instances=2,workers=2,creates=3,deletes=2"), &mut random);
    is_its_own(&at("instances=2,workers=2,creates=2", [1; FAULTS], SHAPE, apart()), &mut random);
}

fn is_its_own<S: System>(model: &Harness<S>, random: &mut SplitMix) {
    let mut state = model.init().remove(0);
    for step in 1..3_000 {
        let choices = names(model, &state);
        let choice = choices.get(random.below(choices.len().max(1)));
        // Who looks for ever never stops, and after a while sees nothing new.
        let Some(choice) = choice.filter(|_| step % 100 > 0) else {
            state = model.init().remove(0);
            continue;
        };
        state = model.canonical(follow(model, &state, choice).expect("it is enabled"));
        assert_eq!(model.canonical(state), state, "after {choice}");
    }
}

#[test]
fn what_is_flat_loses_nothing() {
    for slot in 0..super::SLOTS as u8 {
        let owner = (!crate::sample::is_pair(slot)).then_some((slot / 4 * 4, 3));
        for body in [padded([0, 0]), padded([1, 1])] {
            let generation = u8::from(crate::sample::is_pair(slot)) * 2;
            let finalizers = u8::from(crate::sample::is_pair(slot));
            let flat = Flat { uid: 2, version: 9, generation, deleting: true, finalizers, owner, body };
            assert_eq!(Sample::flat(&Sample::object(slot, flat)), flat);
            assert_eq!(Sample::slot(&Sample::id(slot)), slot);
        }
    }
}

/// An answer on its way takes the room of the write that it answers: who does not set them apart does not pay for it.
#[test]
fn an_answer_takes_no_more_room_than_a_write() {
    assert_eq!(size_of::<What>(), size_of::<super::Post>());
}
